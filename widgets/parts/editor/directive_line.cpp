// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/directive_line.h"
#include "candidate/directives.h"

namespace ww::widgets {

std::optional<Span> directive_in(std::string_view line) {
  const auto found = candidate::directive_at(line, 0);
  return found ? std::optional(found->span) : std::nullopt;
}

}  // namespace ww::widgets
