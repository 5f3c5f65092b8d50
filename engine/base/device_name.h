// SPDX-License-Identifier: Apache-2.0
// Names of devices as people and stored runs write them: "simt" is the SIMT machine, "cuda:0" the first GPU.
#pragma once
#include <string_view>

namespace ww {

inline constexpr std::string_view simt_device = "simt";
constexpr bool is_simt(std::string_view device) { return device == simt_device; }
constexpr bool is_gpu(std::string_view device) { return device.starts_with("cuda"); }

}  // namespace ww
