// SPDX-License-Identifier: Apache-2.0
#include "lesson/package.h"
#include <algorithm>
#include <cctype>
#include "base/described_json.h"
#include "base/files.h"

namespace ww::lesson {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_lesson = std::size_t{1} << 20, most_package = std::size_t{16} << 20;  // bytes

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

}  // namespace

fs::path own_lessons_folder() { return data_dir() / "lessons"; }

Result<std::vector<Lesson>> all_lessons() {
  std::vector<fs::path> folders{lessons_folder()};
  std::error_code error;
  if (fs::is_directory(own_lessons_folder(), error)) folders.push_back(own_lessons_folder());
  return lessons_in(folders);
}

Result<Package> pack(const std::string& title, const std::vector<fs::path>& files) {
  Package out;
  out.title = title;
  if (files.empty()) return fail(Code::invalid_argument, "a class package has at least one lesson");
  for (const fs::path& file : files) {
    const std::string name = file.stem().string();
    if (file.extension() != ".md" || !is_name(name))
      return fail(Code::invalid_argument,
                  "'" + file.string() + "' is no lesson: its file is NAME.md, of letters, digits, _ and -");
    if (std::ranges::find(out.lessons, name, &PackedLesson::name) != out.lessons.end())
      return fail(Code::invalid_argument, "the lesson '" + name + "' is given twice");
    out.lessons.push_back({name, WW_TRY(read_file(file, most_lesson))});
    WW_TRY(read_lesson(out.lessons.back().text, name));
  }
  return out;
}

Status write_package(const fs::path& file, const Package& package) {
  return write_file_atomic(file, json::dump(json::of(package), 2) + "\n");
}

Result<Package> read_package(const fs::path& file) {
  const std::string what = "'" + file.string() + "' is no class package";
  Package p = WW_TRY(json::read_text<Package>(WW_TRY(read_file(file, most_package)), what));
  if (p.version != 1) return fail(Code::corrupt, what, "it was made by a later version of Warpwright");
  for (const PackedLesson& l : p.lessons) WW_TRY(read_lesson(l.text, l.name));
  return p;
}

Status import_package(const Package& package, const fs::path& into) {
  const std::vector<Lesson> own = WW_TRY(lessons_in(lessons_folder()));
  const auto known = [&](const std::string& name) {
    std::error_code error;
    return std::ranges::find(own, name, &Lesson::name) != own.end() || fs::exists(into / (name + ".md"), error) ||
           std::ranges::find(package.lessons, name, &PackedLesson::name) != package.lessons.end();
  };
  for (const PackedLesson& l : package.lessons) {
    if (!is_name(l.name)) return fail(Code::invalid_argument, "'" + l.name + "' is no name of a lesson");
    if (std::ranges::find(own, l.name, &Lesson::name) != own.end())
      return fail(Code::invalid_argument,
                  "the program has a lesson '" + l.name + "' of its own; rename that of the class");
    for (const std::string& before : WW_TRY(read_lesson(l.text, l.name)).after)
      if (!known(before))
        return fail(Code::invalid_argument, "lesson '" + l.name + "' comes after '" + before + "', which is not there");
  }
  make_folders(into);
  for (const PackedLesson& l : package.lessons) WW_TRY(write_file_atomic(into / (l.name + ".md"), l.text));
  return {};
}

}  // namespace ww::lesson
