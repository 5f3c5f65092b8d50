// SPDX-License-Identifier: Apache-2.0
// What a worker's sandbox permits.
#pragma once
#include <cstdint>
#include <string_view>
#include "base/describe.h"
#include "base/device_name.h"

namespace ww::rpc {

enum class WorkerProfile : std::uint8_t {
  unknown,
  simt,  // nothing beyond the worker's own files
  cuda,  // also the driver's devices
};

constexpr auto names_of(WorkerProfile) {
  using enum WorkerProfile;
  return std::to_array<Enumerator<WorkerProfile>>({{unknown, ""}, {simt, "simt"}, {cuda, "cuda"}});
}

// For a worker that runs kernels on this device.
constexpr WorkerProfile worker_profile(std::string_view device) {
  return is_gpu(device) ? WorkerProfile::cuda : WorkerProfile::simt;
}

}  // namespace ww::rpc
