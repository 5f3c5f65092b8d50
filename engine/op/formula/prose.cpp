// SPDX-License-Identifier: Apache-2.0
// Arithmetic in words ("three times x plus two", "the square of the difference of a and b") as formulas. What can be
// read in several ways gives several formulas: each place where a reading may go either way is a decision, and all of
// them are tried.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include "base/ascii.h"
#include "op/formula/prose_parts.h"

namespace ww::op::formula {
namespace {

using phrases::Entry;
using phrases::Sort;
using prose::Deeper;
using prose::Level;
using prose::MaybePart;
using prose::Part;
using prose::ProsePhrase;
using prose::ProsePhrases;
using prose::put;
using prose::Script;
using prose::wrapped;
using enum prose::Level;

constexpr std::size_t most_tokens = 80;
constexpr std::size_t most_readings = 64;
constexpr int deepest_prose = 24;

class Reader {
 public:
  Reader(const Library& library, const ProsePhrases& found, const std::vector<TextToken>& tokens,
         std::string_view sentence, Script& script)
      : library_(library), found_(found), tokens_(tokens), sentence_(sentence), script_(script) {
    for (const TextToken& t : tokens) pointwise_ = pointwise_ || t.text == "elementwise" || t.text == "pointwise";
  }

  // The sentence from token `at` on, as far as it is arithmetic.
  MaybePart run(std::size_t at) {
    at_ = at;
    MaybePart value = verb_ahead() ? clause() : expression(true);
    while (value) {
      const std::size_t back = at_;
      const bool comma = take(",");
      bool strong = comma;
      while (is("and") || is("then") || (foreign_and() && verb_at(at_ + 1))) strong = strong || is("then"), ++at_;
      it_ = value;
      it_used_ = false;
      if (at_ == back || !(verb_ahead() || find("prefix") || infix())) {
        at_ = back;
        break;
      }
      const MaybePart more = verb_ahead() ? clause() : find("prefix") ? function_of_it(strong) : onward();
      if (more && !it_used_) return fail();  // "add x and y, square z"
      if (!more) {
        at_ = back;
        break;
      }
      value = more;
    }
    return value && operators_ > 0 && named_ ? value : std::nullopt;
  }
  std::size_t end() const { return at_; }

 private:
  // What was computed so far.
  const MaybePart& it() {
    it_used_ = true;
    return it_;
  }
  // ", tanh of that", "then tanh"
  MaybePart function_of_it(bool strong) {
    const ProsePhrase f = find("prefix");
    at_ = f.end;
    skip("of");
    articles();
    ++operators_;
    if (!ends()) {
      const ProsePhrase operand = find("operand"), group = find("group");
      if (operand.value != "it" && !group) return fail();
      at_ = operand.value == "it" ? operand.end : group.end;
      if (!ends()) return fail();
    } else if (!strong) {
      return fail();  // "sine of x and cosine"
    }
    return put(f.value, *it());
  }
  // ", times z", "then plus y": on all that came before.
  MaybePart onward() {
    const ProsePhrase f = infix();
    static const std::set<std::string_view> signs = {"+", "-", "*", "/"};
    if (!signs.count(f.value)) return fail();
    at_ = f.end;
    articles();
    ++operators_;
    const MaybePart next = operand(false);
    if (!next || !ends()) return fail();
    return binary(*it(), f.value, *next);
  }

  // The longest phrase of this kind at `at`.
  ProsePhrase find(std::string_view kind, std::size_t at) const {
    ProsePhrase best;
    if (at < found_.size())
      for (const auto& [of, found] : found_[at])
        if (of == kind) best = found;
    return best;
  }
  ProsePhrase find(std::string_view kind) const { return find(kind, at_); }
  bool is(std::string_view word) const { return at_ < tokens_.size() && tokens_[at_].text == word; }
  bool take(std::string_view word) {
    if (!is(word)) return false;
    ++at_;
    return true;
  }
  bool ends() const {
    return at_ >= tokens_.size() || is(",") || is("and") || is("then") || is(".") || is("?") ||
           (foreign_and() && verb_at(at_ + 1));
  }
  ProsePhrase infix() const { return find("infix"); }
  bool adds(const ProsePhrase& f) const { return f && (f.value == "+" || f.value == "-"); }
  bool scales(const ProsePhrase& f) const { return f && (f.value == "*" || f.value == "/"); }

