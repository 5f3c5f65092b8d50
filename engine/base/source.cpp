// SPDX-License-Identifier: Apache-2.0
#include "base/source.h"
#include <algorithm>
#include "base/utf8.h"

namespace ww {

Place place_of(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  Place p;
  p.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t nl = before.rfind('\n');
  p.column = 1 + static_cast<int>(nl == std::string_view::npos ? offset : offset - nl - 1);
  return p;
}

namespace {
constexpr std::size_t most_message = 600, longest_line = 400;  // bytes
}

Diagnostic diagnostic_at(std::string_view text, Span span, std::string message, std::string hint) {
  return {span, place_of(text, span.begin), clipped(message, most_message), clipped(hint, most_message)};
}

std::string render(const Diagnostic& d, std::string_view text, std::string_view name) {
  const std::size_t at = std::min(d.span.begin, text.size());
  std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1);
  begin = at == 0 || begin == std::string_view::npos ? 0 : begin + 1;
  std::size_t end = std::min(text.find('\n', at), text.size());
  const auto within = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  if (end - begin > longest_line) {  // a part of it around the place
    begin = std::max(begin, at - std::min(at, longest_line / 2));
    end = std::min(end, begin + longest_line);
    while (begin < at && within(begin)) ++begin;
    while (end > at && within(end)) --end;
  }
  const std::string_view line = text.substr(begin, end - begin);
  std::string out = std::string(name) + ":" + std::to_string(d.place.line) + ":" + std::to_string(d.place.column) +
                    ": error: " + d.message + "\n";
  out += "  " + std::string(line) + "\n  ";
  for (std::size_t i = begin; i < at; ++i) out += text[i] == '\t' ? '\t' : ' ';
  const std::size_t width =
      std::max<std::size_t>(1, std::min(d.span.end, end) > at ? std::min(d.span.end, end) - at : 1);
  out += '^' + std::string(width - 1, '~') + "\n";
  if (!d.hint.empty()) out += "  hint: " + d.hint + "\n";
  return out;
}

std::string render_all(const std::vector<Diagnostic>& diagnostics, std::string_view text, std::string_view name) {
  std::string out;
  for (const Diagnostic& d : diagnostics) out += render(d, text, name);
  return out;
}

Error parse_error(const std::vector<Diagnostic>& diagnostics, std::string_view text, std::string_view name) {
  const Diagnostic& first = diagnostics.front();
  return {Code::parse,
          std::string(name) + ":" + std::to_string(first.place.line) + ":" + std::to_string(first.place.column) + ": " +
              first.message,
          render_all(diagnostics, text, name), first.place, first.hint};
}

std::optional<Diagnostic> byte_order_mark(std::string_view text) {
  for (const std::string_view mark : {"\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF"})
    if (text.starts_with(mark))
      return diagnostic_at(text, {0, mark.size()}, "the text begins with a byte order mark",
                           "save it as UTF-8 without a byte order mark");
  return {};
}

}  // namespace ww
