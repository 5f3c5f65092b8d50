// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include "op/parse.h"
#include "op/sentence/phrasebook_build.h"
#include "op/sentence/phrasebook_rank.h"

namespace ww::op::phrases {

std::string bindings_text(const std::map<std::string, std::int64_t>& symbols) {
  std::string out;
  for (const auto& [name, value] : symbols) out += (out.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return out;
}

std::string shape_text(const std::vector<std::int64_t>& dims) {
  std::string out;
  for (std::int64_t d : dims) out += (out.empty() ? "" : " x ") + std::to_string(d);
  return out;
}

namespace {

// Of an op whose file lists no sizes: the rows and columns of x[R, C], the elements of x[N].
std::vector<ExprPtr> usual_targets(const Spec& spec, const std::string& kind) {
  if (spreads(spec) || spec.inputs.empty()) return {};
  const std::vector<ExprPtr>& shape = spec.inputs[0].shape;
  const auto is = [&](std::size_t i, const char* name) {
    return shape[i]->kind == ExprKind::name && shape[i]->name == name;
  };
  if (shape.size() == 1 && is(0, "N") && (kind == "elements" || kind == "length" || kind == "batch")) return {shape[0]};
  if (shape.size() != 2 || !is(0, "R") || !is(1, "C")) return {};
  if (kind == "rows" || kind == "batch") return {shape[0]};
  if (kind == "columns" || kind == "features" || kind == "classes") return {shape[1]};
  return {};
}

}  // namespace

std::vector<ExprPtr> size_targets(const Spec& spec, const std::string& kind) {
  if (directive(spec, "sizes").empty()) return usual_targets(spec, kind);
  for (const std::string& part : split_list(directive(spec, "sizes"))) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || split_list(part.substr(0, equals)) != std::vector<std::string>{kind}) continue;
    std::vector<ExprPtr> out;
    for (const std::string& text : split_list(part.substr(equals + 1), ' ')) {
      auto e = parse_integer_expr(text);
      if (!e) return {};
      out.push_back(*e);
    }
    return out;
  }
  return {};
}

namespace {

bool is_constant(const Spec& spec, const std::string& name) {
  return std::any_of(spec.constants.begin(), spec.constants.end(), [&](const Constant& c) { return c.name == name; });
}

struct Known {
  Sizing& s;
  std::optional<std::int64_t> operator()(const std::string& name) const {
    if (const auto f = s.symbols.find(name); f != s.symbols.end()) return f->second;
    if (const auto f = s.constants.find(name); f != s.constants.end()) return static_cast<std::int64_t>(f->second);
    return std::nullopt;
  }
};

enum class Step { solved, waits, wrong };

// Solves one equation: compares an expression without unknowns, binds a name, divides a product with one unknown.
Step step(Sizing& s, const ExprPtr& e, std::int64_t value) {
  const Known known{s};
  if (const auto v = eval_integer(*e, known)) return *v == value ? Step::solved : Step::wrong;
  if (e->kind == ExprKind::name) {
    if (is_constant(*s.spec, e->name))
      s.constants[e->name] = static_cast<double>(value);
    else
      s.symbols[e->name] = value;
    return Step::solved;
  }
  if (e->kind == ExprKind::binary && e->binary == BinaryOp::mul) {
    for (int side = 0; side < 2; ++side) {
      const auto factor = eval_integer(*e->args[static_cast<std::size_t>(side)], known);
      if (!factor) continue;
      if (*factor == 0 || value % *factor != 0) return Step::wrong;
      return step(s, e->args[static_cast<std::size_t>(1 - side)], value / *factor);
    }
  }
  return Step::waits;
}

// The first symbol of the expression without a value.
std::string first_unknown(const Sizing& s, const Expr& e) {
  if (e.kind == ExprKind::name && !s.symbols.count(e.name) && s.spec->defaults.count(e.name)) return e.name;
  for (const ExprPtr& a : e.args)
    if (std::string found = first_unknown(s, *a); !found.empty()) return found;
  return {};
}

}  // namespace

