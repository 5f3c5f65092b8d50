// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include "op/formula/lowering.h"
#include "op/parse.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op::formula {

using Kind = Node::Kind;

Maybe Lowering::call(const Node& n) {
  if (const auto no = tables_.impossible.find(n.text); no != tables_.impossible.end()) {
    out_.impossible = true;
    return ask(cannot_be_said(no->second));
  }
  static const std::set<std::string> same = {"contiguous", "clone", "detach", "cuda", "cpu", "requires_grad_"};
  if (same.count(n.text) && n.args.size() == 1 && n.named.empty()) return lower(n.args[0]);
  if (const auto type = cast_type(n)) return cast(n, *type);
  if (n.text == "float" && n.exact && n.args.size() == 1 && n.named.empty()) return as_number(n.args[0]);
  if ((n.exact || facts_.library == "np") && n.library.empty() && (n.text == "std" || n.text == "var"))
    return spread(n);
  if (auto own = built_in(n); own || !out_.question.empty()) return own;
  const bool root = &n == &statement_.value && n.named.empty();
  const bool names = !n.args.empty() && std::all_of(n.args.begin(), n.args.end(), [&](const Node& a) {
    return a.kind == Kind::name && a.subscripts.empty() && !tables_.scalars.count(a.text);
  });
  const LibraryOp* op = library_.find(n.text);
  const auto forms = forms_of(n);
  if (forms == tables_.calls.end() && op && root && names && op->spec.inputs.size() == n.args.size() &&
      !statement_.indexed)
    return apply(n.text, n.args, {});
  for (const Function& f : functions())
    if (f.name == n.text && (forms == tables_.calls.end() || statement_.indexed))  // tanh(x[i]) has no op of its own
      return function(n, static_cast<std::size_t>(f.arity));
  if (forms != tables_.calls.end()) return formed(n, forms->second);
  if (op && n.named.empty()) return bare(n, *op);
  return ask("The function '" + n.text + "' is not known" + (n.named.empty() ? "." : " with these arguments."));
}

namespace {

// torch or np, where one of the calls says whose it is.
std::string library_in(const Node& n) {
  if (n.kind == Kind::call) {
    if (n.library == "np" || n.library == "numpy" || n.library == "jnp") return "np";
    if (n.library == "torch" || n.library == "F" || n.library == "nn") return "torch";
    for (const NamedArgument& a : n.named) {
      if (a.name == "axis" || a.name == "ddof" || a.name == "keepdims") return "np";
      if (a.name == "dim" || a.name == "keepdim" || a.name == "unbiased" || a.name == "correction") return "torch";
    }
  }
  for (const Node& a : n.args)
    if (std::string found = library_in(a); !found.empty()) return found;
  return {};
}

}  // namespace

// The call's own keywords first, then the other calls, then the sentence.
std::optional<std::string> Lowering::library_of_spread(const Node& n) const {
  Node own = n;
  own.args.clear();
  for (const std::string& found : {library_in(own), library_in(statement_.value), facts_.library})
    if (!found.empty()) return found;
  return std::nullopt;
}

Maybe Lowering::spread(const Node& n) {
  const auto library = library_of_spread(n);
  if (!library) {
    ask("Is '" + n.text + "' PyTorch's, which divides by n - 1, or NumPy's, which divides by n?");
    const std::string comma = n.args.size() > 1 ? ", " : "";
    out_.insertions.push_back({n.close, 0, comma + "correction=1", "divided by n - 1, as in PyTorch"});
    out_.insertions.push_back({n.close, 0, comma + "correction=0", "divided by n, as in NumPy"});
    return std::nullopt;
  }
  Node named = n;
  named.library = *library;
  const std::string key = *library + "." + n.text;
  return formed(named, tables_.calls.at(tables_.calls.count(key) ? key : n.text));
}

