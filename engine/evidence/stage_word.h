// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include "evidence/verdict.h"

namespace ww::evidence {

// What people read: the stage `measure` is "count" where it simulated counts and measured nothing.
inline std::string_view stage_word(const Verdict& verdict, Stage stage) {
  const bool counted = verdict.metrics && verdict.metrics->provenance == Provenance::simulated;
  return stage == Stage::measure && counted ? "count" : enum_name(stage);
}

}  // namespace ww::evidence
