// SPDX-License-Identifier: Apache-2.0
#include "importer/task_comparison.h"
#include <algorithm>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include "base/plural.h"

namespace ww::importer {
namespace fs = std::filesystem;
namespace {

using Place = std::pair<int, int>;           // level and number
using Row = std::vector<const TaskRecord*>;  // one a folder; null: it has none of the task

std::string strategy_of(const Exploration& e) {
  if (e.strategies.empty()) return e.generator;
  return fmt::format("{}, {}", fmt::join(e.strategies, "+"), e.model);
}

std::map<Place, Row> rows_of(const std::vector<std::vector<TaskRecord>>& folders) {
  std::map<Place, Row> rows;
  for (std::size_t f = 0; f < folders.size(); ++f)
    for (const TaskRecord& r : folders[f]) {
      Row& row = rows[{r.level, r.number}];
      row.resize(folders.size());
      row[f] = &r;
    }
  return rows;
}

// In every folder, from the same text.
bool shared(const Row& row) {
  return std::all_of(row.begin(), row.end(),
                     [&](const TaskRecord* r) { return r && is_judged(*r) && r->hash == row.front()->hash; });
}

ComparedTask compared_task(const Row& row, bool same_gpu) {
  ComparedTask out;
  std::optional<int> fastest;
  int timed = 0;
  for (std::size_t f = 0; f < row.size(); ++f) {
    const TaskRecord* r = row[f];
    if (r) out.level = r->level, out.number = r->number, out.name = r->name;
    const Judgement j = r && r->judged ? *r->judged : Judgement();
    out.judged.push_back(j.outcome);
    out.outcomes.push_back(r ? r->outcome : TaskOutcome::unexplored);
    const bool has_time = j.outcome == Judged::correct && j.kernel_ms && *j.kernel_ms > 0;
    out.kernel_ms.push_back(has_time ? j.kernel_ms : std::nullopt);
    if (!has_time) continue;
    ++timed;
    if (!fastest || *j.kernel_ms < *out.kernel_ms[static_cast<std::size_t>(*fastest)]) fastest = static_cast<int>(f);
  }
  if (same_gpu && timed > 1 && shared(row)) out.fastest = fastest;
  return out;
}

std::string cell_of(const ComparedTask& task, std::size_t folder) {
  if (task.kernel_ms[folder]) return milliseconds_text(task.kernel_ms[folder]);
  if (task.judged[folder] != Judged::unknown) return enum_string(task.judged[folder]);
  return task.outcomes[folder] == TaskOutcome::correct ? "accepted" : enum_string(task.outcomes[folder]);
}

std::vector<std::string> joined_cells(std::vector<std::string> cells, const Scores& eager, const Scores& compile) {
  for (const Scores* s : {&eager, &compile})
    for (std::string& text : cells_of(*s)) cells.push_back(std::move(text));
  return cells;
}

}  // namespace

std::string strategy_text(const std::vector<TaskRecord>& records) {
  std::set<std::string> all;
  for (const TaskRecord& r : records)
    if (r.exploration) all.insert(strategy_of(*r.exploration));
  return all.empty() ? "not known" : fmt::format("{}", fmt::join(all, "; "));
}

Result<TaskComparison> compared_results(const std::vector<fs::path>& folders) {
  if (folders.size() < 2) return fail(Code::invalid_argument, "a comparison needs two folders of results or more");
  std::vector<std::vector<TaskRecord>> all;
  TaskComparison out;
  std::set<std::string> gpus;
  for (const fs::path& folder : folders) {
    all.push_back(WW_TRY(TaskRecords::open(folder)).all());
    if (all.back().empty())
      return fail(Code::invalid_argument, "'" + folder.string() + "' has no results of kernelbench");
    for (const TaskRecord& r : all.back())
      if (is_judged(r)) gpus.insert(r.judged->gpu);
  }
  out.gpus.assign(gpus.begin(), gpus.end());
  const std::map<Place, Row> rows = rows_of(all);
  for (std::size_t f = 0; f < folders.size(); ++f) {
    ComparedResults results{folders[f], strategy_text(all[f]), counts_of(all[f]), {}};
    std::vector<TaskRecord> judged;
    for (const auto& [place, row] : rows) {
      if (!shared(row)) continue;
      judged.push_back(*row[f]);
      judged.back().level = 0;  // counted together
    }
    if (!judged.empty()) results.shared = counts_of(judged).front();
    out.results.push_back(std::move(results));
  }
  for (const auto& [place, row] : rows) out.tasks.push_back(compared_task(row, out.gpus.size() == 1));
  return out;
}

std::vector<TaskTable> tables_of(const TaskComparison& comparison) {
  TaskTable names{"", {"#", "Strategy", "Folder"}, {}};
  TaskTable levels{"By level", {"#", "#Level", "#Tasks", "#Accepted", "#Judged", "#Correct"}, {}};
  TaskTable shared_scores{"", {"#", "#Correct"}, {}};
  for (const char* against : {"eager", "compile"})
    for (const std::string& header : score_headers) {
      levels.headers.push_back(fmt::format("{} {}", header, against));
      shared_scores.headers.push_back(levels.headers.back());
    }
  for (std::size_t f = 0; f < comparison.results.size(); ++f) {
    const ComparedResults& r = comparison.results[f];
    const std::string number = std::to_string(f + 1);
    names.rows.push_back({number, r.strategy, r.folder.string()});
    for (const TaskCounts& c : r.levels)
      levels.rows.push_back(
          joined_cells({number, std::to_string(c.level), std::to_string(c.tasks), std::to_string(c.accepted),
                        std::to_string(c.judged), std::to_string(c.correct)},
                       c.eager, c.compile));
    shared_scores.rows.push_back(
        joined_cells({number, std::to_string(r.shared.correct)}, r.shared.eager, r.shared.compile));
    shared_scores.title = "On the " + plural(r.shared.tasks, "task") + " judged in every folder";
  }
  TaskTable tasks{"Tasks", {"#Level", "#No.", "Task"}, {}};
  for (std::size_t f = 0; f < comparison.results.size(); ++f) tasks.headers.push_back(fmt::format("#{}", f + 1));
  tasks.headers.push_back("#Fastest");
  for (const ComparedTask& t : comparison.tasks) {
    tasks.rows.push_back({std::to_string(t.level), std::to_string(t.number), t.name});
    for (std::size_t f = 0; f < comparison.results.size(); ++f) tasks.rows.back().push_back(cell_of(t, f));
    tasks.rows.back().push_back(t.fastest ? std::to_string(*t.fastest + 1) : "-");
  }
  return {std::move(names), std::move(levels), std::move(shared_scores), std::move(tasks)};
}

std::string note_of(const TaskComparison& comparison) {
  return comparison.gpus.size() < 2 ? ""
                                    : fmt::format("Judged on several GPUs ({}): their times do not compare.",
                                                  fmt::join(comparison.gpus, "; "));
}

std::string markdown_of(const TaskComparison& comparison) {
  std::string out =
      "# KernelBench: strategies compared\n\nTimes in ms, of correct solutions, by KernelBench's own evaluation. "
      "fast_p: "
      "correct and more than p times as fast as the baseline; mean: geometric, of the correct ones.\n";
  if (const std::string note = note_of(comparison); !note.empty()) out += "\n" + note + "\n";
  for (const TaskTable& table : tables_of(comparison)) out += "\n" + markdown_of(table);
  return out;
}

}  // namespace ww::importer
