// SPDX-License-Identifier: Apache-2.0
#include "profile/measurement.h"

namespace ww::profile {

// Bits: NVML API Reference Guide, NvmlClocksEventReasons. Idle (1) holds nothing down.
std::string throttle_words(std::uint64_t reasons) {
  static constexpr std::pair<std::uint64_t, std::string_view> words[] = {{0x002, "clocks set by an application"},
                                                                         {0x004, "power cap"},
                                                                         {0x008, "hardware slowdown"},
                                                                         {0x010, "clocks tied to another GPU"},
                                                                         {0x020, "thermal slowdown"},
                                                                         {0x040, "hardware thermal slowdown"},
                                                                         {0x080, "power brake"},
                                                                         {0x100, "display clocks"}};
  std::string out;
  const auto add = [&](std::string_view word) { out += (out.empty() ? "" : ", ") + std::string(word); };
  for (const auto& [bit, word] : words)
    if (reasons & bit) add(word);
  if (reasons & ~std::uint64_t{0x1ff}) add("other reasons");
  return out;
}

}  // namespace ww::profile
