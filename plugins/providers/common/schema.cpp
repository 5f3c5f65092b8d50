// SPDX-License-Identifier: Apache-2.0
#include "providers/common/schema.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include "providers/common/tolerant_json.h"

namespace ww::providers {
namespace {

constexpr const char* maps[] = {"properties", "$defs", "definitions"};
constexpr const char* lists[] = {"anyOf", "oneOf", "allOf", "prefixItems"};

bool is_object_schema(const Json& s) {
  const Json& type = child(s, "type");
  return find(s, "properties") || text_of(type) == "object" ||
         (type.is_array() && std::find(type.begin(), type.end(), Json("object")) != type.end());
}

}  // namespace

Result<Json> read_schema(const std::string& json) {
  Json schema = Json::parse(json, nullptr, false);
  if (!schema.is_object()) return fail(Code::invalid_argument, "The schema of the reply is not a JSON object");
  return schema;
}

bool is_strict(const Json& s) {
  if (!s.is_object()) return true;
  if (is_object_schema(s)) {
    const Json& others = child(s, "additionalProperties");
    if (!others.is_boolean() || others.get<bool>()) return false;
    const Json& required = list_at(s, "required");
    const Json& members = child(s, "properties");
    if (members.is_object())
      for (const auto& item : members.items())
        if (std::find(required.begin(), required.end(), Json(item.key())) == required.end()) return false;
  }
  for (const char* map : maps)
    if (const Json& m = child(s, map); m.is_object())
      for (const auto& item : m.items())
        if (!is_strict(item.value())) return false;
  for (const char* list : lists)
    for (const Json& one : list_at(s, list))
      if (!is_strict(one)) return false;
  return is_strict(child(s, "items"));
}

Json without_bounds(Json s) {
  if (!s.is_object()) return s;
  for (const char* bound : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
                            "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"})
    s.erase(bound);
  if (is_object_schema(s)) s["additionalProperties"] = false;
  for (const char* map : maps)
    if (const auto m = s.find(map); m != s.end() && m->is_object())
      for (auto& item : m->items()) item.value() = without_bounds(item.value());
  for (const char* list : lists)
    if (const auto l = s.find(list); l != s.end() && l->is_array())
      for (Json& one : *l) one = without_bounds(one);
  if (const auto items = s.find("items"); items != s.end()) *items = without_bounds(*items);
  return s;
}

}  // namespace ww::providers
