// SPDX-License-Identifier: Apache-2.0
// Described structs (describe.h) as JSON, and back. Include it in .cpp files only: it includes nlohmann's header.
// Supported members: described structs, numbers, bool, text, named enums, paths, milliseconds; lists, optionals and
// named values (std::map or a vector of pairs, with text as the key) of these; variants, which are read as the first
// alternative that fits. Reading is strict: types and ranges are checked, and errors name the member
// ("given[2].language"); undescribed members are ignored. A non-finite number is written as "nan", "inf" or "-inf";
// null reads as NaN. Unknown values use the presence sparse or nullable.
#pragma once
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
#include "base/describe.h"
#include "base/result.h"

namespace ww::json {

using Json = nlohmann::ordered_json;

inline constexpr int max_depth = 64;  // of received text

Result<Json> parse(std::string_view text);         // Code::corrupt: not JSON, or nested deeper than max_depth
std::string dump(const Json& j, int indent = -1);  // bytes that are not UTF-8 are replaced; indent -1: one line

struct Problem {     // the first error in the input
  std::string path;  // of the member; "": the whole input
  std::string what;  // "is missing"; empty: no error
  explicit operator bool() const { return !what.empty(); }
  std::string text() const;  // "the member 'budget.money' is missing"
};

namespace detail {

Problem wrong_type(const char* expected);
Problem within(Problem problem, std::string_view name);  // the same, with the path as seen from the enclosing object
Problem within(Problem problem, std::size_t index);
Json real(double v);
Problem read_real(const Json& j, double& into);

template <class T>
Json write(const T& v);
template <class T>
Problem read(const Json& j, T& into);

template <class T>
concept NamedValues = requires(const T& v) {
  typename T::value_type::first_type;
  typename T::value_type::second_type;
  requires std::is_same_v<std::remove_const_t<typename T::value_type::first_type>, std::string>;
  v.begin();
};
template <class T>
concept List = requires(T& v, typename T::value_type one) {
  v.push_back(one);
}
&&!std::is_convertible_v<const T&, std::string_view>;

// The operations on a member, by its type.
struct Handling {
  Json (*write)(const void* value);
  Problem (*read)(const Json& from, void* into);
  bool (*same)(const void* a, const void* b);
};
template <class M>
constexpr Handling handling_of{
    [](const void* value) { return write(*static_cast<const M*>(value)); },
    [](const Json& from, void* into) { return read(from, *static_cast<M*>(into)); },
    [](const void* a, const void* b) { return same(*static_cast<const M*>(a), *static_cast<const M*>(b)); }};

struct Field {
  const char* name;
  Presence presence;
  std::size_t offset;                               // bytes from the beginning of the struct
  const Handling* handling;                         // null: computed
  const void* untouched;                            // its default
  std::function<Json(const void* owner)> computed;  // the owner lies at `offset`
};
using Fields = std::vector<Field>;

Json write_fields(const void* object, const Fields& fields);
Problem read_fields(const Json& from, void* object, const Fields& fields);

// Builds a struct's table: loops over one table compile faster than a visitor per use.
template <class T>
struct Tabulate {
  Fields& into;
  std::size_t offset;  // of T in the struct that the table describes
  template <class Owner, class M>
  void operator()(const char* name, M Owner::*member, const About& about = {}) {
    static const T untouched{};
    if constexpr (Computed<M>) {
      const auto compute = [member](const void* owner) { return write((static_cast<const T*>(owner)->*member)()); };
      into.push_back({name, about.presence, offset, nullptr, nullptr, compute});
    } else {
      const void* one = &(untouched.*member);
      const std::size_t at =
          offset + static_cast<std::size_t>(static_cast<const char*>(one) - reinterpret_cast<const char*>(&untouched));
      if constexpr (Described<M>) {
        if (*name == '\0') return M::fields(Tabulate<M>{into, at});
      }
      into.push_back({name, about.presence, at, &handling_of<M>, one, {}});
    }
  }
};

template <Described T>
const Fields& fields_of() {  // never destroyed: it may be used during exit
  static const Fields& fields = *[] {
    auto* all = new Fields;
    T::fields(Tabulate<T>{*all, 0});
    return all;
  }();
  return fields;
}

template <class T>
Json write(const T& v) {
  if constexpr (Described<T>) {
    return write_fields(&v, fields_of<T>());
  } else if constexpr (std::is_floating_point_v<T>) {
    return real(v);
  } else if constexpr (NamedEnum<T>) {
    return enum_name(v);
  } else if constexpr (requires { v.has_value(); }) {
    return v ? write(*v) : Json(nullptr);
  } else if constexpr (requires { v.valueless_by_exception(); }) {
    return std::visit([](const auto& one) { return write(one); }, v);
  } else if constexpr (NamedValues<T>) {
    Json j = Json::object();
    for (const auto& [name, one] : v) j[name] = write(one);
    return j;
  } else if constexpr (List<T> || std::is_array_v<T>) {
    Json j = Json::array();
    for (const auto& one : v) j.push_back(write(one));
    return j;
  } else if constexpr (requires { v.native(); }) {
    return v.string();
  } else if constexpr (requires { v.count(); }) {
    return v.count();
  } else {
    static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, std::string>, "neither described nor plain");
    return v;
  }
}

template <class T>
Problem read_integer(const Json& j, T& into) {
  if (!j.is_number_integer()) return wrong_type("an integer");
  const bool fits =
      j.is_number_unsigned() ? std::in_range<T>(j.get<std::uint64_t>()) : std::in_range<T>(j.get<std::int64_t>());
  if (!fits) return {"", "is out of range"};
  into = j.get<T>();
  return {};
}

template <class T>
Problem read_list(const Json& j, T& into) {
  if (!j.is_array()) return wrong_type("a list");
  if constexpr (std::is_array_v<T>) {
    if (j.size() != std::extent_v<T>) return {"", "has the wrong length"};
  } else {
    into.clear();
    into.resize(j.size());
  }
  for (std::size_t i = 0; i < j.size(); ++i)
    if (Problem p = read(j[i], into[i])) return within(std::move(p), i);
  return {};
}

template <class T>
Problem read_named(const Json& j, T& into) {
  if (!j.is_object()) return wrong_type("an object");
  into.clear();
  for (const auto& [name, one] : j.items()) {
    typename T::value_type::second_type value{};
    if (Problem p = read(one, value)) return within(std::move(p), name);
    into.insert(into.end(), typename T::value_type(name, std::move(value)));
  }
  return {};
}

template <class... T>
Problem read_variant(const Json& j, std::variant<T...>& into) {
  Problem problem;
  const auto fits = [&]<class One>(One one) {
    problem = read(j, one);
    if (!problem) into = std::move(one);
    return !problem;
  };
  (void)(fits(T{}) || ...);
  return problem;
}

template <class T>
Problem read(const Json& j, T& into) {
  if constexpr (Described<T>) {
    return read_fields(j, &into, fields_of<T>());
  } else if constexpr (std::is_floating_point_v<T>) {
    return read_real(j, into);
  } else if constexpr (NamedEnum<T>) {
    if (!j.is_string()) return wrong_type("a text");
    const auto& name = j.get_ref<const std::string&>();
    const auto value = enum_from_name<T>(name);
    if (!value) return {"", "has the unknown value '" + name + "': it is one of " + enum_names<T>()};
    into = *value;
    return {};
  } else if constexpr (requires { into.has_value(); }) {
    if (j.is_null()) return into.reset(), Problem{};
    return read(j, into.emplace());
  } else if constexpr (requires { into.valueless_by_exception(); }) {
    return read_variant(j, into);
  } else if constexpr (NamedValues<T>) {
    return read_named(j, into);
  } else if constexpr (List<T> || std::is_array_v<T>) {
    return read_list(j, into);
  } else if constexpr (requires { into.count(); }) {
    typename T::rep count{};
    Problem problem = read_integer(j, count);
    into = T(count);
    return problem;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!j.is_boolean()) return wrong_type("true or false");
    into = j.get<bool>();
    return {};
  } else if constexpr (std::is_integral_v<T>) {
    return read_integer(j, into);
  } else {  // text, or a path
    if (!j.is_string()) return wrong_type("a text");
    into = j.get_ref<const std::string&>();
    return {};
  }
}

}  // namespace detail

template <class T>
Json of(const T& value) {
  return detail::write(value);
}
template <class T>
std::string text_of(const T& value, int indent = -1) {
  return dump(of(value), indent);
}

// message: describes the whole ("the run's stored options cannot be read"); the cause names the member.
template <class T>
Result<T> read(const Json& j, std::string message, Code code = Code::corrupt) {
  T value{};
  if (const Problem p = detail::read(j, value)) return fail(code, std::move(message), p.text());
  return value;
}
template <class T>
Result<T> read_text(std::string_view text, std::string message) {
  const Result<Json> j = parse(text);
  if (!j) return fail(Code::corrupt, std::move(message), j.error().message);
  return read<T>(*j, std::move(message));
}

}  // namespace ww::json
