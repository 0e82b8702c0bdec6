# What `cmake --install` writes: a component is `--component NAME`, the programs are `--component programs`.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gcsflux)
configure_package_config_file(cmake/gcsfluxConfig.cmake.in gcsfluxConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(gcsfluxConfigVersion.cmake COMPATIBILITY SameMinorVersion)

# A static library needs what it links wherever it is linked; a shared one has it.
set(private "")
if(GCSFLUX_SHARED)
  set(private ".private")
endif()
set(client_requires "Requires${private}: libcurl, libcrypto, libisal, pugixml, simdjson, zlib")
set(emulator_requires "Requires${private}: libisal, libssl, libcrypto, pugixml, sqlite3")
set(flags_requires "Requires: gcsflux-client = ${PROJECT_VERSION}\nRequires.private: gflags")
if(NOT GCSFLUX_SHARED)
  set(client_libraries "-lboost_context ")  # It has no pkg-config file.
  set(flags_requires "Requires: gcsflux-client = ${PROJECT_VERSION}, gflags")
endif()
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)

get_property(components GLOBAL PROPERTY gcsflux_components)
foreach(name IN LISTS components)
  install(TARGETS gcsflux_${name} EXPORT gcsflux-${name} COMPONENT ${name})
  install(EXPORT gcsflux-${name} NAMESPACE gcsflux:: FILE gcsflux-${name}.cmake DESTINATION ${package_dir}
          COMPONENT ${name})
  install(FILES ${PROJECT_BINARY_DIR}/gcsfluxConfig.cmake ${PROJECT_BINARY_DIR}/gcsfluxConfigVersion.cmake
                cmake/GcsfluxPackages.cmake
          DESTINATION ${package_dir} COMPONENT ${name})
  if(DEFINED ${name}_requires)  # libtorch has no pkg-config file, so gcsflux::torch and gcsflux::images have none.
    set(requires "${${name}_requires}")
    set(libraries "${${name}_libraries}")
    configure_file(cmake/gcsflux.pc.in gcsflux-${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/gcsflux-${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
            COMPONENT ${name})
  endif()
endforeach()

install(DIRECTORY sdk/include/gcsflux DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT client
        PATTERN torch EXCLUDE PATTERN flags.h EXCLUDE)
if(TARGET gcsflux_flags)
  install(FILES sdk/include/gcsflux/flags.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gcsflux COMPONENT flags)
endif()
if(TARGET gcsflux_torch)
  install(DIRECTORY sdk/include/gcsflux/torch DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gcsflux COMPONENT torch
          PATTERN images.h EXCLUDE)
endif()
if(TARGET gcsflux_images)
  install(FILES sdk/include/gcsflux/torch/images.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gcsflux/torch COMPONENT images)
endif()
if(TARGET gcsflux_emulator)
  install(DIRECTORY emulator/include/gcsflux DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT emulator)
endif()
if(TARGET gcsflux_c)
  install(TARGETS gcsflux_c COMPONENT c)
  install(FILES c/include/gcsflux.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT c)
endif()
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(FILES README.md CHANGELOG.md LICENSE SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
# gcsflux_license(COMPONENT PACKAGE): where Debian looks for it.
function(gcsflux_license component package)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} RENAME copyright)
endfunction()
gcsflux_license(documentation libgcsflux-dev)

if(GCSFLUX_PROGRAMS)
  install(TARGETS gcsflux gcsflux-conformance COMPONENT programs)
  install(DIRECTORY conformance/retry_tests DESTINATION ${CMAKE_INSTALL_DATADIR}/gcsflux COMPONENT programs)
  install(PROGRAMS scripts/run_ranks DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs RENAME gcsflux-run-ranks)
  gcsflux_license(programs gcsflux)
  install(TARGETS gcsflux-emulator COMPONENT emulator_program)
  install(FILES packaging/gcsflux-emulator.service DESTINATION lib/systemd/system COMPONENT emulator_program)
  gcsflux_license(emulator_program gcsflux-emulator)

  # What the command prints of itself, made when it is installed.
  set(printed ${PROJECT_BINARY_DIR}/printed)
  foreach(file "completion bash|bash" "completion fish|fish" "man|gcsflux.1")
    string(REPLACE "|" ";" file ${file})
    list(GET file 0 words)
    list(GET file 1 name)
    string(REPLACE " " ";" words "${words}")
    install(CODE "execute_process(COMMAND $<TARGET_FILE:gcsflux> ${words} OUTPUT_FILE ${printed}/${name}
                                  COMMAND_ERROR_IS_FATAL ANY)" COMPONENT programs)
  endforeach()
  file(MAKE_DIRECTORY ${printed})
  install(FILES ${printed}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT programs
          RENAME gcsflux)
  install(FILES ${printed}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT programs
          RENAME gcsflux.fish)
  install(FILES ${printed}/gcsflux.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs)
endif()
if(GCSFLUX_PROGRAMS AND PROJECT_IS_TOP_LEVEL)
  include(cmake/packages.cmake)
endif()
