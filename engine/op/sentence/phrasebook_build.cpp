// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include "op/agreement.h"
#include "op/parse.h"
#include "op/sentence/keepdim.h"
#include "op/sentence/phrasebook_builder.h"
#include "op/sentence/phrasebook_rank.h"
#include "op/transform.h"
#include "op/walk.h"

namespace ww::op::phrases {

using Kind = Item::Kind;

Built Builder::run() {
  keep_ = take_keepdim(items_);
  own_biases();
  other_ranks();
  axes();
  constants();
  sizes();
  dtype();
  reduction();
  for (std::string& q : connector_questions(library_, items_)) ask(std::move(q));
  for (std::string& q : operand_questions(items_, uses_)) ask(std::move(q));
  for (std::string& q : chain_questions(library_, items_, uses_)) ask(std::move(q));
  order_of_two();
  Built out;
  missing_constants(out);
  std::optional<Spec> spec;
  for (std::size_t i = 0; i < uses_.size() && questions_.empty(); ++i) {
    auto one = shaped(i, spec ? &*spec : nullptr);
    if (!one || !questions_.empty()) break;
    if (!spec) {
      spec = std::move(*one);
      continue;
    }
    if (!joins(*spec, *one, uses_[i])) break;
    auto both = compose(*spec, *one);
    if (!both) {
      ask("'" + one->name + "' cannot follow '" + spec->name +
          "': " + (both.error().cause.empty() ? both.error().message : both.error().cause) + ".");
      break;
    }
    if (!keeps_sizes(*spec, *both)) break;
    spec = std::move(*both);
  }
  if (spec && questions_.empty() && !reduction_.empty()) {
    auto other = with_reduction(*spec, reduction_ == "sum" ? LossReduction::sum : LossReduction::none);
    if (!other) ask(other.error().message + ".");
    if (other) spec = std::move(*other);
  }
  if (spec && questions_.empty()) finish(*spec);
  if (spec && questions_.empty() && keep_) keep_dimension(*spec);
  const LibraryOp* namesake = spec && uses_.size() > 1 ? library_.find(spec->name) : nullptr;
  if (const Agreement a = namesake ? agreement(namesake->spec, *spec) : Agreement::same;
      a == Agreement::different || a == Agreement::untried)
    spec->name += "_chain";
  if (questions_.empty()) out.spec = std::move(spec);
  out.questions = std::move(questions_);
  out.alternatives = std::move(alternatives_);
  return out;
}

// "3d convolution, then max pooling": the op for the given number of dimensions (`//@ ranks:`).
void Builder::other_ranks() {
  std::size_t rank = 0;  // of the tensor passed on; 0: unknown
  for (std::size_t k = 0; k < uses_.size(); ++k) {
    Use& u = uses_[k];
    const Spec& spec = u.op->spec;
    const std::string& written = items_[u.item].written;
    const bool said = written.find_first_of("0123456789") != std::string::npos;
    if (rank > 0 && !said && spec.inputs[0].shape.size() != rank)
      for (const std::string& name : split_list(directive(spec, "ranks")))
        if (const LibraryOp* other = library_.find(name); other && other->spec.inputs[0].shape.size() == rank) {
          u.op = other;
          items_[u.item].value = name;
          break;
        }
    const Spec& chosen = u.op->spec;
    const bool free = spreads(chosen) || has_axis(chosen);
    if (!free) rank = chosen.outputs[0].shape.size();
    if (free && k > 0 && chosen.inputs[0].shape.size() != chosen.outputs[0].shape.size()) rank = 0;
  }
}

void Builder::keep_dimension(Spec& spec) {
  const Use& last = uses_.back();
  const std::size_t rank = spec.outputs[0].shape.size() + 1;
  const auto at = last.axis ? axis_of(last, rank) : std::optional(rank - 1);
  if (last.op->family != "row-reduction" || (last.axis && last.axis->kind == "whole"))
    return ask("'keepdim' does not fit: " + last.op->spec.name + " does not reduce one dimension.");
  if (!at) return;
  auto kept = with_kept_dimension(spec, *at);
  if (!kept) return ask("The dimension cannot be kept: " + kept.error().message + ".");
  spec = std::move(*kept);
}

// "log sum", "sum log": nothing between a function and a reduction says which comes first.
void Builder::order_of_two() {
  if (uses_.size() != 2 || uses_[1].item != uses_[0].item + 1 || items_[uses_[1].item].underscored) return;
  const auto reduces = [](const Use& u) { return u.op->family == "row-reduction" || u.op->family == "reduction"; };
  const auto maps = [](const Use& u) { return u.op->family == "map" && u.op->spec.inputs.size() == 1; };
  const Use &first = uses_[0], &second = uses_[1];
  if (!(maps(first) && reduces(second)) && !(reduces(first) && maps(second))) return;
  const Item &a = items_[first.item], &b = items_[second.item];
  if (a.entries == nullptr || b.entries == nullptr) return;  // "add 1"
  ask("Is '" + a.written + "' meant of what '" + b.written + "' gives, or the other way around?");
  alternatives_.push_back({a.span.end, " of", "first '" + b.written + "'"});
  alternatives_.push_back({a.span.end, " then", "first '" + a.written + "'"});
}

void Builder::reduction() {
  if (uses_.empty() || uses_.back().op->family != "loss") return;
  for (const Item& i : items_)
    if (i.reduction && i.value != "mean") reduction_ = i.value;
}

void Builder::ask(std::string question) {
  if (std::find(questions_.begin(), questions_.end(), question) == questions_.end())
    questions_.push_back(std::move(question));
}

std::string Builder::axis_words(const Axis& a) const {
  return "'" + items_[a.item].written + (a.kind == "index" ? " " + number_text(a.index) : "") + "'";
}

bool Builder::joins(const Spec& before, const Spec& next, const Use& use) {
  if (before.outputs.size() != 1 || next.inputs.empty()) return true;  // compose() reports the error
  const auto fed = shape_of(before, before.outputs[0], {});
  const auto& want = next.inputs[0].shape;
  if (!fed || fed->size() != want.size()) return true;
  for (std::size_t k = 0; k < want.size(); ++k) {
    const auto v = eval_integer(*want[k], [&](const std::string& name) -> std::optional<std::int64_t> {
      const auto f = use.known.find(name);
      return f == use.known.end() ? std::nullopt : std::optional(f->second);
    });
    if (!v || *v == (*fed)[k]) continue;
    ask("'" + next.name + "' would be given " + shape_text(*fed) + " by '" + before.name + "', but its " +
        print(*want[k]) + " is said to be " + std::to_string(*v) + ".");
    return false;
  }
  return true;
}

bool Builder::keeps_sizes(const Spec& before, const Spec& after) {
  const Use& first = uses_[0];
  if (first.sizes.empty() && first.shapes.empty() && first.assigns.empty() && first.total == Item::none) return true;
  for (std::size_t k = 0; k < before.inputs.size() && k < after.inputs.size(); ++k) {
    const auto was = shape_of(before, before.inputs[k], {}), is = shape_of(after, after.inputs[k], {});
    if (!was || !is || *was == *is) continue;
    ask("In '" + after.name + "' the tensor '" + after.inputs[k].name + "' must be " + shape_text(*is) + ", not " +
        shape_text(*was) + ".");
    return false;
  }
  return true;
}

bool Builder::takes_axis(const LibraryOp& op) {
  return has_axis(op.spec) || (spreads(op.spec) && op.family == "normalization");
}

void Builder::axes() {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].kind != Kind::axis || each_element(i)) continue;
    // The op before it that can take an axis, else the one after, else the nearest op, which will refuse.
    Use* front = nullptr;
    Use* behind = nullptr;
    for (Use& u : uses_) {
      if (!takes_axis(*u.op) && directive(u.op->spec, "pairs").empty()) continue;
      if (u.item < i && (!front || u.item > front->item)) front = &u;
      if (u.item > i && (!behind || u.item < behind->item)) behind = &u;
    }
    Use* owner = front ? front : behind;
    const Axis axis{items_[i].value, items_[i].number, i};
    if (!owner) {
      const LibraryOp& op = *uses_[0].op;
      if (axis.kind == "whole" && (op.family == "reduction" || op.family == "loss" || op.family == "map")) {
        items_[i].read_as(Meaning::axis, op.spec.name + " takes all elements in any case");
        continue;
      }
      ask(axis_words(axis) + " does not fit: " + op.spec.name +
          (op.family == "map" ? " treats each element by itself." : " does not let you choose a dimension."));
      continue;
    }
    if (pairs(*owner, i) || of_function(*owner, i)) continue;
    // "sum of rows and columns"
    const std::string& named = items_[owner->item].text;
    if (i == owner->item + 2 && items_[i - 1].text == "and" &&
        (named.find("row") != std::string::npos || named.find("column") != std::string::npos)) {
      ask("Are both meant? Write one result after the other, such as 'row sums and column sums'.");
      continue;
    }
    if (owner->axis && axis.kind == "index" && owner->axis->kind == "whole") {  // "of all elements along dim 1"
      items_[owner->axis->item].read_as(Meaning::axis, "the elements of dimension " + number_text(axis.index));
      owner->axis.reset();
    }
    if (owner->axis && !same_axis(*owner->axis, axis)) {
      ask(owner->op->spec.name + " is asked for both " + axis_words(*owner->axis) + " and " + axis_words(axis) +
          "; which is meant?");
      continue;
    }
    if (owner->axis) {
      items_[i].read_as(Meaning::axis, "said twice");
      if (items_[i].value_at != Item::none) items_[items_[i].value_at].read_as(Meaning::axis, "said twice");
      continue;
    }
    owner->axis = axis;
  }
}

