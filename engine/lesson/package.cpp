// SPDX-License-Identifier: Apache-2.0
#include "lesson/package.h"
#include <algorithm>
#include <cctype>
#include <fmt/ranges.h>
#include "base/described_json.h"
#include "base/files.h"
#include "lesson/order.h"
#include "lesson/progress.h"

namespace ww::lesson {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_lesson = std::size_t{1} << 20, most_package = std::size_t{16} << 20;  // bytes
constexpr std::size_t most_lessons = 200;                                                        // of a class

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && name.front() != '-' &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

}  // namespace

fs::path own_lessons_folder() { return data_dir() / "lessons"; }

Result<Course> course(const fs::path& own_folder) {
  Course out;
  out.lessons = WW_TRY(lessons_in(lessons_folder()));
  std::error_code error;
  if (!fs::is_directory(own_folder, error)) return out;
  std::vector<std::string> problems;
  std::vector<Lesson> all = out.lessons;
  for (const fs::path& file : WW_TRY(lesson_files(own_folder))) {
    const std::string name = file.stem().string();
    Result<Lesson> own = lesson_in_file(file);
    if (own && std::ranges::find(out.lessons, name, &Lesson::name) != out.lessons.end())
      own = fail(Code::invalid_argument, "the program has a lesson '" + name + "' of its own");
    if (own)
      all.push_back(std::move(*own));
    else
      problems.push_back(fmt::format("Your lesson '{}' is left out: {}.", name, own.error().text()));
  }
  for (Lesson& l : all)  // those that are left out, too
    std::erase_if(
        l.after, [&](const std::string& before) { return std::ranges::find(all, before, &Lesson::name) == all.end(); });
  if (Result<std::vector<Lesson>> sorted = ordered(std::move(all)))
    out.lessons = std::move(*sorted);
  else
    problems.push_back(
        fmt::format("The lessons in '{}' are left out: {}.", own_folder.string(), sorted.error().text()));
  out.problem = fmt::format("{}", fmt::join(problems, "\n"));
  return out;
}

Result<Package> pack(const std::string& title, const std::vector<fs::path>& files) {
  Package out;
  out.title = title;
  out.lessons = WW_TRY(read_files(files));
  std::error_code error;
  for (const PackedLesson& l : out.lessons)
    if (fs::exists(lessons_folder() / (l.name + ".md"), error))
      return fail(Code::invalid_argument, "the program has a lesson '" + l.name + "' of its own; rename this one");
  return out;
}

Result<std::vector<PackedLesson>> read_files(const std::vector<fs::path>& files) {
  std::vector<PackedLesson> out;
  if (files.empty() || files.size() > most_lessons)
    return fail(Code::invalid_argument, fmt::format("a class package has 1 to {} lessons", most_lessons));
  for (const fs::path& file : files) {
    const std::string name = file.stem().string();
    if (file.extension() != ".md" || !is_name(name))
      return fail(Code::invalid_argument,
                  "'" + file.string() + "' is no lesson: its file is NAME.md, of letters, digits, _ and -");
    if (std::ranges::find(out, name, &PackedLesson::name) != out.end())
      return fail(Code::invalid_argument, "the lesson '" + name + "' is given twice");
    out.push_back({name, WW_TRY(read_file(file, most_lesson))});
    WW_TRY(read_lesson(out.back().text, name));
  }
  return out;
}

Status write_package(const fs::path& file, const Package& package) {
  std::error_code error;
  if (fs::exists(file, error) && !json::read_text<Package>(WW_TRY(read_file(file, most_package)), {}))
    return fail(Code::invalid_argument, "'" + file.string() + "' exists, and is no class package");
  return write_file_atomic(file, json::dump(json::of(package), 2) + "\n");
}

Result<Package> read_package(const fs::path& file) {
  const std::string what = "'" + file.string() + "' is no class package";
  Package p = WW_TRY(json::read_text<Package>(WW_TRY(read_file(file, most_package)), what));
  if (p.version != 1) return fail(Code::corrupt, what, "it was made by a later version of Warpwright");
  for (const PackedLesson& l : p.lessons) WW_TRY(read_lesson(l.text, l.name));
  return p;
}

Result<std::vector<std::string>> import_package(const Package& package, const fs::path& into) {
  if (package.lessons.empty() || package.lessons.size() > most_lessons)
    return fail(Code::invalid_argument, fmt::format("a class package has 1 to {} lessons, and this one {}",
                                                    most_lessons, package.lessons.size()));
  std::vector<Lesson> all = WW_TRY(lessons_in(lessons_folder()));
  for (const PackedLesson& l : package.lessons) {
    if (!is_name(l.name)) return fail(Code::invalid_argument, "'" + l.name + "' is no name of a lesson");
    if (std::ranges::find(all, l.name, &Lesson::name) != all.end())
      return fail(Code::invalid_argument,
                  "the program has a lesson '" + l.name + "' of its own; rename that of the class");
  }
  for (const PackedLesson& l : package.lessons) all.push_back(WW_TRY(read_lesson(l.text, l.name)));
  if (const auto files = lesson_files(into))
    for (const fs::path& file : *files)
      if (std::ranges::find(all, file.stem().string(), &Lesson::name) == all.end())
        if (auto kept = lesson_in_file(file)) all.push_back(std::move(*kept));
  if (const auto order = ordered(std::move(all)); !order)
    return fail(Code::invalid_argument, "the class package does not fit: " + order.error().text());
  make_folders(into);
  std::vector<std::string> replaced;
  for (const PackedLesson& l : package.lessons) {
    const fs::path file = into / (l.name + ".md");
    const Result<std::string> before = read_file(file, most_lesson);
    if (before && *before != l.text) {
      WW_TRY(write_file_atomic(free_path(file.string() + ".before"), *before));
      replaced.push_back(l.name);
    }
    WW_TRY(write_file_atomic(file, l.text));
  }
  return replaced;
}

std::string replaced_text(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  return fmt::format("Of {} you had another version, which is kept as {}.md.before in '{}'.", fmt::join(names, ", "),
                     names.size() == 1 ? names[0] : "NAME", own_lessons_folder().string());
}

Status remove_imported(const std::string& name, const fs::path& from) {
  std::error_code error;
  if (!is_name(name) || !fs::remove(from / (name + ".md"), error))
    return fail(Code::not_found, "'" + name + "' is no imported lesson", error ? error.message() : "");
  return {};
}

}  // namespace ww::lesson
