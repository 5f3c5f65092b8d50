// SPDX-License-Identifier: Apache-2.0
// Whether an op spec that a model wrote means what its source does: a kernel is run against it; where that decides
// nothing, the model is asked once more, without its first answer. Two answers of one model may share a misreading:
// that they agree confirms nothing, but that they differ is a doubt.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include "explore/cross_check.h"
#include "llm/turns.h"

namespace ww::explore {

struct SecondFormulation {
  std::string text;
  SpecComparison comparison;
};
struct FormulationCheck {
  std::optional<Result<CrossCheck>> kernel;         // empty: the source is no kernel
  std::optional<Result<SecondFormulation>> second;  // empty: the kernel decided

  bool confirmed() const;      // by the kernel
  std::string doubt() const;   // for the spec, one sentence; empty: none
  std::string report() const;  // for people, in paragraphs; quotes the model
};

FormulationCheck check_formulation(const llm::Desk& desk, llm::Turns& models, llm::Source source,
                                   const std::string& text, const llm::Formulation& first, std::stop_token stop);

}  // namespace ww::explore