// "over the last dim, one value per row": both are the last dimension.
bool Builder::same_axis(const Axis& a, const Axis& b) {
  const auto is_last = [](const Axis& x) { return x.kind == "rows" || x.kind == "last"; };
  return (a.kind == b.kind && a.index == b.index) || (is_last(a) && is_last(b));
}

// "exp of the elements, then row sums", "row sums of all elements": the elements are those of the function, or of the
// rows that the op names.
bool Builder::of_function(const Use& owner, std::size_t item) {
  Item& it = items_[item];
  if (it.value != "whole") return false;
  const std::string& named = items_[owner.item].text;
  const bool rows = named.find("row") != std::string::npos || named.find("col") != std::string::npos;
  const Use* function = nullptr;
  for (const Use& u : uses_)
    if (u.item < item && (!function || u.item > function->item)) function = &u;
  std::size_t behind = function ? function->item + 1 : item;
  while (behind < item && items_[behind].kind == Kind::filler) ++behind;
  const bool maps = function && function->op->family == "map" && behind == item;
  const bool axis_follows = std::any_of(items_.begin() + static_cast<std::ptrdiff_t>(item) + 1, items_.end(),
                                        [](const Item& i) { return i.kind == Kind::axis; });
  const bool reduces = owner.op->family == "row-reduction" || owner.op->family == "reduction";
  if (!rows && !(maps && owner.item > item && (axis_follows || !reduces))) return false;
  it.read_as(Meaning::axis, maps ? "element by element" : "of the rows or columns that the op names");
  return true;
}

