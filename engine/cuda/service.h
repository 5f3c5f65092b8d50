// SPDX-License-Identifier: Apache-2.0
// The kernels by which a device makes inputs, compares outputs and copies' bytes, as launches that any device can run
// (so that they are tested on the SIMT machine, too), and their code on a GPU. A tensor name of "" means a null
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

// Fills the tensor with exactly the bytes of op::fill_input.
candidate::PlannedLaunch fill_launch(const std::string& tensor, op::Distribution distribution, std::uint64_t seed,
                                     int ordinal, DType dtype, const op::Domain& domain, std::int64_t count,
                                     std::uint32_t blocks);

// Sets the 32-bit word `flag` to 1 where the first `bytes` of the two tensors differ; leaves it alone otherwise. Both
// begin at a multiple of 16.
candidate::PlannedLaunch differ_launch(const std::string& a, const std::string& b, std::int64_t bytes,
                                       const std::string& flag, std::uint32_t blocks);

// Adds a digest of the first `words` 64-bit words to the 64-bit word `sum`; the tensor begins at a multiple of 8.
candidate::PlannedLaunch digest_launch(const std::string& tensor, std::int64_t words, const std::string& sum,
                                       std::uint32_t blocks);

// The rules of gate/compare.h; with a bound, an integer is right within it.
struct CompareTensors {
  std::string actual, value, bound;  // bound may be empty where the dtype is an integer
  std::string parts;                 // scratch, compare_part_bytes for each block
  std::string result;                // sizeof(CompareResult) bytes
};
inline constexpr std::size_t compare_part_bytes = 40;
struct CompareResult {                   // as the second launch leaves it
  std::int64_t wrong, unchecked, worst;  // worst: -1 where every element is right
  double worst_ratio, largest_ratio, expected, actual, bound;
};
std::vector<candidate::PlannedLaunch> compare_launches(const CompareTensors& tensors, DType dtype, std::int64_t count,
                                                       std::uint32_t blocks);

}  // namespace ww::cuda
