// SPDX-License-Identifier: Apache-2.0
#include "op/program.h"
#include <algorithm>
#include <limits>
#include "op/bounds.h"
#include "op/factors.h"
#include "op/interpret.h"
#include "op/walk.h"

namespace ww::op {

void Tensor::set_shape(std::vector<std::int64_t> s) {
  shape = std::move(s);
  strides.assign(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
}

bool interval(const Expr& e, const Scope& scope, const Resolved& known, std::int64_t* first, std::int64_t* last) {
  if (e.type != Type::integer) return false;
  const auto combine = [&](std::initializer_list<std::int64_t> corners) {
    *first = std::min(corners);
    *last = std::max(corners);
    return true;
  };
  constexpr std::int64_t limit = std::int64_t{1} << 31;  // products of such numbers fit
  switch (e.kind) {
    case ExprKind::integer: return combine({e.integer});
    case ExprKind::name: {
      if (e.role == Role::index) {
        const auto found = scope.find(e.name);
        if (found == scope.end() || found->second.extent() == 0) return false;
        return combine({found->second.lo, found->second.hi - 1});
      }
      const auto v = known.integer(e.name);
      return v && combine({*v});
    }
    case ExprKind::unary:
    case ExprKind::binary:
    case ExprKind::call: break;
    default: return false;
  }
  std::int64_t a0 = 0, a1 = 0, b0 = 0, b1 = 0;
  if (e.args.empty() || !interval(*e.args[0], scope, known, &a0, &a1)) return false;
  if (a0 < -limit || a1 > limit) return false;
  if (e.kind == ExprKind::unary) return e.unary == UnaryOp::negate && combine({-a1, -a0});
  if (e.args.size() < 2 || !interval(*e.args[1], scope, known, &b0, &b1)) return false;
  if (b0 < -limit || b1 > limit) return false;
  if (e.kind == ExprKind::call) {
    if (e.args.size() != 2) return false;
    if (e.name == "min") return combine({std::min(a0, b0), std::min(a1, b1)});
    if (e.name == "max") return combine({std::max(a0, b0), std::max(a1, b1)});
    return false;
  }
  switch (e.binary) {
    case BinaryOp::add: return combine({a0 + b0, a1 + b1});
    case BinaryOp::sub: return combine({a0 - b1, a1 - b0});
    case BinaryOp::mul: return combine({a0 * b0, a0 * b1, a1 * b0, a1 * b1});
    case BinaryOp::div: {
      if (b0 <= 0) return false;
      std::int64_t q[4] = {};
      floor_div(a0, b0, &q[0]);
      floor_div(a0, b1, &q[1]);
      floor_div(a1, b0, &q[2]);
      floor_div(a1, b1, &q[3]);
      return combine({q[0], q[1], q[2], q[3]});
    }
    case BinaryOp::mod: return b0 > 0 && combine({0, b1 - 1});
    default: return false;
  }
}

namespace {

class Compiler {
 public:
  Compiler(const Scope& scope, const Resolved& known, const std::map<std::string, Tensor>& tensors, const Rules& rules)
      : scope_(scope), known_(known), tensors_(tensors), rules_(rules) {}

  Program run(const ExprPtr& expr, Type type, const std::vector<GridIndex>& grid) {
    for (const GridIndex& g : grid) {
      bind(g.name);
      scope_[g.name] = g;
    }
    program_.root = type == Type::real ? real(*expr) : node(*expr);
    collect_constants(*program_.root);
    return std::move(program_);
  }

 private:
  int bind(const std::string& name) {
    const int v = static_cast<int>(program_.variables.size());
    program_.variables.push_back(name);
    bound_.emplace_back(name, v);
    return v;
  }

  NodePtr make(Node::Op op, const Expr& e) {
    auto n = std::make_unique<Node>();
    n->op = op;
    n->type = e.type;
    n->source = &e;
    return n;
  }

  static void merge_vars(Node& n, const Node& from) {
    for (const int v : from.vars)
      if (std::find(n.vars.begin(), n.vars.end(), v) == n.vars.end()) n.vars.push_back(v);
  }

  // Gives the node its buffers; a node without indices and tensors becomes a constant.
  NodePtr finish(NodePtr n) {
    bool constant = n->op != Node::Op::access && n->op != Node::Op::reduce && n->op != Node::Op::index &&
                    n->op != Node::Op::constant;
    for (const NodePtr& a : n->args) {
      merge_vars(*n, *a);
      n->can_fail = n->can_fail || a->can_fail;
      constant = constant && a->op == Node::Op::constant;
      if (n->type != Type::real) n->fuzzy = n->fuzzy || a->fuzzy || a->type == Type::real;
    }
    place(*n);
    if (constant && !n->can_fail) return fold(std::move(n));
    return n;
  }

  void place(Node& n) {
    n.slot = program_.slots;
    program_.slots += n.op == Node::Op::access ? 2 : 1;
    n.remap = program_.slots;
    program_.slots += static_cast<int>(n.vars.size());
  }

  NodePtr fold(NodePtr n) {
    Program one;
    one.slots = program_.slots;
    one.variables = program_.variables;
    collect_into(*n, one.constants);
    Worker worker(one, rules_);
    const View v = worker.eval(*n, 1);
    auto c = std::make_unique<Node>();
    c->op = Node::Op::constant;
    c->type = n->type;
    c->source = n->source;
    c->fuzzy = n->fuzzy;
    if (n->type == Type::real)
      c->real = v.v[0];
    else
      c->integer = v.i[0];
    c->error = rules_.bounds ? v.e[0] : 0;
    place(*c);
    return c;
  }

  static void collect_into(const Node& n, std::vector<const Node*>& out) {
    if (n.op == Node::Op::constant) out.push_back(&n);
    for (const NodePtr& a : n.args) collect_into(*a, out);
    for (const NodePtr& a : n.lo) collect_into(*a, out);
    for (const NodePtr& a : n.hi) collect_into(*a, out);
    if (n.condition) collect_into(*n.condition, out);
  }
  void collect_constants(const Node& n) { collect_into(n, program_.constants); }

  NodePtr integer_constant(const Expr& e, std::int64_t value) {
    auto n = make(Node::Op::constant, e);
    if (n->type == Type::real) n->type = Type::integer;
    n->integer = value;
    place(*n);
    return n;
  }

  NodePtr real_constant(const Expr& e, double value) {
    auto n = make(Node::Op::constant, e);
    n->type = Type::real;
    n->real = value;
    n->error = rules_.bounds ? rules_.constant_error(value) : 0;
    place(*n);
    return n;
  }

  NodePtr real(const Expr& e) {
    NodePtr n = node(e);
    if (n->type == Type::real) return n;
    auto r = std::make_unique<Node>();
    r->op = Node::Op::to_real;
    r->type = Type::real;
    r->source = &e;
    r->args.push_back(std::move(n));
    return finish(std::move(r));
  }

  NodePtr node(const Expr& e) {
    switch (e.kind) {
      case ExprKind::integer:
      case ExprKind::boolean: return integer_constant(e, e.integer);
      case ExprKind::real: return real_constant(e, e.real);
      case ExprKind::name: return name(e);
      case ExprKind::access: return access(e, nullptr);
      case ExprKind::padded: return access(*e.args[0], &e);
      case ExprKind::unary: {
        auto n = make(e.unary == UnaryOp::negate ? Node::Op::negate : Node::Op::logical_not, e);
        n->args.push_back(node(*e.args[0]));
        return finish(std::move(n));
      }
      case ExprKind::binary: return binary(e);
      case ExprKind::select: {
        auto n = make(Node::Op::select, e);
        n->args.push_back(node(*e.args[0]));
        for (int i : {1, 2}) n->args.push_back(e.type == Type::real ? real(*e.args[i]) : node(*e.args[i]));
        return finish(std::move(n));
      }
      case ExprKind::call: return call(e);
      case ExprKind::cast: {
        auto n = make(Node::Op::cast, e);
        n->cast = e.cast;
        n->args.push_back(is_real(e.cast) ? real(*e.args[0]) : node(*e.args[0]));
        return finish(std::move(n));
      }
      case ExprKind::reduce: return reduce(e);
    }
    return nullptr;
  }

  NodePtr name(const Expr& e) {
    if (e.role == Role::index) {
      for (std::size_t i = bound_.size(); i-- > 0;) {
        if (bound_[i].first != e.name) continue;
        auto n = make(Node::Op::index, e);
        n->var = bound_[i].second;
        n->vars = {n->var};
        place(*n);
        return n;
      }
    }
    for (const ResolvedConstant& c : known_.constants)
      if (c.name == e.name && c.type == Type::real) return real_constant(e, c.real);
    return integer_constant(e, known_.integer(e.name).value_or(0));
  }

  NodePtr access(const Expr& e, const Expr* pad) {
    auto n = make(Node::Op::access, pad ? *pad : e);
    n->tensor = &tensors_.at(e.name);
    n->type = n->tensor->type;
    n->fuzzy = n->type != Type::real && n->tensor->error;
    n->checked = false;
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      std::int64_t first = 0, last = 0;
      if (!interval(*e.args[i], scope_, known_, &first, &last) || first < 0 || last >= n->tensor->shape[i])
        n->checked = true;
      n->args.push_back(node(*e.args[i]));
    }
    if (pad && n->checked) {
      n->padded = true;
      n->args.push_back(n->type == Type::real ? real(*pad->args[1]) : node(*pad->args[1]));
    }
    n->can_fail = n->checked && !n->padded;
    return finish(std::move(n));
  }

  NodePtr binary(const Expr& e) {
    auto n = make(Node::Op::binary, e);
    n->binary = e.binary;
    const Expr& a = *e.args[0];
    const Expr& b = *e.args[1];
    const bool as_real = a.type == Type::real || b.type == Type::real || e.type == Type::real;
    if (e.binary == BinaryOp::pow && b.kind == ExprKind::integer && b.integer >= 0 && b.integer <= 64) {
      n->small_power = true;
      n->integer = b.integer;
      n->args.push_back(as_real ? real(a) : node(a));
      return finish(std::move(n));
    }
    n->args.push_back(as_real ? real(a) : node(a));
    n->args.push_back(as_real ? real(b) : node(b));
    if (!as_real && (e.binary == BinaryOp::div || e.binary == BinaryOp::mod)) {
      std::int64_t first = 0, last = 0;
      n->can_fail = !(interval(b, scope_, known_, &first, &last) && first > 0);
    }
    return finish(std::move(n));
  }

  NodePtr call(const Expr& e) {
    auto n = make(Node::Op::call, e);
    n->fn = *fn_from_name(e.name);
    bool all_integer = true;
    for (const ExprPtr& a : e.args) all_integer = all_integer && a->type == Type::integer;
    const bool as_integer = e.type == Type::integer && all_integer;
    for (const ExprPtr& a : e.args) n->args.push_back(as_integer ? node(*a) : real(*a));
    n->can_fail = as_integer && (n->fn == Fn::ceildiv || n->fn == Fn::pow2ceil || n->fn == Fn::abs);
    return finish(std::move(n));
  }

  NodePtr reduce(const Expr& e) {
    auto n = make(Node::Op::reduce, e);
    n->reduce = e.reduce;
    n->truncated = fits_matrix_units(e, [&](const std::string& name) { return tensors_.at(name).dtype; });
    const std::size_t scope = bound_.size();
    std::vector<GridIndex> outer;  // what the scope held under the reduction's names
    n->uniform = true;
    for (const Index& i : e.indices) {
      GridIndex range{i.name, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
      std::int64_t other = 0;
      const bool known_in_range =
          interval(*i.lo, scope_, known_, &range.lo, &other) && interval(*i.hi, scope_, known_, &other, &range.hi);
      n->lo.push_back(node(*i.lo));
      n->hi.push_back(node(*i.hi));
      n->uniform = n->uniform && n->lo.back()->op == Node::Op::constant && n->hi.back()->op == Node::Op::constant;
      n->bound_vars.push_back(bind(i.name));
      if (known_in_range)
        scope_[i.name] = range;
      else
        scope_.erase(i.name);
    }
    if (e.args.size() > 1) n->condition = node(*e.args[1]);
    n->args.push_back(node(*e.args[0]));
    // Both the body and the ranges decide what the node depends on.
    const auto take = [&](const Node& part) {
      merge_vars(*n, part);
      n->can_fail = n->can_fail || part.can_fail;
      if (n->type != Type::real) n->fuzzy = n->fuzzy || part.fuzzy || part.type == Type::real;
    };
    for (const NodePtr& p : n->lo) take(*p);
    for (const NodePtr& p : n->hi) take(*p);
    if (n->condition) take(*n->condition);
    take(*n->args[0]);
    const std::vector<int>& own = n->bound_vars;
    std::erase_if(n->vars, [&](int v) { return std::find(own.begin(), own.end(), v) != own.end(); });
    bound_.resize(scope);
    for (const Index& i : e.indices) scope_.erase(i.name);
    n->accumulator = program_.accumulators++;
    n->slot = program_.slots;
    // The result, a list of lanes, the ends of the first range per lane, and a buffer per own index.
    program_.slots += 4 + static_cast<int>(own.size());
    n->remap = program_.slots;
    program_.slots += 2 * static_cast<int>(n->vars.size());
    n->across = neighbours_across(e);
    return n;
  }

  // Whether consecutive values of the enclosing block's last index, rather than of the reduction's last, are next to
  // each other.
  bool neighbours_across(const Expr& e) const {
    if (bound_.empty()) return false;
    int across = 0, along = 0;
    for_each(*e.args[0], [&](const Expr& x) {
      if (x.kind != ExprKind::access || x.args.empty()) return;
      for (const std::string& name : free_indices(*x.args.back())) {
        across += name == bound_.back().first;
        along += name == e.indices.back().name;
      }
    });
    return across > along;
  }

  Program program_;
  Scope scope_;
  const Resolved& known_;
  const std::map<std::string, Tensor>& tensors_;
  const Rules& rules_;
  std::vector<std::pair<std::string, int>> bound_;
};

}  // namespace

Program compile(const ExprPtr& expr, Type type, const std::vector<GridIndex>& grid, const Scope& scope,
                const Resolved& known, const std::map<std::string, Tensor>& tensors, const Rules& rules) {
  return Compiler(scope, known, tensors, rules).run(expr, type, grid);
}

}  // namespace ww::op
