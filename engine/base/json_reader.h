// SPDX-License-Identifier: Apache-2.0
// JSON from outside, checked before anything is built of it: its size, and its depth by a scan that allocates nothing.
// For .cpp files alone: it holds nlohmann's header. Described structs are read with described_json.h, which asks the
// same.
#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include "base/result.h"

namespace ww::json {

inline constexpr std::size_t max_size = 16 << 20;  // bytes, of one reply, receipt, verdict or setting

// Code::corrupt: larger than `limit`, or nested deeper than max_depth. It need not be JSON.
Status check_shape(std::string_view text, std::size_t limit = max_size);

// Why a text is not read, and where, counted from 1, a column in characters; nothing of it is quoted.
struct NotJson {
  std::size_t line = 1, column = 1;
  bool too_large = false;    // it is JSON so far: a number there is beyond any type
  std::string text() const;  // "this is not JSON: line 3, column 7"
};
NotJson not_json(std::string_view text, bool comments = false);  // of a text that nlohmann's parser refused

// Explains an exception to people: one of nlohmann's as a sentence without its numbers and quotes.
std::string plain_what(const std::exception& error);

template <class J = nlohmann::ordered_json>
Result<J> read_json(std::string_view text, std::size_t limit = max_size) {  // Code::corrupt
  WW_TRY(check_shape(text, limit));
  J j = J::parse(text, nullptr, false);
  if (j.is_discarded()) return fail(Code::corrupt, not_json(text).text());
  return j;
}
// For readers that treat any error as no object: returns null.
template <class J = nlohmann::ordered_json>
J json_or_null(std::string_view text, std::size_t limit = max_size) {
  return read_json<J>(text, limit).value_or(J(nullptr));
}

}  // namespace ww::json
