// SPDX-License-Identifier: Apache-2.0
// Strict reading of members of received JSON. Include it in .cpp files only: it includes nlohmann's header. Functions
// throw Wrong, which callers must catch before their own boundary.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

namespace ww::json {

using Json = nlohmann::ordered_json;

struct Wrong {
  std::string what;  // "the member 'name' is missing"
};

inline const Json& member(const Json& j, const char* name) {
  if (!j.is_object()) throw Wrong{std::string("the member '") + name + "' is missing: it is not an object"};
  const auto at = j.find(name);
  if (at == j.end()) throw Wrong{std::string("the member '") + name + "' is missing"};
  return *at;
}

template <class T>
T get(const Json& j, const char* name) {  // bool, an integer type or std::string
  const Json& v = member(j, name);
  bool fits = false;
  if constexpr (std::is_same_v<T, bool>)
    fits = v.is_boolean();
  else if constexpr (std::is_integral_v<T>)
    fits = v.is_number_integer();
  else
    fits = v.is_string();
  if (!fits) throw Wrong{std::string("the member '") + name + "' has the wrong type"};
  return v.get<T>();
}

inline const Json& list(const Json& j, const char* name) {
  const Json& v = member(j, name);
  if (!v.is_array()) throw Wrong{std::string("the member '") + name + "' is not a list"};
  return v;
}

}  // namespace ww::json
