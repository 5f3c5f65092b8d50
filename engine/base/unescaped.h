// SPDX-License-Identifier: Apache-2.0
// A text without the escapes of JSON strings and addresses, however deeply they are nested ("\\\"", "%2522"), for
// finding a known text in another. It is for nothing else: where no escape was meant, its text differs, too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ww {

class Unescaped {
 public:
  enum class Kind : std::uint8_t { json, address };
  explicit Unescaped(std::string_view written);
  // One level of one kind of escapes, as its reader takes it: for a known text that holds what looks like an escape
  // itself ("sk-%41"), and would be found in no text without any.
  Unescaped(std::string_view written, Kind one_level);
  ~Unescaped();  // wipes the text
  Unescaped(const Unescaped&) = delete;
  Unescaped& operator=(const Unescaped&) = delete;
  static bool any(std::string_view written) { return written.find_first_of("\\%") != written.npos; }
  std::string_view text() const { return text_; }
  // Where what stands for the text's character `at` begins in the written one; at its end: where the last one ends.
  std::size_t place(std::size_t at) const { return places_.empty() ? at : places_[at]; }

 private:
  std::string text_;
  std::vector<std::size_t> places_;  // empty: nothing is escaped
};

}  // namespace ww
