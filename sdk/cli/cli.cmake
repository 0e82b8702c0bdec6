# The gcsflux program.

# The command, but for its main(): its tests link it.
gcsflux_sources(sources sdk/cli EXCEPT main.cc)
add_library(gcsflux_cli STATIC ${sources})
target_include_directories(gcsflux_cli PUBLIC ${PROJECT_SOURCE_DIR}/sdk ${PROJECT_SOURCE_DIR}/sdk/src)
target_link_libraries(gcsflux_cli PRIVATE gcsflux_strict PUBLIC gcsflux_flags gflags)
gcsflux_program(gcsflux sdk/cli/main.cc)
target_link_libraries(gcsflux PRIVATE gcsflux_cli)