  std::string written(std::size_t i) const {
    return std::string(sentence_.substr(tokens_[i].span.begin, tokens_[i].span.end - tokens_[i].span.begin));
  }
  bool is_letter(std::size_t i) const {
    if (i >= tokens_.size() || tokens_[i].kind != TextKind::word) return false;
    const std::string text = written(i);
    return text.size() == 1 && text != "I" &&
           ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
  }
  // "a" in front of a word that begins an operand: "a quarter of x".
  bool article() const {
    if (is("a") && at_ + 1 < tokens_.size() && !find("infix", at_ + 1))
      for (const char* kind : {"prefix", "scale", "part", "list", "group"})
        if (find(kind, at_ + 1)) return true;
    return static_cast<bool>(find("article"));
  }
  void skip(std::string_view kind) {
    for (ProsePhrase f = find(kind); f; f = find(kind)) at_ = f.end;
  }
  void articles() {
    while (article()) ++at_;
  }
  bool verb_ahead() const {
    const ProsePhrase verb = find("verb");
    return verb && !find("list") && !noun_ahead() && find("prefix").end <= verb.end;  // "cube root x" is no cube
  }
  bool verb_at(std::size_t at) const { return find("verb", at) && !find("list", at); }
  bool foreign_and() const { return is("und") || is("et") || is("y") || is("e") || is("dann") || is("puis"); }
  bool by_ahead() const {
    return is("by") || is("with") || is("por") || is("par") || is("mit") || is("durch") || is("entre");
  }
  bool take_by() {
    if (!by_ahead()) return false;
    ++at_;
    return true;
  }
  // "double of x", "square of the sum": no verb.
  bool noun_ahead() const {
    for (const char* kind : {"prefix", "scale"})
      if (const ProsePhrase f = find(kind)) return find("of", f.end).end > 0;
    return false;
  }

  // ---- operands ----

  MaybePart fail() { return std::nullopt; }

  static double number_of(std::string_view text) { return std::stod(std::string(text)); }
  static std::string number_text(double v) {
    char buffer[40];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
  }
  std::optional<double> number_at(std::size_t i, std::size_t* count = nullptr) const {
    if (i >= tokens_.size()) return std::nullopt;
    const phrases::NumberWords words = phrases::number_words(library_.vocabulary(), tokens_, i);
    if (count) *count = std::max<std::size_t>(words.count, 1);
    if (words.count > 1) return std::isfinite(words.value) ? std::optional(words.value) : std::nullopt;
    if (tokens_[i].kind == TextKind::number) return tokens_[i].number;
    if (words.count == 1) return words.value;
    const phrases::Match m = library_.vocabulary().match(tokens_, i);
    static const std::set<std::string> absent = {"no", "without"};
    if (m.entries && m.count == 1 && !absent.count(tokens_[i].text))
      for (const Entry& e : *m.entries)
        if (e.sort == Sort::number) return std::stod(e.value);
    return std::nullopt;
  }
  Part number_part(double v) const {
    Part p;
    p.text = number_text(v);
    p.level = v < 0 ? sum_level : whole_level;
    p.number = v;
    return p;
  }
  // Behind a number nothing may stand that it counts: "two vectors".
  bool counts() const {
    if (ends() || tokens_[at_].kind == TextKind::symbol) return false;
    for (const char* kind : {"infix", "postfix", "group", "of"})
      if (find(kind)) return false;
    static const std::set<std::string> links = {"to",    "by",          "with", "for", "on", "in",
                                                "where", "elementwise", "zu",   "à",   "a"};
    return links.count(tokens_[at_].text) == 0;
  }

