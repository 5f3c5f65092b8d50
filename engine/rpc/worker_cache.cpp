// SPDX-License-Identifier: Apache-2.0
#include "rpc/worker_cache.h"

namespace ww::rpc {
namespace {

constexpr std::size_t most_known = std::size_t{64} << 20;  // bytes, before all is forgotten

}  // namespace

std::optional<std::string> WorkerCache::load(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find(name);
  return at == known_.end() ? std::nullopt : std::optional(at->second);
}

void WorkerCache::store(const std::string& name, const std::string& bytes) {
  const std::lock_guard lock(mutex_);
  known_bytes_ += bytes.size();
  if (known_bytes_ > most_known) known_.clear(), known_bytes_ = bytes.size();
  known_[name] = bytes;
  made_[name] = bytes;
}

void WorkerCache::begin(CacheEntries handed) {
  const std::lock_guard lock(mutex_);
  made_.clear();
  for (auto& [name, bytes] : handed) {
    known_bytes_ += bytes.size();
    known_[name] = std::move(bytes);
  }
}

CacheEntries WorkerCache::made() const {
  const std::lock_guard lock(mutex_);
  CacheEntries out;
  add_as_room_allows(out, made_);
  return out;
}

void add_as_room_allows(CacheEntries& to, const CacheEntries& from) {
  std::size_t total = 0;
  for (const auto& [name, bytes] : to) total += bytes.size();
  for (const auto& [name, bytes] : from)
    if (to.size() < most_kept_entries && total + bytes.size() <= max_cache_message_bytes &&
        to.try_emplace(name, bytes).second)
      total += bytes.size();
}

}  // namespace ww::rpc
