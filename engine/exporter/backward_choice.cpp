// SPDX-License-Identifier: Apache-2.0
#include "exporter/backward_choice.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include "exporter/backward.h"
#include "exporter/package.h"
#include "op/parse.h"
#include "store/paste.h"

namespace ww::exporter {
namespace {

// `resolved`: of what is asked.
std::vector<std::string> settings_for(const op::Spec& spec, const Asked& asked, const op::Resolved& resolved) {
  std::vector<std::string> out;
  for (const std::string& s : spec.symbols) {
    const auto own = spec.defaults.find(s);
    const auto size = resolved.symbols.find(s);
    if (size != resolved.symbols.end() && (own == spec.defaults.end() || own->second != size->second))
      out.insert(out.end(), {"--set", fmt::format("{}={}", s, size->second)});
  }
  for (const op::Constant& c : spec.constants)
    if (const auto given = asked.binding.constants.find(c.name); given != asked.binding.constants.end())
      out.insert(out.end(), {"--set", fmt::format("{}={}", c.name, given->second)});
  return out;
}

// Accepted by this machine's gate, the best first.
Result<std::vector<store::CandidateRecord>> proved_of(store::Workspace& workspace, std::int64_t run) {
  std::vector<store::CandidateRecord> out;
  WW_TRY(workspace.each_candidate(run, [&](const store::CandidateRecord& c) -> Status {
    if (!c.imported && c.state == store::CandidateState::accepted) out.push_back(c);
    return {};
  }));
  const auto worst = std::numeric_limits<double>::infinity();
  std::ranges::stable_sort(out, {}, [&](const store::CandidateRecord& c) { return c.score.value_or(worst); });
  return out;
}

}  // namespace

Result<BackwardChoice> backward_choice(store::Workspace& workspace, const op::Library& library,
                                       const store::CandidateRecord& forward) {
  const Asked asked = WW_TRY(asked_of(workspace, forward));
  const op::Resolved own = WW_TRY(op::resolve(asked.spec, asked.binding));
  BackwardChoice out;
  out.op = asked.spec.name;
  if (const op::LibraryOp* entry = library.find(asked.spec.name); entry && same_equations(entry->spec, asked.spec))
    out.library_op = asked.spec.name;
  op::Gradient gradient = op::gradient_of(asked.spec);
  if (const auto* no = std::get_if<op::NoGradient>(&gradient)) {
    out.no_gradient = op::explain(*no, asked.spec);
  } else {
    out.spec = std::move(std::get<op::Backward>(gradient).spec);
    out.settings = settings_for(*out.spec, asked, own);
  }
  std::map<std::string, bool> fits;  // by the run's spec and constants
  for (const store::RunRecord& run : WW_TRY(workspace.runs())) {
    if (run.accepted == 0) continue;
    const Result<Asked> theirs = asked_of(run);
    if (!theirs) continue;  // of another version
    std::string key = op::print(theirs->spec);
    for (const auto& [name, value] : theirs->binding.constants) key += fmt::format("\n{}={}", name, value);
    const auto [known, is_new] = fits.try_emplace(key, false);
    if (is_new) known->second = std::holds_alternative<op::Backward>(fit_backward(asked, *theirs));
    if (!known->second) continue;
    const Result<op::Resolved> resolved = op::resolve(theirs->spec, theirs->binding);
    BackwardCandidate one;
    one.op = theirs->spec.name;
    if (resolved) one.sizes = resolved->symbols;
    one.same_sizes = resolved && std::ranges::all_of(one.sizes, [&](const auto& size) {
                       const auto at = own.symbols.find(size.first);
                       return at == own.symbols.end() || at->second == size.second;
                     });
    for (const store::CandidateRecord& c : WW_TRY(proved_of(workspace, run.id))) {
      const Result<bool> signature = is_signed(workspace, WW_TRY(workspace.candidate(c.id)));
      if (!signature) continue;
      one.id = c.id;
      one.structure = c.structure;
      one.is_signed = *signature;
      out.candidates.push_back(one);
    }
  }
  std::stable_partition(out.candidates.begin(), out.candidates.end(),
                        [](const BackwardCandidate& c) { return c.same_sizes; });
  return out;
}

std::string no_candidate_text(const BackwardChoice& choice, const std::filesystem::path& workspace) {
  if (!choice.spec) return fmt::format("There is no backward: {}.", choice.no_gradient);
  const std::string file = choice.op + "_backward.op";
  std::string explore = "explore " + store::shell_word(file);
  for (const std::string& word : choice.settings) explore += ' ' + store::shell_word(word);
  return fmt::format(
      "No proved candidate of this workspace computes the gradients of {}. '{}' writes their spec{}; '{}' looks for a "
      "kernel.",
      choice.op,
      fmt::format("warpwright-cli spec {} --gradient -o {}",
                  choice.library_op.empty() ? "FILE.op" : store::shell_word(choice.library_op),
                  store::shell_word(file)),
      choice.library_op.empty() ? " from the op's, FILE.op" : "", store::pasted(workspace, explore));
}

}  // namespace ww::exporter
