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

// The lessons of the program and the imported ones. Errors: as lessons_in; an imported one with a name of the
// program's.
Result<std::vector<Lesson>> all_lessons();

// Files NAME.md, each of which must be a lesson.
Result<Package> pack(const std::string& title, const std::vector<std::filesystem::path>& files);
Status write_package(const std::filesystem::path& file, const Package& package);
// Code::corrupt: no package, or one of a later version; Code::parse: a lesson in it cannot be read.
Result<Package> read_package(const std::filesystem::path& file);
// Replaces lessons that were imported under the same names; nothing is written unless all can be. Errors: a name that
// is one of the program's lessons, or no name; a lesson after one that is neither there nor in the package.
Status import_package(const Package& package, const std::filesystem::path& into = own_lessons_folder());

}  // namespace ww::lesson