// "relu of each element"
bool Builder::each_element(std::size_t item) {
  Item& it = items_[item];
  if (it.value != "elements") return false;
  const Use* owner = &uses_[0];
  for (const Use& u : uses_)
    if (u.item < item && (owner->item > item || u.item > owner->item)) owner = &u;
  if (owner->op->family == "map")
    it.read_as(Meaning::axis, "element by element");
  else
    ask("'" + it.written + "' does not fit: " + owner->op->spec.name + " does not treat each element by itself.");
  return true;
}

// "row by row", "per row": not every row with every row.
bool Builder::row_by_row(std::size_t item) const {
  const std::string& text = items_[item].text;
  const bool one = text.find("row by row") != std::string::npos || text.find("wise") != std::string::npos ||
                   text.starts_with("per ");
  const auto rows = [](const Item& i) { return i.kind == Kind::axis && (i.value == "rows" || i.value == "pairs"); };
  return one && items_[item].value == "rows" && std::count_if(items_.begin(), items_.end(), rows) == 1;
}

// "linear + bias": the bias is that of the layer.
void Builder::own_biases() {
  for (std::size_t k = 1; k < uses_.size(); ++k) {
    const Use &before = uses_[k - 1], &bias = uses_[k];
    if (before.op->spec.name != "linear" || bias.op->spec.name != "bias_add" || bias.item < before.item) continue;
    const auto between = [&](const char* text) {
      return std::any_of(items_.begin() + static_cast<std::ptrdiff_t>(before.item),
                         items_.begin() + static_cast<std::ptrdiff_t>(bias.item) + 1,
                         [&](const Item& i) { return i.written.find(text) != std::string::npos; });
    };
    if (between("another") || between("second") || between("other")) continue;
    items_[bias.item].read_as(Meaning::op, "the bias of the linear layer");
    uses_.erase(uses_.begin() + static_cast<std::ptrdiff_t>(k--));
  }
}

