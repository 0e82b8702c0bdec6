# One binary per area; each TEST() is a CTest entry of its own, except where libtorch is linked (0.3 s per start).
find_package(GTest REQUIRED)
include(GoogleTest)

function(gcsflux_test name)
  cmake_parse_arguments(arg "WHOLE" "" "SOURCES;LIBRARIES" ${ARGN})
  list(TRANSFORM arg_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/tests/)
  gcsflux_program(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  if(arg_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
  else()
    gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

add_test(NAME layering COMMAND ${PROJECT_SOURCE_DIR}/tests/layering.sh ${PROJECT_SOURCE_DIR})

gcsflux_test(base_tests
  SOURCES base/codecs_test.cc base/object_name_test.cc
  LIBRARIES gcsflux_client)
target_include_directories(base_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
