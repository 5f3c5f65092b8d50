// SPDX-License-Identifier: Apache-2.0
// One description of a struct's members, next to the struct, in plain headers (no JSON here). It drives JSON
// (described_json.h), differences (below) and the tables of docs/json.md (schema.h):
//
//   struct Budget {
//     int candidates = 24;
//     double money = 0;
//     template <class V>
//     static void fields(V&& v) {
//       v("candidates", &Budget::candidates, "judged ones; 0: no limit");
//       v("money", &Budget::money, {"US dollars; 0: no limit", Presence::defaulted});
//     }
//   };
//
// A struct that docs/json.md names has `static constexpr std::string_view described_as = "BUDGET";` too.
// An enum's names stand next to the enum, in its namespace; the first name of a value is the one that is written:
//
//   constexpr auto names_of(Cache) {
//     return std::to_array<Enumerator<Cache>>({{Cache::cold, "cold"}, {Cache::warm, "warm"}});
//   }
#pragma once
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ww {

enum class Presence {
  required,   // always written; reading fails without it
  defaulted,  // always written; without it the struct's default holds
  sparse,     // left out where it equals the struct's default (an unknown number, an empty text)
  nullable,   // always written, null where it equals the struct's default; may be missing
};

struct Flag {                  // of command lines: the member is set by it, with `doc` as its help
  const char* name = "";       // "--budget"; empty: none
  double least = 0, most = 0;  // least < most: the range of its value
  const char* one_of = "";     // "cuda ptx": its values; empty: any
};

struct About {  // a member: a text, a presence, a flag, in braces
  const char* doc = "";
  Presence presence = Presence::required;
  Flag flag;
  constexpr About() = default;
  constexpr About(const char* d, Presence p = Presence::required, Flag f = {}) : doc(d), presence(p), flag(f) {}
  constexpr About(const char* d, Flag f) : doc(d), flag(f) {}
  constexpr About(Presence p) : presence(p) {}
};

inline constexpr const char* inlined = "";  // as a member's name: the members of that struct take its place

// A member function without parameters is a computed member: written and documented, but neither read nor compared.
template <class M>
concept Computed = std::is_function_v<M>;

template <class E>
struct Enumerator {
  E value;
  std::string_view name;
};

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  names_of(e);
};

template <NamedEnum E>
constexpr std::string_view enum_name(E value) {
  for (const auto& one : names_of(value))
    if (one.value == value) return one.name;
  return {};
}

template <NamedEnum E>
constexpr std::optional<E> enum_from_name(std::string_view name) {
  for (const auto& one : names_of(E{}))
    if (one.name == name) return one.value;
  return std::nullopt;
}

template <NamedEnum E>
constexpr E enum_or_unknown(std::string_view name) {  // for what is read back: a name that this version does not know
  return enum_from_name<E>(name).value_or(E::unknown);
}

template <NamedEnum E>
std::string enum_string(E value) {
  return std::string(enum_name(value));
}

template <NamedEnum E>
std::string enum_names() {  // "cold, warm", for messages
  std::string all;
  for (const auto& one : names_of(E{}))
    if (enum_name(one.value) == one.name) (all += all.empty() ? "" : ", ") += one.name;
  return all;
}

namespace detail {
struct AnyVisitor {
  template <class... A>
  void operator()(A&&...) {}
};
template <class T>
void differing(const T& a, const T& b, const std::string& path, std::vector<std::string>& into);
}  // namespace detail

template <class T>
concept Described = std::is_class_v<T> && requires(detail::AnyVisitor v) {
  T::fields(v);
};

// The paths of the members that differ, in order: "budget.money", "samples[2].us", "samples" (of different length).
// Two NaNs are equal.
template <Described T>
std::vector<std::string> differing(const T& a, const T& b) {
  std::vector<std::string> all;
  detail::differing(a, b, {}, all);
  return all;
}

template <Described T>
bool same(const T& a, const T& b) {
  return differing(a, b).empty();
}

namespace detail {

template <class T>
struct DifferingMembers {
  const T &a, &b;
  const std::string& path;
  std::vector<std::string>& into;
  template <class Owner, class M>
  void operator()(std::string_view name, M Owner::*member, About = {}) {
    const std::string dot = path.empty() || name.empty() ? "" : ".";
    if constexpr (!Computed<M>) differing(a.*member, b.*member, path + dot + std::string(name), into);
  }
};

template <class T>
void differing(const T& a, const T& b, const std::string& path, std::vector<std::string>& into) {
  if constexpr (Described<T>) {
    T::fields(DifferingMembers<T>{a, b, path, into});
  } else if constexpr (std::floating_point<T>) {
    if (a != b && !(std::isnan(a) && std::isnan(b))) into.push_back(path);
  } else if constexpr (requires { a.has_value(); }) {
    if (a.has_value() != b.has_value())
      into.push_back(path);
    else if (a)
      differing(*a, *b, path, into);
  } else if constexpr (requires {
                         typename T::value_type::first_type;
                         a.size();
                       }) {  // named values
    bool equal = a.size() == b.size();
    for (auto x = a.begin(), y = b.begin(); equal && x != a.end(); ++x, ++y) {
      equal = x->first == y->first;
      if (equal) differing(x->second, y->second, path + "." + x->first, into);
    }
    if (!equal) into.push_back(path);
  } else if constexpr (requires {
                         a.size();
                         a[0];
                       } &&
                       !std::is_convertible_v<const T&, std::string_view>) {
    if (a.size() != b.size())
      into.push_back(path);
    else
      for (std::size_t i = 0; i < a.size(); ++i) differing(a[i], b[i], path + "[" + std::to_string(i) + "]", into);
  } else if constexpr (std::is_array_v<T>) {
    for (std::size_t i = 0; i < std::extent_v<T>; ++i)
      differing(a[i], b[i], path + "[" + std::to_string(i) + "]", into);
  } else if (!(a == b)) {
    into.push_back(path);
  }
}

}  // namespace detail
}  // namespace ww
