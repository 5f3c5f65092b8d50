// SPDX-License-Identifier: Apache-2.0
// Whether an op spec that a model wrote means what its source does: a kernel is run against it, a PyTorch module's own
// graph is evaluated beside it; where neither decides, the model is asked once more, without its first answer. Two
// answers of one model may share a misreading: that they agree confirms nothing, but that they differ is a doubt.
#pragma once
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/describe.h"
#include "explore/cross_check.h"
#include "llm/turns.h"

namespace ww::explore {

struct SecondFormulation {
  std::string text;
  SpecComparison comparison;
};
// How it is known that a spec computes the same as its source.
enum class Confirmation : std::uint8_t { none, person, kernel, module };
constexpr auto names_of(Confirmation) {
  using enum Confirmation;
  return std::to_array<Enumerator<Confirmation>>(
      {{none, "none"}, {person, "person"}, {kernel, "kernel"}, {module, "module"}});
}

struct FormulationSource {
  llm::Source kind = llm::Source::sentence;
  std::string text;
  std::optional<Result<op::Spec>> module;  // what PyTorch makes of it, if it was asked
};

struct FormulationCheck {
  std::vector<std::string> lint;                    // doubts about the spec alone: sentences
  std::optional<Result<CrossCheck>> kernel;         // empty: the source is no kernel
  std::optional<Result<SpecComparison>> module;     // empty: PyTorch was not asked
  std::optional<Result<SecondFormulation>> second;  // empty: the kernel or the module decided

  Confirmation confirmation() const;        // none where there are doubts
  bool contradicted() const;                // by the kernel or the module
  std::vector<std::string> doubts() const;  // sentences
  std::string report() const;               // on the comparisons, for people, in paragraphs; quotes the model
};

FormulationCheck check_formulation(const llm::Desk& desk, llm::Turns& models, const FormulationSource& source,
                                   const llm::Formulation& first, std::stop_token stop);

}  // namespace ww::explore