// linalg.norm before np.norm before norm; ".max" is of a method, which is NumPy's if it says "keepdims".
std::map<std::string, std::vector<CallForm>>::const_iterator Lowering::forms_of(const Node& n) const {
  const std::string first = n.library == "torch" ? std::string() : n.library;
  std::vector<std::string> names;
  if (!n.module.empty()) names.push_back(n.module + "." + n.text);
  const bool numpy =
      std::any_of(n.named.begin(), n.named.end(), [](const NamedArgument& a) { return a.name == "keepdims"; });
  if (n.exact && first.empty() && !numpy) names.push_back("." + n.text);
  if (!n.library.empty()) names.push_back(n.library + "." + n.text);
  names.push_back(n.text);
  for (const std::string& name : names)
    if (const auto found = tables_.calls.find(name); found != tables_.calls.end()) return found;
  return tables_.calls.end();
}

Maybe Lowering::function(const Node& n, std::size_t arity) {
  if (n.args.size() != arity || !n.named.empty())
    return ask("'" + n.text + "' takes " + std::to_string(arity) + (arity == 1 ? " argument." : " arguments."));
  std::optional<Value> all;
  std::string text;
  for (const Node& a : n.args) {
    auto v = lower(a);
    if (!v) return v;
    text += (text.empty() ? "" : ", ") + v->text;
    all = all ? joined(*all, *v) : v;
    if (!all) return all;
  }
  Value out = with_text(*all, n.text + "(" + text + ")");
  out.row = false;
  return out;
}

namespace {

// "sum(x, dim=(1, 3))" as sums over one dimension after the other; nothing where it is no such call. The order keeps
// the numbers of the dimensions that are left.
std::optional<Node> one_dimension_at_a_time(const Node& n) {
  static const std::set<std::string> reductions = {"sum",  "mean", "average", "prod", "max",
                                                   "amax", "min",  "amin",    "any",  "all"};
  if (reductions.count(n.text) == 0 || n.args.empty()) return std::nullopt;
  Node one = n;
  Node* dim = one.args.size() > 1 ? &one.args[1] : nullptr;
  for (NamedArgument& a : one.named) {
    if (a.name == "dim" || a.name == "axis" || a.name == "dims") dim = &a.value;
    if ((a.name == "keepdim" || a.name == "keepdims") && a.value.text != "False") return std::nullopt;
  }
  if (!dim || dim->kind != Node::Kind::tuple || dim->args.size() < 2) return std::nullopt;
  std::vector<Node> dims = dim->args;
  const bool last = dims[0].number < 0;
  for (const Node& d : dims)
    if (d.kind != Node::Kind::number || (d.number < 0) != last) return std::nullopt;
  std::sort(dims.begin(), dims.end(),
            [&](const Node& a, const Node& b) { return last ? a.number < b.number : a.number > b.number; });
  for (std::size_t i = 1; i < dims.size(); ++i)
    if (dims[i].number == dims[i - 1].number) return std::nullopt;
  std::optional<Node> out;
  for (const Node& d : dims) {
    *dim = d;
    Node step = one;
    if (out) step.args[0] = *out;
    out = std::move(step);
  }
  return out;
}

// x of "x.flatten().sum()": a reduction of all elements takes them in any shape. Null where the call is no such one.
const Node* flattened_first(const Node& n) {
  static const std::set<std::string> reductions = {"sum",  "mean", "prod", "max", "min", "amax",
                                                   "amin", "norm", "std",  "var", "any", "all"};
  if (reductions.count(n.text) == 0 || n.args.size() != 1 || n.args[0].kind != Node::Kind::call) return nullptr;
  const Node& inner = n.args[0];
  const bool flat = (inner.text == "flatten" || inner.text == "ravel") && inner.args.size() == 1 && inner.named.empty();
  const bool view = (inner.text == "view" || inner.text == "reshape") && inner.args.size() == 2 &&
                    inner.args[1].kind == Node::Kind::number && inner.args[1].number == -1;
  const bool whole = std::none_of(n.named.begin(), n.named.end(), [](const NamedArgument& a) {
    return a.name == "dim" || a.name == "axis" || a.name.starts_with("keepdim");
  });
  return inner.exact && whole && (flat || view) ? &inner.args[0] : nullptr;
}

}  // namespace

