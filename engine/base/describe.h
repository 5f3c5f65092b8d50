// SPDX-License-Identifier: Apache-2.0
// One description of a struct's members, next to the struct, in plain headers (no JSON here). It drives JSON
// (described_json.h), comparison (below) and the tables of docs/json.md (schema.h):
//
//   struct Budget {
//     int candidates = 24;
//     double money = 0, minutes_left = 0;
//     WW_FIELDS(Budget, (candidates, "judged ones; 0: no limit"), (money, "US dollars; 0: no limit", defaulted),
//               ((minutes, minutes_left)))
//   };
//
// A member is its name, or in brackets its name and an About; ((NAME, MEMBER), …) gives it another name. WW_FIELDS
// writes a visitor, which structs with inlined members write themselves:
//
//   template <class V>
//   static void fields(V&& v) {
//     v("candidates", &Budget::candidates, "judged ones; 0: no limit");
//     v(inlined, &Budget::limits);
//   }
//
// A struct that docs/json.md names also has `static constexpr std::string_view described_as = "BUDGET";`.
// An enum's names are defined next to the enum, in its namespace; of several names for a value, the first is written:
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
  defaulted,  // always written; if missing, the struct's default is used
  sparse,     // omitted if equal to the struct's default (an unknown number, an empty text)
  nullable,   // always written, as null if equal to the struct's default; may be missing
};

struct Flag {                  // of the command line: it sets the member, with `doc` as its help
  const char* name = "";       // "--budget"; empty: none
  double least = 0, most = 0;  // least < most: the range of its value
  const char* one_of = "";     // "cuda ptx": the allowed values; empty: any
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

inline constexpr const char* inlined = "";  // as a member's name: the members of that struct are inlined in its place

// A member function without parameters is a computed member: written and documented, but neither read nor
// compared.
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
// for stored values: a name that this version does not know gives `unknown`
constexpr E enum_or_unknown(std::string_view name) {
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
}  // namespace detail

template <class T>
concept Described = std::is_class_v<T> && requires(detail::AnyVisitor v) {
  T::fields(v);
};

template <class T>
bool same(const T& a, const T& b);  // compares member by member; two NaNs are equal

namespace detail {

template <class T>
struct SameMembers {
  const T &a, &b;
  bool& equal;
  template <class Owner, class M>
  void operator()(std::string_view, M Owner::*member, const About& = {}) {
    if constexpr (!Computed<M>) equal = equal && same(a.*member, b.*member);
  }
};

template <class T>
bool same_elements(const T& a, const T& b) {
  if (std::size(a) != std::size(b)) return false;
  auto x = std::begin(a), y = std::begin(b);
  for (; x != std::end(a); ++x, ++y) {
    if constexpr (requires { x->second; }) {  // named values
      if (x->first != y->first || !same(x->second, y->second)) return false;
    } else if (!same<std::remove_cvref_t<decltype(*x)>>(*x, *y)) {
      return false;
    }
  }
  return true;
}

}  // namespace detail

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (Described<T>) {
    bool equal = true;
    T::fields(detail::SameMembers<T>{a, b, equal});
    return equal;
  } else if constexpr (std::floating_point<T>) {
    return a == b || (std::isnan(a) && std::isnan(b));
  } else if constexpr (requires { a.has_value(); }) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (std::is_array_v<T> ||
                       (
                           requires {
                             a.size();
                             a.begin();
                           } &&
                           !std::is_convertible_v<const T&, std::string_view> && !requires { a.native(); })) {
    return detail::same_elements(a, b);
  } else {
    return a == b;
  }
}

}  // namespace ww

// WW_FIELDS(TYPE, MEMBER, …): at most 64 members.
#define WW_FIELDS(Type, ...)      \
  template <class V>              \
  static void fields(V&& v) {     \
    using Self = Type;            \
    using enum ::ww::Presence;    \
    WW_SCAN(WW_EACH(__VA_ARGS__)) \
  }
// Each scan expands one further WW_EACH.
#define WW_SCAN(...) WW_SCAN_3(WW_SCAN_3(WW_SCAN_3(WW_SCAN_3(__VA_ARGS__))))
#define WW_SCAN_3(...) WW_SCAN_2(WW_SCAN_2(WW_SCAN_2(WW_SCAN_2(__VA_ARGS__))))
#define WW_SCAN_2(...) WW_SCAN_1(WW_SCAN_1(WW_SCAN_1(WW_SCAN_1(__VA_ARGS__))))
#define WW_SCAN_1(...) __VA_ARGS__
#define WW_EACH(one, ...) WW_FIELD(one) __VA_OPT__(WW_NEXT WW_NONE()(__VA_ARGS__))
#define WW_NEXT() WW_EACH
#define WW_NONE
#define WW_CALL(macro, ...) macro(__VA_ARGS__)
#define WW_JOIN(a, b) a##b
// WW_LIST for what is in brackets, else WW_WORD.
#define WW_KIND(one) WW_CALL(WW_SECOND, WW_IF_LIST one, WW_WORD, ~)
#define WW_IF_LIST(...) ~, WW_LIST
#define WW_SECOND(a, b, ...) b
#define WW_FIELD(one) WW_CALL(WW_JOIN, WW_KIND(one), _FIELD)(one)
#define WW_WORD_FIELD(name) v(#name, &Self::name);
#define WW_LIST_FIELD(list) WW_ABOUT list
#define WW_ABOUT(name, ...) WW_CALL(WW_JOIN, WW_KIND(name), _ABOUT)(name, __VA_ARGS__)
#define WW_WORD_ABOUT(name, ...) v(#name, &Self::name, ::ww::About{__VA_ARGS__});
#define WW_LIST_ABOUT(names, ...) v(WW_NAME names, &Self::WW_MEMBER names, ::ww::About{__VA_ARGS__});
#define WW_NAME(name, member) #name
#define WW_MEMBER(name, member) member
