// SPDX-License-Identifier: Apache-2.0
// The container in which nvcc puts a program's device code ("fat binary"): its PTX, for each architecture.
// NVIDIA documents no layout; the one here is what nvcc 11 to 13 write.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>
#include "base/result.h"

namespace ww::cudart {

struct FatbinCode {
  int architecture = 0;  // 75: sm_75
  std::string ptx;
};
struct Fatbin {
  std::vector<FatbinCode> ptx;    // in the container's order
  std::vector<int> machine_code;  // architectures of which it has machine code
};

inline constexpr std::size_t most_ptx_bytes = std::size_t{256} << 20;  // of one entry, unpacked

// `bytes` may be longer than the container. Errors: corrupt, unsupported (a packing that is not known).
Result<Fatbin> read_fatbin(std::span<const std::byte> bytes);

}  // namespace ww::cudart