// "x / ||x|| for each row": sqrt(sum(x^2)), which takes the sentence's dimension.
Node Lowering::norm_along(const Node& n) {
  const auto node = [&](Kind kind, const char* text, std::vector<Node> args) {
    Node out;
    out.kind = kind;
    out.text = text;
    out.args = std::move(args);
    out.span = n.span;
    return out;
  };
  Node two = node(Kind::number, "2", {});
  two.number = 2;
  return node(Kind::call, "sqrt", {node(Kind::call, "sum", {node(Kind::binary, "^", {n.args[0], two})})});
}

// All norms of the formula as sqrt(sum(( )^2)).
void Lowering::offer_norms(const Node& n) {
  if (n.kind == Kind::call && n.text == "norm" && n.named.empty() && !n.exact && n.close > 0) {
    const char* difference = "root of the sum of all squares";
    const std::size_t bar = n.span.end - n.span.begin;
    const bool bars = n.close > n.span.end && bar < n.text.size();
    out_.insertions.push_back(
        {n.span.begin, bars ? bar : n.text.size(), bars ? "sqrt(sum((" : "sqrt(sum(", difference});
    out_.insertions.push_back(
        {bars ? n.close - bar : n.close + 1, bars ? bar : 0, bars ? ")^2))" : "^2))", difference});
  }
  for (const Node& a : n.args) offer_norms(a);
}

Maybe Lowering::built_in(const Node& n) {
  if (const auto steps = one_dimension_at_a_time(n)) return call(*steps);
  if (const Node* whole = flattened_first(n)) {
    Node direct = n;
    direct.args[0] = Node(*whole);
    return call(direct);
  }
  if (auto shape = shape_call(n); shape || !out_.question.empty()) return shape;
  const bool numpy = n.library == "np" || n.library == "numpy" || n.library == "jnp";
  if (n.text == "dot" && numpy && n.args.size() == 2 && n.named.empty() && !shapeless(n.args[0]) &&
      !shapeless(n.args[1])) {  // of matrices or of vectors, as their shapes say
    if (rank_of_argument(n.args[0]) == 1 && rank_of_argument(n.args[1]) == 1) return apply("dot", n.args, {});
    Node product = n;
    product.kind = Kind::binary;
    product.text = "@";
    return lower(product);
  }
  if ((n.text == "max" || n.text == "min") && n.args.size() >= 2 && n.named.empty() &&
      !(n.exact && n.args[1].kind == Kind::number)) {
    Node left = n;
    if (n.args.size() > 2) {  // max(a, b, c)
      left.args.pop_back();
      Node pair = n;
      pair.args = {left, n.args.back()};
      return function(pair, 2);
    }
    return function(n, 2);
  }
  const bool norm = (n.text == "norm" || n.text == "frobenius_norm") && n.args.size() == 1 && n.named.empty();
  if (norm && !n.exact && facts_.axis && !statement_.indexed) return call(norm_along(n));
  if (n.text == "norm" && norm && !n.exact) {
    if (!out_.question.empty()) return std::nullopt;
    ask("Which norm" + (n.args[0].kind == Kind::name ? " of '" + n.args[0].text + "'?" : "?"));
    if (&n == &statement_.value && n.args[0].kind == Kind::name)
      out_.options = {{"frobenius norm", "root of the sum of all squares"},
                      {"l2 norm of each row", "one per row"},
                      {"l1 norm of each row", "sums of the absolute values"}};
    else
      offer_norms(statement_.value);
    return std::nullopt;
  }
  if (n.text == "permute" && n.args.size() >= 2) return permuted(n);
  if (n.text == "transpose" && n.args.size() == 2 && n.args[1].kind == Kind::tuple) return permuted(n);
  if (n.text == "transpose" && n.args.size() == 3) return exchanged(n);
  if ((n.text == "transpose" || n.text == "t") && n.args.size() == 1 && n.named.empty()) {
    Node turned;
    turned.kind = Kind::transpose;
    turned.args = n.args;
    if (n.args[0].kind == Kind::name && &n == &statement_.value) return apply("transpose", n.args, {});
    return transposed(turned);
  }
  if (n.text == "trace" && n.args.size() == 1) {
    auto v = lower(n.args[0]);
    if (!v) return v;
    if (v->axes.size() != 2 || !builder_.join_axes(v->axes[0], v->axes[1]))
      return ask("A trace is of a square matrix.");
    return reduced(*v, "sum", {v->axes[0]});
  }
  if (n.text == "tril" || n.text == "triu") return triangle(n);
  if (n.text == "Sequential") return sequence(n);
  if (n.text == "cat" || n.text == "concat" || n.text == "concatenate" || n.text == "stack") {
    Node call = n;
    if (!call.args.empty() && call.args[0].kind == Kind::tuple)  // "(a, b)" might have been a shape
      for (Node& a : call.args[0].args)
        if (a.kind == Kind::word) a.kind = Kind::name;
    return n.text == "stack" ? stacked(call) : concatenated(call);
  }
  return std::nullopt;
}

