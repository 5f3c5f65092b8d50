// SPDX-License-Identifier: Apache-2.0
// Nouns that may change the op whose name they stand beside: "window sum", "batch mean", "max filter".
#include <algorithm>
#include <set>
#include "op/sentence/phrasebook_sentence.h"

namespace ww::op::phrases {
namespace {

using Kind = Item::Kind;

bool is_noun(const Item& i) {
  return (i.kind == Kind::filler || i.kind == Kind::size) && !i.used && !i.letter && i.count == 0 && i.reading.empty();
}

// "blur of a grayscale image", "softmax of the attention score matrix", but not "an image to grayscale".
bool is_adjective(const Vocabulary& words, const std::vector<Item>& items, std::size_t i) {
  static const std::set<std::string> articles = {"a", "an", "the"},
                                     nouns = {"image", "picture", "photo", "matrix", "tensor"};
  if (items[i].kind != Kind::op || !words.qualifies("adjective", items[i].text)) return false;
  if (i + 1 >= items.size() || nouns.count(items[i + 1].text) == 0) return false;
  std::size_t front = i;
  while (front > 0 && articles.count(items[front - 1].text) != 0) --front;
  if (front == 0 || items[front - 1].text == "to" || items[front - 1].text == "into") return false;
  return std::count_if(items.begin(), items.end(), [](const Item& o) { return o.kind == Kind::op; }) > 1;
}

// "channels last convolution": a layout beside another op; "with an epilogue": no op says which.
bool leaves_open(const Vocabulary& words, const std::vector<Item>& items, std::size_t i) {
  const auto is_op = [](const Item& o) { return o.kind == Kind::op; };
  if (items[i].kind == Kind::filler && words.qualifies("named", items[i].text)) return i == 0 || !is_op(items[i - 1]);
  if (!is_op(items[i]) || !words.qualifies("layout", items[i].text)) return false;
  return i + 1 < items.size() && std::any_of(items.begin() + static_cast<std::ptrdiff_t>(i) + 1, items.end(), is_op);
}

// "n-gram", "x-mean": a letter before an op's name, with a hyphen between, may make it another one.
void read_hyphened_letters(std::string_view sentence, std::vector<Item>& items) {
  for (std::size_t i = 0; i + 1 < items.size(); ++i) {
    Item& it = items[i];
    const bool glued = items[i + 1].span.begin == it.span.end + 1 && sentence[it.span.end] == '-';
    if (!glued || !it.letter || it.used || items[i + 1].kind != Kind::op) continue;
    it.kind = Kind::unknown;
    it.entries = nullptr;
    it.letter = false;
    ++it.span.end;  // the hyphen
    it.reading = qualifying;
  }
}

// "dense with softmax": what "dense matrix" has is missing behind the word.
bool lacks_noun(const Vocabulary& words, const std::vector<Item>& items, std::size_t i) {
  if (items[i].kind != Kind::filler || !words.qualifies("attributive", items[i].text)) return false;
  static const std::set<std::string> joining = {"with", "and", "for", "on", "of", "in", "then"};
  return i + 1 == items.size() || items[i + 1].kind == Kind::connector || items[i + 1].kind == Kind::comma ||
         items[i + 1].kind == Kind::punctuation || joining.count(items[i + 1].text) != 0;
}

}  // namespace

void read_qualifiers(const Library& library, std::string_view sentence, std::vector<Item>& items) {
  read_hyphened_letters(sentence, items);
  const Vocabulary& words = library.vocabulary();
  const auto reduces = [&](const Item& i) {
    const std::string& family = library.ops()[i.op].family;
    return i.kind == Kind::op && (family == "row-reduction" || family == "reduction" || family == "scan");
  };
  const auto windowless = [&](const Item& i) {  // "relu filter 3x3"
    static const std::set<std::string> families = {"map", "normalization", "loss", "transpose", "gather"};
    if (i.kind != Kind::op || families.count(library.ops()[i.op].family) == 0) return false;
    const std::vector<Constant>& own = library.ops()[i.op].spec.constants;
    return std::none_of(own.begin(), own.end(), [](const Constant& c) { return c.name == "window"; });
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& it = items[i];
    if (is_adjective(words, items, i) || leaves_open(words, items, i) || lacks_noun(words, items, i)) {
      it.kind = Kind::unknown;
      it.entries = nullptr;
      it.reading = qualifying;
      continue;
    }
    if (!is_noun(it)) continue;
    const bool sized = it.kind == Kind::size && it.value_at != Item::none;
    const Item* next = !sized && i + 1 < items.size() && items[i + 1].kind == Kind::op ? &items[i + 1] : nullptr;
    const Item* before = i > 0 && items[i - 1].kind == Kind::op ? &items[i - 1] : nullptr;
    const bool changes = (next && words.qualifies("before", it.text)) ||
                         (next && reduces(*next) && words.qualifies("reduction", it.text)) ||
                         (before && (reduces(*before) || windowless(*before)) && words.qualifies("behind", it.text));
    if (!changes) continue;
    if (sized) items[it.value_at].used = false;
    it.kind = Kind::unknown;
    it.value_at = Item::none;
    it.entries = nullptr;
    it.reading = qualifying;
  }
}

}  // namespace ww::op::phrases
