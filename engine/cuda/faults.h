// SPDX-License-Identifier: Apache-2.0
// Meaning of driver errors after a launch. Header of engine/cuda's own .cpp files (it holds cuda.h).
#pragma once
#include <cuda.h>
#include <string>
#include "base/fault.h"

namespace ww::cuda {

struct FaultClass {
  FaultKind kind = FaultKind::unknown;  // unknown: no error
  std::string sentence;  // for a person, without a capital or a full stop: "an illegal memory access: a thread …"
  bool sticky = false;   // the context is gone: the process must be replaced before anything else runs on the device
};

// Every CUresult that a kernel, its launch or its memory can cause; any other is a device_error with its number, and
// taken to be sticky.
FaultClass classify(CUresult code);

}  // namespace ww::cuda
