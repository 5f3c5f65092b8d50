// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace ww::rpc {

// WorkerOptions::profile for a worker that runs kernels on this device ("simt", "cuda:0").
inline std::string worker_profile(std::string_view device) { return device.starts_with("cuda") ? "cuda" : "simt"; }

}  // namespace ww::rpc
