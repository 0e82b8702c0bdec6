# The gcsflux-conformance program. It shares no code with the SDK, nor with the emulator beyond its public header.
file(GLOB case_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/conformance/cases/*.json)
list(JOIN case_files "|" joined_case_files)
set(embedded_cases ${PROJECT_BINARY_DIR}/conformance/embedded_cases.cc)
add_custom_command(
  OUTPUT ${embedded_cases}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${embedded_cases} "-DFILES=${joined_case_files}"
          -P ${PROJECT_SOURCE_DIR}/conformance/embed_cases.cmake
  DEPENDS ${case_files} ${PROJECT_SOURCE_DIR}/conformance/embed_cases.cmake
  COMMENT "Embedding the conformance cases"
  VERBATIM)

# A library of its own, so that the tests link the same code as the program.
add_library(gcsflux_conformance STATIC
  # base
  conformance/src/base/base64.cc
  conformance/src/base/generated_bytes.cc
  conformance/src/base/read_file.cc
  conformance/src/base/xpath.cc
  # http
  conformance/src/http/curl_transport.cc
  conformance/src/http/http.cc
  # case
  conformance/src/case/excerpt.cc
  conformance/src/case/match_response.cc
  conformance/src/case/matchers.cc
  conformance/src/case/parse_answer.cc
  conformance/src/case/placeholders.cc
  # read_cases
  conformance/src/read_cases/fields.cc
  conformance/src/read_cases/load_cases.cc
  conformance/src/read_cases/parse_cases.cc
  conformance/src/read_cases/parse_step.cc
  # run_cases
  conformance/src/run_cases/run_case.cc
  conformance/src/run_cases/suite.cc
  conformance/src/run_cases/test_bucket.cc
  conformance/src/run_cases/throttling.cc
  # program
  conformance/src/program/options.cc
  ${embedded_cases})
target_include_directories(gcsflux_conformance PUBLIC ${PROJECT_SOURCE_DIR}/conformance/src)
target_link_libraries(gcsflux_conformance PUBLIC nlohmann_json::nlohmann_json tl::expected
                                          PRIVATE CURL::libcurl pugixml::pugixml gcsflux_strict)

# What drives the SDK is a library of its own: the contract's runner does not link the SDK.
add_library(gcsflux_retry_tests STATIC
  conformance/src/retry_tests/armed_faults.cc
  conformance/src/retry_tests/bucket_calls.cc
  conformance/src/retry_tests/download_calls.cc
  conformance/src/retry_tests/load_retry_tests.cc
  conformance/src/retry_tests/multipart_calls.cc
  conformance/src/retry_tests/object_calls.cc
  conformance/src/retry_tests/parse_scenarios.cc
  conformance/src/retry_tests/run_trial.cc
  conformance/src/retry_tests/scene.cc
  conformance/src/retry_tests/sdk_call.cc
  conformance/src/retry_tests/stream_calls.cc
  conformance/src/retry_tests/temporary_file.cc
  conformance/src/retry_tests/trial.cc
  conformance/src/retry_tests/upload_calls.cc)
target_link_libraries(gcsflux_retry_tests PUBLIC gcsflux_conformance gcsflux_client PRIVATE gcsflux_strict)

gcsflux_program(gcsflux-conformance conformance/src/program/main.cc)
target_compile_definitions(gcsflux-conformance PRIVATE GCSFLUX_VERSION="${PROJECT_VERSION}")
target_link_libraries(gcsflux-conformance PRIVATE gcsflux_retry_tests gcsflux_emulator CURL::libcurl)
