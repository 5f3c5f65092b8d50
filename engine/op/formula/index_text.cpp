// SPDX-License-Identifier: Apache-2.0
#include "op/formula/index_text.h"
#include <algorithm>
#include <cctype>
#include "base/name_chars.h"

namespace ww::op {
namespace {

bool starts_a_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// \sum_{j \le i}, Σ_{j<i} and \sum_{j=1}^{i} as "sum(j in 0..i + 1)"; false where no sum runs over part of a
// dimension. Spaces and the last bracket stand as two signs of their own: no factor ends there.
constexpr char range_space = '\x02', range_bracket = '\x01';
bool with_ranges(std::string& text) {
  bool found = false;
  for (const std::string_view sum : {"\\sum_{", "Σ_{", "∑_{", "sum_{"}) {
    for (std::size_t at = text.find(sum); at != std::string::npos; at = text.find(sum, at + 1)) {
      const std::size_t open = at + sum.size(), end = text.find('}', open);
      if (end == std::string::npos) return false;
      std::string inner = text.substr(open, end - open);
      std::erase(inner, ' ');
      std::size_t behind = end + 1;
      if (inner.size() < 3 || !std::islower(static_cast<unsigned char>(inner[0]))) continue;
      std::string relation = inner.substr(1), last;
      bool inclusive = true;
      for (const auto& [sign, own] : {std::pair("\\leq", true), std::pair("\\le", true), std::pair("≤", true),
                                      std::pair("<=", true), std::pair("<", false)})
        if (last.empty() && relation.starts_with(sign)) {
          last = relation.substr(std::string_view(sign).size());
          inclusive = own;
        }
      if (last.empty() && (relation == "=1" || relation == "=0") && behind < text.size() && text[behind] == '^') {
        const bool braced = text[behind + 1] == '{';
        const std::size_t stop = braced ? text.find('}', behind) : behind + 2;
        if (stop == std::string::npos) return false;
        last = text.substr(behind + (braced ? 2 : 1), stop - behind - (braced ? 2 : 1));
        behind = stop + (braced ? 1 : 0);
        const bool less = last.ends_with("-1");
        if (less) last.resize(last.size() - 2), inclusive = false;
        if (less && relation == "=1") continue;  // which of the elements is left out?
      }
      if (last.size() != 1 || !std::islower(static_cast<unsigned char>(last[0])) || last[0] == inner[0]) continue;
      if (text.find('[' + last) == std::string::npos && text.substr(0, text.find('=')).find(last) == std::string::npos)
        continue;  // the size of the dimension
      std::string range = std::string("sum(") + inner[0] + " in 0.." + last + (inclusive ? " + 1)" : ")");
      std::replace(range.begin(), range.end(), ' ', range_space);
      std::replace(range.begin(), range.end(), ')', range_bracket);
      text.replace(at, behind - at, range);
      found = true;
    }
  }
  return found;
}

// "for", "where": no factor of a product.
bool is_prose_word(const std::string& written) {
  const std::string_view text = written;
  static constexpr std::string_view factors[] = {"alpha", "beta", "gamma", "lambda", "tanh", "exp"};
  std::size_t size = 0;
  while (size < text.size() && std::isalpha(static_cast<unsigned char>(text[size]))) ++size;
  const std::string_view word = text.substr(0, size);
  const bool operand = size < text.size() && std::string_view("([_{").find(text[size]) != std::string_view::npos;
  return size > 1 && !operand && std::find(std::begin(factors), std::end(factors), word) == std::end(factors);
}

}  // namespace

std::optional<std::string> with_brackets(std::string_view written) {
  std::string text(written);
  static constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"\\odot", "*"},    {"\\cdot", "*"},      {"\\times", "*"},       {"⊙", "*"},       {"·", "*"},
      {"×", "*"},         {"∘", "*"},           {"\\tanh", "tanh"},     {"\\exp", "exp"}, {"\\alpha", "alpha"},
      {"\\beta", "beta"}, {"\\gamma", "gamma"}, {"\\lambda", "lambda"}, {"$", ""}};
  for (const auto& [sign, plain] : signs)
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + plain.size()))
      text.replace(at, sign.size(), plain);
  std::string out;
  bool shifted = with_ranges(text), prose = false;
  for (std::size_t i = 0; i < text.size();) {
    const bool below =
        text[i] == '_' && i > 0 && (starts_a_name(text[i - 1]) || text[i - 1] == '}') && i + 1 < text.size();
    if (!below) {
      const std::size_t last = out.find_last_not_of(' ');
      const bool apart = last != std::string::npos && last + 1 < out.size() && out.find('=') < last;
      const bool ends = apart && (out[last] == ']' || out[last] == ')' || (starts_a_name(out[last]) && text[i] != '('));
      prose = prose || (apart && is_prose_word(text.substr(i)));
      if (ends && !prose && (starts_a_name(text[i]) || text[i] == '(')) out += "* ";
      out += text[i++];
      continue;
    }
    const bool braced = text[i + 1] == '{';
    const std::size_t close = braced ? text.find('}', i) : i + 2;
    if (close == std::string::npos) return std::nullopt;
    std::string index(text.substr(i + (braced ? 2 : 1), close - i - (braced ? 2 : 1)));
    if (index.empty() || (!starts_a_name(index[0]) && index != "0")) return std::nullopt;
    if (!braced && close < text.size() && (starts_a_name(text[close]) || text[close] == '_')) return std::nullopt;
    shifted = shifted || index.find_first_of("-+") != std::string::npos || index.find("−") != std::string::npos;
    if (const std::size_t minus = index.find("−"); minus != std::string::npos)
      index.replace(minus, std::string_view("−").size(), "-");
    out += "[" + index + "]";
    i = close + (braced ? 1 : 0);
  }
  std::replace(out.begin(), out.end(), range_bracket, ')');
  std::replace(out.begin(), out.end(), range_space, ' ');
  return shifted ? std::optional(out) : std::nullopt;
}

