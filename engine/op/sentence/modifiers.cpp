// SPDX-License-Identifier: Apache-2.0
// Words that say which variant of an op is meant ("attention, causal", "layer norm over the last dim without affine
// parameters"), and words for the inputs of an op ("with weight and bias").
#include <algorithm>
#include <set>
#include "base/ascii.h"
#include "op/sentence/phrasebook_rank.h"
#include "op/sentence/phrasebook_sentence.h"

namespace ww::op::phrases {
namespace {

using Kind = Item::Kind;

class Modifiers {
 public:
  Modifiers(const Library& library, std::vector<Item>& items) : library_(library), items_(items) {}

  void run() {
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].kind == Kind::op) variants(i);
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].kind == Kind::op) inputs(i);
    const bool loss = std::any_of(items_.begin(), items_.end(), [&](const Item& i) {
      return i.kind == Kind::op && library_.ops()[i.op].family == "loss";
    });
    if (loss) reductions();
    names_of_shapes();
    said_twice();
  }

 private:
  // The end of the items from `at` whose words are these; `at` if there are none.
  std::size_t words_at(std::size_t at, std::string_view words) const {
    for (std::size_t i = at; i < items_.size(); ++i) {
      if ((items_[i].is_value() && !items_[i].spelled) || items_[i].used) return at;
      if (items_[i].text == "the" || items_[i].text == "a" || items_[i].text == "any") {
        if (i == at) return at;
        continue;
      }
      if (!words.starts_with(items_[i].text)) return at;
      words.remove_prefix(items_[i].text.size());
      if (words.empty()) return i + 1;
      if (words.front() != ' ') return at;
      words.remove_prefix(1);
    }
    return at;
  }

  // The longest phrase that turns this op into another one.
  void variants(std::size_t op) {
    const OpVariant* variant = nullptr;
    std::size_t from = 0, to = 0;
    for (const OpVariant& v : library_.ops()[items_[op].op].variants)
      for (std::size_t i = 0; i < items_.size(); ++i) {
        const std::size_t end = i == op ? i : words_at(i, v.words);
        if (end - i <= to - from || (op > i && op < end)) continue;
        variant = &v;
        from = i;
        to = end;
      }
    if (!variant) return;
    const LibraryOp* found = &library_.ops()[variant->op];
    items_[op].op = variant->op;
    items_[op].value = found->spec.name;
    const bool constant = items_[to - 1].entry(Sort::constant) && valued(to);  // "label smoothing 0.1"
    for (std::size_t k = from; k < to - (constant ? 1 : 0); ++k) take(k, Meaning::op, "the op " + found->spec.name);
    if (constant) items_[to - 1].kind = Kind::unknown;
    variants(op);  // it may have variants of its own
  }

  // "weight 512x512", "bias (128)": names of tensors next to their shapes.
  void names_of_shapes() {
    for (std::size_t i = 0; i + 1 < items_.size(); ++i) {
      const bool shape = items_[i + 1].kind == Kind::shape ||
                         (is(i + 1, {":"}) && i + 2 < items_.size() && items_[i + 2].kind == Kind::shape);
      if (items_[i].kind != Kind::unknown || !shape) continue;
      for (const auto& [input, words] : library_.vocabulary().tables().inputs)
        if (std::find(words.begin(), words.end(), items_[i].text) != words.end()) {
          take(i, Meaning::filler, "the tensor of this shape");
          break;
        }
    }
  }

  // "dilated conv1d with dilation 4": the number decides.
  void said_twice() {
    static constexpr std::pair<std::string_view, std::string_view> pairs[] = {
        {"dilated", "dilation"}, {"strided", "stride"}, {"padded", "padding"}, {"grouped", "group"}};
    for (std::size_t i = 0; i < items_.size(); ++i)
      for (const auto& [word, size] : pairs)
        if (items_[i].kind == Kind::unknown && !items_[i].entries && items_[i].text == word &&
            std::any_of(items_.begin(), items_.end(), [&, name = size](const Item& it) { return it.text == name; }))
          take(i, Meaning::filler, "with the " + std::string(size) + " that is given");
  }

  bool is(std::size_t i, std::initializer_list<std::string_view> words) const {
    return i < items_.size() && std::find(words.begin(), words.end(), items_[i].text) != words.end();
  }

  // "reduction='sum'", "sum reduction", "without reduction".
  void reductions() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!is(i, {"reduction"})) continue;
      std::size_t from = i, to = i + 1;
      while (is(to, {"=", ":", "'", "\"", "is"})) ++to;
      std::string how;
      if (is(to, {"sum", "none", "mean"})) how = items_[to].text;
      if (!how.empty()) {
        ++to;
        while (is(to, {"'", "\""})) ++to;
      } else if (i > 0 && is(i - 1, {"sum", "mean", "no", "without", "none"})) {
        how = is(i - 1, {"sum", "mean"}) ? items_[i - 1].text : "none";
        from = i - 1;
        to = i + 1;
        if (from > 0 && is(from - 1, {"with", "using"})) --from;
      }
      if (how.empty()) continue;
      for (std::size_t k = from; k < to; ++k) take(k, Meaning::constant, "reduction " + how);
      items_[from].reduction = true;
      items_[from].value = how;
    }
  }

  void take(std::size_t i, Meaning meaning, std::string reading) {
    items_[i].kind = Kind::filler;
    items_[i].entries = nullptr;
    items_[i].used = true;
    items_[i].read_as(meaning, std::move(reading));
  }

  // Words for the op's inputs up to the next op; a word that may be an op ("bias") only next to another such word.
  void inputs(std::size_t op) {
    const Spec& spec = library_.ops()[items_[op].op].spec;
    const auto& words = library_.vocabulary().tables().inputs;
    bool beside = false;  // directly after the words of another input
    for (std::size_t i = 0; i < items_.size();) {
      std::size_t end = i;
      std::string input;
      for (const Param& p : spec.inputs) {
        const auto known = words.find(p.name);
        if (known == words.end()) continue;
        for (const std::string& w : known->second)
          if (const std::size_t to = words_at(i, w); to > end) end = to, input = p.name;
      }
      const bool link = end == i && (items_[i].text == "and" || items_[i].text == "," || items_[i].text == "plus");
      if (end == i || i == op || (op > i && op < end)) {
        beside = beside && link;
        ++i;
        continue;
      }
      const bool is_op = std::any_of(items_.begin() + static_cast<std::ptrdiff_t>(i),
                                     items_.begin() + static_cast<std::ptrdiff_t>(end),
                                     [](const Item& it) { return it.kind == Kind::op; });
      const bool known = !is_op && items_[i].kind != Kind::unknown;
      const bool sized = std::any_of(items_.begin() + static_cast<std::ptrdiff_t>(i),
                                     items_.begin() + static_cast<std::ptrdiff_t>(end),
                                     [](const Item& it) { return it.value_at != Item::none || it.entry(Sort::size); });
      if (known || sized || (is_op && !beside && end == i + 1) || valued(end)) {
        beside = false;
        i = end;
        continue;
      }
      if (is_op && i > 0 && (items_[i - 1].text == "and" || items_[i - 1].text == "with"))
        take(i - 1, Meaning::filler, {});
      for (std::size_t k = i; k < end; ++k) take(k, Meaning::filler, "the input " + input);
      beside = true;
      i = end;
    }
  }

  // "weight = 3", "weight 3": a number, not an input.
  bool valued(std::size_t at) const {
    if (at < items_.size() && (items_[at].text == "=" || items_[at].kind == Kind::number)) return true;
    return at + 1 < items_.size() && items_[at].text == "of" && items_[at + 1].kind == Kind::number;
  }

  const Library& library_;
  std::vector<Item>& items_;
};

}  // namespace

void read_modifiers(const Library& library, std::vector<Item>& items) { Modifiers(library, items).run(); }

}  // namespace ww::op::phrases
