// SPDX-License-Identifier: Apache-2.0
// Where a spec leaves a function's domain for some allowed inputs: by interval analysis of its expressions, from
// domains and rules of inputs, not from samples. A finding says "may be".
#pragma once
#include <string>
#include <vector>
#include "op/spec.h"

namespace ww::op {

struct DomainFinding {
  enum class Of {
    logarithm,  // NaN below `least`, minus infinity at it
    root,       // NaN below 0; of rsqrt also infinite at 0
    power,      // of a negative number to a non-integer: NaN
    divisor,    // zero
    overflow,   // of an f16 output: beyond 65504
  };
  Of of = Of::logarithm;
  std::string where;                // the expression, with its indices: "log(x[i] + 1)"
  std::string argument;             // its part that is outside: "x[i] + 1"
  double least = 0;                 // of a logarithm: -1 for log1p
  bool only_at_the_end = false;     // the argument may be at the domain's end, not beyond it
  std::vector<std::string> inputs;  // each would resolve it if it were positive
  bool operator==(const DomainFinding&) const = default;
};
std::vector<DomainFinding> domain_findings(const Spec& spec);
std::string finding_text(const DomainFinding& finding);  // one sentence

}  // namespace ww::op