  MaybePart number() {
    std::size_t count = 0;
    const std::optional<double> v = number_at(at_, &count);
    if (!v) return fail();
    at_ += count;
    if (const ProsePhrase parts = find("part")) return part(*v, parts);
    const bool to = is("a") && find("operand", at_ + 1);  // "sumar 1 a cada elemento"
    if (is_letter(at_) && !ends() && !to && !number_at(at_ + 1) && !find("verb"))
      return scaled(*v, false);  // "three x"
    return counts() ? fail() : MaybePart(number_part(*v));
  }
  // "two thirds of x", "half x"
  MaybePart part(double count, const ProsePhrase& parts) {
    at_ = parts.end;
    if (is("root")) return fail();  // "seventh root of x"
    const double value = count / number_of(parts.value);
    const bool of = static_cast<bool>(find("of"));
    if (parts.value == "100" && !of) {  // "20 percent more than x", but not "x plus 20 percent"
      Part out = number_part(value);
      out.share = true;
      return infix().value == "more" || infix().value == "less" ? MaybePart(out) : fail();
    }
    if (ends() || infix()) return number_part(value);
    return scaled(value, of);
  }
  // "twice x": a factor of what follows.
  MaybePart scaled(double factor, bool of) {
    skip("of");
    articles();
    const std::size_t back = at_;
    MaybePart value = operand(false);
    if (!value) return fail();
    if (of && adds(infix()) && script_.decide()) {
      at_ = back;
      value = expression(false);
      if (!value) return fail();
    }
    ++operators_;
    if (value->number) return number_part(factor * *value->number);
    Part out = *value;
    out.text = factor == -1 ? "-" + wrapped(*value, product_level)
                            : number_text(factor) + " * " + wrapped(*value, product_level);
    out.level = factor == -1 ? sum_level : product_level;
    out.name = false;
    return out;
  }

  // "the square root of x": of x alone, or of all that follows?
  MaybePart prefixed(const ProsePhrase& f) {
    const bool plural = phrases::fold(written(f.end - 1)) != ascii_lower(written(f.end - 1));
    if (plural && !in_list_) return fail();
    at_ = f.end;
    skip("of");
    articles();
    ++operators_;
    if (ends() && it_) return put(f.value, *it());
    const std::size_t back = at_;
    if (plural || (in_list_ && script_.decide())) {  // "(the sum of) the squares of x and y"
      each_ = f.value;
      in_list_ = false;
      return operand(true);
    }
    in_list_ = false;
    MaybePart value = operand(true);
    if (!value) return fail();
    if (const ProsePhrase next = infix(); next && next.value != "from") {
      if (value->number || script_.decide()) {
        at_ = back;
        value = expression(false);
        if (!value) return fail();
      }
    }
    return put(f.value, *value);
  }

