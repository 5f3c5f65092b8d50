// SPDX-License-Identifier: Apache-2.0
#include "base/gpu_here.h"
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace ww {

bool gpu_here(const std::filesystem::path& devices) {
  if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES"))
    if (const std::string_view these = visible; these.empty() || these.starts_with("-1")) return false;
  std::error_code error;
  for (const char* const file : {"nvidia0", "nvidiactl", "dxg"})  // dxg: in Windows' Subsystem for Linux
    if (std::filesystem::exists(devices / file, error)) return true;
  return false;
}

}  // namespace ww
