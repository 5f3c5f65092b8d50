// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include "op/agreement.h"
#include "op/formula/lowering.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/sentence/phrasebook_build.h"
#include "op/sentence/phrasebook_rank.h"
#include "op/transform.h"
#include "op/walk.h"

namespace ww::op::formula {

using Kind = Node::Kind;

std::optional<Spec> Lowering::shaped(const LibraryOp& given, const std::vector<Value>& values,
                                     const Settings& settings) {
  const LibraryOp* op = &given;
  const std::size_t rank = values.empty() ? op->spec.inputs[0].shape.size() : values[0].axes.size();
  const std::string whole = phrases::directive(op->spec, "whole");
  if (settings.whole && !settings.axis && op->family == "row-reduction" && rank > 1 && phrases::spreads(op->spec)) {
    op = whole.empty() ? nullptr : library_.find(whole);
    if (!op) {
      ask("Along which dimension? Write for example dim=1.");
      return std::nullopt;
    }
  }
  Spec out = op->spec;
  if (phrases::spreads(out)) {
    if (rank == 0) {
      ask("'" + given.spec.name + "' needs a tensor, not a single number.");
      return std::nullopt;
    }
    int axis = settings.axis.value_or(static_cast<int>(rank) - 1);
    if (axis < 0) axis += static_cast<int>(rank);
    if (axis < 0 || axis >= static_cast<int>(rank)) {
      ask("There is no dimension " + std::to_string(*settings.axis) + " in a tensor of " + std::to_string(rank) + ".");
      return std::nullopt;
    }
    const std::string columns = phrases::directive(out, "columns");
    if (rank == 2 && axis == 0 && !columns.empty() && library_.find(columns)) {
      out = library_.find(columns)->spec;
    } else {
      std::vector<std::int64_t> dims(rank, 64);
      if (rank == 2)
        for (std::size_t i = 0; i < 2; ++i) dims[i] = out.defaults.at(out.inputs[0].shape[i]->name);
      auto moved = phrases::at_shape(out, dims, static_cast<std::size_t>(axis));
      if (!moved) {
        ask("This does not fit: " + moved.error().message + ".");
        return std::nullopt;
      }
      out = std::move(*moved);
    }
  } else if (settings.axis && *settings.axis != 1 && *settings.axis != -1) {
    ask("'" + given.spec.name + "' does not let you choose a dimension.");
    return std::nullopt;
  }
  return sized(std::move(out), settings);
}

std::optional<Spec> Lowering::sized(Spec out, const Settings& settings) {
  phrases::Sizing sizing;
  sizing.spec = &out;
  sizing.shown = out.name;
  std::map<std::string, double> constants;
  for (const auto& [target, v] : settings.sizes) {
    const bool constant = std::any_of(out.constants.begin(), out.constants.end(),
                                      [&, name = target](const Constant& c) { return c.name == name; });
    if (constant) {
      constants[target] = v;
      continue;
    }
    auto e = parse_integer_expr(target);
    if (!e || v != std::floor(v) || v < 1) {
      ask("A size is a whole number from 1.");
      return std::nullopt;
    }
    sizing.equations.emplace_back(*e, static_cast<std::int64_t>(v));
  }
  if (auto ok = phrases::solve(sizing); !ok) {
    ask(ok.error().message);
    return std::nullopt;
  }
  for (const auto& [name, v] : sizing.symbols) given_sizes_[name] = v;
  Result<Spec> with = with_defaults(out, sizing.symbols);
  if (with && !constants.empty()) with = with_constants(*with, constants);
  if (!with) {
    ask("This does not fit: " + with.error().message + ".");
    return std::nullopt;
  }
  return std::move(*with);
}

namespace {

// A function of each element by itself.
bool is_elementwise(const Spec& spec) {
  if (spec.inputs.size() != 1 || spec.outputs.size() != 1) return false;
  return std::all_of(spec.equations.begin(), spec.equations.end(), [&](const Equation& e) {
    bool own = e.indices.size() == spec.inputs[0].shape.size();
    for_each(*e.value, [&](const Expr& x) {
      own = own && x.indices.empty();
      if (x.kind != ExprKind::access) return;
      own = own && x.args.size() == e.indices.size();
      for (std::size_t d = 0; own && d < x.args.size(); ++d)
        own = x.args[d]->kind == ExprKind::name && x.args[d]->name == e.indices[d].name;
    });
    return own;
  });
}

// Whether the rank of an input varies with the use of the op: gamma[C] of a layer norm has one dimension in any case.
bool spread_input(const Spec& spec, std::size_t input) {
  if (!phrases::spreads(spec)) return false;
  const std::string spread = phrases::directive(spec, "spread");
  const std::vector<ExprPtr>& shape = spec.inputs[input].shape;
  return input == 0 || spread.empty() ||
         std::any_of(shape.begin(), shape.end(), [&](const ExprPtr& d) { return d->name == spread; });
}

}  // namespace

// A formula that works on each element by itself, so on each row by itself, too.
bool Lowering::by_element(const Node& n) const {
  if (n.kind != Kind::name && n.kind != Kind::number && n.kind != Kind::negate && n.kind != Kind::binary &&
      n.kind != Kind::call)
    return false;
  if (n.kind == Kind::binary && product_of_matrices(n)) return false;
  const auto function = [&](const Function& f) {
    return f.name == n.text && f.arity == static_cast<int>(n.args.size());
  };
  const LibraryOp* op = n.kind == Kind::call ? library_.find(n.text) : nullptr;
  if (n.kind == Kind::call && !(op && is_elementwise(op->spec)) &&
      std::none_of(functions().begin(), functions().end(), function))
    return false;
  return n.named.empty() && std::all_of(n.args.begin(), n.args.end(), [&](const Node& a) { return by_element(a); });
}

// The arguments of an op; false where one of them is asked about.
bool Lowering::lower_arguments(const LibraryOp& op, const std::vector<Node>& nodes, Arguments& out) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool own_rank = i < op.spec.inputs.size() && !spread_input(op.spec, i);
    if (nodes[i].kind == Kind::name && own_rank)
      rank_.emplace(nodes[i].text, static_cast<int>(op.spec.inputs[i].shape.size()));
    const bool transposed = nodes[i].kind == Kind::transpose;
    const Node& inner = transposed ? nodes[i].args[0] : nodes[i];
    auto v = lower(inner);
    if (!v) return false;
    const bool name = inner.kind == Kind::name && !transposed;
    out.whole = out.whole && name && v->plain && seen.insert(inner.text).second;
    if (transposed && v->axes.size() == 2) std::swap(v->axes[0], v->axes[1]), v->plain = false;
    out.values.push_back(*v);
    const bool number = nodes.size() == 1 && v->axes.empty() && !v->kept;
    const auto function = [&](const Function& f) { return f.arity == 1 && f.name == op.spec.name; };
    if (number && std::any_of(functions().begin(), functions().end(), function))  // exp(-sum(x)) is one number
      out.number = with_text(*v, op.spec.name + "(" + v->text + ")");
  }
  if (nodes.empty() && fed_) {
    out.values.push_back(*fed_);
    fed_.reset();
    out.whole = false;
  }
  return true;
}

