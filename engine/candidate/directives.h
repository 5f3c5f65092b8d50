// SPDX-License-Identifier: Apache-2.0
// The "//@" lines of a text. Blanks may precede "//@" and separate it from the name.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include "base/source.h"

namespace ww::candidate {

struct Directive {
  Span span;              // from "//@" to the last non-blank character of the line
  Span line;              // the whole line, including its line feed
  std::string_view name;  // "launch"; may be empty
  std::string_view rest;  // after the name, without blanks at either end
};

// The directive in the line that begins at `begin`; empty: not a directive.
std::optional<Directive> directive_at(std::string_view text, std::size_t begin);
// The first directive from `from`, which must be the beginning of a line.
std::optional<Directive> next_directive(std::string_view text, std::size_t from = 0);
std::optional<Directive> first_directive(std::string_view text, std::string_view name);  // with that name

}  // namespace ww::candidate
