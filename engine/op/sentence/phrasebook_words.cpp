// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/phrasebook_words.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include "base/ascii.h"
#include "base/dtype.h"
#include "base/files.h"
#include "op/names.h"

namespace ww::op::phrases {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

constexpr std::string_view times_sign = "\xC3\x97";  // ×
constexpr std::string_view no_break_space = "\xC2\xA0";

std::string whole_text(double v) {
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(v)).ptr);
}

class Tokeniser {
 public:
  explicit Tokeniser(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (const std::size_t space = space_at(at_))
        at_ += space;
      else if (starts(times_sign))
        push(Token::Kind::word, times_sign.size(), "x");
      else if (is_digit(c) ||
               (c == '.' && digit_at(at_ + 1) && !(at_ > 0 && (is_digit(text_[at_ - 1]) || is_letter(text_[at_ - 1])))))
        number(false);
      else if (c == '-' && digit_at(at_ + 1) &&
               (at_ == 0 || is_space(text_[at_ - 1]) || text_[at_ - 1] == '=' || text_[at_ - 1] == '(' ||
                text_[at_ - 1] == '[' || behind_times()))
        number(true);
      else if (is_letter(c))
        word();
      else if (between_numbers())
        push(Token::Kind::symbol, starts("...") ? 3 : 2, "..");
      else if (c == '-' && minus_at(at_))
        bracket(c);
      else if (c == '\'' && prime_at(at_))
        bracket(c);
      else if (c == '-' || c == '_' || c == '\'' || c == '"' || c == '`')
        ++at_;
      else
        bracket(c);
    }
    return std::move(out_);
  }

 private:
  bool starts(std::string_view s) const { return text_.substr(at_, s.size()) == s; }
  // ".." between two numbers.
  bool between_numbers() const {
    if (!starts("..") || out_.empty() || out_.back().kind != Token::Kind::number) return false;
    std::size_t i = text_.find_first_not_of('.', at_);
    while (i < text_.size() && is_space(text_[i])) ++i;
    return digit_at(i) || (i < text_.size() && text_[i] == '-' && digit_at(i + 1));
  }
  bool digit_at(std::size_t i) const { return i < text_.size() && is_digit(text_[i]); }
  // "relu - 1", "max - min": a sign between spaces; "relu of -x", "exp of 1-x": one in front of a name.
  bool minus_at(std::size_t i) const {
    const bool begins = i == 0 || is_space(text_[i - 1]) || text_[i - 1] == '(' || text_[i - 1] == ',';
    if (begins && letter_at(i + 1)) return true;
    if (i > 0 && is_digit(text_[i - 1]) && letter_at(i + 1) && !letter_at(i + 2) && !digit_at(i + 2) &&
        (i + 2 >= text_.size() || text_[i + 2] != '-'))
      return true;
    std::size_t next = i + 1;
    while (next < text_.size() && text_[next] == ' ') ++next;
    return i > 0 && is_space(text_[i - 1]) && next > i + 1 && (digit_at(next) || letter_at(next));
  }
  // "A'": behind a name of one letter, and no closing quotation mark.
  bool prime_at(std::size_t i) const {
    if (i > 0 && is_letter(text_[i - 1]) && i + 1 < text_.size() && text_[i + 1] == '(') return true;  // sigmoid'(x)
    return i > 0 && is_letter(text_[i - 1]) && !letter_at(i + 1) &&
           (i < 2 || (!is_letter(text_[i - 2]) && text_[i - 2] != '\''));
  }
  bool letter_at(std::size_t i) const {
    return i < text_.size() && is_letter(text_[i]) && text_.substr(i, 2) != times_sign && space_at(i) == 0;
  }
  bool times_at(std::size_t i) const { return (text_[i] == 'x' || text_[i] == 'X') && digit_at(i + 1); }  // "x1024"
  bool behind_times() const {  // "3x", not followed by a hyphen
    return out_.size() > 1 && out_.back().text == "x" && out_.back().span.end == at_ &&
           out_[out_.size() - 2].kind == Token::Kind::number;
  }
  // Bytes of a space of any kind; U+2000 to U+203F, which hold dashes and quotation marks too, count as spaces.
  std::size_t space_at(std::size_t i) const {
    if (is_space(text_[i])) return 1;
    if (text_.substr(i, 2) == no_break_space) return 2;
    return text_.substr(i, 2) == "\xE2\x80" && i + 3 <= text_.size() ? 3 : 0;
  }

  void push(Token::Kind kind, std::size_t size, std::string text) {
    Token t;
    t.kind = kind;
    t.span = {at_, at_ + size};
    t.text = std::move(text);
    out_.push_back(std::move(t));
    at_ += size;
  }

  void bracket(char c) {
    if (c == '[' || c == '(') ++depth_;
    if (c == ']' || c == ')') --depth_;
    push(Token::Kind::symbol, 1, std::string(1, c));
  }

  // A Chinese character (U+3000 to U+9FFF) is one token, since no spaces separate words.
  bool ideograph_at(std::size_t i) const {
    const unsigned char c = static_cast<unsigned char>(text_[i]);
    return c >= 0xE3 && c <= 0xE9 && i + 3 <= text_.size();
  }

  void word() {
    if (ideograph_at(at_)) return push(Token::Kind::word, 3, std::string(text_.substr(at_, 3)));
    // "x1024" after a number is a times sign and a number.
    if (times_at(at_) && !out_.empty() && out_.back().kind == Token::Kind::number && out_.back().span.end == at_)
      return push(Token::Kind::word, 1, "x");
    std::size_t end = at_;
    while (end < text_.size() && (letter_at(end) || is_digit(text_[end])) && !ideograph_at(end)) ++end;
    push(Token::Kind::word, end - at_, fold(text_.substr(at_, end - at_)));
  }

  // "/8" after an integer: its end, and the value divided by it; `at` if there is none.
  std::size_t fraction(std::size_t at, double& value) const {
    if (at >= text_.size() || text_[at] != '/' || !digit_at(at + 1)) return at;
    std::size_t end = at + 1;
    double below = 0;
    while (digit_at(end) && below < 1e12) below = below * 10 + (text_[end++] - '0');
    if (below == 0 || letter_at(end) ||
        (end < text_.size() && (text_[end] == '/' || text_[end] == '.') && digit_at(end + 1)))
      return at;
    value /= below;
    return end;
  }

  struct Numeral {
    std::string digits;   // without separators
    std::size_t end = 0;  // in the text
    bool whole = true, thousands = false;
  };
  Numeral numeral(bool negative) const {
    Numeral out;
    auto& [digits, i, whole, thousands] = out;
    i = at_ + (negative ? 1 : 0);
    digits = negative ? "-" : "";
    const auto take = [&, this] {
      while (digit_at(out.end)) out.digits += text_[out.end++];
    };
    const std::size_t first = i;
    take();
    // 1,024 and 1,048,576; within brackets a comma separates the numbers of a list
    while (depth_ <= 0 && i - first <= 3 + (thousands ? 1000u : 0u) && i < text_.size() && text_[i] == ',' &&
           digit_at(i + 1) && digit_at(i + 2) && digit_at(i + 3) && !digit_at(i + 4)) {
      ++i;
      take();
      thousands = true;
    }
    if (depth_ <= 0 && i - first <= 3) {  // 10 000
      while (text_.substr(i, 4) == " 000" && !digit_at(i + 4) && !letter_at(i + 4)) {
        digits += "000";
        i += 4;
        thousands = true;
      }
    }
    if (i < text_.size() && text_[i] == '.' && digit_at(i + 1)) {
      whole = false;
      digits += text_[i++];
      take();
    }
    if (i < text_.size() && (text_[i] == 'e' || text_[i] == 'E') &&
        (digit_at(i + 1) ||
         (i + 2 < text_.size() && (text_[i + 1] == '-' || text_[i + 1] == '+') && digit_at(i + 2)))) {
      whole = false;
      digits += text_[i++];
      if (text_[i] == '+')
        ++i;
      else if (text_[i] == '-')
        digits += text_[i++];
      take();
    }
    return out;
  }

  void number(bool negative) {
    const auto [digits, i, whole, thousands] = numeral(negative);
    double value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    // A number beyond f64 is not a number: its text raises a question.
    if (parsed.ec == std::errc::result_out_of_range)
      return push(Token::Kind::word, i - at_, std::string(text_.substr(at_, i - at_)));

    if (const std::size_t stop = fraction(i, value); stop > i && whole) {
      const std::string shown(text_.substr(at_, stop - at_));
      push(Token::Kind::number, stop - at_, shown);
      out_.back().number = value;
      return;
    }
    std::size_t end = i;
    bool short_form = thousands || !whole;
    // 2^20, 2**20 and 1<<20
    std::size_t power = end;
    const auto behind_spaces = [&](std::size_t at) { return std::min(text_.find_first_not_of(' ', at), text_.size()); };
    const bool shift = text_.substr(behind_spaces(end), 2) == "<<";  // 1 << 20
    if (power < text_.size() && text_[power] == '^')
      ++power;
    else if (shift)
      power = behind_spaces(behind_spaces(end) + 2);
    else if (text_.substr(power, 2) == "**")
      power += 2;
    if (power != end && digit_at(power) && whole) {
      std::size_t stop = power;
      double exponent = 0;
      while (digit_at(stop)) exponent = std::min(1e6, exponent * 10 + (text_[stop++] - '0'));
      value = shift ? value * std::pow(2.0, exponent) : std::pow(value, exponent);
      if (!std::isfinite(value)) return push(Token::Kind::word, stop - at_, std::string(text_.substr(at_, stop - at_)));
      end = stop;
      short_form = true;
    } else if (end < text_.size() && text_[end] == '-' &&
               (text_.substr(end + 1, 1) == "d" || text_.substr(end + 1, 1) == "D") && !letter_at(end + 2) && whole) {
      return push(Token::Kind::word, end + 2 - at_, digits + "d");  // 2-D
    } else if (letter_at(end) && !ideograph_at(end) && !times_at(end)) {
      std::size_t stop = end;
      while ((letter_at(stop) && !ideograph_at(stop)) || digit_at(stop)) ++stop;
      if (std::string_view("kKmMgG").find(text_[end]) != std::string_view::npos && times_at(end + 1))
        stop = end + 1;  // 1kx1k
      const std::string suffix = fold(text_.substr(end, stop - end));
      const std::size_t steps = suffix.empty() ? std::string::npos : std::string_view("kmg").find(suffix[0]);
      const bool binary = suffix.size() == 2 && suffix[1] == 'i';
      if (steps != std::string::npos && (suffix.size() == 1 || binary)) {
        value *= binary ? std::pow(1024.0, steps + 1) : unit_of_count(value, static_cast<int>(steps) + 1);
        end = stop, short_form = true;
      } else if (text_[end] == 'x' || text_[end] == 'X') {
        if (suffix != "x") return push(Token::Kind::word, stop - at_, fold(text_.substr(at_, stop - at_)));
      } else {
        // 2d, 32ch, 512px: one word
        return push(Token::Kind::word, stop - at_, fold(text_.substr(at_, stop - at_)));
      }
    }
    const std::string written(text_.substr(at_, end - at_));
    push(Token::Kind::number, end - at_, written);
    Token& t = out_.back();
    t.number = value;
    if (short_form && std::fabs(value) < 9e15 && value == std::floor(value))
      t.reading = written + " = " + whole_text(value);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;  // of brackets
  std::vector<Token> out_;
};

