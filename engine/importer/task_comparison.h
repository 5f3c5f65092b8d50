// SPDX-License-Identifier: Apache-2.0
// Several folders of results beside each other: what each strategy made of the same tasks.
#pragma once
#include <filesystem>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "importer/task_report.h"

namespace ww::importer {

std::string strategy_text(const std::vector<TaskRecord>& records);  // "search", "beam, PRESET:MODEL"

struct ComparedResults {
  std::filesystem::path folder;
  std::string strategy;
  std::vector<TaskCounts> levels;  // of all its tasks
  TaskCounts shared;               // of the tasks that KernelBench has judged in every folder
  WW_FIELDS(ComparedResults, folder, (strategy, "generator, or strategies and model; of several: each"),
            (levels, "of all its tasks"), (shared, "of the tasks that KernelBench has judged in every folder; level 0"))
};
struct ComparedTask {
  int level = 0, number = 0;
  std::string name;
  std::vector<Judged> judged;  // one a folder
  std::vector<TaskOutcome> outcomes;
  std::vector<std::optional<double>> kernel_ms;
  std::optional<int> fastest;  // folder, from 0
  WW_FIELDS(ComparedTask, level, number, name, (judged, "one a folder"), (outcomes, "one a folder"),
            (kernel_ms, "one a folder, of correct solutions; null: none"),
            (fastest, "the folder with the fastest correct solution, from 0; null: of fewer than two, or not known",
             nullable))
};
struct TaskComparison {
  static constexpr std::string_view described_as = "KERNELBENCH COMPARISON";
  std::vector<ComparedResults> results;
  std::vector<ComparedTask> tasks;
  std::vector<std::string> gpus;  // more than one: times do not compare
  WW_FIELDS(TaskComparison, (results, "one a folder"), (tasks, "those of any folder"),
            (gpus, "that KernelBench judged on; of several the times do not compare"))
};

// Code::invalid_argument: fewer than two folders, or one without results.
Result<TaskComparison> compared_results(const std::vector<std::filesystem::path>& folders);
std::vector<TaskTable> tables_of(const TaskComparison& comparison);
std::string note_of(const TaskComparison& comparison);      // on what does not compare; may be empty
std::string markdown_of(const TaskComparison& comparison);  // a page

}  // namespace ww::importer
