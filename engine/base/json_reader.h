// SPDX-License-Identifier: Apache-2.0
// Checks outside JSON before parsing: its size, and its depth by a scan that allocates nothing. Include it in .cpp
// files only: it includes nlohmann's header. described_json.h makes the same checks for described structs.
#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include "base/result.h"

namespace ww::json {

inline constexpr std::size_t max_size = 16 << 20;  // bytes of a reply, receipt, verdict or setting

// Code::corrupt: larger than `limit`, or nested deeper than max_depth. The text need not be JSON.
Status check_shape(std::string_view text, std::size_t limit = max_size);

// Why a text could not be parsed, and where: line and column from 1, columns in characters. Quotes nothing of the text.
struct NotJson {
  std::size_t line = 1, column = 1;
  bool too_large = false;    // valid JSON so far, with a number beyond any type's range
  std::string text() const;  // "this is not JSON: line 3, column 7"
};
NotJson not_json(std::string_view text, bool comments = false);  // for a text that nlohmann's parser refused

// An exception's message for people: one of nlohmann's without its numbers and quotes.
std::string explain_exception(const std::exception& error);

template <class J = nlohmann::ordered_json>
Result<J> read_json(std::string_view text, std::size_t limit = max_size) {  // Code::corrupt
  WW_TRY(check_shape(text, limit));
  J j = J::parse(text, nullptr, false);
  if (j.is_discarded()) return fail(Code::corrupt, not_json(text).text());
  return j;
}
// For readers that treat any error as a missing object: returns null.
template <class J = nlohmann::ordered_json>
J json_or_null(std::string_view text, std::size_t limit = max_size) {
  return read_json<J>(text, limit).value_or(J(nullptr));
}

}  // namespace ww::json
