// SPDX-License-Identifier: Apache-2.0
// A class package: a lecturer's own lessons as one file, which students import. Imported lessons lie in the data
// folder.
#pragma once
#include <filesystem>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "lesson/lesson.h"

namespace ww::lesson {

struct PackedLesson {
  std::string name, text;
  WW_FIELDS(PackedLesson, (name, "of its file, without .md"), (text, "of the file"))
};
struct Package {
  static constexpr std::string_view described_as = "CLASS PACKAGE";
  int version = 1;
  std::string title;
  std::vector<PackedLesson> lessons;
  WW_FIELDS(Package, (version, "of this format: 1"), (title, "of the class"), lessons)
};

std::filesystem::path own_lessons_folder();  // in data_dir()

struct Course {
  std::vector<Lesson> lessons;
  std::string problem;  // why an imported lesson is not among them; empty: all are
};
// The lessons of the program and the imported ones. Errors: as lessons_in, of the program's.
Result<Course> course(const std::filesystem::path& own = own_lessons_folder());

// Files NAME.md, each of which must be a lesson.
Result<std::vector<PackedLesson>> read_files(const std::vector<std::filesystem::path>& files);
// Errors: those, and a name that is one of the program's lessons.
Result<Package> pack(const std::string& title, const std::vector<std::filesystem::path>& files);
Status write_package(const std::filesystem::path& file, const Package& package);
// Code::corrupt: no package, or one of a later version; Code::parse: a lesson in it cannot be read.
Result<Package> read_package(const std::filesystem::path& file);
// Of lessons that were imported under the same names with another text, whose names are returned, the old text remains
// as NAME.md.before, or .before-2 …; nothing is written unless all can be. Errors: no lesson; a
// name that is one of the program's lessons, twice in the package, or no name; a lesson after one that is neither there
// nor in the package, or after itself.
Result<std::vector<std::string>> import_package(const Package& package,
                                                const std::filesystem::path& into = own_lessons_folder());
std::string replaced_text(const std::vector<std::string>& names);  // a sentence; empty: none
// Errors: it is not there, for example since it is one of the program's.
Status remove_imported(const std::string& name, const std::filesystem::path& from = own_lessons_folder());

}  // namespace ww::lesson