Status solve(Sizing& s) {
  std::vector<std::pair<ExprPtr, std::int64_t>> left = std::move(s.equations);
  s.equations.clear();
  while (!left.empty()) {
    bool moved = false;
    std::vector<std::pair<ExprPtr, std::int64_t>> waiting;
    for (const auto& [e, value] : left) {
      switch (step(s, e, value)) {
        case Step::solved: moved = true; break;
        case Step::waits: waiting.emplace_back(e, value); break;
        case Step::wrong: {
          std::string now = print(*e);
          if (e->kind == ExprKind::name)
            if (const auto v = Known{s}(e->name)) now += " = " + std::to_string(*v);
          return fail(Code::invalid_argument,
                      "The sizes given for " + s.shown + " contradict each other: " + now + " cannot be " +
                          std::to_string(value) +
                          (e->kind == ExprKind::name ? " too." : " with " + bindings_text(s.symbols) + "."));
        }
      }
    }
    if (!moved) {  // 64 channels, groups unspecified: the default number of groups
      const std::string name = first_unknown(s, *waiting.front().first);
      if (name.empty())
        return fail(Code::unsupported,
                    "The size " + print(*waiting.front().first) + " of " + s.shown + " cannot be worked out.");
      s.symbols[name] = s.spec->defaults.at(name);
    }
    left = std::move(waiting);
  }
  return {};
}

std::string number_text(double v) {
  if (v == std::floor(v) && std::fabs(v) < 9e15) return std::to_string(static_cast<std::int64_t>(v));
  std::string s = std::to_string(v);
  s.erase(s.find_last_not_of('0') + 1);
  return s;
}

Dims dims_of(const std::vector<Item>& items, std::size_t item) {
  if (items[item].kind == Item::Kind::number) return {static_cast<std::int64_t>(items[item].number)};
  Dims out;
  for (double d : items[item].dims) out.push_back(static_cast<std::int64_t>(d));
  return out;
}

int place_of_kind(const std::string& kind) {
  static const std::map<std::string, int> places = {{"batch", 0},    {"heads", 1},   {"sequence", 2},   {"channels", 3},
                                                    {"depth", 4},    {"height", 5},  {"rows", 5},       {"image", 6},
                                                    {"width", 7},    {"columns", 7}, {"features", 7},   {"hidden", 7},
                                                    {"head_dim", 7}, {"classes", 7}, {"vocabulary", 7}, {"length", 7}};
  const auto found = places.find(kind);
  return found == places.end() ? -1 : found->second;
}

namespace {

bool is_columns(const std::string& kind) {
  return kind == "columns" || kind == "features" || kind == "hidden" || kind == "classes" || kind == "vocabulary";
}
Dims default_dims(const Spec& spec) {
  Dims out;
  for (const ExprPtr& d : spec.inputs[0].shape) out.push_back(spec.defaults.at(d->name));
  return out;
}

// Puts the sizes given by name, such as "C = 64", into the dimensions of the first input.
// `usual`: one of them that has its usual size so far, or none.
Status assign_by_name(const Use& u, const std::vector<Item>& items, std::optional<std::size_t> usual, Dims& dims) {
  if (u.assigns.empty()) return {};
  const Spec& spec = u.op->spec;
  if (!dims.empty() && dims.size() != 2)
    return fail(Code::invalid_argument,
                "The sizes given for " + spec.name + " by name and by shape do not fit together.");
  const bool fresh = dims.empty();
  if (fresh) dims = default_dims(spec);
  for (const std::size_t i : u.assigns)
    for (std::size_t k = 0; k < spec.inputs[0].shape.size(); ++k) {
      if (spec.inputs[0].shape[k]->name != items[i].value) continue;
      const auto v = static_cast<std::int64_t>(items[items[i].value_at].number);
      if (!fresh && dims[k] != v && usual != k)
        return fail(Code::invalid_argument, "The sizes given for " + spec.name +
                                                " contradict each other: " + items[i].value + " cannot be both " +
                                                std::to_string(dims[k]) + " and " + std::to_string(v) + ".");
      dims[k] = v;
    }
  return {};
}

}  // namespace