  // "the sum of a, b and c"
  MaybePart listed(const ProsePhrase& f) {
    at_ = f.end;
    skip("of");
    std::vector<Part> items;
    bool last = false;
    each_.clear();
    for (;;) {
      articles();
      const std::size_t back = at_;
      const bool alike = !items.empty() && (items[0].raised || items[0].joined);
      in_list_ = items.empty();
      MaybePart item = operand(!items.empty() && !items[0].raised);
      in_list_ = false;

      if (item && infix() && (items.empty() || alike || script_.decide())) {
        at_ = back;
        item = expression(false);
        if (item) item->joined = true;
      }
      if (!item) return fail();
      items.push_back(std::move(*item));
      const std::size_t end = at_;
      const bool comma = take(",");
      const bool with = take("and") || take("und") || take("et");
      const bool more =
          (comma || with) && !verb_ahead() && !infix() && !find("postfix") && !find("group") && !is("then");
      if (!more || (last && script_.decide())) {
        at_ = end;
        break;
      }
      last = with;
    }
    const bool two = f.value == "-" || f.value == "/";
    if (items.size() < 2 || (two && items.size() != 2)) return fail();
    if (!each_.empty())
      for (Part& p : items) p = put(each_, p);
    each_.clear();
    return combined(f.value, items);
  }
  MaybePart combined(std::string_view how, std::vector<Part>& items) {
    ++operators_;
    Part out = items[0];
    if (how == "max" || how == "min") {
      for (std::size_t i = 1; i < items.size(); ++i)
        out.text = std::string(how) + "(" + out.text + ", " + items[i].text + ")";
      out.level = whole_level;
    } else {
      const std::string_view sign = how == "mean" ? "+" : how;
      for (std::size_t i = 1; i < items.size(); ++i) out = binary(out, sign, items[i]);
      if (how == "mean") {
        out.text = "(" + out.text + ") / " + std::to_string(items.size());
        out.level = product_level;
      }
    }
    out.number.reset();
    out.name = out.raised = out.joined = false;
    return out;
  }

  MaybePart primary() {
    if (const ProsePhrase f = find("operand")) {
      at_ = f.end;
      if (f.value == "it") return it();
      return name_part(std::string(f.value));
    }
    if (auto n = number()) return n;
    if (!is_letter(at_) || indefinite()) return fail();
    return name_part(written(at_++));
  }
  // "a" in front of what it belongs to: "a 64x32 matrix", "a vector".
  bool indefinite() const {
    if (written(at_) != "a" || at_ + 1 >= tokens_.size()) return false;
    const std::string& next = tokens_[at_ + 1].text;
    static const std::set<std::string> links = {"and", "und", "et", "then", "to", "from", "by", "with", "for", "where"};
    if (tokens_[at_ + 1].kind == TextKind::symbol || links.count(next)) return false;
    for (const char* kind : {"infix", "postfix", "group"})
      if (find(kind, at_ + 1)) return false;
    return true;
  }
  Part name_part(std::string name) {
    Part p;
    p.text = std::move(name);
    p.name = named_ = true;
    return p;
  }

  // One operand with what stands directly beside it. Where `loose`, "squared" may belong to more than it.
  MaybePart operand(bool loose) {
    const Deeper deeper(depth_);
    if (depth_ > deepest_prose) return fail();
    MaybePart value = bare_operand();
    while (value) {
      const ProsePhrase f = find("postfix");
      if (!f || (loose && script_.decide())) break;
      at_ = f.end;
      ++operators_;
      value = put(f.value, *value);
      value->raised = true;
    }
    return value;
  }
  MaybePart bare_operand() {
    articles();
    if (number_at(at_)) return number();
    if (const ProsePhrase f = find("list"); f && f.end > find("prefix").end) {
      const std::size_t back = at_;
      if (auto value = listed(f)) return value;
      at_ = back;
    }
    if (const ProsePhrase f = find("part"); f && f.end >= find("prefix").end) return part(1, f);
    const ProsePhrase scale = find("scale"), prefix = find("prefix");
    if (prefix && prefix.end >= scale.end) return prefixed(prefix);
    if (scale) {
      at_ = scale.end;
      return scaled(number_of(scale.value), static_cast<bool>(find("of")));
    }
    return primary();
  }

  // ---- sums and products ----

