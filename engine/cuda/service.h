// SPDX-License-Identifier: Apache-2.0
// The kernels with which a device generates inputs, compares outputs and compares copies, as launches that any device
// can run (so that they are also tested on the SIMT machine), and their code on a GPU. A tensor name of "" means a null
// pointer.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "base/dtype.h"
#include "candidate/candidate.h"
#include "compile/compile.h"
#include "op/inputs.h"

namespace ww::cuda {

extern const char* const service_source;  // CUDA C++ without includes

// Fills the tensor with the same bytes as op::fill_input.
candidate::PlannedLaunch fill_launch(const std::string& tensor, op::Distribution distribution, std::uint64_t seed,
                                     int ordinal, DType dtype, const op::Domain& domain, std::int64_t count,
                                     std::uint32_t blocks);

// Sets the 32-bit word `flag` to 1 if the first `bytes` of the two tensors differ; else leaves it unchanged. Both must
// be 16-byte aligned.
candidate::PlannedLaunch differ_launch(const std::string& a, const std::string& b, std::int64_t bytes,
                                       const std::string& flag, std::uint32_t blocks);

// Adds a digest of the first `words` 64-bit words to the 64-bit word `sum`; the tensor must be 8-byte aligned.
candidate::PlannedLaunch digest_launch(const std::string& tensor, std::int64_t words, const std::string& sum,
                                       std::uint32_t blocks);

// The rules of gate/compare.h; an integer with a bound may differ within it.
struct CompareTensors {
  std::string actual, value, bound;  // bound may be empty if the dtype is an integer
  std::string parts;                 // scratch, compare_part_bytes per block
  std::string result;                // sizeof(CompareResult) bytes
};
inline constexpr std::size_t compare_part_bytes = 40;
struct CompareResult {                   // as written by the second launch
  std::int64_t wrong, unchecked, worst;  // worst: -1 if no element is wrong
  double worst_ratio, largest_ratio, expected, actual, bound;
};
std::vector<candidate::PlannedLaunch> compare_launches(const CompareTensors& tensors, DType dtype, std::int64_t count,
                                                       std::uint32_t blocks);

}  // namespace ww::cuda
