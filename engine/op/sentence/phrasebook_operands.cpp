// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include "op/sentence/phrasebook_build.h"
#include "op/sentence/phrasebook_rank.h"

namespace ww::op::phrases {
namespace {

using Kind = Item::Kind;

bool is_matrix_noun(const std::string& word) { return word == "matrix" || word == "matrice"; }

// Two or more tensors of one shape, element by element: add, multiply.
bool is_elementwise(const LibraryOp& op) {
  const Spec& s = op.spec;
  return op.family == "map" && s.inputs.size() == 2 && spreads(s) &&
         s.inputs[0].shape.size() == s.inputs[1].shape.size();
}

// "max of each row, subtract it": the result so far alone, or taken from something, is no second operand.
bool only_it(const std::vector<Item>& items, const Use& u) {
  static const std::set<std::string> others = {"another", "second", "other", "bias", "residual", "mask"};
  std::size_t i = u.item + 1;
  if (i >= items.size() || (items[i].text != "it" && items[i].text != "this" && items[i].text != "that")) return false;
  for (++i; i < items.size() && items[i].kind != Kind::op && items[i].kind != Kind::comma; ++i) {
    if (items[i].text == "from") return true;
    if (items[i].letter || items[i].kind == Kind::unknown || others.count(items[i].text)) return false;
  }
  return true;
}

// "multiply x by its sigmoid", "gemm, multiply, leaky relu": the second operand of the product is not the next op.
void ask_about_operands(const std::vector<Item>& items, const std::vector<Use>& uses, std::vector<std::string>& out) {
  for (const Use& u : uses) {
    if (!is_elementwise(*u.op) || u.op->spec.name.find("residual") != std::string::npos) continue;
    bool operand = false, joined = false;
    std::size_t i = u.item + 1;
    for (; i < items.size() && items[i].kind != Kind::op; ++i) {
      joined = joined || items[i].kind == Kind::connector || items[i].kind == Kind::comma;
      operand = operand || (!joined && items[i].kind != Kind::punctuation);
    }
    const bool another = i < items.size() && !joined && operand;
    const bool none = (!operand || only_it(items, u)) && uses.size() > 1 && &u != &uses[0];
    if (another)
      out.push_back("It is not clear which tensors '" + items[u.item].written + "' takes beside '" + items[i].written +
                    "'; write a formula, such as 'x - mean(x)', or join the operations by 'then'.");
    else if (none)
      out.push_back("What is the second tensor of '" + items[u.item].written +
                    "'? Write 'bias' for one number per column, or 'a second matrix'.");
  }
}

// "a vector and a matrix"
bool joined_nouns(const std::vector<Item>& items) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (items[i].text != "and" && items[i].text != "with") continue;
    std::size_t next = i + 1;
    while (next < items.size() &&
           (items[next].text == "a" || items[next].text == "an" || items[next].text == "another"))
      ++next;
    if (next < items.size() && is_tensor_noun(items[i - 1].text) && is_tensor_noun(items[next].text)) return true;
  }
  return false;
}

// "the outer product of a matrix": the named tensors are not those that the op takes.
void ask_about_nouns(const std::vector<Item>& items, const Use& use, std::vector<std::string>& out) {
  const std::vector<Param>& inputs = use.op->spec.inputs;
  const auto of_rank = [&](std::size_t rank) {
    return static_cast<std::size_t>(
        std::count_if(inputs.begin(), inputs.end(), [&](const Param& p) { return p.shape.size() == rank; }));
  };
  bool matrix = false, vector = false;
  std::size_t vectors = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind != Kind::filler) continue;
    if (i > 1 && items[i - 1].text == "a" && items[i - 2].text == "as") continue;  // the result: "as a vector"
    matrix = matrix || is_matrix_noun(items[i].text);
    if (!is_vector_noun(items[i].text)) continue;
    vector = true;
    vectors = std::max(vectors, i > 0 ? items[i - 1].count : 0);
  }
  const bool rows = std::any_of(items.begin(), items.end(), [](const Item& i) {
    return i.kind == Kind::axis && (i.value == "rows" || i.value == "columns");
  });
  const bool both = vector && (matrix || (rows && inputs.size() > 1)) && of_rank(1) == 0;  // "each row and a vector"
  const bool fits = spreads(use.op->spec) ? !(both && (inputs.size() > 1 || joined_nouns(items)))
                                          : (!vector || of_rank(1) >= std::max<std::size_t>(vectors, 1)) &&
                                                (!matrix || of_rank(1) < inputs.size());
  if (fits) return;
  std::string takes;
  for (const Param& p : inputs)
    takes += (takes.empty() ? "'" : ", '") + p.name + "' of " + std::to_string(p.shape.size()) +
             (p.shape.size() == 1 ? " dimension" : " dimensions");
  out.push_back("The tensors do not fit: " + use.op->spec.name + " takes " + takes + ".");
}

