// SPDX-License-Identifier: Apache-2.0
#include "rpc/cache_messages.h"

namespace ww::rpc {

Result<CacheEntries> read_cache(const Json& message) {
  CacheEntries entries;
  const auto kept = message.find("kept");
  if (kept == message.end()) return entries;
  if (!kept->is_object()) return fail(Code::corrupt, "kept results that are not an object");
  if (kept->size() > most_kept_entries) return fail(Code::corrupt, "more kept results than a message may have");
  std::size_t total = 0;
  for (const auto& [name, digits] : kept->items()) {
    if (!digits.is_string()) return fail(Code::corrupt, "a kept result that is not a string");
    std::string bytes = WW_TRY(from_hex(digits.get_ref<const std::string&>()));
    total += bytes.size();
    if (total > max_cache_message_bytes) return fail(Code::corrupt, "more kept results than a message may have");
    entries[name] = std::move(bytes);
  }
  return entries;
}

Json cache_json(const CacheEntries& entries) {
  Json kept = Json::object();
  for (const auto& [name, bytes] : entries) kept[name] = to_hex(bytes);
  return kept;
}

std::string with_cache(std::string message, const CacheEntries& entries) {
  if (entries.empty()) return message;
  message.pop_back();
  return message + ",\"kept\":" + json::dump(cache_json(entries)) + "}";
}

}  // namespace ww::rpc
