// SPDX-License-Identifier: Apache-2.0
// The slow and careful path of every memory access: one lane, all windows, all checks.
#include <cstring>
#include <shared_mutex>
#include "simt/block.h"
#include "simt/releases.h"

namespace ww::simt {

void raise(const Op& op, const FaultSite& site, const char* text) { throw FaultSignal{site, &op, text}; }

void keep_before_write(Exec& x, BufferView& buffer, std::uint64_t offset, std::size_t bytes) {
  LaunchState& launch = static_cast<Worker*>(x.worker)->launch();
  if (launch.journal != nullptr) launch.journal->keep(buffer, offset, bytes);
}

void note_fence(Exec& x, const Op& op, std::uint32_t) {
  const bool beyond_block = (op.flags & op_block) == 0;
  if (x.races != nullptr) x.races->fence(x.warp->index, beyond_block);
  if (beyond_block && x.releases != nullptr && x.wrote) x.releases->fence(x);
}

void discard_contents(Exec& x, const Op& op, std::uint32_t mask) {
  constexpr std::size_t line = 128;
  x.changed = true;
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if (((mask >> lane) & 1) == 0) continue;
    const std::uint64_t address = x.at<std::uint64_t>(op.a)[lane] + static_cast<std::uint64_t>(op.imm);
    std::byte* const place = checked_lane(x, op, lane, op.space, address, line, true, false);
    std::memset(place, 0xA5, line);
    if (const BufferView* const b = find_buffer(x, address); b != nullptr && b->init != nullptr)
      std::memset(b->init + (address - b->address), 0, line);
  }
}

BufferView* find_buffer(Exec& x, std::uint64_t address) {
  auto& memory = *static_cast<Memory::State*>(x.memory);
  const std::shared_lock lock(memory.mutex);  // a kernel's malloc may change the list
  return memory.find(address);
}

BufferView* find_buffer(Exec& x, const Op& op, std::uint64_t address) {
  BufferView*& cached = x.buffers[static_cast<std::size_t>(&op - x.code) % buffer_cache_size];
  if (address - cached->address < cached->size) return cached;
  BufferView* const found = find_buffer(x, address);
  if (found != nullptr) cached = found;
  return found;
}

std::byte* checked_lane(Exec& x, const Op& op, unsigned lane, Space space, std::uint64_t address, std::size_t bytes,
                        bool write, bool read, Space* found) {
  if (space == Space::generic || (space == Space::shared && (address & window_mask) == shared_window)) {
    switch (address & window_mask) {
      case shared_window:
        space = Space::shared;
        address -= x.shared_at;
        break;
      case local_window:
        space = Space::local;
        address -= x.local_at;
        break;
      case param_window:
        space = Space::param;
        address -= param_window;
        break;
      default:
        if (space == Space::generic) space = Space::global;
    }
  }
  if (found != nullptr) *found = space;
  FaultSite site;
  site.lane = lane;
  site.space = space;
  site.address = address;
  site.bytes = bytes;
  site.is_write = write;
  const auto fault = [&](FaultKind kind) {
    site.kind = kind;
    raise(op, site);
  };
  const auto check = [&](std::byte* data, std::uint8_t* init, std::uint64_t size, std::uint64_t offset) {
    if (offset > size || bytes > size - offset) fault(FaultKind::out_of_bounds);
    if ((address & (bytes - 1)) != 0) fault(FaultKind::misaligned);
    if (init != nullptr && read && x.uninitialised && std::memchr(init + offset, 0, bytes) != nullptr) {
      site.kind = FaultKind::uninitialised_read;
      report(x, op, site);
    }
    if (init != nullptr && write && read && x.releases != nullptr && space == Space::global)
      x.releases->learn(x, init[offset]);
    if (init != nullptr && write) std::memset(init + offset, 1, bytes);
    return data + offset;
  };
  switch (space) {
    case Space::shared: return check(x.shared, x.shared_init, x.shared_size, address);
    case Space::local: {
      const std::size_t base = std::size_t{lane} * x.local_stride;
      return check(x.local + base, x.local_init == nullptr ? nullptr : x.local_init + base, x.local_size, address);
    }
    case Space::param:
      if (write) fault(FaultKind::read_only_write);
      return check(const_cast<std::byte*>(x.params), nullptr, x.param_size, address);
    default: break;
  }
  if (address < 4096) fault(FaultKind::null_pointer);
  BufferView* const b = find_buffer(x, op, address);
  if (b == nullptr) {
    if ((address & (bytes - 1)) != 0 && find_buffer(x, address & ~std::uint64_t{bytes - 1}) != nullptr)
      fault(FaultKind::misaligned);
    fault(FaultKind::out_of_bounds);
  }
  if (write && b->read_only && address - b->address < b->size) fault(FaultKind::read_only_write);
  const std::uint64_t offset = address - b->address;
  if (write && b->by_lane && offset < b->size && bytes <= b->size - offset) keep_before_write(x, *b, offset, bytes);
  std::byte* const place = check(b->data, b->init, b->size, offset);
  if (write && b->by_lane) note_watched_write(x, op, lane, address, bytes);
  return place;
}

std::uint8_t* written_at(Exec& x, const Op& op, Space space, const std::byte* place, std::uint64_t address) {
  if (space == Space::shared) return x.shared_init == nullptr ? nullptr : x.shared_init + (place - x.shared);
  if (space == Space::local) return x.local_init == nullptr ? nullptr : x.local_init + (place - x.local);
  if (space == Space::param) return nullptr;
  const BufferView* const b = find_buffer(x, op, address);
  return b == nullptr || b->init == nullptr ? nullptr : b->init + (address - b->address);
}

void follow_load(Exec& x, const Op& op, unsigned lane, const std::uint8_t* written, unsigned bytes, Space space,
                 std::uint64_t address) {
  const unsigned size = op.n * bytes;
  const bool used = (op.flags & op_unused) == 0;
  bool any = false, missing = false;
  for (unsigned k = 0; k < size; ++k) {
    const bool is_written = written == nullptr || written[k] != 0;
    any = any || is_written;
    missing = missing || (!is_written && ((op.c >> k) & 1) != 0);
  }
  if (used && x.uninitialised && (missing || (op.e != 0 && !any))) {
    FaultSite site;
    site.kind = FaultKind::uninitialised_read;
    site.lane = lane;
    site.space = space;
    site.address = space == Space::shared  ? static_cast<std::uint64_t>(written - x.shared_init)
                   : space == Space::local ? static_cast<std::uint64_t>(written - x.local_init) % x.local_stride
                                           : address;
    site.bytes = size;
    report(x, op, site);
  }
  for (unsigned e = 0; e < op.n; ++e) {
    const std::uint32_t map = x.lists[op.b + e];
    if (map == 0) continue;
    auto* const to = x.at<std::uint8_t>(map) + std::size_t{lane} * bytes;
    for (unsigned k = 0; k < bytes; ++k) to[k] = written == nullptr || written[e * bytes + k] != 0 ? 0xff : 0;
  }
}

void follow_store(Exec& x, const Op& op, unsigned lane, std::uint8_t* written, unsigned bytes) {
  if (written == nullptr) return;
  for (unsigned e = 0; e < op.n; ++e) {
    const std::uint32_t map = x.lists[op.b + e];
    if (map == 0) continue;
    const auto* const from = x.at<std::uint8_t>(map) + std::size_t{lane} * bytes;
    for (unsigned k = 0; k < bytes; ++k)
      if (from[k] == 0) written[e * bytes + k] = 0;
  }
}

}  // namespace ww::simt
