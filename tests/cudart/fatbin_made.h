// SPDX-License-Identifier: Apache-2.0
// Device code in the container that nvcc makes, for tests.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <lz4.h>
#include <span>
#include <string>
#include <vector>
#include <zstd.h>

namespace testing {

enum class Packed { no, lz4, zstd };

inline std::string fatbin_of(const std::string& ptx, Packed how = Packed::no, unsigned architecture = 80) {
  std::string content = ptx + '\0';
  const std::size_t unpacked = content.size();
  std::string packed(how == Packed::zstd ? ZSTD_compressBound(unpacked) : LZ4_compressBound(static_cast<int>(unpacked)),
                     '\0');
  if (how == Packed::zstd)
    packed.resize(ZSTD_compress(packed.data(), packed.size(), content.data(), unpacked, 3));
  else if (how == Packed::lz4)
    packed.resize(static_cast<std::size_t>(LZ4_compress_default(
        content.data(), packed.data(), static_cast<int>(unpacked), static_cast<int>(packed.size()))));
  else
    packed = content;
  const auto size = static_cast<std::uint32_t>(packed.size());
  packed.resize((packed.size() + 7) / 8 * 8);
  std::string out;
  const auto put = [&](auto v) { out.append(reinterpret_cast<const char*>(&v), sizeof v); };
  put(std::uint32_t{0xBA55ED50}), put(std::uint16_t{1}), put(std::uint16_t{16});
  put(std::uint64_t{64 + packed.size()});
  put(std::uint16_t{1}), put(std::uint16_t{0x101}), put(std::uint32_t{64}), put(std::uint64_t{packed.size()});
  put(how == Packed::no ? 0u : size), put(std::uint32_t{0}), put(std::uint16_t{0}), put(std::uint16_t{8});
  put(architecture), put(std::uint32_t{0}), put(std::uint32_t{0});
  put(std::uint64_t{0x11u | (how == Packed::lz4 ? 0x2000u : how == Packed::zstd ? 0x8000u : 0u)});
  put(std::uint64_t{0}), put(std::uint64_t{how == Packed::no ? 0 : unpacked});
  return out + packed;
}

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace testing
