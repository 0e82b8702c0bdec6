# The gcsflux-conformance program. Its cases share no code with the SDK, nor with the emulator beyond its public header.
file(GLOB_RECURSE case_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/conformance/cases/*.json)
gcsflux_embed(embedded_cases conformance_cases FILES ${case_files} HEADER read_cases/embedded_cases.h
              NAMESPACE gcsflux::conformance FUNCTION EmbeddedCases TYPE CaseFile)
file(GLOB profile_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/conformance/profiles/*.json)
gcsflux_embed(embedded_profiles conformance_profiles FILES ${profile_files} HEADER read_cases/embedded_cases.h
              NAMESPACE gcsflux::conformance FUNCTION EmbeddedProfiles TYPE CaseFile)

# A library of its own, so that the tests link the same code as the program.
gcsflux_sources(sources conformance/src EXCEPT retry_tests/ program/ broken/main.cc)
add_library(gcsflux_conformance STATIC ${sources} ${embedded_cases} ${embedded_profiles})
target_include_directories(gcsflux_conformance PUBLIC ${PROJECT_SOURCE_DIR}/conformance/src)
target_link_libraries(gcsflux_conformance PUBLIC nlohmann_json::nlohmann_json tl::expected
                                          PRIVATE CURL::libcurl pugixml::pugixml gcsflux_strict)

# What drives the SDK, and the program but for main(), whose options the SDK's flags parse, are a library of their own: the
# contract's runner does not link the SDK.
gcsflux_sources(sources conformance/src/retry_tests)
gcsflux_sources(program conformance/src/program EXCEPT main.cc)
add_library(gcsflux_retry_tests STATIC ${sources} ${program})
target_compile_definitions(gcsflux_retry_tests PRIVATE GCSFLUX_VERSION="${PROJECT_VERSION}")
target_link_libraries(gcsflux_retry_tests PUBLIC gcsflux_conformance gcsflux_client gcsflux_flags gcsflux_emulator gflags
                                          PRIVATE gcsflux_strict)

gcsflux_program(gcsflux-conformance conformance/src/program/main.cc)
target_compile_definitions(gcsflux-conformance PRIVATE GCSFLUX_VERSION="${PROJECT_VERSION}")
target_link_libraries(gcsflux-conformance PRIVATE gcsflux_retry_tests gcsflux_emulator CURL::libcurl)
