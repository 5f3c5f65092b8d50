// SPDX-License-Identifier: Apache-2.0
#include "candidate/directives.h"
#include <algorithm>
#include "candidate/cursor.h"

namespace ww::candidate {

std::optional<Directive> directive_at(std::string_view text, std::size_t begin) {
  const std::size_t feed = std::min(text.find('\n', begin), text.size());
  std::size_t at = begin, end = feed;
  while (at < end && is_blank(text[at])) ++at;
  if (!text.substr(at, end - at).starts_with("//@")) return std::nullopt;
  while (is_blank(text[end - 1])) --end;
  Directive d{{at, end}, {begin, std::min(feed + 1, text.size())}, {}, {}};
  Cursor c(text, {at + 3, end});
  d.name = c.name();
  d.rest = c.rest();
  return d;
}

std::optional<Directive> next_directive(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    if (const auto found = directive_at(text, from)) return found;
    from = std::min(text.find('\n', from), text.size() - 1) + 1;
  }
  return std::nullopt;
}

std::optional<Directive> first_directive(std::string_view text, std::string_view name) {
  for (auto d = next_directive(text); d; d = next_directive(text, d->line.end))
    if (d->name == name) return d;
  return std::nullopt;
}

}  // namespace ww::candidate
