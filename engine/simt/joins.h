// SPDX-License-Identifier: Apache-2.0
// Where lanes are past an instruction that synchronises a warp, a barrier of the whole block, or the call of a function
// that may hold one: every way on from there leads through these places, and none of them leads back to it. A lane that
// comes to one will not come to the instruction any more.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace ww::simt {

struct Decoded;
struct FunctionCode;

struct Joins {
  std::vector<std::uint32_t> pcs;                             // ascending; the end of the function is none
  std::map<std::uint32_t, std::vector<std::uint32_t>> after;  // pc of the instruction -> positions in `pcs`
  std::span<const std::uint32_t> of(std::uint32_t pc) const {
    const auto at = after.find(pc);
    return at == after.end() ? std::span<const std::uint32_t>() : at->second;
  }
};

Joins joins_of(const Decoded& code, const FunctionCode& function);

}  // namespace ww::simt
