// SPDX-License-Identifier: Apache-2.0
// Numbers behind what they are the length of: "rows of 64" have 64 columns, "a vector of 1000" has 1000 elements.
#include <algorithm>
#include "op/parse.h"
#include "op/sentence/phrasebook_rank.h"
#include "op/sentence/phrasebook_sentence.h"

namespace ww::op::phrases {
namespace {

using Kind = Item::Kind;

class Lengths {
 public:
  Lengths(const Library& library, std::string_view sentence, std::vector<Item>& items)
      : library_(library), sentence_(sentence), items_(items) {}

  void run() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Entry* axis = items_[i].entry(Sort::axis);
      const std::string& text = items_[i].text;  // "sum of rows" may be the name of an op
      if (items_[i].kind == Kind::op && (text.ends_with(" row") || text.ends_with(" column"))) {
        of_lines(i, text.ends_with(" row"));
        continue;
      }
      const bool free = items_[i].value_at == Item::none && !items_[i].used;
      const bool word = items_[i].kind == Kind::unknown || items_[i].kind == Kind::axis;
      if (axis && word && free && (axis->value == "rows" || axis->value == "columns"))
        of_lines(i, axis->value == "rows");
      else if (const std::string noun = items_[i].text.substr(items_[i].text.rfind(' ') + 1);
               free && (is_vector_noun(noun) || noun == "array" || noun == "list"))
        of_vectors(i);
    }
  }

 private:
  bool is(std::size_t i, std::string_view text) const { return i < items_.size() && items_[i].text == text; }

  // The number behind "of", "of length", "with": none if there is none, or if a word behind it says what it counts.
  std::size_t number_behind(std::size_t i, bool elements) const {
    std::size_t k = i + 1;
    if (!is(k, "of") && !is(k, "with") && !is(k, "of size")) return Item::none;
    if (is(k, "of") && (is(k + 1, "length") || is(k + 1, "size"))) ++k;
    ++k;
    if (k >= items_.size() || items_[k].kind != Kind::number || items_[k].used) return Item::none;
    if (k + 1 == items_.size()) return is(i + 1, "with") ? Item::none : k;
    if (tensors_follow(items_, k)) return Item::none;
    const Entry* counted = items_[k + 1].entry(Sort::size);
    if (is(i + 1, "with") && !counted) return Item::none;
    if (counted && !(elements && counted->value == "elements")) return Item::none;
    return is(k + 1, "x") || is(k + 1, "by") || items_[k + 1].is_value() ? Item::none : k;
  }

  bool plural(std::size_t i) const { return sentence_.substr(items_[i].span.begin, span_size(i)).ends_with('s'); }
  std::size_t span_size(std::size_t i) const { return items_[i].span.end - items_[i].span.begin; }
  bool preceded(std::size_t i, std::initializer_list<std::string_view> words) const {
    return i > 0 && std::find(words.begin(), words.end(), items_[i - 1].text) != words.end();
  }

  // The words between the line and its number, and the one behind it, say no more.
  void take(std::size_t i, std::size_t number, const std::string& kind) {
    items_[i + 1].kind = Kind::size;
    items_[i + 1].value = kind;
    items_[i + 1].value_at = number;
    finish(i + 1, number);
  }
  void finish(std::size_t from, std::size_t number) {
    items_[number].used = true;
    for (std::size_t k = from + 1; k < number; ++k) items_[k].kind = Kind::filler;
    if (number + 1 < items_.size() && items_[number + 1].entry(Sort::size)) {
      items_[number + 1].kind = Kind::filler;
      items_[number + 1].entries = nullptr;
    }
  }
  // A tensor of this one dimension.
  void take_shape(std::size_t i, std::size_t number) {
    Item& n = items_[number];
    n.kind = Kind::shape;
    n.dims = {n.number};
    finish(i, number);
    n.used = false;
    items_[i + 1].kind = Kind::filler;
  }

  // "rows of 64", "each column of length 50", but "a row of 64": one row.
  void of_lines(std::size_t i, bool rows) {
    const std::size_t number = number_behind(i, true);
    if (number == Item::none) return;
    const bool counted = i > 0 && items_[i - 1].kind == Kind::number && items_[i].entry(Sort::size);
    const bool batch = counted && i > 2 && is(i - 2, "of") && items_[i - 3].entry(Sort::size);
    if (counted && !batch) return;  // "32 rows of 64", but "a batch of 8 rows of 64"
    const bool one = (is(i, "row") || is(i, "column")) && !plural(i) && preceded(i, {"a", "one", "single", "the"});
    if (one) {
      items_[i].kind = Kind::filler;
      return take_shape(i, number);
    }
    take(i, number, rows ? "columns" : "rows");
  }

  // "a vector of 1000"; "vectors of 64" for an op of one tensor are the rows of a matrix. "two vectors of length 128"
  // gives each its length, which is read elsewhere.
  void of_vectors(std::size_t i) {
    const std::size_t number = number_behind(i, false);
    if (number == Item::none || is(i + 1, "with")) return;
    const auto op = std::find_if(items_.begin(), items_.end(),
                                 [](const Item& it) { return it.kind == Kind::op || it.entry(Sort::op); });
    if (op == items_.end()) return;
    const Spec& spec = library_.ops()[op->kind == Kind::op ? op->op : op->entry(Sort::op)->op].spec;
    const auto other = [&](const Param& t) {
      return t.shape.size() == 1 && spec.inputs[0].shape.size() == 1 &&
             print(*t.shape[0]) != print(*spec.inputs[0].shape[0]);
    };
    if (plural(i) && std::any_of(spec.inputs.begin(), spec.inputs.end(), other)) return;
    if (plural(i) && spec.inputs.size() == 1 && spreads(spec) && spec.inputs[0].shape.size() > 1)
      take(i, number, "columns");
    else
      take_shape(i, number);
  }

  const Library& library_;
  std::string_view sentence_;
  std::vector<Item>& items_;
};

}  // namespace

bool tensors_follow(const std::vector<Item>& items, std::size_t number) {
  const Item& n = items[number];
  if (n.kind != Kind::number || number + 1 == items.size()) return false;
  const Item& next = items[number + 1];
  if (next.kind == Kind::shape) return n.spelled && n.number > 1 && n.number < 10;
  return is_tensor_noun(next.text.substr(next.text.rfind(' ') + 1));
}

void read_lengths(const Library& library, std::string_view sentence, std::vector<Item>& items) {
  Lengths(library, sentence, items).run();
}

}  // namespace ww::op::phrases