// "every row of A with every row of B", "all pairs of rows": the op over all pairs, if there is one.
bool Builder::pairs(Use& owner, std::size_t item) {
  Item& it = items_[item];
  const std::string name = directive(owner.op->spec, "pairs");
  const bool own = name == owner.op->spec.name;
  bool both = false, each = true;
  if (owner.axis && owner.axis->kind == "rows" && it.value == "rows") {
    for (std::size_t k = owner.axis->item + 1; k < item; ++k)
      both = both || items_[k].text == "and" || items_[k].text == "with" || items_[k].text == "to";
    for (const std::string* text : {&items_[owner.axis->item].text, &it.text})
      each = each && (text->find("each") != std::string::npos || text->find("every") != std::string::npos ||
                      text->find("all") != std::string::npos);
  }
  if (own && row_by_row(item)) {
    const LibraryOp* single = nullptr;
    for (const LibraryOp& op : library_.ops())
      if (op.spec.name != name && directive(op.spec, "pairs") == name) single = &op;
    if (single) owner.op = single;
    if (!single) ask(owner.op->spec.name + " is of all pairs of rows; write a formula for one number per row.");
    it.read_as(Meaning::axis, "each row with the row of the same number");
    return true;
  }
  if (own && (it.value == "rows" || it.value == "pairs")) {
    it.read_as(Meaning::axis, "every row with every row");
    return true;
  }
  if (it.value != "pairs" && !(both && (each || !name.empty()))) return false;
  const LibraryOp* op = name.empty() ? nullptr : library_.find(name);
  if (!op || (both && !each)) {
    ask("Is " + owner.op->spec.name + " meant of each row with the row of the same number, or of all pairs of rows?" +
        (op ? " Write '" + op->spec.name + "' for all pairs." : " Write a formula with indices for all pairs."));
    return true;
  }
  if (owner.axis) items_[owner.axis->item].read_as(Meaning::axis, "every row with every row");
  owner.axis.reset();
  owner.op = op;
  it.read_as(Meaning::axis, "every row with every row");
  return true;
}

