// SPDX-License-Identifier: Apache-2.0
// Specs that can be computed, but may not mean what a person wants.
#pragma once
#include <string>
#include <vector>
#include "op/spec.h"

namespace ww::op {

// Inputs that no output depends on, and outputs that depend on no input: a plain sentence each.
std::vector<std::string> doubts(const Spec& spec);

// A spec that a model wrote is unconfirmed until a person, or a kernel that computes the same, says otherwise: the line
// "//@ unconfirmed: WHY" above it goes with it wherever it is stored, and what has it cannot be signed.
std::string marked_unconfirmed(const std::string& text, const std::string& why);  // one line; replaces an earlier mark
bool is_unconfirmed(const Spec& spec);

}  // namespace ww::op
