# The contract against the embedded emulator; then the program and its parts.
add_test(NAME conformance COMMAND gcsflux-conformance)
# The SDK under the scenarios of Google's clients and our own, against the embedded emulator.
set(retry_tests_dir ${PROJECT_SOURCE_DIR}/conformance/retry_tests)
add_test(NAME conformance_retry_tests COMMAND gcsflux-conformance --retry_tests=${retry_tests_dir}/gcsflux.json)
add_test(NAME conformance_public_retry_tests
         COMMAND gcsflux-conformance --retry_tests=${retry_tests_dir}/public_scenarios.json)
# Our own file names nothing that the SDK or the emulator lacks.
set_tests_properties(conformance_retry_tests PROPERTIES FAIL_REGULAR_EXPRESSION "(^|\n)skip ")
add_test(NAME conformance_with_token
         COMMAND ${PROJECT_SOURCE_DIR}/tests/conformance/with_token.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
gcsflux_test(conformance_tests
  SOURCES conformance/http/*.cc conformance/case/*.cc conformance/base/*.cc conformance/program/*.cc
          conformance/read_cases/*.cc conformance/report/*.cc conformance/retry_tests/*.cc conformance/run_cases/*.cc
          conformance/broken/*.cc
  LIBRARIES gcsflux_retry_tests gcsflux_emulator)
target_compile_definitions(conformance_tests PRIVATE
  GCSFLUX_CONFORMANCE="$<TARGET_FILE:gcsflux-conformance>"
  GCSFLUX_RETRY_TESTS="${retry_tests_dir}"
  GCSFLUX_CONFORMANCE_PAGE="${PROJECT_SOURCE_DIR}/docs/conformance.md"
  GCSFLUX_DISCOVERY_DOCUMENT="${PROJECT_SOURCE_DIR}/tests/emulator/json_api/discovery/storage_v1.json"
  GCSFLUX_TEST_CASES="${PROJECT_SOURCE_DIR}/tests/conformance/cases")
add_dependencies(conformance_tests gcsflux-conformance)
# The proof that the cases notice what an endpoint does wrong. The table is for docs/conformance.md.
gcsflux_program(gcsflux-conformance-broken conformance/src/broken/main.cc)
target_link_libraries(gcsflux-conformance-broken PRIVATE gcsflux_conformance gcsflux_emulator CURL::libcurl)
add_test(NAME conformance_defects
         COMMAND gcsflux-conformance-broken ${PROJECT_SOURCE_DIR}/conformance/broken
                 ${PROJECT_BINARY_DIR}/conformance_defects.md)