Maybe Lowering::apply(const std::string& name, const std::vector<Node>& given, const Settings& asked) {
  const LibraryOp* op = library_.find(name);
  if (!op) return ask("'" + name + "' is not known here.");
  if (statement_.indexed && !is_elementwise(op->spec))
    return ask("'" + name + "' is no function of a single element; in index notation, write out its formula.");
  Settings settings = asked;
  const bool along = op->family == "row-reduction" || !phrases::directive(op->spec, "axis").empty();
  if (facts_.axis && !settings.axis && along && phrases::spreads(op->spec)) {
    settings.axis = facts_.axis;
    settings.whole = false;
    axis_taken_ = true;
  }
  std::vector<Node> nodes = given;
  if (nodes.empty() && !fed_ && !facts_.general.empty()) {  // "nn.Tanh() on a 64x64 tensor"
    nodes.emplace_back();
    nodes[0].text = op->spec.inputs[0].name;
  }
  Arguments arguments;
  if (!lower_arguments(*op, nodes, arguments)) return std::nullopt;
  if (arguments.number) return arguments.number;
  std::vector<Value>& values = arguments.values;
  bool whole = arguments.whole;
  // A dimension of size 1 is left out until something is joined with it: others would be taken for it.
  const bool kept = std::any_of(values.begin(), values.end(), [](const Value& v) { return v.kept.has_value(); });
  const bool totals = op->family == "reduction" || op->family == "row-reduction";
  const bool function = kept && values.size() == 1 &&
                        std::any_of(functions().begin(), functions().end(),
                                    [&](const auto& f) { return f.name == name && f.arity == 1; });
  if (function) return with_text(values[0], name + "(" + values[0].text + ")");
  if (kept && (!totals || settings.axis || settings.keep))
    return ask("'" + name + "' of a result with keepdim=True is not understood; leave keepdim out.");
  const bool simple = name == "sum" || name == "mean" || name == "max" || name == "min" || name == "prod";
  if (simple && values.size() == 1 && (!values[0].plain || (name == "prod" && !settings.axis)))
    return simple_reduction(name, values[0], settings);
  given_sizes_.clear();
  auto spec = shaped(*op, values, settings);
  if (!spec) return std::nullopt;
  if (!settings.reduction.empty()) {
    auto other = with_reduction(*spec, settings.reduction == "sum" ? LossReduction::sum : LossReduction::none);
    if (!other) return ask(other.error().message + ".");
    spec = std::move(*other);
  }
  used_.push_back(spec->name);
  auto out = inlined(*spec, values);
  if (!out) return out;
  if (statement_.indexed) {
    out->axes = values[0].axes;
    out->text = out->tensor + builder_.subscripts(out->axes);
    whole = false;
  }
  if (spec->outputs.size() > 1 && (!whole || used_.size() > 1))
    return ask("'" + name + "' gives several results; write a formula for the one that is meant.");
  if (settings.keep) {
    const int rank = static_cast<int>(values[0].axes.size());
    if (out->axes.size() + 1 != values[0].axes.size()) return ask("Only one dimension can be kept with size 1.");
    out->kept = static_cast<std::size_t>((settings.axis.value_or(-1) + rank) % rank);
    whole = false;
  }
  if (whole) {
    whole_ = spec;
    whole_text_ = out->text;
    whole_inputs_.clear();
    for (const Value& v : values) whole_inputs_.push_back(v.tensor);
  }
  return out;
}

