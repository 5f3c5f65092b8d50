// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include "op/parse.h"
#include "op/sentence/phrasebook_builder.h"
#include "op/sentence/phrasebook_rank.h"

namespace ww::op::phrases {

namespace {

constexpr int least_image = 65;                   // the least side that can be no window's
constexpr double largest_size = 1099511627776.0;  // 2^40, the language's own limit

}  // namespace

using Kind = Item::Kind;

bool Builder::whole_size(std::size_t item, double least) {
  const std::vector<double> all =
      items_[item].kind == Kind::shape ? items_[item].dims : std::vector<double>{items_[item].number};
  for (double v : all) {
    if (v == std::floor(v) && v >= least && v <= largest_size) continue;
    ask("A size is a whole number from " + number_text(least) + " to 2^40; " + number_text(v) + " is not.");
    return false;
  }
  return true;
}

bool Builder::accepts(std::size_t use, const std::string& kind) const {
  const Use& u = uses_[use];
  if (!size_targets(u.op->spec, kind).empty()) {
    // The same kind twice belongs to two ops.
    return std::none_of(u.sizes.begin(), u.sizes.end(), [&](std::size_t i) { return items_[i].value == kind; });
  }
  return use == 0 && spreads(u.op->spec) && (place_of_kind(kind) >= 0 || kind == "elements");
}

bool Builder::owned(const std::string& kind) const {
  return std::any_of(uses_.begin(), uses_.end(), [&](const Use& u) {
    return std::any_of(u.sizes.begin(), u.sizes.end(), [&](std::size_t i) { return items_[i].value == kind; });
  });
}

// "class indices", "the hidden states": the contents of a tensor, not a size.
bool Builder::is_noun(std::size_t item) const {
  static const std::set<std::string> kinds = {"batch",  "image",    "channels", "sequence",
                                              "hidden", "features", "classes",  "vocabulary"};
  static const std::set<std::string> axes = {"over", "along",  "across",  "per", "each",   "every", "by",  "all",
                                             "down", "within", "between", "in",  "second", "first", "last"};
  if (kinds.count(items_[item].value) == 0) return false;
  const auto is = [&](std::size_t i, const char* text) { return i < items_.size() && items_[i].text == text; };
  if (item > 0 && (is(item - 1, "(") || is(item - 1, "[") || is(item - 1, ","))) return false;  // of a shape
  if (is(item + 1, ")") || is(item + 1, "]") || is(item + 1, "=")) return false;
  for (std::size_t i = item; i-- > 0 && item - i <= 3;) {
    if (axes.count(items_[i].text) || items_[i].kind == Kind::axis) return false;
    if (items_[i].text != "the" && items_[i].text != "a" && items_[i].kind != Kind::filler) break;
  }
  return true;
}

void Builder::sizes() {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Item& it = items_[i];
    if (it.kind == Kind::size) {
      if (it.value_at == Item::none) {
        if (it.entry(Sort::filler) || is_noun(i))
          it.kind = Kind::filler;
        else
          ask("'" + it.written + "' has no number beside it.");
        continue;
      }
      if (!whole_size(it.value_at, it.value == "padding" ? 0 : 1)) continue;
      if (it.value == "size") {
        it.read_as(Meaning::shape, "the size");
        plain(it.value_at);
        continue;
      }
      if (it.value == "elements" && items_[it.value_at].spelled && items_[it.value_at].number == 1) {
        ask("It is not clear what '" + items_[it.value_at].written + " " + it.written + "' says of the result.");
        continue;
      }
      std::size_t use = 0;
      while (use < uses_.size() && !accepts(use, it.value)) ++use;
      const auto windowed = [](const Use& u) { return !directive(u.op->spec, "window").empty(); };
      const auto own = it.value == "kernel" ? std::find_if(uses_.begin(), uses_.end(), windowed) : uses_.end();
      if (use < uses_.size()) {
        uses_[use].sizes.push_back(i);
      } else if (own != uses_.end() && !beyond_windows(it.value_at)) {
        fixed_window(*own, it.value_at);
        it.read_as(Meaning::shape, "its window");
      } else if (it.entry(Sort::filler) && !owned(it.value)) {  // "a relu kernel 512x1024"
        it.kind = Kind::filler;
        plain(it.value_at);
      } else {
        const LibraryOp& op = *uses_[0].op;
        const bool twice = std::any_of(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(i),
                                       [&](const Item& o) { return o.value_at != Item::none && o.value == it.value; });
        ask(twice ? "The size '" + it.written + "' is given more than once."
                  : "The size '" + it.written + "' does not belong to " + op.spec.name +
                        ", which has none of that kind.");
      }
    } else if (it.kind == Kind::assign) {
      assign(i);
    } else if (it.is_value() && !it.used) {
      if (whole_size(i)) plain(i);
    } else if (it.kind == Kind::rank) {
      rank_hints_.push_back(i);
    }
  }
}

