// SPDX-License-Identifier: Apache-2.0
// Translates driver errors after a launch. For .cpp files of engine/cuda only (includes cuda.h).
#pragma once
#include <cuda.h>
#include <string>
#include "base/fault.h"

namespace ww::cuda {

struct FaultClass {
  FaultKind kind = FaultKind::unknown;  // unknown: no error
  std::string sentence;  // for people, without a capital or a full stop: "an illegal memory access: a thread …"
  bool sticky = false;   // the context is destroyed: the process must be replaced before it uses the device again
};

// Covers every CUresult that a kernel, its launch or its memory can cause; any other is a device_error with its number,
// and assumed to be sticky.
FaultClass classify(CUresult code);

}  // namespace ww::cuda