// tril(x), triu(x, 1), tril(x, diagonal=-1)
Maybe Lowering::triangle(const Node& n) {
  const Node* diagonal = n.args.size() == 2 ? &n.args[1] : nullptr;
  const bool named = n.named.size() == 1 && (n.named[0].name == "diagonal" || n.named[0].name == "k");
  if (named && !diagonal) diagonal = &n.named[0].value;
  if (n.args.empty() || n.args.size() + n.named.size() > 2 || (n.named.size() == 1 && !named) ||
      (diagonal && (diagonal->kind != Kind::number || diagonal->number != std::floor(diagonal->number))))
    return ask("'" + n.text + "' takes a matrix and the number of a diagonal.");
  auto v = lower(n.args[0]);
  if (!v) return v;
  if (v->axes.size() < 2) return ask("'" + n.text + "' is of a matrix.");
  std::string r = Builder::axis_text(v->axes[v->axes.size() - 2]);
  const std::string c = Builder::axis_text(v->axes.back());
  if (diagonal && diagonal->number != 0) {
    const auto places = static_cast<std::int64_t>(std::fabs(diagonal->number));
    r += (diagonal->number < 0 ? " - " : " + ") + std::to_string(places);
  }
  return with_text(*v, "if(" + c + (n.text == "tril" ? " <= " : " >= ") + r + ", " + v->text + ", 0.0)");
}

// The dimension of cat([a, b], dim=1) and stack([a, b]); nothing where the arguments are others.
std::optional<double> Lowering::list_dimension(const Node& n, std::optional<double> usual) {
  const Node* dim = n.args.size() == 2 ? &n.args[1] : nullptr;
  const bool named = n.named.size() == 1 && (n.named[0].name == "dim" || n.named[0].name == "axis");
  if (named && !dim) dim = &n.named[0].value;
  if (n.args.empty() || n.args[0].kind != Kind::tuple || n.args[0].args.size() < 2 || (!n.named.empty() && !named) ||
      n.args.size() + n.named.size() > 2 ||
      (dim && (dim->kind != Kind::number || dim->number != std::floor(dim->number))))
    return std::nullopt;
  return dim ? std::optional(dim->number) : usual;
}

