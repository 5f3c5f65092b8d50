// SPDX-License-Identifier: Apache-2.0
// Lenient reading of received JSON: a member that is missing, null or of another type reads as empty. For .cpp files
// only.
#pragma once
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ww::providers {

using Json = nlohmann::ordered_json;

inline const Json* find(const Json& j, const char* name) {  // nullptr: missing or null
  if (!j.is_object()) return nullptr;
  const auto at = j.find(name);
  return at == j.end() || at->is_null() ? nullptr : &*at;
}
inline const Json& child(const Json& j, const char* name) {
  static const Json nothing;
  const Json* at = find(j, name);
  return at ? *at : nothing;
}
inline std::string_view text_of(const Json& j) {
  const auto* s = j.get_ptr<const Json::string_t*>();
  return s ? std::string_view(*s) : std::string_view();
}
inline std::string_view text_at(const Json& j, const char* name) { return text_of(child(j, name)); }
inline std::int64_t count_at(const Json& j, const char* name,
                             std::int64_t otherwise = 0) {  // of tokens: never negative
  const Json* at = find(j, name);
  if (!at || !at->is_number()) return otherwise;
  const double v = at->get<double>();
  return v > 0 ? static_cast<std::int64_t>(std::min(v, 1e15)) : 0;
}
inline bool has_count(const Json& j, const char* name) {  // a number that can be one
  const Json* at = find(j, name);
  return at && at->is_number() && at->get<double>() >= 0;
}
inline const Json& list_at(const Json& j, const char* name) {  // an empty list if there is none
  static const Json none = Json::array();
  const Json& at = child(j, name);
  return at.is_array() ? at : none;
}
inline std::string dump(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace ww::providers
