// SPDX-License-Identifier: Apache-2.0
// Checks whether an op spec means what its source does. A naive kernel, with the launch plan suggested by its
// signature, goes through the gate like any candidate; another spec made of the same source is evaluated on the same
// inputs.
#pragma once
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "candidate/compared_literals.h"
#include "evidence/verdict.h"
#include "op/agreement.h"
#include "op/spec.h"
#include "rpc/supervisor.h"

namespace ww::explore {

struct CrossCheck {
  bool guessed = false;       // parts of the plan: a rejection may be due to the plan
  bool ignored_plan = false;  // the text has launch lines, but not the line "//@ candidate" without which none is read
  evidence::Verdict verdict;
  // Inputs that the spec limits to certain values, where it computes the same for these alone.
  std::vector<std::string> narrowed;
  // Parts of the spec that nothing shows which was compared: "if(N > 9, 0, x[i])" as well as "x[i]".
  std::vector<std::string> unseen;
  bool unexamined = false;  // whether there are more takes too long to tell
  // Numbers that the kernel compares with where no compared case came to the other side; lines are the kernel's.
  std::vector<candidate::ComparedLiteral> untried;
};
// On the SIMT machine, for the spec's default case and, where the kernel compares with larger numbers, beyond these, as
// far as that is cheap; with the plan that the text has, else the one that its kernel's
// signature suggests. Code::not_found: no plan can be derived (several kernels, or an unexplained parameter).
Result<CrossCheck> cross_check(const op::Spec& spec, const std::string& kernel, rpc::Supervisor& worker,
                               std::stop_token stop);

struct SpecComparison {
  op::Agreement agreement = op::Agreement::unknown;
  int sets = 0;                               // of inputs, on which both were evaluated
  std::string difference;                     // the first that was found: "on normal inputs: y[3] is 2, not 4"
  std::vector<std::string> narrowed, unseen;  // as of CrossCheck, of the spec that was checked
  bool unexamined = false;
};
// At small sizes, for at most four inputs in any order, as op::agreement, but on more sets of inputs.
SpecComparison compare_specs(const op::Spec& a, const op::Spec& b);
// Whether `spec` computes what `source` does, for values beyond its own limits, too.
SpecComparison check_against(const op::Spec& spec, const op::Spec& source);

}  // namespace ww::explore
