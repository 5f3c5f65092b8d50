// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include "base/ascii.h"
#include "op/formula/reading.h"
#include "op/formula/tensor_facts.h"

namespace ww::op::formula {
namespace {

using phrases::Entry;
using phrases::Sort;

class TailReader {
 public:
  TailReader(const Library& library, const Tables& tables, std::string_view sentence,
             const std::vector<TextToken>& tokens, std::size_t to, Tail& tail)
      : library_(library), tables_(tables), sentence_(sentence), tokens_(tokens), end_(to), tail_(tail) {}

  void run(std::size_t at) {
    while (at < end_) {
      const std::size_t next = step(at);
      if (next > at) {
        at = next;
        continue;
      }
      unknown(at);
      ++at;
    }
  }

 private:
  const std::string& text(std::size_t i) const {
    static const std::string none;
    return i < end_ ? tokens_[i].text : none;
  }
  bool number(std::size_t i) const { return i < end_ && tokens_[i].kind == TextKind::number; }
  std::string written(std::size_t i) const {
    const Span s = tokens_[i].span;
    return std::string(sentence_.substr(s.begin, s.end - s.begin));
  }
  std::string written_at(std::size_t i) const { return i < end_ ? written(i) : std::string(); }
  void word(std::size_t from, std::size_t to, Meaning meaning, std::string reading) {
    Word w;
    w.span = {tokens_[from].span.begin, tokens_[to - 1].span.end};
    w.text = std::string(sentence_.substr(w.span.begin, w.span.end - w.span.begin));
    w.meaning = meaning;
    w.reading = std::move(reading);
    tail_.words.push_back(std::move(w));
  }
  void unknown(std::size_t at) {
    const phrases::Match m = library_.vocabulary().match(tokens_, at);
    if (m.entries)
      for (const Entry& e : *m.entries) tail_.names_op = tail_.names_op || e.sort == Sort::op;
    tail_.unknown.push_back(written(at));
    word(at, at + 1, Meaning::unknown, "not known");
  }
  void ask(std::string question) {
    if (tail_.question.empty()) tail_.question = std::move(question);
  }

  static std::string shown(const Shape& shape) {
    std::string out;
    for (const Size& s : shape) out += (out.empty() ? "" : " x ") + (s.value ? std::to_string(*s.value) : s.name);
    return out;
  }
  bool good(const TextToken& t) {
    if (t.number == std::floor(t.number) && t.number >= 1 && t.number <= 1099511627776.0) return true;
    ask("A size is a whole number from 1 to 2^40; " + t.text + " is not.");
    return false;
  }
  bool is_letter(std::size_t i) const {
    return i < end_ && tokens_[i].kind == TextKind::word && written(i).size() == 1 &&
           static_cast<unsigned char>(written(i)[0]) < 0x80;
  }
  bool joins(std::size_t i) const { return text(i) == "x" || text(i) == "by" || text(i) == "*"; }

