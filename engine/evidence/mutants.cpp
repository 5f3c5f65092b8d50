// SPDX-License-Identifier: Apache-2.0
#include "evidence/mutants.h"

namespace ww::evidence {
namespace {

std::string_view why_text(Survival why) {
  switch (why) {
    case Survival::equal: return "the same values wherever it was evaluated";
    case Survival::within_bound: return "other values, within the error bounds";
    case Survival::undefined: return "it cannot be evaluated";
    case Survival::not_tried: return "the same values so far, but not tried on all inputs: too much work";
    case Survival::unknown: break;
  }
  return "for an unknown reason";
}

}  // namespace

std::string survivor_text(const Survivor& s) {
  return s.target + ": " + s.after + " for " + s.before + " (" + std::string(why_text(s.why)) + ")";
}

std::string mutants_text(const MutantCounts& m) {
  std::string text = std::to_string(m.told_apart) + " of " + std::to_string(m.all) +
                     (m.all == 1 ? " mutant" : " mutants") + " of the spec killed";
  const auto add = [&](int count, const char* what) {
    if (count > 0) text += ", " + std::to_string(count) + ' ' + what;
  };
  add(m.equal, "equivalent to it");
  add(m.within_bound, "different only within the error bounds");
  add(m.undefined, "without values");
  add(m.not_tried, "not tried on all inputs");
  return text;
}

std::vector<std::string> mutant_texts(const MutantCounts& m) {
  std::vector<std::string> texts{mutants_text(m)};
  for (const Survivor& s : m.survivors) texts.push_back("survives: " + survivor_text(s));
  if (m.unlisted() > 0) texts.push_back(std::to_string(m.unlisted()) + " more survive that are not listed");
  return texts;
}

}  // namespace ww::evidence
