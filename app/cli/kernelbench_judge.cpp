// SPDX-License-Identifier: Apache-2.0
#include "kernelbench_judge.h"
#include <fmt/format.h>
#include "base/files.h"
#include "base/hash.h"
#include "explore/device_turn.h"
#include "importer/judgement.h"
#include "importer/task_report.h"
#include "importer/trust.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

using importer::Judged;
using importer::Judgement;
using importer::TaskRecord;

struct Waiting {  // a solution without a verdict
  importer::Task task;
  std::string text, solution;
  TaskRecord record;
};

bool settled(const TaskRecord& record, const std::string& solution) {
  return record.judged && record.judged->hash == hash_hex(solution) &&
         (importer::is_judged(record) || record.judged->outcome == Judged::not_evaluated);
}

Result<std::vector<Waiting>> waiting(const Judging& judging, const std::vector<importer::Task>& tasks,
                                     const importer::TaskRecords& records) {
  std::vector<Waiting> out;
  for (const importer::Task& task : tasks) {
    std::string text = WW_TRY(importer::read_program(task.file));
    const TaskRecord* record = records.find(task, hash_hex(text));
    if (!record || record->solution.empty()) continue;
    std::string solution = WW_TRY(importer::read_program(judging.results / record->solution));
    if (!settled(*record, solution)) out.push_back({task, std::move(text), std::move(solution), *record});
  }
  return out;
}

// The error: of what the solution or the task does to the process.
Result<Judgement> judged(importer::KernelBenchJudge& judge, const Judging& judging, const Waiting& w,
                         explore::DeviceTurn& turn, const std::stop_token& stop) {
  if (!importer::may_run(w.task.file, w.text) || !importer::may_run(judging.results / w.record.solution, w.solution))
    return fail(Code::denied, "it was not run: it has changed since you allowed it");
  WW_TRY(judge.prepare(w.task.file.stem().string(), w.text, w.solution, stop));
  const explore::DeviceTurn::Held held = turn.take(stop);
  return judge.evaluate(judging.trials, stop);
}

}  // namespace

Result<std::unique_ptr<importer::KernelBenchJudge>> started_judge(const Judging& judging, const std::stop_token& stop) {
  auto judge = WW_TRY(importer::KernelBenchJudge::start(judging.device, stop));
  WW_TRY(judge->load(judging.repository, stop));
  return judge;
}

Status judge_solutions(const Judging& judging, const std::vector<importer::Task>& tasks, importer::TaskRecords& records,
                       std::unique_ptr<importer::KernelBenchJudge> first, LiveLine& live, const std::stop_token& stop) {
  const std::vector<Waiting> all = WW_TRY(waiting(judging, tasks, records));
  explore::DeviceTurn turn(judging.device);
  for (std::size_t i = 0; i < all.size(); ++i) {
    TaskRecord record = all[i].record;
    live.show(
        fmt::format("judging {} of {}: level {}, {} {}", i + 1, all.size(), record.level, record.number, record.name));
    const auto judge = first ? std::move(first) : WW_TRY(started_judge(judging, stop));
    const Result<Judgement> found = judged(*judge, judging, all[i], turn, stop);
    if (!found && found.error().code == Code::cancelled) return fail(found.error());
    record.judged = found ? *found : Judgement();
    if (!found) {
      record.judged->outcome = Judged::failed;
      record.judged->why = found.error().text();
    }
    WW_TRY(keep(records, record, judging.results));
  }
  return {};
}

Status keep(importer::TaskRecords& records, const TaskRecord& record, const fs::path& results) {
  WW_TRY(records.put(record));
  return write_file_atomic(results / "report.md", importer::markdown_of(records.all()));
}

}  // namespace ww::cli
