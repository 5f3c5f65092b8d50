// SPDX-License-Identifier: Apache-2.0
// How words between two ops, and the numbers after them, are read: "add 1, then relu", "scan (sum)", "conv2d
// followed by an activation".
#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include "op/sentence/phrasebook_build.h"
#include "op/sentence/phrasebook_rank.h"

namespace ww::op::phrases {
namespace {

using Kind = Item::Kind;

// Words that form an op with the number after them.
struct NumberWord {
  std::string_view text, op, constant;
  char change;  // of the number: - negated, / inverted, space unchanged
  bool behind;  // follows an op ("relu plus 1"), instead of only preceding its number ("add 1")
};
constexpr NumberWord number_words[] = {
    {"add", "add_scalar", "value", ' ', false},
    {"adding", "add_scalar", "value", ' ', false},
    {"subtract", "add_scalar", "value", '-', false},
    {"subtracting", "add_scalar", "value", '-', false},
    {"multiply", "scale", "factor", ' ', false},
    {"multiply by", "scale", "factor", ' ', false},
    {"multiplying", "scale", "factor", ' ', false},
    {"divide", "scale", "factor", '/', false},
    {"dividing", "scale", "factor", '/', false},
    {"plus", "add_scalar", "value", ' ', true},
    {"+", "add_scalar", "value", ' ', true},
    {"minus", "add_scalar", "value", '-', true},
    {"-", "add_scalar", "value", '-', true},
    {"time", "scale", "factor", ' ', true},
    {"*", "scale", "factor", ' ', true},
    {"multiplied", "scale", "factor", ' ', true},
    {"divided", "scale", "factor", '/', true},
    {"/", "scale", "factor", '/', true},
};

class Arithmetic {
 public:
  Arithmetic(const Library& library, std::vector<Item>& items) : library_(library), items_(items) {}

  void run() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].is_value() || items_[i].kind == Kind::filler) continue;
      for (const NumberWord& w : number_words)
        if (items_[i].text == w.text && library_.find(w.op)) read(i, w);
    }
  }

 private:
  bool text_in(std::size_t i, const std::set<std::string>& words) const {
    return i < items_.size() && !items_[i].is_value() && words.count(items_[i].text) != 0;
  }
  bool is_op(std::size_t i) const { return items_[i].kind == Kind::op || items_[i].entry(Sort::op); }

  // The number after the word; none if a significant word separates them.
  std::size_t number_of(std::size_t i, const NumberWord& w) const {
    static const std::set<std::string> signs = {"plus", "minus", "time", "multiply by", "+", "-", "*", "/"};
    static const std::set<std::string> constant = {"a", "the", "constant", "scalar", "number", "value", "of"};
    static const std::set<std::string> thing = {"a",     "the",    "it",     "x",       "this", "that",  "each",
                                                "every", "result", "output", "tensor",  "all",  "input", "vector",
                                                "value", "matrix", "array",  "element", "of",   "entry"};
    std::size_t k = i + 1;
    if (w.constant == "factor" && !signs.count(std::string(w.text))) {  // divide the result by 2
      while (!text_in(k, {"by", "with"}) && text_in(k, thing)) ++k;
      if (!text_in(k, {"by", "with"})) return Item::none;
      ++k;
    }
    while (w.text != "time" && text_in(k, constant)) ++k;
    return k < items_.size() && items_[k].kind == Kind::number && !items_[k].used ? k : Item::none;
  }

  // Whether the number is a value: "add 1024 floats" and "add 2 matrices" do not say what to add.
  bool ends(std::size_t number, const NumberWord& w) const {
    const std::size_t k = number + 1;
    if (k >= items_.size() || items_[k].kind == Kind::comma) return true;
    if (items_[k].kind == Kind::punctuation) return items_[k].text != "=";
    if (items_[k].is_value() || items_[k].entry(Sort::size) || items_[k].entry(Sort::dtype)) return false;
    if (text_in(k, {"from"})) {  // "subtract 1 from softmax" is not "subtract 1, then softmax"
      for (std::size_t n = k + 1; n < items_.size() && items_[n].kind != Kind::comma; ++n)
        if (is_op(n)) return false;
      return w.text == "subtract" || w.text == "subtracting";
    }
    const Entry* axis = items_[k].entry(Sort::axis);  // "add 2 to each element"
    return is_op(k) || items_[k].kind == Kind::connector || items_[k].entry(Sort::connector) ||
           (axis && axis->value == "elements");
  }

  void read(std::size_t i, const NumberWord& w) {
    if (w.behind && (i == 0 || !(items_[i - 1].kind == Kind::comma || is_op(i - 1) ||
                                 (items_[i - 1].entry(Sort::connector) && text_in(i - 1, {"then", "and then"})))))
      return;
    if (!w.behind && i > 0 && is_op(i - 1)) return;  // "floor divide by 2"
    const std::size_t number = number_of(i, w);
    if (number == Item::none || !ends(number, w)) return;
    Item& n = items_[number];
    if (w.change == '/' && n.number == 0) return;
    if (n.spelled && n.number > 1 && n.number <= 10 && w.constant == "value") return;  // "add two"
    if (w.change == '-') n.number = -n.number;
    if (w.change == '/') n.number = 1 / n.number;
    n.kind = Kind::constant;
    n.value = w.constant;
    n.value_at = number;
    n.spelled = false;
    Item& op = items_[i];
    op.kind = Kind::op;
    op.entries = nullptr;
    op.op = static_cast<std::size_t>(library_.find(w.op) - library_.ops().data());
    op.value = w.op;
    for (std::size_t k = i + 1; k < number; ++k) items_[k].kind = Kind::filler;
  }

  const Library& library_;
  std::vector<Item>& items_;
};

