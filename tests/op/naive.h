// SPDX-License-Identifier: Apache-2.0
// An evaluator that is as plain as can be: one element after the other, straight from the tree. What the fast one is
// compared with.
#pragma once
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include "op/evaluate.h"
#include "op/inputs.h"
#include "op/parse.h"

namespace ww::test {

using namespace ww::op;

class Naive {
 public:
  struct Value {
    double real = 0;
    std::int64_t integer = 0;
    bool is_real = false;
    double number() const { return is_real ? real : static_cast<double>(integer); }
  };
  struct Array {
    std::vector<std::int64_t> shape;
    std::vector<Value> values;
  };

  Naive(const Spec& spec, const Binding& binding, const std::map<std::string, HostTensor>& inputs)
      : known_(*resolve(spec, binding)) {
    for (const auto& [name, t] : inputs) {
      Array& a = arrays[name];
      a.shape = t.shape;
      for (std::size_t i = 0; i * dtype_size(t.dtype) < t.bytes.size(); ++i) {
        const void* at = t.bytes.data() + i * dtype_size(t.dtype);
        a.values.push_back(ww::is_real(t.dtype) ? Value{load_f64(t.dtype, at), 0, true}
                                                : Value{0, load_i64(t.dtype, at), false});
      }
    }
    for (const Equation& e : spec.equations) equation(e, find_param(spec, e.target)->dtype);
  }

  std::map<std::string, Array> arrays;

 private:
  std::int64_t integer(const Expr& e) { return eval(e).integer; }

  void equation(const Equation& e, DType dtype) {
    Array& out = arrays[e.target];
    for (const Index& i : e.indices) out.shape.push_back(integer(*i.hi));
    std::int64_t count = element_count(out.shape);
    for (std::int64_t flat = 0; flat < count; ++flat) {
      std::int64_t rest = flat;
      for (std::size_t k = e.indices.size(); k-- > 0;) {
        at_[e.indices[k].name] = rest % out.shape[k];
        rest /= out.shape[k];
      }
      Value v = eval(*e.value);
      if (ww::is_real(dtype)) v = {v.number(), 0, true};
      out.values.push_back(v);
    }
    at_.clear();
  }

  static Value whole(std::int64_t v) { return {0, v, false}; }
  static Value real(double v) { return {v, 0, true}; }

  Value access(const Expr& e, bool* outside) {
    const Array& a = arrays.at(e.name);
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < e.args.size(); ++k) {
      const std::int64_t s = integer(*e.args[k]);
      if (s < 0 || s >= a.shape[k]) {
        *outside = true;
        return {};
      }
      offset = offset * a.shape[k] + s;
    }
    return a.values[static_cast<std::size_t>(offset)];
  }

  Value eval(const Expr& e) {
    bool outside = false;
    switch (e.kind) {
      case ExprKind::integer:
      case ExprKind::boolean: return whole(e.integer);
      case ExprKind::real: return real(e.real);
      case ExprKind::name:
        if (const auto i = at_.find(e.name); e.role == Role::index && i != at_.end()) return whole(i->second);
        for (const ResolvedConstant& c : known_.constants)
          if (c.name == e.name) return c.type == Type::real ? real(c.real) : whole(c.integer);
        return whole(known_.symbols.at(e.name));
      case ExprKind::access: {
        const Value v = access(e, &outside);
        if (outside) throw std::out_of_range(e.name);
        return v;
      }
      case ExprKind::padded: {
        const Value v = access(*e.args[0], &outside);
        const Value pad = outside ? eval(*e.args[1]) : v;
        return e.type == Type::real ? real(pad.number()) : pad;
      }
      case ExprKind::unary: {
        const Value a = eval(*e.args[0]);
        if (e.unary == UnaryOp::logical_not) return whole(!a.integer);
        return a.is_real ? real(-a.real) : whole(-a.integer);
      }
      case ExprKind::select: {
        const Value v = eval(*e.args[eval(*e.args[0]).integer ? 1 : 2]);
        return e.type == Type::real ? real(v.number()) : v;
      }
      case ExprKind::cast: {
        const Value a = eval(*e.args[0]);
        if (ww::is_real(e.cast)) return real(round_to(e.cast, a.number()));
        std::int64_t out = 0;
        std::byte memory[8] = {};
        if (a.is_real)
          store_f64(e.cast, memory, a.real);
        else
          store_i64(e.cast, memory, a.integer);
        out = load_i64(e.cast, memory);
        return whole(out);
      }
      case ExprKind::call: return call(e);
      case ExprKind::binary: return binary(e);
      case ExprKind::reduce: return reduce(e);
    }
    return {};
  }

  Value call(const Expr& e) {
    std::vector<Value> v;
    for (const ExprPtr& a : e.args) v.push_back(eval(*a));
    const double x = v[0].number();
    const auto keep = [&](double r) { return e.type == Type::integer ? whole(static_cast<std::int64_t>(r)) : real(r); };
    if (e.name == "exp") return real(std::exp(x));
    if (e.name == "tanh") return real(std::tanh(x));
    if (e.name == "sin") return real(std::sin(x));
    if (e.name == "rsqrt") return real(1 / std::sqrt(x));
    if (e.name == "sqrt") return real(std::sqrt(x));
    if (e.name == "floor") return keep(std::floor(x));
    if (e.name == "abs") return keep(std::fabs(x));
    if (e.name == "max" || e.name == "min") {
      const double y = v[1].number();
      if (std::isnan(x) || std::isnan(y)) return real(NAN);
      return keep(e.name == "max" ? std::max(x, y) : std::min(x, y));
    }
    throw std::logic_error("the plain evaluator does not know " + e.name);
  }

