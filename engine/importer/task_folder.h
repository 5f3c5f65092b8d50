// SPDX-License-Identifier: Apache-2.0
// A folder of tasks in KernelBench's layout, KernelBench/levelN/NUMBER_NAME.py, and what became of each.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "importer/judgement.h"

namespace ww::importer {

struct Task {
  int level = 0, number = 0;
  std::string name;
  std::filesystem::path file;
};
// Sorted. `folder`: the repository, or its folder KernelBench. Empty sets: all. Code::invalid_argument: it has none.
Result<std::vector<Task>> tasks_in(const std::filesystem::path& folder, const std::set<int>& levels,
                                   const std::set<int>& numbers);
// "1,3,7-9"; Code::invalid_argument names what is no number.
Result<std::set<int>> numbers_of(const std::string& text);

enum class SpecOutcome : std::uint8_t {
  unknown,      // not tried yet
  equal,        // and compared with the module
  uncompared,   // translated, but the module could not be run at small sizes or gave nothing finite
  different,    // from the module: a fault of the translation
  unsupported,  // not expressible, or an operator that is not in the table
  failed,       // the file or the helper failed
};
constexpr auto names_of(SpecOutcome) {
  using enum SpecOutcome;
  return std::to_array<Enumerator<SpecOutcome>>({{unknown, "unknown"},
                                                 {equal, "equal"},
                                                 {uncompared, "uncompared"},
                                                 {different, "different"},
                                                 {unsupported, "unsupported"},
                                                 {failed, "failed"}});
}
enum class TaskOutcome : std::uint8_t {
  unexplored,
  correct,  // the gate accepted a candidate, and its solution is written
  none_accepted,
  failed,  // the exploration or the export failed
};
constexpr auto names_of(TaskOutcome) {
  using enum TaskOutcome;
  return std::to_array<Enumerator<TaskOutcome>>(
      {{unexplored, "unexplored"}, {correct, "correct"}, {none_accepted, "none accepted"}, {failed, "failed"}});
}

struct Exploration {  // what found the candidates
  std::string generator;
  std::vector<std::string> strategies;  // of the generator "model"
  std::string model, device;
  int candidates = 0;
  double minutes = 0;
  WW_FIELDS(Exploration, generator, (strategies, "of models", sparse), (model, "PRESET:MODEL", sparse), device,
            (candidates, "budget; 0: no limit"), (minutes, "budget; 0: no limit"))
};

struct TaskRecord {
  static constexpr std::string_view described_as = "KERNELBENCH TASK";
  int level = 0, number = 0;
  std::string name, hash;  // of the file's text
  SpecOutcome spec = SpecOutcome::unknown;
  std::string why, line;  // a sentence, and the graph's line
  int sets = 0;
  TaskOutcome outcome = TaskOutcome::unexplored;
  std::string why_not;
  std::int64_t run = 0, accepted = 0, candidate = 0;
  std::string title, solution;
  std::optional<Exploration> exploration;
  std::optional<Judgement> judged;
  WW_FIELDS(TaskRecord, level, number, name, (hash, "of the file's text"),
            (spec, "what importing gave; `equal`: to the module, on all input sets"),
            (why, "it was not imported, a sentence"), (line, "of the exported graph that could not be translated"),
            (sets, "input sets on which spec and module were equal"), outcome,
            (why_not, "nothing was explored or written, a sentence"), (run, "0: none"), (accepted, "candidates"),
            (candidate, "the best; 0: none"), (title, "of the best"), (solution, "the file with its class ModelNew"),
            (exploration, "what found the candidates; null: not explored, or not known", nullable),
            (judged, "what KernelBench's own evaluation says about the solution; null: not judged yet", nullable))
};

// results.json in a folder of results.
class TaskRecords {
 public:
  static Result<TaskRecords> open(const std::filesystem::path& folder);  // as of a file that is missing: empty
  const std::vector<TaskRecord>& all() const { return list_; }
  // A record of the same text of the task; null: none.
  const TaskRecord* find(const Task& task, const std::string& hash) const;
  Status put(const TaskRecord& record);  // replaces that of the same task, and writes the file

 private:
  explicit TaskRecords(std::filesystem::path file) : file_(std::move(file)) {}
  std::filesystem::path file_;
  std::vector<TaskRecord> list_;
};

}  // namespace ww::importer
