// SPDX-License-Identifier: Apache-2.0
// An input set and its reference, generated and kept in a device's memory, for cases too large to evaluate on the host.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "op/evaluate.h"
#include "op/inputs.h"
#include "op/spec.h"

namespace ww::device {

struct SetRequest {
  op::Binding binding;
  op::Distribution distribution = op::Distribution::normal;
  std::uint64_t seed = 0;
  bool references = true;  // false: inputs only (for timing without checks)
  std::stop_token stop;
};

class ResidentSet {  // immutable; belongs to the device that made it and must not outlive it
 public:
  virtual ~ResidentSet() = default;
  virtual std::size_t bytes() const = 0;  // of the device's memory
  virtual bool has_references() const = 0;
  virtual const std::map<std::string, std::vector<std::int64_t>>& shapes() const = 0;  // of inputs and outputs
  // Copies to the host, for checking the device's reference and for reports.
  virtual Result<op::HostTensor> input(const std::string& name) const = 0;
  virtual Result<op::ReferenceTensor> reference(const std::string& name) const = 0;
};

// The rules of gate/compare.h, evaluated on the device for one output.
struct ResidentComparison {
  std::int64_t total = 0, unchecked = 0, wrong = 0;
  std::int64_t worst = -1;                     // row-major index of the worst wrong element; -1: none is wrong
  double expected = 0, actual = 0, bound = 0;  // of that element
  double largest_ratio = 0;                    // of error to bound over the correct elements
};

}  // namespace ww::device
