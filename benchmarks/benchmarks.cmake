# One question per program. CTest runs each at its smallest: an error in one fails.
find_package(benchmark REQUIRED)
find_package(Python3 COMPONENTS Interpreter QUIET)

# What the programs compare with, and the processes that they start.
add_library(gcsflux_bench_baselines STATIC
  benchmarks/bare_curl.cc
  benchmarks/bare_curl_loops.cc
  benchmarks/bare_http.cc
  benchmarks/bare_listing.cc
  benchmarks/crc32c.cc
  benchmarks/nginx_object.cc
  benchmarks/peer.cc)
target_include_directories(gcsflux_bench_baselines PUBLIC ${PROJECT_SOURCE_DIR}/benchmarks)
target_link_libraries(gcsflux_bench_baselines PUBLIC gcsflux_test_support PRIVATE CURL::libcurl PkgConfig::isal simdjson::simdjson gcsflux_strict)

# That, and the main of a benchmark.
add_library(gcsflux_bench_support STATIC benchmarks/main.cc)
target_link_libraries(gcsflux_bench_support PUBLIC gcsflux_bench_baselines benchmark::benchmark PRIVATE gcsflux_flags gcsflux_strict)

# gcsflux_benchmark(NAME [FILTER]): the filter leaves out what is too long for CTest.
function(gcsflux_benchmark name)
  file(GLOB source benchmarks/${name}.cc benchmarks/emulator/${name}.cc)
  gcsflux_program(${name} ${source})
  target_link_libraries(${name} PRIVATE gcsflux_bench_support gcsflux_client)
  add_dependencies(${name} gcsflux-emulator)
  add_test(NAME ${name} COMMAND ${name} --benchmark_min_time=0 --benchmark_filter=${ARGN}.*)
endfunction()

