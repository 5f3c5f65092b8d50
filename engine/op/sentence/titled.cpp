// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/titled.h"
#include <algorithm>
#include <array>
#include <set>
#include <vector>
#include "base/ascii.h"
#include "base/name_chars.h"
#include "op/agreement.h"
#include "op/formula/reading.h"

namespace ww::op {
namespace {

constexpr std::string_view gradient_words[] = {"gradient", "backward", "backprop", "derivative", "vjp"};

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Both are as long as the sentence, with the other part blank, to keep positions.
struct Parts {
  std::string title, formula;
  bool marked = true;      // by a colon or brackets
  bool bracketed = false;  // an expression in brackets, which may be what the words work on
};

// The formula is the text in `inside`; the `signs` around it belong to neither part.
Parts apart(std::string_view sentence, Span inside, std::vector<std::size_t> signs = {}) {
  Parts out{std::string(sentence), std::string(sentence.size(), ' ')};
  for (std::size_t i = inside.begin; i < inside.end; ++i) {
    out.formula[i] = sentence[i];
    out.title[i] = ' ';
  }
  for (const std::size_t i : signs) out.title[i] = out.formula[i] = ' ';
  return out;
}

// "y =", "C[i, j] =", "f(x) =" at the beginning of a word, after other words.
std::size_t equation_in(std::string_view s) {
  for (std::size_t at = s.find('='); at != std::string_view::npos; at = s.find('=', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && s[begin - 1] == ' ') --begin;
    if (begin > 0 && s[begin - 1] == ':') --begin;
    if (begin > 0 && (s[begin - 1] == ']' || s[begin - 1] == ')' || s[begin - 1] == '}')) {
      const char open = s[begin - 1] == ']' ? '[' : s[begin - 1] == ')' ? '(' : '{';
      begin = s.rfind(open, begin);
      if (begin == std::string_view::npos) return begin;
    }
    while (begin > 0 && (in_name(s[begin - 1]) || s[begin - 1] == '\\')) --begin;
    const std::string_view value = trimmed(s.substr(at + 1));
    if (value.starts_with("True") || value.starts_with("False") || value.starts_with("None") || value.starts_with("'"))
      continue;
    if (begin > 1 && s[begin - 1] == ' ' && begin < at && starts_name(s[begin])) return begin;
  }
  return std::string_view::npos;
}

bool is_formula_text(std::string_view text) {
  return text.find_first_of("=@*/+^()|") != std::string_view::npos && text.find_first_of("=@*/+^(") != 0;
}

// "with (1 + weight)": goes on with what stands in front.
bool goes_on(std::string_view text) {
  static constexpr std::string_view words[] = {"with", "where", "and", "for",  "using", "then", "of",
                                               "by",   "on",    "in",  "plus", "times", "over", "but"};
  std::size_t end = 0;
  while (end < text.size() && in_name(text[end])) ++end;
  return std::find(std::begin(words), std::end(words), text.substr(0, end)) != std::end(words);
}

std::vector<Parts> splits(const Library& library, std::string_view sentence) {
  std::vector<Parts> out;
  int depth = 0;
  std::vector<std::pair<std::size_t, std::size_t>> groups;  // outermost brackets after a space
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    const char c = sentence[i];
    if (c == '(' || c == '[' || c == '{') {
      if (depth++ == 0) open.push_back(i);
    } else if (c == ')' || c == ']' || c == '}') {
      if (--depth == 0 && c == ')' && !open.empty() && open.back() > 0 && sentence[open.back() - 1] == ' ')
        groups.emplace_back(open.back(), i);
    } else if (depth == 0 && c == ',' && i + 2 < sentence.size() && i > 0) {  // "Swish activation, x*sigmoid(x)"
      const std::size_t end = sentence.find(',', i + 1);
      const std::string_view next = trimmed(sentence.substr(i + 1, end == std::string_view::npos ? end : end - i - 1));
      const bool equation = !next.empty() && starts_name(next[0]) && !goes_on(next) &&
                            next.find_first_of("*@+/^") != std::string_view::npos;
      if (equation) out.push_back(apart(sentence, {i + 1, sentence.size()}, {i}));
    } else if (depth == 0 && c == ':' && i + 1 < sentence.size() && sentence[i + 1] != '=') {
      out.push_back(apart(sentence, {i + 1, sentence.size()}, {i}));
    }
    for (const std::string_view dash : {" - ", " – ", " — "})
      if (depth == 0 && sentence.substr(i, dash.size()) == dash && i > 0) {
        std::vector<std::size_t> signs;
        for (std::size_t k = i; k < i + dash.size(); ++k) signs.push_back(k);
        if (dash != " - ") out.push_back(apart(sentence, {i + dash.size(), sentence.size()}, signs));
      }
  }
  for (const auto& [from, to] : groups)
    if (is_formula_text(sentence.substr(from + 1, to - from - 1)))
      out.push_back(apart(sentence, {from + 1, to}, {from, to})), out.back().bracketed = true;
  if (const std::size_t at = equation_in(sentence); at != std::string_view::npos)
    out.push_back(apart(sentence, {at, sentence.size()})), out.back().marked = false;
  for (const Span& found : formula::formulas_in(library, sentence)) {
    std::size_t front = found.begin;
    while (front > 0 && sentence[front - 1] == ' ') --front;
    if (front == 0 || sentence[found.begin - 1] == '(') continue;
    out.push_back(apart(sentence, {found.begin, sentence.size()}));
    out.back().marked = sentence[front - 1] == ':' || sentence[front - 1] == ',';
  }
  if (!groups.empty()) {  // the title follows the formula
    const auto [from, to] = groups.back();
    Parts turned = apart(sentence, {from + 1, to}, {from, to});
    std::swap(turned.title, turned.formula);
    out.push_back(std::move(turned));
  }
  return out;
}

bool is_title(std::string_view text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = starts_name(c) ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  for (std::size_t at = text.find('+'); at != std::string_view::npos; at = text.find('+', at + 1))
    if (at == 0 || text[at - 1] != ' ') return false;  // "gemm + bias + relu"
  for (std::size_t at = text.find_first_of("/-"); at != std::string_view::npos; at = text.find_first_of("/-", at + 1)) {
    const bool apart = (at == 0 || text[at - 1] == ' ') && (at + 1 == text.size() || text[at + 1] == ' ');
    if (apart) return false;  // "x / (1 + x)"
  }
  return longest >= 3 && text.find_first_of("=<>;*^@|") == std::string_view::npos;
}

// "h = a * h + x": a recurrence, or an update.
bool reads_its_target(std::string_view formula) {
  const std::size_t equals = formula.find('=');
  if (equals == std::string_view::npos) return false;
  std::size_t begin = formula.find_first_not_of(" $"), end = begin;
  while (end < equals && in_name(formula[end])) ++end;
  if (begin == std::string_view::npos || end == begin) return false;
  const std::string_view name = formula.substr(begin, end - begin);
  for (std::size_t at = formula.find(name, equals); at != std::string_view::npos; at = formula.find(name, at + 1))
    if (!in_name(formula[at - 1]) && (at + name.size() >= formula.size() || !starts_name(formula[at + name.size()])))
      return true;
  return false;
}

// Words of a title that change the meaning.
bool restricts(std::string_view title) {
  static constexpr auto words =
      std::to_array<std::string_view>({"not", "no", "without", "except", "instead", "with", "where", "if", "and",
                                       "then", "of", "for", "given", "is", "let"});
  std::string last;
  std::string lower = " " + ascii_lower(std::string(title)) + " ";
  for (const std::string_view w : {" not ", " no ", " without ", " except ", " instead "})
    if (lower.find(w) != std::string::npos) return true;
  const std::string_view end = trimmed(std::string_view(lower));
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) {
    return end.size() > w.size() && end.ends_with(w) && end[end.size() - w.size() - 1] == ' ';
  });
}