// cat([a, b, c], dim=1): of matrices, two at a time
Maybe Lowering::concatenated(const Node& n) {
  const std::optional<double> at = list_dimension(n, std::nullopt);
  if (!at) return ask("'" + n.text + "' is understood for a list of matrices and a dimension.");
  if (*at != 0 && *at != 1 && *at != -1) return ask("'" + n.text + "' is of matrices: dimension 0 or 1.");
  const std::string op = *at == 0 ? "concat_rows" : "concat_columns";
  std::vector<Node> pair(n.args[0].args.begin(), n.args[0].args.begin() + 2);
  for (std::size_t k = 2; k < n.args[0].args.size(); ++k) {
    Node both = n;
    both.text = op;
    both.named.clear();
    both.args = std::move(pair);
    pair = {std::move(both), n.args[0].args[k]};
  }
  return apply(op, pair, {});
}

// stack([a, b, c], dim=0): tensors of one shape along a dimension of their own
Maybe Lowering::stacked(const Node& n) {
  const std::optional<double> dim = list_dimension(n, 0);
  if (!dim) return ask("'" + n.text + "' is understood for a list of tensors and a dimension.");
  const std::vector<Node>& list = n.args[0].args;
  std::vector<Value> values;
  Maybe all;
  for (const Node& a : list) {
    auto v = lower(a);
    if (!v) return v;
    all = all ? joined(*all, *v) : v;
    if (!all) return all;
    values.push_back(std::move(*v));
  }
  for (const Value& v : values)
    if (v.axes.size() != all->axes.size()) return ask("'" + n.text + "' is of tensors of one shape.");
  const int rank = static_cast<int>(all->axes.size());
  const int at = static_cast<int>(*dim) + (*dim < 0 ? rank + 1 : 0);
  if (at < 0 || at > rank) return ask("There is no such dimension: the result has " + std::to_string(rank + 1) + ".");
  const int size = builder_.new_size({}, static_cast<std::int64_t>(list.size()));
  builder_.set_text(size, std::to_string(list.size()));
  const int axis = builder_.new_axis(size);
  std::string text = values.back().text;
  for (std::size_t k = values.size() - 1; k-- > 0;)
    text = "if(" + Builder::axis_text(axis) + " == " + std::to_string(k) + ", " + values[k].text + ", " + text + ")";
  Value out = with_text(*all, std::move(text));
  out.axes.insert(out.axes.begin() + at, axis);
  return out;
}

Maybe Lowering::sequence(const Node& n) {
  Maybe value;
  if (n.args.empty() || !n.named.empty()) return ask("'Sequential' takes layers, such as nn.Linear(64, 32).");
  for (const Node& layer : n.args) {
    if (layer.kind != Kind::call) return ask("'Sequential' takes layers, such as nn.Linear(64, 32).");
    const bool first = !value;
    fed_ = value;
    value = lower(layer);
    if (!value) return value;
    if (!first && fed_) return ask("'" + layer.text + "' does not take what '" + n.text + "' gives it.");
  }
  return value;
}

Maybe Lowering::permuted(const Node& n) {
  std::vector<Node> order(n.args.begin() + 1, n.args.end());
  if (order.size() == 1 && order[0].kind == Kind::tuple) order = std::vector<Node>(order[0].args);
  if (n.args[0].kind == Kind::name) rank_.emplace(n.args[0].text, static_cast<int>(order.size()));
  auto v = lower(n.args[0]);
  if (!v) return v;
  Value out = *v;
  out.axes.clear();
  std::set<int> seen;
  for (const Node& o : order) {
    const int at = static_cast<int>(o.number) + (o.number < 0 ? static_cast<int>(v->axes.size()) : 0);
    if (o.kind != Kind::number || at < 0 || at >= static_cast<int>(v->axes.size()) || !seen.insert(at).second)
      return ask("'permute' needs each dimension once.");
    out.axes.push_back(v->axes[static_cast<std::size_t>(at)]);
  }
  if (out.axes.size() != v->axes.size()) return ask("'permute' needs each dimension once.");
  return out;
}

