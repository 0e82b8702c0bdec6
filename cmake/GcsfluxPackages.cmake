# The packages that each component links, and how CMake finds them. The build uses this file; find_package(gcsflux) too.

# These are in the public headers or behind them as shared libraries: each consumer needs them.
set(gcsflux_client_interface Threads tl-expected)
set(gcsflux_flags_interface)
set(gcsflux_torch_interface Torch)
set(gcsflux_images_interface Torch)
set(gcsflux_emulator_interface Threads)

# These are linked too: a consumer needs them if gcsflux is a static library.
set(gcsflux_client_links boost_context CURL OpenSSL pugixml simdjson ZLIB isal)
set(gcsflux_flags_links gflags)
set(gcsflux_torch_links)
set(gcsflux_images_links JPEG PNG)
set(gcsflux_emulator_links OpenSSL pugixml isal SQLite3)

# isal has no CMake package on every system, but a pkg-config file.
set(gcsflux_isal_module libisal)

# gcsflux_find(PACKAGE): finds it, and sets gcsflux_found. Targets are global, so that a project around this one can link
# what links them. A libtorch that the project around this one has found is used as it is.
macro(gcsflux_find package)
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
  if("${package}" STREQUAL "Torch" AND TARGET torch)
    set(gcsflux_found TRUE)
  elseif(DEFINED gcsflux_${package}_module)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND AND NOT TARGET PkgConfig::${package})
      pkg_check_modules(${package} QUIET IMPORTED_TARGET GLOBAL ${gcsflux_${package}_module})
    endif()
    set(gcsflux_found FALSE)
    if(TARGET PkgConfig::${package})
      set(gcsflux_found TRUE)
    endif()
  else()
    find_package(${package} QUIET)
    set(gcsflux_found ${${package}_FOUND})
  endif()
  unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
endmacro()

# gcsflux_find_all(PACKAGE...): sets gcsflux_missing to the names of those that are not found.
macro(gcsflux_find_all)
  set(gcsflux_missing)
  foreach(gcsflux_package ${ARGN})
    gcsflux_find(${gcsflux_package})
    if(NOT gcsflux_found)
      list(APPEND gcsflux_missing ${gcsflux_package})
    endif()
  endforeach()
endmacro()
