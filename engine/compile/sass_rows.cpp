// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include "base/ascii.h"
#include "compile/sass.h"

namespace ww::compile {
namespace {

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

int number_at(std::string_view s, int base = 10) {  // 0: there is none
  int value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, base);
  return error == std::errc() ? value : 0;
}

// "/*01b0*/  …": the offset; -1: no instruction.
std::int64_t offset_of(std::string_view line) {
  if (!line.starts_with("/*")) return -1;
  const std::size_t end = line.find("*/");
  std::uint32_t offset = 0;
  if (end == line.npos || std::from_chars(line.data() + 2, line.data() + end, offset, 16).ptr != line.data() + end ||
      end == 2)
    return -1;
  return offset;
}

// ".text.softmax:" names the function whose instructions follow; empty: another line.
std::string_view section_name(std::string_view line) {
  constexpr std::string_view prefix = ".text.";
  return line.starts_with(prefix) && line.ends_with(':') ? line.substr(prefix.size(), line.size() - prefix.size() - 1)
                                                         : std::string_view();
}

struct Place {
  std::string_view file;
  int line = 0;
};
// //## File "NAME", line N [inlined at "NAME", line M]
Place place_of(std::string_view line) {
  const std::size_t open = line.find('"');
  const std::size_t close = open == line.npos ? open : line.find('"', open + 1);
  constexpr std::string_view word = ", line ";
  if (close == line.npos || line.compare(close + 1, word.size(), word) != 0) return {};
  std::string_view file = line.substr(open + 1, close - open - 1);
  if (const std::size_t slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  return {file, number_at(line.substr(close + 1 + word.size()))};
}

std::string tidy(std::string_view text) {  // "/*01b0*/   @P0 BRA …": the predicate in a narrow column
  const std::size_t end = text.find("*/") + 2;
  std::string_view rest = trimmed(text.substr(end));
  std::string predicate;
  if (rest.starts_with('@')) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    predicate = rest.substr(0, blank);
    rest = trimmed(rest.substr(blank));
  }
  predicate.insert(0, predicate.size() < 6 ? 6 - predicate.size() : 1, ' ');
  return std::string(text.substr(0, end)) + predicate + ' ' + std::string(rest);
}

// Walks the listing that has the registers, in step with the other.
class Registers {
 public:
  explicit Registers(std::string_view text) : rest_(text) {}
  // Of the instruction there; the listings have the same instructions in the same order.
  int at(std::string_view function, std::int64_t offset) {
    while (!rest_.empty()) {
      const std::string_view whole = next_line(rest_);
      const std::size_t column = whole.rfind("// |");
      const std::string_view line = trimmed(whole.substr(0, column));
      if (const std::string_view name = section_name(line); !name.empty()) function_ = name;
      if (function_ != function || offset_of(line) != offset) continue;
      return column == whole.npos ? 0 : number_at(trimmed(whole.substr(column + 4)));
    }
    return 0;  // the listings differ: nothing more is known
  }

 private:
  std::string_view rest_;
  std::string function_;
};

}  // namespace

Sass read_sass(std::string_view with_lines, std::string_view with_registers, std::string_view own_file) {
  Sass out;
  out.text.reserve(with_lines.size() / 2);
  Registers registers(with_registers);
  int line = 0, ptx_line = 0;
  bool in_group = false, own_found = false;  // between two instructions: the places of the next, innermost first
  const auto add = [&](SassRow row, std::string_view text, std::string_view indent = {}) {
    row.function = static_cast<std::uint32_t>(out.functions.size() - 1);
    if (row.kind == SassRow::Kind::instruction) row.line = line, row.ptx_line = ptx_line;
    out.text.append(indent).append(text).push_back('\n');
    out.rows.push_back(row);
  };
  while (!with_lines.empty()) {
    const std::string_view text = trimmed(next_line(with_lines));
    if (text.starts_with("//##")) {
      const Place place = place_of(text);
      if (!in_group) own_found = false;
      in_group = true;
      if (place.file == ".nv_debug_ptx_txt") {
        ptx_line = place.line;
      } else if (!own_found) {
        own_found = place.file == own_file;
        line = own_found ? place.line : 0;
      }
      continue;
    }
    in_group = false;
    if (const std::string_view name = section_name(text); !name.empty()) {
      line = ptx_line = 0;
      out.functions.emplace_back(name);
      add({SassRow::Kind::function}, out.functions.back() + ":");
      continue;
    }
    if (out.functions.empty()) continue;
    if (const std::int64_t offset = offset_of(text); offset >= 0) {
      SassRow row{SassRow::Kind::instruction};
      row.offset = static_cast<std::uint32_t>(offset);
      if (!with_registers.empty()) row.live = registers.at(out.functions.back(), offset);
      add(row, tidy(text), "  ");
    } else if (text.starts_with(".L") && text.ends_with(':')) {
      add({SassRow::Kind::label}, text);
    }
  }
  return out;
}

}  // namespace ww::compile
