// SPDX-License-Identifier: Apache-2.0
// The rate of large square matrix products through cuBLAS, loaded at run time.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>
#include "cuda/internal.h"

namespace ww::cuda {

struct MatrixRates {
  std::vector<std::pair<std::string, double>>
      rates;            // "f32" (without tensor cores), "tf32", "f16", "bf16", "f64", "i8": operations per second
  std::string why_not;  // what is missing, and why; empty: nothing
};
// Runs on the context's stream with random data (all-zero operands draw less power, and run faster than real ones).
// Errors: cancelled, or a lost device. `folder`: searched for cuBLAS before the loader's path, such as NVRTC's.
Result<MatrixRates> matrix_rates(Context& context, const std::filesystem::path& folder, const std::stop_token& stop);

}  // namespace ww::cuda
