// SPDX-License-Identifier: Apache-2.0
// Many quick cases whose sizes and integer constants cover all small remainders: some of them expose a kernel that
// takes a size or constant modulo a small number, or is right only for multiples.
#pragma once
#include <functional>
#include <stop_token>
#include <vector>
#include "base/result.h"
#include "gate/cases.h"

namespace ww::gate {

inline constexpr int residue_cases = 16;

// `residue_cases` `wanted` cases or fewer, in which each symbol takes consecutive values in a drawn order, as far as
// the work stays small: all remainders of divisions by 2 to 16; in every other one, so does each whole constant. Then
// six in which one of two symbols is one more than the other, one less, equal, or two, three times or half as large.
// Then up to two for each integer constant: from 8 to 15 and from 16 to 47, such that its last three or four bits alone
// would give another result. `own`: the requested case. Errors: cancelled.
Result<std::vector<Case>> residues(const op::Spec& spec, const Case& own, const std::function<std::uint64_t()>& draw,
                                   const std::function<bool(const op::Binding&)>& wanted, std::stop_token stop);

}  // namespace ww::gate