bool joins_strongly(const Item& i) {
  if (i.kind != Kind::connector || i.text == ">") return false;
  return i.value == "then" || i.value == "after";
}
// A further operand of the preceding op: "matmul plus a vector" is not a matmul.
bool adds(const Item& i) { return i.kind == Kind::connector && (i.text == "plus" || i.text == "+" || i.text == "&"); }

// The noun for an unnamed op: "followed by an activation".
bool is_unnamed(const Item& i) {
  static const std::set<std::string> nouns = {
      "activation", "activation function", "layer",  "operation", "operator",  "function",
      "op",         "primitive",           "kernel", "routine",   "gpu kernel"};
  return i.kind == Kind::filler && nouns.count(i.text) != 0;
}

// "matmul, activation": no op next to the word.
void ask_about_activation(const std::vector<Item>& items, std::vector<std::string>& out) {
  const Item* word = nullptr;
  bool op = false;
  for (std::size_t i = 0; i <= items.size(); ++i) {
    const bool ends = i == items.size() || items[i].kind == Kind::comma;
    if (ends && word && !op) out.push_back("Which activation is meant by '" + word->written + "'?");
    if (ends) word = nullptr, op = false;
    if (i == items.size()) break;
    if (items[i].kind == Kind::filler && items[i].text.starts_with("activation") && items[i].text != "activations")
      word = &items[i];
    op = op || items[i].kind == Kind::op;
  }
}

bool carries(const Item& i) {
  return i.letter || !(i.kind == Kind::filler || i.kind == Kind::comma || i.kind == Kind::punctuation ||
                       i.kind == Kind::open || i.kind == Kind::connector);
}

// How many tensors an op takes besides its parameters.
std::size_t tensors_of(const LibraryOp& op) {
  static const std::set<std::string> parameters = {"w", "bias", "gamma", "beta", "mean", "var"};
  return static_cast<std::size_t>(std::count_if(op.spec.inputs.begin(), op.spec.inputs.end(),
                                                [&](const Param& p) { return parameters.count(p.name) == 0; }));
}

// "subtract a value": an unspecified number, not a second tensor.
void ask_about_numbers(const std::vector<Item>& items, std::vector<std::string>& out) {
  static const std::set<std::string> ops = {"add", "subtract", "multiply", "elementwise_divide"};
  static const std::set<std::string> numbers = {"value", "constant", "scalar", "number", "constant value"};
  for (std::size_t i = 0; i + 2 < items.size(); ++i) {
    if (items[i].kind != Kind::op || ops.count(items[i].value) == 0) continue;
    const std::size_t noun = items[i + 1].text == "a" || items[i + 1].text == "by" ? i + 2 : i + 1;
    if (numbers.count(items[noun].text) ||
        (items[noun].text == "a" && numbers.count(items[std::min(noun + 1, items.size() - 1)].text)))
      out.push_back("Which number does '" + items[i].written + "' take? Write it, such as '" + items[i].written +
                    " 0.5'.");
  }
}

