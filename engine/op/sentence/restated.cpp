// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/restated.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <vector>
#include "base/ascii.h"
#include "base/name_chars.h"
#include "op/agreement.h"
#include "op/formula/reading.h"
#include "op/parse.h"
#include "op/sentence/phrasebook_words.h"
#include "op/sentence/rewriting.h"
#include "op/transform.h"

namespace ww::op {
namespace {

// One read of a tensor: x[i-1, j], u_{i+1}, x[i][j].
struct Read {
  std::size_t begin = 0, end = 0;
  bool below = false;  // with an underscore
  std::string name;
  std::vector<std::string> subscripts;
};

// The text between brackets at `open`, and where it ends.
std::optional<std::string> bracketed(std::string_view text, std::size_t open, std::size_t& end) {
  const char close = text[open] == '[' ? ']' : '}';
  const std::size_t at = text.find(close, open);
  if (at == std::string_view::npos) return std::nullopt;
  end = at + 1;
  return std::string(text.substr(open + 1, at - open - 1));
}

std::vector<Read> reads_in(std::string_view text) {
  std::vector<Read> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!letter(text[i]) || (i > 0 && (letter(text[i - 1]) || text[i - 1] == '_'))) continue;
    std::size_t end = i;
    while (end < text.size() && (letter(text[end]) || digit(text[end]))) ++end;
    Read read{i, end, false, std::string(text.substr(i, end - i)), {}};
    if (end + 1 < text.size() && text[end] == '_') {
      read.below = true;
      if (text[end + 1] == '{') {
        if (auto inner = bracketed(text, end + 1, read.end)) read.subscripts = phrases::split_list(*inner, ',');
      } else if (letter(text[end + 1]) && !(end + 2 < text.size() && in_name(text[end + 2]))) {
        read.subscripts = {std::string(1, text[end + 1])};
        read.end = end + 2;
      }
    }
    while (!read.below && read.end < text.size() && text[read.end] == '[') {
      const auto inner = bracketed(text, read.end, read.end);
      if (!inner) break;
      for (const std::string& s : phrases::split_list(*inner, ',')) read.subscripts.push_back(s);
    }
    if (!read.subscripts.empty()) {
      out.push_back(read);
      i = read.end - 1;
    }
  }
  return out;
}

// "i", "i-1" and "2*i + k" alone: the index of i-1; nothing where it is no letter with a number.
std::optional<char> index_of(std::string subscript, bool& shifted) {
  std::erase(subscript, ' ');
  if (subscript.empty() || !std::islower(static_cast<unsigned char>(subscript[0]))) return std::nullopt;
  if (subscript.size() == 1) return subscript[0];
  const bool sign = subscript[1] == '+' || subscript[1] == '-';
  if (!sign || subscript.size() < 3 || !std::all_of(subscript.begin() + 2, subscript.end(), digit)) return std::nullopt;
  shifted = true;
  return subscript[0];
}