std::string joined(const std::vector<Token>& tokens) {
  std::string out;
  for (const Token& t : tokens) {
    if (t.text == "the" && tokens.size() > 1) continue;
    if (!out.empty()) out += ' ';
    out += t.text;
  }
  return out;
}

// Lines "key: a, b, c" (or "a, b, c" if the file has no keys); # begins a comment.
using Lines = std::vector<std::pair<std::string, std::vector<std::string>>>;
Result<Lines> read_lines(const std::filesystem::path& file, bool keys) {
  auto text = WW_TRY(read_file(file, std::size_t{1} << 20));
  Lines out;
  for (const std::string& line : split_list(text, '\n')) {
    if (line[0] == '#') continue;
    std::string key, rest = line;
    if (keys) {
      const std::size_t colon = line.find(':');
      if (colon == std::string::npos)
        return fail(Code::parse, "the word list " + file.string() + " has a line without a colon: " + line);
      key = line.substr(0, colon);
      rest = line.substr(colon + 1);
    }
    out.emplace_back(key, split_list(rest));
  }
  return out;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    while (!part.empty() && is_space(part.front())) part.remove_prefix(1);
    while (!part.empty() && is_space(part.back())) part.remove_suffix(1);
    if (!part.empty()) out.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

namespace {

// "normalise", "quantisation": British spellings of verbs in -ize.
void american(std::string& word) {
  static constexpr std::string_view stems[] = {"alis",    "antis",  "ardis",  "ularis",
                                               "inearis", "olaris", "inaris", "imis"};
  for (const std::string_view ending : {"e", "es", "ed", "er", "ing", "ation", "ations"}) {
    if (!word.ends_with(ending)) continue;
    const std::string_view front = std::string_view(word).substr(0, word.size() - ending.size());
    for (const std::string_view stem : stems)
      if (front.size() > stem.size() && front.ends_with(stem)) {
        word[front.size() - 1] = 'z';
        return;
      }
  }
}

}  // namespace

std::string fold(std::string_view word) {
  std::string out = ascii_lower(std::string(word));
  static const std::set<std::string> singular = {"abs", "cos", "bias", "dos", "tres"};  // not plurals
  if (singular.count(out)) return out;
  american(out);
  const std::size_t n = out.size();
  const auto ends = [&](std::string_view s) { return n > s.size() && std::string_view(out).substr(n - s.size()) == s; };
  if (n > 4 && ends("ies")) return out.substr(0, n - 3) + "y";
  if (n > 5 && (ends("xes") || ends("ches") || ends("sses"))) return out.substr(0, n - 2);
  if (n > 2 && ends("s") && !ends("ss") && !ends("us") && !ends("is")) return out.substr(0, n - 1);
  return out;
}

bool is_vector_noun(std::string_view word) {
  for (const char* noun : {"vector", "vektor", "vektoren", "vecteur", "vectore", "向 量"})
    if (word == noun) return true;
  return false;
}
bool is_tensor_noun(std::string_view word) {
  for (const char* noun : {"matrix", "matrice", "matrizen", "matriz", "tensor", "tenseur", "array", "input", "buffer",
                           "operand", "list", "image", "矩 阵", "张 量"})
    if (word == noun) return true;
  return is_vector_noun(word);
}

std::vector<Token> tokenise(std::string_view text) {
  std::vector<Token> out = Tokeniser(text).run();
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {  // "element-wise" is one word
    if (out[i + 1].text != "wise" || (out[i].text != "element" && out[i].text != "point")) continue;
    out[i].text += "wise";
    out[i].span.end = out[i + 1].span.end;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return out;
}

std::string listed(const std::vector<std::string>& items, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) (out += i == 0 ? "" : i + 1 == items.size() ? last : ", ") += items[i];
  return out;
}

std::string folded(std::string_view text) {
  std::string out;
  for (const Token& t : tokenise(text))
    if (t.kind != Token::Kind::symbol && t.text != "the") out += (out.empty() ? "" : " ") + t.text;
  return out;
}

const Entry* Match::entry(Sort sort) const {
  if (!entries) return nullptr;
  const auto found = std::ranges::find(*entries, sort, &Entry::sort);
  return found == entries->end() ? nullptr : &*found;
}

void Vocabulary::add(std::string_view phrase, Entry entry) {
  const std::vector<Token> tokens = tokenise(phrase);
  if (tokens.empty()) return;
  longest_ = std::max(longest_, tokens.size());
  for (const Token& t : tokens)
    if (t.kind == Token::Kind::word) ++words_[t.text];
  std::vector<Entry>& at = entries_[joined(tokens)];
  for (const Entry& e : at)
    if (e.sort == entry.sort && e.value == entry.value) return;
  at.push_back(std::move(entry));
}

namespace {

LoosePhrase loose_phrase(const std::string& op, std::string_view phrase, bool letters) {
  static const std::set<std::string> joins = {"with", "of", "a",  "an", "the", "and",
                                              "for",  "to", "in", "by", "on",  "from"};
  LoosePhrase out{op, {}};
  for (const Token& t : tokenise(phrase))
    if (joins.count(t.text) == 0 || (letters && t.text == "a")) out.words.push_back(t.text);  // "transposed a"
  return out;
}

}  // namespace

void Vocabulary::add_ops(const std::vector<LibraryOp>& ops) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    std::vector<std::string> names = ops[i].phrases;
    names.push_back(ops[i].spec.name);
    for (const std::string& phrase : names) {
      const auto found = entries_.find(joined(tokenise(phrase)));
      if (found != entries_.end())
        for (const Entry& e : found->second)
          if (e.sort == Sort::op && e.op != i) clashes_.push_back({phrase, e.value, ops[i].spec.name});
      add(phrase, {Sort::op, ops[i].spec.name, i});
      loose_.push_back(loose_phrase(ops[i].spec.name, phrase, ops[i].family == "contraction"));
    }
    for (const Constant& c : ops[i].spec.constants) add(c.name, {Sort::constant, c.name});
  }
  add_foreign();
}

