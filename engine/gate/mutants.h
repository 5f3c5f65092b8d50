// SPDX-License-Identifier: Apache-2.0
// Whether the inputs of a judgement tell an op from its mutants (op/mutate.h), and which further ones do.
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

struct TriedCase {  // one that a judgement runs, with the distributions of its input sets
  Case what;
  std::vector<op::Distribution> sets;
};

struct FurtherSet {  // one that tells mutants apart which those do not
  std::string case_name;
  op::Distribution distribution = op::Distribution::normal;
};

struct ToldApart {
  evidence::MutantCounts counts;
  std::vector<FurtherSet> further;
};

// A mutant is told apart by an input set where an output that it gives, rounded to its type, is wrong by the rules of
// compare.h. `cases`: those that follow from the spec alone, the default first. They are tried as they are, those of
// much work left out, and like every judgement some that are drawn, where they are `claimed`; then each with all
// distributions that the spec takes. Errors: cancelled.
using Claimed = std::function<bool(const Case&)>;
Result<ToldApart> tell_apart(const op::Spec& spec, const std::vector<TriedCase>& cases, const Claimed& claimed,
                             std::stop_token stop = {});

class MutantCache {  // of the last few ops; thread-safe
 public:
  // Of equal cases the same ones are taken to be claimed.
  Result<ToldApart> get(const op::Spec& spec, const std::vector<TriedCase>& cases, const Claimed& claimed,
                        std::stop_token stop = {});

 private:
  std::mutex mutex_;
  std::list<std::pair<std::string, ToldApart>> known_;  // most recent first
};

}  // namespace ww::gate