std::optional<std::size_t> Builder::axis_of(const Use& u, std::size_t rank) {
  const Axis& a = *u.axis;
  double at = static_cast<double>(rank) - 1;
  if (a.kind == "first") at = 0;
  if (a.kind == "columns") at = static_cast<double>(rank) - 2;
  if (a.kind == "index") at = a.index < 0 ? a.index + static_cast<double>(rank) : a.index;
  if (at < 0 || at >= static_cast<double>(rank) || at != std::floor(at)) {
    if (a.kind == "columns")
      ask("'" + items_[a.item].written + "' needs a matrix; " + u.op->spec.name + " is given a vector.");
    else
      ask("There is no dimension " + number_text(a.index) + ": " + u.op->spec.name + " is given a tensor of " +
          std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions") + ", counted from 0.");
    return std::nullopt;
  }
  return static_cast<std::size_t>(at);
}

void Builder::constants() {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Item& it = items_[i];
    if (it.kind != Kind::constant) continue;
    const double v = items_[it.value_at].number;
    Use* owner = nullptr;
    for (Use& u : uses_) {
      const auto& list = u.op->spec.constants;
      const auto c = std::find_if(list.begin(), list.end(), [&](const Constant& k) { return k.name == it.value; });
      if (c == list.end() || u.constants.count(it.value)) continue;
      // The nearest preceding op with this constant.
      if (!owner || (u.item < i && (owner->item > i || u.item > owner->item))) owner = &u;
    }
    if (!owner) {
      ask("'" + it.value + "' is given twice.");
      continue;
    }
    for (const Constant& c : owner->op->spec.constants)
      if (c.name == it.value && c.type == Type::integer && v != std::floor(v))
        ask("The constant '" + it.value + "' of " + owner->op->spec.name + " must be a whole number.");
    owner->constants[it.value] = v;
    const std::string reading = it.value + " = " + number_text(v) + " of " + owner->op->spec.name;
    it.read_as(Meaning::constant, reading);
    items_[it.value_at].read_as(Meaning::constant, reading);
  }
}

void Builder::missing_constants(Built& out) {
  for (const Use& u : uses_) {
    std::string names, words;
    for (const std::string& name : split_list(directive(u.op->spec, "ask"))) {
      if (u.constants.count(name) || size_given(u, name)) continue;
      names += (names.empty() ? "'" : " and '") + name + "'";
      for (const Constant& c : u.op->spec.constants)
        if (c.name == name) words += (words.empty() ? " with " : " and ") + name + " " + print(*c.value);
    }
    if (names.empty()) continue;
    ask("What is " + names + " of '" + items_[u.item].written + "'? There is no usual value.");
    out.additions.push_back({items_[u.item].span.end, words});
  }
}

bool Builder::size_given(const Use& u, const std::string& constant) const {
  const auto is = [&](const ExprPtr& e) { return e->kind == ExprKind::name && e->name == constant; };
  return std::any_of(u.sizes.begin(), u.sizes.end(), [&](std::size_t i) {
    const auto targets = size_targets(u.op->spec, items_[i].value);
    return std::any_of(targets.begin(), targets.end(), is);
  });
}

// "fp32 accumulate", "accumulated in fp32": the reference is more precise than any type that a kernel sums in.
bool Builder::accumulates(std::size_t item) {
  static const std::set<std::string> words = {
      "accumulate", "accumulation", "accumulator", "accumulated", "accumulating", "accum", "acc", "compute", "math"};
  const auto is = [&](std::size_t i) { return i < items_.size() && words.count(items_[i].text) != 0; };
  std::size_t front = item;
  while (front > 0 && (items_[front - 1].text == "in" || items_[front - 1].text == "with")) --front;
  const bool before = front < item && front > 0 && is(front - 1);
  const bool behind = is(item + 1) && !(item + 3 < items_.size() && items_[item + 2].text == "in" &&
                                        items_[item + 3].kind == Kind::dtype);  // "fp16 accumulate in fp32"
  if (!behind && !before) return false;
  Item& word = items_[before ? front - 1 : item + 1];
  const bool wide = items_[item].value == "f32" || items_[item].value == "f64" || items_[item].value == "i32";
  if (!wide)
    ask("Sums in " + items_[item].value + " cannot be asked for: the op says what is computed, not how precisely.");
  if (word.kind == Kind::unknown) word.kind = Kind::filler;
  word.read_as(Meaning::dtype, "sums in " + items_[item].value + " or better, as the reference has them");
  items_[item].read_as(Meaning::dtype, word.reading);
  const std::size_t joint = behind ? item + 2 : item + 1;  // "fp32 accumulation and output"
  const auto text = [&](std::size_t i) { return i < items_.size() ? items_[i].text : std::string(); };
  if ((text(joint) == "and" || text(joint) == "/") &&
      (text(joint + 1) == "output" || text(joint + 1) == "out" || text(joint + 1) == "result")) {
    const DType type = *dtype_from_name(items_[item].value);
    if (output_ && *output_ != type) ask("Two element types are named for the output; which is meant?");
    output_ = type;
    items_[joint + 1].kind = Kind::filler;
    items_[joint + 1].read_as(Meaning::dtype, "output of element type " + items_[item].value);
  }
  return true;
}

