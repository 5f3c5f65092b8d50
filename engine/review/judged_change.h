// SPDX-License-Identifier: Apache-2.0
// What differs between the evidence that a reviewer read and that of the judgement which is signed. Shapes and inputs
// are drawn anew for each judgement, so its counts differ even where nothing else does.
#pragma once
#include <string>
#include <vector>
#include "base/describe.h"
#include "evidence/verdict.h"

namespace ww::review {

enum class Judged : std::uint8_t { proved_cases, elements, reproducibility, checks };
constexpr auto names_of(Judged) {
  using enum Judged;
  return std::to_array<Enumerator<Judged>>({{proved_cases, "proved cases"},
                                            {elements, "elements of the outputs"},
                                            {reproducibility, "when repeated"},
                                            {checks, "looked for"}});
}

struct JudgedChange {
  Judged what = Judged::proved_cases;
  std::string before, now;
  bool weaker = false;  // the new judgement proves less
};
std::vector<JudgedChange> changes_between(const evidence::Verdict& before, const evidence::Verdict& now);
std::string change_text(const JudgedChange& change);  // "proved cases: 14 of 22, before 15 of 23"

}  // namespace ww::review
