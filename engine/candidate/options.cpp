// SPDX-License-Identifier: Apache-2.0
#include "candidate/options.h"
#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <utility>
#include "base/source.h"
#include "candidate/candidate.h"
#include "candidate/directives.h"
#include "candidate/text.h"

namespace ww::candidate {
namespace {

constexpr std::string_view fast_math_word = "fast-math", registers_word = "maxrregcount=";

struct OptionLine {
  Span line;                // with its line feed
  bool directive = false;   // begins with //@
  bool is_option = false;   // and is one
  std::string_view option;  // "maxrregcount=64"
};

OptionLine option_line(std::string_view text, std::size_t begin) {
  OptionLine out;
  out.line = {begin, std::min(std::min(text.find('\n', begin), text.size() - 1) + 1, text.size())};
  const auto d = directive_at(text, begin);
  out.directive = d.has_value();
  out.is_option = d && d->name == "option";
  if (out.is_option) out.option = d->rest;
  return out;
}

template <class Visit>
void each_line(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    const OptionLine line = option_line(text, at);
    visit(line);
    at = line.line.end;
  }
}

bool sets_registers(std::string_view option) {
  return option.starts_with(registers_word) && check_option(option).has_value();
}

}  // namespace

CompilerOptions options_of(std::string_view text) {
  CompilerOptions out;
  each_line(text, [&](const OptionLine& line) {
    if (line.option == fast_math_word) out.fast_math = true;
    if (out.max_registers == 0 && sets_registers(line.option))
      std::from_chars(line.option.data() + registers_word.size(), line.option.data() + line.option.size(),
                      out.max_registers);
  });
  return out;
}

std::string with_options(std::string_view text, const CompilerOptions& options) {
  if (options_of(text) == options) return std::string(text);
  bool fast_math = options.fast_math, registers = options.max_registers != 0;  // still to be written
  const std::string limit = fmt::format("//@ option {}{}\n", registers_word, options.max_registers);
  std::string out;
  std::size_t last_directive = 0;  // behind it, in `out`
  each_line(text, [&](const OptionLine& line) {
    std::string kept(text.substr(line.line.begin, line.line.end - line.line.begin));
    if (line.option == fast_math_word) {
      if (!std::exchange(fast_math, false)) return;
    } else if (line.is_option && line.option.starts_with(registers_word)) {
      if (!std::exchange(registers, false)) return;
      kept = limit;
    }
    out += kept;
    if (line.directive) last_directive = out.size();
  });
  std::string added;
  if (fast_math) added += fmt::format("//@ option {}\n", fast_math_word);
  if (registers) added += limit;
  if (!added.empty() && last_directive > 0 && out[last_directive - 1] != '\n') added.insert(0, "\n");
  return out.insert(last_directive, added);
}

}  // namespace ww::candidate
