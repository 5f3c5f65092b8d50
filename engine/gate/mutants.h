// SPDX-License-Identifier: Apache-2.0
// Whether the inputs of a judgement kill the mutants of an op (op/mutate.h), and which further input sets do.
#pragma once
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>
#include "base/result.h"
#include "evidence/mutants.h"
#include "evidence/verdict.h"
#include "op/inputs.h"
#include "op/spec.h"

namespace ww::gate {

struct TriedCase {  // a case of a judgement with the distributions of its input sets
  Case what;
  std::vector<op::Distribution> sets;
};

struct FurtherSet {  // kills mutants that the usual sets do not
  std::string case_name;
  op::Distribution distribution = op::Distribution::normal;
};

struct ToldApart {
  evidence::MutantCounts counts;
  std::vector<FurtherSet> further;
};

// An input set kills a mutant if an output of the mutant, rounded to its type, is wrong by the rules of compare.h.
// `cases`: those derived from the spec alone, the default first. Tries the `claimed` ones as they are, without those of
// much work but with some drawn ones, as every judgement does; then each with all distributions of the spec. Errors:
// cancelled.
using Claimed = std::function<bool(const Case&)>;
// `most_work`: of all evaluations; mutants that still gave the same values then count as not tried.
inline constexpr double most_mutant_work = 2e7;
Result<ToldApart> tell_apart(const op::Spec& spec, const std::vector<TriedCase>& cases, const Claimed& claimed,
                             std::stop_token stop = {}, double most_work = most_mutant_work);

class MutantCache {  // for the last few ops; thread-safe
 public:
  // Assumes the same claims for equal cases.
  Result<ToldApart> get(const op::Spec& spec, const std::vector<TriedCase>& cases, const Claimed& claimed,
                        std::stop_token stop = {});

 private:
  std::mutex mutex_;
  std::list<std::pair<std::string, ToldApart>> known_;  // most recent first
};

}  // namespace ww::gate
