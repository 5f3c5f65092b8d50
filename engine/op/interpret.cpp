// SPDX-License-Identifier: Apache-2.0
#include "op/interpret.h"
#include "op/bounds.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ww::op {
namespace {

std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrap_sub(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t wrap_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

std::int64_t whole(double v) {  // truncation toward zero, saturating; NaN gives 0
  if (std::isnan(v)) return 0;
  if (v >= 9223372036854775807.0) return std::numeric_limits<std::int64_t>::max();
  if (v <= -9223372036854775808.0) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(v);
}

std::int64_t narrow(DType to, std::int64_t v, bool saturate) {
  if (to == DType::boolean) return v != 0;
  if (saturate && is_integer(to)) return std::clamp(v, least_integer(to), most_integer(to));
  switch (to) {
    case DType::i32: return static_cast<std::int32_t>(v);
    case DType::i8: return static_cast<std::int8_t>(v);
    case DType::u8: return static_cast<std::uint8_t>(v);
    case DType::u16: return static_cast<std::uint16_t>(v);
    case DType::u32: return static_cast<std::uint32_t>(v);
    default: return v;
  }
}

}  // namespace

Worker::Worker(const Program& program, const Rules& rules, std::stop_token stop, double most)
    : program_(program), rules_(rules), bounds_(rules.bounds), stop_(std::move(stop)), left_(most) {
  grid_slot_ = program.slots;
  buffers_ = std::make_unique<Buffer[]>(static_cast<std::size_t>(program.slots) + program.variables.size() + 1);
  zeros_ = std::make_unique<Buffer>();
  std::memset(static_cast<void*>(zeros_.get()), 0, sizeof(Buffer));
  index_.assign(program.variables.size(), zeros_->i);
  accumulators_.resize(static_cast<std::size_t>(program.accumulators));
  for (const Node* c : program.constants) {
    Buffer& b = buffer(c->slot);
    for (int l = 0; l < lanes; ++l) {
      if (c->type == Type::real)
        b.v[l] = c->real;
      else
        b.i[l] = c->integer;
      b.e[l] = c->error;
    }
  }
}

void Worker::fail(std::string message) {
  if (failed_) return;
  failed_ = true;
  failure_ = std::move(message);
}

std::string Worker::lane_text(const Node& node, int lane) const {
  std::string out;
  for (const int v : node.vars) {
    out += out.empty() ? " at " : ", ";
    out += program_.variables[static_cast<std::size_t>(v)] + " = " +
           std::to_string(index_[static_cast<std::size_t>(v)][lane]);
  }
  return out;
}

void fill_indices(const std::vector<GridIndex>& grid, std::int64_t* at, std::int64_t* const* values, int n) {
  const std::size_t d = grid.size();
  int l = 0;
  while (l < n && d > 0) {  // one run of the last index after the other
    const std::size_t last = d - 1;
    const int run = static_cast<int>(std::min<std::int64_t>(n - l, grid[last].extent() - at[last]));
    for (std::size_t k = 0; k < last; ++k) std::fill(values[k] + l, values[k] + l + run, grid[k].lo + at[k]);
    for (int r = 0; r < run; ++r) values[last][l + r] = grid[last].lo + at[last] + r;
    l += run;
    at[last] += run;
    for (std::size_t k = last; k > 0 && at[k] == grid[k].extent(); --k) {
      at[k] = 0;
      ++at[k - 1];
    }
  }
}

View Worker::run(const std::vector<GridIndex>& grid, std::int64_t begin, int n) {
  std::int64_t rest = begin;
  std::int64_t at[max_indices];
  const std::size_t d = grid.size();
  for (std::size_t k = d; k-- > 0;) {
    at[k] = rest % grid[k].extent();
    rest /= grid[k].extent();
  }
  std::int64_t* values[max_indices];
  for (std::size_t k = 0; k < d; ++k) {
    values[k] = buffer(grid_slot_ + static_cast<int>(k)).i;
    index_[k] = values[k];
  }
  fill_indices(grid, at, values, n);
  return eval(*program_.root, n);
}

void Worker::finish(Buffer& out, std::initializer_list<View> args, int n, bool scaled) const {
  if (!bounds_) return;
  for (int l = 0; l < n; ++l) {
    if (std::fabs(out.v[l]) + out.e[l] <= rules_.largest) continue;
    bool overflowed = false, finite = true;
    for (const View& a : args) {
      overflowed = overflowed || a.e[l] == infinity;
      finite = finite && std::isfinite(a.v[l]);
    }
    if (scaled && !finite) {
      const View &a = args.begin()[0], &b = args.begin()[1];
      overflowed =
          overflowed || Rules::unsure_product(a.v[l], b.v[l], b.e[l]) || Rules::unsure_product(b.v[l], a.v[l], a.e[l]);
    }
    out.e[l] = rules_.settle_slow(out.v[l], out.e[l], overflowed, finite);
  }
}

View Worker::eval(const Node& node, int n) {
  switch (node.op) {
    case Node::Op::constant: {
      const Buffer& b = buffer(node.slot);
      return node.type == Type::real ? real_view(b) : View{nullptr, b.i, b.e};
    }
    case Node::Op::index: return {nullptr, index_[static_cast<std::size_t>(node.var)], zeros_->e};
    case Node::Op::access: return access(node, n);
    case Node::Op::to_real: return to_real(node, n);
    case Node::Op::negate:
    case Node::Op::logical_not: return unary(node, n);
    case Node::Op::binary:
      if (node.small_power) return small_power(node, n);
      if (node.binary == BinaryOp::logical_and || node.binary == BinaryOp::logical_or) return logical(node, n);
      if (node.binary >= BinaryOp::lt) return compare(node, n);
      return node.type == Type::real ? binary_real(node, n) : binary_integer(node, n);
    case Node::Op::select: return select(node, n);
    case Node::Op::call: return call(node, n);
    case Node::Op::cast: return cast(node, n);
    case Node::Op::reduce: return reduce(node, n);
  }
  return {};
}

View Worker::eval_lanes(const Node& node, const int* list, int m) {
  std::vector<const std::int64_t*> saved;
  saved.reserve(node.vars.size());
  for (std::size_t k = 0; k < node.vars.size(); ++k) {
    const std::size_t var = static_cast<std::size_t>(node.vars[k]);
    const std::int64_t* from = index_[var];
    std::int64_t* to = buffer(node.remap + static_cast<int>(k)).i;
    for (int l = 0; l < m; ++l) to[l] = from[list[l]];
    saved.push_back(from);
    index_[var] = to;
  }
  const View out = eval(node, m);
  for (std::size_t k = 0; k < node.vars.size(); ++k) index_[static_cast<std::size_t>(node.vars[k])] = saved[k];
  return out;
}

View Worker::to_real(const Node& node, int n) {
  const View a = eval(*node.args[0], n);
  Buffer& out = buffer(node.slot);
  for (int l = 0; l < n; ++l) out.v[l] = static_cast<double>(a.i[l]);
  if (bounds_)
    for (int l = 0; l < n; ++l) out.e[l] = a.e[l] + rules_.integer_error(a.i[l]);
  return real_view(out);
}

View Worker::unary(const Node& node, int n) {
  const View a = eval(*node.args[0], n);
  Buffer& out = buffer(node.slot);
  if (node.type == Type::real) {
    for (int l = 0; l < n; ++l) out.v[l] = -a.v[l];
    return {out.v, nullptr, a.e};
  }
  if (node.op == Node::Op::logical_not) {
    for (int l = 0; l < n; ++l) out.i[l] = a.i[l] == 0;
  } else {
    for (int l = 0; l < n; ++l) out.i[l] = wrap_sub(0, a.i[l]);
  }
  return {nullptr, out.i, a.e};
}

View Worker::binary_real(const Node& node, int n) {
  const View a = eval(*node.args[0], n);
  const View b = eval(*node.args[1], n);
  Buffer& out = buffer(node.slot);
  const double u = rules_.u;
  const auto add_errors = [&] {
    if (!bounds_) return;
    for (int l = 0; l < n; ++l) out.e[l] = a.e[l] + b.e[l] + u * std::fabs(out.v[l]);
    if (!rules_.joined) return;
    for (int l = 0; l < n; ++l) out.e[l] = a.e[l] + b.e[l] + 4 * u * (std::fabs(a.v[l]) + std::fabs(b.v[l]));
  };
  switch (node.binary) {
    case BinaryOp::add:
      for (int l = 0; l < n; ++l) out.v[l] = a.v[l] + b.v[l];
      add_errors();
      break;
    case BinaryOp::sub:
      for (int l = 0; l < n; ++l) out.v[l] = a.v[l] - b.v[l];
      add_errors();
      break;
    case BinaryOp::mul:
      for (int l = 0; l < n; ++l) out.v[l] = a.v[l] * b.v[l];
      if (bounds_)
        for (int l = 0; l < n; ++l)
          out.e[l] =
              std::fabs(a.v[l]) * b.e[l] + a.e[l] * (std::fabs(b.v[l]) + b.e[l]) + rules_.product_error(out.v[l]);
      break;
    case BinaryOp::div:
      for (int l = 0; l < n; ++l) out.v[l] = a.v[l] / b.v[l];
      if (bounds_)
        for (int l = 0; l < n; ++l) out.e[l] = rules_.divide_error(out.v[l], b.v[l], a.e[l], b.e[l]);
      break;
    case BinaryOp::mod:
      for (int l = 0; l < n; ++l) out.v[l] = real_mod(a.v[l], b.v[l]);
      if (bounds_) {
        for (int l = 0; l < n; ++l) {
          const double q = std::floor(a.v[l] / b.v[l]);
          const double e = a.e[l] + std::fabs(q) * b.e[l];
          const bool near_step = out.v[l] - e < std::min(0.0, b.v[l]) || out.v[l] + e > std::max(0.0, b.v[l]);
          out.e[l] = e == infinity        ? infinity
                     : e > 0 && near_step ? std::fabs(b.v[l]) + b.e[l]
                                          : e + 4 * u * std::fabs(out.v[l]);
        }
      }
      break;
    default:
      for (int l = 0; l < n; ++l) out.v[l] = std::pow(a.v[l], b.v[l]);
      if (bounds_)
        for (int l = 0; l < n; ++l) out.e[l] = rules_.power_error(out.v[l], a.v[l], a.e[l], b.v[l], b.e[l]);
  }
  finish(out, {a, b}, n, node.binary == BinaryOp::mul || node.binary == BinaryOp::div);
  return real_view(out);
}

View Worker::small_power(const Node& node, int n) {
  const View a = eval(*node.args[0], n);
  Buffer& out = buffer(node.slot);
  const std::int64_t p = node.integer;
  if (node.type != Type::real) {
    for (int l = 0; l < n; ++l) {
      std::int64_t r = 1;
      for (std::int64_t k = 0; k < p; ++k) r = wrap_mul(r, a.i[l]);
      out.i[l] = r;
      out.e[l] = a.e[l] > 0 ? infinity : 0;
    }
    return integer_view(node, out);
  }
  if (p == 2) {
    for (int l = 0; l < n; ++l) out.v[l] = a.v[l] * a.v[l];
    if (bounds_)
      for (int l = 0; l < n; ++l) out.e[l] = a.e[l] * (2 * std::fabs(a.v[l]) + a.e[l]) + rules_.product_error(out.v[l]);
  } else {
    for (int l = 0; l < n; ++l) {
      double r = 1;
      for (std::int64_t k = 0; k < p; ++k) r *= a.v[l];
      out.v[l] = r;
      if (!bounds_) continue;
      const double x = std::fabs(a.v[l]), e = a.e[l];
      out.e[l] = (e > 0 ? std::pow(x + e, static_cast<double>(p)) - std::pow(x, static_cast<double>(p)) : 0) +
                 static_cast<double>(p > 3 ? p + 32 : p) * rules_.product_error(r);
    }
  }
  finish(out, {a}, n);
  return real_view(out);
}

View Worker::binary_integer(const Node& node, int n) {
  const View a = eval(*node.args[0], n);
  const View b = eval(*node.args[1], n);
  Buffer& out = buffer(node.slot);
  switch (node.binary) {
    case BinaryOp::add:
      for (int l = 0; l < n; ++l) out.i[l] = wrap_add(a.i[l], b.i[l]);
      break;
    case BinaryOp::sub:
      for (int l = 0; l < n; ++l) out.i[l] = wrap_sub(a.i[l], b.i[l]);
      break;
    case BinaryOp::mul:
      for (int l = 0; l < n; ++l) out.i[l] = wrap_mul(a.i[l], b.i[l]);
      break;
    default:
      for (int l = 0; l < n; ++l) {
        out.i[l] = 0;
        const bool ok = node.binary == BinaryOp::div   ? floor_div(a.i[l], b.i[l], &out.i[l])
                        : node.binary == BinaryOp::mod ? floor_mod(a.i[l], b.i[l], &out.i[l])
                                                       : integer_power(a.i[l], b.i[l], &out.i[l]);
        if (!ok)
          fail((b.i[l] == 0 ? "integer division by zero in " : "integer overflow in ") + print(*node.source) +
               lane_text(node, l));
      }
  }
  if (bounds_ && node.fuzzy) {
    for (int l = 0; l < n; ++l) {
      const double ea = a.e[l], eb = b.e[l];
      switch (node.binary) {
        case BinaryOp::add:
        case BinaryOp::sub: out.e[l] = ea + eb; break;
        case BinaryOp::mul:
          out.e[l] = ea + eb == 0 ? 0
                                  : std::fabs(static_cast<double>(a.i[l])) * eb +
                                        std::fabs(static_cast<double>(b.i[l])) * ea + ea * eb;
          break;
        default: out.e[l] = ea + eb > 0 ? infinity : 0;
      }
      if (std::isnan(out.e[l])) out.e[l] = infinity;
    }
  }
  return integer_view(node, out);
}

View Worker::compare(const Node& node, int n) {
  const View a = eval(*node.args[0], n);
  const View b = eval(*node.args[1], n);
  Buffer& out = buffer(node.slot);
  const auto apply = [&](const auto* x, const auto* y) {
    switch (node.binary) {
      case BinaryOp::lt:
        for (int l = 0; l < n; ++l) out.i[l] = x[l] < y[l];
        break;
      case BinaryOp::le:
        for (int l = 0; l < n; ++l) out.i[l] = x[l] <= y[l];
        break;
      case BinaryOp::gt:
        for (int l = 0; l < n; ++l) out.i[l] = x[l] > y[l];
        break;
      case BinaryOp::ge:
        for (int l = 0; l < n; ++l) out.i[l] = x[l] >= y[l];
        break;
      case BinaryOp::eq:
        for (int l = 0; l < n; ++l) out.i[l] = x[l] == y[l];
        break;
      default:
        for (int l = 0; l < n; ++l) out.i[l] = x[l] != y[l];
    }
    if (!bounds_ || !node.fuzzy) return;
    for (int l = 0; l < n; ++l) {
      const double e = a.e[l] + b.e[l];
      const double distance = std::fabs(static_cast<double>(x[l]) - static_cast<double>(y[l]));
      out.e[l] = e > 0 && !(distance > e) ? 1 : 0;  // infinities of one sign have no distance
    }
  };
  if (a.v)
    apply(a.v, b.v);
  else
    apply(a.i, b.i);
  return integer_view(node, out);
}

View Worker::logical(const Node& node, int n) {
  const bool both = node.binary == BinaryOp::logical_and;
  const Node& right = *node.args[1];
  const View a = eval(*node.args[0], n);
  Buffer& out = buffer(node.slot);
  // The right side counts only where the left leaves it open.
  int open = 0;
  for (int l = 0; l < n; ++l) {
    out.i[l] = a.i[l];
    out.e[l] = a.e[l];
    if ((a.i[l] != 0) == both || (a.e[l] > 0 && !right.can_fail)) out.list[open++] = l;
  }
  if (open == 0) return integer_view(node, out);
  const View b = open == n ? eval(right, n) : eval_lanes(right, out.list, open);
  for (int x = 0; x < open; ++x) {
    const int l = out.list[x];
    const bool value = both ? a.i[l] && b.i[x] : a.i[l] || b.i[x];
    const bool unsure_a = a.e[l] > 0, unsure_b = b.e[x] > 0;
    const bool settled = (!unsure_a && (a.i[l] != 0) != both) || (!unsure_b && (b.i[x] != 0) != both);
    out.e[l] = (unsure_a || unsure_b) && !settled ? 1 : 0;
    out.i[l] = value;
  }
  return integer_view(node, out);
}

View Worker::select(const Node& node, int n) {
  const View c = eval(*node.args[0], n);
  Buffer& out = buffer(node.slot);
  int yes = 0;
  bool unsure = false;
  for (int l = 0; l < n; ++l) {
    yes += c.i[l] != 0;
    unsure |= c.e[l] > 0;
  }
  if (!unsure && yes == n) return eval(*node.args[1], n);
  if (!unsure && yes == 0) return eval(*node.args[2], n);
  const bool real = node.type == Type::real;
  if (!node.args[1]->can_fail && !node.args[2]->can_fail) {
    const View a = eval(*node.args[1], n);
    const View b = eval(*node.args[2], n);
    if (real) {
      for (int l = 0; l < n; ++l) out.v[l] = c.i[l] ? a.v[l] : b.v[l];
    } else {
      for (int l = 0; l < n; ++l) out.i[l] = c.i[l] ? a.i[l] : b.i[l];
    }
    if (bounds_)
      for (int l = 0; l < n; ++l) out.e[l] = c.i[l] ? a.e[l] : b.e[l];
    if (unsure) {
      for (int l = 0; l < n; ++l) {
        if (!(c.e[l] > 0)) continue;
        const double difference =
            real ? std::fabs(a.v[l] - b.v[l]) : std::fabs(static_cast<double>(a.i[l]) - static_cast<double>(b.i[l]));
        out.e[l] = std::isnan(difference) ? infinity : std::max(a.e[l], b.e[l]) + difference;
      }
    }
    return real ? real_view(out) : integer_view(node, out);
  }
  // A branch that can fail sees only the lanes that take it.
  for (const int branch : {1, 2}) {
    int m = 0;
    for (int l = 0; l < n; ++l)
      if ((c.i[l] != 0) == (branch == 1)) out.list[m++] = l;
    if (m == 0) continue;
    const View v = eval_lanes(*node.args[static_cast<std::size_t>(branch)], out.list, m);
    for (int x = 0; x < m; ++x) {
      const int l = out.list[x];
      if (real)
        out.v[l] = v.v[x];
      else
        out.i[l] = v.i[x];
      out.e[l] = c.e[l] > 0 ? infinity : v.e[x];
    }
  }
  return real ? real_view(out) : integer_view(node, out);
}

View Worker::call(const Node& node, int n) {
  View a = eval(*node.args[0], n), b, c;
  const std::size_t count = node.args.size();
  if (count > 1) b = eval(*node.args[1], n);
  if (count > 2) c = eval(*node.args[2], n);
  Buffer& out = buffer(node.slot);
  const Fn fn = node.fn;
  if (a.i) {
    for (int l = 0; l < n; ++l) {
      if (!call_integer(fn, a.i[l], count > 1 ? b.i[l] : 0, count > 2 ? c.i[l] : 0, &out.i[l])) {
        out.i[l] = 0;
        fail((fn == Fn::ceildiv && b.i[l] == 0 ? "integer division by zero in " : "integer overflow in ") +
             print(*node.source) + lane_text(node, l));
      }
    }
    if (bounds_ && node.fuzzy) {
      for (int l = 0; l < n; ++l) {
        const double ea = a.e[l], eb = count > 1 ? b.e[l] : 0, ec = count > 2 ? c.e[l] : 0;
        out.e[l] = fn >= Fn::ceildiv ? (ea + eb > 0 ? infinity : 0) : std::max(ea, std::max(eb, ec));  // ceildiv to shr
      }
    }
    return integer_view(node, out);
  }
  const double* bv = count > 1 ? b.v : zeros_->v;
  const double* be = count > 1 ? b.e : zeros_->e;
  const double* cv = count > 2 ? c.v : zeros_->v;
  const double* ce = count > 2 ? c.e : zeros_->e;
  if (node.type != Type::real) {
    for (int l = 0; l < n; ++l) {
      out.i[l] = call_real(fn, a.v[l], bv[l], cv[l]) != 0;
      out.e[l] = 0;
    }
    return integer_view(node, out);
  }
  switch (fn) {
    case Fn::exp:
      for (int l = 0; l < n; ++l) out.v[l] = std::exp(a.v[l]);
      break;
    case Fn::abs:
      for (int l = 0; l < n; ++l) out.v[l] = std::fabs(a.v[l]);
      break;
    case Fn::max:
      if (rules_.nan == NanRule::ignore) {
        for (int l = 0; l < n; ++l) out.v[l] = rules_.chosen(fn, a.v[l], bv[l], 0);
        break;
      }
      for (int l = 0; l < n; ++l) out.v[l] = a.v[l] > bv[l] ? a.v[l] : bv[l] >= a.v[l] ? bv[l] : a.v[l] + bv[l];
      break;
    case Fn::min:
    case Fn::clamp:
      for (int l = 0; l < n; ++l) out.v[l] = rules_.chosen(fn, a.v[l], bv[l], cv[l]);
      break;
    case Fn::sqrt:
      for (int l = 0; l < n; ++l) out.v[l] = std::sqrt(a.v[l]);
      break;
    case Fn::rsqrt:
      for (int l = 0; l < n; ++l) out.v[l] = 1.0 / std::sqrt(a.v[l]);
      break;
    default:
      for (int l = 0; l < n; ++l) out.v[l] = call_real(fn, a.v[l], bv[l], cv[l]);
  }
  if (bounds_) {
    for (int l = 0; l < n; ++l) out.e[l] = rules_.call_error(fn, out.v[l], a.v[l], a.e[l], bv[l], be[l], cv[l], ce[l]);
    finish(out, {a, {bv, nullptr, be}, {cv, nullptr, ce}}, n);
  }
  return real_view(out);
}

View Worker::cast(const Node& node, int n) {
  const View a = eval(*node.args[0], n);
  Buffer& out = buffer(node.slot);
  const DType to = node.cast;
  if (is_real(to)) {
    for (int l = 0; l < n; ++l) {
      out.v[l] = round_to(to, a.v[l]);
      if (bounds_) out.e[l] = rules_.settle(out.v[l], rules_.cast_error(to, out.v[l], a.v[l], a.e[l]));
    }
    return real_view(out);
  }
  if (a.i) {
    for (int l = 0; l < n; ++l) {
      out.i[l] = narrow(to, a.i[l], false);
      out.e[l] = a.e[l] > 0 && out.i[l] != a.i[l] ? infinity : a.e[l];
    }
    return integer_view(node, out);
  }
  for (int l = 0; l < n; ++l) {
    const auto convert = [&](double v) {
      return to == DType::boolean ? std::int64_t{!(v == 0)} : narrow(to, whole(v), true);
    };
    out.i[l] = convert(a.v[l]);
    if (!bounds_) continue;
    out.e[l] = 0;
    if (!(a.e[l] > 0)) continue;
    if (to == DType::boolean) {
      out.e[l] = std::fabs(a.v[l]) <= a.e[l] ? 1 : 0;
      continue;
    }
    const double low = static_cast<double>(convert(a.v[l] - a.e[l])),
                 high = static_cast<double>(convert(a.v[l] + a.e[l]));
    const double here = static_cast<double>(out.i[l]);
    out.e[l] = std::max(high - here, here - low);
  }
  return integer_view(node, out);
}

}  // namespace ww::op
