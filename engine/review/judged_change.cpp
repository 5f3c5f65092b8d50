// SPDX-License-Identifier: Apache-2.0
#include "review/judged_change.h"
#include <algorithm>
#include <fmt/format.h>
#include "base/grouped.h"
#include "evidence/describe.h"

namespace ww::review {

namespace {

// Claimed, and not proved. How many cases there are, and which are claimed, differs from draw to draw.
std::ptrdiff_t open(const evidence::Verdict& v) {
  return std::ranges::count_if(v.coverage, [&](const evidence::CaseCoverage& c) {
    const evidence::CaseStanding standing = evidence::standing_of(v, c);
    return standing != evidence::CaseStanding::proved && standing != evidence::CaseStanding::not_claimed;
  });
}

std::string cases_text(const evidence::Verdict& v) {
  const evidence::CaseCounts cases = v.case_counts().value_or(evidence::CaseCounts());
  return fmt::format("{} of {}", cases.proved, cases.all);
}

std::int64_t unchecked(const evidence::ElementCounts& e) { return e.unproved + e.not_compared; }

std::string elements_text(const std::optional<evidence::ElementCounts>& e) {
  if (!e) return "not recorded";
  const std::string left = evidence::unproved_text(*e);
  return left.empty() ? fmt::format("all {} compared", grouped(std::to_string(e->total()))) : left;
}

std::string repeated_text(const evidence::Proof& proof) {
  return fmt::format("{}", fmt::join(evidence::reproducibility_texts(proof), "; "));
}

std::string looked_for_text(const evidence::Checks& checks) {
  const std::string text = evidence::checks_text(checks, evidence::CheckCoverage::yes);
  return text.empty() ? "nothing in full" : text;
}

bool fewer(const evidence::Checks& before, const evidence::Checks& now) {
  using evidence::Checks;
  for (const auto check : {&Checks::bounds, &Checks::alignment, &Checks::initialisation, &Checks::races})
    if (before.*check == evidence::CheckCoverage::yes && now.*check != evidence::CheckCoverage::yes) return true;
  return false;
}

}  // namespace

std::vector<JudgedChange> changes_between(const evidence::Verdict& before, const evidence::Verdict& now) {
  using evidence::Reproducibility;
  std::vector<JudgedChange> all;
  const auto add = [&](Judged what, const std::string& was, const std::string& is, bool weaker) {
    if (weaker || was != is) all.push_back({what, was, is, weaker});
  };
  add(Judged::proved_cases, cases_text(before), cases_text(now), open(now) > open(before));
  const auto &had = before.proof.elements, &has = now.proof.elements;
  add(Judged::elements, elements_text(had), elements_text(has),
      had && (!has || (unchecked(*had) == 0 && unchecked(*has) > 0)));
  add(Judged::reproducibility, repeated_text(before.proof), repeated_text(now.proof),
      before.proof.reproducibility == Reproducibility::bitwise &&
          now.proof.reproducibility != Reproducibility::bitwise);
  add(Judged::checks, looked_for_text(before.proof.checks), looked_for_text(now.proof.checks),
      fewer(before.proof.checks, now.proof.checks));
  return all;
}

std::string change_text(const JudgedChange& change) {
  return fmt::format("{}: {}, before {}", enum_name(change.what), change.now, change.before);
}

}  // namespace ww::review
