// SPDX-License-Identifier: Apache-2.0
// libFuzzer: the container of a program's device code.
#include <cstddef>
#include <cstdint>
#include "cudart/fatbin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)ww::cudart::read_fatbin({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
