// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/doubtful_words.h"
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include "base/ascii.h"
#include "op/sentence/edited.h"
#include "op/sentence/word_at.h"

namespace ww::op {
namespace {

using phrases::Token;
using phrases::word_at;
using DoubtfulTokens = std::vector<Token>;

Understanding asked_with(std::string what) {
  Understanding out;
  out.questions = {std::move(what)};
  return out;
}

// "sin-1(x)": the inverse, or a difference? "log-2": the base?
std::optional<Understanding> hyphened_function(std::string_view sentence, const ReadAny& read) {
  static const std::pair<std::string_view, std::string_view> inverses[] = {
      {"sin", "asin"}, {"cos", "acos"}, {"tan", "atan"}, {"sinh", "asinh"}, {"cosh", "acosh"}, {"tanh", "atanh"}};
  std::size_t at = sentence.find('-');
  for (; at != std::string_view::npos; at = sentence.find('-', at + 1)) {
    std::size_t begin = at, end = at + 1;
    while (begin > 0 && std::isalpha(static_cast<unsigned char>(sentence[begin - 1]))) --begin;
    while (end < sentence.size() && std::isdigit(static_cast<unsigned char>(sentence[end]))) ++end;
    const std::string name = ascii_lower(std::string(sentence.substr(begin, at - begin)));
    const std::string number(sentence.substr(at + 1, end - at - 1));
    const bool argument = sentence.substr(end).starts_with('(') || sentence.substr(end).starts_with(" of ") ||
                          sentence.substr(end).starts_with(" (");
    if (number.empty() || !argument) continue;
    const Span span{begin, end};
    const std::string written = "'" + name + "-" + number + "'";
    if (name == "log" || name == "ln" || name == "exp" || name == "sqrt") {
      Understanding out =
          asked_with("What does " + written + " mean? Write the function by its name, such as 'log2(x)'.");
      if (name == "log" && (number == "2" || number == "10"))
        add_choice(read, with_span_as(sentence, span, "log" + number), "to base " + number, out);
      settle_outcome(out);
      return out;
    }
    for (const auto& [function, inverse] : inverses) {
      if (name != function) continue;
      Understanding out = asked_with("Is " + written + " the inverse function? Write '" + std::string(inverse) + "'.");
      if (number == "1")
        add_choice(read, with_span_as(sentence, span, std::string(inverse)), "the inverse function", out);
      settle_outcome(out);
      return out;
    }
  }
  return std::nullopt;
}

// "the 1-norm of a matrix": of its rows, or of all elements? Of a vector it is one.
std::optional<Understanding> numbered_norm(std::string_view sentence, const DoubtfulTokens& words,
                                           const ReadAny& read) {
  const std::string lower = ascii_lower(std::string(sentence));
  const std::size_t norm = lower.find("-norm");
  if (norm == std::string::npos) return std::nullopt;
  std::size_t begin = norm;
  while (begin > 0 && std::isalnum(static_cast<unsigned char>(lower[begin - 1]))) --begin;
  const std::string own = lower.substr(begin, norm - begin);
  const bool number = !own.empty() && own.find_first_not_of("0123456789") == std::string::npos;
  const bool named = own == "p" || own == "inf" || own == "infinity" || own == "zero";
  if ((!number && !named) || (begin > 0 && lower[begin - 1] == '-') || lower.substr(norm).starts_with("-normal"))
    return std::nullopt;
  const Span span{begin, norm + 5};
  const std::string written(sentence.substr(begin, span.end - begin));
  const bool vector = std::any_of(words.begin(), words.end(), [](const Token& t) {
    return phrases::is_vector_noun(t.text) || t.text == "element" || t.text == "row" || t.text == "column";
  });
  if (vector && (own == "1" || own == "2")) return read(with_span_as(sentence, span, "l" + own + " norm"));
  Understanding out = asked_with("What is '" + written + "' of: of each row, or of all elements?");
  if (own == "1" || own == "2") {
    add_choice(read, with_span_as(sentence, span, "l" + own + " norm of each row"), "of each row", out);
    add_choice(read, with_span_as(sentence, span, own == "1" ? "entrywise l1 norm" : "frobenius norm"),
               "of all elements", out);
  }
  settle_outcome(out);
  return out;
}

// The op whose name of `count` words begins at token `at`.
const LibraryOp* op_at(const Library& library, const DoubtfulTokens& words, std::size_t at, std::size_t& count) {
  const phrases::Match m = library.vocabulary().match(words, at);
  count = m.count;
  const phrases::Entry* op = m.entry(phrases::Sort::op);
  return op ? &library.ops()[op->op] : nullptr;
}

// "KL divergence between two distributions of 1000 bins": of two vectors.
std::optional<Understanding> divergence(std::string_view sentence, const DoubtfulTokens& words, const ReadAny& read) {
  if (!word_at(words, 0, {"kl"}) || !word_at(words, 1, {"divergence"}) || !word_at(words, 2, {"between", "of"}))
    return std::nullopt;
  std::size_t at = 3;
  if (!word_at(words, at, {"two", "2"})) return std::nullopt;
  if (word_at(words, ++at, {"discrete"})) ++at;
  if (word_at(words, at, {"probability"})) ++at;
  if (!word_at(words, at, {"distribution"}) || !word_at(words, at + 1, {"of", "over", "with", "on"}))
    return std::nullopt;
  const std::size_t number = at + 2;
  if (number + 2 != words.size() || words[number].kind != Token::Kind::number ||
      !word_at(words, number + 1, {"bin", "outcome", "value", "class", "categorie", "category", "element", "entry"}))
    return std::nullopt;
  const std::string size(sentence.substr(words[number].span.begin, words[number].span.end - words[number].span.begin));
  const std::string formula = "sum(p * log(p / q)), " + size + " elements";
  const Edited edited(sentence, {{{0, sentence.size()}, formula, "as a formula: " + formula}});
  Understanding out = read(formula);
  edited.restore(out);
  return out;
}

// "elementwise matmul": which of both?
std::optional<Understanding> elementwise_product(const Library& library, std::string_view sentence,
                                                 const DoubtfulTokens& words, const ReadAny& read) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool two = word_at(words, i, {"element", "entry"}) && word_at(words, i + 1, {"wise"});
    if (!two && !word_at(words, i, {"elementwise", "pointwise", "hadamard", "entrywise"})) continue;
    const std::size_t end = i + (two ? 2 : 1);
    std::size_t count = 0, own = 0;
    if (op_at(library, words, i, own) && own > end - i) continue;  // "pointwise convolution"
    std::size_t from = end, to = end;
    const LibraryOp* op = op_at(library, words, end, count);
    if (op) to = end + count;
    constexpr std::size_t longest_name = 4;
    const bool behind =
        end >= words.size() || words[end].kind != Token::Kind::word || word_at(words, end, {"of", "on"});
    for (std::size_t k = i > longest_name ? i - longest_name : 0; !op && behind && k < i; ++k) {
      const LibraryOp* before = op_at(library, words, k, count);
      if (before && k + count == i) op = before, from = k, to = i;
    }
    if (!op || (op->family != "contraction" && op->family != "attention" && op->family != "normalization")) continue;
    const Span span{words[std::min(from, i)].span.begin, words[std::max(to, end) - 1].span.end};
    const bool product = word_at(words, from, {"matrix", "matrice"}) &&
                         word_at(words, to - 1, {"product", "multiplication", "multiply", "multiplying"});
    if (product) return read(with_span_as(sentence, span, "elementwise multiplication"));
    const std::string name(sentence.substr(words[from].span.begin, words[to - 1].span.end - words[from].span.begin));
    Understanding out = asked_with("Is '" + name + "' meant, or the product of each element with another?");
    if (op->family == "contraction")
      add_choice(read, with_span_as(sentence, span, "elementwise multiplication"), "element by element", out);
    add_choice(read, with_span_as(sentence, span, name), "the op " + op->spec.name, out);
    settle_outcome(out);
    return out;
  }
  return std::nullopt;
}