namespace {

// "sum_k h[k] x[n+k]", "Σ_{u,v} w[u,v]" as "sum(k) h[k] * x[n+k]".
std::string with_sums(std::string_view written) {
  std::string text(written);
  for (const std::string_view sum : {"\\sum_", "Σ_", "∑_", "sum_"})
    for (std::size_t at = text.find(sum); at != std::string::npos; at = text.find(sum, at + 3)) {
      const std::size_t open = at + sum.size();
      const bool braced = open < text.size() && text[open] == '{';
      const std::size_t end = braced ? text.find('}', open) : open + 1;
      if (end == std::string::npos || end > text.size()) break;
      const std::string over = text.substr(open + (braced ? 1 : 0), end - open - (braced ? 1 : 0));
      const bool letters = !over.empty() && std::all_of(over.begin(), over.end(), [](unsigned char c) {
        return std::islower(c) != 0 || c == ',' || c == ' ';
      });
      const bool whole = braced || end == text.size() || !std::isalnum(static_cast<unsigned char>(text[end]));
      if (letters && whole) text.replace(at, end + (braced ? 1 : 0) - at, "sum(" + over + ") ");
    }
  return text;
}

// Whether a product without a sign goes on at text[i]: "h[k] x[n+k]", "2 (x[i] + y[i])".
bool is_second_factor(std::string_view text, std::size_t i, std::string_view front) {
  const std::size_t last = front.find_last_not_of(' ');
  const bool apart = last != std::string_view::npos && last + 1 < front.size() && front.find('=') < last;
  if (!apart || front[last] != ']' || is_prose_word(std::string(text.substr(i)))) return false;
  return starts_a_name(text[i]) || text[i] == '(';
}

// "x[" at text[i].
bool begins_a_read(std::string_view text, std::size_t i) {
  std::size_t end = i;
  while (end < text.size() && starts_a_name(text[end])) ++end;
  return end > i && end < text.size() && text[end] == '[';
}

}  // namespace

std::string plain_brackets(std::string_view written) {
  const std::string sums = with_sums(written);
  const std::string_view text = sums;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ']' && i + 1 < text.size() && text[i + 1] == '[') {
      out += ", ";
      ++i;
      continue;
    }
    const bool begins = i == 0 || !(std::isalnum(static_cast<unsigned char>(text[i - 1])) || text[i - 1] == '_');
    if (begins && text.substr(i, 3) == "in[") {
      out += "inp[";
      i += 2;
      continue;
    }
    if (is_second_factor(text, i, out)) out += "* ";
    const std::size_t last = out.find_last_not_of(' ');
    const bool glued = !begins && last + 1 == out.size() && begins_a_read(text, i);  // 2x[i]
    const bool name = starts_a_name(text[i]) && (begins || glued) && last != std::string::npos &&
                      std::isdigit(static_cast<unsigned char>(out[last])) && out.find('=') < last;
    if (name) {  // behind a number that is no part of a name
      std::size_t front = last;
      while (front > 0 && (std::isalnum(static_cast<unsigned char>(out[front - 1])) || out[front - 1] == '.')) --front;
      if (std::isdigit(static_cast<unsigned char>(out[front]))) out += "* ";
    }
    out += text[i];
  }
  return out;
}

namespace {

// Where a clause that begins at `begin` ends: in front of a comma, a semicolon, "and" or a word that leads to another.
std::size_t clause_end(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth > 0) continue;
    if (c == ',' || c == ';') return i;
    for (const std::string_view w : {" and ", " for ", " with ", " where ", " on ", " over ", " in "})
      if (text.substr(i, w.size()) == w) return i;
  }
  return text.size();
}

