// SPDX-License-Identifier: Apache-2.0
// What became of KernelBench's tasks: counts by level, KernelBench's scores, and the page about them.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "base/describe.h"
#include "importer/task_folder.h"

namespace ww::importer {

// KernelBench's scores against one baseline. fast_p: solutions that are correct and more than p times as fast, `of`
// those judged incorrect and those judged correct whose times are known.
struct Scores {
  int of = 0, fast_0 = 0, fast_1 = 0, fast_1_5 = 0, fast_2 = 0;
  std::optional<double> geometric_mean;
  WW_FIELDS(Scores, (of, "judged solutions; correct ones only where both times are known"),
            (fast_0, "of these: correct"), (fast_1, "correct and faster"), (fast_1_5, "more than 1.5 times as fast"),
            (fast_2, "more than twice as fast"),
            (geometric_mean, "of the correct ones' speedups; null: none is known", nullable))
};

struct TaskCounts {
  static constexpr std::string_view described_as = "KERNELBENCH LEVEL";
  int level = 0, tasks = 0, imported = 0, equal = 0, explored = 0, accepted = 0, judged = 0, correct = 0, by_kernel = 0;
  Scores eager, compile;
  WW_FIELDS(TaskCounts, level, (tasks, "with a record"), imported, (equal, "to their modules"), explored,
            (accepted, "the gate accepted a candidate"), (judged, "by KernelBench, as correct or incorrect"),
            (correct, "by KernelBench"), (by_kernel, "of the correct ones: by a kernel, not by the task's own module"),
            (eager, "against eager PyTorch"), (compile, "against torch.compile"))
};
std::vector<TaskCounts> counts_of(const std::vector<TaskRecord>& records);  // by level

// Whether KernelBench has called the solution correct or incorrect; else why not, a sentence.
bool is_judged(const TaskRecord& record);
std::string why_not_judged(const TaskRecord& record);

struct TaskTable {
  std::string title;                 // may be empty
  std::vector<std::string> headers;  // "#Tasks": of numbers, aligned to the right
  std::vector<std::vector<std::string>> rows;
};
std::string markdown_of(const TaskTable& table);
std::string milliseconds_text(const std::optional<double>& ms);  // "-": not known
std::vector<std::string> cells_of(const Scores& scores);         // under score_headers
inline const std::vector<std::string> score_headers = {"#Of", "#fast_0", "#fast_1", "#fast_1.5", "#fast_2", "#Mean"};

// Counts; scores and what was not judged, if something was judged; what was not imported.
std::vector<TaskTable> tables_of(const std::vector<TaskRecord>& records);
std::string markdown_of(const std::vector<TaskRecord>& records);  // a page: these, and all tasks

}  // namespace ww::importer