// Whether the op of an item has no window: an activation, a normalization.
bool Builder::by_element(const Item& item) const {
  return std::any_of(uses_.begin(), uses_.end(), [&](const Use& u) {
    return &items_[u.item] == &item && (u.op->family == "map" || u.op->spec.name.starts_with("batchnorm"));
  });
}

// "grouped convolution with 8 groups, 3x3", "conv2d layer, 3x3": sizes or a comma between the op and its window.
bool Builder::window_apart(const Use& u, std::size_t shape) const {
  static const std::set<std::string> joins = {",", "with", "and", "using", "a", "of", "layer", "op", "kernel"};
  static const std::set<std::string> nouns = {"image", "input", "tensor", "matrix", "picture", "array"};
  if (u.item > shape || items_[shape].dims.size() != 2) return false;
  if (shape + 1 < items_.size() && nouns.count(items_[shape + 1].text)) return false;
  bool size = false;
  for (std::size_t i = u.item + 1; i < shape; ++i) {
    const Item& it = items_[i];
    const bool element = it.kind == Kind::op && by_element(it);  // "conv2d, relu, 3x3"
    if (it.kind == Kind::op && !element) return false;
    if (it.kind == Kind::size || it.used || it.kind == Kind::comma || element) size = true;
    if (it.kind != Kind::size && !it.used && !element && !joins.count(it.text) &&
        !(it.kind == Kind::connector && it.value == "then"))
      return false;
  }
  return size && items_[shape - 1].text != "of" && items_[shape - 1].text != "a";
}

// "laplacian filter of 256x256": of an image.
bool Builder::beyond_windows(std::size_t value) const {
  const Dims dims = dims_of(items_, value);
  return std::all_of(dims.begin(), dims.end(), [](std::int64_t d) { return d >= least_image; });
}

// "gaussian blur 3x3": the window that the op has; another is asked about.
void Builder::fixed_window(const Use& u, std::size_t value) {
  const std::string window = directive(u.op->spec, "window");
  Dims given = dims_of(items_, value), own;
  for (const std::string& side : split_list(window, ' ')) own.push_back(std::stoll(side));
  if (given.size() == 1) given.resize(own.size(), given[0]);
  if (given == own)
    items_[value].read_as(Meaning::shape, "its window of " + shape_text(own));
  else
    ask("The window of " + u.op->spec.name + " is " + shape_text(own) + ", not " + shape_text(given) +
        "; write a convolution with a filter of that size, or an average pooling with stride 1.");
}

// A shape glued to the name of an op with a window: "5x5 box blur", "max pool 2x2". Whether it was read or asked about.
bool Builder::window(std::size_t i) {
  static const std::set<std::string> nouns = {"image", "input", "tensor", "matrix", "picture", "array", "frame"};
  constexpr double largest_window = 11;
  if (items_[i].kind != Kind::shape || (i + 1 < items_.size() && nouns.count(items_[i + 1].text))) return false;
  const std::vector<double>& dims = items_[i].dims;
  const bool small = std::all_of(dims.begin(), dims.end(), [](double d) { return d <= largest_window; });
  for (Use& u : uses_) {
    const auto kernel = size_targets(u.op->spec, "kernel");
    const std::string own = directive(u.op->spec, "window");
    const bool glued = u.item == i + 1 || u.item + 1 == i;
    if ((kernel.empty() && own.empty()) || (!glued && !(small && window_apart(u, i)))) continue;
    const std::size_t sides = kernel.empty() ? split_list(own, ' ').size() : kernel.size();
    if (!small) {
      const bool odd = std::all_of(dims.begin(), dims.end(), [](double d) { return std::fmod(d, 2) == 1; });
      const bool open = odd && std::all_of(dims.begin(), dims.end(), [](double d) { return d < least_image; });
      if (!open || dims.size() > std::max<std::size_t>(sides, 2)) continue;
      ask("Is '" + items_[i].written + "' the window of " + u.op->spec.name +
          " or the size of the image? Write 'with a window of " + items_[i].written + "' or 'of a " +
          items_[i].written + " image'.");
      alternatives_.push_back({items_[i].span.begin, "kernel ", "the size of the window"});
      alternatives_.push_back({items_[i].span.begin, "image size ", "the size of the image"});
      return true;
    }
    if (kernel.empty()) {
      fixed_window(u, i);
      return true;
    }
    if (owned("kernel") && !accepts(static_cast<std::size_t>(&u - uses_.data()), "kernel")) {
      ask("The size '" + items_[i].written + "' is the window's, which is given more than once.");
      return true;
    }
    items_[i].value = "kernel";
    items_[i].value_at = i;
    u.sizes.push_back(i);
    return true;
  }
  return false;
}