// The text with each subscript 0 as the index; nothing where it has others, or words.
std::optional<std::string> at_index(std::string_view first, const std::string& index) {
  std::string out;
  bool read = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const char c = first[i];
    if (c == '[' && first.substr(i, 3) != "[0]") return std::nullopt;
    if (c != '[') {
      if (!in_name(c) && std::string_view(" .+-*/()").find(c) == std::string_view::npos) return std::nullopt;
      out += c;
      continue;
    }
    out += "[" + index + "]";
    read = true;
    i += 2;
  }
  return read ? std::optional(out) : std::nullopt;
}

// Whether `value` reads elements of `name` one step back only.
bool one_step_back(std::string value, const std::string& name, const std::string& index) {
  std::erase(value, ' ');
  bool read = false;
  for (std::size_t at = value.find(name + "["); at != std::string::npos; at = value.find(name + "[", at + 1)) {
    if (at > 0 && in_name(value[at - 1])) continue;
    if (value.substr(at + name.size() + 1, index.size() + 3) != index + "-1]") return false;
    read = true;
  }
  return read;
}

}  // namespace

std::optional<std::string> with_letters(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || text.find(':') == std::string_view::npos) return std::nullopt;
  std::string letters;  // those that no subscript has
  for (const char c : std::string_view("klmnpq"))
    if (text.find(std::string("[") + c) == std::string_view::npos &&
        text.find(std::string(", ") + c) == std::string_view::npos)
      letters += c;
  std::string out;
  std::size_t whole = 0;  // dimensions of the left side that are taken whole
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '[') {
      if (text[i] == ':') return std::nullopt;
      out += text[i];
      continue;
    }
    const std::size_t close = text.find(']', i);
    if (close == std::string_view::npos) return std::nullopt;
    std::size_t found = 0;
    for (std::size_t k = i; k < close; ++k) {
      std::size_t before = k, behind = k + 1;
      while (text[before - 1] == ' ') --before;
      while (text[behind] == ' ') ++behind;
      const bool alone =
          (text[before - 1] == '[' || text[before - 1] == ',') && (text[behind] == ',' || text[behind] == ']');
      if (text[k] == ':' && (!alone || found == letters.size())) return std::nullopt;
      out += text[k] == ':' ? letters[found++] : text[k];
    }
    out += ']';
    if (i < equals) whole = found;
    if (i > equals && found != 0 && found != whole) return std::nullopt;
    i = close;
  }
  return whole > 0 ? std::optional(out) : std::nullopt;
}

std::optional<std::string> with_first_element(std::string_view text) {
  for (std::size_t at = text.find("[0]"); at != std::string_view::npos; at = text.find("[0]", at + 1)) {
    std::size_t begin = at, equals = at + 3;
    while (begin > 0 && in_name(text[begin - 1])) --begin;
    while (equals < text.size() && text[equals] == ' ') ++equals;
    if (begin == at || equals >= text.size() || text[equals] != '=') continue;
    const std::string name(text.substr(begin, at - begin));
    const std::size_t main = text.find(name + "[");
    if (main >= begin || main + name.size() + 2 >= text.size() || text[main + name.size() + 2] != ']') continue;
    const std::string index(1, text[main + name.size() + 1]);
    const std::size_t sign = text.find('=', main), end = clause_end(text, begin);
    const std::size_t close = sign < begin ? clause_end(text, sign) : begin;
    if (close >= begin || !starts_a_name(index[0])) continue;
    const std::string value(text.substr(sign + 1, close - sign - 1));
    const auto first = at_index(text.substr(equals + 1, end - equals - 1), index);
    if (!first || !one_step_back(value, name, index)) continue;
    return std::string(text.substr(0, sign)) + "= if(" + index + " > 0," + value + "," + *first + ")" +
           std::string(text.substr(end));
  }
  return std::nullopt;
}

std::vector<std::size_t> ends_of(std::string_view sentence, std::size_t begin) {
  std::vector<std::size_t> out = {sentence.size()};
  int depth = 0;
  for (std::size_t i = begin; i < sentence.size(); ++i) {
    const char c = sentence[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth > 0) continue;
    const bool sign = c == ',' || c == ';' || (c == '.' && i + 1 < sentence.size() && sentence[i + 1] == ' ');
    bool word = false;
    for (const std::string_view w : {" for ", " with ", " where ", " on ", " over ", " in "})
      word = word || sentence.substr(i, w.size()) == w;
    if (sign || word) out.push_back(i);
  }
  if (out.size() > 6) out.resize(6);
  return out;
}

}  // namespace ww::op