bool takes_constant(const Spec& spec, std::string_view name) {
  return std::any_of(spec.constants.begin(), spec.constants.end(), [&](const Constant& c) { return c.name == name; });
}

std::size_t shape_end(const DoubtfulTokens& words, std::size_t at) {
  const auto number = [&](std::size_t i) { return i < words.size() && words[i].kind == Token::Kind::number; };
  if (!number(at)) return at;
  std::size_t end = at + 1;
  while (word_at(words, end, {"x"}) && number(end + 1)) end += 2;
  return end;
}

// "padding 3x3" of a convolution whose kernel is not said.
void ask_about_padding_shape(std::string_view sentence, const DoubtfulTokens& words, const ReadAny& read,
                             Understanding& out) {
  constexpr double largest_kernel = 15;
  const auto is_setting = [&](std::size_t i) {
    return word_at(words, i, {"padding", "pad", "padded", "stride", "strided", "dilation", "dilated"});
  };
  std::size_t setting = words.size(), from = 0, to = 0;
  bool said = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_setting(i)) {
      std::size_t shape = i + 1;
      while (word_at(words, shape, {"=", "of", "size", "is", "by"})) ++shape;
      const std::size_t end = shape_end(words, shape);
      if (end > shape + 1 && setting == words.size()) setting = i, from = shape, to = end;
      if (end > shape) i = end - 1;
      continue;
    }
    if (word_at(words, i, {"kernel", "filter", "window", "k"}) && i != to)
      said = said || (i + 1 < words.size() &&
                      (words[i + 1].kind == Token::Kind::number || word_at(words, i + 1, {"size", "=", "of"})));
    const std::size_t end = shape_end(words, i);
    if (end > i + 1) {
      bool small = true;
      for (std::size_t k = i; k < end; k += 2) small = small && words[k].number <= largest_kernel;
      said = said || small;
      i = end - 1;
    }
  }
  if (setting == words.size() || said) return;
  const std::string shape(sentence.substr(words[from].span.begin, words[to - 1].span.end - words[from].span.begin));
  const bool noun = word_at(words, to, {"kernel", "filter", "window", "convolution", "conv"});
  std::size_t front = setting;
  while (front > 0 && word_at(words, front - 1, {"zero", "with", "same"})) --front;
  const bool zero = word_at(words, setting, {"padding", "pad", "padded"});
  const Span span{words[front].span.begin, words[to - (noun ? 0 : 1)].span.end};
  ask_instead(out, "Is " + in_quotes(shape) + " the size of the kernel, or the " + words[setting].text +
                       "? Write, for example, 'kernel 3x3, padding 1'.");
  add_choice(read, with_span_as(sentence, span, "kernel " + shape), "the kernel is " + shape, out);
  const std::string one = zero ? ", padding 1" : "";
  if (zero) add_choice(read, with_span_as(sentence, span, "kernel " + shape + one), "the kernel, with padding 1", out);
  settle_outcome(out);
}