void Builder::plain(std::size_t i) {
  if (window(i)) return;
  const bool ones = items_[i].kind == Kind::shape && items_[i].dims == std::vector<double>{1, 1};
  if (ones && uses_[0].op->family == "window" && size_targets(uses_[0].op->spec, "kernel").empty()) {
    items_[i].read_as(Meaning::shape, "its window of 1 x 1");  // "pointwise convolution (1x1)"
    return;
  }
  if (items_[i].kind == Kind::shape && uses_[0].shapes.empty() && of_another(i)) return;
  if (items_[i].kind == Kind::shape) {
    // "two 4x3 matrices": the shape of each, even if the op lets them differ.
    const std::size_t each = spreads(uses_[0].op->spec) ? 1 : stated_count(i);
    for (std::size_t k = 0; k < each; ++k) uses_[0].shapes.push_back(i);
  } else if (uses_[0].total == Item::none &&
             (said_size(i) || (i > 0 && !items_[i].spelled && items_[i - 1].kind == Kind::op) ||
              (i + 1 < items_.size() && items_[i + 1].kind == Kind::dtype))) {
    uses_[0].total = i;
  } else {
    ask("It is not clear what the number " + number_text(items_[i].number) +
        " stands for; write '512x1024' or '512 rows'.");
  }
}

// "matmul with a weight of 64x32": of a tensor that is not the first input; which one is asked.
bool Builder::of_another(std::size_t shape) {
  static const std::set<std::string> links = {"of",     "shape",  "size", "of shape", "of size", "matrix",
                                              "vector", "tensor", "(",    "[",        "="};
  static const std::set<std::string> nouns = {"weight", "weight matrix", "bias", "residual", "mask"};
  std::size_t i = shape;
  while (i > 0 && links.count(items_[i - 1].text)) --i;
  if (i == 0) return false;
  const Item& before = items_[i - 1];
  const bool added = before.kind == Kind::op && before.op != items_[uses_[0].item].op && uses_[0].op->family != "map" &&
                     (before.value == "residual_add" || before.value == "bias_add");
  if (!added && (!nouns.count(before.text) || before.kind == Kind::op)) return false;
  const std::string noun = added ? before.value.substr(0, before.value.find('_')) : before.text;
  const std::string& first = uses_[0].op->spec.inputs[0].name;
  if (!added && (first == noun || first[0] == noun[0])) return false;
  ask("Which sizes are those of the " + noun + ", '" + items_[shape].written +
      "'? Write the shapes of the inputs in their order, or sizes with their names.");
  return true;
}

// How many tensors of this shape the words before it name; 1 if they do not, or if the op takes fewer.
std::size_t Builder::stated_count(std::size_t shape) const {
  const std::vector<Param>& inputs = uses_[0].op->spec.inputs;
  const std::size_t rank = items_[shape].dims.size();
  const bool square = rank == 2 && items_[shape].dims[0] == items_[shape].dims[1];
  const bool product = !directive(uses_[0].op->spec, "size").empty();
  for (std::size_t i = shape; i-- > 0 && shape - i <= 3;) {
    if (items_[i].count > 1) {
      const bool fit = items_[i].count <= inputs.size() &&
                       std::all_of(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(items_[i].count),
                                   [&](const Param& p) { return p.shape.size() == rank; });
      return fit && !(square && product) ? items_[i].count : 1;
    }
    if (items_[i].kind != Kind::dtype && items_[i].kind != Kind::filler) break;
  }
  return 1;
}

bool Builder::said_size(std::size_t number) const {
  return std::any_of(items_.begin(), items_.end(),
                     [&](const Item& i) { return i.kind == Kind::size && i.value == "size" && i.value_at == number; });
}

void Builder::assign(std::size_t i) {
  Item& it = items_[i];
  const double v = items_[it.value_at].number;
  for (int exact = 1; exact >= 0; --exact) {
    for (Use& u : uses_) {
      for (const std::string& s : u.op->spec.symbols) {
        if (exact ? s != it.value : fold(s) != fold(it.value)) continue;
        if (!whole_size(it.value_at)) return;
        it.value = s;
        u.assigns.push_back(i);
        return;
      }
    }
  }
  std::string have;
  for (const std::string& s : uses_[0].op->spec.symbols) have += (have.empty() ? "" : ", ") + s;
  for (const Constant& c : uses_[0].op->spec.constants) have += (have.empty() ? "" : ", ") + c.name;
  ask("There is no '" + it.value + "' to set to " + number_text(v) + "; " + uses_[0].op->spec.name + " has " + have +
      ".");
}

}  // namespace ww::op::phrases
