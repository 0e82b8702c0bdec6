# What `cpack` makes: Debian packages, for a release build with all components. docs/building.md describes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gcsflux)
set(CPACK_PACKAGE_VENDOR "gcsflux")
set(CPACK_PACKAGE_CONTACT "The gcsflux authors <gcsflux@example.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)

set(CPACK_COMPONENTS_ALL programs emulator_program documentation)
get_property(components GLOBAL PROPERTY gcsflux_components)
list(APPEND CPACK_COMPONENTS_ALL ${components})

# The libraries are static: who links them needs what they link. Packages as in scripts/packages.txt.
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "Google Cloud Storage for C++ and libtorch\n Headers and static libraries, CMake and pkg-config files, pages and examples.")
set(CPACK_DEBIAN_COMMAND_DESCRIPTION
    "Google Cloud Storage from the command line\n Copies, lists, checkpoints, checks of buckets; and whether an endpoint keeps the service's contract.")
set(CPACK_DEBIAN_EMULATOR_DESCRIPTION
    "Google Cloud Storage in memory\n A server for tests, with faults, latency and quotas on request.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libgcsflux-dev)
string(JOIN ", " CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
       libexpected-dev libboost-context-dev libcurl4-openssl-dev libssl-dev libpugixml-dev libsimdjson-dev zlib1g-dev
       libisal-dev libgflags-dev libsqlite3-dev pkg-config)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "cmake (>= 3.25), g++")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "gcsflux, gcsflux-emulator, libtorch-dev, libjpeg62-turbo-dev, libpng-dev, libgtest-dev")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME gcsflux)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_EMULATOR_PACKAGE_NAME gcsflux-emulator)
set(CPACK_DEBIAN_EMULATOR_PACKAGE_SHLIBDEPS ON)

include(CPack)
foreach(group library command emulator)
  cpack_add_component_group(${group})
endforeach()
foreach(component IN LISTS components)
  cpack_add_component(${component} GROUP library)
endforeach()
cpack_add_component(documentation GROUP library)
cpack_add_component(programs GROUP command)
cpack_add_component(emulator_program GROUP emulator)
