// SPDX-License-Identifier: Apache-2.0
// What the inputs of a judgement tell an op apart from.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include "base/describe.h"
#include "op/mutate.h"

namespace ww::evidence {

enum class Survival : std::uint8_t {
  unknown,       // of a stored verdict whose word this build does not know
  equal,         // gave the same values wherever it was evaluated
  within_bound,  // gave others, all within the error bounds
  undefined,     // could not be evaluated somewhere: a kernel like it reads out of bounds
  not_tried,     // gave the same values on what was evaluated, but not all was: too much work
};
constexpr auto names_of(Survival) {
  using enum Survival;
  return std::to_array<Enumerator<Survival>>({{unknown, "unknown"},
                                              {equal, "equal"},
                                              {within_bound, "within bound"},
                                              {undefined, "undefined"},
                                              {not_tried, "not tried"}});
}

struct Survivor {  // a mutant that no input killed
  op::Mutation kind = op::Mutation::unknown;
  Survival why = Survival::unknown;
  std::string target, before, after;  // in the equation of `target`, `before` became `after`
  bool operator==(const Survivor&) const = default;
  WW_FIELDS(Survivor, kind, why, (target, "of the equation"), (before, "the expression that was changed"), after)
};

inline constexpr std::size_t most_survivors = 40;  // that are listed

struct MutantCounts {
  int all = 0, told_apart = 0, equal = 0, within_bound = 0, undefined = 0, not_tried = 0;
  std::vector<Survivor> survivors;  // the undefined ones left out, and those beyond `most_survivors`
  int unlisted() const {            // survivors that are not in the list
    return all - told_apart - static_cast<int>(survivors.size());
  }
  bool operator==(const MutantCounts&) const = default;
  WW_FIELDS(MutantCounts, (all, "specs that differ from the op's in one place"),
            (told_apart, "a kernel that computed one would be wrong on the inputs"),
            (equal, "gave the same values wherever they were evaluated"),
            (within_bound, "gave others, all within the error bounds"),
            (undefined, "read out of bounds somewhere, or could not be evaluated for another reason"),
            (not_tried, "gave the same values on the inputs on which they were evaluated; the others are too much work",
             sparse),
            (survivors, "at most 40; undefined ones are left out", sparse),
            (unlisted, "survivors that are not in the list; follows from the counts, not read back"))
};

std::string survivor_text(const Survivor& survivor);  // "y: max(c) x[r, c] for …: within the error bounds"
std::vector<std::string> mutant_texts(const MutantCounts& mutants);  // that sentence, then one for each survivor
std::string mutants_text(const MutantCounts& mutants);  // "47 of 52 mutants of the spec killed, 3 are equal …"

}  // namespace ww::evidence