// "matmul of the tanh of a and b": the inner op takes one tensor; it is unclear which op takes the other.
void ask_about_inner(const std::vector<Item>& items, const std::vector<Use>& uses, std::vector<std::string>& out) {
  for (std::size_t k = 0; k + 1 < uses.size(); ++k) {
    std::size_t i = uses[k].item;
    if (uses[k + 1].item > i) continue;  // not "B of A"
    std::vector<std::string> names;
    std::size_t count = 0;
    for (++i; i < items.size() && items[i].kind != Kind::op; ++i) {
      count = std::max(count, items[i].count);
      if (items[i].letter && std::find(names.begin(), names.end(), items[i].written) == names.end())
        names.push_back(items[i].written);
    }
    if (std::max(count, names.size()) <= uses[k].op->spec.inputs.size()) continue;
    out.push_back("It is not clear which tensors '" + items[uses[k].item].written + "' takes and which '" +
                  items[uses[k + 1].item].written + "'; write a formula, such as 'tanh(a) @ b'.");
  }
}

// "multiply two matrices, then tanh": the name alone may mean another op on such operands.
void ask_about_unclear(const std::vector<Item>& items, const Use& use, std::vector<std::string>& out) {
  const std::string given = directive(use.op->spec, "unclear");
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || items[use.item].text != use.op->spec.name) return;
  const std::vector<std::string> nouns = split_list(given.substr(0, equals));
  for (std::size_t k = use.item + 1; k < items.size(); ++k) {
    if (items[k].kind == Kind::comma || items[k].kind == Kind::connector || items[k].kind == Kind::op) return;
    if (std::find(nouns.begin(), nouns.end(), items[k].text) == nouns.end()) continue;
    out.push_back("'" + items[use.item].written + "' of '" + items[k].written + "' is not clear; write" +
                  given.substr(equals + 1) + ".");
    return;
  }
}

// "softmax scaled by 2": its input or its result?
void ask_about_scaled(const std::vector<Item>& items, const std::vector<Use>& uses, std::vector<std::string>& out) {
  for (std::size_t k = 1; k < uses.size(); ++k) {
    if (items[uses[k].item].text != "scaled" || uses[k - 1].op->family != "normalization") continue;
    const std::string& name = uses[k - 1].op->spec.name;
    out.push_back("Is the input of " + name + " scaled, or its result? Write '" + name + "(2 * x)' or '2 * " + name +
                  "(x)' with the factor that is meant.");
  }
}

// "layernorm of x plus residual": is the sum normalised, or the residual added to the result?
void ask_about_addend(const std::vector<Item>& items, const std::vector<Use>& uses, std::vector<std::string>& out) {
  for (std::size_t k = 1; k < uses.size(); ++k) {
    const std::string& name = uses[k].op->spec.name;
    if ((name != "residual_add" && name != "bias_add") || uses[k].item < uses[k - 1].item) continue;
    const auto begin = items.begin() + static_cast<std::ptrdiff_t>(uses[k - 1].item) + 1;
    const auto end = items.begin() + static_cast<std::ptrdiff_t>(uses[k].item);
    const bool of = begin != end && begin->text == "of";
    const bool plus = begin != end && ((end - 1)->text == "plus" || (end - 1)->text == "+" ||
                                       end->text.starts_with("plus") || end->text.starts_with("+"));
    const auto joined = [](const Item& i) { return i.kind == Kind::comma || i.value == "then"; };
    const bool letter = std::any_of(begin, end, [](const Item& i) { return i.letter; });
    if (!of || !plus || !letter || std::any_of(begin, end, joined)) continue;
    const std::string& op = uses[k - 1].op->spec.name;
    out.push_back("Is " + op + " meant of the sum, or is something added to its result? Write 'x + y, then " + op +
                  "' or '" + op + "(x) + y'.");
  }
}

