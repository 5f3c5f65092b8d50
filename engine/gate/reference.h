// SPDX-License-Identifier: Apache-2.0
// Input sets with their reference results, cached for the next judgement with the same secret.
#pragma once
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include "base/result.h"
#include "gate/cases.h"
#include "op/evaluate.h"
#include "op/inputs.h"
#include "op/spec.h"

namespace ww::gate {

struct InputSet {  // identifies one set of inputs
  op::Binding binding;
  op::Distribution distribution = op::Distribution::normal;
  std::uint64_t seed = 0;
  std::vector<double> planted;                     // of op::Distribution::planted
  op::Precision precision = op::Precision::usual;  // of the bounds
};

struct Reference {
  InputSet set;
  std::map<std::string, op::HostTensor> inputs;
  std::map<std::string, op::ReferenceTensor> outputs;
  std::map<std::string, std::int64_t> masked;  // per output: elements not compared because their lines are masked
  std::size_t bytes = 0;
};

// The headroom of bounds on these inputs (op::EvaluateOptions). Of scaled ones more, the more terms a sum may have: an
// honest kernel divides by their number after it has added them.
double headroom_of(op::Distribution d, const std::map<std::string, op::HostTensor>& inputs);

// Inputs in the spec's order (op::fill_input with the input's position as ordinal) and the evaluated spec.
Result<std::map<std::string, op::HostTensor>> make_inputs(const op::Spec& spec, const InputSet& set);
// The outputs on one set of normal inputs, without bounds. Empty if a tensor has no elements or the spec does
// not allow the binding: a window beyond its image reads out of range, which only evaluation reveals.
// threads: 0 for all.
std::optional<std::map<std::string, op::ReferenceTensor>> ordinary_outputs(const op::Spec& spec, const op::Binding& b,
                                                                           int threads, const std::stop_token& stop);
Result<std::shared_ptr<const Reference>> make_reference(const op::Spec& spec, const InputSet& set, int threads,
                                                        std::stop_token stop);

class ReferenceCache {  // evicts the least recently used; thread-safe
 public:
  explicit ReferenceCache(std::size_t limit_bytes = std::size_t{128} << 20) : limit_(limit_bytes) {}
  Result<std::shared_ptr<const Reference>> get(const op::Spec& spec, const InputSet& set, int threads = 0,
                                               std::stop_token stop = {});
  // derive_cases, cached for the last few ops.
  Result<std::vector<Case>> cases(const op::Spec& spec, const op::Binding& binding, const CaseOptions& options);
  std::size_t bytes() const;
  std::size_t hits() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Reference> reference;
  };
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // most recent first
  std::unordered_map<std::string, std::list<Entry>::iterator> index_;
  std::size_t bytes_ = 0, hits_ = 0;
  std::list<std::pair<std::string, std::vector<Case>>> cases_;
};

}  // namespace ww::gate
