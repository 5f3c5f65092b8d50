// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include "gate/judge.h"
#include "gate/limits.h"
#include "gate/prepared.h"

namespace ww::gate {

Status Judge::other_tunings() {
  constexpr std::size_t most = 6;  // with the one that is judged
  int number = -1000;              // others than those of the stage `smoke`
  for (const candidate::Tuning& tuning : candidate::tunings(candidate_, most)) {
    if (tuning == tuning_) continue;
    const auto other = WW_TRY(load_tuning(tuning));
    if (!other) continue;
    const auto smallest = std::min_element(cases_.begin(), cases_.end(),
                                           [](const JudgedCase& a, const JudgedCase& b) { return a.work < b.work; });
    for (const JudgedCase* c : {&*smallest, &cases_.back()}) {
      WW_TRY(run_other(*other, *c, {op::Distribution::normal, op::Distribution::large}, number));
      if (result_.outcome == Outcome::failed) return {};
    }
  }
  return {};
}

// Null: values that no launch can have, or that do not compile.
Result<std::optional<OtherProgram>> Judge::load_tuning(const candidate::Tuning& tuning) {
  const auto plan = candidate::plan(candidate_, spec_, cases_.back().what.binding, tuning);
  if (!plan) return std::optional<OtherProgram>();
  const ww::compile::Request request = compile_request(candidate_, tuning, request_.architecture, *services_.device);
  const Result<ww::compile::Output> output = services_.compiler->compile(request);
  if (!output && output.error().code != Code::compile) return fail(output.error());
  if (!output) return std::optional<OtherProgram>();
  for (const candidate::PlannedLaunch& launch : plan->launches)
    if (!refused_by(request.architecture, launch, output->resources).empty()) return std::optional<OtherProgram>();
  const auto module = services_.device->load(*output);
  if (!module && (module.error().code == Code::internal || module.error().code == Code::cancelled))
    return fail(module.error());
  if (!module) return std::optional<OtherProgram>();
  std::string values;
  for (const auto& [name, value] : tuning)
    values += (values.empty() ? "with " : ", ") + name + " = " + std::to_string(value);
  return std::optional(OtherProgram{values, *module, tuning});
}

}  // namespace ww::gate
