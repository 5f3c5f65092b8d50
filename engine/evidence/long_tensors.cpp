// SPDX-License-Identifier: Apache-2.0
#include "evidence/long_tensors.h"
#include <limits>
#include "evidence/explain.h"

namespace ww::evidence {
namespace {

std::string_view untried_text(LongUntried why) {
  switch (why) {
    case LongUntried::op: return "the last outputs of this op depend on all inputs";
    case LongUntried::work: return "even the last rows need too much work";
    case LongUntried::grid: return "no dimension of its grid grows with the tensors";
    case LongUntried::memory: return "its temporaries need too much memory";
    case LongUntried::order: return "its last blocks do not compute the last elements";
    case LongUntried::unknown: break;
  }
  return "for an unknown reason";
}

}  // namespace

bool wrong_in_long(const std::optional<LongTensors>& tried) { return tried && tried->outcome == LongOutcome::wrong; }

std::optional<std::int64_t> most_elements(const std::optional<LongTensors>& tried) {
  if (tried && tried->outcome == LongOutcome::right) return {};
  return tried && tried->proved > 0 ? tried->proved : std::numeric_limits<std::int32_t>::max();
}

std::string long_tensors_text(const LongTensors& t) {
  const std::string size =
                        t.tensor + " of " + std::to_string(t.elements) + " elements (" + binding_text(t.binding) + ")",
                    proved = t.proved > 0 ? "; right up to " + std::to_string(t.proved) + " elements" : "";
  switch (t.outcome) {
    case LongOutcome::right: return "right with " + size + "; its last blocks were run";
    case LongOutcome::wrong: {
      std::string how = t.fault ? ": " + std::string(enum_name(t.fault->kind)) : "";
      if (t.fault && t.fault->line > 0) how += " in line " + std::to_string(t.fault->line);
      return "wrong with " + size + how + proved;
    }
    case LongOutcome::refused: return "cannot be launched with " + size + proved;
    case LongOutcome::not_claimed: return "not claimed with " + size + proved;
    case LongOutcome::not_tried: return "not tried: " + std::string(untried_text(t.why)) + proved;
    case LongOutcome::unknown: break;
  }
  return "unknown";
}

}  // namespace ww::evidence