Result<Vocabulary> Vocabulary::load(const std::filesystem::path& folder) {
  struct List {
    const char* file;
    Sort sort;
    bool keys;
  };
  static constexpr List lists[] = {{"connectors.txt", Sort::connector, true},
                                   {"dtypes.txt", Sort::dtype, true},
                                   {"axes.txt", Sort::axis, true},
                                   {"sizes.txt", Sort::size, true},
                                   {"constants.txt", Sort::constant, true},
                                   {"numbers.txt", Sort::number, true},
                                   {"filler.txt", Sort::filler, false}};
  Vocabulary out;
  for (const List& list : lists) {
    auto lines = WW_TRY(read_lines(folder / list.file, list.keys));
    for (const auto& [key, words] : lines) {
      const bool number = !key.empty() && key.size() < 16 &&
                          std::all_of(key.begin(), key.end(), [](char c) { return is_digit(c) || c == '.'; });
      if ((list.sort == Sort::number && !number) ||
          (list.sort == Sort::dtype && key != "unsupported" && !dtype_from_name(key)))
        return fail(Code::parse,
                    "the word list " + (folder / list.file).string() + " has an unknown key '" + key + "'");
      for (const std::string& word : words) {
        if (list.sort == Sort::size && key == "value follows")
          out.value_follows_.insert(word);
        else if (list.sort == Sort::size && key == "takes shapes")
          out.takes_shape_.insert(word);
        else
          out.add(word, {list.sort, key});
      }
    }
  }
  std::error_code ignored;
  if (std::filesystem::exists(folder / "qualifiers.txt", ignored))
    for (const auto& [where, words] : WW_TRY(read_lines(folder / "qualifiers.txt", true)))
      for (const std::string& word : words) out.qualifiers_[where].insert(folded(word));
  if (std::filesystem::exists(folder / "foreign.txt", ignored))
    out.foreign_ = WW_TRY(read_lines(folder / "foreign.txt", true));
  if (std::filesystem::exists(folder / "layouts.txt", ignored))
    out.layouts_ = WW_TRY(read_lines(folder / "layouts.txt", true));
  out.tables_ = WW_TRY(formula::load_tables(folder));
  const formula::Tables& tables = out.tables_;
  for (const formula::Rules* rules : {&tables.frames, &tables.rewrites, &tables.blanks, &tables.steps, &tables.tails})
    for (const std::string& word : rules->words())
      if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos) ++out.words_[word];
  return out;
}

