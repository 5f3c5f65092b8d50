// SPDX-License-Identifier: Apache-2.0
// The identity of a program. Two candidates are the same if all kernels that they launch have the same normalised PTX
// (ptx/normal.h) and their plans give the same launches in every case. Equal identities do the same work on the same
// machine. Different identities may still be equivalent: instructions are not compared algebraically.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "candidate/candidate.h"

namespace ww::identity {

struct BoundCase {  // one of the gate's cases
  std::string name;
  op::Binding binding;
};

// 64 hex digits; empty if a launched kernel is not in the PTX, or a case's plan cannot be made (each then gets its own
// verdict).
std::string program_identity(const candidate::Candidate& candidate, const op::Spec& spec,
                             const std::vector<BoundCase>& cases, std::string_view ptx);

}  // namespace ww::identity