// Where the expression with a read at `at` begins: behind the last word that is no function.
std::size_t beginning(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 9> functions = {"abs",  "sqrt", "exp", "log", "max",
                                                                "tanh", "min",  "sin", "cos"};
  std::size_t begin = at;
  while (begin > 0) {
    const char c = text[begin - 1];
    std::size_t word = begin;
    while (word > 0 && letter(text[word - 1])) --word;
    const std::string_view name = text.substr(word, begin - word);
    if (!name.empty() && std::find(functions.begin(), functions.end(), name) == functions.end()) break;
    if (name.empty() && !digit(c) && std::string_view(" .+-*/(|").find(c) == std::string_view::npos) break;
    begin = name.empty() ? begin - 1 : word;
  }
  while (begin < at && (text[begin] == ' ' || text[begin] == '.' || text[begin] == ')')) ++begin;
  return begin;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !letter(text[at - 1])) && (end >= text.size() || !letter(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::optional<Edited> with_left_side(std::string_view sentence) {
  const std::vector<Read> reads = reads_in(sentence);
  if (reads.empty() || sentence.find("Σ") != std::string_view::npos) return std::nullopt;
  for (const std::string_view bound : {"sum", "prod", "for", "argmax", "argmin"})
    if (has_word(sentence, bound)) return std::nullopt;
  const std::size_t equals = sentence.find('=');
  if (equals < reads.back().end) return std::nullopt;
  bool shifted = false;
  std::vector<char> indices;
  for (const Read& r : reads) {
    if (r.below != reads[0].below) return std::nullopt;
    for (const std::string& s : r.subscripts) {
      const auto index = index_of(s, shifted);
      if (!index) return std::nullopt;
      if (std::find(indices.begin(), indices.end(), *index) == indices.end()) indices.push_back(*index);
    }
  }
  if (!shifted) return std::nullopt;
  std::string left = "y";
  for (const char* name : {"y", "z", "out"}) {
    left = name;
    if (std::none_of(reads.begin(), reads.end(), [&](const Read& r) { return r.name == left; })) break;
  }
  left += reads[0].below ? "_{" : "[";
  for (const char index : indices) left += std::string(index == indices[0] ? "" : ", ") + index;
  left += reads[0].below ? "} = " : "] = ";
  const std::size_t begin = beginning(sentence, reads[0].begin);
  return Edited(sentence, {{{begin, begin}, left, {}}});
}

namespace {

struct Call {
  Span span;
  Spec spec;
  const LibraryOp* op = nullptr;
};

// The spec with the sizes and constants of the op: what else differs is not said by them.
bool is_op_with_other_sizes(const Spec& spec, const Spec& op) {
  std::map<std::string, double> constants;
  for (const Constant& c : op.constants) {
    const std::string value = print(*c.value);
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (end == value.c_str() + value.size()) constants[c.name] = number;
  }
  auto same = with_defaults(spec, op.defaults), own = with_defaults(op, op.defaults);
  if (same && !constants.empty()) same = with_constants(*same, constants);
  if (own && !constants.empty()) own = with_constants(*own, constants);
  if (!same || !own) return false;
  same->directives.clear();
  own->directives.clear();
  return print(*same) == print(*own);
}

// Whether a tensor is named in the arguments: words elsewhere may speak of it.
bool has_operand(std::string_view arguments) {
  for (std::size_t i = 0; i < arguments.size();) {
    std::size_t end = i;
    while (end < arguments.size() && in_name(arguments[end])) ++end;
    const std::string_view name = arguments.substr(i, end - i);
    const std::size_t behind = arguments.find_first_not_of(' ', end);
    const bool value = name == "True" || name == "False" || name == "None";
    const bool quoted = i > 0 && (arguments[i - 1] == '\'' || arguments[i - 1] == '"');
    if (!name.empty() && !digit(name[0]) && !value && !quoted && arguments[behind] != '=') return true;
    i = name.empty() ? i + 1 : end;
  }
  return false;
}

// A call of an op of the library that stands alone between words.
std::optional<Call> call_in(const Library& library, std::string_view sentence) {
  const std::size_t open = sentence.find('(');
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  std::size_t begin = open, end = open;
  while (begin > 0 && (in_name(sentence[begin - 1]) || sentence[begin - 1] == '.')) --begin;
  int depth = 0;
  do {
    depth += sentence[end] == '(' ? 1 : sentence[end] == ')' ? -1 : 0;
    ++end;
  } while (depth > 0 && end < sentence.size());
  if (depth != 0 || begin == open || begin + 4 > open) return std::nullopt;
  const std::size_t behind = sentence.find_first_not_of(' ', end);
  if (behind == std::string_view::npos ||
      std::string_view(".*+@/-^=|[").find(sentence[behind]) != std::string_view::npos)
    return std::nullopt;
  const std::size_t before = begin == 0 ? std::string_view::npos : sentence.find_last_not_of(' ', begin - 1);
  if (before != std::string_view::npos &&
      std::string_view("*+@/-^=|(").find(sentence[before]) != std::string_view::npos)
    return std::nullopt;
  if (has_operand(sentence.substr(open, end - open))) return std::nullopt;
  auto reading = formula::read_formula(library, sentence.substr(begin, end - begin));
  if (!reading || !reading->lowered.spec || !reading->unknown.empty()) return std::nullopt;
  Call out{{begin, end}, std::move(*reading->lowered.spec), nullptr};
  out.op = library.find(out.spec.name);
  if (!out.op || !is_op_with_other_sizes(out.spec, out.op->spec)) return std::nullopt;
  return out;
}

// "linear with K = 512, N = 10"
std::string in_words(const Call& call) {
  const Spec& op = call.op->spec;
  std::string given;
  const auto add = [&](const std::string& name, const std::string& value) {
    given += (given.empty() ? " with " : ", ") + name + " = " + value;
  };
  for (const auto& [name, value] : call.spec.defaults)
    if (const auto own = op.defaults.find(name); own == op.defaults.end() || own->second != value)
      add(name, std::to_string(value));
  for (std::size_t i = 0; i < op.constants.size(); ++i)
    if (const std::string value = print(*call.spec.constants[i].value); value != print(*op.constants[i].value))
      add(op.constants[i].name, value);
  return op.name + given;
}

// Whether each size that the call gives is still in the result.
bool keeps(const Call& call, std::string_view sentence, const Spec& result) {
  const std::string_view text = sentence.substr(call.span.begin, call.span.end - call.span.begin);
  const std::vector<phrases::Token> tokens = phrases::tokenise(text);
  for (const auto& [name, value] : call.spec.defaults) {
    const auto now = result.defaults.find(name);
    if (now != result.defaults.end() && now->second == value) continue;
    const bool given = std::any_of(tokens.begin(), tokens.end(), [&, v = value](const phrases::Token& t) {
      return t.kind == phrases::Token::Kind::number && t.number == static_cast<double>(v);
    });
    const bool elsewhere =
        std::any_of(call.spec.defaults.begin(), call.spec.defaults.end(), [&, v = value](const auto& d) {
          const auto at = result.defaults.find(d.first);
          return d.second == v && at != result.defaults.end() && at->second == v;
        });
    const bool constant =
        std::any_of(call.spec.constants.begin(), call.spec.constants.end(),
                    [&, v = value](const Constant& c) { return print(*c.value) == std::to_string(v); });
    if (given && !elsewhere && !constant) return false;
  }
  return true;
}

}  // namespace

std::optional<FramedReading> read_call_in_words(const Library& library, std::string_view sentence,
                                                const std::function<Understanding(const std::string&)>& read) {
  const std::optional<Call> call = call_in(library, sentence);
  if (!call) return std::nullopt;
  FramedReading out;
  out.edits.push_back(Edited(sentence, {{call->span, in_words(*call), {}}}));
  out.understanding = read(out.edits.back().text());
  if (!out.understanding.spec)
    if (auto other = rewritten(library, out.edits.back().text())) {
      out.understanding = read(other->text());
      out.edits.push_back(std::move(*other));
    }
  const auto& spec = out.understanding.spec;
  if (!spec || spec->name != call->op->spec.name || !keeps(*call, sentence, *spec)) return std::nullopt;
  return out;
}

std::optional<FramedReading> read_twice_said(std::string_view sentence,
                                             const std::function<Understanding(const std::string&)>& read) {
  constexpr std::size_t longest = 300;
  static constexpr std::string_view joints[] = {
      "i.e.", "i. e.",  "ie.",          "that is,", "that is to say,", "in other words,", "in other words:",
      "aka",  "a.k.a.", "also known as"};
  if (sentence.size() > longest) return std::nullopt;
  for (const std::string_view joint : joints) {
    const std::size_t at = sentence.find(joint);
    if (at == std::string_view::npos || at == 0 || (sentence[at - 1] != ' ' && sentence[at - 1] != '(')) continue;
    const std::size_t end = sentence.find_last_not_of(" ,;(", at - 1);
    std::size_t begin = sentence.find_first_not_of(" ,", at + joint.size());
    if (end == std::string_view::npos || begin == std::string_view::npos) return std::nullopt;
    std::string second(sentence.substr(begin));
    if (sentence[at - 1] == '(' && second.ends_with(')')) second.pop_back();
    Edited first(sentence, {{{end + 1, sentence.size()}, {}, "the same in other words"}});
    Understanding out = read(first.text()), again = read(second);
    if (!out.spec || !again.spec || agreement(*out.spec, *again.spec) != Agreement::same) return std::nullopt;
    return FramedReading{std::move(out), {std::move(first)}};
  }
  return std::nullopt;
}

}  // namespace ww::op