// "Attention with ALiBi" is causal in the library, which its name does not say.
void show_causality(const Library& library, std::string_view sentence, Understanding& out) {
  const DoubtfulTokens words = phrases::tokenise(sentence);
  if (std::any_of(words.begin(), words.end(), [](const Token& t) { return t.text == "causal"; })) return;
  static constexpr std::string_view before = "the op ";
  for (Word& w : out.words) {
    if (w.meaning != Meaning::op || !w.reading.starts_with(before)) continue;
    const std::size_t end = std::min(w.reading.find_first_of(",;"), w.reading.size());
    const LibraryOp* op = library.find(w.reading.substr(before.size(), end - before.size()));
    if (op && op->summary.starts_with("Causal")) w.reading.insert(end, ", causal");
  }
}

// An RGB image has three channels.
void check_colours(std::string_view sentence, const ReadAny& read, Understanding& out) {
  const DoubtfulTokens words = phrases::tokenise(sentence);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (!word_at(words, i, {"rgb", "color", "colour"}) || !word_at(words, i + 1, {"image", "picture", "photo"}))
      continue;
    const bool gray = std::any_of(words.begin(), words.end(), [](const Token& t) {
      static const std::set<std::string> names = {"gray", "grey", "grayscale", "greyscale", "luma", "luminance"};
      return names.count(t.text) != 0;
    });
    const auto three = [](const Spec& spec) {
      return std::any_of(spec.defaults.begin(), spec.defaults.end(), [](const auto& d) { return d.second == 3; });
    };
    if (gray || three(*out.spec)) return;
    const Edited edited(sentence, {{{words[i].span.begin, words[i + 1].span.end}, "3-channel image", "3 channels"}});
    Understanding again = read(edited.text());
    if (again.spec && three(*again.spec)) {
      edited.restore(again);
      out = std::move(again);
      return;
    }
    ask_instead(out, "An RGB image has 3 channels; which dimension are they? Give its shape, such as 3x480x640.");
    settle_outcome(out);
    return;
  }
}

