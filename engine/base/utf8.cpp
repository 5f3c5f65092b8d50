// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"
#include <cstdint>

namespace ww {

std::optional<std::size_t> bad_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<std::uint8_t>(text[k]) : 0u; };
    const std::uint32_t lead = byte(i);
    const int extra = lead < 0x80                   ? 0
                      : lead >= 0xC2 && lead < 0xE0 ? 1
                      : lead >= 0xE0 && lead < 0xF0 ? 2
                      : lead >= 0xF0 && lead < 0xF5 ? 3
                                                    : -1;
    if (extra < 0) return i;
    for (int k = 1; k <= extra; ++k)
      if ((byte(i + static_cast<std::size_t>(k)) & 0xC0) != 0x80) return i;
    const std::uint32_t second = byte(i + 1);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
        (lead == 0xF4 && second > 0x8F))
      return i;
    i += static_cast<std::size_t>(extra) + 1;
  }
  return std::nullopt;
}

std::string clipped(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return std::string(text.substr(0, bytes)) + "…";
}

}  // namespace ww
