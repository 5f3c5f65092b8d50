// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/loops.h"
#include <algorithm>
#include <cctype>
#include <map>
#include <vector>
#include "base/ascii.h"
#include "base/name_chars.h"

namespace ww::op {
namespace {

constexpr std::size_t longest = 1000;

struct Loop {
  std::string index, size;
};
// "acc += a[i] * b[i]" since "acc = 0", in front of which `outer` loops were open.
struct Total {
  std::string how, term;
  std::size_t outer = 0;
  std::vector<std::string> over;
};

class Nest {
 public:
  explicit Nest(std::string_view text) : text_(text) {}

  std::optional<std::string> run() {
    while (at_ < text_.size()) {
      skip();
      if (at_ >= text_.size()) break;
      if (word("for")) {
        if (!header()) return std::nullopt;
      } else if (!statement()) {
        return std::nullopt;
      }
    }
    return loops_.empty() || equation_.empty() ? std::nullopt : std::optional(equation_);
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\n\r;{}").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool word(std::string_view w) const {
    const std::size_t end = at_ + w.size();
    return text_.substr(at_, w.size()) == w && (end >= text_.size() || !in_name(text_[end]));
  }
  bool take(std::string_view s) {
    blanks();
    if (text_.substr(at_, s.size()) != s) return false;
    at_ += s.size();
    return true;
  }
  std::string name() {
    blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  // "for i in range(N):", "for (int i = 0; i < N; ++i)"
  bool header() {
    at_ += 3;
    Loop loop;
    if (take("(")) {
      loop.index = name();
      blanks();
      if (at_ < text_.size() && text_[at_] != '=') loop.index = name();  // behind its type
      if (!take("=") || !take("0") || !take(";") || name() != loop.index || !take("<")) return false;
      loop.size = name();
      const std::size_t close = text_.find(')', at_);
      const std::string step(text_.substr(at_, close == std::string_view::npos ? 0 : close - at_));
      if (!take(";") || step.find(loop.index) == std::string::npos) return false;
      if (step.find("++") == std::string::npos && step.find("+= 1") == std::string::npos) return false;
      at_ = close + 1;
    } else {
      loop.index = name();
      if (!word_in() || !take("range") || !take("(")) return false;
      loop.size = name();
      if (!take(")") || !take(":")) return false;
    }
    const bool letter = loop.index.size() == 1 && std::islower(static_cast<unsigned char>(loop.index[0]));
    const bool named = !loop.size.empty() && std::isalpha(static_cast<unsigned char>(loop.size[0]));
    if (!letter || !named) return false;
    loops_.push_back(std::move(loop));
    return true;
  }
  bool word_in() { return name() == "in"; }

  // "acc = 0", "acc += E", "acc = max(acc, E)", "y[i] = E", "y[i] += E"
  bool statement() {
    const std::size_t begin = at_;
    std::size_t end = begin;
    for (int depth = 0; end < text_.size(); ++end) {
      const char c = text_[end];
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (depth == 0 && (c == ';' || c == '\n' || c == '}' || begins_loop(end))) break;
    }
    std::string text(trimmed(text_.substr(begin, end - begin)));
    at_ = end;
    for (const char* type : {"float ", "double ", "int "})
      if (text.starts_with(type)) text.erase(0, std::string_view(type).size());
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return false;
    const bool adds = text[equals - 1] == '+';
    const std::string left(trimmed(std::string_view(text).substr(0, equals - (adds ? 1 : 0))));
    const std::string right(trimmed(std::string_view(text).substr(equals + 1)));
    if (left.find('[') == std::string::npos) return total(left, right, adds);
    return assignment(plain(left), plain(right), adds);
  }
  bool begins_loop(std::size_t at) const { return text_.substr(at, 4) == "for " || text_.substr(at, 4) == "for("; }

  bool total(const std::string& left, const std::string& right, bool adds) {
    const auto known = totals_.find(left);
    const std::string front = "max(" + left + ",";
    if (!adds && known == totals_.end()) {
      totals_[left].outer = loops_.size();
      return right == "0" || right == "0.0" || right == "0.0f" || right == "0.f" ||
             right.find("inf") != std::string::npos;
    }
    if (known == totals_.end() || !known->second.term.empty()) return false;
    Total& t = known->second;
    const bool max = !adds && right.starts_with(front) && right.back() == ')';
    if (!adds && !max) return false;
    t.how = adds ? "sum" : "max";
    t.term = plain(adds ? right : right.substr(front.size(), right.size() - front.size() - 1));
    for (std::size_t k = t.outer; k < loops_.size(); ++k) t.over.push_back(loops_[k].index);
    return !t.over.empty();
  }

  bool assignment(const std::string& left, std::string right, bool adds) {
    if (!equation_.empty() || (right.find('[') == std::string::npos && totals_.empty())) return false;
    const std::size_t open = left.find('[');
    const std::string indices = left.substr(open);
    std::vector<std::string> over;
    for (const Loop& l : loops_)
      if (!has(indices, l.index) && !summed(l.index)) over.push_back(l.index);
    if (!adds && !over.empty()) return false;
    for (const auto& [name, t] : totals_) {
      if (t.term.empty() && has(right, name)) return false;
      replace(right, name, "(" + t.how + "(" + listed(t.over) + ") " + t.term + ")");
    }
    equation_ =
        left + " = " + (over.empty() ? "" : "sum(" + listed(over) + ") ") + (over.empty() ? right : "(" + right + ")");
    return true;
  }
  bool summed(const std::string& index) const {
    return std::any_of(totals_.begin(), totals_.end(), [&](const auto& t) {
      return std::find(t.second.over.begin(), t.second.over.end(), index) != t.second.over.end();
    });
  }
  static std::string listed(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
    return out;
  }
  static std::size_t find(const std::string& text, const std::string& name, std::size_t from) {
    for (std::size_t at = text.find(name, from); at != std::string::npos; at = text.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if ((at == 0 || !in_name(text[at - 1])) && (end >= text.size() || !in_name(text[end]))) return at;
    }
    return std::string::npos;
  }
  static bool has(const std::string& text, const std::string& name) { return find(text, name, 0) != std::string::npos; }
  static void replace(std::string& text, const std::string& name, const std::string& with) {
    for (std::size_t at = find(text, name, 0); at != std::string::npos; at = find(text, name, at + with.size()))
      text.replace(at, name.size(), with);
  }

  // "a[i][j]" and "a[i * N + j]" as "a[i, j]"; numbers without their f.
  std::string plain(std::string text) const {
    for (std::size_t at = text.find("]["); at != std::string::npos; at = text.find("][", at)) text.replace(at, 2, ", ");
    for (const Loop& inner : loops_)
      for (const Loop& outer : loops_)
        for (const char* times : {" * ", "*"})
          for (const char* plus : {" + ", "+"})
            replace_all(text, "[" + outer.index + times + inner.size + plus + inner.index + "]",
                        "[" + outer.index + ", " + inner.index + "]");
    for (std::size_t i = 1; i < text.size(); ++i)
      if (text[i] == 'f' && (std::isdigit(static_cast<unsigned char>(text[i - 1])) || text[i - 1] == '.') &&
          (i + 1 == text.size() || !in_name(text[i + 1])))
        text.erase(i, 1);
    return text;
  }
  static void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
      text.replace(at, what.size(), with);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Loop> loops_;
  std::map<std::string, Total> totals_;
  std::string equation_;
};

}  // namespace

std::optional<Edited> loops_as_equation(std::string_view sentence) {
  const std::size_t begin = std::min({sentence.find("for "), sentence.find("for("), sentence.size()});
  if (sentence.size() > longest || begin == sentence.size()) return std::nullopt;
  const bool loops = sentence.find("range(") != std::string_view::npos || sentence.find("++") != std::string_view::npos;
  if (!loops || !trimmed(sentence.substr(0, begin)).empty()) return std::nullopt;
  const auto equation = Nest(sentence).run();
  if (!equation) return std::nullopt;
  return Edited(sentence, {{{0, sentence.size()}, *equation, "loops: " + *equation}});
}

}  // namespace ww::op
