# The tests of the emulator: emulator_test(NAME SOURCES ... [LIBRARIES ...] [PROGRAM]). Sources are below tests/. With PROGRAM the
# test starts gcsflux-emulator and receives its path.
function(emulator_test name)
  cmake_parse_arguments(arg "PROGRAM" "" "SOURCES;EXCEPT;LIBRARIES" ${ARGN})
  gcsflux_test(${name}
    SOURCES ${arg_SOURCES}
    EXCEPT ${arg_EXCEPT}
    LIBRARIES gcsflux_emulator nlohmann_json::nlohmann_json tl::expected ${arg_LIBRARIES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
  if(arg_PROGRAM)
    target_compile_definitions(${name} PRIVATE GCSFLUX_EMULATOR_PROGRAM="$<TARGET_FILE:gcsflux-emulator>")
    add_dependencies(${name} gcsflux-emulator)
  endif()
endfunction()

# The emulator: its store, its parsers, and its HTTP on raw sockets.
emulator_test(emulator_tests PROGRAM
  SOURCES emulator/bodies/inflated_body_test.cc emulator/bodies/md5_follower_test.cc emulator/bodies/multipart_test.cc
          emulator/http/*.cc emulator/json_api/field_mask_test.cc emulator/json_api/http_race_test.cc
          emulator/json_api/json_api_test.cc emulator/json_api/router_test.cc emulator/json_api/transcoding_test.cc
          emulator/network/http_test.cc emulator/program/program_test.cc emulator/store/bucket_model_test.cc
          emulator/store/bucket_race_test.cc emulator/store/listing_test.cc emulator/store/names_test.cc
          emulator/store/resumable_sessions_test.cc emulator/store/rope_test.cc emulator/store/store_checksums_test.cc
          emulator/uploads/upload_md5_test.cc emulator/uploads/upload_test.cc
  LIBRARIES PkgConfig::isal)

# Generations: noncurrent ones, held ones, those under a customer's key; and the memory that one takes.
emulator_test(emulator_generations_tests
  SOURCES
    emulator/json_api/customer_encryption_test.cc
    emulator/json_api/holds_test.cc
    emulator/store/object_memory_test.cc
    emulator/store/object_set_test.cc
    emulator/store/versioning_test.cc)

# The JSON API beyond its basics: changes, copies and globs.
emulator_test(emulator_json_tests
  SOURCES
    emulator/json_api/batch_test.cc
    emulator/json_api/bucket_patch_test.cc
    emulator/json_api/copy_rewrite_test.cc
    emulator/json_api/object_patch_test.cc
    emulator/store/glob_listing_test.cc
    emulator/store/match_glob_test.cc)

# What becomes of objects with time: soft delete, lifecycle rules.
emulator_test(emulator_life_tests SOURCES emulator/json_api/life/*.cc)

# Access, notifications, retention; and every method, parameter and field of the JSON API.
emulator_test(emulator_access_tests
  SOURCES emulator/identity_api/access_test.cc emulator/identity_api/signature_test.cc emulator/json_api/access/*.cc
          emulator/json_api/discovery/*.cc emulator/json_api/retention_test.cc
  LIBRARIES OpenSSL::Crypto)
target_compile_definitions(emulator_access_tests PRIVATE
  GCSFLUX_DISCOVERY_DATA="${PROJECT_SOURCE_DIR}/tests/emulator/json_api/discovery")

# The emulator's clock, journal, counters and admin endpoints.
emulator_test(emulator_traffic_tests
  SOURCES
    emulator/admin/admin_test.cc
    emulator/admin/seed_test.cc
    emulator/base/clock_test.cc
    emulator/journal/journal_queries_test.cc
    emulator/journal/journal_test.cc
    emulator/journal/metrics_test.cc
    emulator/journal/redact_target_test.cc)

# The console in a headless browser; skipped without one, but under CI that fails.
add_test(NAME emulator_console COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/emulator/console/console_test.py
                                       $<TARGET_FILE:gcsflux-emulator>)
set_tests_properties(emulator_console PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME docs_console COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run_page.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                   ${PROJECT_SOURCE_DIR}/docs/emulator/console.md)

# What happens to a request before and after it is served.
emulator_test(emulator_layer_tests
  SOURCES
    emulator/bodies/peeked_body_test.cc
    emulator/entrance/foreign_pages_test.cc
    emulator/entrance/preview_request_test.cc
    emulator/operations/known_operations_test.cc
    emulator/retry_tests/instruction_header_test.cc
    emulator/retry_tests/retry_test_bytes_test.cc
    emulator/retry_tests/retry_test_http_test.cc
    emulator/retry_tests/retry_tests_test.cc
    emulator/service/first_answers_test.cc)

# Fault plans. Each kind of fault has a test of its name; CMake finds it without being told.
file(GLOB FAULT_TESTS RELATIVE ${PROJECT_SOURCE_DIR}/tests CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/tests/emulator/faults/*.cc)
emulator_test(emulator_fault_tests PROGRAM
  SOURCES
    ${FAULT_TESTS})
add_test(NAME docs_faults COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run_page.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                  ${PROJECT_SOURCE_DIR}/docs/emulator/faults.md)
add_test(NAME docs_retry_tests COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run_page.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                       ${PROJECT_SOURCE_DIR}/docs/emulator/retry_tests.md)

# Delays and quotas.
emulator_test(emulator_shaping_tests PROGRAM
  SOURCES
    emulator/program/traffic_flags_test.cc
    emulator/quotas/key_ranges_test.cc
    emulator/quotas/live_quotas_test.cc
    emulator/quotas/quota_http_test.cc
    emulator/quotas/token_bucket_test.cc
    emulator/shaping/distribution_test.cc
    emulator/shaping/pacer_test.cc
    emulator/shaping/settings_test.cc
    emulator/shaping/shaping_http_test.cc)

# The emulator's virtual buckets.
emulator_test(virtual_bucket_tests
  SOURCES
    emulator/virtual/virtual_bucket_test.cc
    emulator/virtual/virtual_content_test.cc
    emulator/virtual/virtual_flag_test.cc
    emulator/virtual/virtual_http_test.cc
    emulator/virtual/virtual_names_test.cc)

# Identities and TLS.
emulator_test(emulator_identity_tests PROGRAM
  SOURCES emulator/identity/*.cc emulator/identity_api/*.cc emulator/network/tls_test.cc
          emulator/support/tls_connection.cc
  EXCEPT emulator/identity_api/access_test.cc emulator/identity_api/signature_test.cc
  LIBRARIES OpenSSL::SSL OpenSSL::Crypto)

# Refused uploads: when they are answered, and why.
emulator_test(emulator_refusals_tests
  SOURCES emulator/uploads/early_answers_test.cc emulator/uploads/replace_rights_test.cc
  LIBRARIES OpenSSL::Crypto)

# The emulator's XML API.
emulator_test(emulator_xml_tests
  SOURCES emulator/store/multipart_uploads_test.cc emulator/xml_api/*.cc
  LIBRARIES pugixml::pugixml OpenSSL::Crypto)

# Bad clients, with a patience that a test can wait for.
emulator_test(bad_input_tests
  SOURCES
    emulator/network/bad_input_test.cc
    emulator/network/pace_test.cc)

# No client may end or stop the emulator by nesting, framing or patterns; how requests in flight are counted.
emulator_test(emulator_robustness_tests PROGRAM
  SOURCES emulator/json/*.cc emulator/json_api/nested_json_test.cc emulator/network/framing_test.cc
          emulator/network/in_flight_test.cc emulator/network/long_requests_test.cc
  LIBRARIES ZLIB::ZLIB)

# Memory runs out in the emulator's threads. The program replaces operator new.
emulator_test(emulator_allocation_tests
  SOURCES
    emulator/network/out_of_memory_test.cc)

# Requests that were changed at random; --requests=200000 by hand, under asan.
gcsflux_program(mutated_requests tests/emulator/mutated/main.cc tests/emulator/mutated/mutate.cc
                tests/emulator/mutated/valid_requests.cc)
target_include_directories(mutated_requests PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(mutated_requests PRIVATE gcsflux_test_support gcsflux_emulator gflags)
add_test(NAME mutated_requests COMMAND mutated_requests)

# Random operations against a reference model; --operations=200000 by hand.
gcsflux_program(emulator_model tests/emulator/model/main.cc tests/emulator/model/model_client.cc
                tests/emulator/model/operations.cc tests/emulator/model/reference.cc)
target_include_directories(emulator_model PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/emulator/src)
target_link_libraries(emulator_model PRIVATE gcsflux_test_support gcsflux_emulator gflags nlohmann_json::nlohmann_json tl::expected)
add_test(NAME emulator_model COMMAND emulator_model)
add_test(NAME emulator_model_on_disk COMMAND emulator_model --on_disk)

if(NOT GCSFLUX_SANITIZE)  # UBSan looks at objects through a pipe, for which there is no descriptor left.
  gcsflux_test(emulator_shortage_tests
    SOURCES emulator/network/descriptors_test.cc support/thread_limit.cc
    LIBRARIES gcsflux_emulator ${CMAKE_DL_LIBS})
  target_compile_definitions(emulator_shortage_tests PRIVATE GCSFLUX_EMULATOR_PROGRAM="$<TARGET_FILE:gcsflux-emulator>")
  add_dependencies(emulator_shortage_tests gcsflux-emulator)
endif()

# A store that survives its process.
emulator_test(emulator_persistence_tests PROGRAM
  SOURCES emulator/persistence/*.cc)
add_test(NAME docs_persistence COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run_page.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                       ${PROJECT_SOURCE_DIR}/docs/emulator/persistence.md)
