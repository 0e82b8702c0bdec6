# gcsflux::client, gcsflux::flags, gcsflux::torch and gcsflux::images. Folders from the lowest layer up: docs/architecture.md.
gcsflux_sources(sources sdk/src EXCEPT torch/ flags/ images/)
gcsflux_component(client ${sources})
target_include_directories(gcsflux_client
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/sdk/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
target_link_libraries(gcsflux_client
  PUBLIC tl::expected Threads::Threads
  PRIVATE Boost::context CURL::libcurl OpenSSL::Crypto PkgConfig::isal pugixml::pugixml simdjson::simdjson ZLIB::ZLIB
          $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)

if(has_flags)
  gcsflux_sources(sources sdk/src/flags)
  gcsflux_component(flags ${sources})
  # A program that defines a flag of its own leaves out the file that defines it here.
  set_target_properties(gcsflux_flags PROPERTIES GCSFLUX_SOURCES_APART TRUE)
  target_include_directories(gcsflux_flags PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
  target_link_libraries(gcsflux_flags PUBLIC gcsflux_client PRIVATE gflags)
endif()

# L5 torch
if(has_torch)
  gcsflux_sources(sources sdk/src/torch EXCEPT processes/)
  gcsflux_component(torch ${sources})
  # libtorch has c10d's Gloo, whose headers need Gloo's own. Without them gcsflux/torch/collective.h is not there.
  find_path(GCSFLUX_GLOO_HEADERS gloo/context.h)
  mark_as_advanced(GCSFLUX_GLOO_HEADERS)
  if(GCSFLUX_GLOO_HEADERS)
    gcsflux_sources(sources sdk/src/torch/processes)
    target_sources(gcsflux_torch PRIVATE ${sources})
  endif()
  target_include_directories(gcsflux_torch PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
  # The targets of libtorch's CMake package by their names: TORCH_LIBRARIES has paths of the machine.
  target_link_libraries(gcsflux_torch PUBLIC gcsflux_client torch torch_library c10)
endif()

# Above torch: images of JPEG and PNG files as tensors.
if(has_images)
  gcsflux_sources(sources sdk/src/images)
  gcsflux_component(images ${sources})
  target_include_directories(gcsflux_images PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
  target_link_libraries(gcsflux_images PUBLIC gcsflux_torch PRIVATE JPEG::JPEG PNG::PNG)
endif()
