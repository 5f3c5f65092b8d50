// SPDX-License-Identifier: Apache-2.0
#include "ptx/scalars.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include "ptx/definitions.h"

namespace ww::ptx {
namespace {

using Op = Scalars::Op;
constexpr std::size_t most_nodes = 4000;

int width_of(Type t) { return t == Type::pred ? 1 : static_cast<int>(8 * type_bytes(t)); }

std::uint64_t cut(std::uint64_t bits, Type t) {
  const int width = width_of(t);
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

std::int64_t as_signed(std::uint64_t bits, Type t) {
  const int width = width_of(t);
  if (width >= 64) return static_cast<std::int64_t>(bits);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return static_cast<std::int64_t>((bits ^ sign) - sign);
}

double rounded(double v, Type t) { return t == Type::f32 ? static_cast<float>(v) : v; }

struct Opcode {
  std::string_view base, modifiers;             // "mul", ".lo.s32"
  Type type = Type::none, before = Type::none;  // the last type, and the one before it
};
Opcode opcode_of(std::string_view name) {
  Opcode out;
  const std::size_t dot = name.find('.');
  out.base = name.substr(0, dot);
  out.modifiers = dot == name.npos ? std::string_view() : name.substr(dot);
  for (std::size_t at = dot; at != name.npos;) {
    const std::size_t next = name.find('.', at + 1);
    if (const auto t = type_from_name(name.substr(at + 1, next == name.npos ? next : next - at - 1))) {
      out.before = out.type;
      out.type = *t;
    }
    at = next;
  }
  return out;
}

bool has(std::string_view modifiers, std::string_view word) {
  for (std::size_t at = modifiers.find(word); at != modifiers.npos; at = modifiers.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (at > 0 && modifiers[at - 1] == '.' && (end == modifiers.size() || modifiers[end] == '.')) return true;
  }
  return false;
}

bool is_usable(Type t) {
  return t != Type::none && t != Type::f16 && t != Type::bf16 && t != Type::f16x2 && t != Type::bf16x2 &&
         t != Type::b128;
}

std::optional<Op> arithmetic(std::string_view base) {
  constexpr std::pair<std::string_view, Op> known[] = {
      {"add", Op::add},         {"sub", Op::sub},     {"mul", Op::mul},      {"div", Op::div},
      {"rem", Op::rem},         {"min", Op::min},     {"max", Op::max},      {"abs", Op::abs},
      {"neg", Op::neg},         {"and", Op::bit_and}, {"or", Op::bit_or},    {"xor", Op::bit_xor},
      {"not", Op::bit_not},     {"shl", Op::shl},     {"shr", Op::shr},      {"clz", Op::clz},
      {"popc", Op::popc},       {"bfe", Op::extract}, {"brev", Op::reverse}, {"bfind", Op::highest_bit},
      {"sqrt", Op::square_root}};
  for (const auto& [name, op] : known)
    if (name == base) return op;
  return {};
}

}  // namespace

Scalars::Scalars(const File& file, const Function& function) : file_(file), function_(function) {
  for (const auto& [name, by] : only_definitions(file, function))
    definitions_[name].by = by && by->guard.empty() ? by : nullptr;  // what a guard leaves is not known
}

int Scalars::made(Node node) {
  if (nodes_.size() >= most_nodes) return -1;
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

int Scalars::special(std::string_view name) {
  constexpr std::string_view known[] = {"%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};
  for (std::size_t i = 0; i < std::size(known); ++i)
    if (name == known[i]) {
      Node n;
      n.op = Op::dimension, n.type = Type::u32, n.index = static_cast<int>(i);
      return made(n);
    }
  return -1;
}

int Scalars::of_register(std::string_view name) {
  const auto at = definitions_.find(name);
  if (at == definitions_.end()) return special(name);
  Definition& d = at->second;
  if (!d.by || d.node == -3) return -1;
  if (d.node == -2) {
    d.node = -3;
    const int made = make(*d.by);
    d.node = made;
  }
  return d.node;
}

int Scalars::node_of(const Operand& o, Type type) {
  if (o.kind == Operand::Kind::number) {
    Node n;
    n.op = Op::number, n.type = type, n.number = o.number;
    return made(n);
  }
  if (o.kind != Operand::Kind::name || o.has_offset) return -1;
  const int of = of_register(o.text);
  if (of < 0 || !o.negated) return of;
  Node n;
  n.op = Op::bit_not, n.type = Type::pred, n.args[0] = of;
  return made(n);
}

int Scalars::predicate(std::string_view name) { return of_register(name); }

int Scalars::result_of(const Statement& s) {
  const Operands all = file_.operands_of(s);
  if (all.count() == 0) return -1;
  const Operand& to = *all.begin();
  return to.kind == Operand::Kind::name ? of_register(to.text) : -1;
}

int Scalars::load(const Statement& s, Type type) {
  const Operands all = file_.operands_of(s);
  const Operand* from = nullptr;
  for (const Operand& o : all) from = &o;
  if (!from || from->kind != Operand::Kind::address || from->extent != 2) return -1;
  const Operand& base = *ptx::below(*from).begin();
  const bool offset = (from->has_offset && from->number.bits != 0) || (base.has_offset && base.number.bits != 0);
  if (base.kind != Operand::Kind::name || offset) return -1;
  for (std::uint32_t i = function_.parameters.begin; i < function_.parameters.end; ++i)
    if (file_.variables[i].name == base.text && !file_.variables[i].is_array) {
      Node n;
      n.op = Op::argument, n.type = type, n.index = static_cast<int>(i - function_.parameters.begin);
      return made(n);
    }
  return -1;
}

int Scalars::comparison(std::string_view modifiers, Type type, const std::vector<const Operand*>& all) {
  if (all.size() < 3 || all[0]->kind != Operand::Kind::name) return -1;  // p|q are two
  Node n;
  n.op = Op::compare, n.type = Type::pred, n.from = type;
  n.how = modifiers.substr(1, modifiers.find('.', 1) - 1);
  n.args[0] = node_of(*all[1], type), n.args[1] = node_of(*all[2], type);
  if (n.args[0] < 0 || n.args[1] < 0) return -1;
  const int compared = made(n);
  if (all.size() == 3 || compared < 0) return compared;
  Node joined;
  joined.op = has(modifiers, "and") ? Op::bit_and : has(modifiers, "or") ? Op::bit_or : Op::bit_xor;
  joined.type = Type::pred;
  joined.args[0] = compared, joined.args[1] = node_of(*all[3], Type::pred);
  return joined.args[1] < 0 ? -1 : made(joined);
}

int Scalars::make(const Statement& s) {
  const Opcode code = opcode_of(s.name);
  std::vector<const Operand*> all;
  for (const Operand& o : file_.operands_of(s)) all.push_back(&o);
  if (!is_usable(code.type) || all.size() < 2) return -1;
  if (s.name.starts_with("ld.param.")) return load(s, code.type);
  if (code.base == "setp") return comparison(code.modifiers, code.type, all);
  return make_known(s, code.base, code.modifiers, code.type, all);
}

int Scalars::make_known(const Statement& s, std::string_view base, std::string_view modifiers, Type type,
                        const std::vector<const Operand*>& all) {
  Node n;
  n.type = n.from = type;
  std::size_t count = all.size() - 1;
  if (base == "mov") {
    n.op = Op::move;
  } else if (base == "cvt") {
    const Opcode code = opcode_of(s.name);
    if (!is_usable(code.before)) return -1;
    n.op = Op::convert, n.type = code.before, n.from = type, n.how = modifiers;
  } else if (base == "selp") {
    n.op = Op::select;
  } else if (base == "mad" || base == "fma") {
    n.op = Op::fma;
    if (has(modifiers, "hi")) return -1;
  } else if (base == "lop3") {
    if (count != 4 || all[4]->kind != Operand::Kind::number) return -1;
    n.op = Op::logic3, n.index = static_cast<int>(all[4]->number.bits & 0xff), count = 3;
  } else if (const auto op = arithmetic(base)) {
    n.op = *op;
    if (has(modifiers, "hi")) n.op = Op::high;
    if (n.op == Op::highest_bit) n.how = modifiers;
    if (has(modifiers, "cc") || (base == "bfe" && count != 3)) return -1;
  } else {
    return -1;
  }
  if (has(modifiers, "wide")) n.type = type == Type::s32 ? Type::s64 : type == Type::u32 ? Type::u64 : Type::none;
  if (n.type == Type::none || count > 3) return -1;
  for (std::size_t i = 0; i < count; ++i) {
    const bool shift = (n.op == Op::shl || n.op == Op::shr || n.op == Op::extract) && i > 0;
    const Type of = shift ? Type::u32 : n.op == Op::select && i == 2 ? Type::pred : i == 2 ? n.type : n.from;
    n.args[i] = node_of(*all[i + 1], of);
    if (n.args[i] < 0) return -1;
  }
  return made(n);
}

namespace {

struct Launched {
  const Scalars& scalars;
  const ScalarLaunch& launch;
  std::vector<Scalar>& done;

  const Scalar& arg(const Scalars::Node& n, int i) const { return done[static_cast<std::size_t>(n.args[i])]; }
  std::int64_t whole(const Scalars::Node& n, int i) const {
    return type_is_signed(n.from) ? as_signed(arg(n, i).bits, n.from)
                                  : static_cast<std::int64_t>(cut(arg(n, i).bits, n.from));
  }
};

Scalar of_bits(std::uint64_t bits, Type t) { return {cut(bits, t), 0, true}; }
Scalar of_real(double v, Type t) { return {0, rounded(v, t), true}; }

Scalar of_number(const Number& n, Type t) {
  if (!type_is_float(t)) return of_bits(static_cast<std::uint64_t>(n.bits), t);
  if (n.kind == Number::Kind::integer) return of_real(static_cast<double>(n.bits), t);
  return of_real(n.kind == Number::Kind::single ? std::bit_cast<float>(n.single_bits) : std::bit_cast<double>(n.bits),
                 t);
}

Scalar of_argument(const ScalarLaunch& launch, int index, Type t) {
  if (index >= static_cast<int>(launch.arguments.size())) return {};
  const ScalarArgument& a = launch.arguments[static_cast<std::size_t>(index)];
  if (!a.known) return {};
  return type_is_float(t) ? of_real(a.real, t) : of_bits(static_cast<std::uint64_t>(a.integer), t);
}

Scalar real_result(const Launched& at, const Scalars::Node& n) {
  const double a = at.arg(n, 0).real, b = n.args[1] >= 0 ? at.arg(n, 1).real : 0;
  switch (n.op) {
    case Op::add: return of_real(a + b, n.type);
    case Op::sub: return of_real(a - b, n.type);
    case Op::mul: return of_real(a * b, n.type);
    case Op::div: return of_real(a / b, n.type);
    case Op::min: return of_real(std::fmin(a, b), n.type);
    case Op::max: return of_real(std::fmax(a, b), n.type);
    case Op::abs: return of_real(std::fabs(a), n.type);
    case Op::neg: return of_real(-a, n.type);
    case Op::square_root: return of_real(std::sqrt(a), n.type);
    case Op::fma: return of_real(std::fma(a, b, at.arg(n, 2).real), n.type);
    default: return {};
  }
}

std::uint64_t high_of(std::int64_t a, std::int64_t b, Type t) {
  const int width = width_of(t);
  if (type_is_signed(t)) return static_cast<std::uint64_t>((static_cast<__int128>(a) * b) >> width);
  return static_cast<std::uint64_t>(
      (static_cast<unsigned __int128>(static_cast<std::uint64_t>(a)) * static_cast<std::uint64_t>(b)) >> width);
}

std::uint64_t shifted(const Scalars::Node& n, std::int64_t a, std::uint64_t by) {
  const auto width = static_cast<std::uint64_t>(width_of(n.from));
  if (n.op == Op::shl) return by >= width ? 0 : static_cast<std::uint64_t>(a) << by;
  const auto most = std::min(by, width - 1);
  if (type_is_signed(n.from)) return static_cast<std::uint64_t>(a >> most);
  return by >= width ? 0 : static_cast<std::uint64_t>(a) >> by;
}

Scalar divided(const Scalars::Node& n, std::int64_t a, std::int64_t b) {
  if (b == 0) return {};
  const bool rest = n.op == Op::rem;
  if (!type_is_signed(n.from)) {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    return of_bits(rest ? x % y : x / y, n.type);
  }
  if (b == -1) return of_bits(rest ? 0 : 0 - static_cast<std::uint64_t>(a), n.type);
  return of_bits(static_cast<std::uint64_t>(rest ? a % b : a / b), n.type);
}

// That differs from the sign, or how far it is from the top; all ones: none.
std::uint64_t highest_bit(const Scalars::Node& n, std::int64_t a) {
  const auto x = static_cast<std::uint64_t>(a), bits = cut(type_is_signed(n.from) && a < 0 ? ~x : x, n.from);
  if (bits == 0) return ~std::uint64_t{0};
  const int bit = 63 - std::countl_zero(bits);
  return static_cast<std::uint64_t>(has(n.how, "shiftamt") ? width_of(n.from) - 1 - bit : bit);
}

std::uint64_t reversed(std::uint64_t bits, int width) {
  std::uint64_t out = 0;
  for (int i = 0; i < width; ++i) out |= (bits >> i & 1) << (width - 1 - i);
  return out;
}

// Each result bit is the table's bit of the number that the operands' bits make.
std::uint64_t looked_up(int table, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t out = 0;
  for (int i = 0; i < 8; ++i)
    if ((table >> i & 1) != 0) out |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  return out;
}

Scalar whole_result(const Launched& at, const Scalars::Node& n) {
  const std::int64_t a = at.whole(n, 0), b = n.args[1] >= 0 ? at.whole(n, 1) : 0;
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (n.op) {
    case Op::add: return of_bits(x + y, n.type);
    case Op::sub: return of_bits(x - y, n.type);
    case Op::mul: return of_bits(x * y, n.type);
    case Op::high: return of_bits(high_of(a, b, n.type), n.type);
    case Op::fma: return of_bits(x * y + at.arg(n, 2).bits, n.type);
    case Op::div:
    case Op::rem: return divided(n, a, b);
    case Op::min: return of_bits(type_is_signed(n.from) ? (a < b ? x : y) : std::min(x, y), n.type);
    case Op::max: return of_bits(type_is_signed(n.from) ? (a > b ? x : y) : std::max(x, y), n.type);
    case Op::abs: return of_bits(a < 0 ? 0 - x : x, n.type);
    case Op::neg: return of_bits(0 - x, n.type);
    case Op::bit_and: return of_bits(x & y, n.type);
    case Op::bit_or: return of_bits(x | y, n.type);
    case Op::bit_xor: return of_bits(x ^ y, n.type);
    case Op::bit_not: return of_bits(~x, n.type);
    case Op::shl:
    case Op::shr: return of_bits(shifted(n, a, at.arg(n, 1).bits), n.type);
    case Op::extract: {
      const std::uint64_t from = at.arg(n, 1).bits & 0xff,
                          count = std::min<std::uint64_t>(at.arg(n, 2).bits & 0xff, 63);
      const std::uint64_t part = from > 63 ? 0 : x >> from & ((std::uint64_t{1} << count) - 1);
      return type_is_signed(n.from) ? Scalar() : of_bits(part, n.type);
    }
    case Op::clz:
      return of_bits(static_cast<std::uint64_t>(std::countl_zero(cut(x, n.from)) - (64 - width_of(n.from))), Type::u32);
    case Op::popc: return of_bits(static_cast<std::uint64_t>(std::popcount(cut(x, n.from))), Type::u32);
    case Op::reverse: return of_bits(reversed(cut(x, n.from), width_of(n.from)), n.type);
    case Op::highest_bit: return of_bits(highest_bit(n, a), Type::u32);
    case Op::logic3: return of_bits(looked_up(n.index, x, y, at.arg(n, 2).bits), n.type);
    default: return {};
  }
}

Scalar converted(const Launched& at, const Scalars::Node& n) {
  const bool to = type_is_float(n.type), from = type_is_float(n.from);
  if (from && to) return of_real(at.arg(n, 0).real, n.type);
  if (from) {
    double v = at.arg(n, 0).real;
    v = has(n.how, "rzi")   ? std::trunc(v)
        : has(n.how, "rmi") ? std::floor(v)
        : has(n.how, "rpi") ? std::ceil(v)
                            : std::nearbyint(v);
    return std::fabs(v) < 9e18 ? of_bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(v)), n.type) : Scalar();
  }
  const std::int64_t v = at.whole(n, 0);
  if (!to) return of_bits(static_cast<std::uint64_t>(v), n.type);
  return of_real(type_is_signed(n.from) ? static_cast<double>(v) : static_cast<double>(static_cast<std::uint64_t>(v)),
                 n.type);
}

template <class T>
std::optional<bool> compared(std::string_view how, T a, T b) {
  if (how == "lt" || how == "lo" || how == "ltu") return a < b;
  if (how == "le" || how == "ls" || how == "leu") return a <= b;
  if (how == "gt" || how == "hi" || how == "gtu") return a > b;
  if (how == "ge" || how == "hs" || how == "geu") return a >= b;
  if (how == "eq" || how == "equ") return a == b;
  if (how == "ne" || how == "neu") return a != b;
  return {};
}

Scalar comparison_result(const Launched& at, const Scalars::Node& n) {
  std::optional<bool> is;
  if (type_is_float(n.from))
    is = compared(n.how, at.arg(n, 0).real, at.arg(n, 1).real);
  else if (type_is_signed(n.from))
    is = compared(n.how, at.whole(n, 0), at.whole(n, 1));
  else
    is = compared(n.how, cut(at.arg(n, 0).bits, n.from), cut(at.arg(n, 1).bits, n.from));
  return is ? of_bits(*is ? 1 : 0, Type::pred) : Scalar();
}

Scalar result(const Launched& at, const Scalars::Node& n) {
  switch (n.op) {
    case Op::number: return of_number(n.number, n.type);
    case Op::argument: return of_argument(at.launch, n.index, n.type);
    case Op::dimension: {
      const auto i = static_cast<std::size_t>(n.index);
      return of_bits(i < 3 ? at.launch.block[i] : at.launch.grid[i - 3], n.type);
    }
    default: break;
  }
  for (int i = 0; i < 3; ++i)
    if (n.args[i] >= 0 && !at.arg(n, i).known) return {};
  switch (n.op) {
    case Op::move: return at.arg(n, 0);
    case Op::convert: return converted(at, n);
    case Op::select: return at.arg(n, 2).bits != 0 ? at.arg(n, 0) : at.arg(n, 1);
    case Op::compare: return comparison_result(at, n);
    default: return type_is_float(n.type) ? real_result(at, n) : whole_result(at, n);
  }
}

}  // namespace

std::vector<Scalar> Scalars::values(const ScalarLaunch& launch) const {
  std::vector<Scalar> done;
  done.reserve(nodes_.size());
  for (const Node& n : nodes_) done.push_back(result({*this, launch, done}, n));
  return done;
}

namespace {

ScalarRange hull(std::initializer_list<double> corners) { return {std::min(corners), std::max(corners)}; }

ScalarRange range_result(const Scalars::Node& n, const ScalarRange& a, const ScalarRange& b, const ScalarRange& c) {
  switch (n.op) {
    case Op::move: return a;
    case Op::convert: return a;
    case Op::abs: return a.lo >= 0 ? a : ScalarRange{std::max(0.0, -a.hi), std::max(-a.lo, a.hi)};
    case Op::neg: return {-a.hi, -a.lo};
    case Op::add: return {a.lo + b.lo, a.hi + b.hi};
    case Op::sub: return {a.lo - b.hi, a.hi - b.lo};
    case Op::mul: return hull({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
    case Op::fma: {
      const ScalarRange p = hull({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
      return {p.lo + c.lo, p.hi + c.hi};
    }
    case Op::min: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case Op::max: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case Op::select: return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    case Op::shr:
      if (b.lo != b.hi || a.lo < 0) return {};
      return {std::floor(std::ldexp(a.lo, -static_cast<int>(b.lo))), std::ldexp(a.hi, -static_cast<int>(b.lo))};
    case Op::shl:
      if (b.lo != b.hi || a.lo < 0) return {};
      return {std::ldexp(a.lo, static_cast<int>(b.lo)), std::ldexp(a.hi, static_cast<int>(b.lo))};
    case Op::div:
      if (a.lo < 0 || b.lo < 1) return {};
      return {std::floor(a.lo / b.hi), a.hi / b.lo};
    case Op::rem: return a.lo >= 0 && b.lo >= 1 ? ScalarRange{0, std::min(a.hi, b.hi - 1)} : ScalarRange();
    case Op::bit_and:
      if (n.type == Type::pred) return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
      return a.lo >= 0 && b.lo >= 0 ? ScalarRange{0, std::min(a.hi, b.hi)} : ScalarRange();
    case Op::bit_or:
      return n.type == Type::pred ? ScalarRange{std::max(a.lo, b.lo), std::max(a.hi, b.hi)} : ScalarRange();
    case Op::bit_not: return n.type == Type::pred ? ScalarRange{1 - a.hi, 1 - a.lo} : ScalarRange();
    default: return n.type == Type::pred ? ScalarRange{0, 1} : ScalarRange();
  }
}

// Arithmetic may overflow, or give NaN.
ScalarRange float_range(const Scalars::Node& n, const ScalarLaunch& launch, const ScalarRange& a,
                        const ScalarRange& b) {
  ScalarRange r = any_float;
  if (n.op == Op::number) {
    const double v = of_number(n.number, n.type).real;
    r = {v, v};
  } else if (n.op == Op::argument && n.index < static_cast<int>(launch.arguments.size())) {
    r = launch.arguments[static_cast<std::size_t>(n.index)].range;
  } else if (n.op == Op::move || n.op == Op::abs || n.op == Op::neg || n.op == Op::min || n.op == Op::max) {
    r = range_result(n, a, b, {});
  }
  return r.lo <= r.hi ? r : any_float;
}

bool may_be_nan(const ScalarRange& r) { return r.lo < r.hi && (std::isinf(r.lo) || std::isinf(r.hi)); }

ScalarRange comparison_range(const Scalars::Node& n, const ScalarRange& a, const ScalarRange& b) {
  if (type_is_float(n.from) && (may_be_nan(a) || may_be_nan(b))) return {0, 1};
  if (!type_is_float(n.from) && !type_is_signed(n.from) && (a.lo < 0 || b.lo < 0)) return {0, 1};  // it wraps around
  std::string_view how = n.how;
  if (type_is_float(n.from) && how.ends_with('u')) how.remove_suffix(1);  // true of NaN
  const bool less = a.hi<b.lo, more = a.lo> b.hi;
  const auto both = [&](bool yes, bool no) {
    return yes ? ScalarRange{1, 1} : no ? ScalarRange{0, 0} : ScalarRange{0, 1};
  };
  if (how == "lt" || how == "lo") return both(less, a.lo >= b.hi);
  if (how == "le" || how == "ls") return both(a.hi <= b.lo, more);
  if (how == "gt" || how == "hi") return both(more, a.hi <= b.lo);
  if (how == "ge" || how == "hs") return both(a.lo >= b.hi, less);
  const bool same = a.lo == a.hi && b.lo == b.hi && a.lo == b.lo;
  if (how == "eq") return both(same, less || more);
  return how == "ne" ? both(less || more, same) : ScalarRange{0, 1};
}

}  // namespace

std::vector<ScalarRange> Scalars::ranges(const ScalarLaunch& launch) const {
  constexpr double most = 0x7fffffff;
  std::vector<ScalarRange> done;
  const ScalarRange any;
  for (const Node& n : nodes_) {
    const auto arg = [&](int i) -> const ScalarRange& {
      return n.args[i] < 0 ? any : done[static_cast<std::size_t>(n.args[i])];
    };
    ScalarRange r;
    if (type_is_float(n.type)) {
      r = float_range(n, launch, arg(0), arg(1));
    } else if (n.op == Op::number && n.number.kind == Number::Kind::integer) {
      const auto v = static_cast<double>(type_is_signed(n.type) || n.type == Type::pred
                                             ? as_signed(cut(static_cast<std::uint64_t>(n.number.bits), n.type), n.type)
                                             : n.number.bits);
      r = {v, v};
    } else if (n.op == Op::argument && n.index < static_cast<int>(launch.arguments.size())) {
      const ScalarArgument& a = launch.arguments[static_cast<std::size_t>(n.index)];
      if (a.known && a.least != INT64_MIN) r = {static_cast<double>(a.least), most};
    } else if (n.op == Op::dimension) {
      const auto i = static_cast<std::size_t>(n.index);
      const double now = i < 3 ? launch.block[i] : launch.grid[i - 3];
      r = launch.fixed[i] ? ScalarRange{now, now} : ScalarRange{1, most};
    } else if (n.op == Op::compare) {
      r = comparison_range(n, arg(0), arg(1));
    } else if (n.op != Op::number && !type_is_float(n.from)) {
      r = range_result(n, arg(0), arg(1), arg(2));
    }
    if (!(r.lo <= r.hi)) r = {};
    done.push_back(r);
  }
  return done;
}

}  // namespace ww::ptx
