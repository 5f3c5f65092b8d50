# SPDX-License-Identifier: Apache-2.0
# How every target of the house is made. Include paths: headers are included as "op/spec.h" (below engine/).

add_library(ww_flags INTERFACE)
target_compile_options(ww_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
if(WARPWRIGHT_SANITIZE)
  target_compile_options(ww_flags INTERFACE -fsanitize=${WARPWRIGHT_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(ww_flags INTERFACE -fsanitize=${WARPWRIGHT_SANITIZE})
endif()

# What nearly every file includes, compiled once for the engine and once for the tests (a third of a clean build). Files still name what they use.
add_library(ww_precompiled OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
target_link_libraries(ww_precompiled PRIVATE ww_flags)
target_precompile_headers(ww_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)

# ww_use_precompiled(target of): the options must be those that it was made with, position-independent code included.
function(ww_use_precompiled target of)
  target_precompile_headers(${target} REUSE_FROM ${of})
  target_compile_options(${target} PRIVATE -fPIC $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # the latter lets ccache see through it
endfunction()

# ww_library(op SOURCES spec.cpp … DEPENDS base …): static library ww_op; DEPENDS are other ww libraries (PUBLIC),
# LINK are outside libraries (PRIVATE).
function(ww_library name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(ww_${name} STATIC ${A_SOURCES})
  target_include_directories(ww_${name} PUBLIC ${PROJECT_SOURCE_DIR}/engine)
  list(TRANSFORM A_DEPENDS PREPEND ww_)
  target_link_libraries(ww_${name} PUBLIC ww_flags ${A_DEPENDS} PRIVATE ${A_LINK})
  ww_use_precompiled(ww_${name} ww_precompiled)
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
endfunction()

set(ww_test_options $<$<CONFIG:Release>:-O0>)  # test code is compiled more often than its speed matters

# ww_test(op_parser SOURCES parser_test.cpp DEPENDS op [QT Widgets] [LABELS gpu]): a Qt Test program, run by ctest.
function(ww_test name)
  cmake_parse_arguments(A "" "TIMEOUT" "SOURCES;DEPENDS;LINK;QT;LABELS" ${ARGN})
  set(t test_${name})
  add_executable(${t} ${A_SOURCES})
  list(TRANSFORM A_DEPENDS PREPEND ww_)
  list(TRANSFORM A_QT PREPEND Qt6::)
  target_include_directories(${t} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${t} PRIVATE WW_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WW_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${t} PRIVATE ww_flags ${A_DEPENDS} ${A_LINK} Qt6::Test ${A_QT})
  target_compile_options(${t} PRIVATE ${ww_test_options})
  if(NOT TARGET ww_precompiled_tests)
    add_library(ww_precompiled_tests OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
    target_link_libraries(ww_precompiled_tests PRIVATE ww_flags Qt6::Core)
    target_compile_options(ww_precompiled_tests PRIVATE ${ww_test_options})
    target_precompile_headers(ww_precompiled_tests PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h ${PROJECT_SOURCE_DIR}/cmake/precompiled_qt.h)
  endif()
  ww_use_precompiled(${t} ww_precompiled_tests)
  # One call of moc for each file that includes its result; AUTOMOC would look through, generate and compile more for every program.
  target_include_directories(${t} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${t})
  foreach(source ${A_SOURCES})
    get_filename_component(stem ${source} NAME_WE)
    file(STRINGS ${source} includes_moc REGEX "^#include \"${stem}\\.moc\"")
    if(includes_moc)
      file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${t})
      qt_generate_moc(${source} ${CMAKE_CURRENT_BINARY_DIR}/${t}/${stem}.moc TARGET ${t})
      set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${t}/${stem}.moc)
    endif()
  endforeach()
  add_test(NAME ${name} COMMAND ${t})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${A_TIMEOUT} ENVIRONMENT "QT_QPA_PLATFORM=offscreen;WARPWRIGHT_RESOURCES=${PROJECT_SOURCE_DIR}/resources")
  if(A_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${A_LABELS}")
  endif()
endfunction()
