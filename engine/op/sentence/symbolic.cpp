// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/symbolic.h"
#include <algorithm>
#include <array>
#include <set>
#include "base/ascii.h"
#include "op/names.h"
#include "op/sentence/phrasebook_words.h"
#include "op/transform.h"

namespace ww::op {
namespace {

// With many divisors, since groups and heads divide sizes; not defaults of the library.
constexpr auto stand_ins = std::to_array<std::int64_t>({168, 216, 264, 312, 360, 408, 456, 504, 552, 600});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct SizeToken {
  enum class Kind { name, number, sign } kind = Kind::sign;
  std::string text;
  Span span;
  bool spaced = false;
};

// "MxK", "BxTxD"
bool is_glued(std::string_view word) {
  if (word.size() < 3 || word.size() % 2 == 0) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (i % 2 == 0 ? word[i] < 'A' || word[i] > 'Z' : word[i] != 'x') return false;
  return true;
}

std::vector<SizeToken> scan(std::string_view s) {
  std::vector<SizeToken> out;
  bool spaced = true;
  for (std::size_t i = 0; i < s.size();) {
    if (s[i] == ' ') {
      spaced = true;
      ++i;
      continue;
    }
    SizeToken t;
    std::size_t end = i + 1;
    if (is_letter(s[i])) {
      while (end < s.size() && (is_letter(s[end]) || is_digit(s[end]))) ++end;
      t.kind = SizeToken::Kind::name;
    } else if (is_digit(s[i])) {
      while (end < s.size() && is_digit(s[end])) ++end;
      t.kind = SizeToken::Kind::number;
    } else {
      while (end < s.size() && (static_cast<unsigned char>(s[end]) & 0xC0) == 0x80) ++end;
    }
    const std::size_t step = is_glued(s.substr(i, end - i)) ? 1 : end - i;
    for (std::size_t at = i; at < end; at += step) {
      t.text = std::string(s.substr(at, step));
      t.span = {at, at + step};
      t.spaced = spaced;
      spaced = false;
      out.push_back(t);
    }
    i = end;
  }
  return out;
}

class Finder {
 public:
  Finder(const Library& library, std::string_view sentence)
      : dimensions_(library.vocabulary().tables().dimensions), tokens_(scan(sentence)) {}

  // The tokens that name sizes.
  std::set<std::size_t> run() {
    for (std::size_t i = 0; i < tokens_.size();) {
      const std::size_t end = std::max(bracketed(i), std::max(joined(i), counted(i)));
      i = std::max(end, i + 1);
    }
    return found_;
  }
  const std::vector<SizeToken>& tokens() const { return tokens_; }

 private:
  const std::string& text(std::size_t i) const {
    static const std::string none;
    return i < tokens_.size() ? tokens_[i].text : none;
  }
  bool is(std::size_t i, std::initializer_list<std::string_view> words) const {
    const std::string word = ascii_lower(text(i));
    return std::find(words.begin(), words.end(), word) != words.end();
  }
  bool letter(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == SizeToken::Kind::name && text(i).size() <= 2 &&
           (text(i).size() == 1 || is_digit(text(i)[1])) && text(i)[0] != 'x' && text(i) != "a";
  }
  bool dimension(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == SizeToken::Kind::name &&
           (letter(i) || dimensions_.count(ascii_lower(text(i))) != 0);
  }
  // A capital letter that sizes usually have, as tensors do not.
  bool capital(std::size_t i) const {
    return letter(i) && text(i).size() == 1 &&
           std::string_view("BTDMKNCHWSLEFR").find(text(i)) != std::string_view::npos;
  }
  bool number(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == SizeToken::Kind::number; }
  bool noun(std::size_t i) const {
    return i < tokens_.size() &&
           (phrases::is_tensor_noun(phrases::fold(text(i))) ||
            is(i, {"input",   "inputs", "image",   "images",  "activations", "activation", "batch", "logits",
                   "weights", "weight", "buffer",  "output",  "float",       "fp16",       "fp32",  "bf16",
                   "f16",     "f32",    "float32", "float16", "double",      "half",       "block"}));
  }
  bool takes(std::size_t from, std::size_t to) {
    bool any = false;
    for (std::size_t i = from; i < to; ++i) {
      if (!dimension(i) || is(i, {"by"}) || text(i) == "x") continue;
      found_.insert(i);
      any = true;
    }
    return any;
  }

