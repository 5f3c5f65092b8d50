// SPDX-License-Identifier: Apache-2.0
// Failures as text, for people and generators.
#pragma once
#include <string>
#include <string_view>
#include "evidence/verdict.h"

namespace ww::evidence {

std::string element_name(const FailingElement& element);  // "y[3, 17]"
// "y[3, 17]: expected 0.25, got 0.5 (tolerance 1e-06); 12 of 4096 elements are wrong"
std::string element_text(const FailingElement& element);
// "out of bounds in kernel row_stats, line 12, block (3, 0, 0), thread (17, 0, 0): …"
std::string fault_text(const Fault& fault);
// "it depends on the order of warps"; empty: nothing to say
std::string depends_text(DependsOn what);
// "case odd (C = 33, R = 7), inputs normal, seed 2"
std::string case_text(const Failure& failure);
std::string binding_text(const op::Binding& binding);  // "C = 33, R = 7"

// Suggests how to get a verdict for a candidate that was not judged. Empty: it was judged, or no suggestion.
struct Remedy {
  std::string_view sentence;
  std::string_view flag;  // of the command line; may be empty
};
Remedy remedy_of(const Verdict& verdict);

// Why it was not accepted: stage message, failing element or fault, compiler log (its first `log_limit` bytes), and a
// suggestion. Empty for accepted candidates.
std::string failure_text(const Verdict& verdict, std::size_t log_limit = 4000);

}  // namespace ww::evidence
