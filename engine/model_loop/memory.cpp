// SPDX-License-Identifier: Apache-2.0
#include "model_loop/memory.h"
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include "appraisal/moves.h"
#include "evidence/explain.h"
#include "generator/run_options.h"
#include "model_loop/memory_file.h"
#include "op/parse.h"

namespace ww::model_loop {
namespace {

constexpr std::size_t most_runs = 200, most_code = 12000;  // runs that are looked at, newest first; bytes

// Of the parameters, in order: ranks and types that are the same.
int common(const std::vector<op::Param>& a, const std::vector<op::Param>& b) {
  int points = a.size() == b.size() ? 2 : 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    points += (a[i].shape.size() == b[i].shape.size()) + (a[i].dtype == b[i].dtype);
  return points;
}

struct Kin {  // an op that resembles the new one
  std::string op;
  int likeness = 0;
  bool same = false;
  std::map<std::string, std::int64_t> defaults;  // of its symbols
};
std::optional<Kin> kin_of(const op::Spec& spec, const std::string& family, const std::string& text) {
  const Result<op::Spec> other = op::parse_spec(text);
  if (!other || appraisal::family_of(*other) != family) return std::nullopt;
  const bool same = other->text == spec.text;
  return Kin{other->name,
             (same ? 100 : 0) + 10 * (other->name == spec.name) + common(spec.inputs, other->inputs) +
                 common(spec.outputs, other->outputs),
             same,
             {other->defaults.begin(), other->defaults.end()}};
}

std::string measured_at(const store::RunRecord& run, const Kin& kin) {
  const Result<generator::RunOptions> options = generator::options_from_json(run.options);
  if (!options) return {};
  op::Binding binding = options->binding;
  binding.symbols.insert(kin.defaults.begin(), kin.defaults.end());
  const std::string sizes = evidence::binding_text(binding);
  return sizes + (sizes.empty() ? "" : ", ") + run.architecture;
}

}  // namespace

// Scores of two units are never compared: those of the first accepted candidate count.
std::optional<Remembered> best_of_run(store::Workspace& workspace, const store::RunRecord& run) {
  std::optional<store::CandidateRecord> first;
  std::map<std::pair<std::string, Provenance>, store::CandidateRecord> best_by_unit;
  const Status read = workspace.each_candidate(run.id, [&](const store::CandidateRecord& c) -> Status {
    if (c.state != store::CandidateState::accepted || c.imported || !c.score || !(*c.score > 0)) return {};
    if (!first || c.order < first->order) first = c;
    const auto [at, is_new] = best_by_unit.try_emplace({c.score_unit, c.score_provenance}, c);
    if (!is_new && *c.score < *at->second.score) at->second = c;
    return {};
  });
  if (!read || !first) return std::nullopt;
  const store::CandidateRecord* const best = &best_by_unit.at({first->score_unit, first->score_provenance});
  Remembered r;
  r.candidate = best->id;
  r.run = run.id;
  r.op = run.op_name;
  r.hash = best->hash;
  r.structure = best->structure;
  r.move = best->origin.move;
  r.score = *best->score;
  r.unit = best->score_unit;
  r.gain = best->id == first->id ? 0 : *first->score / *best->score;
  return r;
}

Result<std::vector<Remembered>> remembered_kernels(store::Workspace& workspace, const op::Spec& spec,
                                                   const std::string& device, std::int64_t before, std::size_t limit) {
  const std::string family = appraisal::family_of(spec);
  std::map<std::int64_t, std::optional<Kin>> kin;  // by op
  std::vector<Remembered> list;
  std::size_t seen = 0;
  for (const store::RunRecord& run : WW_TRY(workspace.runs())) {
    if (run.id >= before || run.device != device) continue;
    if (++seen > most_runs) break;
    auto at = kin.find(run.op);
    if (at == kin.end()) {
      const Result<store::OpRecord> op = workspace.op(run.op);
      at = kin.emplace(run.op, op ? kin_of(spec, family, op->text) : std::nullopt).first;
    }
    if (!at->second) continue;
    std::optional<Remembered> one = best_of_run(workspace, run);
    if (!one) continue;
    one->op = at->second->op;
    one->likeness = at->second->likeness;
    one->same_op = at->second->same;
    one->measured_at = measured_at(run, *at->second);
    const auto known = std::find_if(list.begin(), list.end(), [&](const Remembered& r) {
      return r.op == one->op && r.same_op == one->same_op && r.structure == one->structure && r.unit == one->unit &&
             r.measured_at == one->measured_at;
    });
    if (known == list.end())
      list.push_back(std::move(*one));
    else if (one->score < known->score)
      *known = std::move(*one);
  }
  // Those whose scores compare stand together, in the place of the newest of them.
  const auto peers = [](const Remembered& r) { return std::tie(r.op, r.unit, r.measured_at); };
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> newest;
  for (const Remembered& r : list) newest[peers(r)] = std::max(newest[peers(r)], r.run);
  std::ranges::stable_sort(list, [&](const Remembered& a, const Remembered& b) {
    return std::tuple(-a.likeness, -newest.at(peers(a)), a.score) <
           std::tuple(-b.likeness, -newest.at(peers(b)), b.score);
  });
  if (list.size() > limit) list.resize(limit);
  return list;
}

void add_imported(std::vector<Remembered>& list, store::Workspace& workspace, const op::Spec& spec,
                  const std::string& device, const std::string& time, std::size_t limit) {
  const std::string family = appraisal::family_of(spec);
  std::vector<Remembered> found;
  std::int64_t number = 0;
  constexpr std::size_t to_the_second = 19;  // of a time's text
  for (const ImportedMemory& m : imported_memory(workspace.folder())) {
    --number;
    if (m.imported.substr(0, to_the_second) > time.substr(0, to_the_second) || m.kernel.device != device) continue;
    const std::optional<Kin> kin = kin_of(spec, family, m.kernel.spec);
    if (!kin) continue;
    found.push_back({.candidate = number,
                     .op = kin->op,
                     .hash = m.kernel.hash,
                     .structure = m.kernel.structure,
                     .move = m.kernel.move,
                     .score = m.kernel.score,
                     .unit = m.kernel.unit,
                     .gain = m.kernel.gain,
                     .likeness = kin->likeness,
                     .same_op = kin->same,
                     .code = m.kernel.code});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Remembered& a, const Remembered& b) { return a.likeness > b.likeness; });
  for (Remembered& r : found)
    if (list.size() < limit) list.push_back(std::move(r));
}

