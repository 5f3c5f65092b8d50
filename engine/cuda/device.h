// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs as devices "cuda:0", "cuda:1", … through the driver API, loaded at run time. No CUDA type appears here.
#pragma once
#include <memory>
#include <string_view>
#include "base/result.h"
#include "device/device.h"

namespace ww::cuda {

// Code::unavailable, with the reason, if there is no driver or no such GPU.
Result<std::unique_ptr<device::Device>> open(std::string_view name);
int device_count();       // 0 if there is none
void register_devices();  // makes device::open("cuda:N") work

}  // namespace ww::cuda
