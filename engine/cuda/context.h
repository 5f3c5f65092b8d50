// SPDX-License-Identifier: Apache-2.0
// Opening a GPU: its primary context, stream and numbers.
#pragma once
#include <memory>
#include "cuda/internal.h"

namespace ww::cuda {

// Code::unavailable if there is no driver or no such GPU; Code::device if the GPU exists but refuses.
Result<std::shared_ptr<Context>> open_context(int ordinal);
std::string driver_release();  // "580.159.04" from the kernel module; empty if it cannot be read

}  // namespace ww::cuda
