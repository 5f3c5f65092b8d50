// SPDX-License-Identifier: Apache-2.0
#include "lesson/judge.h"
#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include "base/files.h"
#include "base/plural.h"
#include "candidate/candidate.h"
#include "evidence/metric.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "stepping/subject.h"

namespace ww::lesson {
namespace {

Result<double> counter_of(const evidence::Verdict& verdict, const std::string& name) {
  const double value = verdict.metrics ? evidence::value_of(*verdict.metrics, name) : std::nan("");
  if (std::isnan(value)) return fail(Code::invalid_argument, "the SIMT machine has no counter '" + name + "'");
  return value;
}

// A kernel that claims only the shapes that suit it has not done the task.
Result<std::vector<std::string>> left_out_of(const evidence::Verdict& verdict, const Task& task, const op::Spec& spec) {
  const candidate::Candidate solution = WW_TRY(candidate::parse(task.solution, candidate::Language::cuda, "solution"));
  std::vector<std::string> out;
  for (const evidence::CaseCoverage& one : verdict.coverage) {
    if (one.claimed) continue;
    if (WW_TRY(candidate::claims(solution, spec, one.binding, candidate::first_tuning(solution))))
      out.push_back(one.case_name);
  }
  return out;
}

}  // namespace

std::string scope_text(const Task& task) {
  std::vector<std::string> conditions;
  if (const auto solution = candidate::parse(task.solution, candidate::Language::cuda, "solution"))
    for (const op::ExprPtr& condition : solution->requires_) conditions.push_back(op::print(*condition));
  return conditions.empty() ? "at every shape" : fmt::format("at every shape with {}", fmt::join(conditions, " and "));
}

std::string left_out_text(const Judged& judged) {
  if (judged.left_out.empty()) return {};
  return fmt::format("The kernel leaves out {} that the task asks for: {}. Its \"require\" excludes {}.",
                     plural(judged.left_out.size(), "case"), fmt::join(judged.left_out, ", "),
                     judged.left_out.size() == 1 ? "it" : "them");
}

bool Judged::passed() const {
  return verdict.accepted && left_out.empty() && std::ranges::all_of(goals, [](const Reached& r) { return r.met; });
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
  out.left_out = WW_TRY(left_out_of(out.verdict, task, op->spec));
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
