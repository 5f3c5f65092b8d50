// SPDX-License-Identifier: Apache-2.0
// What a driver error after a launch says about the kernel. Header of engine/cuda's own .cpp files (it holds cuda.h).
#pragma once
#include <cuda.h>
#include <string>
#include <string_view>

namespace ww::cuda {

struct FaultClass {
  std::string
      kind;  // the SIMT machine's words where it has one: "out of bounds", "misaligned", "trap", …; empty: no error
  std::string sentence;  // for a person, without a capital or a full stop: "an illegal memory access: a thread …"
  bool sticky = false;   // the context is gone: the process must be replaced before anything else runs on the device
};

// Every CUresult that a kernel, its launch or its memory can cause; any other is of kind "device error", with its
// number, and taken to be sticky.
FaultClass classify(CUresult code);

inline constexpr std::string_view device_lost = "device lost";  // the kind that no candidate can be blamed for

}  // namespace ww::cuda
