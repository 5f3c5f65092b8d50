// SPDX-License-Identifier: Apache-2.0
// What the runs of a judgement covered: elements with an error bound, and shapes.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include "evidence/verdict.h"

namespace ww::gate {

class CheckedElements {  // of one output
 public:
  // `bounded`: elements of an input set that have a finite error bound.
  void note(const std::string& case_name, op::Distribution distribution, std::int64_t bounded, std::int64_t total);
  bool all() const { return bounded_ == total_; }
  double unchecked_share() const { return unchecked_shares_ / sets_; }  // on average over the input sets
  evidence::Unchecked unchecked(const std::string& tensor) const;

 private:
  std::int64_t bounded_ = 0, total_ = 0;
  double unchecked_shares_ = 0;  // sum over the sets
  int sets_ = 0;
  std::map<std::string, std::map<op::Distribution, evidence::UncheckedIn>> cases_;
};

class TriedShapes {
 public:
  void note(const op::Binding& binding) { shapes_.emplace(binding.symbols, binding.constants); }
  void clear() { shapes_.clear(); }
  evidence::Tried tried(const std::vector<std::string>& symbols,
                        const std::vector<evidence::CaseCoverage>& coverage) const;

 private:
  std::set<std::pair<std::map<std::string, std::int64_t>, std::map<std::string, double>>> shapes_;
};

}  // namespace ww::gate