// "mean softmax": which of both comes first?
void ask_about_order(std::string_view sentence, const ReadAny& read, Understanding& out) {
  const Word* first = nullptr;
  for (const Word& w : out.words) {
    if (w.meaning != Meaning::op || !w.reading.starts_with("the op ")) {
      if (first) return;
      continue;
    }
    if (!first) {
      const DoubtfulTokens own = phrases::tokenise(w.text);
      if (own.size() != 1 || !word_at(own, 0,
                                      {"sum", "total", "mean", "average", "avg", "max", "maximum", "min", "minimum",
                                       "variance", "var", "std", "norm"}))
        return;
      first = &w;
      continue;
    }
    const std::string_view between = sentence.substr(first->span.end, w.span.begin - first->span.end);
    if (w.span.begin < first->span.end || between.empty() || between.find_first_not_of(' ') != std::string_view::npos)
      return;
    const Span span{first->span.begin, w.span.end};
    const std::string a = first->text, b = w.text;
    ask_instead(out, "Is " + in_quotes(a) + " computed first, or " + in_quotes(b) + "? Write 'then' between them.");
    out.words.clear();
    add_choice(read, with_span_as(sentence, span, b + ", then " + a), b + " first", out);
    add_choice(read, with_span_as(sentence, span, a + ", then " + b), a + " first", out);
    settle_outcome(out);
    return;
  }
}

}  // namespace

std::optional<Understanding> read_doubtful(const Library& library, std::string_view sentence, const ReadAny& read) {
  constexpr std::size_t longest = 400;
  if (sentence.size() > longest) return std::nullopt;
  if (auto out = hyphened_function(sentence, read)) return out;
  const DoubtfulTokens words = phrases::tokenise(sentence);
  if (auto out = numbered_norm(sentence, words, read)) return out;
  if (auto out = divergence(sentence, words, read)) return out;
  return elementwise_product(library, sentence, words, read);
}

void check_guesses(const Library& library, std::string_view sentence, const ReadAny& read, Understanding& out) {
  constexpr std::size_t longest = 400;
  if (!out.spec || sentence.size() > longest) return;
  const Spec& spec = *out.spec;
  if (takes_constant(spec, "padding") || takes_constant(spec, "stride") || takes_constant(spec, "dilation"))
    ask_about_padding_shape(sentence, phrases::tokenise(sentence), read, out);
  if (out.spec) check_colours(sentence, read, out);
  if (out.spec) ask_about_order(sentence, read, out);
  if (out.spec) show_causality(library, sentence, out);
}

}  // namespace ww::op
