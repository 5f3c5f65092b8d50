// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/phrasebook_sentence.h"
#include <algorithm>
#include <cmath>
#include <set>
#include "op/parse.h"
#include "op/sentence/phrasebook_rank.h"

namespace ww::op::phrases {
namespace {

using Kind = Item::Kind;

bool is_letter_name(const Item& i) {
  return i.text.size() == 1 && i.text[0] >= 'a' && i.text[0] <= 'z' && !i.is_value();
}

class Reader {
 public:
  Reader(const Library& library, std::string_view sentence)
      : library_(library), sentence_(sentence), items_(grouped(library, sentence)) {}

  std::vector<Item> run() {
    numbers();
    read_ranges(library_, items_);
    shapes();
    operators();
    read_arithmetic(library_, items_);
    read_squares(library_, items_);
    ops();
    read_brackets(library_, items_);
    read_titles(items_);
    read_modifiers(library_, items_);
    assignments();
    constants();
    axes();
    read_lengths(library_, sentence_, items_);
    sizes();
    matrix_sizes();
    window_sizes();
    rest();
    dangling();
    read_qualifiers(library_, sentence_, items_);
    for (Item& i : items_) {
      i.written = std::string(sentence_.substr(i.span.begin, i.span.end - i.span.begin));
      i.underscored = i.span.begin > 0 && sentence_[i.span.begin - 1] == '_';
    }
    return std::move(items_);
  }

 private:
  // "two", "a million"
  void numbers() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& it = items_[i];
      const Entry* e = it.kind == Kind::unknown ? it.entry(Sort::number) : nullptr;
      if (!e) continue;
      const double value = std::stod(e->value);
      it.kind = Kind::number;
      it.number = value;
      it.spelled = value < 100 && value == std::floor(value);  // "no padding" is 0
      it.number_reading = it.text + " = " + e->value;
    }
  }

  bool text_is(std::size_t i, std::string_view s) const { return i < items_.size() && items_[i].text == s; }