// "multiply x": an op of two tensors alike, of which the sentence names one.
void ask_about_other(const std::vector<Item>& items, const Use& use, const std::vector<std::string>& names,
                     std::vector<std::string>& out) {
  const std::vector<Param>& inputs = use.op->spec.inputs;
  const bool alike = inputs.size() == 2 && inputs[0].name == "a" && inputs[1].name == "b";
  const bool more = std::any_of(items.begin(), items.end(), [&](const Item& i) {
    return i.count > 0 || i.kind == Item::Kind::connector || i.text == "and" || is_tensor_noun(i.text);
  });
  const bool before =
      std::any_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(use.item),
                  [](const Item& i) { return i.text.size() == 1 && i.text[0] >= 'a' && i.text[0] <= 'z'; });
  const bool behind = use.item + 1 < items.size() && std::any_of(items.begin() + static_cast<std::ptrdiff_t>(use.item),
                                                                 items.end(), [](const Item& i) { return i.letter; });
  if (alike && names.size() == 1 && behind && !before && !more)
    out.push_back(use.op->spec.name + " takes two tensors; the sentence names '" + names[0] + "' alone.");
}

// "no bias" only applies to an op that has one.
void ask_about_bias(const std::vector<Item>& items, const std::vector<Use>& uses, std::vector<std::string>& out) {
  const bool none = std::any_of(items.begin(), items.end(), [](const Item& i) {
    return i.kind == Kind::filler && (i.text.ends_with(" " + fold("bias")) || i.text == fold("bias") + " free");
  });
  if (!none) return;
  for (const Use& u : uses)
    for (const Param& p : u.op->spec.inputs)
      if (p.name.starts_with("bias") || p.name == "beta")
        out.push_back(u.op->spec.name + " has a bias; write the op without one.");
}

}  // namespace

std::vector<std::string> operand_questions(const std::vector<Item>& items, const std::vector<Use>& uses) {
  std::vector<std::string> out, names;
  std::size_t most = 0, all = 1;  // all: inputs of the whole chain
  bool equals = false;
  for (const Use& u : uses) {
    most = std::max(most, u.op->spec.inputs.size());
    all += u.op->spec.inputs.size() - std::min<std::size_t>(u.op->spec.inputs.size(), 1);
  }
  const Spec& first = uses[0].op->spec;
  const std::string takes = first.name + " takes " + std::to_string(first.inputs.size()) +
                            (first.inputs.size() == 1 ? " tensor" : " tensors");
  for (const Item& it : items) {
    equals = equals || it.text == "=";
    if (it.letter && std::find(names.begin(), names.end(), it.written) == names.end()) names.push_back(it.written);
    if (it.count == 0) continue;
    const bool fits =
        std::any_of(uses.begin(), uses.end(), [&](const Use& u) { return u.op->spec.inputs.size() == it.count; });
    if (!fits) out.push_back("'" + it.written + "' does not fit: " + takes + ".");
  }
  if (names.size() > all + (equals ? 1 : 0))
    out.push_back("The sentence names " + std::to_string(names.size()) + " tensors, but " +
                  (uses.size() == 1 ? takes : "the ops take " + std::to_string(all)) + ".");
  if (uses.size() == 1) ask_about_other(items, uses[0], names, out);
  ask_about_operands(items, uses, out);
  ask_about_inner(items, uses, out);
  if (most == 1 && joined_nouns(items)) out.push_back("The sentence names two tensors, but " + takes + ".");
  if (uses.size() == 1) ask_about_nouns(items, uses[0], out);
  for (const Use& u : uses) ask_about_unclear(items, u, out);
  ask_about_scaled(items, uses, out);
  ask_about_addend(items, uses, out);
  ask_about_bias(items, uses, out);
  for (std::size_t k = 0; k + 1 < uses.size(); ++k) {
    const auto [a, b] = std::minmax(uses[k].item, uses[k + 1].item);
    const bool beside =
        std::all_of(items.begin() + static_cast<std::ptrdiff_t>(a) + 1, items.begin() + static_cast<std::ptrdiff_t>(b),
                    [](const Item& i) { return i.kind == Item::Kind::filler; });
    if (beside && uses[k].op == uses[k + 1].op && !items[b].underscored)
      out.push_back("'" + uses[k].op->spec.name + "' is written twice; join the ops by 'then' if both are meant.");
  }
  return out;
}

}  // namespace ww::op::phrases