// "fp32 output", "f16 -> f32"
bool Builder::of_output(std::size_t item) {
  if (item > 0 && items_[item - 1].text == ">") return true;
  if (item + 1 >= items_.size()) return false;
  Item& noun = items_[item + 1];
  if (noun.text != "output" && noun.text != "out" && noun.text != "result") return false;
  if (noun.kind == Kind::unknown) noun.kind = Kind::filler;
  return noun.kind == Kind::filler;
}

void Builder::dtype() {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Item& it = items_[i];
    if (it.kind != Kind::dtype) continue;
    if (it.value == "unsupported") {
      ask("There is no element type '" + it.written + "' here; the real ones are f64, f32, f16, bf16, e4m3 and e5m2.");
      continue;
    }
    const DType type = *dtype_from_name(it.value);
    if (!is_real(type) && type == DType::i32 && accumulates(i)) continue;
    const auto has = [&](const Use& u) {
      const auto of_type = [&](const Param& p) { return p.dtype == type; };
      const Spec& spec = u.op->spec;
      return std::any_of(spec.inputs.begin(), spec.inputs.end(), of_type);
    };
    if (!is_real(type) && !of_whole_numbers() && std::any_of(uses_.begin(), uses_.end(), has)) {
      it.kind = Kind::filler;
      it.read_as(Meaning::filler, "element type " + it.value + ", as the op has it");
      continue;
    }
    if (!is_real(type) && !of_whole_numbers()) {
      ask(uses_.size() == 1 ? "'" + uses_[0].op->spec.name + "' gives no whole numbers; " + it.value +
                                  " does not fit. Choose f64, f32, f16, bf16, e4m3 or e5m2."
                            : "The ops of the library compute with real numbers; " + it.value +
                                  " is not real. Choose f64, f32, f16, bf16, e4m3 or e5m2.");
      continue;
    }
    if (is_real(type) && accumulates(i)) continue;
    const bool output = of_output(i);
    std::optional<DType>& place = output ? output_ : dtype_;
    if (place && *place != type) {
      ask("Two element types are named, " + std::string(dtype_name(*place)) + " and " + it.value + "; which is meant?");
      continue;
    }
    place = type;
    it.read_as(Meaning::dtype, (output ? "output of element type " : "element type ") + it.value);
  }
}

namespace {

// Whether `e` is an integer for integer operands: sums, products and choices, but no quotient or real function.
bool stays_whole(const Expr& e) {
  if (e.kind == ExprKind::real || e.kind == ExprKind::cast) return false;
  if (e.kind == ExprKind::binary && (e.binary == BinaryOp::div || e.binary == BinaryOp::pow) && e.type == Type::real)
    return false;
  if (e.kind == ExprKind::call && e.name != "max" && e.name != "min" && e.name != "abs") return false;
  return std::all_of(e.args.begin(), e.args.end(), [](const ExprPtr& a) { return stays_whole(*a); });
}

}  // namespace

