# One binary per area; each TEST() is a CTest entry of its own, except where libtorch is linked (0.3 s per start).
find_package(GTest REQUIRED)
include(GoogleTest)

# How tests are compiled. Without optimisation half the time goes: the code of assertions is long, and runs once.
add_library(gcsflux_as_test INTERFACE)
target_link_libraries(gcsflux_as_test INTERFACE gcsflux_strict)
if(NOT GCSFLUX_SANITIZE)
  target_compile_options(gcsflux_as_test INTERFACE $<$<CONFIG:Debug>:-O0>)
endif()

# Headers of most tests, compiled once. Without JSON: each file would instantiate its templates.
add_library(gcsflux_test_headers OBJECT tests/support/test_headers.cc)
target_link_libraries(gcsflux_test_headers PRIVATE gcsflux_as_test GTest::gmock GTest::gtest)
target_compile_options(gcsflux_test_headers PRIVATE -fPIE)  # as programs, since they read what this target compiles
target_precompile_headers(gcsflux_test_headers PRIVATE
  <gmock/gmock.h> <gtest/gtest.h>
  <algorithm> <atomic> <chrono> <condition_variable> <functional> <map> <memory> <mutex> <optional> <span> <sstream>
  <stop_token> <string> <string_view> <thread> <vector>)

# Shared by several tests: processes, raw sockets, keys.
add_library(gcsflux_test_support STATIC
  tests/emulator/support/crypto_fixtures.cc
  tests/emulator/support/identity_fixture.cc
  tests/emulator/support/raw_connection.cc
  tests/support/child_program.cc
  tests/support/emulator_process.cc
  tests/support/raw_server.cc)
