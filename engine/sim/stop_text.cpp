// SPDX-License-Identifier: Apache-2.0
#include "sim/stop_text.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include "base/ascii.h"

namespace ww::sim {
namespace {

constexpr const char* forms =
    "write step, line, line:LINE, ptx:LINE, barrier, end, read:BUFFER[INDEX], write:BUFFER[INDEX], VARIABLE changes or "
    "VARIABLE < NUMBER; before it, thread N or warp N";

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 0) return std::nullopt;
  return n;
}

// The first word, which `text` loses; `among`: its further characters beside letters.
std::string_view take(std::string_view& text, std::string_view among) {
  std::size_t n = 0;
  const auto fits = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || among.find(c) != std::string_view::npos;
  };
  while (n < text.size() && fits(text[n])) ++n;
  const std::string_view word = text.substr(0, n);
  text = trimmed(text.substr(n));
  return word;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : whole_(text), rest_(trimmed(text)) {}

  Result<StopAt> read() {
    for (;;) {
      std::string_view after = rest_;
      const std::string_view who = take(after, "_");
      if ((who != "thread" && who != "warp") || after.empty() ||
          std::isdigit(static_cast<unsigned char>(after[0])) == 0)
        break;
      const std::string_view which = take(after, "_");
      const auto n = number(which);
      if (!n || *n > 0x7fffffff) return bad("'" + std::string(which) + "' is not a number of a " + std::string(who));
      (who == "thread" ? at_.thread : at_.warp) = static_cast<int>(*n);
      rest_ = after.starts_with(':') || after.starts_with(',') ? trimmed(after.substr(1)) : after;
    }
    constexpr std::pair<std::string_view, StopKind> plain[] = {{"barrier", StopKind::barrier},
                                                               {"end", StopKind::end},
                                                               {"line", StopKind::source_line},
                                                               {"step", StopKind::instruction}};
    for (const auto& [name, kind] : plain)
      if (rest_ == name) {
        at_.kind = kind;
        return at_;
      }
    std::string_view after = rest_;
    const std::string_view word = take(after, "_%.$");
    if (after.starts_with(':')) return named(word, trimmed(after.substr(1)));
    if (word == "line" || word == "ptx") return line(word, after);
    if (word == "read" || word == "reads" || word == "write" || word == "writes") return element(word[0] == 'r', after);
    if (after.starts_with('[')) return element(false, rest_);
    return of_variable(word, after);
  }

 private:
  tl::unexpected<Error> bad(const std::string& why) const {
    return fail(Code::invalid_argument, "'" + std::string(whole_) + "': " + why, forms);
  }

  Result<StopAt> named(std::string_view what, std::string_view where) {
    if (what == "line" || what == "ptx" || what == "pc") return line(what, where);
    if (what == "read" || what == "write") return element(what == "read", where);
    if (what != "changes" || where.empty()) return bad("no place is written like this");
    at_.kind = StopKind::changes;
    at_.variable = where;
    return at_;
  }

  Result<StopAt> line(std::string_view what, std::string_view where) {
    at_.kind = what == "line" ? StopKind::line : StopKind::ptx_line;
    const auto n = number(where);
    if (!n || *n < 1 || *n > 0x7fffffff) return bad("'" + std::string(where) + "' is not a line number");
    at_.line = static_cast<int>(*n);
    return at_;
  }

  Result<StopAt> element(bool read, std::string_view where) {
    at_.kind = read ? StopKind::read : StopKind::write;
    const std::size_t open = where.rfind('[');
    if (open == std::string_view::npos || open == 0 || !where.ends_with(']')) return bad("an element is BUFFER[INDEX]");
    const auto index = number(trimmed(where.substr(open + 1, where.size() - open - 2)));
    if (!index) return bad("the index must be a whole number from 0");
    at_.buffer = trimmed(where.substr(0, open));
    at_.index = *index;
    return at_;
  }

  Result<StopAt> of_variable(std::string_view variable, std::string_view what) {
    if (variable.empty()) return bad("no place is written like this");
    at_.variable = variable;
    if (what == "changes") {
      at_.kind = StopKind::changes;
      return at_;
    }
    const std::size_t n = std::min(what.find_first_not_of("=!<>"), what.size());
    const auto relation = enum_from_name<Relation>(what.substr(0, n));
    const std::string_view value = trimmed(what.substr(n));
    if (!relation) return bad("no place is written like this");
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), at_.number);
    if (error != std::errc() || end != value.data() + value.size() || value.empty())
      return bad("'" + std::string(value) + "' is not a number");
    at_.kind = StopKind::holds;
    at_.relation = *relation;
    return at_;
  }

  std::string_view whole_, rest_;
  StopAt at_;
};

}  // namespace

Result<StopAt> read_stop(std::string_view text) { return Reader(text).read(); }

}  // namespace ww::sim