Maybe Lowering::exchanged(const Node& n) {
  if (n.args[1].kind != Kind::number || n.args[2].kind != Kind::number) return ask("'transpose' needs two dimensions.");
  if (shapeless(n.args[0]) && n.args[1].number >= 0 && n.args[2].number >= 0)
    rank_.emplace(n.args[0].text, static_cast<int>(std::max(n.args[1].number, n.args[2].number)) + 1);
  auto v = lower(n.args[0]);
  if (!v) return v;
  const int rank = static_cast<int>(v->axes.size());
  int a = static_cast<int>(n.args[1].number), b = static_cast<int>(n.args[2].number);
  a += a < 0 ? rank : 0, b += b < 0 ? rank : 0;
  if (a < 0 || b < 0 || a >= rank || b >= rank)
    return ask("There is no such dimension: the tensor has " + std::to_string(rank) + ".");
  std::swap(v->axes[static_cast<std::size_t>(a)], v->axes[static_cast<std::size_t>(b)]);
  return v;
}

Maybe Lowering::bare(const Node& n, const LibraryOp& op) {
  static const std::set<std::string> parameters = {"w", "bias", "gamma", "beta", "mean", "var"};
  if (n.args.size() > op.spec.inputs.size() || n.args.empty())
    return ask("'" + n.text + "' takes " + std::to_string(op.spec.inputs.size()) + " tensors.");
  for (std::size_t i = n.args.size(); i < op.spec.inputs.size(); ++i)
    if (n.exact || !parameters.count(op.spec.inputs[i].name))
      return ask("'" + n.text + "' needs its input '" + op.spec.inputs[i].name + "' too.");
  Settings settings;
  settings.whole = n.exact ? false : op.family == "row-reduction";
  return apply(n.text, n.args, settings);
}

Maybe Lowering::formed(const Node& n, const std::vector<CallForm>& forms) {
  for (const CallForm& f : forms) {
    std::optional<Bound> bound = bind(n, f);
    if (!bound) continue;
    out_.impossible = !f.cannot.empty();
    if (out_.impossible) return ask(cannot_be_said(f.cannot));
    if (!f.question.empty()) return ask_for_part(n, f.question);
    if (!f.op.empty()) {
      if (bound->settings.open) continue;  // a constant of the op that is no number
      // "embedding(table, idx)": the op's order of the tensors, where the call has another.
      const std::size_t bracket = f.op.find('(');
      const std::string name = f.op.substr(0, bracket);
      const LibraryOp* op = library_.find(name);
      if (!op) continue;
      const bool pair = op->spec.outputs.size() > 1 && n.exact && (n.text == "max" || n.text == "min");
      const bool positional = n.library.empty() && n.args.size() > 1 && facts_.library.empty();
      if (pair && (&n != &statement_.value || positional))
        return ask_for_part(n, "'" + n.text + "' along a dimension gives the values and their positions.");
      if (bracket != std::string::npos) {
        bound->tensors.clear();
        for (const std::string& tensor : phrases::split_list(f.op.substr(bracket + 1, f.op.size() - bracket - 2)))
          bound->tensors.push_back(bound->values.at(tensor));
      }
      Maybe out = apply(name, bound->tensors, bound->settings);
      if (out && out->reduced && bound->settings.axis && !bound->settings.keep) out->numbered = n.close;
      return out;
    }
    Names own = names_;  // a parameter may be called as a word is: clamp(x, min, max)
    own.is_word = [](const std::string&) { return false; };
    auto body = parse_statement(f.formula, 0, own);
    if (!body || body->next < f.formula.size()) return ask("The form of '" + n.text + "' cannot be read.");
    placeless(body->value);
    replace(body->value, bound->values);
    return lower(body->value);
  }
  return ask("'" + n.text + "' is known, but not with these arguments.");
}