// Ops such as xor, which take any integer type, and those made of sums, products and choices only.
bool Builder::of_whole_numbers() const {
  return std::all_of(uses_.begin(), uses_.end(), [](const Use& u) {
    const Spec& s = u.op->spec;
    const auto whole = [&](const Param& p) { return p.dtype == s.outputs[0].dtype && p.dtype == DType::i32; };
    if (std::all_of(s.inputs.begin(), s.inputs.end(), whole) && std::all_of(s.outputs.begin(), s.outputs.end(), whole))
      return true;
    const bool real =
        std::all_of(s.inputs.begin(), s.inputs.end(), [](const Param& p) { return is_real(p.dtype) && !p.lo; });
    return real && s.constants.empty() &&
           std::all_of(s.equations.begin(), s.equations.end(), [](const Equation& e) { return stays_whole(*e.value); });
  });
}

bool Builder::behind_window(std::size_t index) const {
  for (std::size_t k = 0; k < index; ++k)
    if (uses_[k].op->family == "window" || !size_targets(uses_[k].op->spec, "image").empty()) return true;
  return false;
}

void Builder::finish(Spec& spec) {
  if (uses_.size() > 1) {
    std::string chain;
    for (const Use& u : uses_) chain += (chain.empty() ? "" : ", then ") + u.op->spec.name;
    spec.directives.clear();
    spec.directives.emplace("summary", chain + ".");
    auto with = parse_spec(print(spec), spec.name);
    if (!with) {
      refuse(with.error());
      return;
    }
    spec = std::move(*with);
  }
  if (dtype_ && !is_real(*dtype_)) {
    if (output_ && is_real(*output_)) {
      ask("Two element types are named; which is meant?");
      return;
    }
    // Sums of narrow integers use 32 bits by default.
    const bool sums = std::any_of(spec.equations.begin(), spec.equations.end(), [](const Equation& e) {
      bool found = false;
      for_each(*e.value, [&](const Expr& x) {
        found = found || (x.kind == ExprKind::reduce && (x.reduce == ReduceOp::sum || x.reduce == ReduceOp::prod));
      });
      return found;
    });
    const bool narrow = *dtype_ == DType::i8 || *dtype_ == DType::u8 || *dtype_ == DType::u16;
    const DType result = output_.value_or(sums && narrow ? DType::i32 : *dtype_);
    for (Param& p : spec.inputs)
      if (is_real(p.dtype) || p.dtype == DType::i32) p.dtype = *dtype_;
    for (Param& p : spec.outputs)
      if (is_real(p.dtype) || p.dtype == DType::i32) p.dtype = result;
    auto with = parse_spec(print(spec), spec.name);
    if (!with) {
      refuse(with.error());
      return;
    }
    spec = std::move(*with);
  } else if (dtype_ || output_) {
    const DType type = dtype_.value_or(DType::f32);
    const auto own = [&](const Param& p) { return type != DType::f32 && p.dtype == type; };
    if (!output_ && std::any_of(spec.inputs.begin(), spec.inputs.end(), own)) return;  // the op has it anyway
    const bool any =
        std::any_of(spec.inputs.begin(), spec.inputs.end(), [](const Param& p) { return is_real(p.dtype); }) ||
        std::any_of(spec.outputs.begin(), spec.outputs.end(), [](const Param& p) { return is_real(p.dtype); });
    if (!any) {
      ask(spec.name + " has no tensor of real numbers; the element type " + std::string(dtype_name(type)) +
          " does not fit.");
      return;
    }
    auto with = with_dtype(spec, type);
    if (with && output_) {
      for (Param& p : with->outputs)
        if (is_real(p.dtype)) p.dtype = *output_;
      with = parse_spec(print(*with), spec.name);
    }
    if (!with) {
      refuse(with.error());
      return;
    }
    spec = std::move(*with);
  }
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs}) {
    for (const Param& p : *list) {
      const auto shape = shape_of(spec, p, {});
      if (!shape) {
        refuse(shape.error());
        return;
      }
    }
  }
}

Built build(const Library& library, std::vector<Item>& items, const std::vector<std::size_t>& order) {
  return Builder(library, items, order).run();
}

}  // namespace ww::op::phrases
