// SPDX-License-Identifier: Apache-2.0
// The sizes of an op that a candidate's "require" lines exclude.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include "base/describe.h"
#include "candidate/candidate.h"

namespace ww::candidate {

enum class ClaimKind : std::uint8_t {
  limit,      // one range of each size is claimed: C <= 8192, K <= N, C == 256
  alignment,  // multiples: C % 4 == 0
  hole,       // anything else: may exclude sizes between claimed ones
};
constexpr auto names_of(ClaimKind) {
  using enum ClaimKind;
  return std::to_array<Enumerator<ClaimKind>>({{limit, "limit"}, {alignment, "alignment"}, {hole, "hole"}});
}

struct Claim {
  static constexpr std::string_view described_as = "CLAIM";
  ClaimKind kind = ClaimKind::hole;
  std::string condition;    // "N != 4096"
  std::string not_claimed;  // its complement: "N == 4096"
  bool operator==(const Claim&) const = default;

  WW_FIELDS(Claim, kind, (condition, "a `require` line, or one side of its `&&`"), (not_claimed, "its complement"))
};

// One per condition on sizes, in order; conditions on tuned values only are left out.
std::vector<Claim> claims_of(const Candidate& candidate);
// The complements of the holes.
std::vector<std::string> holes_of(const Candidate& candidate);

}  // namespace ww::candidate