// Of x.max(1) and torch.cummax(x, 1).
Maybe Lowering::ask_for_part(const Node& n, const std::string& question) {
  static const std::set<std::string> pairs = {"max", "min", "cummax", "cummin"};
  ask(question);
  if (pairs.count(n.text) == 0 || n.close == 0) return std::nullopt;
  out_.insertions.push_back({n.close + 1, 0, ".values", "the values"});
  if (!n.text.starts_with("cum")) out_.insertions.push_back({n.close + 1, 0, ".indices", "the positions"});
  return std::nullopt;
}

// The form's own calls stand nowhere in the request.
void Lowering::placeless(Node& n) {
  n.close = 0;
  for (Node& a : n.args) placeless(a);
}

void Lowering::replace(Node& n, const std::map<std::string, Node>& values) {
  if (n.kind == Kind::name) {
    if (const auto v = values.find(n.text); v != values.end()) n = v->second;
    return;
  }
  for (Node& a : n.args) replace(a, values);
}

// Arguments that are None at the end, or by name, are left out.
Node Lowering::without_none(const Node& n) {
  const auto none = [](const Node& a) { return a.kind == Kind::word && a.text == "None"; };
  Node out = n;
  while (!out.args.empty() && none(out.args.back())) out.args.pop_back();
  std::erase_if(out.named, [&](const NamedArgument& a) { return none(a.value); });
  return out;
}

// The rank of an argument that is a tensor, or element by element of tensors; 0: not known before it is read.
int Lowering::rank_of_argument(const Node& n) const {
  if (n.kind == Kind::name) {
    const bool general = !facts_.shapes.count(n.text) && !facts_.general.empty() && !rank_.count(n.text);
    return general ? static_cast<int>(facts_.general[0].size()) : rank_of(n);
  }
  if (n.kind == Kind::negate || n.kind == Kind::transpose) return rank_of_argument(n.args[0]);
  if (n.kind != Kind::binary || product_of_matrices(n)) return 0;
  const bool numbers[] = {n.args[0].kind == Kind::number, n.args[1].kind == Kind::number};
  const int left = numbers[0] ? 0 : rank_of_argument(n.args[0]);
  const int right = numbers[1] ? 0 : rank_of_argument(n.args[1]);
  return (left == 0 && !numbers[0]) || (right == 0 && !numbers[1]) ? 0 : std::max(left, right);
}

std::optional<Lowering::Bound> Lowering::bind(const Node& call, const CallForm& form) {
  Bound out;
  const Node n = without_none(call);
  std::vector<const Node*> given(form.parameters.size(), nullptr);
  if (n.args.size() > form.parameters.size()) return std::nullopt;
  for (std::size_t i = 0; i < n.args.size(); ++i) {
    if (form.parameters[i].keyword_only) return std::nullopt;
    const bool none = n.args[i].kind == Kind::word && n.args[i].text == "None";
    const Parameter::Kind kind = form.parameters[i].kind;
    if (!none || (kind != Parameter::Kind::tensor && kind != Parameter::Kind::axis)) given[i] = &n.args[i];
  }
  for (const NamedArgument& argument : n.named) {
    const std::string& name = argument.name;
    const LibraryOp* op = library_.find(form.op);
    if (name == "reduction" && op && op->family == "loss" &&
        (argument.value.text == "sum" || argument.value.text == "none")) {
      out.settings.reduction = argument.value.text;
      continue;
    }
    std::size_t i = 0;
    const auto fits = [&](const Parameter& p) {
      return p.name == name || (p.name == "dim" && (name == "axis" || name == "dims")) ||
             ((p.name == "keepdim") && name == "keepdims");
    };
    while (i < form.parameters.size() && !fits(form.parameters[i])) ++i;
    if (i == form.parameters.size() || given[i]) return std::nullopt;
    given[i] = &argument.value;
  }
  out.settings.whole = true;
  for (std::size_t i = 0; i < form.parameters.size(); ++i)
    if (!bind_one(form.parameters[i], given[i], out)) return std::nullopt;
  for (const auto& [target, v] : out.settings.sizes)  // Conv2d(64, 64, groups=64): all three are C
    for (const auto& [other, w] : out.settings.sizes)
      if (target == other && v != w) return std::nullopt;
  return out;
}