// "x divided by (1 + |x|)": the words are arithmetic on the formula, no name of it.
bool works_on(const Parts& parts) {
  static constexpr auto words = std::to_array<std::string_view>(
      {"times", "multiplied", "multiply", "divided", "divide", "minus",      "subtract", "subtracted",
       "plus",  "add",        "added",    "over",    "modulo", "mod",        "power",    "raised",
       "half",  "twice",      "square",   "cube",    "root",   "reciprocal", "inverse"});
  const std::string lower = ascii_lower(std::string(trimmed(parts.title)));
  std::string last;
  bool any = false;
  for (std::size_t i = 0; i < lower.size();) {
    std::size_t end = i;
    while (end < lower.size() && starts_name(lower[end])) ++end;
    if (end > i) last = lower.substr(i, end - i), any = any || std::ranges::find(words, last) != words.end();
    i = std::max(end, i + 1);
  }
  return parts.bracketed ? any : std::ranges::find(words, last) != words.end();
}

bool has_facts(const Understanding& u) {
  return std::any_of(u.words.begin(), u.words.end(), [](const Word& w) {
    return w.meaning == Meaning::shape || w.meaning == Meaning::dtype || w.meaning == Meaning::constant;
  });
}

void add_words(std::vector<Word> title, Understanding& out) {
  for (Word& w : title) {
    const bool fact = w.meaning == Meaning::shape || w.meaning == Meaning::dtype || w.meaning == Meaning::constant;
    if (!fact) w.meaning = Meaning::filler;
    if (!fact || w.reading.empty()) w.reading = "title of the formula";
    out.words.push_back(std::move(w));
  }
  std::stable_sort(out.words.begin(), out.words.end(),
                   [](const Word& a, const Word& b) { return a.span.begin < b.span.begin; });
}