  // "(B, T, D)", "[M x K]", after a tensor or "shape".
  std::size_t bracketed(std::size_t at) {
    if (text(at) != "(" && text(at) != "[") return at;
    const std::string_view close = text(at) == "(" ? ")" : "]";
    std::size_t i = at + 1, sizes = 0, words = 0;
    bool chain = false;
    while (dimension(i) || number(i)) {
      ++sizes;
      words += dimension(i) && !letter(i) ? 1 : 0;
      ++i;
      if (text(i) != "," && !is(i, {"x", "×", "by"})) break;
      chain = chain || text(i) != ",";
      ++i;
    }
    if (text(i) != close || sizes == 0) return at;
    const bool behind = at > 0 && (is(at - 1, {":", "shape", "shapes", "size", "is", "=", "in", "∈", "are", "has",
                                               "dimensions", "sizes", "shaped"}) ||
                                   (tokens_[at].spaced && (noun(at - 1) || letter(at - 1) || text(at - 1) == "x")));
    bool usual = sizes > 1;  // "of (B, T, D)", "(M, K) by (K, N)": letters that sizes usually have
    for (std::size_t k = at + 1; k < i; k += 2) usual = usual && (number(k) || capital(k));
    const bool pair = is(i + 1, {"by", "and", "times"}) && (text(i + 2) == "(" || text(i + 2) == "[");
    if (usual && at > 0 && (pair || is(at - 1, {"of", "on", "over", "and", "by", "times", "with"})))
      return takes(at + 1, i) ? i + 1 : at;
    const bool before = noun(i + 1);
    if (!behind && !before && !(chain && sizes > 1) && !(words > 0 && sizes > 1)) return at;
    if (!tokens_[at].spaced && at > 0 && tokens_[at - 1].kind == SizeToken::Kind::name && !is(at - 1, {"in"}))
      return at;
    if (sizes == 1 && !behind && !before) return at;
    return takes(at + 1, i) ? i + 1 : at;
  }

  // "M x K" before "matrix", or after "shape", "an", "two".
  std::size_t joined(std::size_t at) {
    std::size_t i = at;
    if (!dimension(i) && !number(i)) return at;
    std::size_t sizes = 1;
    const std::string sign = text(i + 1);
    bool capitals = capital(i);
    while (is(i + 1, {"x", "×", "by"}) && text(i + 1) == sign && (dimension(i + 2) || number(i + 2))) {
      i += 2;
      ++sizes;
      capitals = capitals && (capital(i) || number(i));
    }
    if (sizes < 2) return at;
    const bool joining = at > 0 && is(at - 1, {"of", "on", "over", "and", "by", "times", "with"});
    const bool named = at > 0 && tokens_[at - 1].kind == SizeToken::Kind::name && text(at - 1).size() > 1;
    if (sign == "x" && capitals && (joining || named)) return takes(at, i + 1) ? i + 1 : at;  // "matmul MxK by KxN"
    const bool behind =
        at > 0 && is(at - 1, {"shape", "size", ":", "a", "an", "two", "dimensions", "is", "are", "sized", "shaped"});
    if (!behind && !noun(i + 1)) return at;
    return takes(at, i + 1) ? i + 1 : at;
  }

  // "of length N", "N elements", "n-element vector"
  std::size_t counted(std::size_t at) {
    if (!letter(at) || (at > 0 && text(at - 1) == "=")) return at;
    const bool behind = at > 0 && is(at - 1, {"length", "size"});
    const std::size_t next = text(at + 1) == "-" ? at + 2 : at + 1;
    const bool before =
        is(next, {"elements", "element", "entries", "dimensional", "rows", "columns", "channels", "classes", "bins"}) &&
        tokens_[at].spaced && (at == 0 || !is(at - 1, {"dim", "axis", "dimension"}));
    if (!behind && !before) return at;
    return takes(at, at + 1) ? at + 1 : at;
  }

  const std::set<std::string>& dimensions_;
  std::vector<SizeToken> tokens_;
  std::set<std::size_t> found_;
};

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

// Sizes given to the names: "M = 1024", "N = 1,000,000", "M = N = 512".
struct Given {
  std::map<std::string, std::int64_t> sizes;
  std::vector<Span> spans;
};
Given given_sizes(std::string_view sentence, const std::vector<SizeToken>& tokens, const std::set<std::string>& names) {
  Given out;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    std::size_t at = i;
    std::vector<std::string> named;
    while (at + 2 < tokens.size() && names.count(tokens[at].text) &&
           (tokens[at + 1].text == "=" || tokens[at + 1].text == "is")) {
      named.push_back(tokens[at].text);
      at += 2;
    }
    if (named.empty() || tokens[at].kind != SizeToken::Kind::number) continue;
    const std::size_t from = tokens[at].span.begin;
    const std::vector<phrases::Token> numbers = phrases::tokenise(sentence.substr(from));
    const double value = numbers.empty() ? 0 : numbers[0].number;
    if (numbers.empty() || numbers[0].kind != phrases::Token::Kind::number || value < 1 || value > 1e12 ||
        value != static_cast<double>(static_cast<std::int64_t>(value)))
      continue;
    const bool joined = i > 0 && (tokens[i - 1].text == "," || tokens[i - 1].text == "and");
    for (const std::string& name : named) out.sizes[name] = static_cast<std::int64_t>(value);
    // "of length N = 4096" keeps the place of the number
    const bool counted = i > 0 && (tokens[i - 1].text == "length" || tokens[i - 1].text == "size");
    const std::size_t begin = counted ? tokens[i + 1].span.begin : tokens[joined ? i - 1 : i].span.begin;
    out.spans.push_back({begin, from + numbers[0].span.end});
    i = at;
  }
  return out;
}

}  // namespace

