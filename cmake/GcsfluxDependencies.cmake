# The packages that gcsflux's own targets link. Used by the build and, installed, by find_package(gcsflux).
find_package(Threads REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(tl-expected REQUIRED)
find_package(gflags REQUIRED)
find_package(pugixml REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal)
# Its cflags are part of its ABI: they say with which features the compiled library was built.
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