Maybe Lowering::simple_reduction(const std::string& name, const Value& v, const Settings& settings) {
  std::vector<int> over = v.axes;
  if (settings.axis) {
    const int axis = *settings.axis + (*settings.axis < 0 ? static_cast<int>(v.axes.size()) : 0);
    if (axis < 0 || axis >= static_cast<int>(v.axes.size())) return ask("There is no such dimension.");
    over = {v.axes[static_cast<std::size_t>(axis)]};
  }
  if (over.empty()) return ask("A single number cannot be reduced.");
  Value out = reduced(v, name, over);
  if (settings.keep && over.size() > 1) return ask("Only one dimension can be kept with size 1.");
  if (settings.keep)
    out.kept = static_cast<std::size_t>(std::find(v.axes.begin(), v.axes.end(), over[0]) - v.axes.begin());
  return out;
}

std::string Lowering::replaced(const std::string& text, const std::map<std::string, std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const std::string word = text.substr(i, end - i);
    const auto to = names.find(word);
    out += to == names.end() ? word : to->second;
    i = end;
  }
  return out;
}

Maybe Lowering::inlined(const Spec& spec, const std::vector<Value>& values) {
  std::map<std::string, std::string> names;
  std::map<std::string, int> sizes;
  for (const std::string& s : spec.symbols) {
    const auto given = given_sizes_.find(s);
    sizes[s] = builder_.new_size(s, given == given_sizes_.end() ? std::nullopt : std::optional(given->second));
    names[s] = Builder::size_text(sizes[s]);
  }
  whole_sizes_ = sizes;
  for (const Constant& c : spec.constants) {
    names[c.name] = builder_.fresh(c.name);
    builder_.constant(names[c.name], replaced(print(*c.value), names));
  }
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    const Param& p = spec.inputs[k];
    std::vector<int> dims;
    for (const ExprPtr& d : p.shape) dims.push_back(size_for(*d, sizes, names));
    if (k < values.size()) {
      if (!fed(p, dims, values[k], names)) return std::nullopt;
    } else {
      names[p.name] = builder_.fresh(p.name);
      builder_.declare(names[p.name], dims, p.dtype);
    }
    if ((p.lo || p.rules) && (k >= values.size() || values[k].plain))
      domain(names[p.name], replaced(values_text(p), names));
  }
  rename_indices(spec, names);
  for (const Param& t : spec.temporaries) names[t.name] = builder_.fresh(t.name);
  for (const Param& p : spec.outputs) names[p.name] = builder_.fresh("t");
  for (const Equation& e : spec.equations) {
    std::string left;
    for (const Index& i : e.indices)
      left += (left.empty() ? "[" : ", ") + replaced(i.name, names) + " in " +
              replaced(print(*i.lo) + ".." + print(*i.hi), names);
    builder_.equation(names[e.target] + (left.empty() ? left : left + "]") + " = " + replaced(print(*e.value), names));
  }
  Value out;
  for (const ExprPtr& d : spec.outputs[0].shape) out.axes.push_back(builder_.new_axis(size_for(*d, sizes, names)));
  out.tensor = names[spec.outputs[0].name];
  out.text = out.tensor + builder_.subscripts(out.axes);
  out.dtype = spec.outputs[0].dtype;
  out.reduced = !values.empty() && out.axes.size() < values[0].axes.size();
  return out;
}

