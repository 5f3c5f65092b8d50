// SPDX-License-Identifier: Apache-2.0
// Positions in a text, and diagnostics that show line, column and a caret.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"

namespace ww {

struct Span {  // half-open range of byte offsets
  std::size_t begin = 0;
  std::size_t end = 0;
};

Place place_of(std::string_view text, std::size_t offset);

struct Diagnostic {
  Span span;
  Place place;
  std::string message;  // one plain sentence
  std::string hint;     // what to do about it; may be empty
};

Diagnostic diagnostic_at(std::string_view text, Span span, std::string message, std::string hint = {});

// "name:3:14: error: message\n  <line>\n  <spaces>^~~~\n  hint: …\n"
std::string render(const Diagnostic& diagnostic, std::string_view text, std::string_view name = "spec");
std::string render_all(const std::vector<Diagnostic>& diagnostics, std::string_view text,
                       std::string_view name = "spec");
// Code::parse: the first diagnostic with its position; cause: all, rendered.
Error parse_error(const std::vector<Diagnostic>& diagnostics, std::string_view text, std::string_view name = "spec");

// A diagnostic if the text begins with a byte order mark (UTF-8 or UTF-16), which no language here accepts.
std::optional<Diagnostic> byte_order_mark(std::string_view text);

}  // namespace ww
