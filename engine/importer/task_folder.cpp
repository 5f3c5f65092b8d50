// SPDX-License-Identifier: Apache-2.0
#include "importer/task_folder.h"
#include <algorithm>
#include <charconv>
#include <tuple>
#include "base/describe.h"
#include "base/described_json.h"
#include "base/files.h"

namespace ww::importer {
namespace fs = std::filesystem;
namespace {

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

// "23_Softmax.py"
std::optional<Task> task_of(const fs::path& file, int level) {
  const std::string stem = file.stem().string();
  const std::size_t line = stem.find('_');
  const std::optional<int> number = whole(std::string_view(stem).substr(0, line));
  if (file.extension() != ".py" || line == stem.npos || !number) return std::nullopt;
  return Task{level, *number, stem.substr(line + 1), file};
}

auto place(const TaskRecord& r) { return std::tuple(r.level, r.number); }

struct Results {  // the file
  std::string written_as = "warpwright/kernelbench/1";
  std::vector<TaskRecord> tasks;
  WW_FIELDS(Results, ((schema, written_as)), tasks)
};

}  // namespace

Result<std::vector<Task>> tasks_in(const fs::path& folder, const std::set<int>& levels, const std::set<int>& numbers) {
  std::error_code ec;
  const fs::path root = fs::is_directory(folder / "KernelBench", ec) ? folder / "KernelBench" : folder;
  std::vector<Task> tasks;
  for (const fs::directory_entry& below : fs::directory_iterator(root, ec)) {
    const std::string name = below.path().filename().string();
    const std::optional<int> level = name.starts_with("level") ? whole(std::string_view(name).substr(5)) : std::nullopt;
    if (!level || (!levels.empty() && !levels.contains(*level))) continue;
    std::error_code inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(below.path(), inside))
      if (std::optional<Task> task = task_of(entry.path(), *level))
        if (numbers.empty() || numbers.contains(task->number)) tasks.push_back(std::move(*task));
  }
  if (tasks.empty())
    return fail(Code::invalid_argument,
                "'" + folder.string() + "' has no such tasks; they are files such as KernelBench/level1/23_Softmax.py");
  std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return std::tuple(a.level, a.number, a.name) < std::tuple(b.level, b.number, b.name);
  });
  return tasks;
}

Result<std::set<int>> numbers_of(const std::string& text) {
  std::set<int> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t dash = part.find('-');
    const std::optional<int> first = whole(part.substr(0, dash));
    const std::optional<int> last = dash == part.npos ? first : whole(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first > 100000)
      return fail(Code::invalid_argument, "'" + part + "' is neither a number nor a range such as 7-9");
    for (int n = *first; n <= *last; ++n) out.insert(n);
    begin = end + 1;
  }
  return out;
}

Result<TaskRecords> TaskRecords::open(const fs::path& folder) {
  TaskRecords records(folder / "results.json");
  std::error_code ec;
  if (!fs::exists(records.file_, ec)) return records;
  records.list_ =
      WW_TRY(json::read_text<Results>(WW_TRY(read_file(records.file_)),
                                      "'" + records.file_.string() + "' cannot be read; delete it to begin anew"))
          .tasks;
  return records;
}

const TaskRecord* TaskRecords::find(const Task& task, const std::string& hash) const {
  for (const TaskRecord& r : list_)
    if (r.level == task.level && r.number == task.number && r.hash == hash) return &r;
  return nullptr;
}

Status TaskRecords::put(const TaskRecord& record) {
  std::erase_if(list_, [&](const TaskRecord& r) { return place(r) == place(record); });
  list_.insert(std::upper_bound(list_.begin(), list_.end(), record,
                                [](const TaskRecord& a, const TaskRecord& b) { return place(a) < place(b); }),
               record);
  Results results;
  results.tasks = list_;
  return write_file_atomic(file_, json::text_of(results, 1) + "\n");
}

}  // namespace ww::importer