void Vocabulary::add_foreign() {
  for (const auto& [english, words] : foreign_) {
    const auto found = entries_.find(joined(tokenise(english)));
    if (found == entries_.end()) continue;  // a library without this op
    const std::vector<Entry> known = found->second;
    for (const std::string& word : words) {
      const auto taken = entries_.find(joined(tokenise(word)));
      if (taken == entries_.end() || taken->second.empty())
        for (const Entry& e : known) add(word, e);
    }
  }
}

bool Vocabulary::qualifies(const std::string& where, const std::string& phrase) const {
  const auto found = qualifiers_.find(where);
  return found != qualifiers_.end() && found->second.count(phrase) != 0;
}

Match Vocabulary::match(const std::vector<Token>& tokens, std::size_t at) const {
  std::string key;
  Match best;
  std::size_t words = 0;
  for (std::size_t i = at; i < tokens.size() && words < longest_; ++i) {
    if (tokens[i].text == "the" && (i > at || (i + 1 < tokens.size() && tokens[i + 1].kind == Token::Kind::word))) {
      if (i == at) {  // "the" is filler in a sentence, and skipped within a phrase
        const auto found = entries_.find("the");
        if (found != entries_.end()) best = {1, &found->second};
        return best;
      }
      continue;
    }
    if (!key.empty()) key += ' ';
    key += tokens[i].text;
    ++words;
    if (key.size() > 200) break;
    const auto found = entries_.find(key);
    if (found != entries_.end()) best = {i - at + 1, &found->second};
  }
  return best;
}

}  // namespace ww::op::phrases
