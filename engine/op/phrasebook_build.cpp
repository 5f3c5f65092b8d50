// SPDX-License-Identifier: Apache-2.0
#include "op/phrasebook_build.h"
#include <algorithm>
#include <cmath>
#include "op/parse.h"
#include "op/phrasebook_rank.h"
#include "op/transform.h"

namespace ww::op::phrases {
namespace {

using Kind = Item::Kind;

constexpr double largest_size = 1099511627776.0;  // 2^40, the language's own limit

class Builder {
 public:
  Builder(const Library& library, std::vector<Item>& items, const std::vector<std::size_t>& order)
      : library_(library), items_(items) {
    for (std::size_t at : order) {
      Use u;
      u.op = &library.ops()[items[at].op];
      u.item = at;
      uses_.push_back(std::move(u));
    }
  }

  Built run() {
    axes();
    constants();
    sizes();
    dtype();
    for (std::string& q : operand_questions(items_, uses_)) ask(std::move(q));
    Built out;
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
    if (spec && questions_.empty()) finish(*spec);
    if (questions_.empty()) out.spec = std::move(spec);
    out.questions = std::move(questions_);
    return out;
  }

 private:
  void ask(std::string question) {
    if (std::find(questions_.begin(), questions_.end(), question) == questions_.end())
      questions_.push_back(std::move(question));
  }
  std::string axis_words(const Axis& a) const {
    return "'" + items_[a.item].written + (a.kind == "index" ? " " + number_text(a.index) : "") + "'";
  }

