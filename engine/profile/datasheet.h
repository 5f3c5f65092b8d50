// SPDX-License-Identifier: Apache-2.0
// The vendor's figures of a GPU, from resources/devices/<gpu>.json:
//   gpu      the product's name in common use
//   architecture  "sm_90"
//   multiprocessors  enabled in the product: from the same document, or the vendor's page on the GPU
//   names    the names that the driver gives it, whole ("NVIDIA H200"): a near match would be another product with
//            other figures
//   source   the document that the figures come from
//   rates    dense (no structured sparsity), per second, at the boost clock:
//            "bandwidth" bytes of device memory; "f64", "f32" operations of the plain lanes; "f64_tensor", "tf32",
//            "f16", "bf16", "i8" operations of the matrix units. A fused multiply-add is two operations. A rate that
//            the document does not give is absent.
// Files named sm_*.json in the same folder hold the limits of an architecture instead (occupancy.h).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "base/describe.h"
#include "base/result.h"

namespace ww::profile {

struct Datasheet {
  std::string gpu, architecture, source;
  int multiprocessors = 0;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, double>> rates;
  WW_FIELDS(Datasheet, gpu, architecture, multiprocessors, names, source, rates)
};
// not_found if no file names this GPU; corrupt if a file cannot be read.
Result<Datasheet> datasheet(std::string_view gpu_name);
Result<std::vector<Datasheet>> datasheets();  // all, by file name
// The GPU to model if none was measured: the one called `gpu` ("H200 SXM"), else the first of this architecture. Empty:
// neither exists.
std::optional<Datasheet> modelled_gpu(std::string_view gpu, std::string_view architecture);

}  // namespace ww::profile
