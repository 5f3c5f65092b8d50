// SPDX-License-Identifier: Apache-2.0
#include "importer/task_report.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace ww::importer {
namespace {

bool known(const std::optional<double>& ms) { return ms && std::isfinite(*ms) && *ms > 0; }

class Tally {
 public:
  void add(const Judgement& j, const std::optional<double>& baseline_ms) {
    if (j.outcome == Judged::incorrect) ++scores_.of;
    if (j.outcome != Judged::correct || !known(j.kernel_ms) || !known(baseline_ms)) return;
    const double speedup = *baseline_ms / *j.kernel_ms;
    ++scores_.of;
    ++scores_.fast_0;
    scores_.fast_1 += speedup > 1;
    scores_.fast_1_5 += speedup > 1.5;
    scores_.fast_2 += speedup > 2;
    logarithms_ += std::log(speedup);
  }
  Scores scores() const {
    Scores out = scores_;
    if (out.fast_0 > 0) out.geometric_mean = std::exp(logarithms_ / out.fast_0);
    return out;
  }

 private:
  Scores scores_;
  double logarithms_ = 0;
};

struct Level {
  TaskCounts counts;
  Tally eager, compile;
};

std::string cell(std::string text) {  // of a Markdown table
  for (std::size_t at = 0; (at = text.find_first_of("|\n\r", at)) != text.npos; ++at)
    if (text[at] == '|')
      text.insert(at++, "\\");
    else
      text[at] = ' ';
  return text;
}

std::vector<std::string> place_cells(const TaskRecord& r) {
  return {std::to_string(r.level), std::to_string(r.number), r.name};
}

std::vector<std::string> joined(std::vector<std::string> cells, const std::vector<std::string>& more) {
  cells.insert(cells.end(), more.begin(), more.end());
  return cells;
}

std::string judged_text(const TaskRecord& r) {
  if (!r.judged) return "-";
  const bool left = r.judged->outcome == Judged::correct && r.judged->by_kernel == false;
  return enum_string(r.judged->outcome) + (left ? ", by the module itself" : "");
}

bool any_judged(const std::vector<TaskRecord>& records) {
  return std::any_of(records.begin(), records.end(), [](const TaskRecord& r) { return r.judged.has_value(); });
}

TaskTable all_tasks(const std::vector<TaskRecord>& records) {
  TaskTable out{"Tasks", {"#Level", "#No.", "Task", "Spec", "#Sets", "Outcome", "#Accepted", "Best"}, {}};
  const bool judged = any_judged(records);
  if (judged) out.headers = joined(out.headers, {"KernelBench", "#ms", "#Eager", "#Compile"});
  for (const TaskRecord& r : records) {
    out.rows.push_back(joined(place_cells(r), {enum_string(r.spec), std::to_string(r.sets),
                                               enum_string(r.outcome) + (r.why_not.empty() ? "" : ": " + r.why_not),
                                               std::to_string(r.accepted), r.title}));
    if (!judged) continue;
    const Judgement j = r.judged.value_or(Judgement());
    out.rows.back() = joined(out.rows.back(), {judged_text(r), milliseconds_text(j.kernel_ms),
                                               milliseconds_text(j.eager_ms), milliseconds_text(j.compile_ms)});
  }
  return out;
}

std::vector<TaskTable> judged_tables(const std::vector<TaskRecord>& records) {
  TaskTable scores{
      "Judged by KernelBench", joined({"#Level", "#Judged", "#Correct", "#By kernel", "Against"}, score_headers), {}};
  for (const TaskCounts& c : counts_of(records))
    for (const auto& [against, s] : {std::pair{"eager", &c.eager}, {"compile", &c.compile}})
      scores.rows.push_back(joined({std::to_string(c.level), std::to_string(c.judged), std::to_string(c.correct),
                                    std::to_string(c.by_kernel), against},
                                   cells_of(*s)));
  TaskTable incorrect{"Not correct by KernelBench", {"#Level", "#No.", "Task", "Why"}, {}};
  TaskTable missing{"Not judged by KernelBench", {"#Level", "#No.", "Task", "Why"}, {}};
  for (const TaskRecord& r : records) {
    if (!is_judged(r)) missing.rows.push_back(joined(place_cells(r), {why_not_judged(r)}));
    if (r.judged && r.judged->outcome == Judged::incorrect)
      incorrect.rows.push_back(joined(place_cells(r), {r.judged->why}));
  }
  std::vector<TaskTable> out{std::move(scores)};
  if (!incorrect.rows.empty()) out.push_back(std::move(incorrect));
  if (!missing.rows.empty()) out.push_back(std::move(missing));
  return out;
}

}  // namespace