  Value binary(const Expr& e) {
    const Value a = eval(*e.args[0]);
    if (e.binary == BinaryOp::logical_and) return a.integer ? eval(*e.args[1]) : whole(0);
    if (e.binary == BinaryOp::logical_or) return a.integer ? whole(1) : eval(*e.args[1]);
    const Value b = eval(*e.args[1]);
    const double x = a.number(), y = b.number();
    switch (e.binary) {
      case BinaryOp::lt: return whole(x < y);
      case BinaryOp::le: return whole(x <= y);
      case BinaryOp::gt: return whole(x > y);
      case BinaryOp::ge: return whole(x >= y);
      case BinaryOp::eq: return whole(x == y);
      case BinaryOp::ne: return whole(x != y);
      default: break;
    }
    if (e.type == Type::real) {
      switch (e.binary) {
        case BinaryOp::add: return real(x + y);
        case BinaryOp::sub: return real(x - y);
        case BinaryOp::mul: return real(x * y);
        case BinaryOp::div: return real(x / y);
        case BinaryOp::mod: return real(x - y * std::floor(x / y));
        default: return real(std::pow(x, y));
      }
    }
    const std::int64_t p = a.integer, q = b.integer;
    switch (e.binary) {
      case BinaryOp::add: return whole(p + q);
      case BinaryOp::sub: return whole(p - q);
      case BinaryOp::mul: return whole(p * q);
      case BinaryOp::div: return whole(static_cast<std::int64_t>(std::floor(x / y)));
      case BinaryOp::mod: return whole(p - q * static_cast<std::int64_t>(std::floor(x / y)));
      default: return whole(static_cast<std::int64_t>(std::pow(x, y)));
    }
  }

  Value reduce(const Expr& e) {
    std::vector<std::vector<std::int64_t>> points{{}};
    std::vector<Value> terms;
    std::vector<std::int64_t> first;
    const auto visit = [&](const auto& self, std::size_t level) -> void {
      if (level == e.indices.size()) {
        if (e.args.size() > 1 && !eval(*e.args[1]).integer) return;
        first.push_back(at_[e.indices[0].name]);
        terms.push_back(eval(*e.args[0]));
        return;
      }
      const std::int64_t lo = integer(*e.indices[level].lo), hi = integer(*e.indices[level].hi);
      for (std::int64_t i = lo; i < hi; ++i) {
        at_[e.indices[level].name] = i;
        self(self, level + 1);
      }
      at_.erase(e.indices[level].name);
    };
    visit(visit, 0);
    const bool is_real = e.args[0]->type == Type::real;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (e.reduce) {
      case ReduceOp::sum:
      case ReduceOp::prod: {
        const bool sum = e.reduce == ReduceOp::sum;
        long double r = sum ? 0 : 1;
        std::int64_t n = sum ? 0 : 1;
        for (const Value& t : terms) {
          if (sum)
            r += t.real, n += t.integer;
          else
            r *= t.real, n *= t.integer;
        }
        return is_real ? real(static_cast<double>(r)) : whole(n);
      }
      case ReduceOp::max:
      case ReduceOp::min: {
        const bool max = e.reduce == ReduceOp::max;
        if (terms.empty()) return is_real ? real(max ? -infinity : infinity) : whole(max ? INT64_MIN : INT64_MAX);
        Value best = terms[0];
        for (const Value& t : terms)
          if (std::isnan(t.number()) || (max ? t.number() > best.number() : t.number() < best.number())) best = t;
        return best;
      }
      case ReduceOp::argmax:
      case ReduceOp::argmin: {
        std::int64_t at = -1;
        double best = 0;
        for (std::size_t i = 0; i < terms.size(); ++i) {
          const double v = e.reduce == ReduceOp::argmax ? terms[i].number() : -terms[i].number();
          if (i == 0 || v > best) best = v, at = first[i];
        }
        return whole(at);
      }
      default: {
        bool all = true, any = false;
        for (const Value& t : terms) all = all && t.integer, any = any || t.integer;
        return whole(e.reduce == ReduceOp::all ? all : any);
      }
    }
  }

  Resolved known_;
  std::map<std::string, std::int64_t> at_;
};

// Inputs of a spec as a case would draw them.
inline std::map<std::string, HostTensor> drawn(const Spec& spec, const Binding& binding,
                                               Distribution d = Distribution::normal, std::uint64_t seed = 1) {
  std::map<std::string, HostTensor> out;
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
    const Param& p = spec.inputs[i];
    HostTensor& t = out[p.name];
    t.dtype = p.dtype;
    t.shape = *shape_of(spec, p, binding);
    t.bytes.resize(static_cast<std::size_t>(element_count(t.shape)) * dtype_size(p.dtype));
    fill_input(d, seed, static_cast<int>(i), p.dtype, *domain_of(spec, p, binding), element_count(t.shape),
               t.bytes.data());
  }
  return out;
}

// A tensor of given values.
inline HostTensor tensor(DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  HostTensor t{dtype, std::move(shape), std::vector<std::byte>(values.size() * dtype_size(dtype))};
  for (std::size_t i = 0; i < values.size(); ++i) store_f64(dtype, t.bytes.data() + i * dtype_size(dtype), values[i]);
  return t;
}

inline std::vector<float> floats(const HostTensor& t) {
  const std::size_t size = dtype_size(t.dtype);
  std::vector<float> out(t.bytes.size() / size);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(load_f64(t.dtype, t.bytes.data() + i * size));
  return out;
}

}  // namespace ww::test
