// SPDX-License-Identifier: Apache-2.0
#include "candidate/compared_literals.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include "base/source.h"
#include "candidate/bare_kernel.h"
#include "candidate/cursor.h"

namespace ww::candidate {
namespace {

struct CodeToken {
  std::string_view text;
  std::size_t at = 0;
};

constexpr std::array double_marks{"<=", ">=", "==", "!=", "<<", ">>", "&&", "||", "->"};
constexpr std::array comparisons{"<", ">", "<=", ">=", "==", "!="};
constexpr std::array ends_of_side{"<", ">", "<=", ">=", "==", "!=", "&&", "||",    "?",
                                  ":", ";", ",",  "{",  "}",  "=",  "!",  "return"};

bool is_any_of(std::string_view text, const auto& list) { return std::ranges::find(list, text) != list.end(); }

std::vector<CodeToken> code_tokens(std::string_view code) {
  std::vector<CodeToken> out;
  for (std::size_t i = 0; i < code.size();) {
    std::size_t end = i + 1;
    const bool number = code[i] >= '0' && code[i] <= '9';
    if (number || is_name_part(code[i])) {
      while (end < code.size() && (is_name_part(code[end]) || (number && (code[end] == '.' || code[end] == '\''))))
        ++end;
    } else if (is_any_of(code.substr(i, 2), double_marks)) {
      ++end;
    }
    if (!is_blank(code[i]) && code[i] != '\n') out.push_back({code.substr(i, end - i), i});
    i = end;
  }
  return out;
}

// "1024", "0x400u", "1'000LL"; empty: no whole number.
std::optional<std::int64_t> whole_number(std::string_view token) {
  std::string digits(token);
  std::erase(digits, '\'');
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (hex) digits.erase(0, 2);
  digits.erase(digits.find_last_not_of("uUlL") + 1);
  std::int64_t value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (digits.empty() || end.ec != std::errc() || end.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

class LiteralReader {
 public:
  explicit LiteralReader(std::string_view cuda) : code_(code_only(cuda)), tokens_(code_tokens(code_)) {}

  std::vector<ComparedLiteral> read() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!is_any_of(tokens_[i].text, comparisons)) continue;
      add(begin_of_side(i), i);
      add(i + 1, end_of_side(i));
    }
    return std::move(found_);
  }

 private:
  std::size_t begin_of_side(std::size_t at) const {
    int depth = 0;
    for (; at > 0; --at) {
      const std::string_view t = tokens_[at - 1].text;
      if (t == ")" || t == "]") ++depth;
      if ((t == "(" || t == "[") && --depth < 0) break;
      if (depth == 0 && is_any_of(t, ends_of_side)) break;
    }
    return at;
  }
  std::size_t end_of_side(std::size_t at) const {
    int depth = 0;
    for (++at; at < tokens_.size(); ++at) {
      const std::string_view t = tokens_[at].text;
      if (t == "(" || t == "[") ++depth;
      if ((t == ")" || t == "]") && --depth < 0) break;
      if (depth == 0 && is_any_of(t, ends_of_side)) break;
    }
    return at;
  }

  void add(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    if (const auto whole = product(begin, end)) return note(begin, end, *whole);
    int subscripts = 0;  // what stands in them is compared with nothing
    for (std::size_t i = begin; i < end; ++i) {
      subscripts += (tokens_[i].text == "[") - (tokens_[i].text == "]");
      if (const auto value = whole_number(tokens_[i].text); value && subscripts == 0) note(i, i + 1, *value);
    }
  }

  // Of numbers alone: "-100", "(1 << 30)", "1024 * 1024".
  std::optional<std::int64_t> product(std::size_t begin, std::size_t end) const {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    const bool minus = tokens_[begin].text == "-";
    std::optional<std::int64_t> value;
    std::string_view op;
    for (std::size_t i = begin + minus; i < end; ++i) {
      const std::string_view t = tokens_[i].text;
      if (t == "(" || t == ")") continue;
      if (t == "*" || t == "<<") {
        op = t;
        continue;
      }
      const auto number = whole_number(t);
      if (!number || (value && op.empty())) return std::nullopt;
      if (!value)
        value = *number;
      else if (op == "*" && *number < most && *value < most && (*number == 0 || *value <= most / *number))
        *value *= *number;
      else if (op == "<<" && *number < 40 && *value < most)
        *value <<= *number;
      else
        return std::nullopt;
      op = {};
    }
    return value && minus ? std::optional(-*value) : value;
  }

  void note(std::size_t begin, std::size_t end, std::int64_t value) {
    if (value >= -1 && value <= 1) return;
    const std::size_t from = tokens_[begin].at, to = tokens_[end - 1].at + tokens_[end - 1].text.size();
    ComparedLiteral one{place_of(code_, from).line, value, code_.substr(from, to - from)};
    if (std::ranges::find(found_, one) == found_.end()) found_.push_back(std::move(one));
  }

  const std::string code_;
  const std::vector<CodeToken> tokens_;
  std::vector<ComparedLiteral> found_;
};

}  // namespace

std::vector<ComparedLiteral> compared_literals(std::string_view cuda) { return LiteralReader(cuda).read(); }

}  // namespace ww::candidate