std::vector<TaskCounts> counts_of(const std::vector<TaskRecord>& records) {
  std::map<int, Level> levels;
  for (const TaskRecord& r : records) {
    Level& level = levels[r.level];
    TaskCounts& c = level.counts;
    c.level = r.level;
    ++c.tasks;
    c.imported += r.spec == SpecOutcome::equal || r.spec == SpecOutcome::uncompared;
    c.equal += r.spec == SpecOutcome::equal;
    c.explored += r.outcome != TaskOutcome::unexplored;
    c.accepted += r.outcome == TaskOutcome::correct;
    c.judged += is_judged(r);
    if (!r.judged) continue;
    const bool correct = r.judged->outcome == Judged::correct;
    c.correct += correct;
    c.by_kernel += correct && r.judged->by_kernel == true;
    level.eager.add(*r.judged, r.judged->eager_ms);
    level.compile.add(*r.judged, r.judged->compile_ms);
  }
  std::vector<TaskCounts> out;
  for (auto& [number, level] : levels) {
    level.counts.eager = level.eager.scores();
    level.counts.compile = level.compile.scores();
    out.push_back(level.counts);
  }
  return out;
}

bool is_judged(const TaskRecord& record) {
  return record.judged && (record.judged->outcome == Judged::correct || record.judged->outcome == Judged::incorrect);
}

std::string why_not_judged(const TaskRecord& record) {
  if (is_judged(record)) return {};
  if (record.judged && record.judged->outcome != Judged::unknown)
    return (record.judged->outcome == Judged::not_evaluated ? "KernelBench cannot evaluate it" : "it failed") +
           (record.judged->why.empty() ? std::string() : ": " + record.judged->why);
  switch (record.outcome) {
    case TaskOutcome::correct: return "not judged yet";
    case TaskOutcome::none_accepted:
    case TaskOutcome::failed: return "no solution" + (record.why_not.empty() ? "" : ": " + record.why_not);
    case TaskOutcome::unexplored: break;
  }
  return record.spec == SpecOutcome::equal ? "not explored yet"
                                           : "not imported" + (record.why.empty() ? "" : ": " + record.why);
}

std::string milliseconds_text(const std::optional<double>& ms) { return known(ms) ? fmt::format("{:.4g}", *ms) : "-"; }

std::vector<std::string> cells_of(const Scores& s) {
  return {std::to_string(s.of),     std::to_string(s.fast_0),
          std::to_string(s.fast_1), std::to_string(s.fast_1_5),
          std::to_string(s.fast_2), s.geometric_mean ? fmt::format("{:.3f}", *s.geometric_mean) : "-"};
}

std::string markdown_of(const TaskTable& table) {
  std::string out = table.title.empty() ? "" : "## " + table.title + "\n\n", rule = "|";
  for (const std::string& header : table.headers) {
    const bool number = header.starts_with('#');
    out += "| " + cell(header.substr(number)) + " ";
    rule += number ? "--:|" : "---|";
  }
  out += "|\n" + rule + "\n";
  for (const std::vector<std::string>& row : table.rows) {
    for (const std::string& text : row) out += "| " + cell(text) + " ";
    out += "|\n";
  }
  return out;
}

std::vector<TaskTable> tables_of(const std::vector<TaskRecord>& records) {
  TaskTable counts{"", {"#Level", "#Tasks", "#Imported", "#Equal", "#Explored", "#Accepted"}, {}};
  for (const TaskCounts& c : counts_of(records))
    counts.rows.push_back({std::to_string(c.level), std::to_string(c.tasks), std::to_string(c.imported),
                           std::to_string(c.equal), std::to_string(c.explored), std::to_string(c.accepted)});
  std::vector<TaskTable> out{std::move(counts)};
  if (any_judged(records))
    for (TaskTable& table : judged_tables(records)) out.push_back(std::move(table));
  TaskTable missing{"Not imported", {"#Level", "#No.", "Task", "Spec", "Why", "Graph"}, {}};
  for (const TaskRecord& r : records)
    if (r.spec != SpecOutcome::equal)
      missing.rows.push_back(joined(place_cells(r), {enum_string(r.spec), r.why, r.line}));
  if (!missing.rows.empty()) out.push_back(std::move(missing));
  return out;
}

std::string markdown_of(const std::vector<TaskRecord>& records) {
  std::string out =
      "# KernelBench\n\nImported without a model: each spec was compared with its module on random inputs. Accepted: "
      "the gate accepted a candidate.";
  if (any_judged(records))
    out +=
        " Judged: by KernelBench's own evaluation. fast_p: correct and more than p times as fast as the baseline; "
        "mean: geometric, of the correct ones. Times are in ms.";
  out += "\n";
  for (const TaskTable& table : tables_of(records)) out += "\n" + markdown_of(table);
  return out + "\n" + markdown_of(all_tasks(records));
}

}  // namespace ww::importer