target_include_directories(gcsflux_test_support PUBLIC ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(gcsflux_test_support PRIVATE gcsflux_strict gcsflux_emulator nlohmann_json::nlohmann_json OpenSSL::Crypto)

# gcsflux_test(NAME [WHOLE|TORCH] SOURCES ... [EXCEPT ...] LIBRARIES ...): sources below tests/, "folder/*.cc" for all of a folder but
# EXCEPT. WHOLE makes it one entry of CTest, TORCH too, without the headers above: libtorch's macros differ.
function(gcsflux_test name)
  cmake_parse_arguments(arg "WHOLE;TORCH" "" "SOURCES;EXCEPT;LIBRARIES" ${ARGN})
  list(TRANSFORM arg_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/tests/)
  list(TRANSFORM arg_EXCEPT PREPEND ${PROJECT_SOURCE_DIR}/tests/)
  set(sources)
  foreach(source IN LISTS arg_SOURCES)
    file(GLOB found CONFIGURE_DEPENDS ${source})
    list(APPEND sources ${found})
  endforeach()
  list(REMOVE_ITEM sources ${arg_EXCEPT} "")
  gcsflux_program(${name} ${sources})
  if(NOT arg_TORCH)
    target_precompile_headers(${name} REUSE_FROM gcsflux_test_headers)
  endif()
  target_link_libraries(${name} PRIVATE gcsflux_as_test gcsflux_test_support ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  if(arg_WHOLE OR arg_TORCH)
    add_test(NAME ${name} COMMAND ${name})
  else()
    gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

add_test(NAME layering COMMAND ${PROJECT_SOURCE_DIR}/tests/layering.sh ${PROJECT_SOURCE_DIR})
# scripts/test --only builds the programs of the tests that match, and no precompiled header in their place.
add_test(NAME targets_of_tests
         COMMAND ${PROJECT_SOURCE_DIR}/scripts/targets_of_tests ${PROJECT_BINARY_DIR} Backoff.CanMatchGooglesConnectorForPyTorch)
set_tests_properties(targets_of_tests PROPERTIES PASS_REGULAR_EXPRESSION "^sdk_tests\n$")
# Instrumented code registers destructors of its own.
if(NOT GCSFLUX_SANITIZE)
  add_test(NAME no_exit_destructors COMMAND ${PROJECT_SOURCE_DIR}/tests/no_exit_destructors.sh $<TARGET_FILE:gcsflux_client>)
endif()
add_test(NAME one_definition COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/layering/one_definition.py ${PROJECT_SOURCE_DIR})
add_test(NAME layering_rules COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/layering/layers_test.py)
add_test(NAME recipes COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/install/recipes.py ${PROJECT_SOURCE_DIR})
add_test(NAME recipes_by_their_tools COMMAND ${PROJECT_SOURCE_DIR}/tests/install/recipes.sh
         ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/build/python_recipes)
set_tests_properties(recipes_by_their_tools PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME named_paths COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/named_paths.py ${PROJECT_SOURCE_DIR})

# Internals of the SDK: pure functions, and the client over a service in memory.
gcsflux_test(sdk_tests
  SOURCES base/codecs_test.cc base/http_date_test.cc base/nearest_name_test.cc base/object_name_test.cc
          client/call_options_test.cc client/endpoint_test.cc client/gunzip_test.cc client/hedge_test.cc
          client/read_in_progress_test.cc
          client/read_test.cc client/throttled_calls_test.cc client/reported_checksum_test.cc http/*.cc loop/*.cc
          retry/*.cc support/fake_gcs.cc transfer/upload/upload_test.cc transfer/threads/*.cc
          wire/copy_requests_test.cc wire/key_headers_test.cc wire/object_resource_test.cc wire/requests_test.cc
          wire/responses_test.cc wire/resumable_upload_test.cc
  EXCEPT loop/stream_allocations_test.cc
  LIBRARIES gcsflux_client nlohmann_json::nlohmann_json ZLIB::ZLIB)
target_include_directories(sdk_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

# Credentials: their files, their tokens, and the emulator's endpoints that issue them.
gcsflux_test(auth_tests
  SOURCES auth/*.cc base/hide_secret_test.cc base/url_test.cc client/authorization_test.cc support/spellings.cc
  LIBRARIES gcsflux_client gcsflux_emulator nlohmann_json::nlohmann_json OpenSSL::Crypto)
target_include_directories(auth_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

# Uploads: lost and suspended sessions, parts, signed URLs.
gcsflux_test(upload_tests
  SOURCES base/combine_crc32c_test.cc base/run_with_time_limit_test.cc support/fake_gcs.cc
          transfer/upload/compose_commit_test.cc transfer/upload/live_uploads_test.cc
          transfer/upload/lost_session_test.cc transfer/upload/moved_from_test.cc
          transfer/upload/rewindable_upload_test.cc transfer/upload/rival_writes_test.cc
          transfer/upload/suspended_upload_test.cc transfer/upload/unknown_outcome_test.cc
          transfer/upload/write_outcome_test.cc wire/multipart_test.cc wire/upload_state_test.cc
  LIBRARIES gcsflux_client nlohmann_json::nlohmann_json)
target_include_directories(upload_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

if(NOT GCSFLUX_SANITIZE)  # A sanitizer has an operator new of its own.
  gcsflux_test(upload_memory_tests WHOLE
    SOURCES support/fake_gcs.cc support/watched_memory.cc transfer/download/scarce_download_test.cc
            transfer/upload/scarce_uploads_test.cc
    LIBRARIES gcsflux_client nlohmann_json::nlohmann_json)
  target_include_directories(upload_memory_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
endif()

# Downloads into files: the state of an interrupted one.
gcsflux_test(download_file_tests
  SOURCES integration/download_file_paths_test.cc integration/download_file_test.cc transfer/file/*.cc
  LIBRARIES gcsflux_client gcsflux_emulator)
target_include_directories(download_file_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

# Parallel listing: its scheduler against names in memory, and its speed in simulated time.
gcsflux_test(listing_tests
  SOURCES transfer/listing/*.cc wire/listed_page_test.cc
  LIBRARIES gcsflux_client)
target_include_directories(listing_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
gcsflux_test(parallel_listing_tests
  SOURCES integration/page_tokens_test.cc integration/parallel_listing_test.cc
  LIBRARIES gcsflux_client gcsflux_emulator)
target_include_directories(parallel_listing_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

# Datasets without libtorch: the epoch's order, its cursor, saved listings, the disk cache.
gcsflux_test(dataset_tests
  SOURCES dataset/*.cc transfer/cache/*.cc transfer/listing/name_sets.cc
  EXCEPT dataset/scarce_listing_test.cc
  LIBRARIES gcsflux_client gcsflux_emulator)
target_include_directories(dataset_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

# Shards: tar, their indexes, samples of them; without libtorch.
gcsflux_test(shards_tests
  SOURCES shards/*.cc
  LIBRARIES gcsflux_client gcsflux_emulator)
target_include_directories(shards_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

# GNU tar, bsdtar and Python's tarfile. Skipped if bsdtar is not installed; under CI that fails.
add_test(NAME shards_interop
         COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/shards/interop.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
set_tests_properties(shards_interop PROPERTIES SKIP_RETURN_CODE 77)

# Event files and records of runs. TensorBoard, from PyPI, reads them in an environment that all builds share.
gcsflux_test(tracking_tests
  SOURCES support/fake_gcs.cc tracking/*.cc
  EXCEPT tracking/events_tool.cc
  LIBRARIES gcsflux_client gcsflux_emulator nlohmann_json::nlohmann_json)
target_include_directories(tracking_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
gcsflux_program(events_tool ${PROJECT_SOURCE_DIR}/tests/tracking/events_tool.cc)
target_link_libraries(events_tool PRIVATE gcsflux_client)
add_test(NAME events_interop
         COMMAND ${PROJECT_SOURCE_DIR}/tests/tracking/tensorboard/run.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                 ${PROJECT_SOURCE_DIR}/build/python_tensorboard)
set_tests_properties(events_interop PROPERTIES SKIP_RETURN_CODE 77)

# Checkpoint formats without libtorch.
gcsflux_test(formats_tests
  SOURCES formats/*.cc
  EXCEPT formats/formats_tool.cc formats/heap_peak.cc formats/memory_test.cc formats/sharded_files.cc
  LIBRARIES gcsflux_client nlohmann_json::nlohmann_json)
target_include_directories(formats_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
target_compile_definitions(formats_tests PRIVATE GCSFLUX_FORMAT_FIXTURES="${PROJECT_SOURCE_DIR}/tests/formats/fixtures")
if(NOT GCSFLUX_SANITIZE)  # What a sanitizer keeps aside is counted as the process's.
  gcsflux_test(formats_memory_tests WHOLE
    SOURCES checkpoints/tensor_table_memory_test.cc formats/heap_peak.cc formats/memory_test.cc
    LIBRARIES gcsflux_client)
  target_include_directories(formats_memory_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
endif()
# Checkpoints by their URI, and the steps of a run.
gcsflux_test(checkpoint_tests
  SOURCES checkpoints/*.cc support/fault_matrix.cc
  EXCEPT checkpoints/scarce_snapshot_test.cc checkpoints/tensor_table_memory_test.cc
  LIBRARIES gcsflux_client gcsflux_emulator)
target_include_directories(checkpoint_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
target_compile_definitions(checkpoint_tests PRIVATE GCSFLUX_FORMAT_FIXTURES="${PROJECT_SOURCE_DIR}/tests/formats/fixtures")
# Checkpoints of many processes; threads stand for them.
gcsflux_test(sharding_tests
  SOURCES sharding/*.cc base/stop_after_test.cc support/fault_matrix.cc
  EXCEPT sharding/scarce_memory_test.cc
  LIBRARIES gcsflux_client gcsflux_emulator)
target_include_directories(sharding_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
if(NOT GCSFLUX_SANITIZE)  # A sanitizer has an operator new of its own.
  gcsflux_test(sharding_memory_tests WHOLE
    SOURCES checkpoints/scarce_snapshot_test.cc dataset/scarce_listing_test.cc sharding/scarce_memory_test.cc
          support/watched_memory.cc
    LIBRARIES gcsflux_client gcsflux_emulator)
  target_include_directories(sharding_memory_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
endif()
gcsflux_program(formats_tool ${PROJECT_SOURCE_DIR}/tests/formats/formats_tool.cc
                ${PROJECT_SOURCE_DIR}/tests/formats/sharded_files.cc
                ${PROJECT_SOURCE_DIR}/tests/formats/tagged_json.cc)
target_include_directories(formats_tool PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/sdk/src)
target_link_libraries(formats_tool PRIVATE gcsflux_client nlohmann_json::nlohmann_json)
# Debian's PyTorch needs Debian's Python. Skipped if it is not installed; under CI that fails.
add_test(NAME torch_interop COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/torch/interop.py $<TARGET_FILE:formats_tool>)
set_tests_properties(torch_interop PROPERTIES SKIP_RETURN_CODE 77)

# Python's own safetensors, from PyPI, in an environment that all builds share.
add_test(NAME safetensors_interop
         COMMAND ${PROJECT_SOURCE_DIR}/tests/formats/python/run.sh $<TARGET_FILE:formats_tool>
                 ${PROJECT_SOURCE_DIR}/build/python_safetensors)
set_tests_properties(safetensors_interop PROPERTIES SKIP_RETURN_CODE 77)

# PyTorch's distributed checkpoints: PyTorch of PyPI, 4 GB with the libraries of CUDA that it loads, in an environment that
# all builds share.
add_test(NAME distributed_interop
         COMMAND ${PROJECT_SOURCE_DIR}/tests/formats/distributed/run.sh $<TARGET_FILE:gcsflux>
                 ${PROJECT_SOURCE_DIR}/build/python_distributed)
set_tests_properties(distributed_interop PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1500)

# Composed downloads: their plan and the life of composites.
gcsflux_test(composition_tests
  SOURCES transfer/composition/*.cc base/composite_name_test.cc
  EXCEPT transfer/composition/composing_program.cc
  LIBRARIES gcsflux_client gcsflux_emulator)
gcsflux_program(composing_program ${PROJECT_SOURCE_DIR}/tests/transfer/composition/composing_program.cc)
target_link_libraries(composing_program PRIVATE gcsflux_client)
add_dependencies(composition_tests composing_program)
target_include_directories(composition_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

# Downloads of many objects: the read-ahead budget, the ranges; then against the emulator.
gcsflux_test(download_tests
  SOURCES transfer/download/*.cc transfer/connections/*.cc
  EXCEPT transfer/download/scarce_download_test.cc
  LIBRARIES gcsflux_client)
target_include_directories(download_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
gcsflux_test(downloads_tests
  SOURCES integration/download_faults_test.cc integration/download_parts_test.cc integration/download_races_test.cc integration/download_streams_test.cc
          integration/event_loop_downloads_test.cc integration/downloads_test.cc integration/late_memory_test.cc
  LIBRARIES gcsflux_client gcsflux_emulator ZLIB::ZLIB)

# The SDK from outside, against the emulator.
gcsflux_test(integration_tests
  SOURCES integration/cancellation_test.cc integration/client_test.cc integration/emulator_fixture_test.cc
          integration/encryption_test.cc
          integration/fault_matrix_test.cc integration/gzip_test.cc integration/hedging_test.cc
          integration/multipart_upload_test.cc integration/operation_faults_test.cc integration/operations_test.cc
          integration/read_faults_test.cc integration/rival_parts_test.cc integration/throttling_test.cc
          integration/upload_faults_test.cc integration/upload_test.cc support/fault_matrix.cc
  LIBRARIES gcsflux_client gcsflux_emulator ZLIB::ZLIB)
target_include_directories(integration_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

# One large object over many connections, written and read.
gcsflux_test(object_stream_tests
  SOURCES integration/checksums_test.cc integration/killed_file_upload_test.cc integration/killed_writer_test.cc
          integration/lent_bytes_test.cc integration/object_reader_random_test.cc integration/object_reader_test.cc
          integration/object_streams_test.cc integration/ongoing_uploads_test.cc
          integration/object_writer_faults_test.cc integration/object_writer_test.cc
          integration/reader_ends_test.cc integration/resumable_file_faults_test.cc
          integration/resumable_file_refusals_test.cc integration/resumable_file_requests_test.cc
          integration/resumable_file_test.cc
          integration/stream_fault_matrix_test.cc integration/upload_gaps_test.cc integration/writer_buckets_test.cc
          support/fault_matrix.cc transfer/object_reader/*.cc transfer/read/*.cc transfer/upload/part_queue_test.cc
  LIBRARIES gcsflux_client gcsflux_emulator)
target_include_directories(object_stream_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

# Every operation of more than one request, with an event between each two requests.
gcsflux_test(gap_tests
  SOURCES gaps/*.cc
  LIBRARIES gcsflux_client gcsflux_emulator)
target_include_directories(gap_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

# A service that lies, against every path that reads or writes.
gcsflux_test(lies_tests
  SOURCES lies/*.cc support/lying_service.cc
  LIBRARIES gcsflux_client nlohmann_json::nlohmann_json)
target_include_directories(lies_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
target_compile_definitions(lies_tests PRIVATE GCSFLUX_PROGRAM="$<TARGET_FILE:gcsflux>")
add_dependencies(lies_tests gcsflux)

# Shortages of a process: threads, descriptors, file sizes.
gcsflux_test(limits_tests
  SOURCES limits/*.cc support/thread_limit.cc
  EXCEPT limits/scarce_memory_tool.cc
  LIBRARIES gcsflux_client ${CMAKE_DL_LIBS})
target_include_directories(limits_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
gcsflux_program(scarce_memory_tool ${PROJECT_SOURCE_DIR}/tests/limits/scarce_memory_tool.cc)
target_link_libraries(scarce_memory_tool PRIVATE gcsflux_client)
target_compile_definitions(limits_tests PRIVATE SCARCE_MEMORY_TOOL="$<TARGET_FILE:scarce_memory_tool>")
add_dependencies(limits_tests gcsflux-emulator scarce_memory_tool)

# The command line's flags, each an option.
gcsflux_test(flags_tests
  SOURCES flags/*.cc
  LIBRARIES gcsflux_flags gcsflux_emulator gflags)

# The network: certificates, proxies, and failures.
gcsflux_test(network_tests
  SOURCES client/network_test.cc client/null_arguments_test.cc network/*.cc support/tls_flight.cc
  EXCEPT network/tls_exit_tool.cc
  LIBRARIES gcsflux_client gcsflux_emulator nlohmann_json::nlohmann_json OpenSSL::SSL OpenSSL::Crypto)
target_include_directories(network_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
gcsflux_program(tls_exit_tool ${PROJECT_SOURCE_DIR}/tests/network/tls_exit_tool.cc)
target_link_libraries(tls_exit_tool PRIVATE gcsflux_client)
target_compile_definitions(network_tests PRIVATE TLS_EXIT_TOOL="$<TARGET_FILE:tls_exit_tool>")
add_dependencies(network_tests tls_exit_tool)

# Children of fork(): the emulator is a separate process, so that the forked one has a client and no server.
gcsflux_test(fork_tests
  SOURCES auth/credential_files.cc fork/*.cc
  LIBRARIES gcsflux_client nlohmann_json::nlohmann_json OpenSSL::Crypto)
target_include_directories(fork_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
add_dependencies(fork_tests gcsflux-emulator)

# The output of a client: events, counters, logs, traces.
gcsflux_test(events_tests
  SOURCES events/*.cc support/spellings.cc
  LIBRARIES gcsflux_client gcsflux_emulator nlohmann_json::nlohmann_json)
target_include_directories(events_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)

if(NOT GCSFLUX_SANITIZE)  # What a sanitizer keeps aside is counted as the process's.
  gcsflux_test(stream_memory_tests WHOLE
    SOURCES integration/stream_memory_test.cc
    LIBRARIES gcsflux_client)
  add_dependencies(stream_memory_tests gcsflux-emulator)
  gcsflux_test(emulator_memory_tests
    SOURCES emulator/store/compose_memory_test.cc emulator/store/small_object_memory_test.cc
          emulator/program/reset_memory_test.cc
    LIBRARIES gcsflux_emulator tl::expected)
  target_include_directories(emulator_memory_tests PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
  add_dependencies(emulator_memory_tests gcsflux-emulator)
  gcsflux_test(large_object_memory_tests WHOLE  # one after the other: each takes gibibytes
    SOURCES emulator/program/large_object_memory_test.cc
    LIBRARIES gcsflux_emulator nlohmann_json::nlohmann_json tl::expected)
  target_include_directories(large_object_memory_tests PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
  add_dependencies(large_object_memory_tests gcsflux-emulator)
  gcsflux_test(convert_memory_tests WHOLE
    SOURCES cli/convert_memory_test.cc
    LIBRARIES gcsflux_client)
  target_include_directories(convert_memory_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
  target_compile_definitions(convert_memory_tests PRIVATE GCSFLUX_PROGRAM="$<TARGET_FILE:gcsflux>")
  add_dependencies(convert_memory_tests gcsflux gcsflux-emulator)
  gcsflux_test(shards_memory_tests WHOLE
    SOURCES cli/shards_memory_test.cc
    LIBRARIES gcsflux_client)
  target_compile_definitions(shards_memory_tests PRIVATE GCSFLUX_PROGRAM="$<TARGET_FILE:gcsflux>")
  add_dependencies(shards_memory_tests gcsflux gcsflux-emulator)
endif()
# The gcsflux command: its decisions, and its runs against the emulator.
gcsflux_test(cli_tests
  SOURCES cli/*.cc
  EXCEPT cli/convert_memory_test.cc cli/shards_memory_test.cc
  LIBRARIES gcsflux_cli gcsflux_emulator nlohmann_json::nlohmann_json)
target_compile_definitions(cli_tests PRIVATE GCSFLUX_PROGRAM="$<TARGET_FILE:gcsflux>"
                                             GCSFLUX_PROGRAMS="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
add_dependencies(cli_tests gcsflux gcsflux-emulator gcsflux-conformance)
add_test(NAME cli COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/cli_test.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
add_test(NAME thread_limit COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/thread_limit.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
add_test(NAME standard_descriptors
         COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/standard_descriptors.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
add_test(NAME cli_credentials
         COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/credentials_test.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
if(NOT GCSFLUX_SANITIZE)  # A consumer would have to be built with the same sanitizer.
  add_test(NAME install
           COMMAND ${PROJECT_SOURCE_DIR}/tests/install/run.sh ${PROJECT_BINARY_DIR})
  add_test(NAME debian_packages COMMAND ${PROJECT_SOURCE_DIR}/tests/install/packages.sh ${PROJECT_BINARY_DIR})
  set_tests_properties(install debian_packages PROPERTIES TIMEOUT 600)  # It takes a minute of CPU: the objects of this build serve.
endif()

if(NOT GCSFLUX_SANITIZE)  # A sanitizer has an operator new of its own.
  gcsflux_test(stream_allocations_tests WHOLE
    SOURCES loop/stream_allocations_test.cc support/watched_memory.cc
    LIBRARIES gcsflux_client)
  add_dependencies(stream_allocations_tests gcsflux-emulator)
endif()

if(Torch_FOUND)
  gcsflux_test(torch_tests TORCH
    SOURCES torch/data_loader_test.cc torch/epoch_sampler_test.cc torch/loopback_proxy.cc torch/iterable_dataset_test.cc
          torch/loader_traps_test.cc torch/loops_test.cc torch/make_data_loader_test.cc torch/map_dataset_test.cc torch/sample_context_test.cc
          torch/state_dict_memory_test.cc
          torch/torch_save_test.cc
    LIBRARIES gcsflux_torch gcsflux_emulator)
  gcsflux_test(shard_dataset_tests TORCH
    SOURCES torch/joined_datasets_test.cc torch/shard_dataset_test.cc
    LIBRARIES gcsflux_torch gcsflux_emulator)
  target_include_directories(shard_dataset_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
  gcsflux_test(torch_lies_tests TORCH
    SOURCES support/lying_service.cc torch/lies_test.cc
    LIBRARIES gcsflux_torch nlohmann_json::nlohmann_json)
  target_include_directories(torch_lies_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
  add_dependencies(torch_tests gcsflux-emulator)

  gcsflux_test(state_dict_tests TORCH
    SOURCES torch/archived_optimizer_test.cc torch/distributed_state_test.cc torch/state_dict_test.cc
          torch/stored_state_dict_test.cc
    LIBRARIES gcsflux_torch gcsflux_emulator)
  target_compile_definitions(state_dict_tests PRIVATE
    GCSFLUX_FORMAT_FIXTURES="${PROJECT_SOURCE_DIR}/tests/formats/fixtures")
  target_include_directories(state_dict_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
  gcsflux_test(group_run_tests TORCH
    SOURCES torch/group_run_test.cc torch/group_state_test.cc
    LIBRARIES gcsflux_torch gcsflux_emulator)
  target_include_directories(group_run_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
  if(NOT GCSFLUX_SANITIZE)
    gcsflux_test(group_run_memory_tests TORCH
      SOURCES torch/group_run_memory_test.cc support/watched_memory.cc
      LIBRARIES gcsflux_torch gcsflux_emulator)
    target_include_directories(group_run_memory_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
  endif()
  if(GCSFLUX_GLOO_HEADERS)
    gcsflux_test(process_collective_tests TORCH
      SOURCES torch/process_collective_test.cc
      LIBRARIES gcsflux_torch gcsflux_emulator)
    target_include_directories(process_collective_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
    gcsflux_test(broken_ranks_tests TORCH
      SOURCES fork/child.cc torch/broken_ranks_test.cc
      LIBRARIES gcsflux_torch nlohmann_json::nlohmann_json)
    add_dependencies(broken_ranks_tests gcsflux-emulator)
  endif()
  gcsflux_test(checkpoint_run_tests TORCH
    SOURCES torch/checkpoint_run_load_test.cc torch/checkpoint_run_test.cc torch/safetensors_run_test.cc
    LIBRARIES gcsflux_torch gcsflux_emulator)
  target_include_directories(checkpoint_run_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
  gcsflux_program(state_dict_tool ${PROJECT_SOURCE_DIR}/tests/torch/state_dict_tool.cc)
  target_include_directories(state_dict_tool PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/sdk/src)
  target_link_libraries(state_dict_tool PRIVATE gcsflux_torch)
  add_test(NAME state_dict_interop
           COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/torch/state_dict_interop.py
                   $<TARGET_FILE:formats_tool> $<TARGET_FILE:state_dict_tool>)
  set_tests_properties(state_dict_interop PROPERTIES SKIP_RETURN_CODE 77)

  gcsflux_program(builtin_modules_tool ${PROJECT_SOURCE_DIR}/tests/torch/builtin_modules.cc
                  ${PROJECT_SOURCE_DIR}/tests/torch/builtin_modules_tool.cc)
  target_include_directories(builtin_modules_tool PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/sdk/src)
  target_link_libraries(builtin_modules_tool PRIVATE gcsflux_torch nlohmann_json::nlohmann_json)
  add_test(NAME builtin_modules
           COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/torch/builtin_modules.py
                   $<TARGET_FILE:builtin_modules_tool> ${TORCH_INCLUDE_DIRS})
  set_tests_properties(builtin_modules PROPERTIES SKIP_RETURN_CODE 77)

  if(has_images)
    gcsflux_test(images_tests TORCH
      SOURCES images/*.cc
      LIBRARIES gcsflux_images gcsflux_emulator JPEG::JPEG ZLIB::ZLIB)
  endif()

  gcsflux_test(fashion_mnist_tests TORCH
    SOURCES torch/fashion_mnist_test.cc
    LIBRARIES fashion_mnist gcsflux_emulator ZLIB::ZLIB)

  if(GCSFLUX_GLOO_HEADERS)
    add_test(NAME ranks_resume
             COMMAND ${PROJECT_SOURCE_DIR}/tests/torch/ranks_resume.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                     ${PROJECT_SOURCE_DIR}/scripts/run_ranks)
    set_tests_properties(ranks_resume PROPERTIES TIMEOUT 300)
    if(has_images)
      add_test(NAME image_jobs
               COMMAND ${PROJECT_SOURCE_DIR}/tests/torch/image_jobs.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                       ${PROJECT_SOURCE_DIR}/scripts/run_ranks)
    endif()
    add_test(NAME mpirun COMMAND ${PROJECT_SOURCE_DIR}/tests/torch/mpirun.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
    set_tests_properties(mpirun PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
    add_test(NAME run_ranks_signals COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/torch/run_ranks_signals.py
                                            ${PROJECT_SOURCE_DIR}/scripts/run_ranks)
    add_test(NAME torchrun COMMAND ${PROJECT_SOURCE_DIR}/tests/torch/torchrun.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
    set_tests_properties(torchrun PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
    add_test(NAME demo_ranks
             COMMAND ${PROJECT_SOURCE_DIR}/tests/torch/demo_ranks.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                     ${PROJECT_SOURCE_DIR}/scripts/demo_ranks)
  endif()
  add_test(NAME train_resumes
           COMMAND ${PROJECT_SOURCE_DIR}/tests/torch/train_resumes.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  add_test(NAME text_resumes
           COMMAND ${PROJECT_SOURCE_DIR}/tests/torch/text_resumes.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
endif()

add_test(NAME docs_traffic COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run_page.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                   ${PROJECT_SOURCE_DIR}/docs/emulator/traffic.md)
add_test(NAME docs_retries COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run_page.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                        ${PROJECT_SOURCE_DIR}/docs/retries.md)
add_test(NAME docs_command_line COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run_page.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                          ${PROJECT_SOURCE_DIR}/docs/command_line.md)
add_test(NAME docs_real_cloud_storage COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run_page.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                              ${PROJECT_SOURCE_DIR}/docs/real_cloud_storage.md)
add_test(NAME docs_coming_from COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run_page.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                       ${PROJECT_SOURCE_DIR}/docs/coming_from.md)
# Each public name has a text, and each link of a page leads somewhere. Skipped without doxygen; under CI that fails.
add_test(NAME docs_published COMMAND ${PROJECT_SOURCE_DIR}/scripts/docs ${PROJECT_BINARY_DIR}/site)
set_tests_properties(docs_published PROPERTIES SKIP_RETURN_CODE 77)
# No figure of the guide may stay behind when the benchmarks are measured again.
add_test(NAME docs_performance_figures
         COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/docs/quoted_figures.py ${PROJECT_SOURCE_DIR}/docs/performance.md
                 ${PROJECT_SOURCE_DIR}/docs/benchmark_tables.md ${PROJECT_SOURCE_DIR}/docs/benchmarks.md)
add_test(NAME docs_downloads
         COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/compile_page.sh ${PROJECT_SOURCE_DIR}/docs/downloads.md
                 ${CMAKE_CXX_COMPILER} -I${PROJECT_SOURCE_DIR}/sdk/include)
add_test(NAME docs_object_streams
         COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/compile_page.sh ${PROJECT_SOURCE_DIR}/docs/object_streams.md
                 ${CMAKE_CXX_COMPILER} -I${PROJECT_SOURCE_DIR}/sdk/include)
add_test(NAME docs_checkpoint_formats
         COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/compile_page.sh ${PROJECT_SOURCE_DIR}/docs/checkpoint_formats.md
                 ${CMAKE_CXX_COMPILER} -I${PROJECT_SOURCE_DIR}/sdk/include)
set(torch_flags OFF ${CMAKE_CXX_COMPILER})
if(Torch_FOUND)
  separate_arguments(torch_cxx_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  set(torch_flags ON ${CMAKE_CXX_COMPILER} ${torch_cxx_flags})
  set(torch_directories ${TORCH_INCLUDE_DIRS})
  list(REMOVE_ITEM torch_directories ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})  # named once more they come too late
  foreach(directory IN LISTS torch_directories)
    list(APPEND torch_flags -isystem ${directory})
  endforeach()
endif()
add_test(NAME docs_readme COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/compile_program.sh ${PROJECT_SOURCE_DIR}/README.md
                                  ${torch_flags} -I${PROJECT_SOURCE_DIR}/sdk/include)
add_test(NAME docs_coming_from_code COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/compile_program.sh
                                            ${PROJECT_SOURCE_DIR}/docs/coming_from.md ${torch_flags} -I${PROJECT_SOURCE_DIR}/sdk/include)
if(Torch_FOUND)
  add_test(NAME docs_getting_started COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run_page.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                             ${PROJECT_SOURCE_DIR}/docs/getting_started.md)
  add_test(NAME docs_performance COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run_page.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                         ${PROJECT_SOURCE_DIR}/docs/performance.md)
  add_test(NAME docs_checkpoints COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/compile_program.sh
                                         ${PROJECT_SOURCE_DIR}/docs/checkpoints.md ${torch_flags} -I${PROJECT_SOURCE_DIR}/sdk/include)
  if(GCSFLUX_GLOO_HEADERS)
    add_test(NAME docs_distributed COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/compile_program.sh
                                           ${PROJECT_SOURCE_DIR}/docs/distributed.md ${torch_flags} -I${PROJECT_SOURCE_DIR}/sdk/include)
  endif()
  add_test(NAME docs_datasets COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/compile_program.sh
                                      ${PROJECT_SOURCE_DIR}/docs/datasets.md ${torch_flags} -I${PROJECT_SOURCE_DIR}/sdk/include)
endif()
add_test(NAME docs_how_to COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/compile_page.sh ${PROJECT_SOURCE_DIR}/docs/how_to.md
                                  ${CMAKE_CXX_COMPILER} -I${PROJECT_SOURCE_DIR}/sdk/include)

# The C interface, which the dev preset builds too: calls, its symbols and types, and its examples.
if(TARGET gcsflux_c)
  gcsflux_test(c_tests SOURCES c/*.cc LIBRARIES gcsflux_c gcsflux_client gcsflux_emulator)
  add_test(NAME c_abi COMMAND ${PROJECT_SOURCE_DIR}/tests/c/abi.sh $<TARGET_FILE:gcsflux_c>)
  add_test(NAME c_examples COMMAND ${PROJECT_SOURCE_DIR}/tests/c/examples.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                   $<TARGET_FILE_DIR:gcsflux_c>)
  set_tests_properties(c_abi c_examples PROPERTIES SKIP_RETURN_CODE 77)
endif()

# The emulator against foreign clients. One that is not installed is skipped, but under CI it fails.
add_test(NAME client_rclone COMMAND ${PROJECT_SOURCE_DIR}/tests/clients/rclone.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
add_test(NAME client_node COMMAND ${PROJECT_SOURCE_DIR}/tests/clients/node/run.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
add_test(NAME client_s3cmd COMMAND ${PROJECT_SOURCE_DIR}/tests/clients/s3cmd.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
# Those of PyPI are in an environment that all builds share; the first of these tests makes it.
set(python_clients ${PROJECT_SOURCE_DIR}/build/python_clients)
foreach(client boto3 gcsfs google_cloud_storage)
  add_test(NAME client_${client} COMMAND ${PROJECT_SOURCE_DIR}/tests/clients/python/run.sh
                                         ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${python_clients} ${client})
endforeach()
add_test(NAME client_gsutil COMMAND ${PROJECT_SOURCE_DIR}/tests/clients/gsutil.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                                    ${python_clients})
set_tests_properties(client_rclone client_node client_s3cmd client_boto3 client_gcsfs client_google_cloud_storage
                     client_gsutil PROPERTIES SKIP_RETURN_CODE 77)

include(${CMAKE_CURRENT_LIST_DIR}/crash/crash_tests.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/campaign/campaign_tests.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/sanitizers/sanitizers_tests.cmake)

# Calls whose answers are all lost, by a client that trusts the service's tokens; --count=100000 by hand.
gcsflux_program(lost_acknowledgements tests/integration/lost_acknowledgements.cc)
target_link_libraries(lost_acknowledgements PRIVATE gcsflux_client gcsflux_emulator gflags)
add_test(NAME lost_acknowledgements COMMAND lost_acknowledgements)

# Parsers of clients' text, by libFuzzer; skipped without clang, with the reason in the output.
if(NOT GCSFLUX_SANITIZE)  # It has sanitizers of its own.
  add_test(NAME fuzz COMMAND ${PROJECT_SOURCE_DIR}/tests/fuzz/run.sh ${PROJECT_BINARY_DIR}/fuzz)
  set_tests_properties(fuzz PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1200)  # It compiles 100 sources first.
endif()

# Sources are listed beside the code that they test.
include(${CMAKE_CURRENT_LIST_DIR}/conformance/conformance_tests.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/emulator/emulator_tests.cmake)