if(has_images)
  gcsflux_program(bench_images benchmarks/bench_images.cc ${PROJECT_SOURCE_DIR}/tests/images/jpeg_file.cc)
  target_include_directories(bench_images PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(bench_images PRIVATE gcsflux_bench_support gcsflux_images JPEG::JPEG PNG::PNG)
  add_test(NAME bench_images COMMAND bench_images --benchmark_min_time=0)
endif()

gcsflux_benchmark(bench_cancellation "BM_(BackingOff|WaitingAtTheGate)")
target_link_libraries(bench_cancellation PRIVATE gcsflux_emulator)
gcsflux_benchmark(bench_composed_downloads BM_Gcs/mode:2/kib:100/)
target_link_libraries(bench_composed_downloads PRIVATE gcsflux_emulator)
if(Torch_FOUND)
  gcsflux_benchmark(bench_checkpoint_runs "BM_(EagerBlocks/mib:16|LazyBlocks/half:./mib:16|(Save|Committed)/gcs:0/mib:16|Save[A-Z][a-z]+/gcs:0/mib:160|LoadLatest/mib:16|FindLatest|Training/way:./width:128)")
  target_sources(bench_checkpoint_runs PRIVATE benchmarks/checkpoint_runs/big_state.cc
                                               benchmarks/checkpoint_runs/commits.cc
                                               benchmarks/checkpoint_runs/latest.cc
                                               benchmarks/checkpoint_runs/training_loop.cc
                                               benchmarks/checkpoint_runs/unchanged.cc
                                               benchmarks/object_streams/service.cc)
  target_include_directories(bench_checkpoint_runs PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)  # manifests
  target_link_libraries(bench_checkpoint_runs PRIVATE gcsflux_emulator gcsflux_torch)
  gcsflux_program(bench_datasets benchmarks/bench_datasets.cc
    benchmarks/datasets/bookkeeping.cc
    benchmarks/datasets/defaults.cc
    benchmarks/datasets/first_batch.cc
    benchmarks/datasets/from_disk.cc
    benchmarks/datasets/listings.cc
    benchmarks/datasets/loops.cc
    benchmarks/datasets/memory.cc
    benchmarks/datasets/service.cc
    benchmarks/datasets/torch_loops.cc
    benchmarks/datasets/utilisation.cc)
  target_include_directories(bench_datasets PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)  # what counts for a report
  target_link_libraries(bench_datasets PRIVATE gcsflux_bench_support gcsflux_torch)
  add_dependencies(bench_datasets gcsflux-emulator)
  add_test(NAME bench_datasets
           COMMAND bench_datasets --benchmark_min_time=0
                   "--benchmark_filter=BM_(Epoch/way:[23]/kib:100/|FromDisk/.*kib:100/|Bookkeeping/batch:64|PeakMemory/way:3)")
  gcsflux_program(bench_shards benchmarks/bench_shards.cc benchmarks/datasets/service.cc)
  target_include_directories(bench_shards PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)  # the parser alone
  target_link_libraries(bench_shards PRIVATE gcsflux_bench_support gcsflux_torch)
  add_dependencies(bench_shards gcsflux-emulator)
  add_test(NAME bench_shards
           COMMAND bench_shards --benchmark_min_time=0 "--benchmark_filter=BM_Shard(Members|sUnshaped/way:[14]/)")
endif()
if(Torch_FOUND)  # Whose c10d connects the ranks, each of which is a process.
  gcsflux_program(bench_rank
    benchmarks/distributed/bare_ranks.cc
    benchmarks/distributed/rank_main.cc
    benchmarks/distributed/rank_tasks.cc
    benchmarks/distributed/rank_tensors.cc)
  target_include_directories(bench_rank PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)  # barriers
  target_link_libraries(bench_rank PRIVATE gcsflux_bench_baselines gcsflux_torch gcsflux_flags gflags)
  gcsflux_benchmark(bench_distributed "BM_((BareRead|RanksSave|RanksLoad)/ranks:4/rows:128/|RanksSnapshot/lazy:1/rows:16/|RanksTraining/lazy:0/rows:16/|SaveOfManyTensors/tensors:100/|Plan/tensors:100/|Reshard/from:4/to:4/dimension:1/shared:1/rows:128/)")
  target_sources(bench_distributed PRIVATE benchmarks/distributed/beside_training.cc
                                           benchmarks/distributed/planning.cc
                                           benchmarks/distributed/rank_processes.cc
                                           benchmarks/distributed/resharding.cc
                                           benchmarks/object_streams/service.cc)
  target_include_directories(bench_distributed PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)  # the plan alone
  target_link_libraries(bench_distributed PRIVATE gcsflux_torch nlohmann_json::nlohmann_json)
  add_dependencies(bench_distributed bench_rank)
endif()
gcsflux_benchmark(bench_downloads "BM_(Bare|Batch|Download)")
target_link_libraries(bench_downloads PRIVATE gcsflux_emulator)
gcsflux_benchmark(bench_emulator_copies)
gcsflux_benchmark(bench_emulator_idle)
gcsflux_benchmark(bench_emulator_reads)
gcsflux_benchmark(bench_emulator_uploads)
target_link_libraries(bench_emulator_uploads PRIVATE OpenSSL::Crypto nlohmann_json::nlohmann_json)
# Thousands of reads in flight. Its server is a program of its own, and is tested: tests/benchmarks.
gcsflux_program(delaying_server
  benchmarks/event_loops/delaying_server.cc
  benchmarks/event_loops/delaying_server_main.cc)
target_link_libraries(delaying_server PRIVATE gcsflux_bench_baselines gflags)
gcsflux_program(in_flight_client
  benchmarks/event_loops/idle.cc
  benchmarks/event_loops/in_flight_client.cc
  benchmarks/event_loops/ways.cc)
target_link_libraries(in_flight_client PRIVATE gcsflux_bench_baselines gcsflux_flags gflags)
gcsflux_benchmark(bench_event_writer)
gcsflux_benchmark(bench_event_loops "BM_(InFlight/(stream|bare_loops)/connections:64/|Idle)")
target_sources(bench_event_loops PRIVATE benchmarks/event_loops/client_process.cc)
add_dependencies(bench_event_loops delaying_server in_flight_client)
gcsflux_test(delaying_server_tests
  SOURCES benchmarks/delaying_server_test.cc ../benchmarks/event_loops/delaying_server.cc
  LIBRARIES gcsflux_bench_baselines gcsflux_client)
if(Torch_FOUND)  # Whose writer is a baseline.
  gcsflux_benchmark(bench_formats "BM_(Write/|WriteSmall|ReadSmallIndex|(Save|Load|Convert)/way:[12]/tensors:30/|OneTensor/way:./tensors:30/)")
  target_include_directories(bench_formats PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)  # files of each format
  target_link_libraries(bench_formats PRIVATE gcsflux_emulator gcsflux_torch)
  add_dependencies(bench_formats gcsflux)
endif()
gcsflux_benchmark(bench_hedging .*reads:200/)
target_link_libraries(bench_hedging PRIVATE gcsflux_emulator)
# gcsflux's flags arrive in the clients of benchmarks, and wrong ones are refused.
add_test(NAME bench_flags COMMAND bench_hedging --benchmark_filter=hedged:0/reads:200/ --log_level=debug)
set_tests_properties(bench_flags PROPERTIES PASS_REGULAR_EXPRESSION "objects.insert gs://bench/object")
add_test(NAME bench_flags_wrong COMMAND bench_hedging --idempotency=hope)
set_tests_properties(bench_flags_wrong PROPERTIES PASS_REGULAR_EXPRESSION "idempotency cannot be 'hope'")
gcsflux_benchmark(bench_large_object .*streams:8)
gcsflux_benchmark(bench_large_upload)
gcsflux_benchmark(bench_listing_cost "BM_(Bare|ListingCpu/|ListingMemory)")
gcsflux_benchmark(bench_object_streams "BM_(Save/mb:76|Load/mb:76|PlainSave/mib:72|PlainLoad/mib:72|Small(Save|Load)/mb:1/gcs:0)")
target_sources(bench_object_streams PRIVATE benchmarks/object_streams/access.cc benchmarks/object_streams/plain.cc
                                            benchmarks/object_streams/service.cc)
gcsflux_benchmark(bench_small_gets .*threads:1/)

# The emulator's inside, in process.
gcsflux_program(bench_emulator_listing benchmarks/emulator/bench_emulator_listing.cc)
target_include_directories(bench_emulator_listing PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
target_link_libraries(bench_emulator_listing PRIVATE gcsflux_bench_support gcsflux_emulator tl::expected)
add_dependencies(bench_emulator_listing gcsflux-emulator)
add_test(NAME bench_emulator_listing
         COMMAND bench_emulator_listing --benchmark_min_time=0 --benchmark_filter=objects:10000/.*)

gcsflux_program(bench_virtual_listing benchmarks/emulator/bench_virtual_listing.cc)
target_include_directories(bench_virtual_listing PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
target_link_libraries(bench_virtual_listing PRIVATE gcsflux_bench_support gcsflux_emulator tl::expected)
add_test(NAME bench_virtual_listing COMMAND bench_virtual_listing --benchmark_min_time=0)

gcsflux_program(bench_listing benchmarks/bench_listing.cc)
target_include_directories(bench_listing PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
target_link_libraries(bench_listing PRIVATE gcsflux_bench_support gcsflux_client gcsflux_emulator tl::expected)
add_test(NAME bench_listing COMMAND bench_listing --benchmark_min_time=0 --benchmark_filter=names:1000/)

gcsflux_program(bench_traffic_recorder benchmarks/bench_traffic_recorder.cc)
target_include_directories(bench_traffic_recorder PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
target_link_libraries(bench_traffic_recorder PRIVATE gcsflux_bench_support gcsflux_emulator tl::expected)
add_test(NAME bench_traffic_recorder COMMAND bench_traffic_recorder --benchmark_min_time=0)

gcsflux_program(bench_emulator_persistence benchmarks/emulator/bench_emulator_persistence.cc)
target_include_directories(bench_emulator_persistence PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
target_link_libraries(bench_emulator_persistence PRIVATE gcsflux_bench_support gcsflux_emulator tl::expected SQLite::SQLite3)
add_dependencies(bench_emulator_persistence gcsflux-emulator)
add_test(NAME bench_emulator_persistence
         COMMAND bench_emulator_persistence --benchmark_min_time=0 "--benchmark_filter=(Reads|Sqlite|Disk|objects:10000)")
gcsflux_program(bench_emulator_shaping benchmarks/emulator/bench_emulator_shaping.cc)
target_link_libraries(bench_emulator_shaping PRIVATE gcsflux_bench_support gcsflux_emulator)
add_test(NAME bench_emulator_shaping COMMAND bench_emulator_shaping)

# What the policies for throttled requests make of a quota. Its parts are tested: tests/benchmarks.
add_library(gcsflux_retry_policy STATIC
  benchmarks/retry_policy/cell.cc
  benchmarks/retry_policy/figures.cc
  benchmarks/retry_policy/report.cc
  benchmarks/retry_policy/scenario.cc
  benchmarks/retry_policy/worker.cc
  benchmarks/retry_policy/worker_process.cc)
target_include_directories(gcsflux_retry_policy PUBLIC ${PROJECT_SOURCE_DIR}/benchmarks)
target_link_libraries(gcsflux_retry_policy PUBLIC gcsflux_client gcsflux_emulator PRIVATE gcsflux_strict)
gcsflux_program(retry_policy benchmarks/retry_policy/main.cc)
target_link_libraries(retry_policy PRIVATE gcsflux_retry_policy gcsflux_flags gflags)
gcsflux_test(retry_policy_tests
  SOURCES benchmarks/retry_policy_figures_test.cc benchmarks/retry_policy_program_test.cc
  LIBRARIES gcsflux_retry_policy)
target_compile_definitions(retry_policy_tests PRIVATE GCSFLUX_RETRY_POLICY="$<TARGET_FILE:retry_policy>")
add_dependencies(retry_policy_tests retry_policy)

# Other clients of Cloud Storage on the same objects. They are Python's, from PyPI, so this test has gcsflux alone.
if(Torch_FOUND AND Python3_FOUND)
  gcsflux_program(gcsflux_rows benchmarks/peers/gcsflux_rows.cc)
  target_link_libraries(gcsflux_rows PRIVATE gcsflux_bench_baselines gcsflux_torch gcsflux_flags gflags)
  add_dependencies(gcsflux_rows gcsflux gcsflux-emulator)
  add_test(NAME compare_peers
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/benchmarks/peers/compare.py --peers=gcsflux --scale=0.01
                   --repetitions=1 --bin=${CMAKE_RUNTIME_OUTPUT_DIRECTORY} --out=${CMAKE_CURRENT_BINARY_DIR}/peers.json)
endif()

# Counted, not timed: what the traffic layer costs while nothing is loaded.
gcsflux_program(count_traffic_layer benchmarks/count_traffic_layer.cc)
target_include_directories(count_traffic_layer PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
target_link_libraries(count_traffic_layer PRIVATE gcsflux_emulator tl::expected)
if(NOT GCSFLUX_SANITIZE)  # Valgrind and sanitizers exclude each other.
  add_test(NAME traffic_layer_cost
           COMMAND ${PROJECT_SOURCE_DIR}/tests/emulator/entrance/traffic_layer_cost.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  set_tests_properties(traffic_layer_cost PROPERTIES SKIP_RETURN_CODE 77)
endif()

# How the comparison with other clients judges, and the page that scripts/benchmarks makes of all that.
if(Python3_FOUND)
  add_test(NAME peers COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/benchmarks/peers_test.py
                              ${PROJECT_SOURCE_DIR} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  add_test(NAME benchmarks_page COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/benchmarks/page_test.py
                                        ${PROJECT_SOURCE_DIR} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
endif()
