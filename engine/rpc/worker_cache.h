// SPDX-License-Identifier: Apache-2.0
// The worker's side of the cache. The worker has no file access: its supervisor sends cached results with each request,
// and it returns new ones with the reply. Between requests it remembers both.
#pragma once
#include <map>
#include <mutex>
#include "base/result_cache.h"

namespace ww::rpc {

using CacheEntries = std::map<std::string, std::string>;  // name to bytes
inline constexpr std::size_t most_kept_entries = 32;
inline constexpr std::size_t max_cache_message_bytes = std::size_t{4} << 20;  // per message, before hex encoding

// Adds the entries of `from` with new names, as far as they fit into a message.
void add_as_room_allows(CacheEntries& to, const CacheEntries& from);

class WorkerCache final : public ResultCache {
 public:
  std::optional<std::string> load(const std::string& name) override;
  void store(const std::string& name, const std::string& bytes) override;
  void begin(CacheEntries handed);  // at the start of a request
  CacheEntries made() const;        // since begin(), as far as they fit into a reply

 private:
  mutable std::mutex mutex_;
  CacheEntries known_, made_;
  std::size_t known_bytes_ = 0;
};

}  // namespace ww::rpc
