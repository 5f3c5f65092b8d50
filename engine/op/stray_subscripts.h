// SPDX-License-Identifier: Apache-2.0
// Subscripts that come from an input, with other values than a spec allows: whether the source of the spec handles them
// shows whether the spec's limits cut off a part of it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "op/spec.h"

namespace ww::op {

struct StraySubscripts {
  std::string input;
  bool within = false;  // all lead to an element; else none does, and what is read there is 0
  Spec spec;            // in which the input has those values alone
};
// For each input with a domain whose values are subscripts, and whose reads are not padded: all values that lead to an
// element, if the domain has not all of them; those below and those above; and each of `others`.
std::vector<StraySubscripts> stray_subscripts(const Spec& spec, const std::vector<std::int64_t>& others = {});

}  // namespace ww::op
