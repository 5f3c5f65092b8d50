// SPDX-License-Identifier: Apache-2.0
#include "simt/snapshot.h"
#include <algorithm>
#include <cstring>

namespace ww::simt {

Pages::Pages(std::span<const std::byte> bytes, const Pages* before) {
  constexpr std::size_t size = sizeof(Page);
  pages_.reserve((bytes.size() + size - 1) / size);
  for (std::size_t at = 0, k = 0; at < bytes.size(); at += size, ++k) {
    const std::size_t n = std::min(size, bytes.size() - at);
    if (before != nullptr && k < before->pages_.size() &&
        std::memcmp(before->pages_[k]->bytes, bytes.data() + at, n) == 0) {
      pages_.push_back(before->pages_[k]);
      continue;
    }
    auto page = std::make_shared<Page>();
    std::memcpy(page->bytes, bytes.data() + at, n);
    pages_.push_back(std::move(page));
    ++fresh_;
  }
}

void Pages::copy_to(std::span<std::byte> bytes) const {
  constexpr std::size_t size = sizeof(Page);
  for (std::size_t at = 0, k = 0; at < bytes.size() && k < pages_.size(); at += size, ++k)
    std::memcpy(bytes.data() + at, pages_[k]->bytes, std::min(size, bytes.size() - at));
}

std::size_t Snapshot::overhead() const {
  std::size_t n = sizeof *this + bulk.capacity() * sizeof(BulkCopy) + warps.capacity() * sizeof(WarpSnapshot);
  for (const Pages* p : {&local, &local_init, &shared, &shared_init}) n += p->overhead();
  for (const WarpSnapshot& w : warps)
    n += w.frames.capacity() * sizeof(CallFrame) + w.entries.capacity() * sizeof(Entry) +
         w.pending.copies.capacity() * sizeof(PendingCopy) + w.past.capacity() * sizeof(std::uint32_t) +
         w.registers.overhead();
  return n;
}

std::size_t Snapshot::added() const {
  std::size_t pages = local.fresh() + local_init.fresh() + shared.fresh() + shared_init.fresh();
  for (const WarpSnapshot& w : warps) pages += w.registers.fresh();
  return overhead() + pages * page_cost;
}

void Snapshot::count(std::unordered_set<const Page*>& seen) const {
  for (const Pages* p : {&local, &local_init, &shared, &shared_init}) p->count(seen);
  for (const WarpSnapshot& w : warps) w.registers.count(seen);
}

}  // namespace ww::simt
