// SPDX-License-Identifier: Apache-2.0
#include "rpc/supervisor_cache.h"
#include "base/hash.h"
#include "rpc/cache_messages.h"

namespace ww::rpc {
namespace {

std::string candidate_scope(std::string_view text, candidate::Language language) {
  return Hasher().field("candidate").field(candidate::language_name(language)).field(text).hex();
}

std::string device_scope(const std::string& device) { return Hasher().field("device").field(device).hex(); }

}  // namespace

CacheEntries SupervisorCache::read(const std::string& scope) {
  const std::optional<std::string> text = folder_.load(scope);
  if (!text) return {};
  const Result<Json> message = json::parse(*text);
  Result<CacheEntries> entries = message ? read_cache(*message) : Result<CacheEntries>(fail(message.error()));
  return entries ? std::move(*entries) : CacheEntries();
}

// If not all fit, the newest entries are kept.
void SupervisorCache::merge(const std::string& scope, const CacheEntries& made) {
  if (made.empty()) return;
  CacheEntries all = made;
  add_as_room_allows(all, read(scope));
  folder_.store(scope, json::dump({{"kept", cache_json(all)}}));
}

CacheEntries SupervisorCache::of_candidate(std::string_view text, candidate::Language language) {
  return read(candidate_scope(text, language));
}
void SupervisorCache::keep_of_candidate(std::string_view text, candidate::Language language, const CacheEntries& made) {
  merge(candidate_scope(text, language), made);
}
CacheEntries SupervisorCache::of_device(const std::string& device) { return read(device_scope(device)); }
void SupervisorCache::keep_of_device(const std::string& device, const CacheEntries& made) {
  merge(device_scope(device), made);
}

}  // namespace ww::rpc
