// SPDX-License-Identifier: Apache-2.0
#include "lesson/progress.h"
#include <algorithm>
#include "base/described_json.h"
#include "base/file_lock.h"
#include "base/files.h"

namespace ww::lesson {
namespace fs = std::filesystem;

const Passed* Progress::find_passed(const std::string& lesson, int task) const {
  const auto at = std::ranges::find_if(passed, [&](const Passed& p) { return p.lesson == lesson && p.task == task; });
  return at == passed.end() ? nullptr : &*at;
}

bool Progress::has_passed(const Lesson& lesson, int task) const {
  const Passed* const one = find_passed(lesson.name, task);
  const Task* const now = lesson.numbered<Task>(task);
  return one != nullptr && now != nullptr && one->of == hash_of(*now);
}

int Progress::count_passed(const Lesson& lesson) const {
  int count = 0;
  for (int task = 1; task <= static_cast<int>(lesson.all<Task>().size()); ++task)
    count += has_passed(lesson, task) ? 1 : 0;
  return count;
}

const Draft* Progress::find_draft(const std::string& lesson, int task) const {
  const auto at = std::ranges::find_if(drafts, [&](const Draft& d) { return d.lesson == lesson && d.task == task; });
  return at == drafts.end() ? nullptr : &*at;
}

void Progress::keep_draft(Draft one) {
  std::erase_if(drafts, [&](const Draft& d) { return d.lesson == one.lesson && d.task == one.task; });
  if (!one.kernel.empty()) drafts.push_back(std::move(one));
}

void Progress::pass(Passed one) {
  if (const Draft* draft = find_draft(one.lesson, one.task); draft != nullptr && draft->kernel == one.kernel)
    keep_draft({one.lesson, one.task, {}});
  std::erase_if(passed, [&](const Passed& p) { return p.lesson == one.lesson && p.task == one.task; });
  passed.push_back(std::move(one));
}

void Progress::answer(Answered one) {
  const bool known = std::ranges::any_of(
      answered, [&](const Answered& a) { return a.lesson == one.lesson && a.question == one.question; });
  if (!known) answered.push_back(std::move(one));
}

void Progress::add(const Progress& later) {
  for (const Draft& d : later.drafts) keep_draft(d);
  for (const Passed& p : later.passed) pass(p);
  for (const Answered& a : later.answered) answer(a);
}

fs::path free_path(const fs::path& wanted) {
  fs::path path = wanted;
  std::error_code error;
  for (int n = 2; fs::exists(path, error); ++n) path = wanted.string() + "-" + std::to_string(n);
  return path;
}

fs::path progress_file() { return data_dir() / "lessons.json"; }

fs::path unsaved_file() { return progress_file().string() + ".unsaved"; }

Result<Progress> read_progress(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error) && !error) return Progress{};
  return json::read_text<Progress>(WW_TRY(read_file(file)),
                                   "'" + file.string() + "' does not hold what a student has done");
}

Status write_progress(const fs::path& file, const Progress& progress) {
  make_folders(file.parent_path());
  return write_file_atomic(file, json::dump(json::of(progress), 2) + "\n");
}

Status change_progress(const fs::path& file, const std::function<void(Progress&)>& how) {
  make_folders(file.parent_path());
  const FileLock alone = WW_TRY(FileLock::wait(file.string() + ".lock"));
  Progress progress = WW_TRY(read_progress(file));
  how(progress);
  return write_progress(file, progress);
}

}  // namespace ww::lesson
