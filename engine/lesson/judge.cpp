// SPDX-License-Identifier: Apache-2.0
#include "lesson/judge.h"
#include <algorithm>
#include <cmath>
#include "base/files.h"
#include "evidence/metric.h"
#include "op/sentence/phrasebook.h"
#include "stepping/subject.h"

namespace ww::lesson {
namespace {

Result<double> counter_of(const evidence::Verdict& verdict, const std::string& name) {
  const double value = verdict.metrics ? evidence::value_of(*verdict.metrics, name) : std::nan("");
  if (std::isnan(value)) return fail(Code::invalid_argument, "the SIMT machine has no counter '" + name + "'");
  return value;
}

}  // namespace

bool Judged::passed() const {
  return verdict.accepted && std::ranges::all_of(goals, [](const Reached& r) { return r.met; });
}

Result<Judged> judge_task(const Task& task, const std::string& kernel, const op::Library& library,
                          rpc::Supervisor& worker, const std::stop_token& stop, const rpc::ProgressHandler& progress) {
  const op::LibraryOp* const op = library.find(task.op);
  if (op == nullptr) return fail(Code::not_found, "the task's op '" + task.op + "' is not in the library");
  rpc::GateRequest request;
  request.spec = WW_TRY(read_file(op->file));
  request.binding = stepping::binding_for(op->spec, task.binding);
  request.candidate = kernel;
  Judged out;
  out.spec = request.spec;
  out.verdict = WW_TRY(worker.gate(request, stop, progress));
  if (!out.verdict.accepted) return out;
  std::optional<evidence::Verdict> start;
  if (std::ranges::any_of(task.goals, &Goal::of_start)) {
    request.candidate = task.start;
    start = WW_TRY(worker.gate(request, stop, progress));
    if (!start->accepted)
      return fail(Code::internal, "the starting code of '" + task.title + "' has no counters", start->summary());
  }
  for (const Goal& goal : task.goals) {
    Reached r{goal, WW_TRY(counter_of(out.verdict, goal.counter)), goal.value, false};
    if (goal.of_start) r.limit *= WW_TRY(counter_of(*start, goal.counter));
    r.met = holds(goal.relation, r.reached, r.limit);
    out.goals.push_back(std::move(r));
  }
  return out;
}

}  // namespace ww::lesson
