// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include "op/formula/text.h"

namespace ww::op::formula {
namespace {

bool is_digit_char(char c) { return c >= '0' && c <= '9'; }
bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

struct Spelling {
  std::string_view written;
  Token::Kind kind;
  std::string_view text;
};
// Signs and commands in place of plain text. A name that ends in a letter must not run on.
constexpr auto spellings = std::to_array<Spelling>({
    {"⊤", Token::Kind::symbol, "T"},
    {"√", Token::Kind::symbol, "√"},
    {"Σ", Token::Kind::symbol, "\\sum"},
    {"∑", Token::Kind::symbol, "\\sum"},
    {"·", Token::Kind::symbol, "·"},
    {"⋅", Token::Kind::symbol, "·"},
    {"×", Token::Kind::symbol, "×"},
    {"⊙", Token::Kind::symbol, "⊙"},
    {"∘", Token::Kind::symbol, "∘"},
    {"⊗", Token::Kind::symbol, "⊗"},
    {"−", Token::Kind::symbol, "-"},
    {"→", Token::Kind::symbol, "->"},
    {"≤", Token::Kind::symbol, "<="},
    {"≥", Token::Kind::symbol, ">="},
    {"μ", Token::Kind::name, "mu"},
    {"σ", Token::Kind::name, "sigma"},
    {"α", Token::Kind::name, "alpha"},
    {"β", Token::Kind::name, "beta"},
    {"γ", Token::Kind::name, "gamma"},
    {"λ", Token::Kind::name, "lambda"},
    {"ε", Token::Kind::name, "eps"},
    {"τ", Token::Kind::name, "tau"},
    {"δ", Token::Kind::name, "delta"},
    {"ζ", Token::Kind::name, "zeta"},
    {"η", Token::Kind::name, "eta"},
    {"θ", Token::Kind::name, "theta"},
    {"κ", Token::Kind::name, "kappa"},
    {"ν", Token::Kind::name, "nu"},
    {"ξ", Token::Kind::name, "xi"},
    {"ρ", Token::Kind::name, "rho"},
    {"φ", Token::Kind::name, "phi"},
    {"ψ", Token::Kind::name, "psi"},
    {"ω", Token::Kind::name, "omega"},
    {"\\cdot", Token::Kind::symbol, "·"},
    {"\\times", Token::Kind::symbol, "×"},
    {"\\odot", Token::Kind::symbol, "⊙"},
    {"\\circ", Token::Kind::symbol, "∘"},
    {"\\otimes", Token::Kind::symbol, "⊗"},
    {"\\sum", Token::Kind::symbol, "\\sum"},
    {"\\frac", Token::Kind::symbol, "\\frac"},
    {"\\sqrt", Token::Kind::symbol, "√"},
    {"\\top", Token::Kind::name, "T"},
    {"\\epsilon", Token::Kind::name, "eps"},
    {"\\leq", Token::Kind::symbol, "<="},
    {"\\geq", Token::Kind::symbol, ">="},
    {"\\|", Token::Kind::symbol, "||"},
    {"‖", Token::Kind::symbol, "||"},
    {"\\lfloor", Token::Kind::symbol, "⌊"},
    {"\\rfloor", Token::Kind::symbol, "⌋"},
    {"\\lceil", Token::Kind::symbol, "⌈"},
    {"\\rceil", Token::Kind::symbol, "⌉"},
    {"\\lVert", Token::Kind::symbol, "||"},
    {"\\rVert", Token::Kind::symbol, "||"},
    {"\\Vert", Token::Kind::symbol, "||"},
    {"\\lvert", Token::Kind::symbol, "|"},
    {"\\rvert", Token::Kind::symbol, "|"},
    {"\\mid", Token::Kind::symbol, "|"},
    {"\\intercal", Token::Kind::name, "T"},
    {"\\dfrac", Token::Kind::symbol, "\\frac"},
    {"\\tfrac", Token::Kind::symbol, "\\frac"},
    {"\\varepsilon", Token::Kind::name, "eps"},
    {"\\varphi", Token::Kind::name, "phi"},
    {"\\ast", Token::Kind::symbol, "*"},
    {"\\to", Token::Kind::symbol, "->"},
    {"**", Token::Kind::symbol, "^"},
    {"->", Token::Kind::symbol, "->"},
    {"+=", Token::Kind::symbol, "+="},
    {":=", Token::Kind::symbol, "="},
    {"<=", Token::Kind::symbol, "<="},
    {">=", Token::Kind::symbol, ">="},
    {"==", Token::Kind::symbol, "=="},
    {"!=", Token::Kind::symbol, "!="},
    {"||", Token::Kind::symbol, "||"},
    {".*", Token::Kind::symbol, "⊙"},
    {"./", Token::Kind::symbol, "/"},
    {".^", Token::Kind::symbol, "^"},
    {".+", Token::Kind::symbol, "+"},
    {".-", Token::Kind::symbol, "-"},
    {"π", Token::Kind::name, "pi"},
    {"∞", Token::Kind::name, "inf"},
    {"\\infty", Token::Kind::name, "inf"},
});
// LaTeX that only places things.
constexpr std::string_view spacing[] = {"\\left",         "\\right",  "\\,",    "\\;",    "\\:",    "\\!",
                                        "\\quad",         "\\qquad",  "\\big",  "\\Big",  "\\bigg", "$",
                                        "\\displaystyle", "\\limits", "\\bigl", "\\bigr", "\\Bigl", "\\Bigr"};
// LaTeX around a name: \text{softmax}
constexpr std::string_view upright[] = {"\\text",   "\\mathrm", "\\operatorname*", "\\operatorname", "\\mathbf",
                                        "\\textrm", "\\mathit", "\\boldsymbol",    "\\mathcal",      "\\bm",
                                        "\\mathsf", "\\textbf", "\\mathbb"};
// LaTeX over a name, which makes another name: \hat{y} is yhat.
constexpr std::string_view accents[] = {"\\hat", "\\bar", "\\tilde", "\\overline", "\\widehat"};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) {
      const unsigned char c = static_cast<unsigned char>(text_[at_]);
      if (c <= ' ') {
        spaced_ = true;
        ++at_;
      } else if (text_.substr(at_, 2) == "\xC2\xA0") {
        spaced_ = true;
        at_ += 2;
      } else if (is_name_char(text_[at_]) || is_digit_char(text_[at_])) {  // no sign begins with either
        plain();
      } else if (!skip_spacing() && !wrapped_name() && !raised() && !spelled()) {
        plain();
      }
    }
    push(Token::Kind::end, 0, {});
    return std::move(out_);
  }

 private:
  bool starts(std::string_view s) const {
    if (text_.substr(at_, s.size()) != s) return false;
    const bool letter = is_name_char(s.back());
    return !letter || at_ + s.size() >= text_.size() || !is_name_char(text_[at_ + s.size()]) ||
           text_[at_ + s.size()] == '_';
  }
  void push(Token::Kind kind, std::size_t size, std::string text) {
    Token t;
    t.kind = kind;
    t.text = std::move(text);
    std::erase(t.text, '$');  // it sets off mathematics in LaTeX, and sizes and axes in the builder's texts
    t.spaced = spaced_;
    t.span = {at_, at_ + size};
    out_.push_back(std::move(t));
    spaced_ = false;
    at_ += size;
  }
  bool skip_spacing() {
    for (std::string_view s : spacing) {
      if (!starts(s)) continue;
      at_ += s.size();
      spaced_ = true;
      return true;
    }
    return false;
  }
  bool wrapped_name() {
    for (std::string_view s : upright) {
      if (!starts(s)) continue;
      const std::size_t open = at_ + s.size();
      const std::size_t close = text_.find('}', open);
      if (open >= text_.size() || text_[open] != '{' || close == std::string_view::npos) return false;
      return push_name(open, close, {});
    }
    for (std::string_view s : accents) {
      if (!starts(s)) continue;
      const std::size_t open = at_ + s.size();
      std::string_view what = s == "\\widehat" ? "hat" : s == "\\overline" ? "bar" : s.substr(1);
      if (open < text_.size() && text_[open] == '{') {
        const std::size_t close = text_.find('}', open);
        if (close == std::string_view::npos || close > open + 12) return false;
        return push_name(open, close, what);
      }
      if (open + 1 >= text_.size() || text_[open] != ' ' || !is_name_char(text_[open + 1])) return false;
      return push_name(open, open + 2, what);  // \hat y
    }
    return false;
  }
  // The name between the offsets `open` and `close`, with what stands below it.
  bool push_name(std::size_t open, std::size_t close, std::string_view accent) {
    std::string name(text_.substr(open + 1, close - open - 1));
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return is_name_char(c) || is_digit_char(c) || c == '-' || c == ' ';
    });
    if (!plain) return false;
    name += accent;
    const bool braced = close < text_.size() && text_[close] == '}';
    std::size_t size = close + (braced ? 1 : 0) - at_;
    name += subscript(at_ + size, &size);
    push(Token::Kind::name, size, std::move(name));
    return true;
  }
  // "x²", "Aᵀ", "x⁻¹": the tokens of an exponent over its signs.
  bool raised() {
    static constexpr std::pair<std::string_view, char> signs[] = {
        {"⁰", '0'}, {"¹", '1'}, {"²", '2'}, {"³", '3'}, {"⁴", '4'}, {"⁵", '5'}, {"⁶", '6'}, {"⁷", '7'},
        {"⁸", '8'}, {"⁹", '9'}, {"⁻", '-'}, {"ᵀ", 'T'}, {"ⁿ", 'n'}, {"ᵏ", 'k'}, {"ˣ", 'x'}, {"ʸ", 'y'},
        {"ᶻ", 'z'}, {"ᵃ", 'a'}, {"ᵇ", 'b'}, {"ᶜ", 'c'}, {"ᵈ", 'd'}, {"ᵗ", 't'}, {"ᵖ", 'p'}};
    std::string exponent;
    std::size_t end = at_;
    const auto next = [&] {
      return std::find_if(std::begin(signs), std::end(signs),
                          [&](const auto& s) { return text_.substr(end, s.first.size()) == s.first; });
    };
    for (auto sign = next(); sign != std::end(signs); sign = next()) {
      const bool minus = exponent.empty() && sign->second == '-';
      const bool digits = is_digit_char(sign->second) && exponent.size() < 5 &&
                          (exponent.empty() || exponent == "-" || is_digit_char(exponent.back()));
      const bool letter = is_name_char(sign->second) && (exponent.empty() || exponent == "-");
      if (!minus && !digits && !letter) break;
      exponent += sign->second;
      end += sign->first.size();
    }
    if (exponent.empty() || exponent == "-") return false;
    push(Token::Kind::symbol, 0, "^");
    if (exponent[0] == '-') push(Token::Kind::symbol, 0, "-"), exponent.erase(0, 1);
    const std::size_t at = at_;
    const bool number = is_digit_char(exponent[0]);
    push(number ? Token::Kind::number : Token::Kind::name, end - at, exponent);
    if (number) out_.back().number = std::stod(exponent);
    return true;
  }
  bool spelled() {
    for (const Spelling& s : spellings) {
      if (!starts(s.written)) continue;
      const std::string_view shown = s.text;
      std::size_t size = s.written.size();
      std::string name(shown);
      if (s.kind == Token::Kind::name) name += subscript(at_ + size, &size);
      push(s.kind, size, name);
      std::size_t low = 0;
      if (const std::string index = shown == "\\sum" || shown == "||" ? low_letters(at_, &low) : std::string();
          !index.empty()) {
        push(Token::Kind::name, low, index);
      }
      return true;
    }
    return false;
  }
  // "ᵢⱼ" as "_ij"
  std::string low_letters(std::size_t at, std::size_t* size) const {
    static constexpr std::pair<std::string_view, char> letters[] = {
        {"ᵢ", 'i'}, {"ⱼ", 'j'}, {"ₖ", 'k'}, {"ₗ", 'l'}, {"ₘ", 'm'}, {"ₙ", 'n'}, {"ₜ", 't'},
        {"₊", '+'}, {"₋", '-'}, {"₀", '0'}, {"₁", '1'}, {"₂", '2'}, {"₃", '3'}, {"₄", '4'},
        {"₅", '5'}, {"₆", '6'}, {"₇", '7'}, {"₈", '8'}, {"₉", '9'}};
    std::string out;
    for (bool found = true; found;) {
      found = false;
      for (const auto& [sign, letter] : letters)
        if (text_.substr(at, sign.size()) == sign) {
          out += letter;
          at += sign.size();
          *size += sign.size();
          found = true;
        }
    }
    return out.empty() ? out : "_" + out;
  }
  // "_i", "_{ij}" behind a name.
  std::string subscript(std::size_t at, std::size_t* size) const {
    if (std::string low = low_letters(at, size); !low.empty()) return low;
    if (at + 1 >= text_.size() || text_[at] != '_') return {};
    std::size_t end = at + 1;
    std::string out = "_";
    if (text_[end] == '{') {
      const std::size_t close = text_.find('}', end);
      if (close == std::string_view::npos) return {};
      for (char c : text_.substr(end + 1, close - end - 1))
        if (c != ' ' && c != ',') out += c;
      end = close + 1;
    } else {
      while (end < text_.size() && (is_name_char(text_[end]) || is_digit_char(text_[end]))) out += text_[end++];
    }
    *size += end - at;
    return out;
  }

  void plain() {
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    for (const auto& [sign, value] : {std::pair("½", 0.5), std::pair("¼", 0.25), std::pair("¾", 0.75)})
      if (text_.substr(at_, std::string_view(sign).size()) == sign) {
        push(Token::Kind::number, std::string_view(sign).size(), sign);
        out_.back().number = value;
        return;
      }
    if (is_digit_char(c) || (c == '.' && is_digit_char(next))) return number();
    if (is_name_char(c)) {
      std::size_t end = at_;
      while (end < text_.size() && (is_name_char(text_[end]) || is_digit_char(text_[end]))) ++end;
      std::size_t size = end - at_;
      std::string name(text_.substr(at_, size));
      if (const std::string low = low_letters(end, &size); !low.empty())
        return push(Token::Kind::name, size, name + low);
      if (name.back() == '_' && end < text_.size() && text_[end] == '{') {
        std::size_t with = size - 1;
        const std::string below = subscript(at_ + with, &with);
        if (with > size) {  // else its brace is never closed
          name.pop_back();
          name += below;
          size = with;
        }
      }
      return push(Token::Kind::name, size, name);
    }
    if (c == '\\' && is_name_char(next)) {  // \alpha, \exp, \max
      std::size_t end = at_ + 1;
      while (end < text_.size() && is_name_char(text_[end]) && text_[end] != '_') ++end;
      std::string name(text_.substr(at_ + 1, end - at_ - 1));
      std::size_t size = end - at_;
      name += subscript(at_ + size, &size);
      return push(Token::Kind::name, size, name);
    }
    if (c == '"' || c == '\'') {
      const std::size_t close = text_.find(c, at_ + 1);
      if (close != std::string_view::npos && close - at_ < 80)
        return push(Token::Kind::quoted, close + 1 - at_, std::string(text_.substr(at_ + 1, close - at_ - 1)));
    }
    std::size_t size = 1;
    while (at_ + size < text_.size() && (static_cast<unsigned char>(text_[at_ + size]) & 0xC0) == 0x80) ++size;
    push(Token::Kind::symbol, size, std::string(text_.substr(at_, size)));
  }

  void number() {
    double value = 0;
    const auto r = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    std::size_t size = static_cast<std::size_t>(r.ptr - (text_.data() + at_));
    if (r.ec != std::errc() || size == 0) size = std::max<std::size_t>(size, 1);
    const std::string shown(text_.substr(at_, size));
    if (r.ec == std::errc::result_out_of_range) return push(Token::Kind::symbol, size, shown);  // no f64
    push(Token::Kind::number, size, shown);
    out_.back().number = value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool spaced_ = false;
  std::vector<Token> out_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) { return Scanner(text).run(); }

std::string plain_name(std::string_view written) {
  for (const Spelling& s : spellings)
    if (s.kind == Token::Kind::name && s.written == written) return std::string(s.text);
  return std::string(written);
}

}  // namespace ww::op::formula