static std::string name_of(const Remembered& r) {
  return fmt::format("{} {}", r.candidate < 0 ? "imported kernel" : "candidate", r.candidate);
}

std::string remembered_lines(const std::vector<Remembered>& list, Notes notes) {
  std::string out;
  for (const Remembered& r : list) {
    out += fmt::format("- {}, {}{}: {} {}", name_of(r), r.op, r.structure.empty() ? "" : ", " + r.structure,
                       r.score >= 1e5 ? fmt::format("{:.0f}", r.score) : fmt::format("{:.6g}", r.score), r.unit);
    if (!r.measured_at.empty()) out += " at " + r.measured_at;
    if (r.gain > 1) out += fmt::format(", {:.3g} times faster than the first of its run", r.gain);
    if (r.candidate < 0) out += ", says the file that it came with: it was never judged here";
    if (!r.move.empty() && notes == Notes::with) out += "; last step: " + r.move;
    out += '\n';
  }
  return out;
}

Result<std::string> remembered_code(store::Workspace& workspace, const Remembered& kernel) {
  if (kernel.candidate < 0) return kernel.code;
  return WW_TRY(workspace.candidate_row(kernel.candidate)).text;
}

llm::SheetText remembered_text(store::Workspace& workspace, const std::vector<Remembered>& list) {
  if (list.empty()) return {};
  const std::string lines = remembered_lines(list, Notes::with);
  const Remembered& first = list.front();
  const std::string text = remembered_code(workspace, first).value_or("");
  std::string code;
  if (!text.empty() && text.size() <= most_code)
    code = fmt::format("\nCode of {}, for {}:\n{}", name_of(first), first.same_op ? "this op" : first.op, text);
  return {lines + code, remembered_lines(list, Notes::without), {}};
}

}  // namespace ww::model_loop
