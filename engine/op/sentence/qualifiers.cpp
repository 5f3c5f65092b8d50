// SPDX-License-Identifier: Apache-2.0
// Nouns that may change the op whose name they stand beside: "window sum", "batch mean", "max filter".
#include "op/sentence/phrasebook_sentence.h"

namespace ww::op::phrases {
namespace {

using Kind = Item::Kind;

bool is_noun(const Item& i) {
  return (i.kind == Kind::filler || i.kind == Kind::size) && !i.used && !i.letter && i.count == 0 && i.reading.empty();
}

}  // namespace

void read_qualifiers(const Library& library, std::vector<Item>& items) {
  const Vocabulary& words = library.vocabulary();
  const auto reduces = [&](const Item& i) {
    const std::string& family = library.ops()[i.op].family;
    return i.kind == Kind::op && (family == "row-reduction" || family == "reduction" || family == "scan");
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& it = items[i];
    if (!is_noun(it)) continue;
    const bool sized = it.kind == Kind::size && it.value_at != Item::none;
    const Item* next = !sized && i + 1 < items.size() && items[i + 1].kind == Kind::op ? &items[i + 1] : nullptr;
    const Item* before = i > 0 && items[i - 1].kind == Kind::op ? &items[i - 1] : nullptr;
    const bool changes = (next && words.qualifies("before", it.text)) ||
                         (next && reduces(*next) && words.qualifies("reduction", it.text)) ||
                         (before && reduces(*before) && words.qualifies("behind", it.text));
    if (!changes) continue;
    if (sized) items[it.value_at].used = false;
    it.kind = Kind::unknown;
    it.value_at = Item::none;
    it.entries = nullptr;
    it.reading = qualifying;
  }
}

}  // namespace ww::op::phrases
