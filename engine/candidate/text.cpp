// SPDX-License-Identifier: Apache-2.0
#include "candidate/text.h"
#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include "base/utf8.h"
#include "candidate/candidate.h"
#include "candidate/cursor.h"
#include "candidate/directives.h"

namespace ww::candidate {

std::string named_op(std::string_view text) {
  const auto directive = first_directive(text, "candidate");
  return directive ? std::string(directive->rest.substr(0, directive->rest.find_first_of(" \t\r"))) : std::string();
}

Language language_of(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
    if (word == ".version" || word == ".target") return Language::ptx;
    begin = end + 1;
  }
  return Language::cuda;
}

namespace {

// Compilers and assemblers copy names, numbers and strings into buffers of a fixed size.
Status check_tokens(std::string_view text) {
  constexpr std::size_t longest = 32 << 10, longest_number = 1 << 10;  // bytes
  const auto spliced = [&](std::size_t at) { return text.substr(at, 2) == "\\\n" || text.substr(at, 3) == "\\\r\n"; };
  const auto word = [](char c) { return is_name_part(c) || c == '$' || c == '.' || c == '%' || c == '\''; };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i++;
    const char first = text[begin];
    std::string_view what = "name";
    if (first == '"') {
      what = "string";
      while (i < text.size() && text[i] != '"' && (text[i] != '\n' || spliced(i - 1)))
        i += text[i] == '\\' && text.substr(i + 1, 1) != "\n" ? 2 : 1;
      i = std::min(i + 1, text.size());
    } else if (word(first)) {
      if (first >= '0' && first <= '9') what = "number";
      while (i < text.size() && (word(text[i]) || spliced(i))) i += spliced(i) ? 2 : 1;
    }
    if (i - begin > (what == "number" ? longest_number : longest))
      return fail(Code::parse, fmt::format("line {} of the candidate has a {} of {} bytes", place_of(text, begin).line,
                                           what, i - begin));
  }
  return {};
}

}  // namespace

Status check_text(std::string_view text) {
  if (text.size() > max_text)
    return fail(Code::parse, fmt::format("the candidate has {} bytes; at most {} are read", text.size(), max_text));
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return fail(Code::parse, fmt::format("the candidate has a NUL byte in line {}", place_of(text, nul).line));
  if (const auto bad = bad_utf8(text))
    return fail(Code::parse, fmt::format("byte {} of the candidate, in line {}, is not UTF-8 text", *bad + 1,
                                         place_of(text, *bad).line));
  return check_tokens(text);
}

Status check_option(std::string_view option) {
  if (option == "fast-math") return {};
  constexpr std::string_view registers = "maxrregcount=";
  if (option.starts_with(registers)) {
    const std::string_view digits = option.substr(registers.size());
    int n = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (error == std::errc{} && stop == digits.data() + digits.size() && n >= 16 && n <= 255) return {};
    return fail(Code::parse, "maxrregcount expects a number from 16 to 255");
  }
  return fail(Code::parse, fmt::format("unknown option '{}'; the options are fast-math and maxrregcount=N", option));
}

std::set<std::string_view> code_words(std::string_view text) {
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      i = std::min(text.find('\n', i), text.size());
    } else if (is_name_start(text[i])) {
      const std::size_t begin = i;
      while (i < text.size() && is_name_part(text[i])) ++i;
      words.insert(text.substr(begin, i - begin));
    } else {
      ++i;
    }
  }
  return words;
}

}  // namespace ww::candidate
