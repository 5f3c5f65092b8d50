// SPDX-License-Identifier: Apache-2.0
#include "explore/spec_fault.h"
#include <limits>
#include "evidence/explain.h"
#include "gate/reference.h"
#include "op/work.h"

namespace ww::explore {
namespace {

constexpr double most_steps = 1e6;  // a few milliseconds
constexpr int tries = 3;

}  // namespace

bool of_spec(Code code) { return code == Code::invalid_argument || code == Code::parse; }

Status check_computable(const op::Spec& spec, const std::vector<evidence::Case>& cases, const std::stop_token& stop) {
  const evidence::Case* smallest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const evidence::Case& c : cases)
    if (const Result<double> steps = op::steps_of(spec, c.binding); steps && *steps < least)
      least = *steps, smallest = &c;
  if (!smallest || least > most_steps) return {};
  Error last;
  for (int i = 0; i < tries; ++i) {
    gate::InputSet inputs{smallest->binding};
    inputs.seed = static_cast<std::uint64_t>(i);
    const auto made = gate::make_reference(spec, inputs, 1, stop);
    if (made || made.error().code != Code::invalid_argument) return {};
    last = made.error();
  }
  const std::string sizes = evidence::binding_text(smallest->binding);
  return fail(Code::invalid_argument, "op '" + spec.name + "' cannot be computed: " + last.text() + " (case " +
                                          smallest->name + (sizes.empty() ? "" : ", " + sizes) + ")");
}

}  // namespace ww::explore
