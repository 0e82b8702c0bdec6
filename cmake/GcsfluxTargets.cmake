# How the project's libraries and programs are made.

# What every target of ours is built with.
add_library(gcsflux_strict INTERFACE)
target_compile_options(gcsflux_strict INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                # g++ 12 sees overlaps in std::string's own operator+ (GCC bug 105651).
                                                $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                                                # g++ collects its garbage at 1 GiB, not at 128 MiB: 0.9 of the time.
                                                $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>
                                                $<$<BOOL:${GCSFLUX_WERROR}>:-Werror>)

# gcsflux_join(TARGET): compiles the target's sources in groups of at most ten: all together, or those of a folder if there are more.
# Headers are read once for each group, which is most of the time that small files take. The groups are not CMake's own unity
# files, since those include by absolute paths: a compiler cache would know nothing in another clone.
function(gcsflux_join target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources size)
  set(joined)
  foreach(source IN LISTS sources)
    get_source_file_property(is_generated ${source} GENERATED)
    if(is_generated)
      list(APPEND joined ${source})  # Alone: CMake makes what a target names.
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    set(group all)
    if(size GREATER 10)
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      string(MAKE_C_IDENTIFIER "${folder}" group)
    endif()
    list(APPEND groups ${group})
    list(APPEND of_${group} ${source})
  endforeach()
  list(REMOVE_DUPLICATES groups)
  set(folder ${PROJECT_BINARY_DIR}/joined/${target})
  foreach(group IN LISTS groups)
    list(LENGTH of_${group} count)
    math(EXPR parts "(${count} + 9) / 10")
    set(n 0)
    foreach(source IN LISTS of_${group})
      math(EXPR part "${n} * ${parts} / ${count}")
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${folder})
      string(APPEND text_${part} "#include \"${source}\"\n")
      math(EXPR n "${n} + 1")
    endforeach()
    math(EXPR last "${parts} - 1")
    foreach(part RANGE ${last})
      file(CONFIGURE OUTPUT ${folder}/${group}_${part}.cc CONTENT "${text_${part}}" @ONLY)
      list(APPEND joined ${folder}/${group}_${part}.cc)
      unset(text_${part})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${joined}")
endfunction()

# gcsflux_join_all(): joins the sources of each target that has more than one. GCSFLUX_UNITY=OFF compiles each source alone.
function(gcsflux_join_all)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(is_apart ${target} GCSFLUX_SOURCES_APART)
    get_target_property(sources ${target} SOURCES)
    list(LENGTH sources count)
    if(GCSFLUX_UNITY AND count GREATER 1 AND NOT is_apart)
      gcsflux_join(${target})
    endif()
  endforeach()
endfunction()

# gcsflux_sources(VARIABLE FOLDER [EXCEPT REGEX...]): the sources below a folder, but for those whose paths match.
function(gcsflux_sources variable folder)
  cmake_parse_arguments(arg "" "" "EXCEPT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
  foreach(regex IN LISTS arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "/${folder}/${regex}")
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# gcsflux_component(NAME SOURCE...): the library gcsflux::NAME, target gcsflux_NAME.
function(gcsflux_component name)
  set(target gcsflux_${name})
  if(GCSFLUX_SHARED)
    add_library(${target} SHARED ${ARGN})
    set(symbols ${PROJECT_SOURCE_DIR}/cmake/exported_symbols.map)
    target_link_options(${target} PRIVATE LINKER:--version-script=${symbols} LINKER:--no-undefined)
    set_target_properties(${target} PROPERTIES
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
      LINK_DEPENDS ${symbols}
      INSTALL_RPATH $ORIGIN  # where gcsflux::client lies, too
      DEFINE_SYMBOL "")  # No source asks for it, and a compiler cache would take the files for others.
  else()
    add_library(${target} STATIC ${ARGN})
  endif()
  add_library(gcsflux::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:gcsflux_strict>)
  set_property(GLOBAL APPEND PROPERTY gcsflux_components ${name})
endfunction()

function(gcsflux_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE gcsflux_strict)
endfunction()

# gcsflux_embed(VARIABLE NAME FILES FILE... HEADER H NAMESPACE N FUNCTION F TYPE T): the source that cmake/embed_files.cmake makes of them.
function(gcsflux_embed variable name)
  cmake_parse_arguments(arg "" "HEADER;NAMESPACE;FUNCTION;TYPE" "FILES" ${ARGN})
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake)
  set(output ${PROJECT_BINARY_DIR}/embedded/${name}.cc)
  list(JOIN arg_FILES "|" joined)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${joined}" -DHEADER=${arg_HEADER} -DNAMESPACE=${arg_NAMESPACE}
            -DFUNCTION=${arg_FUNCTION} -DTYPE=${arg_TYPE} -P ${script}
    DEPENDS ${arg_FILES} ${script}
    COMMENT "Embedding ${name}"
    VERBATIM)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()
