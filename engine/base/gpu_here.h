// SPDX-License-Identifier: Apache-2.0
// Whether this machine has an NVIDIA GPU that programs may use, by what its driver leaves among the devices. No driver
// is loaded; a worker must still open the GPU.
#pragma once
#include <filesystem>

namespace ww {

// No, too, where CUDA_VISIBLE_DEVICES hides all of them. `devices`: the folder of device files.
bool gpu_here(const std::filesystem::path& devices = "/dev");

}  // namespace ww
