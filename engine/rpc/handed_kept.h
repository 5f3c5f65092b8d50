// SPDX-License-Identifier: Apache-2.0
// Worker-side cache. The worker has no file access: with each request its supervisor passes it the cached results, and
// with the reply it returns those it made. Between requests it remembers both.
#pragma once
#include <map>
#include <mutex>
#include "base/result_cache.h"

namespace ww::rpc {

using KeptEntries = std::map<std::string, std::string>;  // name to bytes
inline constexpr std::size_t most_kept_entries = 32;
inline constexpr std::size_t most_kept_bytes = std::size_t{4} << 20;  // of a message, before they are written as digits

// Adds those of `from` whose names are new, as far as a message has room.
void add_as_room_allows(KeptEntries& to, const KeptEntries& from);

class HandedKept final : public ResultCache {
 public:
  std::optional<std::string> load(const std::string& name) override;
  void store(const std::string& name, const std::string& bytes) override;
  void begin(KeptEntries handed);  // a request
  KeptEntries made() const;        // since begin(), as far as a reply has room

 private:
  mutable std::mutex mutex_;
  KeptEntries known_, made_;
  std::size_t known_bytes_ = 0;
};

}  // namespace ww::rpc