// "x plus its relu": the same tensor twice; "rnn with relu": the cell's own function?
void ask_about_its(const Library& library, const std::vector<Item>& items, std::vector<std::string>& out) {
  const auto ops = std::count_if(items.begin(), items.end(), [](const Item& i) { return i.kind == Kind::op; });
  for (std::size_t i = 0; i + 1 < items.size() && ops > 1; ++i) {
    if (items[i].written == "its" && items[i + 1].kind == Kind::op)
      out.push_back("Whose '" + items[i + 1].written + "' is meant? Write a formula, such as 'x + softmax(x)'.");
    const bool cell = items[i].kind == Kind::op && library.ops()[items[i].op].family == "recurrence";
    if (cell && items[i + 1].kind == Kind::connector && items[i + 1].text == "with")
      out.push_back("Does what follows 'with' run within '" + items[i].written +
                    "'? Write 'then' if it runs after it.");
  }
}

// "mean plus std": a chain, or the sum of two results?
void ask_about_sums(const Library& library, const std::vector<Item>& items, std::vector<std::string>& out) {
  const auto alone = [&](const Item& i) {
    const LibraryOp& op = library.ops()[i.op];
    return op.spec.inputs.size() == 1 &&
           (op.family == "map" || op.family == "row-reduction" || op.family == "reduction");
  };
  const Item* front = nullptr;
  const Item* plus = nullptr;
  for (const Item& it : items) {
    if (it.kind == Kind::connector) plus = it.text == "plus" ? &it : nullptr;
    if (it.kind != Kind::op) continue;
    if (front && plus && alone(*front) && alone(it) && it.value != "add_scalar")
      out.push_back("Is '" + front->written + " " + plus->written + " " + it.written +
                    "' the sum of the two? Write a formula, such as 'relu(x) + tanh(x)', or join them by 'then'.");
    front = &it;
    plus = nullptr;
  }
}

// "relu of a and tanh of b": a later op with its own tensor.
void ask_about_own_tensors(const Library& library, const std::vector<Item>& items, std::vector<std::string>& out) {
  static const std::set<std::string> nouns = {"matrix", "vector", "tensor", "array"};
  const Item* front = nullptr;
  const auto at = [&](std::size_t i) { return i < items.size() ? &items[i] : nullptr; };
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind != Kind::op) continue;
    const Item *of = at(i + 1), *first = at(i + 2), *noun = at(i + 3);
    const bool inner = i > 0 && items[i - 1].kind == Kind::connector && items[i - 1].value == "of";
    const bool article = i > 1 && items[i - 2].kind == Kind::connector && items[i - 2].value == "of";
    const bool own =
        of && first && (of->text == "of" || of->text == "on") &&
        (first->letter || (noun && (first->text == "a" || first->text == "an") && nouns.count(noun->text)));
    if (front && own && !inner && !article && tensors_of(library.ops()[items[i].op]) == 1)
      out.push_back("Does '" + items[i].written + "' work on what '" + front->written +
                    "' gives? Join them by 'then', or write a formula, such as 'relu(a) + tanh(b)'.");
    front = &items[i];
  }
}

// "double it" and "by one half" do not name an element type.
void read_halves(std::vector<Item>& items) {
  static const std::set<std::string> things = {"it", "x", "each", "every", "them", "all", "the", "a", "this", "that"};
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& it = items[i];
    const auto front = [&](std::size_t back, const char* text) { return i >= back && items[i - back].text == text; };
    const auto factor_of = [&] {  // "half of the rows", "half the sum"
      std::size_t k = i + 1;
      if (k < items.size() && items[k].text == "of") ++k;
      return k < items.size() && things.count(items[k].text) != 0;
    };
    const bool part = it.text == "half" && factor_of();
    const bool twice = it.text == "double" && factor_of();
    const bool half = it.text == "half" && i > 0 &&
                      (items[i - 1].kind == Kind::number || front(1, "by") || (front(1, "a") && front(2, "by")));
    if (twice || half || part) it.entries = nullptr;
  }
}

}  // namespace

void read_arithmetic(const Library& library, std::vector<Item>& items) { Arithmetic(library, items).run(); }

