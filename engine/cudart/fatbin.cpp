// SPDX-License-Identifier: Apache-2.0
#include "cudart/fatbin.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <lz4.h>
#include <zstd.h>

namespace ww::cudart {
namespace {

constexpr std::uint32_t container_magic = 0xBA55ED50;
constexpr std::uint16_t ptx_kind = 1, elf_kind = 2;
constexpr std::uint64_t packed_lz4 = 0x2000, packed_zstd = 0x8000;

struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // of all entries
};
struct Entry {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t room;          // of the content, padded
  std::uint32_t packed_bytes;  // 0: not packed
  std::uint32_t options_at;
  std::uint16_t minor, major;
  std::uint32_t architecture, name_at, name_bytes;
  std::uint64_t flags, zero, unpacked_bytes;
};
static_assert(sizeof(Header) == 16 && sizeof(Entry) == 64);

tl::unexpected<Error> damaged() { return fail(Code::corrupt, "the program's device code is damaged"); }

Result<std::string> unpacked(std::span<const std::byte> content, const Entry& e) {
  if (e.unpacked_bytes > most_ptx_bytes) return damaged();
  const char* from = reinterpret_cast<const char*>(content.data());
  std::string out;
  if (e.packed_bytes == 0 && (e.flags & (packed_lz4 | packed_zstd)) == 0) {
    out.assign(from, content.size());
  } else if (e.packed_bytes > content.size()) {
    return damaged();
  } else if ((e.flags & packed_zstd) != 0) {
    out.resize(e.unpacked_bytes);
    if (ZSTD_decompress(out.data(), out.size(), from, e.packed_bytes) != out.size()) return damaged();
  } else if ((e.flags & packed_lz4) != 0) {
    out.resize(e.unpacked_bytes);
    const int done =
        LZ4_decompress_safe(from, out.data(), static_cast<int>(e.packed_bytes), static_cast<int>(out.size()));
    if (done < 0 || static_cast<std::size_t>(done) != out.size()) return damaged();
  } else {
    return fail(Code::unsupported, "the program's device code is packed in a way that is not known");
  }
  out.resize(std::min(out.size(), out.find('\0')));
  return out;
}

}  // namespace

Result<Fatbin> read_fatbin(std::span<const std::byte> bytes) {
  Header h{};
  if (bytes.size() < sizeof h) return damaged();
  std::memcpy(&h, bytes.data(), sizeof h);
  if (h.magic != container_magic || h.header_bytes < sizeof h || h.header_bytes > bytes.size() ||
      h.bytes > bytes.size() - h.header_bytes)
    return damaged();
  std::span<const std::byte> rest = bytes.subspan(h.header_bytes, h.bytes);
  Fatbin out;
  while (!rest.empty()) {
    Entry e{};
    if (rest.size() < sizeof e) return damaged();
    std::memcpy(&e, rest.data(), sizeof e);
    if (e.header_bytes < sizeof e || e.header_bytes > rest.size() || e.room > rest.size() - e.header_bytes)
      return damaged();
    if (e.kind == ptx_kind) {
      std::string ptx = WW_TRY(unpacked(rest.subspan(e.header_bytes, e.room), e));
      out.ptx.push_back({static_cast<int>(e.architecture), std::move(ptx)});
    } else if (e.kind == elf_kind) {
      out.machine_code.push_back(static_cast<int>(e.architecture));
    }
    rest = rest.subspan(e.header_bytes + e.room);
  }
  return out;
}

}  // namespace ww::cudart