// The dimensions of the first input of an op of any rank.
Result<Dims> given_shape(const Use& u, const std::vector<Item>& items) {
  const Spec& spec = u.op->spec;
  std::vector<std::pair<int, std::size_t>> named;
  for (std::size_t i : u.sizes) named.emplace_back(items[i].value == "elements" ? 8 : place_of_kind(items[i].value), i);
  std::stable_sort(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Dims out, leading;
  std::optional<std::size_t> usual;
  std::map<int, std::size_t> at_place;
  for (const auto& [place, i] : named) {
    if (const auto [found, fresh] = at_place.emplace(place, i); !fresh) {
      return fail(Code::invalid_argument, "Both '" + items[found->second].written + "' and '" + items[i].written +
                                              "' are given for one dimension of " + spec.name +
                                              "; write the whole shape, such as 8x512x1024.");
    }
    const Dims dims = dims_of(items, items[i].value_at);
    out.insert(out.end(), dims.begin(), dims.end());
    if (items[i].value == "image" && dims.size() == 1) out.push_back(dims[0]);  // "image size 64" is square
  }
  const bool whole_count = at_place.count(8) || u.total != Item::none;
  if (whole_count) {
    if (named.size() + u.shapes.size() + (u.total != Item::none ? 1 : 0) != 1) {
      return fail(Code::invalid_argument, "The number of elements of " + spec.name +
                                              " is given beside other sizes; write the whole shape, such as 512x1024.");
    }
    if (u.total != Item::none) out = dims_of(items, u.total);
  } else if (!u.shapes.empty()) {
    const Dims shape = dims_of(items, u.shapes[0]);
    bool ok = true;
    if (!named.empty() && named.back().first <= 3) {
      out.insert(out.end(), shape.begin(), shape.end());
    } else if (!named.empty()) {  // "a 512x1024 matrix with 512 rows": they must agree
      for (const auto& [place, i] : named) {
        const Dims d = dims_of(items, items[i].value_at);
        const std::size_t back = place == 7 ? 1 : place == 5 ? 2 : 0;
        ok = ok && back > 0 && d.size() == 1 && shape.size() >= back && shape[shape.size() - back] == d[0];
        if (!ok) {
          return fail(Code::invalid_argument, "The shape " + shape_text(shape) + " and '" + items[i].written + "' " +
                                                  shape_text(d) + " do not fit together.");
        }
      }
      out = shape;
    } else {
      out = shape;
    }
  } else if (!named.empty() && named.back().first < 6) {  // "a batch of 64": the columns do not change
    for (const auto& [place, i] : named) {
      const std::string& kind = items[i].value;
      if (kind == "batch" || kind == "rows" || kind == "sequence") continue;
      return fail(Code::invalid_argument, "The size '" + items[i].written + "' does not give " + spec.name +
                                              " a whole shape; write it, such as 8x512x1024.");
    }
    usual = out.size();
    out.push_back(spec.defaults.at(spec.inputs[0].shape.back()->name));
  } else if (named.size() == 1 && named[0].first == 7 && is_columns(items[named[0].second].value)) {
    usual = 0;
    out.insert(out.begin(), spec.defaults.at(spec.inputs[0].shape[0]->name));
  }
  WW_TRY(assign_by_name(u, items, usual, out));
  if (out.empty()) out = default_dims(spec);
  if (out.size() > 8) {
    return fail(Code::invalid_argument,
                "A tensor has at most 8 dimensions here; " + std::to_string(out.size()) + " are given.");
  }
  return out;
}

namespace {

std::vector<ExprPtr> total_targets(const Spec& spec) {
  std::vector<ExprPtr> out;
  for (const std::string& name : split_list(directive(spec, "size"), ' '))
    if (auto e = parse_integer_expr(name)) out.push_back(*e);
  if (out.empty() && !spec.inputs.empty() && spec.inputs[0].shape.size() == 1) out = spec.inputs[0].shape;
  return out;
}

}  // namespace

Status named_size(Sizing& s, const std::vector<Item>& items, std::size_t item, const std::vector<ExprPtr>& targets) {
  Dims dims = dims_of(items, items[item].value_at);
  // A pooling window has one constant for all sides: 3x3 is 3. A filter of 3 has 3 on all sides.
  if (targets.size() == 1 && dims.size() > 1 &&
      std::all_of(dims.begin(), dims.end(), [&](std::int64_t d) { return d == dims[0]; }))
    dims.resize(1);
  if (dims.size() == 1) dims.resize(targets.size(), dims[0]);
  if (dims.size() != targets.size()) {
    return fail(Code::invalid_argument,
                "The size '" + items[item].written + "' of " + s.shown + " has " + std::to_string(targets.size()) +
                    (targets.size() == 1 ? " number" : " numbers") + ", not " + std::to_string(dims.size()) + ".");
  }
  for (std::size_t i = 0; i < dims.size(); ++i) s.equations.emplace_back(targets[i], dims[i]);
  return {};
}

Status total_size(Sizing& s, const std::vector<Item>& items, const Use& u, Targets& readings) {
  const auto targets = total_targets(*s.spec);
  const std::int64_t v = dims_of(items, u.total)[0];
  if (targets.empty()) {
    return fail(Code::invalid_argument, "It is not clear which size of " + s.shown + " should be " + std::to_string(v) +
                                            "; name it, or write a shape.");
  }
  for (const ExprPtr& e : targets) s.equations.emplace_back(e, v);
  readings[u.total] = targets;
  return {};
}

Status literal_size(Sizing& s, const std::vector<Item>& items, const Use& u, std::size_t k, Targets& readings) {
  const Spec& spec = *s.spec;
  const std::size_t item = u.shapes[k];
  const Dims dims = dims_of(items, item);
  const auto set = [&](const std::vector<ExprPtr>& targets, std::size_t from = 0) -> Status {
    for (std::size_t i = 0; i < dims.size(); ++i) s.equations.emplace_back(targets[from + i], dims[i]);
    readings[item] = std::vector<ExprPtr>(targets.begin() + static_cast<std::ptrdiff_t>(from), targets.end());
    return {};
  };
  const bool alone = u.shapes.size() == 1;
  const std::size_t rank = spec.inputs[0].shape.size();
  const std::vector<ExprPtr> named = total_targets(spec), image = size_targets(spec, "image");
  const bool plain = (rank == 2 && u.sizes.empty()) || rank == 3;  // rank 3: "32 batches of 64x64 matrices"
  if (alone && named.size() > 1 && dims.size() == 2 && plain && dims[0] == dims[1] && u.assigns.empty()) {
    for (const ExprPtr& e : named) s.equations.emplace_back(e, dims[0]);
    readings[item] = named;
    return {};
  }
  if (k >= spec.inputs.size()) {
    return fail(Code::invalid_argument, spec.name + " has " + std::to_string(spec.inputs.size()) +
                                            (spec.inputs.size() == 1 ? " input" : " inputs") +
                                            "; there is no tensor for the shape " + shape_text(dims) + ".");
  }
  const std::vector<ExprPtr>& shape = spec.inputs[k].shape;
  if (dims.size() == shape.size() && alone && u.op->family == "attention" && dims.size() == 4) {
    for (const Param& p : spec.inputs)  // queries, keys and values of one shape
      for (std::size_t i = 0; i < dims.size() && p.shape.size() == dims.size(); ++i)
        s.equations.emplace_back(p.shape[i], dims[i]);
    readings[item] = shape;
    return {};
  }
  if (dims.size() == shape.size()) return set(shape);
  if (alone && dims.size() == named.size() && rank < dims.size()) return set(named);  // M x N x K
  if (k == 0 && dims.size() == image.size()) return set(image);
  if (k == 0 && rank >= 3 && dims.size() + 1 == rank) return set(shape, 1);  // 3x224x224 without the batch
  return fail(Code::invalid_argument, "'" + spec.inputs[k].name + "' of " + spec.name + " has " +
                                          std::to_string(shape.size()) +
                                          (shape.size() == 1 ? " dimension" : " dimensions") + "; " + shape_text(dims) +
                                          " has " + std::to_string(dims.size()) + ".");
}

}  // namespace ww::op::phrases