void read_ranges(const Library& library, std::vector<Item>& items) {
  const auto text_in = [&](std::size_t i, const std::set<std::string>& words) {
    return i < items.size() && !items[i].is_value() && words.count(items[i].text) != 0;
  };
  const auto bound = [&](std::size_t i, const char* name) {
    items[i].kind = Kind::constant;
    items[i].value = name;
    items[i].value_at = i;
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Entry* e = items[i].kind == Kind::unknown ? items[i].entry(Sort::op) : nullptr;
    if (!e || directive(library.ops()[e->op].spec, "ask") != "lo, hi") continue;
    std::size_t low = i + 1;
    const auto tensor = [&](std::size_t k) {
      return k < items.size() && !items[k].is_value() &&
             (items[k].text.size() == 1 ? items[k].text[0] >= 'a' && items[k].text[0] <= 'z'
                                        : is_tensor_noun(items[k].text));
    };
    while (text_in(low, {"the", "input"}) || (tensor(low) && !text_in(low + 1, {"x", "by"}))) ++low;
    while (text_in(low, {"to", "into", "range", "between", "from", "value", "in", "within"})) ++low;
    const bool bracket = low > i + 1 && text_in(low, {"["});  // "clamp [512, 1024]" is a shape
    low += bracket ? 1 : 0;
    const std::size_t high = low + 2;
    if (high >= items.size() || items[low].kind != Kind::number || items[high].kind != Kind::number) continue;
    if (!text_in(low + 1, bracket ? std::set<std::string>{",", ".."} : std::set<std::string>{"to", "and", ".."}))
      continue;
    if (items[low].number > items[high].number || text_in(high + 1, {"x", "by", "*"})) continue;
    if (bracket && !text_in(high + 1, {"]"})) continue;
    bound(low, "lo");
    bound(high, "hi");
    items[low + 1].kind = Kind::filler;
    if (bracket) items[low - 1].kind = items[high + 1].kind = Kind::punctuation;
  }
}

void read_squares(const Library& library, std::vector<Item>& items) {
  read_halves(items);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& it = items[i];
    const char* name = it.text == "square" ? "elementwise_square" : it.text == "cube" ? "cube" : nullptr;
    const LibraryOp* op = name && it.kind == Kind::unknown ? library.find(name) : nullptr;
    if (!op || (i > 0 && (items[i - 1].text == "a" || items[i - 1].text == "the"))) continue;
    const bool last = i + 1 == items.size() || items[i + 1].kind == Kind::comma;
    const Entry* e = last ? nullptr : items[i + 1].entry(Sort::connector);
    if (!last && !(e && (e->value == "then" || items[i + 1].text == "and"))) continue;
    it.kind = Kind::op;
    it.entries = nullptr;
    it.op = static_cast<std::size_t>(op - library.ops().data());
    it.value = name;
  }
}

namespace {

// "add the rows of equal index (scatter add)": another op than those in front, with words between.
bool names_another(const std::vector<Item>& items, std::size_t i) {
  if (items[i].kind != Kind::op || items[i - 1].text != "(" || items[i + 1].text != ")") return false;
  if (items[i - 2].kind == Kind::op || items[i - 1].span.begin == items[i - 2].span.end) return false;
  bool other = false;
  for (std::size_t k = 0; k < i; ++k) {
    if (items[k].kind == Kind::op && items[k].op == items[i].op) return false;
    if (items[k].kind == Kind::connector && items[k].value == "then") return false;
    other = other || items[k].kind == Kind::op;
  }
  return other;
}

}  // namespace

void read_brackets(const Library& library, std::vector<Item>& items) {
  for (std::size_t i = 2; i + 1 < items.size(); ++i) {
    Item &op = items[i - 2], &inner = items[i];
    if (names_another(items, i)) inner.bracketed = true;
    if (op.kind != Kind::op || inner.kind != Kind::op || items[i - 1].text != "(" || items[i + 1].text != ")") continue;
    if (items[i - 1].span.begin == op.span.end) continue;  // softmax(matmul)
    const std::size_t space = op.text.find(' ');
    std::vector<std::string> names = {inner.text + " " + op.text, op.text + " " + inner.text};
    if (space != std::string::npos)
      names.push_back(op.text.substr(0, space) + " " + inner.text + op.text.substr(space));
    inner.bracketed = true;
    for (const std::string& name : names) {
      const std::vector<Token> tokens = tokenise(name);
      const Match m = library.vocabulary().match(tokens, 0);
      if (!m.entries || m.count != tokens.size()) continue;
      for (const Entry& e : *m.entries) {
        if (e.sort != Sort::op) continue;
        op.op = e.op;
        op.value = e.value;
        inner.bracketed = false;
        inner.kind = Kind::filler;
        inner.read_as(Meaning::op, "which " + items[i - 2].text + ": the op " + e.value);
        break;
      }
      if (!inner.bracketed) break;
    }
  }
}

