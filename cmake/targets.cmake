# SPDX-License-Identifier: Apache-2.0
# How targets are defined. Include paths: headers are included as "op/spec.h" (below engine/).

add_library(ww_flags INTERFACE)
target_compile_options(ww_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
if(WARPWRIGHT_WERROR)
  # GCC 12 sees strings out of bounds and fields without linkage where there are none: those stay warnings.
  target_compile_options(ww_flags INTERFACE -Werror $<$<CXX_COMPILER_ID:GNU>:-Wno-error=array-bounds -Wno-error=restrict
    -Wno-error=stringop-overflow -Wno-error=stringop-overread -Wno-error=maybe-uninitialized -Wno-error=subobject-linkage>)
endif()
if(WARPWRIGHT_SANITIZE)
  target_compile_options(ww_flags INTERFACE -fsanitize=${WARPWRIGHT_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(ww_flags INTERFACE -fsanitize=${WARPWRIGHT_SANITIZE})
endif()

# What nearly every file includes, compiled once for the engine and once for the tests (a third of a clean build). Files still name what they use.
# JSON is apart: whoever loads nlohmann's header precompiled instantiates its parser, half a second in every file.
add_library(ww_precompiled OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
target_link_libraries(ww_precompiled PRIVATE ww_flags)
target_precompile_headers(ww_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)
add_library(ww_precompiled_json OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
target_link_libraries(ww_precompiled_json PRIVATE ww_flags)
target_precompile_headers(ww_precompiled_json PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h <nlohmann/json.hpp>)

# ww_use_precompiled(target of): the options must be those that it was made with, position-independent code included.
function(ww_use_precompiled target of)
  target_precompile_headers(${target} REUSE_FROM ${of})
  target_compile_options(${target} PRIVATE -fPIC $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # the latter lets ccache see through it
endfunction()

# ww_alone(FILE …): never compiled together with others of its target.
function(ww_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# ww_library(op SOURCES spec.cpp … [JSON spec_json.cpp …] DEPENDS base …): static library ww_op; DEPENDS are other ww libraries (PUBLIC),
# LINK are outside libraries (PRIVATE). JSON names the sources that include nlohmann's header, by themselves or through another: they are
# compiled as a part of their own, ww_op_json, with that header precompiled.
function(ww_library name)
  cmake_parse_arguments(A "" "" "SOURCES;JSON;DEPENDS;LINK" ${ARGN})
  list(TRANSFORM A_JSON PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  if(A_SOURCES AND A_JSON)
    list(REMOVE_ITEM A_SOURCES ${A_JSON})
  endif()
  list(TRANSFORM A_DEPENDS PREPEND ww_)
  add_library(ww_${name} STATIC ${A_SOURCES})
  target_include_directories(ww_${name} PUBLIC ${PROJECT_SOURCE_DIR}/engine)
  target_link_libraries(ww_${name} PUBLIC ww_flags ${A_DEPENDS} PRIVATE ${A_LINK})
  ww_use_precompiled(ww_${name} ww_precompiled)
  if(A_JSON)
    set(part ww_${name}_json)
    add_library(${part} OBJECT ${A_JSON})
    foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)  # what is added to the library later holds for its part, too
      set_property(TARGET ${part} PROPERTY ${property} $<TARGET_PROPERTY:ww_${name},${property}>)
    endforeach()
    target_link_libraries(${part} PRIVATE ww_flags ${A_DEPENDS} ${A_LINK})
    ww_use_precompiled(${part} ww_precompiled_json)
    target_sources(ww_${name} PRIVATE $<TARGET_OBJECTS:${part}>)
  endif()
endfunction()

# ww_plugin(generators search SOURCES … DEPENDS …): module build/plugins/generators/libsearch.so
function(ww_plugin kind name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  set(t ww_plugin_${kind}_${name})
  add_library(${t} MODULE ${A_SOURCES})
  list(TRANSFORM A_DEPENDS PREPEND ww_)
  target_include_directories(${t} PRIVATE ${PROJECT_SOURCE_DIR}/engine ${PROJECT_SOURCE_DIR}/plugins)
  target_link_libraries(${t} PRIVATE ww_flags ${A_DEPENDS} ${A_LINK})
  set_target_properties(${t} PROPERTIES OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${WARPWRIGHT_PLUGIN_DIR}/${kind})
  set_property(GLOBAL APPEND PROPERTY WARPWRIGHT_PLUGINS ${t})
  install(TARGETS ${t} LIBRARY DESTINATION lib/warpwright/${kind})
endfunction()