  // Whether the sizes that the sentence gives for `next` are those of the tensor that feeds it.
  bool joins(const Spec& before, const Spec& next, const Use& use) {
    if (before.outputs.size() != 1 || next.inputs.empty()) return true;  // compose() says what is wrong
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

  // Joining makes symbols equal, which must not change a size that the sentence gives.
  bool keeps_sizes(const Spec& before, const Spec& after) {
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

  // ---- axes ----
  static bool takes_axis(const LibraryOp& op) {
    return has_axis(op.spec) || (spreads(op.spec) && op.family == "normalization");
  }

  void axes() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].kind != Kind::axis) continue;
      // The op in front of it that can take an axis, else the one behind, else the nearest op, which will refuse.
      Use* front = nullptr;
      Use* behind = nullptr;
      for (Use& u : uses_) {
        if (!takes_axis(*u.op)) continue;
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
            (op.family == "map" ? " treats each element by itself." : " does not work along a dimension of choice."));
        continue;
      }
      if (owner->axis && (owner->axis->kind != axis.kind || owner->axis->index != axis.index)) {
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

  // The dimension, of `rank` of them; asks and gives nothing when there is no such dimension.
  std::optional<std::size_t> axis_of(const Use& u, std::size_t rank) {
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

  // ---- constants, element type ----
  void constants() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& it = items_[i];
      if (it.kind != Kind::constant) continue;
      const double v = items_[it.value_at].number;
      Use* owner = nullptr;
      for (Use& u : uses_) {
        const auto& list = u.op->spec.constants;
        const auto c = std::find_if(list.begin(), list.end(), [&](const Constant& k) { return k.name == it.value; });
        if (c == list.end() || u.constants.count(it.value)) continue;
        // Of several ops with this constant the one that is nearest in front.
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

  void dtype() {
    for (Item& it : items_) {
      if (it.kind != Kind::dtype) continue;
      if (it.value == "unsupported") {
        ask("There is no element type '" + it.written + "' here; the real ones are f64, f32, f16 and bf16.");
        continue;
      }
      const DType type = *dtype_from_name(it.value);
      if (!is_real(type)) {
        ask("The ops of the library compute with real numbers; " + it.value +
            " is none. Choose f64, f32, f16 or bf16.");
        continue;
      }
      if (dtype_ && *dtype_ != type) {
        ask("Two element types are named, " + std::string(dtype_name(*dtype_)) + " and " + it.value +
            "; which is meant?");
        continue;
      }
      dtype_ = type;
      it.read_as(Meaning::dtype, "element type " + it.value);
    }
  }

  // A bias or an axis behind a convolution or pooling belongs to the channels.
  bool behind_window(std::size_t index) const {
    for (std::size_t k = 0; k < index; ++k)
      if (uses_[k].op->family == "window") return true;
    return false;
  }

  // ---- which op each size belongs to ----
  bool whole_size(std::size_t item, double least = 1) {
    const std::vector<double> all =
        items_[item].kind == Kind::shape ? items_[item].dims : std::vector<double>{items_[item].number};
    for (double v : all) {
      if (v == std::floor(v) && v >= least && v <= largest_size) continue;
      ask("A size is a whole number from " + number_text(least) + " to 2^40; " + number_text(v) + " is not.");
      return false;
    }
    return true;
  }
  bool accepts(std::size_t use, const std::string& kind) const {
    const Use& u = uses_[use];
    if (!size_targets(u.op->spec, kind).empty()) {
      // The same kind twice goes to two ops.
      return std::none_of(u.sizes.begin(), u.sizes.end(), [&](std::size_t i) { return items_[i].value == kind; });
    }
    return use == 0 && spreads(u.op->spec) && (place_of_kind(kind) >= 0 || kind == "elements");
  }

  void sizes() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& it = items_[i];
      if (it.kind == Kind::size) {
        if (it.value_at == Item::none) {
          if (it.entry(Sort::filler))
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
        std::size_t use = 0;
        while (use < uses_.size() && !accepts(use, it.value)) ++use;
        if (use < uses_.size()) {
          uses_[use].sizes.push_back(i);
        } else if (it.entry(Sort::filler)) {  // "a relu kernel 512x1024"
          it.kind = Kind::filler;
          plain(it.value_at);
        } else {
          const LibraryOp& op = *uses_[0].op;
          const bool twice = std::any_of(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(i),
                                         [&](const Item& o) { return o.kind == Kind::size && o.value == it.value; });
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

  // A shape or number without a word of its own belongs to what the chain begins with, or is the filter of the op
  // beside it. A number stands for the size behind an op ("matmul 1024") and in front of an element type ("1024
  // floats").
  void plain(std::size_t i) {
    const bool small = std::all_of(items_[i].dims.begin(), items_[i].dims.end(), [](double d) { return d <= 11; });
    if (items_[i].kind == Kind::shape && small) {
      for (Use& u : uses_) {
        const auto kernel = size_targets(u.op->spec, "kernel");
        if (kernel.empty() || (u.item != i + 1 && u.item + 1 != i)) continue;
        items_[i].value = "kernel";
        items_[i].value_at = i;
        u.sizes.push_back(i);
        return;
      }
    }
    if (items_[i].kind == Kind::shape) {
      uses_[0].shapes.push_back(i);
    } else if (uses_[0].total == Item::none && (said_size(i) || (i > 0 && items_[i - 1].kind == Kind::op) ||
                                                (i + 1 < items_.size() && items_[i + 1].kind == Kind::dtype))) {
      uses_[0].total = i;
    } else {
      ask("It is not clear what the number " + number_text(items_[i].number) +
          " stands for; write '512x1024' or '512 rows'.");
    }
  }
  bool said_size(std::size_t number) const {
    return std::any_of(items_.begin(), items_.end(), [&](const Item& i) {
      return i.kind == Kind::size && i.value == "size" && i.value_at == number;
    });
  }

  void assign(std::size_t i) {
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

  // ---- one op at its shape ----
  std::optional<Spec> shaped(std::size_t index, const Spec* before) {
    Use& u = uses_[index];
    std::optional<Spec> out;
    if (spreads(u.op->spec))
      out = spread(u, before, behind_window(index));
    else
      out = fixed(u, before);
    if (!out || !questions_.empty()) return std::nullopt;
    if (!u.constants.empty()) {
      auto with = with_constants(*out, u.constants);
      if (!with) return refuse(with.error());
      out = std::move(*with);
    }
    Item& it = items_[u.item];
    if (it.reading.empty()) it.read_as(Meaning::op, "the op " + out->name);
    return out;
  }

  std::optional<Spec> refuse(const Error& e) {
    std::string text = e.message;
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    ask(text + ".");
    return std::nullopt;
  }

  std::optional<Spec> spread(Use& u, const Spec* before, bool images) {
    const Spec* spec = &u.op->spec;
    std::optional<Dims> dims = before ? dims_before(u, *before) : dims_given(u);
    if (!dims) return std::nullopt;
    if (u.axis && u.axis->kind == "whole") {
      const std::string whole = directive(*spec, "whole");
      const LibraryOp* other = whole.empty() ? nullptr : library_.find(whole);
      if (!other && dims->size() > 1) {
        ask("There is no " + spec->name + " over the whole tensor in the library; name a dimension.");
        return std::nullopt;
      }
      if (other) u.op = other;
      items_[u.axis->item].read_as(Meaning::axis, "all elements together");
      items_[u.item].read_as(Meaning::op, "the op " + (other ? whole : spec->name));
      spec = &u.op->spec;
      u.axis.reset();
    }
    std::optional<std::size_t> axis;
    if (u.axis) {
      axis = axis_of(u, dims->size());
      if (!axis) return std::nullopt;
      if (!has_axis(*spec) && *axis != dims->size() - 1) {
        ask(spec->name + " works along the last dimension only, not " + axis_words(*u.axis) + ".");
        return std::nullopt;
      }
      const std::string columns = directive(*spec, "columns");
      const LibraryOp* other = !columns.empty() && dims->size() == 2 && *axis == 0 ? library_.find(columns) : nullptr;
      explain_axis(u, *dims, *axis);
      if (other) {
        u.op = other;
        std::map<std::string, std::int64_t> symbols;
        for (std::size_t i = 0; i < 2; ++i) symbols[other->spec.inputs[0].shape[i]->name] = (*dims)[i];
        items_[u.item].read_as(Meaning::op, "the op " + columns);
        explain(u, other->spec, *dims);
        auto out = with_defaults(other->spec, symbols);
        if (!out) return refuse(out.error());
        return std::move(*out);
      }
    }
    if (!u.axis && images && dims->size() >= 3 && has_axis(*spec)) {
      if (u.op->family != "map") {
        ask("Along which dimension of the images does " + spec->name +
            " work? Write 'over dimension 1' for the channels or 'over dimension " + std::to_string(dims->size() - 1) +
            "' for the columns.");
        return std::nullopt;
      }
      axis = 1;
      items_[u.item].read_as(Meaning::op, "the op " + spec->name + ", one bias per channel");
    }
    auto out = at_shape(*spec, *dims, axis);
    if (!out) return refuse(out.error());
    const bool sized = before || !u.sizes.empty() || !u.shapes.empty() || !u.assigns.empty() || u.total != Item::none;
    if (items_[u.item].reading.empty()) {
      const std::string kept = defaults_text(u, sized ? std::map<std::string, std::int64_t>() : out->defaults);
      items_[u.item].read_as(Meaning::op, "the op " + out->name +
                                              (has_axis(*spec) && !u.axis ? ", along the last dimension" : "") +
                                              (kept.empty() ? "" : ", with " + kept + " by default"));
    }
    if (!before) {
      explain(u, *out, *dims);
      if (!more_shapes(u, *out)) return std::nullopt;
    }
    return std::move(*out);
  }

  // What the sentence leaves as it is: the given symbols, and constants that it does not name.
  static std::string defaults_text(const Use& u, const std::map<std::string, std::int64_t>& symbols) {
    std::string out = bindings_text(symbols);
    for (const Constant& c : u.op->spec.constants)
      if (!u.constants.count(c.name)) out += (out.empty() ? "" : ", ") + c.name + " = " + print(*c.value);
    return out;
  }

  void explain_axis(const Use& u, const Dims& dims, std::size_t axis) {
    const std::string where = "over dimension " + std::to_string(axis) + " of " + std::to_string(dims[axis]);
    const bool reduces = u.op->family == "row-reduction";
    std::string text;
    if (u.axis->kind == "rows") text = reduces ? "one result per row: " : "each row on its own: ";
    if (u.axis->kind == "columns") text = reduces ? "one result per column: " : "each column on its own: ";
    items_[u.axis->item].read_as(Meaning::axis, text + where);
    if (const std::size_t v = items_[u.axis->item].value_at; v != Item::none) items_[v].read_as(Meaning::axis, where);
  }

  // Readings of all items that decided the shape of the first input.
  void explain(const Use& u, const Spec& spec, const Dims& dims) {
    std::string text = spec.inputs[0].name + " is " + (dims.size() == 1 ? "a vector" : shape_text(dims));
    for (std::size_t i = 0; i < dims.size(); ++i)
      text += (i ? ", " : ": ") + print(*spec.inputs[0].shape[i]) + " = " + std::to_string(dims[i]);
    for (std::size_t i : u.shapes) items_[i].read_as(Meaning::shape, text);
    if (u.total != Item::none) items_[u.total].read_as(Meaning::shape, text);
    for (std::size_t i : u.sizes) {
      const std::string one = items_[i].value + " = " + shape_text(dims_of(items_, items_[i].value_at)) + "; " + text;
      items_[i].read_as(Meaning::shape, one);
      items_[items_[i].value_at].read_as(Meaning::shape, one);
    }
    for (std::size_t i : u.assigns) {
      items_[i].read_as(Meaning::shape, items_[i].value + " = " + number_text(items_[items_[i].value_at].number));
      items_[items_[i].value_at].read_as(Meaning::shape, items_[i].reading);
    }
    for (std::size_t i : rank_hints_) items_[i].read_as(Meaning::shape, std::to_string(dims.size()) + " dimensions");
    if (dims.size() == 1)
      for (Item& i : items_)
        if (i.kind == Kind::filler && i.text == "vector") i.read_as(Meaning::shape, "1 dimension");
  }

  // Second and further shapes must be those of the further inputs.
  bool more_shapes(const Use& u, const Spec& spec) {
    for (std::size_t k = 1; k < u.shapes.size(); ++k) {
      const Dims given = dims_of(items_, u.shapes[k]);
      if (k >= spec.inputs.size()) {
        ask(spec.name + " has " + std::to_string(spec.inputs.size()) +
            (spec.inputs.size() == 1 ? " input" : " inputs") + "; there is no tensor for the shape " +
            shape_text(given) + ".");
        return false;
      }
      const auto want = shape_of(spec, spec.inputs[k], {});
      if (!want || *want != given) {
        ask("'" + spec.inputs[k].name + "' of " + spec.name + " must be " +
            (want ? shape_text(*want) : "of another shape") + ", not " + shape_text(given) + ".");
        return false;
      }
      items_[u.shapes[k]].read_as(Meaning::shape, spec.inputs[k].name + " is " + shape_text(given));
    }
    return true;
  }

  std::optional<Dims> dims_before(const Use& u, const Spec& before) {
    if (before.outputs.size() != 1) {
      ask("'" + before.name + "' has several outputs; nothing can follow it.");
      return std::nullopt;
    }
    auto shape = shape_of(before, before.outputs[0], {});
    if (!shape) {
      refuse(shape.error());
      return std::nullopt;
    }
    if (shape->empty()) {
      ask("'" + u.op->spec.name + "' cannot follow '" + before.name + "', which gives a single number.");
      return std::nullopt;
    }
    return *shape;
  }

  std::optional<Dims> dims_given(const Use& u) {
    auto dims = given_shape(u, items_);
    if (!dims) {
      ask(dims.error().message);
      return std::nullopt;
    }
    // "the maximum of a vector"
    const bool sized = !u.sizes.empty() || !u.shapes.empty() || !u.assigns.empty() || u.total != Item::none;
    if (!sized && (says("vector") || says("array")) && !says("matrix") && !says("matrice") && !says("tensor"))
      *dims = {dims->back()};
    if (!ranks_fit(u.op->spec.name, dims->size())) return std::nullopt;
    return *dims;
  }
  bool says(const std::string& word) const {
    return std::any_of(items_.begin(), items_.end(),
                       [&](const Item& i) { return i.kind == Kind::filler && i.text == word; });
  }
  bool ranks_fit(const std::string& name, std::size_t rank) {
    for (std::size_t i : rank_hints_) {
      if (static_cast<std::size_t>(items_[i].number) == rank || name.find(items_[i].text) != std::string::npos)
        continue;  // "conv 2D"
      ask("'" + items_[i].written + "' does not fit: " + name + " would be given a tensor of " + std::to_string(rank) +
          " dimensions; write its whole shape.");
      return false;
    }
    return true;
  }

  // ---- ops of fixed rank ----
  bool agreed(const Status& status) {
    if (!status) ask(status.error().message);
    return status.has_value();
  }

  std::optional<Spec> fixed(Use& u, const Spec* before) {
    const Spec& spec = u.op->spec;
    if (u.axis) {
      ask(spec.name + " does not work along a dimension of choice; " + axis_words(*u.axis) + " does not fit.");
      return std::nullopt;
    }
    Sizing s;
    s.spec = &spec;
    s.shown = spec.name;
    Targets readings;
    for (std::size_t i : u.sizes) {
      const auto targets = size_targets(spec, items_[i].value);
      if (!agreed(named_size(s, items_, i, targets))) return std::nullopt;
      readings[i] = targets;
    }
    for (std::size_t i : u.assigns) {
      const ExprPtr name = *parse_integer_expr(items_[i].value);
      s.equations.emplace_back(name, static_cast<std::int64_t>(items_[items_[i].value_at].number));
      readings[i] = {name};
    }
    for (std::size_t k = 0; k < u.shapes.size(); ++k)
      if (!agreed(literal_size(s, items_, u, k, readings))) return std::nullopt;
    if (u.total != Item::none && !agreed(total_size(s, items_, u, readings))) return std::nullopt;
    if (!before && !ranks_fit(spec.name, spec.inputs[0].shape.size())) return std::nullopt;
    for (std::size_t i : rank_hints_) items_[i].read_as(Meaning::shape, items_[i].text);
    if (!agreed(solve(s))) return std::nullopt;
    const auto known = [&](const std::string& name) -> std::optional<std::int64_t> {
      if (const auto f = s.symbols.find(name); f != s.symbols.end()) return f->second;
      if (const auto f = s.constants.find(name); f != s.constants.end()) return static_cast<std::int64_t>(f->second);
      return std::nullopt;
    };
    for (const auto& [item, targets] : readings) {
      std::string text;
      for (const ExprPtr& e : targets) {
        const auto v = eval_integer(*e, known);
        text += (text.empty() ? "" : ", ") + print(*e) + " = " + (v ? std::to_string(*v) : "?");
      }
      items_[item].read_as(Meaning::shape, text);
      if (items_[item].value_at != Item::none) items_[items_[item].value_at].read_as(Meaning::shape, text);
    }
    for (const auto& [name, value] : s.constants) u.constants[name] = value;
    u.known = s.symbols;
    std::map<std::string, std::int64_t> rest = spec.defaults;
    for (const auto& [name, value] : s.symbols) rest.erase(name);
    const std::string kept = defaults_text(u, before ? std::map<std::string, std::int64_t>() : rest);
    items_[u.item].read_as(Meaning::op, "the op " + spec.name + (kept.empty() ? "" : ", with " + kept + " by default"));
    auto out = with_defaults(spec, s.symbols);
    if (!out) return refuse(out.error());
    return std::move(*out);
  }

  // ---- the end ----
  void finish(Spec& spec) {
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
    if (dtype_) {
      const bool any =
          std::any_of(spec.inputs.begin(), spec.inputs.end(), [](const Param& p) { return is_real(p.dtype); }) ||
          std::any_of(spec.outputs.begin(), spec.outputs.end(), [](const Param& p) { return is_real(p.dtype); });
      if (!any) {
        ask(spec.name + " has no tensor of real numbers; the element type " + std::string(dtype_name(*dtype_)) +
            " does not fit.");
        return;
      }
      auto with = with_dtype(spec, *dtype_);
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

  const Library& library_;
  std::vector<Item>& items_;
  std::vector<Use> uses_;
  std::vector<std::size_t> rank_hints_;
  std::optional<DType> dtype_;
  std::vector<std::string> questions_;
};

}  // namespace

Built build(const Library& library, std::vector<Item>& items, const std::vector<std::size_t>& order) {
  return Builder(library, items, order).run();
}

}  // namespace ww::op::phrases
