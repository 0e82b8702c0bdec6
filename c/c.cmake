# libgcsflux_c.so: the C interface. It holds all that it links of gcsflux, and shows gcsflux_* alone.
gcsflux_sources(sources c/src)
gcsflux_sources(flags sdk/src/flags)
add_library(gcsflux_c SHARED ${sources} c/own_flags/registry.cc ${flags})
add_library(gcsflux::c ALIAS gcsflux_c)
target_compile_features(gcsflux_c PRIVATE cxx_std_20)
# The flags' sources read own_flags/gflags/gflags.h in the place of gflags' own header: see there.
target_include_directories(gcsflux_c BEFORE PRIVATE c/own_flags)
target_include_directories(gcsflux_c
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/c/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE c/src sdk/src)
target_link_libraries(gcsflux_c PRIVATE gcsflux_client $<BUILD_INTERFACE:gcsflux_strict>)
set(symbols ${PROJECT_SOURCE_DIR}/c/gcsflux_c.map)
target_link_options(gcsflux_c PRIVATE LINKER:--version-script=${symbols} LINKER:--no-undefined)
set_target_properties(gcsflux_c PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${symbols}
  GCSFLUX_SOURCES_APART TRUE)
