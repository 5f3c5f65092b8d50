// SPDX-License-Identifier: Apache-2.0
// Described structs (base/describe.h) as JSON Schema, and arguments parsed by it: unknown members and out-of-range
// values are refused. For .cpp files only: it includes nlohmann's header.
#pragma once
#include <string>
#include <vector>
#include "base/described_json.h"
#include "op/names.h"

namespace ww::cli::mcp {

using json::Json;

namespace detail {

template <class T>
Json type_schema() {
  if constexpr (std::is_same_v<T, bool>)
    return {{"type", "boolean"}};
  else if constexpr (NamedEnum<T>) {
    Json names = Json::array();
    for (const auto& one : names_of(T{})) names.push_back(one.name);
    return {{"type", "string"}, {"enum", names}};
  } else if constexpr (std::is_integral_v<T>)
    return {{"type", "integer"}};
  else if constexpr (std::is_floating_point_v<T>)
    return {{"type", "number"}};
  else if constexpr (std::is_same_v<T, std::string>)
    return {{"type", "string"}};
  else if constexpr (json::detail::NamedValues<T>)
    return {{"type", "object"}, {"additionalProperties", type_schema<typename T::value_type::second_type>()}};
  else
    return {{"type", "array"}, {"items", type_schema<typename T::value_type>()}};
}

template <class T>
struct SchemaMaker {
  Json &properties, &required;
  template <class M>
  void operator()(const char* name, M T::*member, About about = {}) {
    static const T untouched{};
    Json one = type_schema<M>();
    one["description"] = about.doc;
    if (about.flag.least < about.flag.most) {
      // JSON Schema accepts any number, but integers should be written as such.
      if constexpr (std::is_integral_v<M>)
        one["minimum"] = static_cast<std::int64_t>(about.flag.least),
        one["maximum"] = static_cast<std::int64_t>(about.flag.most);
      else
        one["minimum"] = about.flag.least, one["maximum"] = about.flag.most;
    }
    if (about.presence == Presence::required)
      required.push_back(name);
    else if constexpr (std::is_arithmetic_v<M> || NamedEnum<M>)
      one["default"] = json::of(untouched.*member);
    properties[name] = std::move(one);
  }
};

template <class T>
struct RangeChecker {
  const T& value;
  std::string& wrong;
  template <class M>
  void operator()(const char* name, M T::*member, About about = {}) {
    if constexpr (std::is_arithmetic_v<M>) {
      const auto v = static_cast<double>(value.*member);
      const Flag& f = about.flag;
      if (wrong.empty() && f.least < f.most && !(v >= f.least && v <= f.most))
        wrong = "the member '" + std::string(name) + "' must lie between " + Json(f.least).dump() + " and " +
                Json(f.most).dump();
    }
  }
};

}  // namespace detail

template <Described T>
Json schema_of() {
  Json properties = Json::object(), required = Json::array();
  T::fields(detail::SchemaMaker<T>{properties, required});
  Json schema = {{"type", "object"}, {"properties", properties}};
  if (!required.empty()) schema["required"] = required;
  schema["additionalProperties"] = false;
  return schema;
}

// Code::invalid_argument: the sentence names the member. `who`: the owner of the arguments.
template <Described T>
Result<T> read_arguments(Json j, const std::string& who) {
  const std::string wrong = "the arguments of '" + who + "' cannot be read";
  if (!j.is_object()) return fail(Code::invalid_argument, wrong, "they are not an object");
  const Json properties = schema_of<T>()["properties"];
  std::vector<std::string> names;
  for (const auto& [name, one] : properties.items()) names.push_back(name);
  for (auto& [name, value] : j.items()) {
    if (!properties.contains(name)) {
      const std::string near = op::did_you_mean(name, names);
      return fail(Code::invalid_argument, wrong,
                  "there is no member '" + name + "'" + (near.empty() ? "" : "; " + near));
    }
    // Clients often pass a candidate's number as a number.
    if (value.is_number_integer() && properties[name]["type"] == "string") value = value.dump();
  }
  T arguments = WW_TRY(json::read<T>(j, wrong, Code::invalid_argument));
  std::string out_of_range;
  T::fields(detail::RangeChecker<T>{arguments, out_of_range});
  if (!out_of_range.empty()) return fail(Code::invalid_argument, wrong, out_of_range);
  return arguments;
}

}  // namespace ww::cli::mcp
