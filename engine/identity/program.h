// SPDX-License-Identifier: Apache-2.0
// The identity of a program. Two candidates are the same if every kernel that they launch has the same normalised PTX
// (ptx/normal.h) and their plans give the same launches in every case. Equal identities: the same machine does the same
// work. Different ones say nothing: no algebra is done on the instructions.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "candidate/candidate.h"

namespace ww::identity {

struct BoundCase {  // one of the cases that the gate tries
  std::string name;
  op::Binding binding;
};

// 64 hex digits; empty where a launched kernel is not in the PTX, or the plan of a case cannot be made (each gets its
// own verdict then).
std::string program_identity(const candidate::Candidate& candidate, const op::Spec& spec,
                             const std::vector<BoundCase>& cases, std::string_view ptx);

}  // namespace ww::identity