// Indices of the op that are called as a tensor of the formula is: tanh(b) + c.
void Lowering::rename_indices(const Spec& spec, std::map<std::string, std::string>& names) {
  std::set<std::string> tensors;
  const std::function<void(const Node&)> collect = [&](const Node& n) {
    if (n.kind == Kind::name) tensors.insert(n.text);
    for (const Node& a : n.args) collect(a);
    for (const auto& [name, a] : n.named) collect(a);
  };
  collect(statement_.value);
  const auto rename = [&](const std::vector<Index>& indices) {
    for (const Index& i : indices)
      if (tensors.count(i.name) && !names.count(i.name)) names[i.name] = builder_.fresh(i.name + "_");
  };
  for (const Equation& e : spec.equations) {
    rename(e.indices);
    for_each(*e.value, [&](const Expr& x) { rename(x.indices); });
  }
}

int Lowering::size_for(const Expr& d, const std::map<std::string, int>& sizes,
                       const std::map<std::string, std::string>& names) {
  if (d.kind == ExprKind::name)
    if (const auto s = sizes.find(d.name); s != sizes.end()) return s->second;
  const int out = builder_.new_size();
  builder_.set_text(out, replaced(print(d), names));
  return out;
}

bool Lowering::fed(const Param& p, const std::vector<int>& dims, const Value& v,
                   std::map<std::string, std::string>& names) {
  if (v.axes.size() != dims.size()) {
    ask("The input '" + p.name + "' has " + std::to_string(dims.size()) + " dimensions, not " +
        std::to_string(v.axes.size()) + ".");
    return false;
  }
  const bool condition = v.dtype == DType::boolean && !v.plain && is_real(p.dtype);  // isnan(x).any(dim=1)
  Value number = condition ? with_text(v, "if(" + v.text + ", 1.0, 0.0)") : v;
  if (condition) number.dtype = DType::f32;
  const Value held = builder_.hold(number);
  names[p.name] = held.tensor;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (builder_.join_sizes(builder_.size_of(held.axes[i]), dims[i])) continue;
    ask(builder_.clash);
    return false;
  }
  if (v.plain && p.dtype != DType::f32) types_[held.tensor] = p.dtype;
  return true;
}

int Lowering::rank_of(const Node& n) const {
  if (const auto s = facts_.shapes.find(n.text); s != facts_.shapes.end()) return static_cast<int>(s->second.size());
  const auto hint = rank_.find(n.text);
  return hint == rank_.end() ? facts_.rank.value_or(2) : hint->second;
}

Maybe Lowering::targeted(Value v) {
  if (statement_.accumulates) {
    std::vector<int> over;
    for (int a : v.axes)
      if (!in_target(a)) over.push_back(a);
    if (!over.empty()) v = reduced(v, "sum", over);
  }
  if (statement_.target_subscripts.empty()) return v;
  if (statement_.target_subscripts.size() != v.axes.size())
    return ask("The left side and the right side have different indices.");
  std::vector<int> order;
  for (const std::string& s : statement_.target_subscripts) {
    const auto at = letters_.find(s);
    if (at == letters_.end()) return ask("The index '" + s + "' is not used on the right side.");
    order.push_back(at->second);
  }
  for (int a : v.axes)
    if (!in_target(a)) return ask("An index of the right side is missing on the left side.");
  v.axes = order;
  return v;
}

// "matmul_add_relu"; of longer formulas "formula".
std::string Lowering::name() const {
  std::string out;
  for (const std::string& u : used_) out += (out.empty() ? "" : "_") + u;
  const bool plain =
      !used_.empty() && used_.size() <= 3 && std::find(used_.begin(), used_.end(), "formula") == used_.end();
  return plain ? out : "formula";
}