  // Two tensors of one letter may be meant as matrices.
  bool matrices(const Part& a, const Part& b, bool verb) {
    static const std::set<std::string> elements = {"x", "y", "z"};
    if (!a.name || !b.name || a.text == b.text || pointwise_ || (verb && !(upper(a) && upper(b)))) return false;
    return !(elements.count(a.text) && elements.count(b.text)) && script_.decide();
  }
  static bool upper(const Part& p) { return p.name && p.text[0] >= 'A' && p.text[0] <= 'Z'; }
  Part binary(const Part& a, std::string_view sign, const Part& b, bool verb = false) {
    Part out;
    const bool sum = sign == "+" || sign == "-";
    out.level = sum ? sum_level : sign == "^" ? power_level : product_level;
    const Level left = sign == "^" ? whole_level : out.level;
    const Level right = sign == "+" ? sum_level : sum ? product_level : sign == "*" ? product_level : whole_level;
    std::string shown(sign == "*" && upper(a) && upper(b) ? "⊙" : sign);
    if (sign == "*" && matrices(a, b, verb)) shown = "@";
    out.text = wrapped(a, left) + (sign == "^" ? shown : " " + shown + " ") + wrapped(b, right);
    out.raised = a.raised || b.raised;
    out.joined = true;
    return out;
  }

  // The right side of an infix at which `lhs` ends.
  MaybePart right_of(const Part& lhs, std::string_view sign) {
    const std::size_t back = at_;
    const bool sum = sign == "+" || sign == "-";
    MaybePart rhs = operand(sum && !lhs.raised);
    if (!rhs) return fail();
    ProsePhrase next = infix();
    if (sum) {
      while (scales(next) || next.value == "^") {  // "a plus b times c", but "a plus two times b"
        if (!(rhs->number && next.value == "*") && script_.decide()) break;
        at_ = next.end;
        const std::string_view inner = next.value;
        MaybePart more = right_of(*rhs, inner);
        if (!more) return fail();
        ++operators_;
        rhs = binary(*rhs, inner, *more);
        next = infix();
      }
      return rhs;
    }
    const bool after = adds(next) || (sign == "/" && scales(next));
    if (!after && sign != "^") return rhs;
    const bool trivial = rhs->number && (sign == "*" ? rhs->text == "1" : sign == "/" && lhs.number);
    const bool open = sign == "/" ? !rhs->number || rhs->text == "1" : sign == "^" && next && !rhs->number;
    if (next && (trivial || (open && script_.decide()))) {
      at_ = back;
      return expression(false);
    }
    return rhs;
  }

  MaybePart expression(bool top) {
    const Deeper deeper(depth_);
    if (depth_ > deepest_prose) return fail();
    MaybePart lhs = operand(false);
    while (lhs) {
      const std::size_t back = at_;
      if (top && close(*lhs)) continue;
      at_ = back;
      const ProsePhrase f = infix();
      if (!f) break;
      at_ = f.end;
      articles();
      ++operators_;
      if (f.value == "more" || f.value == "less" || f.value == "from") {
        if (f.value != "from" && !lhs->number) return fail();
        MaybePart rhs = expression(false);
        if (!rhs) return fail();
        const double share = lhs->share ? *lhs->number : 0;
        lhs = lhs->share ? binary(*rhs, "*", number_part(f.value == "more" ? 1 + share : 1 - share))
                         : binary(*rhs, f.value == "more" ? "+" : "-", *lhs);
        continue;
      }
      MaybePart rhs = right_of(*lhs, f.value);
      if (!rhs) return fail();
      lhs = binary(*lhs, f.value, *rhs);
      if (const ProsePhrase post = find("postfix"); post && rhs->number) {  // "x plus one squared"
        at_ = post.end;
        lhs = put(post.value, *lhs);
        lhs->raised = true;
      }
    }
    return lhs;
  }

  // ", squared", "all divided by two": on all that came before. Leaves an infix to be read.
  bool close(Part& lhs) {
    const bool comma = take(",");
    if (comma) take("and"), take("then");
    articles();
    const ProsePhrase group = find("group");
    if (group) at_ = group.end;
    if (!comma && !group) return false;
    if (const ProsePhrase f = find("postfix")) {
      at_ = f.end;
      ++operators_;
      lhs = put(f.value, lhs);
      return true;
    }
    if (!infix()) return false;
    if (lhs.level < whole_level) lhs.text = "(" + lhs.text + ")", lhs.level = whole_level;
    lhs.number.reset();
    lhs.name = false;
    return true;
  }

  // ---- clauses ----

