# The gcsflux-emulator program.
gcsflux_program(gcsflux-emulator emulator/src/program/main.cc emulator/src/program/traffic_flags.cc)
target_compile_definitions(gcsflux-emulator PRIVATE GCSFLUX_VERSION="${PROJECT_VERSION}")
target_include_directories(gcsflux-emulator PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
target_link_libraries(gcsflux-emulator PRIVATE gcsflux_emulator gflags)