  // A size at `at`: a number, a letter or, in brackets, a word for one ("seq_len"). Its end, or `at`.
  std::size_t size(std::size_t at, bool words, Shape& out) {
    if (number(at)) {
      if (!good(tokens_[at])) return at;
      out.push_back({{}, static_cast<std::int64_t>(tokens_[at].number)});
      return at + 1;
    }
    if (at >= end_ || tokens_[at].kind != TextKind::word) return at;
    std::size_t to = tokens_[at].span.begin;
    const auto in_name = [&](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
    while (to < sentence_.size() && in_name(sentence_[to])) ++to;
    const std::string name(sentence_.substr(tokens_[at].span.begin, to - tokens_[at].span.begin));
    if (!is_letter(at) && !(words && tables_.dimensions.count(ascii_lower(name)))) return at;
    out.push_back({name, {}});
    while (at < end_ && tokens_[at].span.begin < to) ++at;
    return at;
  }

  // Whether a bracket at `at` separates its sizes by commas: (B, T, H*D)
  bool has_comma(std::size_t at) const {
    constexpr std::size_t most_tokens = 64;
    for (std::size_t i = at + 1; i < end_ && i < at + most_tokens && text(i) != ")" && text(i) != "]"; ++i)
      if (text(i) == ",") return true;
    return false;
  }
  // Behind the size at the end of `out`: "*D" of H*D. Its end.
  std::size_t factors(std::size_t at, Shape& out) {
    while (text(at) == "*") {
      Shape more;
      const std::size_t end = size(at + 1, true, more);
      if (end == at + 1) return at;
      Size& last = out.back();
      constexpr std::int64_t most = std::int64_t{1} << 40;
      if (last.value && more[0].value) {
        if (*last.value > most / *more[0].value) {
          ask("A size is at most 2^40.");
          return at;
        }
        *last.value *= *more[0].value;
      } else {
        const auto shown = [](const Size& s) { return s.value ? std::to_string(*s.value) : s.name; };
        last = {shown(last) + "*" + shown(more[0]), {}};
      }
      at = end;
    }
    return at;
  }

  // A shape at `at`: 128x256, 128 by 256, [128, 256], (B x T x D). Its end, or `at`.
  std::size_t shape(std::size_t at, Shape& out) {
    const bool round = text(at) == "(", square = text(at) == "[";
    if (round || square) {
      std::size_t i = at + 1;
      const bool commas = has_comma(at);
      for (std::size_t next = size(i, true, out); next > i; next = size(i, true, out)) {
        i = commas ? factors(next, out) : next;
        if (text(i) != "," && !joins(i)) break;
        ++i;
      }
      return text(i) == (round ? ")" : "]") && !out.empty() ? i + 1 : at;
    }
    if (!number(at) && !(is_letter(at) && text(at + 1) == "x" && is_letter(at + 2))) return at;
    std::size_t i = at;
    while (number(i) || is_letter(i)) {
      if (number(i) && !good(tokens_[i])) return at;
      out.push_back(number(i) ? Size{{}, static_cast<std::int64_t>(tokens_[i].number)} : Size{written(i), {}});
      ++i;
      if (!joins(i) || !(number(i + 1) || is_letter(i + 1))) break;
      ++i;
    }
    return i;
  }

  bool is_noun(std::size_t i) const {
    return i < end_ && tokens_[i].kind == TextKind::word &&
           std::find(tables_.tensors.begin(), tables_.tensors.end(), ascii_lower(written(i))) != tables_.tensors.end();
  }
  bool is_tensor_name(std::size_t i) const { return is_letter(i) || greek(i) || is_noun(i); }

  // "A", or the first of "Q, K and V". Their end.
  std::size_t names(std::size_t at, std::vector<std::string>& out) const {
    out.push_back(plain_name(written(at)));
    std::size_t i = at + 1;
    while (is_tensor_name(at) && (text(i) == "," || text(i) == "and")) {
      const std::size_t next = text(i) == "," && text(i + 1) == "and" ? i + 2 : i + 1;
      const bool article = written_at(next) == "a" && phrases::is_tensor_noun(text(next + 1));  // "and a matrix A"
      if (!is_tensor_name(next) || article) break;
      out.push_back(plain_name(written(next)));
      i = next + 1;
    }
    return i;
  }

  // "a 64x32 and b 32x16": a name, no article.
  bool second_tensor(std::size_t at) const {
    for (std::size_t i = at; i + 1 < end_; ++i)
      if (written(i) == "b" && (number(i + 1) || text(i + 1) == "(" || text(i + 1) == "[")) return true;
    return false;
  }

  // "M = N = K = 2048"; `at` where it is not that.
  std::size_t equal_sizes(std::size_t at) {
    std::vector<std::string> named;
    std::size_t i = at;
    while (is_letter(i) && text(i + 1) == "=") {
      named.push_back(written(i));
      i += 2;
    }
    if (named.size() < 2 || !number(i)) return at;
    for (const std::string& name : named) tail_.facts.values[name] = tokens_[i].number;
    word(at, i + 1, Meaning::constant, phrases::listed(named, " and ") + " are " + tokens_[i].text);
    return i + 1;
  }

  // "x has N entries", "x has length N"
  std::size_t length_of(std::size_t at) {
    static const std::set<std::string> things = {"element", "entry", "item", "value", "component", "number", "sample"};
    if (!is_letter(at) || at + 1 >= end_) return at;
    const std::string link = written(at + 1);
    if (link != "has" && link != "with" && link != "of") return at;
    Shape read;
    std::size_t end = size(at + 2, false, read);
    const bool shared = text(end) == "and" && is_letter(end + 1) && text(end + 2) == "of" && number(end + 3);
    if (end > at + 2 && (things.count(text(end)) || shared) && written(at) != "a")
      end += shared ? 0 : 1;  // "u of 100 and v of 200 elements": the word is of both
    else if ((text(at + 2) == "length" || text(at + 2) == "size") && link != "with")
      read.clear(), end = size(at + 3, false, read);
    else
      return at;
    if (read.size() != 1) return at;
    tail_.facts.shapes[written(at)] = read;
    word(at, end, Meaning::shape, written(at) + " is " + shown(read));
    return end;
  }

  // "n is the number of rows of X", "N is the length of x"
  std::size_t count_of(std::size_t at) {
    if (!is_letter(at) || (text(at + 1) != "is" && text(at + 1) != "=")) return at;
    std::size_t i = at + 2;
    while (text(i) == "the" || text(i) == "a") ++i;
    static const std::set<std::string> rows = {"row", "sample", "observation"}, columns = {"column", "feature"},
                                       all = {"element", "entry", "component", "value"};
    std::string what = "element";
    if (text(i) == "number" && text(i + 1) == "of") {
      what = text(i + 2);
      i += 3;
    } else if (text(i) == "length" || text(i) == "size") {
      ++i;
    } else {
      return at;
    }
    const bool row = rows.count(what) != 0, column = columns.count(what) != 0;
    if ((!row && !column && !all.count(what)) || (text(i) != "of" && text(i) != "in")) return at;
    ++i;
    while (text(i) == "the" || text(i) == "matrix" || text(i) == "vector") ++i;
    if (!is_letter(i) || tail_.facts.shapes.count(written(i))) return at;
    Shape& shape = tail_.facts.shapes[written(i)];
    if (row || column) shape = {Size{}, Size{}};
    if (!row && !column) shape = {Size{}};
    shape[column ? 1 : 0].name = written(at);
    word(at, i + 1, Meaning::shape, written(at) + " is a size of " + written(i));
    return i + 1;
  }

  // "vectors x and y", "a matrix A", "a 3-d tensor x"
  std::size_t ranked(std::size_t at) {
    if (const std::size_t end = rank_in_digits(at); end > at) return end;
    const bool vector = phrases::is_vector_noun(text(at)), matrix = text(at) == "matrix" || text(at) == "matrice";
    if ((!vector && !matrix) || !is_letter(at + 1) || written(at + 1) == "a") return at;
    std::vector<std::string> named;
    const std::size_t end = names(at + 1, named);
    for (const std::string& name : named) tail_.facts.ranks[name] = vector ? 1 : 2;
    if (matrix) matrices_ = true;
    word(at, end, Meaning::shape, phrases::listed(named, " and ") + (vector ? " as a vector" : " as a matrix"));
    return end;
  }

  // "2-d tensor x", "3D tensor", "rank 3 tensor x": without a name of all tensors.
  std::size_t rank_in_digits(std::size_t at) {
    std::string digits = text(at) == "rank" ? text(at + 1) + "d" : text(at);
    std::size_t i = text(at) == "rank" ? at + 2 : at + 1;
    if (number(at) && (text(i) == "d" || text(i) == "dimensional")) digits += "d", ++i;
    std::erase(digits, '-');
    if (digits.size() < 2 || digits[0] < '1' || digits[0] > '4') return at;
    if (digits.substr(1) != "d" && digits.substr(1) != "dimensional") return at;
    const int rank = digits[0] - '0';
    if (!phrases::is_tensor_noun(text(i)) && text(i) != "input") return at;
    ++i;
    const bool named = is_letter(i) && written(i) != "a";
    if (named) tail_.facts.ranks[written(i)] = rank;
    if (!named) tail_.facts.rank = rank;
    word(at, named ? i + 1 : i, Meaning::shape, std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions"));
    return named ? i + 1 : i;
  }

  // "x = torch.randn(128, 4000)": a tensor of this shape. `at` where it is not that.
  std::size_t made(std::size_t at) {
    static const std::set<std::string> makers = {"randn", "rand",  "one",     "ones",  "zero",
                                                 "zeros", "empty", "randint", "normal"};
    const bool library =
        text(at + 1) == "=" && (text(at + 2) == "torch" || text(at + 2) == "np" || text(at + 2) == "jnp");
    std::size_t i = library && text(at + 3) == "." ? at + 4 : end_;
    if (text(i) == "random" && text(i + 1) == ".") i += 2;
    if (!is_letter(at) || !makers.count(text(i))) return at;
    Shape shape_read;
    const std::size_t end = shape(i + 1, shape_read);
    if (end == i + 1) return at;
    tail_.facts.shapes[written(at)] = shape_read;
    word(at, end, Meaning::shape, written(at) + " is " + shown(shape_read));
    return end;
  }

  // "A is 128x64", "b: [256]", "n = 4", "Q, K and V of 512x64"
  std::size_t assignment(std::size_t at) {
    if (tokens_[at].kind != TextKind::word) return at;
    if (const std::size_t end = std::max(equal_sizes(at), made(at)); end > at) return end;
    const bool noun = is_noun(at);
    if (!is_letter(at) && !greek(at) && !noun && library_.vocabulary().match(tokens_, at).entries) return at;
    static const std::vector<std::string> links = {"is",  "are",  "=",    ":",     "has", "have", "of",
                                                   "all", "both", "each", "shape", "a",   "in",   "be"};
    std::vector<std::string> named;
    const std::size_t link = names(at, named);
    std::size_t i = link;
    if (text(i) == "." && text(i + 1) == "shape") ++i;
    while (std::find(links.begin(), links.end(), text(i)) != links.end()) ++i;
    if (named.size() == 1 && i == link + 1 && (text(link) == "=" || text(link) == "is") && number(i) &&
        (tokens_[i].number != std::floor(tokens_[i].number) || tokens_[i].number < 1)) {  // "a = 0.5", "b = -1"
      tail_.facts.values[named[0]] = tokens_[i].number;
      word(at, i + 1, Meaning::constant, named[0] + " = " + tokens_[i].text);
      return i + 1;
    }
    Shape shape_read;
    const std::size_t typed = i > link ? behind_type(i) : i;  // "x is float32 [64, 32]"
    std::size_t end = shape(typed, shape_read);
    if (end == typed) {
      end = i;
    } else if (typed > i) {
      dtype(i);
      i = typed;
    }
    const bool article = i == link && written(at) == "a" && !second_tensor(end);  // "on a 32x64 tensor"
    const std::string own = written(at);
    const bool numbered = own.size() == 2 && std::isdigit(static_cast<unsigned char>(own[1])) != 0;
    const bool bracketed = (noun || numbered) && (text(i) == "(" || text(i) == "[");  // weight (128, 64), W1 [64, 32]
    if (end == i || article || (named.size() > 1 && i == link) || (!is_letter(at) && i == link && !bracketed))
      return at;
    const bool value = shape_read.size() == 1 && text(i) != "[" && text(i) != "(";
    if (value && !(text(link) == "=" || text(link) == "is" || text(link) == "are")) return at;
    std::string listed;
    for (const std::string& name : named) {
      listed += (listed.empty() ? "" : ", ") + name;
      if (value)
        tail_.facts.values[name] = tokens_[i].number;
      else
        tail_.facts.shapes[name] = shape_read;
    }
    if (value)
      word(at, end, Meaning::constant, listed + " = " + tokens_[i].text);
    else
      word(at, end, Meaning::shape, listed + (named.size() > 1 ? " are " : " is ") + shown(shape_read));
    return end;
  }

  // Behind the element type at `at` and a noun, in front of a shape; `at` where there is none.
  std::size_t behind_type(std::size_t at) const {
    const phrases::Match m = library_.vocabulary().match(tokens_, at);
    const bool type = m.entries && at + m.count < end_ &&
                      std::any_of(m.entries->begin(), m.entries->end(),
                                  [](const Entry& e) { return e.sort == Sort::dtype && e.value != "unsupported"; });
    if (!type) return at;
    std::size_t i = at + m.count;
    while (phrases::is_tensor_noun(text(i)) || text(i) == "of" || text(i) == "shape" || text(i) == "size") ++i;
    return i;
  }
  std::size_t dtype(std::size_t at) {
    const phrases::Match m = library_.vocabulary().match(tokens_, at);
    if (!m.entries || at + m.count > end_) return at;
    const Entry* found = nullptr;
    for (const Entry& e : *m.entries)
      if (e.sort == Sort::dtype) found = &e;
    if (!found) return at;
    std::size_t end = at + m.count;
    const bool share = m.count == 1 && (text(at) == "half" || text(at) == "double") &&
                       (text(end) == "of" || text(end) == "the" || text(end) == "each" || text(end) == "every");
    if (share) return at;  // "half of the elements"
    if (found->value == "unsupported") {
      ask("There is no element type '" + written(at) + "' here; the real ones are f64, f32, f16, bf16, e4m3 and e5m2.");
      return end;
    }
    const DType type = *dtype_from_name(found->value);
    const std::string before = at > 0 ? tokens_[at - 1].text : std::string();
    const bool output =
        text(end) == "output" || text(end) == "result" || before == ">" || before == "as" || before == "into";
    const bool input = text(end) == "input" || text(end) == "operand";
    if (output || input) end += text(end) == "output" || text(end) == "result" || input ? 1 : 0;
    std::optional<DType>& place = output ? tail_.facts.output : tail_.facts.dtype;
    if (place && *place != type) ask("Two element types are named; which is meant?");
    place = type;
    word(at, end, Meaning::dtype, (output ? "output of element type " : "element type ") + found->value);
    return end;
  }

  std::size_t sizes(std::size_t at) {
    Shape read;
    static const std::set<std::string> things = {"element", "entry", "float", "item", "value", "double", "number"};
    if (is_letter(at) && things.count(text(at + 1)) && at > 0 && text(at) != "a") {  // "of n doubles"
      tail_.facts.general.push_back({{written(at), {}}});
      word(at, at + 1, Meaning::shape, "length " + written(at));
      return at + 1;
    }
    const std::size_t end = shape(at, read);
    if (end == at) return at;
    static const std::vector<std::string> counted = {"element", "entry", "float", "item", "value", "number", "double"};
    const bool count = std::find(counted.begin(), counted.end(), text(end)) != counted.end();
    static const std::set<std::string> lengths = {"length", "size", "länge", "größe", "longueur", "longitud", "taille"};
    const bool length = at > 0 && lengths.count(tokens_[at - 1].text);
    const bool bracketed = text(at) == "[";
    if (read.size() == 1 && !count && !length && !bracketed && text(at) != "(") return at;
    if (read.size() == 1 && length && tokens_[at - 1].text == "size" && matrices_) read.push_back(read[0]);
    tail_.facts.general.push_back(read);
    word(at, end, Meaning::shape, shown(read));
    return length ? more_lengths(end) : end;
  }
  // "lengths 200 and 300"
  std::size_t more_lengths(std::size_t at) {
    while ((text(at) == "and" || text(at) == ",") && number(at + 1) && good(tokens_[at + 1]) &&
           (at + 2 >= end_ || text(at + 2) == "." || text(at + 2) == "and" || text(at + 2) == ",")) {
      tail_.facts.general.push_back({{{}, static_cast<std::int64_t>(tokens_[at + 1].number)}});
      word(at + 1, at + 2, Meaning::shape, text(at + 1));
      at += 2;
    }
    return at;
  }

  // "(a + b) and two vectors": more operands than the formula has.
  bool another_tensor(std::size_t at) const {
    const bool counted = text(at) == "a" || text(at) == "an" || text(at) == "another" || text(at) == "two";
    return counted && phrases::is_tensor_noun(text(at + 1)) && !is_letter(at + 2);
  }

  // "two vectors", "two float vectors"
  bool counts_tensors(std::size_t at) const {
    for (std::size_t i = at; i < end_ && i < at + 8; ++i)
      if (phrases::is_tensor_noun(text(i))) return true;
    return false;
  }

  // "per row", "along dim 1": of the reductions that name no dimension of their own.
  std::size_t axis(std::size_t at) {
    const phrases::Match m = library_.vocabulary().match(tokens_, at);
    if (!m.entries || at + m.count > end_) return at;
    for (const Entry& e : *m.entries) {
      std::optional<int> dim;
      std::size_t end = at + m.count;
      if (e.sort != Sort::axis) continue;
      if (e.value == "row" || e.value == "rows" || e.value == "last") dim = -1;
      if (e.value == "columns") dim = -2;
      if (e.value == "index") {
        if (text(end) == "=") ++end;
        const bool minus = text(end) == "-";
        if (minus) ++end;
        if (!number(end) || tokens_[end].number != std::floor(tokens_[end].number) ||
            std::fabs(tokens_[end].number) > 8)
          return at;
        dim = static_cast<int>(tokens_[end].number) * (minus ? -1 : 1);
        ++end;
      }
      if (!dim) continue;
      if (tail_.facts.axis && *tail_.facts.axis != *dim) ask("Two dimensions are named; which is meant?");
      tail_.facts.axis = dim;
      tail_.facts.each_row = text(at) == "for" && (e.value == "row" || e.value == "rows");
      word(at, end, Meaning::axis, "over dimension " + std::to_string(*dim));
      return end;
    }
    return at;
  }

  // "zero_point = -4", "eps is 1e-6", "alpha=-0.5": a number, not a size or a name of one letter.
  std::size_t named_value(std::size_t at) {
    if (at >= end_ || tokens_[at].kind != TextKind::word) return at;
    std::size_t to = tokens_[at].span.begin, i = at;
    while (to < sentence_.size() && (sentence_[to] == '_' || std::isalnum(static_cast<unsigned char>(sentence_[to]))))
      ++to;
    while (i < end_ && tokens_[i].span.begin < to) ++i;
    const std::string name(sentence_.substr(tokens_[at].span.begin, to - tokens_[at].span.begin));
    const bool link = text(i) == "=" || text(i) == "is";
    const bool minus = text(i + 1) == "-" || (number(i + 1) && tokens_[i + 1].number < 0);
    const std::size_t value = text(i + 1) == "-" ? i + 2 : i + 1;
    if (!link || !number(value) || (name.size() == 1 && !minus) || joins(value + 1)) return at;
    const double sign = text(i + 1) == "-" ? -1 : 1;
    tail_.facts.values[name] = sign * tokens_[value].number;
    word(at, value + 1, Meaning::constant, name + " = " + (sign < 0 ? "-" : "") + tokens_[value].text);
    return value + 1;
  }

  // What tails.txt says; `at` where it is not that.
  std::size_t fact(std::size_t at) {
    using Kind = TensorFact::Kind;
    const auto said = tensor_fact(library_, sentence_, tokens_, at, end_);
    if (!said) return at;
    Facts& facts = tail_.facts;
    Shape read;
    if (said->kind == Kind::counts || said->kind == Kind::shape) {
      read = sizes_within(at + said->names.size(), said->end, said->kind == Kind::counts);
      if (read.empty()) return at;
      for (const std::string& name : said->names) facts.shapes[name] = read;
      if (said->names.empty()) facts.general.push_back(read);
    }
    const bool vector = said->kind == Kind::row || said->kind == Kind::column;
    if (said->kind == Kind::rank || vector) {
      const int rank = vector ? 1 : said->rank;
      for (const std::string& name : said->names) facts.ranks[name] = rank;
      if (said->names.empty()) facts.rank = rank;
    }
    if (said->kind == Kind::row) facts.by_row.insert(said->names.begin(), said->names.end());
    if (said->kind == Kind::same) {
      const auto before = facts.ranks.find(last_named_);
      if (before == facts.ranks.end()) return at;
      for (const std::string& name : said->names) facts.ranks[name] = before->second;
    }
    if (!said->names.empty()) last_named_ = said->names.back();
    if (said->kind == Kind::tensor) facts.tensors.insert(said->names.begin(), said->names.end());
    if (said->kind == Kind::start) facts.starts.insert(said->names.begin(), said->names.end());
    if (said->kind == Kind::zero_outside) facts.outside = Facts::Outside::zero;
    if (said->kind == Kind::inside) facts.outside = Facts::Outside::inside;
    if (said->kind == Kind::wrap) facts.outside = Facts::Outside::wrap;
    if (said->kind == Kind::rows) facts.axis = -1;
    word(at, said->end, said->kind == Kind::nothing ? Meaning::filler : Meaning::shape, reading_of(*said, read));
    return said->end;
  }
  static std::string reading_of(const TensorFact& fact, const Shape& read) {
    using Kind = TensorFact::Kind;
    const std::string names = fact.names.empty() ? "all tensors" : phrases::listed(fact.names, " and ");
    switch (fact.kind) {
      case Kind::rank:
        return names + ": " + std::to_string(fact.rank) + (fact.rank == 1 ? " dimension" : " dimensions");
      case Kind::shape:
      case Kind::counts: return names + ": " + shown(read);
      case Kind::tensor: return "tensors: " + names;
      case Kind::nothing: return {};
      case Kind::same: return names + ": shaped as the tensor before";
      case Kind::row: return names + ": one value for each row";
      case Kind::column: return names + ": one value for each column";
      case Kind::zero_outside: return "0 beyond the ends";
      case Kind::inside: return "only results that need nothing beyond the ends";
      case Kind::wrap: return "beyond an end, the elements from the other end";
      case Kind::rows: return "over dimension -1";
      case Kind::start: return names + " is 0 before its first element";
    }
    return {};
  }
  // The shape that ends at `to`, or the two numbers or letters between.
  Shape sizes_within(std::size_t from, std::size_t to, bool counts) {
    Shape out;
    for (std::size_t i = from; i < to; ++i) {
      if (counts && (number(i) || (is_letter(i) && text(i) != "x" && text(i) != "a"))) size(i, false, out);
      Shape whole;
      if (!counts && shape(i, whole) == to && (whole.size() > 1 || number(i) || text(i) == "(" || text(i) == "["))
        return whole;
    }
    if (!counts && out.empty() && is_letter(to - 1)) size(to - 1, false, out);
    if (!counts && out.empty() && to >= 2 && (number(to - 2) || is_letter(to - 2))) size(to - 2, false, out);
    return counts && out.size() != 2 ? Shape() : out;
  }

  // "on an NCHW batch": as many dimensions as the layout has letters.
  std::size_t layout(std::size_t at) {
    for (const auto& [kind, words] : library_.vocabulary().layouts()) {
      if (kind != "layouts" || std::find(words.begin(), words.end(), text(at)) == words.end()) continue;
      const int rank = static_cast<int>(text(at).size());
      if (tail_.facts.rank && *tail_.facts.rank != rank) ask("Two numbers of dimensions are named; which is meant?");
      tail_.facts.rank = rank;
      std::size_t end = at + 1;
      static const std::set<std::string> nouns = {"batch", "image", "input", "tensor", "activation", "data", "array"};
      while (nouns.count(text(end))) ++end;
      word(at, end, Meaning::shape, std::to_string(rank) + " dimensions");
      return end;
    }
    return at;
  }

  std::size_t step(std::size_t at) {
    if (const std::size_t end = layout(at); end > at) return end;
    if (const std::size_t end = fact(at); end > at) return end;
    if (const std::size_t end = std::max(count_of(at), std::max(length_of(at), ranked(at))); end > at) return end;
    if (const std::size_t end = std::max(named_value(at), assignment(at)); end > at) return end;
    if (const std::size_t end = sizes(at); end > at) return end;
    if (const std::size_t end = dtype(at); end > at) return end;
    if (const std::size_t end = axis(at); end > at) return end;
    const std::string& t = text(at);
    if (t == "matrix" || t == "matrice") matrices_ = true;
    if ((t == "square" || t == "three" || t == "four") && counts_tensors(at + 1)) {
      word(at, at + 1, Meaning::filler, {});
      return at + 1;
    }
    if (t == "," || t == ";") return at + 1;        // between two facts
    if (t == "\\" && greek(at + 1)) return at + 1;  // \alpha = 2
    if (t == "and" && another_tensor(at + 1)) return at;
    if (t == "two" && !counts_tensors(at + 1)) return at;
    if (const std::size_t end = scalar(at); end > at) return end;
    if (phrases::is_vector_noun(t)) tail_.facts.rank = 1;
    if (phrases::is_tensor_noun(t) || std::find(tables_.tail.begin(), tables_.tail.end(), t) != tables_.tail.end()) {
      if (tokens_[at].kind == TextKind::word) word(at, at + 1, Meaning::filler, {});
      return at + 1;
    }
    return filler(at);
  }

  // Words without meaning in any sentence.
  std::size_t filler(std::size_t at) {
    const phrases::Match m = library_.vocabulary().match(tokens_, at);
    if (!m.entries || tokens_[at].kind != TextKind::word || at + m.count > end_) return at;
    const auto of = [&](Sort sort) {
      return std::any_of(m.entries->begin(), m.entries->end(), [&](const Entry& e) { return e.sort == sort; });
    };
    if (!of(Sort::filler) || of(Sort::op)) return at;
    word(at, at + m.count, Meaning::filler, {});
    return at + m.count;
  }

  // "t scalar", "scalar t", "alpha is a scalar", "scalars a and b": numbers, not tensors.
  std::size_t scalar(std::size_t at) {
    std::vector<std::string> named;
    std::size_t end = at;
    if (text(at) == "scalar") {
      end = at + 1;
      if (text(end) == "parameter" || text(end) == "value") ++end;
      if (!is_letter(end) && !greek(end)) return at;
      end = names(end, named);
    } else if (is_letter(at) || greek(at)) {
      end = names(at, named);
      while (text(end) == "is" || text(end) == "are" || text(end) == "a" || text(end) == "an") ++end;
      if (text(end) != "scalar" && !(text(end) == "number" && end > at + 1)) return at;
      ++end;
    }
    if (named.empty()) return at;
    for (const std::string& name : named) {
      const auto usual = tables_.scalars.find(name);
      tail_.facts.values.emplace(name, usual == tables_.scalars.end() ? 1.5 : usual->second);
    }
    word(at, end, Meaning::constant,
         phrases::listed(named, " and ") + (named.size() > 1 ? " are numbers" : " is a number"));
    return end;
  }
  // A usual name of a constant: lr, α.
  bool greek(std::size_t i) const {
    return i < end_ && tables_.scalars.count(ascii_lower(plain_name(written(i)))) != 0;
  }

  const Library& library_;
  const Tables& tables_;
  std::string_view sentence_;
  const std::vector<TextToken>& tokens_;
  std::size_t end_;
  Tail& tail_;
  bool matrices_ = false;  // they were spoken of
  std::string last_named_;
};

}  // namespace

void read_tail(const Library& library, const Tables& tables, std::string_view sentence,
               const std::vector<phrases::Token>& tokens, std::size_t from, std::size_t to, Tail& tail) {
  TailReader(library, tables, sentence, tokens, to, tail).run(from);
}

}  // namespace ww::op::formula