bool Lowering::bind_one(const Parameter& p, const Node* given, Bound& out) {
  using PK = Parameter::Kind;
  if (!given) {
    if (p.kind == PK::value && p.optional && !p.fixed.empty()) {
      Node n;
      n.kind = Kind::number;
      n.number = std::stod(p.fixed);
      n.text = p.fixed;
      out.values[p.name] = n;
      out.settings.sizes.emplace_back(p.name, n.number);
    }
    if (p.kind == PK::size && !p.fixed.empty()) {  // torch.finfo(dtype).eps is twice the unit roundoff
      const DType type = facts_.dtype.value_or(DType::f32);
      const double usual = p.fixed == "epsilon" ? 2 * unit_roundoff(type) : fixed_number(p);
      for (const std::string& target : p.targets) out.settings.sizes.emplace_back(target, usual);
    }
    return p.optional;
  }
  const bool one_of_many = given->kind == Kind::tuple && given->args.size() == 1;  // dims=[1]
  if (one_of_many && (p.kind == PK::fixed || p.kind == PK::axis)) given = &given->args[0];
  const bool alike = given->kind == Kind::tuple && given->args.size() > 1 &&
                     std::all_of(given->args.begin(), given->args.end(),
                                 [&](const Node& a) { return a.number == given->args[0].number; });
  if (alike && p.kind == PK::fixed) given = &given->args[0];  // output_size=(1, 1)
  const bool number = given->kind == Kind::number;
  switch (p.kind) {
    case PK::tensor:
      if (given->kind == Kind::word || given->kind == Kind::tuple) return false;
      if (p.rank > 0 && rank_of_argument(*given) != p.rank) return false;
      out.tensors.push_back(*given);
      out.values[p.name] = *given;
      return true;
    case PK::value:
      if (given->kind == Kind::word || given->kind == Kind::tuple) return false;
      out.values[p.name] = *given;
      if (number) out.settings.sizes.emplace_back(p.name, given->number);
      out.settings.open = out.settings.open || !number;
      return true;
    case PK::ignored: return p.name != "inplace" || given->kind == Kind::word;
    case PK::fixed: return number ? given->number == fixed_number(p) : given->text == p.fixed;
    case PK::keep: out.settings.keep = given->text == "True"; return given->kind == Kind::word;
    case PK::axis:
      if (!number || given->number != std::floor(given->number)) return false;
      out.settings.axis = static_cast<int>(given->number);
      out.settings.whole = false;
      return true;
    case PK::size: return bind_size(p, *given, out);
    case PK::rest: return false;
  }
  return false;
}

double Lowering::fixed_number(const Parameter& p) {
  double v = NAN;
  std::from_chars(p.fixed.data(), p.fixed.data() + p.fixed.size(), v);
  return v;
}

bool Lowering::bind_size(const Parameter& p, const Node& given, Bound& out) {
  if (given.kind == Kind::number) {
    for (const std::string& t : p.targets) out.settings.sizes.emplace_back(t, given.number);
    return true;
  }
  if (given.kind == Kind::name) return true;  // normalized_shape=d
  if (given.kind != Kind::tuple || given.args.empty()) return false;
  if (std::any_of(given.args.begin(), given.args.end(), [](const Node& a) { return a.kind == Kind::word; }))
    return true;
  if (p.targets.size() != given.args.size()) {
    if (p.name == "normalized_shape") return false;  // over several dimensions
    for (const Node& a : given.args)
      if (a.number != given.args[0].number) return false;
    for (const std::string& t : p.targets) out.settings.sizes.emplace_back(t, given.args[0].number);
    return p.targets.size() == 1;
  }
  for (std::size_t i = 0; i < p.targets.size(); ++i)
    out.settings.sizes.emplace_back(p.targets[i], given.args[i].number);
  return true;
}

}  // namespace ww::op::formula
