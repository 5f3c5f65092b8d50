// SPDX-License-Identifier: Apache-2.0
// The conditions of a candidate's program that follow from sizes and constants alone: which of them the cases tried,
// and cases for the others.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>
#include "candidate/candidate.h"
#include "evidence/verdict.h"
#include "gate/cases.h"
#include "op/spec.h"
#include "ptx/size_conditions.h"

namespace ww::gate {

class Branches {
 public:
  // The references must outlive it.
  Branches(std::string ptx, const candidate::Candidate& candidate, const op::Spec& spec,
           const candidate::Tuning& tuning);

  void note(const op::Binding& binding, const candidate::Plan& plan);  // of a case that was run
  void forget();                                                       // what was noted
  evidence::SizeBranches counts() const;

  // Up to `count` claimed cases of at most `most_work` in which a condition comes out as in none that was noted, or of
  // `known`; sizes are drawn from `seed`. Errors: cancelled.
  Result<std::vector<Case>> untried_cases(const std::vector<Case>& known, const CaseOptions& options, double most_work,
                                          int count, std::uint64_t seed);

 private:
  enum Seen : std::uint8_t { seen_no = 1, seen_yes = 2, seen_both = 3 };
  struct Kernel {
    ptx::SizeConditions conditions;
    std::vector<std::uint8_t> seen;  // by condition
    std::vector<bool> open;          // by condition: no claimed launch is known to be on one side alone
  };
  friend class BranchSearch;

  ptx::ScalarLaunch launch_of(const candidate::PlannedLaunch& planned, const candidate::Launch& written) const;
  std::int64_t least_of(const op::Expr& e) const;
  // By kernel: what each condition comes out as in any of the plan's launches.
  std::map<std::string, std::vector<std::uint8_t>> seen_in(const candidate::Plan& plan) const;

  const std::string ptx_;
  const ptx::File file_;
  const candidate::Candidate& candidate_;
  const op::Spec& spec_;
  const candidate::Tuning& tuning_;
  std::map<std::string, ptx::ScalarRange> constants_;  // the values of each that the gate tries
  std::map<std::string, Kernel> kernels_;
  std::vector<op::Binding> noted_;
};

}  // namespace ww::gate
