# Each place between two effects of an operation, where a process is killed. The cases are the campaign's too.
add_library(crash_cases STATIC
  tests/crash/checkpoints.cc
  tests/crash/commands.cc
  tests/crash/crash_case.cc
  tests/crash/datasets.cc
  tests/crash/downloads.cc
  tests/crash/uploads.cc
  tests/support/child_program.cc)
target_include_directories(crash_cases PUBLIC ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/sdk/src)
target_link_libraries(crash_cases PUBLIC gcsflux_as_test gcsflux_client)
add_library(crash_effects_here OBJECT tests/crash/effects.cc)
target_link_libraries(crash_effects_here PRIVATE gcsflux_strict)
if(NOT GCSFLUX_SANITIZE)  # A sanitizer must be loaded first, and these processes are killed by the hundred.
  add_library(crash_effects SHARED tests/crash/effects.cc)
  target_link_libraries(crash_effects PRIVATE gcsflux_strict)
  set_target_properties(crash_effects PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  gcsflux_program(crash_points tests/crash/main.cc)
  target_link_libraries(crash_points PRIVATE crash_cases crash_effects_here gcsflux_flags gcsflux_emulator gflags)
  add_dependencies(crash_points gcsflux crash_effects)
  add_test(NAME crash_points COMMAND crash_points)
  set_tests_properties(crash_points PROPERTIES TIMEOUT 300)
endif()
