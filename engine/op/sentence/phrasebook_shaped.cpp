// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include "op/parse.h"
#include "op/sentence/phrasebook_builder.h"
#include "op/sentence/phrasebook_rank.h"
#include "op/transform.h"

namespace ww::op::phrases {

using Kind = Item::Kind;

std::optional<Spec> Builder::shaped(std::size_t index, const Spec* before) {
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

std::optional<Spec> Builder::refuse(const Error& e) {
  std::string text = e.message;
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  ask(text + ".");
  return std::nullopt;
}

std::optional<Spec> Builder::spread(Use& u, const Spec* before, bool images) {
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

std::string Builder::defaults_text(const Use& u, const std::map<std::string, std::int64_t>& symbols) {
  std::string out = bindings_text(symbols);
  for (const Constant& c : u.op->spec.constants)
    if (!u.constants.count(c.name)) out += (out.empty() ? "" : ", ") + c.name + " = " + print(*c.value);
  return out;
}

void Builder::explain_axis(const Use& u, const Dims& dims, std::size_t axis) {
  const std::string where = "over dimension " + std::to_string(axis) + " of " + std::to_string(dims[axis]);
  const bool reduces = u.op->family == "row-reduction";
  std::string text;
  if (u.axis->kind == "rows") text = reduces ? "one result per row: " : "each row on its own: ";
  if (u.axis->kind == "columns") text = reduces ? "one result per column: " : "each column on its own: ";
  items_[u.axis->item].read_as(Meaning::axis, text + where);
  if (const std::size_t v = items_[u.axis->item].value_at; v != Item::none) items_[v].read_as(Meaning::axis, where);
}

void Builder::explain(const Use& u, const Spec& spec, const Dims& dims) {
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

bool Builder::more_shapes(const Use& u, const Spec& spec) {
  for (std::size_t k = 1; k < u.shapes.size(); ++k) {
    const Dims given = dims_of(items_, u.shapes[k]);
    if (k >= spec.inputs.size()) {
      ask(spec.name + " has " + std::to_string(spec.inputs.size()) + (spec.inputs.size() == 1 ? " input" : " inputs") +
          "; there is no tensor for the shape " + shape_text(given) + ".");
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

std::optional<Dims> Builder::dims_before(const Use& u, const Spec& before) {
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

std::optional<Dims> Builder::dims_given(const Use& u) {
  auto dims = given_shape(u, items_);
  if (!dims) {
    ask(dims.error().message);
    return std::nullopt;
  }
  // "the maximum of a vector"
  const bool sized = !u.sizes.empty() || !u.shapes.empty() || !u.assigns.empty() || u.total != Item::none;
  const auto is_vector = [](const Param& p) { return p.shape.size() == 1; };
  const bool own =
      std::any_of(u.op->spec.inputs.begin(), u.op->spec.inputs.end(), is_vector);  // "scale each column by a vector"
  if (!sized && !own && (says("vector") || says("array")) && !says("matrix") && !says("matrice") && !says("tensor"))
    *dims = {dims->back()};
  if (!sized && !u.axis)
    if (auto later = dims_of_later()) dims = std::move(*later);
  if (!sized && spreads(u.op->spec))
    for (std::size_t i : rank_hints_) {  // "softmax of a 3D tensor"
      if (u.op->spec.name.find(items_[i].text) != std::string::npos) continue;
      const std::size_t rank = static_cast<std::size_t>(items_[i].number);
      while (dims->size() > rank) dims->erase(dims->begin());
      while (dims->size() < rank) dims->insert(dims->begin(), 4);
    }
  if (!ranks_fit(u.op->spec.name, dims->size())) return std::nullopt;
  return *dims;
}

// "relu then 2x2 max pooling": the first op takes the input of the pooling.
std::optional<Dims> Builder::dims_of_later() {
  std::size_t k = 0;
  while (k < uses_.size() && spreads(uses_[k].op->spec) && uses_[k].op->family == "map") ++k;
  if (k == 0 || k == uses_.size() || spreads(uses_[k].op->spec)) return std::nullopt;
  Use copy = uses_[k];
  const auto spec = fixed(copy, nullptr);
  if (!spec || spec->inputs.empty()) return std::nullopt;
  const auto shape = shape_of(*spec, spec->inputs[0], {});
  return shape ? std::optional<Dims>(*shape) : std::nullopt;
}

bool Builder::says(const std::string& word) const {
  return std::any_of(items_.begin(), items_.end(),
                     [&](const Item& i) { return i.kind == Kind::filler && i.text == word; });
}

bool Builder::ranks_fit(const std::string& name, std::size_t rank) {
  for (std::size_t i : rank_hints_) {
    if (static_cast<std::size_t>(items_[i].number) == rank || name.find(items_[i].text) != std::string::npos)
      continue;  // "conv 2D"
    static const std::set<std::string> nouns = {"input", "tensor", "array", "matrix", "data", "vector"};
    const bool tensor = i + 1 < items_.size() && nouns.count(items_[i + 1].text) != 0;  // "of 2D input tensors"
    const bool images = uses_.size() == 1 && !tensor && !size_targets(uses_[0].op->spec, "channels").empty();
    if (images && static_cast<std::size_t>(items_[i].number) + 2 == rank) continue;  // "batch norm 2d"
    ask("'" + items_[i].written + "' does not fit: " + name + " would be given a tensor of " + std::to_string(rank) +
        " dimensions; write its whole shape.");
    return false;
  }
  return true;
}

bool Builder::agreed(const Status& status) {
  if (!status) ask(status.error().message);
  return status.has_value();
}

// "batch norm of a 32x64 matrix": rows of features, for which there is an op of its own (`//@ ranks:`), not the size of
// images. Whether that is asked about.
bool Builder::rows_for_images(Use& u) {
  static const std::set<std::string> nouns = {"image", "picture", "frame", "feature map"};
  const Spec& spec = u.op->spec;
  if (u.shapes.size() != 1 || spec.inputs[0].shape.size() != 4 || u.op->family == "window") return false;
  const std::size_t shape = u.shapes[0];
  const std::size_t given = items_[shape].dims.size();
  if (given == 3 && !directive(spec, "ranks").empty() && shape + 1 < items_.size() &&
      items_[shape + 1].text == "tensor") {
    ask("Is " + shape_text(dims_of(items_, shape)) +
        " one image, or a batch of signals or of rows? Write the whole shape, such as 8x32x16x16.");
    return true;
  }
  if (given != 2 || (shape + 1 < items_.size() && nouns.count(items_[shape + 1].text))) return false;
  const LibraryOp* rows = nullptr;
  for (const std::string& name : split_list(directive(spec, "ranks")))
    if (const LibraryOp* op = library_.find(name); op && op->spec.inputs[0].shape.size() == 2) rows = op;
  if (!rows) return false;
  const Item& noun = items_[std::min(shape + 1, items_.size() - 1)];
  if (rows->variants.empty() && (noun.text == "matrix" || noun.text == "matrice")) {
    u.op = rows;
    return false;
  }
  const std::string& written = items_[u.item].written;
  ask("Is " + shape_text(dims_of(items_, shape)) +
      " a batch of rows, whose columns are the channels, or the size of images? Rows are normalized by stored "
      "statistics or, in training, by those of the batch.");
  alternatives_.push_back({items_[u.item].span.end, " 1d", "'" + written + "' of rows, by stored statistics"});
  alternatives_.push_back(
      {items_[u.item].span.end, " 1d in training mode", "'" + written + "' of rows, by the batch's own statistics"});
  return true;
}

// "attention, S=2048": the one length of a sequence that is named is that of the queries and of the keys.
void Builder::same_lengths(const Use& u, Sizing& sizing) const {
  const std::vector<ExprPtr> lengths = size_targets(*sizing.spec, "sequence");
  const bool other = !u.shapes.empty() || std::any_of(u.sizes.begin(), u.sizes.end(), [&](std::size_t i) {
    const std::string& kind = items_[i].value;
    return kind == "sequence" || kind == "queries" || kind == "keys";
  });
  if (lengths.size() < 2 || other) return;
  const auto given = [&](const ExprPtr& length) {
    return std::find_if(u.assigns.begin(), u.assigns.end(),
                        [&](std::size_t i) { return items_[i].value == print(*length); });
  };
  const auto named = std::find_if(lengths.begin(), lengths.end(),
                                  [&](const ExprPtr& length) { return given(length) != u.assigns.end(); });
  if (named == lengths.end()) return;
  const double value = items_[items_[*given(*named)].value_at].number;
  for (const ExprPtr& length : lengths)
    if (given(length) == u.assigns.end()) sizing.equations.emplace_back(length, static_cast<std::int64_t>(value));
}

std::optional<Spec> Builder::fixed(Use& u, const Spec* before) {
  if (rows_for_images(u)) return std::nullopt;
  const Spec& spec = u.op->spec;
  if (u.axis) {
    ask(spec.name + " does not let you choose a dimension; " + axis_words(*u.axis) + " does not fit.");
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
  same_lengths(u, s);
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

}  // namespace ww::op::phrases
