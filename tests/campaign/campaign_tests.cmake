# Random operations under random faults; scripts/test runs its quick form under the sanitizers too, longer by hand.
file(GLOB campaign_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/campaign/*.cc)
list(FILTER campaign_sources EXCLUDE REGEX "_test\\.cc$")
gcsflux_program(campaign ${campaign_sources})
target_link_libraries(campaign PRIVATE crash_cases crash_effects_here gcsflux_flags gcsflux_emulator gflags ZLIB::ZLIB)
if(TARGET crash_effects)
  add_dependencies(campaign gcsflux crash_effects)
endif()
set(soak_seconds 20)
if(GCSFLUX_SANITIZE)
  set(soak_seconds 25)  # With -Og it sends 0.9 of the requests that it sends with -O1 in the same time.
endif()
add_test(NAME soak COMMAND campaign --seconds=${soak_seconds})
set_tests_properties(soak PROPERTIES RUN_SERIAL TRUE)  # It takes what there is, and tests beside it would crawl.

gcsflux_test(campaign_tests
  SOURCES campaign/case.cc campaign/shrink_case.cc campaign/shrink_test.cc
  LIBRARIES gcsflux_client)
target_include_directories(campaign_tests PRIVATE ${PROJECT_SOURCE_DIR}/sdk/src)
add_test(NAME campaign_command COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/campaign/command_test.py $<TARGET_FILE:campaign>)
add_test(NAME proofs COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/campaign/proofs_test.py ${PROJECT_SOURCE_DIR}/scripts/proofs)
# Shrunk phases that failed once.
file(GLOB campaign_cases CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/campaign/cases/*.case)
foreach(case IN LISTS campaign_cases)
  get_filename_component(name ${case} NAME_WE)
  add_test(NAME campaign_case_${name} COMMAND campaign --replay=${case})
endforeach()
