// SPDX-License-Identifier: Apache-2.0
// Described structs (describe.h) as tables for readers; docs/json.md is generated from these.
#pragma once
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#include "base/describe.h"

namespace ww::schema {

struct Member {
  std::string name;  // "budget.money", "samples[].us"
  std::string type;  // "number", "list of text", "`"cold"`, `"warm"`", "TIMING"
  std::string doc;
  bool may_miss = false;
};

std::string markdown(const std::vector<Member>& members);  // a table

namespace detail {

template <class T>
std::string type_of();
template <class T>
void add(const std::string& name, About about, std::vector<Member>& into);

template <class T>
concept Named = requires {
  T::described_as;
};

template <class T>
struct Collector {
  const std::string& prefix;
  std::vector<Member>& into;
  template <class Owner, class M>
  void operator()(const char* name, M Owner::*member, About about = {}) {
    if constexpr (Computed<M>) {
      add<decltype((std::declval<const T&>().*member)())>(prefix + name, about, into);
    } else {
      if constexpr (Described<M>) {
        if (*name == '\0') return M::fields(Collector<M>{prefix, into});
      }
      add<M>(prefix + name, about, into);
    }
  }
};

// The element struct of a list or an optional, or T itself. If it has no name, its members are listed inline.
template <class T>
void add_members(const std::string& prefix, std::vector<Member>& into) {
  if constexpr (Described<T>) {
    if constexpr (!Named<T>) T::fields(Collector<T>{prefix + ".", into});
  } else if constexpr (requires { typename T::value_type::first_type; }) {
    add_members<typename T::value_type::second_type>(prefix + ".*", into);
  } else if constexpr (requires(T & v) { v.has_value(); }) {
    add_members<typename T::value_type>(prefix, into);
  } else if constexpr (requires(T & v) { v.resize(0); } && !std::is_convertible_v<T, std::string_view>) {
    add_members<typename T::value_type>(prefix + "[]", into);
  }
}

template <class T>
void add(const std::string& name, About about, std::vector<Member>& into) {
  std::string type = type_of<T>();
  if (about.presence == Presence::nullable && !type.ends_with(" or null")) type += " or null";
  into.push_back({name, type, about.doc, about.presence == Presence::sparse});
  add_members<T>(name, into);
}

template <class T>
std::string type_of() {
  if constexpr (Described<T>) {
    if constexpr (Named<T>)
      return std::string(T::described_as);
    else
      return "object";
  } else if constexpr (NamedEnum<T>) {
    std::string all;
    for (const auto& one : names_of(T{}))
      if (enum_name(one.value) == one.name) all += (all.empty() ? "`\"" : ", `\"") + std::string(one.name) + "\"`";
    return all;
  } else if constexpr (std::is_same_v<T, bool>) {
    return "boolean";
  } else if constexpr (std::is_integral_v<T>) {
    return "integer";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "number";
  } else if constexpr (std::is_array_v<T>) {
    return std::to_string(std::extent_v<T>) + " of " + type_of<std::remove_extent_t<T>>();
  } else if constexpr (requires { typename T::value_type::first_type; }) {
    return "object of " + type_of<typename T::value_type::second_type>() + " by name";
  } else if constexpr (requires(T & v) { v.has_value(); }) {
    return type_of<typename T::value_type>() + " or null";
  } else if constexpr (requires(T & v) { v.resize(0); } && !std::is_convertible_v<T, std::string_view>) {
    return "list of " + type_of<typename T::value_type>();
  } else if constexpr (requires(T & v) { v.count(); }) {
    return "integer";
  } else {
    return "text";
  }
}

}  // namespace detail

template <Described T>
std::vector<Member> members_of() {
  std::vector<Member> all;
  T::fields(detail::Collector<T>{{}, all});
  return all;
}

}  // namespace ww::schema
