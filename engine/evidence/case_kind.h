// SPDX-License-Identifier: Apache-2.0
// The purpose of a case, encoded in its name. Case names are identifiers stored in verdicts; only this file creates and
// parses them.
#pragma once
#include <cstdint>
#include <string_view>

namespace ww::evidence {

enum class CaseKind : std::uint8_t {
  asked,    // "default": the requested shape
  reduced,  // "reduced": replaces a default that is too large to run
  tiny,     // "tiny": the smallest with more than one element
  fixed,    // "odd", "prime", "ones", "ragged", …: derived from the spec only; "even" (quick sets, not in a verdict's
            // coverage)
  // "tall", "wide", "long R": one symbol as long as the work allows; "longer R" (not in a verdict's coverage): as more
  // work allows
  longest,
  distinct,   // "apart 2": no two symbols are equal
  random,     // "random 1", "residues 1" (quick ones, not in a verdict's coverage): drawn from the secret
  constants,  // "constants 1": with other constants, drawn from the secret
  // "compared 1": one symbol is a number that the candidate's program compares with; "plan 1": the candidate's plan
  // takes a branch that no case before it takes; "wrap 1": as many elements as make an index of the program wrap;
  // "branch 1": a condition of the program on sizes comes out as in no case before it
  compared,
};

namespace case_names {
inline constexpr const char *asked = "default", *reduced = "reduced", *tiny = "tiny", *tall = "tall", *wide = "wide",
                            *even = "even", *powers = "powers", *flat = "flat";
// Prefixes: a symbol or a number follows.
inline constexpr const char *longest = "long ", *distinct = "apart ", *random = "random ", *constants = "constants ",
                            *compared = "compared ", *planned = "plan ", *residues = "residues ", *wrapping = "wrap ",
                            *branching = "branch ", *longer = "longer ";
}  // namespace case_names

CaseKind case_kind(std::string_view name);
bool is_drawn(CaseKind kind);  // anew for each judgement

}  // namespace ww::evidence
