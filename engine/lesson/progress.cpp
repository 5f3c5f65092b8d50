// SPDX-License-Identifier: Apache-2.0
#include "lesson/progress.h"
#include <algorithm>
#include "base/described_json.h"
#include "base/files.h"

namespace ww::lesson {
namespace fs = std::filesystem;

const Passed* Progress::find_passed(const std::string& lesson, int task) const {
  const auto at = std::ranges::find_if(passed, [&](const Passed& p) { return p.lesson == lesson && p.task == task; });
  return at == passed.end() ? nullptr : &*at;
}

void Progress::pass(Passed one) {
  std::erase_if(passed, [&](const Passed& p) { return p.lesson == one.lesson && p.task == one.task; });
  passed.push_back(std::move(one));
}

void Progress::answer(Answered one) {
  const bool known = std::ranges::any_of(
      answered, [&](const Answered& a) { return a.lesson == one.lesson && a.question == one.question; });
  if (!known) answered.push_back(std::move(one));
}

fs::path progress_file() { return data_dir() / "lessons.json"; }

Result<Progress> read_progress(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error) && !error) return Progress{};
  return json::read_text<Progress>(WW_TRY(read_file(file)), "'" + file.string() + "' is not a progress of lessons");
}

Status write_progress(const fs::path& file, const Progress& progress) {
  make_folders(file.parent_path());
  return write_file_atomic(file, json::dump(json::of(progress), 2) + "\n");
}

}  // namespace ww::lesson