std::optional<SymbolicShapes> SymbolicShapes::find(const Library& library, std::string_view sentence) {
  Finder finder(library, sentence);
  const std::set<std::size_t> found = finder.run();
  if (found.empty()) return std::nullopt;
  const std::vector<SizeToken>& tokens = finder.tokens();
  std::set<std::string> names;
  for (const std::size_t i : found) names.insert(tokens[i].text);
  const Given given = given_sizes(sentence, tokens, names);
  SymbolicShapes out;
  std::size_t next = 0;
  for (const std::string& name : names) {
    if (given.sizes.count(name)) {
      out.numbers_[name] = given.sizes.at(name);
      continue;
    }
    while (next < stand_ins.size() && sentence.find(std::to_string(stand_ins[next])) != std::string_view::npos) ++next;
    if (next == stand_ins.size()) return std::nullopt;
    out.numbers_[name] = stand_ins[next++];
  }
  std::size_t at = 0;
  const auto copy_to = [&](std::size_t end) {
    if (end > at) out.pieces_.push_back({{at, end}, {out.text_.size(), out.text_.size() + end - at}});
    if (end > at) out.text_ += sentence.substr(at, end - at);
    at = std::max(at, end);
  };
  const auto put = [&](Span span, const std::string& text) {
    copy_to(span.begin);
    out.pieces_.push_back({span, {out.text_.size(), out.text_.size() + text.size()}});
    out.text_ += text;
    at = span.end;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto covers = [&](const Span& s) { return s.begin == tokens[i].span.begin; };
    if (const auto s = std::find_if(given.spans.begin(), given.spans.end(), covers); s != given.spans.end())
      put(*s, " ");
    if (tokens[i].span.begin < at || !found.count(i)) continue;
    put(tokens[i].span, std::to_string(out.numbers_.at(tokens[i].text)));
  }
  copy_to(sentence.size());
  return out;
}

std::string SymbolicShapes::named(std::string text) const {
  for (const auto& [name, number] : numbers_)
    if (std::find(stand_ins.begin(), stand_ins.end(), number) != stand_ins.end())
      replace_all(text, std::to_string(number), name);
  return text;
}

Span SymbolicShapes::back(Span span) const {
  const auto place = [&](std::size_t at, bool end) {
    for (const Piece& p : pieces_) {
      if (end ? at <= p.is.begin || at > p.is.end : at < p.is.begin || at >= p.is.end) continue;
      if (p.was.end - p.was.begin == p.is.end - p.is.begin) return p.was.begin + (at - p.is.begin);
      return end ? p.was.end : p.was.begin;
    }
    return pieces_.empty() ? at : pieces_.back().was.end;
  };
  return {place(span.begin, false), place(span.end, true)};
}

// Replaces the spec's symbols by the names, unless the spec uses a name otherwise, and sets its usual sizes.
Spec SymbolicShapes::named(const Library& library, const Spec& spec) const {
  std::map<std::string, std::string> names;
  std::map<std::string, std::int64_t> sizes;
  const LibraryOp* op = library.find(spec.name);
  for (const auto& [name, number] : numbers_) {
    const bool open = std::find(stand_ins.begin(), stand_ins.end(), number) != stand_ins.end();
    std::vector<std::string> here;
    for (const std::string& s : spec.symbols)
      if (const auto d = spec.defaults.find(s); d != spec.defaults.end() && d->second == number) here.push_back(s);
    for (const std::string& s : here) {
      const auto usual = op ? op->spec.defaults.find(s) : spec.defaults.end();
      if (open) sizes[s] = op && usual != op->spec.defaults.end() && here.size() == 1 ? usual->second : 64;
    }
    if (here.size() == 1 && here[0] != name) names[here[0]] = name;
  }
  for (const auto& [symbol, size] : op ? op->spec.defaults : spec.defaults) {  // part of a stand-in number
    const auto now = spec.defaults.find(symbol);
    if (now == spec.defaults.end() || now->second == size || sizes.count(symbol)) continue;
    if (text_.find(std::to_string(now->second)) == std::string::npos) sizes[symbol] = size;
  }
  Spec out = spec;
  if (auto sized = with_defaults(spec, sizes)) out = std::move(*sized);
  if (names.empty()) return out;
  if (auto renamed = rename(out, names)) return std::move(*renamed);
  for (const auto& [from, to] : names)
    if (auto renamed = rename(out, {{from, to}})) out = std::move(*renamed);
  return out;
}

void SymbolicShapes::restore(const Library& library, std::string_view sentence, Understanding& out) const {
  for (Word& w : out.words) {
    w.span = back(w.span);
    w.text = std::string(sentence.substr(w.span.begin, w.span.end - w.span.begin));
    w.reading = named(std::move(w.reading));
  }
  for (std::string& q : out.questions) q = named(std::move(q));
  for (Choice& c : out.choices) {
    c.sentence = named(std::move(c.sentence));
    c.difference = named(std::move(c.difference));
    c.spec = named(library, c.spec);
  }
  if (out.spec) out.spec = named(library, *out.spec);
}

}  // namespace ww::op
