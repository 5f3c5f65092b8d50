// SPDX-License-Identifier: Apache-2.0
// When are two candidates the same? When every kernel that they launch is the same PTX but for what has no meaning
// (comments, line information, the numbering of registers and labels, names and order of symbols, white space), and
// their plans come to the same launches in every case that the gate tries. Equal identities: the same machine does the
// same work. Different ones say nothing: no algebra is done on the instructions.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include "candidate/candidate.h"
#include "gate/cases.h"

namespace ww::explore {

// The text of each entry in the form that is compared, by its name: tokens with one blank between them, its own name,
// parameters, registers, labels and variables numbered in order of appearance, what it uses of the module appended.
// Text that is no PTX gives what tokens it has; nothing fails.
std::map<std::string, std::string> normalised_entries(std::string_view ptx);

// 64 hex digits; empty where a launched kernel is not in the PTX, or the plan of a case cannot be made (each gets its
// own verdict then). `cases`: gate::derive_cases of the run's spec and binding.
std::string identity_of(const candidate::Candidate& candidate, const op::Spec& spec,
                        const std::vector<gate::Case>& cases, std::string_view ptx);

}  // namespace ww::explore