// Gives the inputs of the library's op their names in the formula; what has such a name makes room.
void Lowering::keep_names(Spec& spec) const {
  std::map<std::string, std::string> names;
  std::set<std::string> taken;
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs, &spec.temporaries})
    for (const Param& p : *list) taken.insert(p.name);
  for (const Constant& c : spec.constants) taken.insert(c.name);
  taken.insert(spec.symbols.begin(), spec.symbols.end());
  for (std::size_t i = 0; i < whole_inputs_.size() && i < spec.inputs.size(); ++i)
    if (spec.inputs[i].name != whole_inputs_[i]) names[spec.inputs[i].name] = whole_inputs_[i];
  std::set<std::string> wanted(whole_inputs_.begin(), whole_inputs_.end());
  for (const std::string& name : wanted)
    if (taken.count(name) && !names.count(name) &&
        std::none_of(spec.inputs.begin(), spec.inputs.end(), [&](const Param& p) { return p.name == name; })) {
      std::string other = name + "1";
      while (taken.count(other) || wanted.count(other)) other += "1";
      names[name] = other;
    }
  if (names.empty()) return;
  if (auto with = rename(spec, names)) spec = std::move(*with);
}

// The sizes of the library's op, of its symbols and of dimensions that are products of them: x[N, G*CG, H, W].
Result<std::map<std::string, std::int64_t>> Lowering::sizes_of_whole() {
  phrases::Sizing sizing;
  sizing.spec = &*whole_;
  sizing.shown = whole_->name;
  for (const auto& [symbol, id] : whole_sizes_)
    if (const auto v = builder_.value_of(id)) sizing.equations.emplace_back(WW_TRY(parse_integer_expr(symbol)), *v);
  for (std::size_t i = 0; i < whole_inputs_.size() && i < whole_->inputs.size(); ++i) {
    const auto* tensor = builder_.find(whole_inputs_[i]);
    const std::vector<ExprPtr>& shape = whole_->inputs[i].shape;
    for (std::size_t d = 0; tensor && d < shape.size() && d < tensor->sizes.size(); ++d)
      if (const auto v = builder_.value_of(tensor->sizes[d]); v && shape[d]->kind != ExprKind::name)
        sizing.equations.emplace_back(shape[d], *v);
  }
  WW_TRY(phrases::solve(sizing));
  return sizing.symbols;
}

void Lowering::finish(const Value& value) {
  if (whole_ && value.text == whole_text_ && !value.kept) {
    const auto sizes = sizes_of_whole();
    if (!sizes) {
      ask(sizes.error().message);
      return;
    }
    auto spec = with_defaults(*whole_, *sizes);
    if (spec && facts_.dtype && *facts_.dtype != DType::f32 && is_real(*facts_.dtype))
      spec = with_dtype(*spec, *facts_.dtype);
    if (spec && !facts_.output && symbols_.empty() && (!facts_.dtype || is_real(*facts_.dtype))) {
      keep_names(*spec);
      out_.spec = std::move(*spec);
      return;
    }
  }
  if (whole_ && whole_->outputs.size() > 1) {
    ask("'" + whole_->name + "' gives several results; write a formula for the one that is meant.");
    return;
  }
  if (value.text.empty() || !builder_.has_tensors()) {
    ask("The formula has no tensor.");
    return;
  }
  for (const std::string& m : masks_) types_[m] = DType::boolean;
  Value cast = value;
  const bool whole = facts_.output && is_integer(*facts_.output) && value.dtype == DType::f32 && !facts_.dtype;
  if (whole) cast = with_text(value, std::string(dtype_name(*facts_.output)) + "(" + value.text + ")");
  for (const auto& [name, type] : types_) builder_.retype(name, type);
  for (const auto& [name, text] : domains_) builder_.limit(name, text);
  auto spec = builder_.finish(cast, name(), statement_.target, facts_);
  const LibraryOp* namesake = spec ? library_.find(spec->name) : nullptr;
  if (namesake && agreement(namesake->spec, *spec) != Agreement::same) spec->name += "_formula";
  if (spec)
    out_.spec = std::move(*spec);
  else
    ask("The formula does not fit together: " + spec.error().message + ".");
}

// a + b of two inputs of one shape is the library's own op.
Maybe Lowering::library_sum(const Node& n) {
  if (&n != &statement_.value || statement_.indexed || facts_.general.size() > 1 || !facts_.shapes.empty())
    return std::nullopt;
  for (const Node& a : n.args)
    if (a.kind != Kind::name || tables_.scalars.count(a.text) || facts_.values.count(a.text)) return std::nullopt;
  if (n.args[0].text == n.args[1].text || rank_of(n.args[0]) != rank_of(n.args[1])) return std::nullopt;
  const char* name = n.text == "+" ? "add" : n.text == "-" ? "subtract" : n.text == "*" ? "multiply" : nullptr;
  return name && library_.find(name) ? apply(name, n.args, {}) : std::nullopt;
}

}  // namespace ww::op::formula