  void merge(std::size_t from, std::size_t to, Item whole) {
    whole.span = {items_[from].span.begin, items_[to].span.end};
    items_[from] = std::move(whole);
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(from) + 1,
                 items_.begin() + static_cast<std::ptrdiff_t>(to) + 1);
  }

  // (batch=4, seq=128): a shape with named sizes.
  void named_shapes() {
    for (std::size_t i = 0; i + 7 < items_.size(); ++i) {
      if (items_[i].kind != Kind::open) continue;
      Item whole;
      whole.kind = Kind::shape;
      std::size_t at = i + 1;
      while (at + 3 < items_.size() && items_[at].kind == Kind::unknown && text_is(at + 1, "=") &&
             items_[at + 2].kind == Kind::number && (items_[at].entry(Sort::size) || is_letter_name(items_[at]))) {
        whole.dims.push_back(items_[at + 2].number);
        at += 3;
        if (items_[at].kind != Kind::comma) break;
        ++at;
      }
      if (whole.dims.size() >= 2 && (text_is(at, ")") || text_is(at, "]"))) merge(i, at, std::move(whole));
    }
  }

  // "gemm 512 256 128": as many numbers after an op as it has sizes.
  void bare_sizes() {
    for (std::size_t i = 0; i + 3 < items_.size(); ++i) {
      const Entry* e = items_[i].kind == Kind::unknown ? items_[i].entry(Sort::op) : nullptr;
      if (!e) continue;
      Item whole;
      whole.kind = Kind::shape;
      std::size_t end = i + 1;
      for (; end < items_.size() && items_[end].kind == Kind::number && !items_[end].spelled; ++end)
        whole.dims.push_back(items_[end].number);
      const std::string names = directive(library_.ops()[e->op].spec, "size");
      const bool owned = end < items_.size() && (items_[end].entry(Sort::size) || text_is(end, "x"));
      if (!owned && whole.dims.size() > 2 && whole.dims.size() == split_list(names, ' ').size())
        merge(i + 1, end - 1, std::move(whole));
    }
  }

  // Whether the bracket that opens at item i separates what it holds by commas.
  bool has_comma(std::size_t i) const {
    constexpr std::size_t most_items = 64;
    for (std::size_t k = i + 1; k < items_.size() && k < i + most_items && !text_is(k, ")") && !text_is(k, "]"); ++k)
      if (items_[k].kind == Kind::comma) return true;
    return false;
  }

  // 512x1024, 512 by 1024, 512 * 1024, [512, 1024], (512, 1024)
  void shapes() {
    named_shapes();
    bare_sizes();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item whole;
      whole.kind = Kind::shape;
      if (items_[i].kind == Kind::number) {
        std::size_t last = i;
        whole.dims = {items_[i].number};
        const std::string sign = i + 1 < items_.size() ? items_[i + 1].text : std::string();  // 2x3 by 3x4: two shapes
        while (last + 2 < items_.size() && (sign == "x" || sign == "by" || sign == "*") && text_is(last + 1, sign) &&
               items_[last + 2].kind == Kind::number) {
          last += 2;
          whole.dims.push_back(items_[last].number);
        }
        if (last > i) merge(i, last, std::move(whole));
      } else if (items_[i].kind == Kind::open) {
        const bool square = items_[i].text == "[";
        std::size_t last = i + 1;
        const bool commas = has_comma(i);
        while (last < items_.size() && items_[last].kind == Kind::number) {
          whole.dims.push_back(items_[last++].number);
          for (; commas && text_is(last, "*") && last + 1 < items_.size() && items_[last + 1].kind == Kind::number;
               last += 2)
            whole.dims.back() *= items_[last + 1].number;                                      // (16, 4*64)
          const bool times = text_is(last, "x") || text_is(last, "by") || text_is(last, "*");  // [4096x2048]
          if (last < items_.size() && (items_[last].kind == Kind::comma || times))
            ++last;
          else
            break;
        }
        const bool tuple = items_[last - 1].kind == Kind::comma;                                      // (16384,)
        const bool named = i > 0 && is_letter_name(items_[i - 1]) && items_[i - 1].kind != Kind::op;  // u (1000)
        if (text_is(last, square ? "]" : ")") && whole.dims.size() >= (square || tuple || named ? 1u : 2u))
          merge(i, last, std::move(whole));
      }
    }
    // A shape times a shape.
    static const std::set<std::string> times = {"x", "by", "time", "@", "*", "mal", "fois", "por"};
    for (std::size_t i = 1; i + 1 < items_.size(); ++i)
      if (items_[i - 1].kind == Kind::shape && items_[i + 1].kind == Kind::shape && times.count(items_[i].text)) {
        items_[i].kind = Kind::filler;
        items_[i].read_as(Meaning::filler, "the first tensor times the second");
      }
  }

  Item op_item(const char* name) {
    Item out;
    const LibraryOp* op = library_.find(name);
    if (!op) return out;
    out.kind = Kind::op;
    out.op = static_cast<std::size_t>(op - library_.ops().data());
    out.value = name;
    return out;
  }

  // x @ y and x + y between names of tensors; -> and + between ops
  void operators() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& it = items_[i];
      if (it.kind == Kind::filler) continue;
      if (it.text == "@" || it.text == "+") {
        const bool names =
            i > 0 && i + 1 < items_.size() && is_letter_name(items_[i - 1]) && is_letter_name(items_[i + 1]);
        if (it.text == "@" || names) {
          Item op = op_item(it.text == "@" ? "matmul" : "add");
          op.span = it.span;
          op.text = it.text;
          if (op.kind == Kind::op) it = std::move(op);
        } else {
          it.kind = Kind::connector;
          it.value = "and";
        }
      } else if (it.text == "&") {
        it.kind = Kind::connector;
        it.value = "and";
      } else if (it.text == ">" && it.span.begin > 0 &&
                 (sentence_[it.span.begin - 1] == '-' || sentence_[it.span.begin - 1] == '=')) {
        if (i > 0 && items_[i - 1].text == "=") items_[i - 1].kind = Kind::punctuation;
        it.kind = Kind::connector;
        it.value = "then";
      }
    }
  }

  bool is_article(const Item& i) const { return i.text == "a" || i.text == "an" || i.text == "the"; }
  // The next item after i that is not an article.
  std::size_t next(std::size_t i) const {
    ++i;
    while (i < items_.size() && is_article(items_[i])) ++i;
    return i;
  }
  bool is_link(const Item& i) const {
    static const std::set<std::string> links = {"of", "=", ":",  "is",  "are",  "equal",   "to",
                                                "at", "a", "an", "the", "size", "of size", "set to"};
    return !i.is_value() && links.count(i.text) != 0;
  }
  // The number or shape after item i, with at most three linking words in between; none if there is none.
  std::size_t value_behind(std::size_t i) const {
    for (std::size_t k = i + 1; k < items_.size() && k <= i + 4; ++k) {
      const bool counts = items_[i].value == "elements" && k + 1 < items_.size() &&
                          phrases::is_tensor_noun(items_[k + 1].text);  // "entries of two matrices"
      if (items_[k].is_value()) return items_[k].used || counts ? Item::none : k;
      if (!is_link(items_[k])) break;
    }
    return Item::none;
  }

  // The bracket that opens before item i, with only a library's name in between: "(torch.cdist".
  std::size_t bracket_before(std::size_t i) const {
    for (std::size_t k = i; k-- > 0;) {
      if (items_[k].kind == Kind::open) return k;
      const bool prefix = text_is(k, ".") || items_[k].entry(Sort::filler) || text_is(k, "f") || text_is(k, "np");
      if (!prefix) break;
    }
    return Item::none;
  }

  void ops() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& it = items_[i];
      const Entry* e = it.kind == Kind::unknown ? it.entry(Sort::op) : nullptr;
      if (!e) continue;
      it.kind = Kind::op;
      it.op = e->op;
      it.value = e->value;
    }
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& it = items_[i];
      if (it.kind != Kind::op) continue;
      // "sigmoid linear unit (SiLU)": its other name.
      if (i >= 2 && items_[i - 1].kind == Kind::open && items_[i - 2].kind == Kind::op && items_[i - 2].op == it.op &&
          text_is(i + 1, ")")) {
        it.kind = Kind::filler;
        it.read_as(Meaning::filler, "the op " + it.value + " again");
        continue;
      }
      // "pairwise distances of two sets (torch.cdist)": the only op, in brackets again.
      if (i >= 2 && text_is(i + 1, ")") && bracket_before(i) != Item::none) {
        const std::size_t first = bracket_before(i);
        bool same = false, other = false;
        for (std::size_t k = 0; k < items_.size(); ++k)
          if (k != i && items_[k].kind == Kind::op) (items_[k].op == it.op && k < first ? same : other) = true;
        if (same && !other) {
          for (std::size_t k = first + 1; k <= i; ++k) {
            items_[k].kind = Kind::filler;
            items_[k].read_as(Meaning::filler, "the op " + it.value + " again");
          }
          continue;
        }
      }
      // "add a relu": the verb, not the sum of two tensors.
      if (it.text == "add") {
        const std::size_t n = next(i);
        if (n >= items_.size() || items_[n].kind != Kind::op) continue;
        const bool identity = library_.ops()[items_[n].op].spec.name == "copy";  // "add the identity to a matrix"
        it.kind = identity ? Kind::unknown : Kind::filler;
        it.read_as(identity ? Meaning::unknown : Meaning::filler,
                   identity ? qualifying : "what follows is added to the chain");
        continue;
      }
      // "selu with scale 1.05": the constant of another op.
      const Entry* c = it.entry(Sort::constant);
      if (c && value_behind(i) != Item::none) {
        for (std::size_t k = 0; k < items_.size(); ++k) {
          if (k != i && items_[k].kind == Kind::op && has_constant(items_[k], c->value) && items_[k].text != "add") {
            it.kind = Kind::unknown;
            break;
          }
        }
      }
    }
  }

  bool has_constant(const Item& op, const std::string& name) const {
    for (const Constant& c : library_.ops()[op.op].spec.constants)
      if (c.name == name) return true;
    return false;
  }
  bool any_op_has_constant(const std::string& name) const {
    return std::any_of(items_.begin(), items_.end(),
                       [&](const Item& i) { return i.kind == Kind::op && has_constant(i, name); });
  }

  // NAME = number
  void assignments() {
    for (std::size_t i = 0; i + 2 < items_.size(); ++i) {
      if (!text_is(i + 1, "=") || !items_[i + 2].is_value() || items_[i].is_value()) continue;
      Item& it = items_[i];
      const Entry* constant = it.entry(Sort::constant);
      if ((constant && any_op_has_constant(constant->value)) || it.entry(Sort::axis) || it.entry(Sort::size)) continue;
      if (it.kind != Kind::unknown || items_[i + 2].kind != Kind::number) continue;
      it.kind = Kind::assign;
      it.value = std::string(sentence_.substr(it.span.begin, it.span.end - it.span.begin));
      it.value_at = i + 2;
      items_[i + 2].used = true;
    }
  }

  void constants() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& it = items_[i];
      const Entry* e = it.kind == Kind::unknown ? it.entry(Sort::constant) : nullptr;
      if (!e || it.entry(Sort::size) || !any_op_has_constant(e->value)) continue;
      const std::size_t v = value_behind(i);
      if (v == Item::none || items_[v].kind != Kind::number) continue;
      take(i, v, Kind::constant, e->value);
      // between LO and HI, from LO to HI
      if (e->value == "lo" && v + 2 < items_.size() && (text_is(v + 1, "and") || text_is(v + 1, "to")) &&
          items_[v + 2].kind == Kind::number && any_op_has_constant("hi")) {
        take(v + 1, v + 2, Kind::constant, "hi");
      }
    }
    // A bare number behind an op whose file says which constant it is.
    for (std::size_t i = 0; i + 1 < items_.size(); ++i) {
      if (items_[i].kind != Kind::op) continue;
      const std::string name = directive(library_.ops()[items_[i].op].spec, "number");
      // "softplus with beta = 2", "roll each row by 3"
      const bool said = items_[i].text.ends_with(name) || items_[i].text.ends_with("index");
      const std::size_t n =
          i + ((said && (text_is(i + 1, "=") || text_is(i + 1, "of"))) || text_is(i + 1, "by") ? 2 : 1);
      if (n >= items_.size() || items_[n].kind != Kind::number || items_[n].used) continue;
      // "scale 64 rows", "scale 4096 floats"
      const bool sized = n + 1 < items_.size() &&
                         (items_[n + 1].entry(Sort::size) || (n == i + 1 && items_[n + 1].entry(Sort::dtype)));
      if (name.empty() || sized || counts_elements(items_[n], name)) continue;
      items_[n].kind = Kind::constant;
      items_[n].value = name;
      items_[n].value_at = n;
      if (n > i + 1) items_[i + 1].kind = Kind::filler;
    }
  }

  void take(std::size_t i, std::size_t v, Kind kind, const std::string& value) {
    items_[i].kind = kind;
    items_[i].value = value;
    items_[i].value_at = v;
    items_[v].used = true;
  }

  // "dim 1", "axis = -1", "over the rows". Rows and columns with a number are sizes, and so is a dimension of more
  // than 8.
  void axes() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& it = items_[i];
      const Entry* e = it.kind == Kind::unknown ? it.entry(Sort::axis) : nullptr;
      if (!e) continue;
      if (e->value == "index") {
        const std::size_t v = value_behind(i);
        if (v == Item::none || items_[v].kind != Kind::number || items_[v].number > 8) continue;
        take(i, v, Kind::axis, "index");
        it.number = items_[v].number;
      } else if (!it.entry(Sort::size)) {
        it.kind = Kind::axis;
        it.value = e->value;
      }
    }
  }

  bool size_candidate(std::size_t i) const {
    if (i >= items_.size()) return false;
    const Item& it = items_[i];
    if (it.kind != Kind::unknown) return false;
    const Entry* axis = it.entry(Sort::axis);
    return it.entry(Sort::size) || (axis && axis->value == "index");
  }
  // The kind that a size word means with this value: "image|batch" is image for a shape, batch for a preceding count.
  std::string kind_of(const Item& word, const Item& value, bool in_front) const {
    const Entry* e = word.entry(Sort::size);
    if (!e) return "features";
    const std::size_t bar = e->value.find('|');
    if (bar == std::string::npos) return e->value;
    return value.kind == Kind::number && in_front ? e->value.substr(bar + 1) : e->value.substr(0, bar);
  }
  bool follows(const Item& word) const {
    const Entry* e = word.entry(Sort::size);
    return !e || library_.vocabulary().value_follows(e->value.substr(0, e->value.find('|')));
  }

  bool can_take(std::size_t word, const Item& value, bool in_front) const {
    const std::string kind = kind_of(items_[word], value, in_front);
    if (kind == "image" && value.kind == Kind::shape && value.dims.size() > 3) return false;  // a whole shape
    return value.kind == Kind::number || library_.vocabulary().takes_shape(kind);
  }

  // Whether the number of `word` follows it, so that the preceding `value` is not meant. In "8 images 32
  // channels" the 32 belongs to the channels, and a count before images is always the batch.
  bool has_own_number(const Item& value, std::size_t word) const {
    const Entry* e = items_[word].entry(Sort::size);
    if (!follows(items_[word]) || (e && e->value.find('|') != std::string::npos && value.kind == Kind::number))
      return false;
    const std::size_t v = value_behind(word);
    return v != Item::none && can_take(word, items_[v], false) && !(size_candidate(v + 1) && !follows(items_[v + 1]));
  }

  // "a length 5 filter", "a kernel of length 5": the word for the filter beside the length at `word` and its number.
  std::size_t filter_beside(std::size_t word, std::size_t number) const {
    const auto filter = [&](std::size_t i) {
      const Entry* e = i < items_.size() ? items_[i].entry(Sort::size) : nullptr;
      return e && items_[i].value_at == Item::none && e->value.starts_with("kernel") && items_[i].text != "window";
    };
    if (filter(number + 1)) return number + 1;
    const bool of = word > 1 && (text_is(word - 1, "of") || text_is(word - 1, "with"));
    return of && filter(word - 2) ? word - 2 : Item::none;
  }

  void sizes() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& value = items_[i];
      if (!value.is_value() || value.used) continue;
      // The size word before the value, across linking words.
      std::size_t front = Item::none;
      for (std::size_t k = i; k > 0 && i - k < 4;) {
        --k;
        if (size_candidate(k) && items_[k].value_at == Item::none && can_take(k, value, false) &&
            !(tensors_follow(items_, i) && items_[k].entry(Sort::axis)) &&
            !(items_[k].text == "of size" && k > 0 && size_candidate(k - 1))) {
          front = k;
          break;
        }
        if (!is_link(items_[k])) break;
      }
      // The word after it, unless that word is followed by its own number: "3x3 stride 2".
      std::size_t behind = size_candidate(i + 1) && items_[i + 1].value_at == Item::none ? i + 1 : Item::none;
      if (behind != Item::none && (has_own_number(items_[i], behind) || !can_take(behind, value, true)))
        behind = Item::none;
      // "rows 512 columns 1024": each number follows its word.
      if (front != Item::none && behind != Item::none && front + 1 == i) {
        const std::size_t v = value_behind(behind);
        if (v != Item::none && !(size_candidate(v + 1) && !follows(items_[v + 1]))) behind = Item::none;
      }
      std::size_t owner = front;
      if (behind != Item::none && (front == Item::none || !(follows(items_[front]) || items_[front].text == "of size")))
        owner = behind;
      // "batch 16, 256 features", but "a batch of 8 images": a comma ends the reach of the preceding word, as in
      // is_link().
      if (owner == Item::none) continue;
      const bool in_front = owner > i;
      std::string kind = kind_of(items_[owner], value, in_front);
      if (kind == "size" && owner == front && front > 0 && value.kind == Kind::shape) {  // "64 filters of size 7x7"
        const Entry* e = items_[front - 1].entry(Sort::size);
        if (e && e->value.find('|') != std::string::npos) kind = kind_of(items_[front - 1], value, false);
      }
      if (kind == "size" && owner == front && front > 0 && items_[front - 1].value == "heads") kind = "head_dim";
      if (kind == "length" && owner == front)
        if (const std::size_t filter = filter_beside(front, i); filter != Item::none) {
          kind = "kernel";
          items_[filter].kind = Kind::filler;
          items_[filter].entries = nullptr;
          items_[filter].read_as(Meaning::shape, "the length of the filter");
          behind = Item::none;
        }
      take(owner, i, Kind::size, kind);
      // "a batch of 8 images": the same kind on both sides.
      if (owner == front && behind != Item::none && (kind_of(items_[behind], value, true) == kind || kind == "size")) {
        if (kind == "size") {  // "of size 64x64 images", "size 16 batch": the more specific word
          items_[front].kind = Kind::filler;
          items_[front].value_at = Item::none;
          take(behind, i, Kind::size, kind_of(items_[behind], value, true));
        } else {
          items_[behind].kind = Kind::filler;
          items_[behind].read_as(Meaning::shape, "the same " + kind + " size");
        }
      }
    }
  }

  // "32 rows of 256", "32 rows of 256 elements": the other number of a matrix.
  void matrix_sizes() {
    for (std::size_t i = 1; i + 2 < items_.size(); ++i) {
      const bool rows = items_[i].value == "rows";
      if (items_[i].kind != Kind::size || items_[i].value_at != i - 1 || !(rows || items_[i].value == "columns"))
        continue;
      const std::string other = rows ? "columns" : "rows";
      Item &of = items_[i + 1], &number = items_[i + 2];
      if (of.text != "of" || number.kind != Kind::number) continue;
      if (!number.used) {
        take(i + 1, i + 2, Kind::size, other);
      } else if (i + 3 < items_.size() && items_[i + 3].kind == Kind::size && items_[i + 3].value_at == i + 2 &&
                 items_[i + 3].value == "elements") {
        items_[i + 3].value = other;
      }
    }
  }

  // "16 filters of 3x3": their number and their size.
  void window_sizes() {
    for (std::size_t i = 1; i + 2 < items_.size(); ++i) {
      const Entry* e = items_[i].kind == Kind::size ? items_[i].entry(Sort::size) : nullptr;
      if (!e || items_[i].value_at != i - 1 || e->value != "kernel|filters") continue;
      if (items_[i + 1].text == "of" && items_[i + 2].kind == Kind::shape && !items_[i + 2].used)
        take(i + 1, i + 2, Kind::size, "kernel");
    }
  }

  // "two matrices", "two 64x64 matrices": the op determines their number.
  bool counts_tensors(std::size_t i) const {
    for (std::size_t k = i + 1; k < items_.size() && k <= i + 3; ++k) {
      const std::string& text = items_[k].text;
      if (is_tensor_noun(text.substr(text.rfind(' ') + 1))) return true;  // "two stacks of matrices"
      if (text.starts_with("矩 阵") || text.starts_with("向 量") || text.starts_with("张 量")) return true;
      if (!items_[k].is_value() && items_[k].kind != Kind::size && items_[k].kind != Kind::dtype &&
          !items_[k].entry(Sort::dtype) && !items_[k].entry(Sort::filler))
        return false;
    }
    return false;
  }

  bool between_ops(std::size_t i) const {
    return i > 0 && i + 1 < items_.size() && items_[i - 1].kind == Kind::op && items_[i + 1].kind == Kind::op;
  }

  // "relu of": a word at the end that leads to something.
  void dangling() {
    static const std::set<std::string> leads = {"of",   "with", "on",      "by",   "for",
                                                "from", "into", "between", "over", "as"};
    std::size_t last = items_.size();
    while (last > 0 && items_[last - 1].kind == Kind::punctuation) --last;
    if (last < 2) return;
    Item& it = items_[last - 1];
    if ((it.kind != Kind::filler && it.kind != Kind::connector) || leads.count(it.text) == 0) return;
    it.kind = Kind::unknown;
    it.read_as(Meaning::unknown, qualifying);
  }

  void rest() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& it = items_[i];
      if (it.kind == Kind::number && it.spelled && !it.used) {  // "two matrices"
        it.entries = nullptr;
        if (it.number == 0) {  // "no relu"
          it.kind = Kind::unknown;
          it.number_reading.clear();
          continue;
        }
        if (!counts_tensors(i)) continue;
        it.kind = Kind::filler;
        it.count = static_cast<std::size_t>(it.number);
      }
      if (it.kind != Kind::unknown) continue;
      if (it.text == "-" && !between_ops(i)) it.kind = Kind::punctuation;  // a dash
      const Entry* axis = it.entry(Sort::axis);
      if (const Entry* d = it.entry(Sort::dtype)) {
        it.kind = Kind::dtype;
        it.value = d->value;
      } else if (axis && axis->value != "index") {  // rows or columns without a number
        it.kind = Kind::axis;
        it.value = axis->value;
      } else if (const Entry* c = it.entry(Sort::connector)) {
        it.kind = Kind::connector;
        it.value = c->value;
      } else if (it.text == "over") {  // "softmax over a 4x8 matrix", but not "over the batch"
        const std::size_t n = next(i);
        if (n < items_.size() && (items_[n].is_value() || items_[n].kind == Kind::rank ||
                                  (items_[n].entry(Sort::filler) && !items_[n].entry(Sort::size))))
          it.kind = Kind::filler;
      } else if (is_letter_name(it)) {
        // x.T and x^T change x: they are formulas, or asked about.
        const bool part = i > 0 && (items_[i - 1].text == "." || items_[i - 1].text == "^");
        if (part) continue;
        it.kind = Kind::filler;
        it.letter =
            !(it.text == "a" && sentence_[it.span.begin] == 'a' && !text_is(i + 1, "and") && !text_is(i + 1, ","));
      } else if (it.entry(Sort::filler)) {
        it.kind = Kind::filler;
      } else if (it.entry(Sort::size)) {
        const Entry* s = it.entry(Sort::size);
        it.kind = s->value == "size" ? Kind::filler : Kind::size;
        it.value = s->value;
      }
    }
  }

  const Library& library_;
  std::string_view sentence_;
  std::vector<Item> items_;
};

}  // namespace

const Entry* Item::entry(Sort sort) const { return Match{0, entries}.entry(sort); }

std::vector<Item> read_sentence(const Library& library, std::string_view sentence) {
  return Reader(library, sentence).run();
}

}  // namespace ww::op::phrases