// "softmax of (a + b)" as softmax(a + b), where the words in front are the name of a function.
void offer_call(const Parts& parts, const ReadPart& read_formula, Understanding& out) {
  const std::string_view title = trimmed(parts.title);
  if (!parts.bracketed || !title.ends_with(" of")) return;
  const std::string call =
      std::string(title.substr(0, title.size() - 3)) + "(" + std::string(trimmed(parts.formula)) + ")";
  auto read = read_formula(call);
  if (read && read->spec)
    out.choices.insert(out.choices.begin(), {call, "the words of the formula", std::move(*read->spec)});
}

Understanding ask(const Parts& parts, const ReadPart& read_formula, Understanding formula, Understanding title) {
  Understanding out;
  offer_call(parts, read_formula, out);
  out.questions.push_back("The words and the formula do not compute the same; which is meant?");
  out.choices.push_back({std::string(trimmed(parts.formula)), "as the formula says", std::move(*formula.spec)});
  out.choices.push_back({std::string(trimmed(parts.title)), "as the words say", std::move(*title.spec)});
  out.words = std::move(formula.words);
  add_words(std::move(title.words), out);
  return out;
}

// "dx = ..." with a title that asks for a gradient; any other title raises no question.
bool target_fits(std::string_view title, std::string_view formula) {
  const std::string lower = ascii_lower(std::string(title));
  const bool wants = std::any_of(std::begin(gradient_words), std::end(gradient_words),
                                 [&](std::string_view w) { return lower.find(w) != std::string::npos; });
  const std::string_view target = trimmed(formula);
  return !wants || target.starts_with("d") || target.starts_with("g") || target.starts_with("\\nabla") ||
         target.starts_with("∇") || target.starts_with("∂");
}

// The title does not read as ops: applies everything but its name to the formula.
std::optional<Understanding> with_title(const Library& library, const Parts& parts, const ReadPart& read_formula,
                                        bool sure, const Understanding& title) {
  if (restricts(parts.title) || works_on(parts) || !target_fits(parts.title, parts.formula)) return std::nullopt;
  const auto known = [&](const std::string& number) {
    for (std::size_t at = parts.formula.find(number); at != std::string::npos;
         at = parts.formula.find(number, at + 1)) {
      const char before = at > 0 ? parts.formula[at - 1] : ' ';
      const std::size_t end = at + number.size();
      const char after = end < parts.formula.size() ? parts.formula[end] : ' ';
      const auto part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
      if (!part(before) && !part(after)) return true;
    }
    return false;
  };
  auto facts = formula::title_facts(library, parts.title, known);
  if (!facts) return std::nullopt;
  const std::size_t equals = parts.formula.find('=');
  const bool assigns =
      equals != std::string::npos && parts.formula.find_first_of("*+-/^@(|", equals) != std::string::npos;
  const std::set<std::string>& nouns = library.vocabulary().tables().titles;
  std::string last;
  for (const Word& w : title.words)
    if (w.span.end <= parts.title.size()) last = phrases::fold(w.text);
  const bool noun = nouns.count(last) != 0;
  const bool operand = parts.bracketed || trimmed(parts.formula).starts_with("(");
  if (facts->names_op && operand && equals == std::string::npos) return std::nullopt;  // "layernorm, scale (1 + g)"
  if (!sure && (facts->names_op || !(assigns || noun))) return std::nullopt;
  const std::string given = parts.formula + (facts->text.empty() ? "" : ", " + facts->text);
  auto out = read_formula(given + (facts->axis.empty() ? "" : ", " + facts->axis));
  const bool indexed = parts.formula.find_first_of("[_") != std::string::npos;  // it names its dimensions
  if ((!out || !out->spec) && indexed && !facts->axis.empty()) out = read_formula(given);
  if (!out || !out->spec) return std::nullopt;
  std::erase_if(out->words, [&](const Word& w) { return w.span.end > parts.formula.size(); });
  out->words.insert(out->words.end(), facts->words.begin(), facts->words.end());
  std::stable_sort(out->words.begin(), out->words.end(),
                   [](const Word& a, const Word& b) { return a.span.begin < b.span.begin; });
  return out;
}

