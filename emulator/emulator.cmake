# gcsflux::emulator. Its folders: docs/architecture.md.
gcsflux_sources(sources emulator/src EXCEPT program/)
file(GLOB console_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/emulator/console/*)
gcsflux_embed(embedded_console console FILES ${console_files} HEADER admin/console.h
              NAMESPACE gcsflux::emulator FUNCTION ConsoleFiles TYPE ConsoleFile)
gcsflux_component(emulator ${sources} ${embedded_console})
target_include_directories(gcsflux_emulator
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/emulator/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
target_link_libraries(gcsflux_emulator
  PUBLIC Threads::Threads
  PRIVATE PkgConfig::isal pugixml::pugixml OpenSSL::SSL OpenSSL::Crypto SQLite::SQLite3
          $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> $<BUILD_INTERFACE:tl::expected>)
