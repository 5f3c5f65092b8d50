# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=FILE -DNAMES=a;b -DFILES=a_test.cpp;b_test.cpp -P unite_tests.cmake: one source of several tests. Each is in a namespace of its own,
# where its main() has another name; main() calls the one that the program's own name says. What they include comes first, outside.
set(includes)
set(bodies)
set(calls)
foreach(name file IN ZIP_LISTS NAMES FILES)
  get_filename_component(folder ${file} DIRECTORY)
  file(STRINGS ${file} lines REGEX "^#include [<\"]")
  foreach(line ${lines})
    if(line MATCHES "^#include \"([^\"]+)\"")
      if(EXISTS ${folder}/${CMAKE_MATCH_1})  # beside the test
        set(line "#include \"${folder}/${CMAKE_MATCH_1}\"")
      endif()
    endif()
    if(NOT line MATCHES "\\.moc\"")
      list(APPEND includes "${line}")
    endif()
  endforeach()
  string(APPEND bodies "namespace test_${name} {\n#define main run\n#include \"${file}\"\n#undef main\n}  // namespace test_${name}\n")
  file(STRINGS ${file} macros REGEX "^#define ")
  foreach(macro ${macros})
    if(macro MATCHES "^#define ([A-Za-z0-9_]+)")
      string(APPEND bodies "#undef ${CMAKE_MATCH_1}\n")
    endif()
  endforeach()
  string(APPEND calls "  if (name == \"test_${name}\") return test_${name}::run(argc, argv);\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(WRITE ${OUT} "#include <QtTest>\n${includes}\n${bodies}
int main(int argc, char** argv) {
  const std::string name = std::filesystem::path(argv[0]).filename().string();
${calls}  std::fprintf(stderr, \"%s: call this program by the name of one of its tests\\n\", argv[0]);
  return 2;
}
")
