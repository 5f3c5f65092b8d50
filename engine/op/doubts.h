// SPDX-License-Identifier: Apache-2.0
// Specs that can be computed, but may not be what the user wants.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include "op/spec.h"

namespace ww::op {

// Inputs that no output depends on, and outputs that depend on no input: one plain sentence each.
std::vector<std::string> doubts(const Spec& spec);
// The same by evaluating the spec at small sizes: outputs that are the same for all inputs, and outputs in which
// rounding hides nearly any error. Empty, too, where that would take too long.
std::vector<std::string> doubts_of_values(const Spec& spec);
// Numbers of 1000 and more that indices or sizes are compared or combined with, and that are no tensor's dimension: for
// a spec of unknown intent, which is confirmed by comparing results at small sizes.
std::vector<std::string> doubts_of_positions(const Spec& spec);

// A spec written by a model is unconfirmed until a person, or a kernel or module that computes the same, confirms it:
// the line "//@ unconfirmed: WHY" above it is stored with it everywhere, and blocks signing.
std::string marked_unconfirmed(const std::string& text, const std::string& why);  // one line; replaces an earlier mark
// With a comment that says so, where a person's word is all that stands for it.
std::string marked_confirmed(const std::string& text);
bool is_unconfirmed(const Spec& spec);

enum class Audience : std::uint8_t {
  glance,  // beside a result: a few words
  reader,  // of a result
  signer,  // who is told what to do
};
std::string unconfirmed_text(const Spec& spec, Audience audience);       // without a full stop; empty: it is confirmed
std::string unconfirmed_text(std::string_view spec, Audience audience);  // of a stored text, which may be unreadable

}  // namespace ww::op
