// SPDX-License-Identifier: Apache-2.0
// Ambiguities of a chain of ops: which op a tensor belongs to, where a bias goes, what a factor scales.
#include <algorithm>
#include <optional>
#include <set>
#include "op/agreement.h"
#include "op/sentence/phrasebook_build.h"
#include "op/sentence/phrasebook_rank.h"
#include "op/transform.h"

namespace ww::op::phrases {
namespace {

using Kind = Item::Kind;

// The part of the sentence between two ops, in sentence order.
struct Between {
  std::size_t from = 0, to = 0;
};
Between between(const Use& a, const Use& b) {
  const auto [first, last] = std::minmax(a.item, b.item);
  return {first + 1, last};
}

// "sin x cos x", "sin x - cos x", "sin x and cos x": two calls on different tensors. Returns what separates them.
std::optional<std::string> between_calls(const std::vector<Item>& items, const Between& b) {
  if (b.from >= b.to || !items[b.from].letter || b.to + 1 >= items.size() || !items[b.to + 1].letter)
    return std::nullopt;
  std::string sign;
  for (std::size_t i = b.from; i < b.to; ++i) {
    const Item& it = items[i];
    if (it.letter || it.text == "the" || it.text == "a") continue;
    if (it.kind == Kind::connector && (it.value == "then" || it.value == "after" || it.value == "of"))
      return std::nullopt;
    if (it.kind != Kind::connector && it.kind != Kind::comma && it.kind != Kind::punctuation) return std::nullopt;
    sign = it.written;
  }
  return sign;
}

void ask_about_calls(const std::string& sign, const std::string& first, const std::string& second,
                     std::vector<std::string>& out) {
  if (sign.empty())
    out.push_back("Is '" + first + "' times '" + second +
                  "' meant? Write '*' for the product, or join them by 'then'.");
  else
    out.push_back("Does '" + sign + "' join the results of '" + first + "' and '" + second +
                  "'? Write a formula, such as 'sin(x) + cos(x)', or 'then' for one after the other.");
}

// "max of x - min of x": not a dash.
bool has_minus(const std::vector<Item>& items, const Between& b) {
  for (std::size_t i = b.from + 1; i < b.to; ++i)
    if (items[i].text == "-" && items[i - 1].letter) return true;
  return false;
}

// "gelu with tanh": a library op of this name computes something other than the chain.
const LibraryOp* variant_named(const Library& library, const Use& a, const Use& b) {
  const LibraryOp* found = library.find(a.op->spec.name + "_" + b.op->spec.name);
  if (!found) return nullptr;
  const auto both = compose(a.op->spec, b.op->spec);
  const Agreement same = both ? agreement(found->spec, *both) : Agreement::unknown;
  return same == Agreement::different || same == Agreement::untried ? found : nullptr;
}

// A word or a comma indicates an order.
bool is_ordered(const std::vector<Item>& items, const Between& b) {
  return std::any_of(items.begin() + static_cast<std::ptrdiff_t>(b.from),
                     items.begin() + static_cast<std::ptrdiff_t>(b.to), [](const Item& it) {
                       return it.kind == Kind::comma ||
                              (it.kind == Kind::connector && (it.value == "then" || it.value == "after"));
                     });
}

// "with relu and bias" is a list; "then", "after" and a comma indicate an order.
bool is_list(const std::vector<Item>& items, const Between& b) {
  bool list = false;
  for (std::size_t i = b.from; i < b.to; ++i) {
    const Item& it = items[i];
    if (it.kind == Kind::comma || (it.kind == Kind::connector && (it.value == "then" || it.value == "after")))
      return false;
    list = list || (it.kind == Kind::connector && it.value == "and" && it.text != "+");
  }
  return list;
}

// "average of x and y, then relu": the first op takes one tensor.
void ask_about_names(const std::vector<Item>& items, const Use& first, std::vector<std::string>& out) {
  std::set<std::string> names;
  for (std::size_t i = first.item + 1; i < items.size(); ++i) {
    const Item& it = items[i];
    if (it.kind == Kind::op || it.kind == Kind::comma || (it.kind == Kind::connector && it.value == "then")) break;
    if (it.letter) names.insert(it.written);
  }
  const std::size_t takes = first.op->spec.inputs.size();
  if (names.size() <= takes) return;
  out.push_back("'" + items[first.item].written + "' is given " + std::to_string(names.size()) +
                " tensors, but takes " + std::to_string(takes) + "; write a formula.");
}

// "matmul with relu on the inputs": not on the result of the preceding op.
void ask_about_inputs(const std::vector<Item>& items, const Use& use, std::vector<std::string>& out) {
  static const std::set<std::string> links = {"on", "to", "of", "for", "the", "its", "both", "all"};
  static const std::set<std::string> inputs = {"input", "operand", "argument", "weight"};
  std::size_t i = use.item + 1;
  while (i < items.size() && items[i].kind != Kind::op && links.count(items[i].text)) ++i;
  if (i > use.item + 1 && i < items.size() && inputs.count(items[i].text))
    out.push_back("Does '" + items[use.item].written +
                  "' come before the other operation, on its inputs? Write it first, or a formula, such as 'relu(a) @ "
                  "relu(b)'.");
}

void ask_about_pair(const Library& library, const std::vector<Item>& items, const Use& a, const Use& b, bool begins,
                    std::vector<std::string>& out) {
  const Between stretch = between(a, b);
  const std::string &first = items[a.item].written, &second = items[b.item].written;
  const bool list = is_list(items, stretch);
  if (const auto sign = b.item > a.item ? between_calls(items, stretch) : std::nullopt)
    ask_about_calls(*sign, first, second, out);
  else if (has_minus(items, stretch))
    ask_about_calls("-", first, second, out);
  const bool beside = b.item > a.item && !is_ordered(items, stretch);
  if (beside && a.op->family == "attention" && b.op->spec.name == "softmax")
    out.push_back("'" + first + "' has a softmax of its own; write 'then' for another of its result.");
  if (const LibraryOp* other = beside && list ? variant_named(library, a, b) : nullptr)
    out.push_back("Is the op " + other->spec.name + " meant, or '" + second + "' of what '" + first +
                  "' gives? Write the op's name, or 'then'.");
  const auto& inputs = a.op->spec.inputs;
  const bool own_scale = std::any_of(inputs.begin(), inputs.end(), [](const Param& p) { return p.name == "scale"; });
  if (own_scale && b.op->spec.name == "scale" && beside && list)
    out.push_back("Is '" + second + "' the scale of '" + first +
                  "', or a factor of its result? Write 'then' for that.");
  if (a.op->family == "attention" && b.op->spec.name == "scale" && (list || beside))
    out.push_back("Does '" + second + "' scale the scores of " + a.op->spec.name +
                  " or its result? Write 'then' for the result; the scores are divided by the root of the head size.");
  if (a.op->family == "map" && a.op->spec.inputs.size() == 1 && b.op->spec.name.starts_with("bias_add") && list)
    out.push_back("Is the bias added before or after '" + first + "'? " +
                  (begins ? "Write 'bias " + first + "' or '" + first + " then bias'."
                          : "Write 'then bias then " + first + "' or 'then " + first + " then bias'."));
  const std::string part = directive(a.op->spec, "part");
  if (!part.empty() && b.op->family == "map")
    out.push_back("Is the result " + part + " alone, or the whole tensor with " + part + " changed? Write 'then' for " +
                  part + " alone, and a formula with indices for the other.");
}

}  // namespace

std::vector<std::string> chain_questions(const Library& library, const std::vector<Item>& items,
                                         const std::vector<Use>& uses) {
  std::vector<std::string> out;
  if (uses.size() < 2) return out;
  if (uses[1].item > uses[0].item) ask_about_names(items, uses[0], out);
  for (std::size_t k = 1; k < uses.size(); ++k)
    if (uses[k].item > uses[0].item) ask_about_inputs(items, uses[k], out);
  for (std::size_t k = 0; k + 1 < uses.size(); ++k) {
    const bool then = [&] {
      const Between b = between(uses[k], uses[k + 1]);
      for (std::size_t i = b.from; i < b.to; ++i)
        if (items[i].kind == Kind::connector && items[i].value == "then") return true;
      return false;
    }();
    if (!then) ask_about_pair(library, items, uses[k], uses[k + 1], k == 0, out);
  }
  return out;
}

}  // namespace ww::op::phrases
