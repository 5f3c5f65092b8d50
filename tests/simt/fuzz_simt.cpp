// SPDX-License-Identifier: Apache-2.0
// libFuzzer: the PTX parser and decoder, and a short run of what they accept.
#include <cstddef>
#include <cstdint>
#include "simt/simt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto program = ww::simt::load({reinterpret_cast<const char*>(data), size});
  if (!program) return 0;
  for (const auto& kernel : (*program)->kernels()) {
    if (kernel.param_bytes > 4096) continue;
    ww::simt::Memory memory(1 << 20);
    ww::simt::LaunchOptions options;
    options.instruction_budget = 1000;
    options.threads = 1;
    (void)ww::simt::launch(**program, kernel.name, {{1}, {40}, 0, std::vector<std::byte>(kernel.param_bytes)}, memory,
                           options);
  }
  return 0;
}
