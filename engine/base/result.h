// SPDX-License-Identifier: Apache-2.0
// The result type of every function that can fail. Exceptions do not cross a target's boundary.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace ww {

enum class Code {
  invalid_argument,  // the caller's data is invalid
  parse,             // a text violates its grammar
  unsupported,       // understood, but not available in this build or on this device
  not_found,
  io,
  compile,  // the compiler refused a candidate
  device,   // a device reported a fault
  timeout,
  cancelled,
  crashed,      // a worker process died
  corrupt,      // stored or received data fails its own checks
  unavailable,  // a library, tool or device is missing
  denied,       // a service refuses the key, or the requested use
  untrusted,    // the peer cannot prove its identity; retrying does not help
  internal,     // a defect in Warpwright
};

std::string_view code_name(Code code);       // "invalid_argument", …
Code code_from_name(std::string_view name);  // unknown names give Code::internal
// Of a service: any further request would get the same answer.
inline bool is_outage(Code code) {
  return code == Code::unavailable || code == Code::denied || code == Code::untrusted;
}

struct Place {
  int line = 1;    // from 1
  int column = 1;  // from 1, in bytes
};

struct Error {
  Code code = Code::internal;
  std::string message;  // for a person: one plain sentence
  std::string cause;    // the underlying error: an errno text, a compiler log, another error's message; may be empty
  std::optional<Place> place = {};  // in the text that could not be read; `cause` then also shows the message there
  std::string hint = {};            // what to do about it; may be empty
  std::string text() const { return cause.empty() ? message : message + ": " + cause; }
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

inline tl::unexpected<Error> fail(Code code, std::string message, std::string cause = {}) {
  return tl::make_unexpected(Error{code, std::move(message), std::move(cause)});
}
inline tl::unexpected<Error> fail(Error error) { return tl::make_unexpected(std::move(error)); }

namespace detail {
template <class T>
T take(tl::expected<T, Error>&& result) {
  return std::move(*result);
}
inline void take(Status&&) {}
}  // namespace detail

}  // namespace ww

// The value of a Result (nothing for a Status), or a return of its error from the enclosing function:
//   const auto plan = WW_TRY(candidate::plan(c, spec, binding));
#define WW_TRY(...)                                                  \
  ({                                                                 \
    auto ww_result = (__VA_ARGS__);                                  \
    if (!ww_result) return ::ww::fail(std::move(ww_result).error()); \
    ::ww::detail::take(std::move(ww_result));                        \
  })

// Returns the error of a Result that is used afterwards.
#define WW_CHECK(result)                                \
  do {                                                  \
    if (!(result)) return ::ww::fail((result).error()); \
  } while (false)