// The readings of the formula that compute what the title says.
std::optional<Understanding> by_title(const Understanding& formula, const Spec& title) {
  const Choice* found = nullptr;
  for (const Choice& c : formula.choices) {
    if (agreement(c.spec, title) != Agreement::same) continue;
    if (found) return std::nullopt;
    found = &c;
  }
  if (!found) return std::nullopt;
  Understanding out;
  out.words = formula.words;
  out.spec = found->spec;
  return out;
}

std::optional<Understanding> read_title(const Library& library, const Parts& parts, const ReadPart& read_formula,
                                        const ReadPart& ops) {
  if (!is_title(parts.title) || trimmed(parts.formula).empty()) return std::nullopt;
  const bool indexed = parts.formula.find_first_of("[_") != std::string::npos;
  const bool sure = (parts.marked || indexed) && !reads_its_target(parts.formula);
  auto formula = read_formula(parts.formula);
  if (!formula || (!formula->spec && formula->choices.empty())) return std::nullopt;
  auto title = ops(parts.title);
  if (!title) return std::nullopt;
  if (!title->spec) { return formula->spec ? with_title(library, parts, read_formula, sure, *title) : std::nullopt; }
  if (!formula->spec) {
    auto one = by_title(*formula, *title->spec);
    if (one) add_words(std::move(title->words), *one);
    return one;
  }
  if (!target_fits(parts.title, parts.formula)) return ask(parts, read_formula, std::move(*formula), std::move(*title));
  Agreement a = agreement(*formula->spec, *title->spec);
  if (a != Agreement::same)  // "softmax: exp(x_i) / sum_j exp(x_j)" has one row
    if (const auto row = ops(parts.title + " of a vector"); row && row->spec)
      if (agreement(*formula->spec, *row->spec) == Agreement::same) a = Agreement::same;
  const bool facts = has_facts(*title);
  const auto whole = [](const Spec& spec) {
    return std::any_of(spec.inputs.begin(), spec.inputs.end(), [](const Param& p) { return !is_real(p.dtype); });
  };
  const bool unknown = a == Agreement::unknown || a == Agreement::untried;
  if (unknown && whole(*title->spec) && !whole(*formula->spec))  // "csr matvec: y = A x"
    return ask(parts, read_formula, std::move(*formula), std::move(*title));
  if (!sure && a != Agreement::same) return std::nullopt;
  const bool operand = parts.bracketed && parts.formula.find('=') == std::string::npos;  // "softmax of (a + b)"
  if (a == Agreement::different || (unknown && (facts || operand)))
    return ask(parts, read_formula, std::move(*formula), std::move(*title));
  if (facts) formula->spec = std::move(title->spec);  // it has the sizes and types that the words give
  add_words(std::move(title->words), *formula);
  return formula;
}

}  // namespace

bool is_title_of(std::string_view sentence, const ReadPart& formula, const ReadPart& ops) {
  for (std::size_t at = sentence.find(" ("); at != std::string_view::npos; at = sentence.find(" (", at + 1)) {
    if (at == 0 || !starts_name(sentence[at - 1])) continue;
    const std::size_t end = sentence.rfind(')');
    if (end == std::string_view::npos || end <= at) return false;
    const Parts parts = apart(sentence, {at + 2, end}, {at + 1, end});
    const auto inside = formula(parts.formula);
    const auto title = inside && inside->spec ? ops(parts.title) : std::nullopt;
    return title && title->spec && agreement(*inside->spec, *title->spec) == Agreement::same;
  }
  return false;
}

std::optional<Understanding> read_titled(const Library& library, std::string_view sentence, const ReadPart& formula,
                                         const ReadPart& ops) {
  for (const Parts& p : splits(library, sentence))
    if (auto read = read_title(library, p, formula, ops)) return read;
  return std::nullopt;
}

}  // namespace ww::op
