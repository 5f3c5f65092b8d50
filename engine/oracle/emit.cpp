// SPDX-License-Identifier: Apache-2.0
#include "oracle/emit.h"
#include <fmt/format.h>
#include <cmath>
#include <cstdio>
#include "op/factors.h"
#include "op/walk.h"
#include "oracle/steps.h"

namespace ww::oracle {

using op::BinaryOp;
using op::Expr;
using op::ExprKind;
using op::Type;

std::string identifier(char stem, const std::string& name) {
  if (!name.empty() && name[0] == '$') return fmt::format("{}{}_", stem, name.substr(1));
  return fmt::format("{}_{}", stem, name);
}

std::string real_text(double v) {
  if (std::isnan(v)) return "NOT_A_NUMBER";
  if (std::isinf(v)) return v > 0 ? "INF" : "-INF";
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", v);
  std::string out = text;
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return out;
}

const char* element_type(DType storage) {
  switch (storage) {
    case DType::f64: return "double";
    case DType::f32: return "float";
    case DType::f16:
    case DType::bf16: return "unsigned short";
    case DType::i64: return "long long";
    case DType::i32: return "int";
    case DType::i8: return "signed char";
    case DType::u8:
    case DType::boolean: return "unsigned char";
    case DType::u16: return "unsigned short";
    case DType::u32: return "unsigned int";
    case DType::u64: return "unsigned long long";
    case DType::e4m3:
    case DType::e5m2: return "unsigned char";
  }
  return "";
}

std::string load_text(DType storage, const std::string& element) {
  switch (storage) {
    case DType::f64: return element;
    case DType::f32: return "(double)" + element;
    case DType::f16: return "half_bits(" + element + ")";
    case DType::bf16: return "bfloat_bits(" + element + ")";
    case DType::e4m3:
    case DType::e5m2: return fmt::format("{}_bits({})", dtype_name(storage), element);
    case DType::i64: return element;
    case DType::boolean: return "(I)(" + element + " != 0)";
    default: return "(I)" + element;
  }
}

void Emitter::line(const std::string& text) {
  text_ += std::string(static_cast<std::size_t>(indent_) * 2, ' ') + text + "\n";
}
void Emitter::open(const std::string& text) {
  line(text + (text.empty() ? "{" : " {"));
  ++indent_;
}
void Emitter::close() {
  --indent_;
  line("}");
}
std::string Emitter::name(const char* stem) { return fmt::format("{}{}", stem, names_++); }

Val Emitter::make(Val::Kind kind, const std::string& value, bool clean) {
  const char* const types[] = {"I", "Z", "R"};
  const char* const stems[] = {"k", "z", "r"};
  const std::string n = name(stems[kind]);
  line(fmt::format("const {} {} = {};", types[kind], n, value));
  return {kind, n, clean};
}

Val Emitter::as_real(const Val& v) { return v.kind == Val::real ? v : make(Val::real, "real(" + v.text + ")"); }
Val Emitter::as_fuzzy(const Val& v) { return v.kind == Val::exact ? Val{Val::fuzzy, "sure(" + v.text + ")"} : v; }

// Symbols, constants and indices only: plain C.
std::string Emitter::integer(const Expr& e) {
  const auto arg = [&](std::size_t k) { return integer(*e.args[k]); };
  switch (e.kind) {
    case ExprKind::integer:
      if (e.integer < 0) return fmt::format("(I){}ull", static_cast<std::uint64_t>(e.integer));
      return fmt::format("{}ll", e.integer);
    case ExprKind::boolean: return e.integer ? "1ll" : "0ll";
    case ExprKind::name:
      return identifier(e.role == op::Role::index ? 'i' : e.role == op::Role::symbol ? 'n' : 'c', e.name);
    case ExprKind::unary: return (e.unary == op::UnaryOp::negate ? "i_sub(0, " : "(I)!(") + arg(0) + ")";
    case ExprKind::select: return fmt::format("({} ? {} : {})", arg(0), arg(1), arg(2));
    case ExprKind::call: {
      if (e.name == "clamp") return fmt::format("i_min(i_max({}, {}), {})", arg(0), arg(1), arg(2));
      if (e.name == "floor" || e.name == "ceil" || e.name == "round" || e.name == "trunc") return arg(0);
      return fmt::format("i_{}({}{})", e.name, arg(0), e.args.size() > 1 ? ", " + arg(1) : "");
    }
    case ExprKind::binary: {
      const char* const names[] = {"i_add", "i_sub", "i_mul", "i_div", "i_mod", "i_pow"};
      const char* const signs[] = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"};
      if (e.binary >= BinaryOp::lt)
        return fmt::format("(I)({} {} {})", arg(0), signs[static_cast<int>(e.binary) - static_cast<int>(BinaryOp::lt)],
                           arg(1));
      return fmt::format("{}({}, {})", names[static_cast<int>(e.binary)], arg(0), arg(1));
    }
    default: break;
  }
  return as_fuzzy(emit(e)).text + ".i";
}

std::string Emitter::extent(const op::Index& i) {
  if (i.lo->kind == ExprKind::integer && i.lo->integer == 0) return integer(*i.hi);
  return fmt::format("i_max(0, {} - {})", integer(*i.hi), integer(*i.lo));
}

std::string Emitter::points(const std::vector<op::Index>& indices) {
  std::string out;
  for (const op::Index& i : indices) out += (out.empty() ? "" : " * ") + extent(i);
  return out.empty() ? "1ll" : out;
}

void Emitter::decode(const std::vector<op::Index>& indices, const std::string& flat, const char* type) {
  if (indices.empty()) return;
  std::string rest = flat;
  for (std::size_t k = indices.size(); k-- > 0;) {
    const op::Index& i = indices[k];
    const bool zero = i.lo->kind == ExprKind::integer && i.lo->integer == 0;
    const std::string base = zero ? "" : integer(*i.lo) + " + ";
    if (k == 0) {
      line(fmt::format("{} {} = {}{};", type, identifier('i', i.name), base, rest));
      break;
    }
    const std::string size = name("d"), left = name("d");
    line(fmt::format("const I {} = {}, {} = {} / {};", size, extent(i), left, rest, size));
    line(fmt::format("{} {} = {}{} - {} * {};", type, identifier('i', i.name), base, rest, left, size));
    rest = left;
  }
}

Val Emitter::emit(const Expr& e) {
  if (const auto found = known_.find(&e); found != known_.end()) return found->second;
  switch (e.kind) {
    case ExprKind::integer:
    case ExprKind::boolean: return {Val::exact, integer(e)};
    case ExprKind::real: {
      const bool clean = !std::isfinite(e.real) || static_cast<double>(static_cast<float>(e.real)) == e.real;
      return make(Val::real, "literal(" + real_text(e.real) + ")", clean);
    }
    case ExprKind::name:
      if (e.type == Type::real) return make(Val::real, "literal(" + identifier('c', e.name) + ")");
      return {Val::exact, integer(e)};
    case ExprKind::access: return access(e, nullptr);
    case ExprKind::padded: return access(*e.args[0], &e);
    case ExprKind::unary: {
      const Val a = emit(*e.args[0]);
      if (e.unary == op::UnaryOp::logical_not)
        return a.kind == Val::exact ? make(Val::exact, a.text + " == 0") : make(Val::fuzzy, "z_not(" + a.text + ")");
      if (a.kind == Val::exact) return make(Val::exact, "i_sub(0, " + a.text + ")");
      return make(a.kind, (a.kind == Val::real ? "negate(" : "z_negate(") + a.text + ")", a.clean);
    }
    case ExprKind::binary: return binary(e);
    case ExprKind::select: return select(e);
    case ExprKind::call: return call(e);
    case ExprKind::cast: return cast(e);
    case ExprKind::reduce: return reduce(e);
  }
  return {};
}

bool Emitter::in_range(const Expr& subscript, const Expr& dimension) const {
  if (subscript.kind != ExprKind::name || subscript.role != op::Role::index) return false;
  for (std::size_t k = scope_.size(); k-- > 0;) {
    if (scope_[k]->name != subscript.name) continue;
    std::int64_t lo = -1;
    return op::integer_value(*scope_[k]->lo, &lo) && lo >= 0 && op::same_integer(*scope_[k]->hi, dimension);
  }
  return false;
}

// A subscript out of range, which the evaluator refuses, gives 0 with an infinite error: an element that cannot be
// checked.
Val Emitter::access(const Expr& e, const Expr* pad) {
  const Tensor& t = tensors_.at(e.name);
  std::vector<std::string> subscripts, checks, unsure;
  bool from_data = false;
  for (std::size_t k = 0; k < e.args.size(); ++k) {
    const Val s = emit(*e.args[k]);
    from_data = from_data || reads_tensors(*e.args[k]);
    if (s.kind != Val::exact) unsure.push_back(s.text + ".e > 0");
    subscripts.push_back(s.kind == Val::exact ? s.text : s.text + ".i");
    if (!in_range(*e.args[k], *t.shape[k]))
      checks.push_back(fmt::format("(Bits){} < (Bits){}", subscripts.back(), integer(*t.shape[k])));
  }
  const Val padding = pad ? (t.type == Type::real ? as_real(emit(*pad->args[1])) : emit(*pad->args[1])) : Val{};
  std::string offset = subscripts.empty() ? "0" : subscripts[0];
  for (std::size_t k = 1; k < subscripts.size(); ++k)
    offset = fmt::format("({}) * {} + {}", offset, integer(*t.shape[k]), subscripts[k]);

  const bool real = t.type == Type::real;
  const bool exact =
      !real && t.error.empty() && unsure.empty() && (checks.empty() || (pad ? padding.kind == Val::exact : !from_data));
  const Val::Kind kind = real ? Val::real : exact ? Val::exact : Val::fuzzy;
  const bool clean = real && t.error.empty() && unsure.empty() && (checks.empty() || (pad && padding.clean));
  const std::string at = name("o");
  const auto loaded = [&] {
    const std::string v = load_text(t.storage, t.value + "[" + at + "]");
    if (exact) return v;
    return fmt::format("{}{{{}, {}}}", real ? "R" : "Z", v, t.error.empty() ? "0.0" : t.error + "[" + at + "]");
  };
  Val out{kind, "", clean};
  if (checks.empty()) {
    line(fmt::format("const I {} = {};", at, offset));
    out = make(kind, loaded(), clean);
  } else {
    std::string inside;
    for (const std::string& c : checks) inside += (inside.empty() ? "" : " && ") + c;
    const char* const types[] = {"I", "Z", "R"};
    std::string otherwise = real ? "R{0.0, INF}" : exact ? "0" : from_data ? "Z{0, INF}" : "sure(0)";
    if (pad) otherwise = exact || real ? padding.text : as_fuzzy(padding).text;
    out.text = name(real ? "r" : exact ? "k" : "z");
    line(fmt::format("{} {} = {};", types[kind], out.text, otherwise));
    open("if (" + inside + ")");
    line(fmt::format("const I {} = {};", at, offset));
    line(fmt::format("{} = {};", out.text, loaded()));
    close();
  }
  if (unsure.empty()) return out;
  std::string any;
  for (const std::string& u : unsure) any += (any.empty() ? "" : " || ") + u;
  return make(kind, fmt::format("unsure({}, {})", out.text, any));
}

Val Emitter::binary(const Expr& e) {
  const Expr &left = *e.args[0], &right = *e.args[1];
  if (e.binary == BinaryOp::logical_and || e.binary == BinaryOp::logical_or) {
    const bool both = e.binary == BinaryOp::logical_and;
    const Val a = emit(left), b = emit(right);
    if (a.kind == Val::exact && b.kind == Val::exact)
      return make(Val::exact, fmt::format("{} {} {}", a.text, both ? "&&" : "||", b.text));
    return make(Val::fuzzy, fmt::format("{}({}, {})", both ? "both" : "either", as_fuzzy(a).text, as_fuzzy(b).text));
  }
  const bool real = left.type == Type::real || right.type == Type::real || e.type == Type::real;
  if (e.binary == BinaryOp::pow && right.kind == ExprKind::integer && right.integer >= 0 && right.integer <= 64) {
    const Val a = real ? as_real(emit(left)) : emit(left);
    if (real)
      return make(Val::real, right.integer == 2 ? "square(" + a.text + ")"
                                                : fmt::format("small_power({}, {})", a.text, right.integer));
    if (a.kind == Val::exact) return make(Val::exact, fmt::format("i_pow({}, {})", a.text, right.integer));
    return make(Val::fuzzy, fmt::format("z_pow({}, sure({}))", a.text, right.integer));
  }
  const Val a = real ? as_real(emit(left)) : emit(left), b = real ? as_real(emit(right)) : emit(right);
  if (e.binary >= BinaryOp::lt) {
    const char* const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    const char* sign = signs[static_cast<int>(e.binary) - static_cast<int>(BinaryOp::lt)];
    if (a.kind == Val::exact && b.kind == Val::exact)
      return make(Val::exact, fmt::format("{} {} {}", a.text, sign, b.text));
    const std::string x = real ? a.text : as_fuzzy(a).text, y = real ? b.text : as_fuzzy(b).text,
                      field = real ? ".v" : ".i";
    return make(Val::fuzzy, fmt::format("compare({0}{4} {2} {1}{4}, (double){0}{4} - (double){1}{4}, {0}.e + {1}.e)", x,
                                        y, sign, "", field));
  }
  const char* const names[] = {"add", "sub", "mul", "div", "mod", "power"};
  const char* fn = names[static_cast<int>(e.binary)];
  if (real) return make(Val::real, fmt::format("{}({}, {})", fn, a.text, b.text));
  const char* integer_fn = e.binary == BinaryOp::pow ? "pow" : fn;
  const bool may_fail =
      e.binary >= BinaryOp::div && reads_tensors(right);  // a divisor of 0 that shapes give is found on small cases
  if (a.kind == Val::exact && b.kind == Val::exact && !may_fail)
    return make(Val::exact, fmt::format("i_{}({}, {})", integer_fn, a.text, b.text));
  return make(Val::fuzzy, fmt::format("z_{}({}, {})", integer_fn, as_fuzzy(a).text, as_fuzzy(b).text));
}

Val Emitter::select(const Expr& e) {
  const Val c = emit(*e.args[0]);
  const bool real = e.type == Type::real;
  const Val a = real ? as_real(emit(*e.args[1])) : emit(*e.args[1]),
            b = real ? as_real(emit(*e.args[2])) : emit(*e.args[2]);
  if (c.kind == Val::exact && (real || (a.kind == Val::exact && b.kind == Val::exact)))
    return make(a.kind, fmt::format("{} ? {} : {}", c.text, a.text, b.text), a.clean && b.clean);
  return make(real ? Val::real : Val::fuzzy,
              fmt::format("pick({}, {}, {})", as_fuzzy(c).text, real ? a.text : as_fuzzy(a).text,
                          real ? b.text : as_fuzzy(b).text));
}

Val Emitter::call(const Expr& e) {
  bool integers = e.type == Type::integer;
  for (const op::ExprPtr& a : e.args) integers = integers && a->type == Type::integer;
  std::vector<Val> args;
  bool exact = true;
  for (const op::ExprPtr& a : e.args) {
    args.push_back(integers ? emit(*a) : as_real(emit(*a)));
    exact = exact && args.back().kind == Val::exact;
  }
  std::string list;
  for (const Val& a : args) list += (list.empty() ? "" : ", ") + (integers && !exact ? as_fuzzy(a).text : a.text);
  if (!integers) return make(e.type == Type::real ? Val::real : Val::exact, fmt::format("f_{}({})", e.name, list));
  if (e.name == "floor" || e.name == "ceil" || e.name == "round" || e.name == "trunc") return args[0];
  const bool may_fail = e.name == "ceildiv" && reads_tensors(*e.args[1]);
  const char* prefix = exact && !may_fail ? "i_" : "z_";
  const auto text = [&](const Val& v) { return exact && !may_fail ? v.text : as_fuzzy(v).text; };
  if (e.name == "clamp")
    return make(exact ? Val::exact : Val::fuzzy,
                fmt::format("{0}min({0}max({1}, {2}), {3})", prefix, text(args[0]), text(args[1]), text(args[2])));
  std::string call = prefix + e.name + "(" + text(args[0]);
  if (args.size() > 1) call += ", " + text(args[1]);
  return make(exact && !may_fail ? Val::exact : Val::fuzzy, call + ")");
}

Val Emitter::cast(const Expr& e) {
  const DType to = e.cast;
  if (is_real(to)) {
    const Val a = as_real(emit(*e.args[0]));
    if (to == DType::f64) return make(Val::real, "made(" + a.text + ".v, " + a.text + ".e)", a.clean);
    if (saturates(to))
      return make(Val::real,
                  fmt::format("cast_narrow({0}, round_{1}({0}.v), {2}, {3})", a.text, dtype_name(to),
                              real_text(unit_roundoff(to)), real_text(smallest_normal(to))),
                  a.clean);
    return make(
        Val::real,
        fmt::format("cast_real({0}, round_{1}({0}.v), {2})", a.text, dtype_name(to), real_text(unit_roundoff(to))),
        a.clean);
  }
  const Val a = emit(*e.args[0]);
  const auto narrowed = [&](const std::string& i) -> std::string {
    switch (to) {
      case DType::i32: return "(I)(int)" + i;
      case DType::i8: return "(I)(signed char)" + i;
      case DType::u8: return "(I)(unsigned char)" + i;
      case DType::u16: return "(I)(unsigned short)" + i;
      case DType::u32: return "(I)(unsigned int)" + i;
      case DType::boolean: return "(I)(" + i + " != 0)";
      default: return i;
    }
  };
  if (a.kind == Val::exact) return make(Val::exact, narrowed(a.text));
  if (a.kind == Val::fuzzy) return make(Val::fuzzy, fmt::format("cast_again({}, {})", a.text, narrowed(a.text + ".i")));
  switch (to) {
    case DType::boolean: return make(Val::fuzzy, "cast_boolean(" + a.text + ")");
    case DType::i32: return make(Val::fuzzy, "cast_whole(" + a.text + ", -2147483648ll, 2147483647ll)");
    case DType::i8: return make(Val::fuzzy, "cast_whole(" + a.text + ", -128, 127)");
    case DType::u8: return make(Val::fuzzy, "cast_whole(" + a.text + ", 0, 255)");
    case DType::u16: return make(Val::fuzzy, "cast_whole(" + a.text + ", 0, 65535)");
    case DType::u32: return make(Val::fuzzy, "cast_whole(" + a.text + ", 0, 4294967295ll)");
    default: return make(Val::fuzzy, "cast_whole(" + a.text + ", (I)0x8000000000000000ull, 0x7fffffffffffffffll)");
  }
}

std::string Emitter::reduction_type(const Expr& e) {
  const bool real = e.args[0]->type == Type::real;
  switch (e.reduce) {
    case op::ReduceOp::sum: return real ? "SumR" : "SumZ";
    case op::ReduceOp::prod: return real ? "ProdR" : "ProdZ";
    case op::ReduceOp::max: return real ? "ExtremeR<true>" : "ExtremeZ<true>";
    case op::ReduceOp::min: return real ? "ExtremeR<false>" : "ExtremeZ<false>";
    case op::ReduceOp::argmax: return "Place<true>";
    case op::ReduceOp::argmin: return "Place<false>";
    case op::ReduceOp::any: return "Logic<true>";
    case op::ReduceOp::all: return "Logic<false>";
  }
  return "";
}

void Emitter::add_term(const Expr& e, const std::string& acc, bool* exact, const std::string& drift) {
  const std::string& to = drift.empty() ? acc : drift;
  std::string state = "certain";
  bool bracket = false;
  if (e.args.size() > 1) {
    const Val c = emit(*e.args[1]);
    if (c.kind == Val::exact) {
      open("if (" + c.text + ")");
    } else {
      *exact = false;
      open(fmt::format("if ({0}.i || {0}.e > 0)", c.text));
      state = fmt::format("{0}.e > 0 ? ({0}.i ? uncertain_in : uncertain_out) : certain", c.text);
    }
    bracket = true;
  }
  const Val t = emit(*e.args[0]);
  if (t.kind != Val::exact) *exact = false;
  const bool place = e.reduce == op::ReduceOp::argmax || e.reduce == op::ReduceOp::argmin;
  line(fmt::format("{}.add({}, {}{});", to, t.kind == Val::exact ? as_fuzzy(t).text : t.text, state,
                   place ? ", " + identifier('i', e.indices[0].name) : ""));
  if (bracket) close();
}

bool Emitter::truncated(const Expr& e) const {
  return op::fits_matrix_units(e, [&](const std::string& name) { return tensors_.at(name).storage; });
}

Val Emitter::finished(const Expr& e, const std::string& member, bool exact) {
  const std::string call = member + (truncated(e) ? "(true)" : "()");
  if (e.type == Type::real) return make(Val::real, call);
  return exact ? make(Val::exact, call + ".i") : make(Val::fuzzy, call);
}

Val Emitter::reduce(const Expr& e) {
  const std::string acc = name("a");
  bool exact = true;
  line(reduction_type(e) + " " + acc + ";");
  line(acc + ".clear();");
  for (const op::Index& i : e.indices) {
    Val ends[2];
    for (const int k : {0, 1}) {
      const Expr& end = k == 0 ? *i.lo : *i.hi;
      if (!reads_tensors(end)) {
        ends[k] = {Val::exact, integer(end)};
        continue;
      }
      ends[k] = emit(end);
      if (ends[k].kind == Val::exact) continue;
      exact = false;
      line(fmt::format("if ({}.e > 0) {}.hazy = 1;", ends[k].text, acc));
      ends[k] = {Val::exact, ends[k].text + ".i"};
    }
    if (reads_tensors(*i.lo) || reads_tensors(*i.hi)) {
      exact = false;
      ends[1] = make(Val::exact, fmt::format("sensible({}, {}, {}.hazy)", ends[0].text, ends[1].text, acc));
    }
    const std::string n = identifier('i', i.name), from = name("d"), to = name("d");
    // The ends may use an index of the same name from outside.
    line(fmt::format("const I {} = {}, {} = {};", from, ends[0].text, to, ends[1].text));
    open(fmt::format("for (I {0} = {1}; {0} < {2}; ++{0})", n, from, to));
    enter(i);
  }
  add_term(e, acc, &exact);
  leave(e.indices.size());
  for (std::size_t k = 0; k < e.indices.size(); ++k) close();
  return finished(e, acc + ".finish", exact);
}

}  // namespace ww::oracle
