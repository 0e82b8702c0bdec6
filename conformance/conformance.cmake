# The gcsflux-conformance program. It shares no code with the SDK, nor with the emulator beyond its public header.
set(case_files
  batch buckets buckets_update client_paths compose copy_rewrite cors csek errors fields_projection gcloud holds
  idempotency_tokens limits listing match_glob metadata move multipart_framing names patch_update preconditions ranges
  resumable transcoding upload_dialect upload_rules uploads versioning xml_delete xml_listing xml_multipart xml_objects)
list(TRANSFORM case_files REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/conformance/cases/\\1.json")
list(JOIN case_files "|" joined_case_files)
set(embedded_cases ${PROJECT_BINARY_DIR}/conformance/embedded_cases.cc)
add_custom_command(
  OUTPUT ${embedded_cases}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${embedded_cases} "-DFILES=${joined_case_files}"
          -P ${PROJECT_SOURCE_DIR}/conformance/embed_cases.cmake
  DEPENDS ${case_files} ${PROJECT_SOURCE_DIR}/conformance/embed_cases.cmake
  COMMENT "Embedding the conformance cases"
  VERBATIM)

find_package(pugixml REQUIRED)
# A library of its own, so that the tests link what the program is made of.
add_library(gcsflux_conformance STATIC
  conformance/src/base64.cc
  conformance/src/curl_transport.cc
  conformance/src/excerpt.cc
  conformance/src/fields.cc
  conformance/src/generated_bytes.cc
  conformance/src/http.cc
  conformance/src/load_cases.cc
  conformance/src/match_response.cc
  conformance/src/matchers.cc
  conformance/src/options.cc
  conformance/src/parse_cases.cc
  conformance/src/parse_step.cc
  conformance/src/placeholders.cc
  conformance/src/read_file.cc
  conformance/src/run_case.cc
  conformance/src/suite.cc
  conformance/src/test_bucket.cc
  conformance/src/throttling.cc
  conformance/src/xpath.cc
  ${embedded_cases})
target_include_directories(gcsflux_conformance PUBLIC ${PROJECT_SOURCE_DIR}/conformance/src)
target_link_libraries(gcsflux_conformance PUBLIC nlohmann_json::nlohmann_json tl::expected
                                          PRIVATE CURL::libcurl pugixml::pugixml gcsflux_strict)

# What drives the SDK stands alone: the contract's own runner is not linked to it.
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
  conformance/src/retry_tests/temporary_file.cc
  conformance/src/retry_tests/trial.cc
  conformance/src/retry_tests/upload_calls.cc)
target_link_libraries(gcsflux_retry_tests PUBLIC gcsflux_conformance gcsflux_client PRIVATE gcsflux_strict)

gcsflux_program(gcsflux-conformance conformance/src/main.cc)
target_link_libraries(gcsflux-conformance PRIVATE gcsflux_retry_tests gcsflux_emulator CURL::libcurl)
