// SPDX-License-Identifier: Apache-2.0
#include "base/grouped.h"
#include "report/html.h"
#include <cmath>
#include <fmt/format.h>
#include "base/visible.h"

namespace ww::report::html {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// Length of the well-formed UTF-8 sequence at the front of `text` that XML allows; 0: none (Unicode 15, table 3-7;
// XML 1.0, Char).
std::size_t sequence(std::string_view text) {
  const auto b = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto tail = [&](std::size_t i) { return (b(i) & 0xC0) == 0x80; };
  const unsigned c = b(0);
  if (c < 0x80) return c >= 0x20 || c == '\t' || c == '\n' || c == '\r' ? 1 : 0;
  if (c >= 0xC2 && c <= 0xDF) return tail(1) ? 2 : 0;
  if (c >= 0xE0 && c <= 0xEF) {
    if (!tail(1) || !tail(2) || (c == 0xE0 && b(1) < 0xA0) || (c == 0xED && b(1) > 0x9F)) return 0;
    return c == 0xEF && b(1) == 0xBF && b(2) >= 0xBE ? 0 : 3;  // U+FFFE, U+FFFF
  }
  if (c >= 0xF0 && c <= 0xF4) {
    if (!tail(1) || !tail(2) || !tail(3) || (c == 0xF0 && b(1) < 0x90) || (c == 0xF4 && b(1) > 0x8F)) return 0;
    return 4;
  }
  return 0;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  while (!text.empty()) {
    const std::size_t n = sequence(text);
    if (n == 1) {
      switch (text[0]) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        case '\r': out += "\u240D"; break;  // HTML reads it as a line feed
        default: out += text[0];
      }
    } else if (n == 0) {
      out += replacement;
    } else {
      out += visible(text.substr(0, n));
    }
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

std::string shorten(std::string_view text, std::size_t limit) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  if (starts.size() <= limit) return std::string(text);
  const std::size_t head = limit / 2, tail = limit - head - 1;
  return std::string(text.substr(0, starts[head])) + "…" + std::string(text.substr(starts[starts.size() - tail]));
}

std::string number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const double magnitude = std::fabs(value);
  if (magnitude >= 1e15 || (magnitude > 0 && magnitude < 1e-3)) return fmt::format("{:.4g}", value);
  std::string text =
      magnitude >= 1000 || value == std::round(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
  return grouped(std::move(text));
}

std::string pre(std::string_view text, std::string_view css_class) {
  return fmt::format("<pre class=\"{}\">{}</pre>\n", css_class, escape(text));
}

std::string listing(std::string_view text, const std::map<int, double>& weight_of_line, double total) {
  std::string out = "<table class=\"listing\"><tbody>\n";
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string share;
    double percent = 0;
    if (const auto it = weight_of_line.find(line); it != weight_of_line.end() && total > 0) {
      percent = 100 * it->second / total;
      share = fmt::format("{:.1f} %", percent);
    }
    out += fmt::format("<tr><td class=\"n\">{}</td><td class=\"w h{}\">{}</td><td class=\"s\">{}</td></tr>\n", line,
                       percent >= 20  ? 3
                       : percent >= 5 ? 2
                       : percent > 0  ? 1
                                      : 0,
                       share, escape(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + "</tbody></table>\n";
}

std::string diff(const std::vector<diff::DiffLine>& lines) {
  std::string out = "<pre class=\"code diff\">";
  for (const diff::DiffLine& l : lines) {
    const char* kind = l.mark == '+' ? "add" : l.mark == '-' ? "del" : l.mark == '@' ? "hunk" : "same";
    out += fmt::format("<span class=\"{}\">{}{}</span>\n", kind, l.mark == '@' ? "" : std::string(1, l.mark),
                       escape(l.text));
  }
  return out + "</pre>\n";
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string out = "<table class=\"facts\"><tbody>\n";
  for (const auto& [name, value] : rows)
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape(name), escape(value));
  return out + "</tbody></table>\n";
}

}  // namespace ww::report::html