// "standardize features: standardize each column": the op before a colon is a title of the one after it.
void read_titles(std::vector<Item>& items) {
  for (std::size_t colon = 1; colon + 1 < items.size(); ++colon) {
    if (items[colon].text != ":" || items[colon].kind != Item::Kind::punctuation) continue;
    Item* front = nullptr;
    Item* behind = nullptr;
    for (std::size_t i = 0; i < colon; ++i)
      if (items[i].kind == Item::Kind::op) front = front ? &items[colon] : &items[i];
    for (std::size_t i = colon + 1; i < items.size() && !behind; ++i)
      if (items[i].kind == Item::Kind::op) behind = &items[i];
    if (!front || !behind || front == &items[colon] || front->op != behind->op) continue;
    front->kind = Item::Kind::filler;
    front->read_as(Meaning::filler, "the op " + behind->value + ", as said behind it");
  }
}

// "add a and": what the last word joins is missing.
static void ask_about_end(const std::vector<Item>& items, std::vector<std::string>& out) {
  static const std::set<std::string> joining = {"and", "or", "with", "of", "by", "from", "then", "plus", "minus"};
  for (auto last = items.rbegin(); last != items.rend(); ++last) {
    if (last->kind == Kind::punctuation || last->kind == Kind::comma) continue;
    if ((last->kind == Kind::filler || last->kind == Kind::connector) && joining.contains(last->text))
      out.push_back("The sentence ends with '" + last->written + "': what should follow it?");
    return;
  }
}

std::vector<std::string> connector_questions(const Library& library, const std::vector<Item>& items) {
  std::vector<std::string> out;
  const auto asks = [&](const Item& i) {
    out.push_back("Which operation does '" + i.written + "' join? There is none on one of its sides.");
  };
  bool front = false, front_op = false;
  ask_about_activation(items, out);
  ask_about_sums(library, items, out);
  ask_about_its(library, items, out);
  ask_about_end(items, out);
  ask_about_numbers(items, out);
  ask_about_own_tensors(library, items, out);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item& it = items[i];
    if (it.bracketed)
      out.push_back("It is not clear what '(" + it.written + ")' says of '" + items[i - 2].written +
                    "'; leave it out, or join the operations by 'then'.");
    if (it.text == ":" && it.kind == Kind::punctuation && front_op && i + 1 < items.size()) {
      bool op = false;
      for (std::size_t k = i + 1; k < items.size() && !op; ++k) op = items[k].kind == Kind::op;
      if (op)
        out.push_back(
            "Is what stands in front of ':' a title of what follows, or done first? Write 'then' if it is "
            "done first.");
    }
    if (it.kind != Kind::connector) {
      front = front || carries(it);
      front_op = front_op || it.kind == Kind::op;
      continue;
    }
    const bool strong = joins_strongly(it), adding = adds(it);
    bool op = false, any = false, unnamed = false;
    for (std::size_t k = i + 1; k < items.size() && !op; ++k) {
      if (items[k].kind == Kind::connector && (strong ? joins_strongly(items[k]) : true)) break;
      if (!strong && items[k].kind == Kind::comma) break;
      op = items[k].kind == Kind::op;
      any = any || carries(items[k]);
      unnamed = unnamed || is_unnamed(items[k]);
    }
    const bool begins = it.value == "after" && std::none_of(items.begin(), items.begin() + static_cast<long>(i),
                                                            [](const Item& x) { return x.kind == Kind::op; });
    if (strong && (!op || (!front && !begins)))
      asks(it);
    else if (!strong && (adding ? !op || !front_op : !any && unnamed))
      asks(it);
    if (strong) front = false;
  }
  return out;
}

bool counts_elements(const Item& number, const std::string& constant) {
  static const std::set<std::string> shares = {"alpha", "slope", "mu",     "beta", "temperature", "lr",    "weight",
                                               "decay", "tau",   "margin", "p",    "smoothing",   "level", "limit"};
  constexpr double fewest = 128;
  const std::string& w = number.written;
  const bool unit = !w.empty() && std::isalpha(static_cast<unsigned char>(w.back())) && !number.spelled;
  const bool power = w.find('^') != std::string::npos || w.find("<<") != std::string::npos;
  const bool whole = number.number == std::floor(number.number);
  return whole && (unit || power || (number.number >= fewest && shares.count(constant) != 0));
}

}  // namespace ww::op::phrases