  MaybePart clause() {
    const ProsePhrase f = find("verb");
    at_ = f.end;
    articles();
    ++operators_;
    if (f.value.find('$') != std::string::npos) {
      if (ends() && it_) return put(f.value, *it());
      const MaybePart value = expression(false);
      return value ? MaybePart(put(f.value, *value)) : fail();
    }
    const bool sum = f.value == "add" || f.value == "subtract";
    const std::string sign = f.value == "add" ? "+" : f.value == "subtract" ? "-" : f.value == "multiply" ? "*" : "/";
    if (!sum && take_by()) {
      const MaybePart value = expression(false);
      return value && it_ ? MaybePart(binary(*it(), sign, *value, true)) : fail();
    }
    const std::size_t operands = at_;
    MaybePart first = sum ? expression(false) : operand(false);  // "multiplicar x por 2": no product x por 2
    if (first && !sum && !by_ahead()) at_ = operands, first = expression(false);
    if (!first) return fail();
    const std::size_t back = at_;
    const bool link = sign == "+"   ? take("to") || take("zu") || take("à") || take("a")
                      : sign == "-" ? take("from")
                                    : take_by();
    const bool with = !link && sign != "-" && sign != "/" && take("and");
    if (link || (with && !verb_ahead() && !is("then"))) {
      const MaybePart second = expression(false);
      if (!second) return fail();
      return sum && link ? binary(*second, sign, *first) : binary(*first, sign, *second, true);
    }
    at_ = back;
    return it_ && sum ? MaybePart(binary(*it(), sign, *first)) : fail();
  }

  const Library& library_;
  const ProsePhrases& found_;
  const std::vector<TextToken>& tokens_;
  std::string_view sentence_;
  Script& script_;
  std::size_t at_ = 0, operators_ = 0;
  int depth_ = 0;
  bool named_ = false, pointwise_ = false, in_list_ = false, it_used_ = false;
  std::string each_;  // a function of every operand of a list
  MaybePart it_;
};

}  // namespace

bool is_list_word(const Library& library, const std::vector<TextToken>& tokens, std::size_t at) {
  const auto& words = library.vocabulary().tables().arithmetic;
  const auto found = at < tokens.size() ? words.find(tokens[at].text) : words.end();
  return found != words.end() &&
         std::any_of(found->second.begin(), found->second.end(), [](const ProseWord& w) { return w.kind == "list"; });
}

std::optional<Prose> read_prose(const Library& library, const Tables& tables, const std::vector<TextToken>& tokens,
                                std::string_view sentence) {
  if (tokens.size() > most_tokens || tables.arithmetic.empty()) return std::nullopt;
  const ProsePhrases found = prose::phrases_of(tables, tokens);
  const auto works = [](const auto& at) {
    return std::any_of(at.begin(), at.end(), [](const auto& f) {
      return f.first == "infix" || f.first == "postfix" || f.first == "list" || f.first == "scale" ||
             f.first == "part" || f.first == "verb" || f.first == "prefix";
    });
  };
  if (std::none_of(found.begin(), found.end(), works)) return std::nullopt;
  for (std::size_t at = 0, words = 0; at < tokens.size(); at += words) {
    Prose out;
    Script script;
    bool more = true;
    for (std::size_t count = 0; more && count < most_readings; ++count) {
      script.rewind();
      Reader reader(library, found, tokens, sentence, script);
      const auto value = reader.run(at);
      more = script.advance();
      if (!value || reader.end() < out.to) continue;
      if (reader.end() > out.to) out.formulas.clear();
      out.from = at;
      out.to = reader.end();
      if (std::find(out.formulas.begin(), out.formulas.end(), value->text) == out.formulas.end())
        out.formulas.push_back(value->text);
    }
    if (!out.formulas.empty()) return out;
    words = lead(library, tokens, at);
    if (words == 0) break;
  }
  return std::nullopt;
}

}  // namespace ww::op::formula
