// SPDX-License-Identifier: Apache-2.0
#include "search/emit.h"
#include <limits>
#include <charconv>
#include <cmath>
#include "op/parse.h"
#include "op/walk.h"
#include "search/terms.h"

namespace ww::search {

using op::BinaryOp;
using op::ExprKind;
using op::Type;

void Emitter::bind(const Index& index, const std::string& code) {
  indices_[index.name] = code.empty() ? kernel_.index(index.name) : code;
  ranges_[index.name] = index;
}

std::string Emitter::index(const std::string& name) {
  const auto it = indices_.find(name);
  return it == indices_.end() ? kernel_.index(name) : it->second;
}

std::string Emitter::type_name(Type type) const {
  return type == Type::real ? source_.real() : type == Type::integer ? "long long" : "bool";
}

std::string Emitter::literal(double value) const {
  const std::string suffix = program_.f64 ? "" : "f";
  if (std::isnan(value))
    return program_.f64 ? "__longlong_as_double(0x7ff8000000000000LL)" : "__int_as_float(0x7fc00000)";
  if (std::isinf(value)) {
    source_.helper("infinity", program_.f64 ? "#define INF __longlong_as_double(0x7ff0000000000000LL)\n"
                                            : "#define INF __int_as_float(0x7f800000)\n");
    return value > 0 ? "INF" : "-INF";
  }
  char buffer[64];
  const auto end = program_.f64 ? std::to_chars(buffer, buffer + sizeof buffer, value).ptr
                                : std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr;
  std::string text(buffer, end);
  if (std::isinf(static_cast<float>(value)) && !program_.f64) return value > 0 ? "3.402823466e38f" : "-3.402823466e38f";
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text + suffix;
}

static Code negative_aware(std::string text) {
  const int strength = text[0] == '-' ? prefix : primary;
  return {std::move(text), strength};
}

static int bits_of(std::int64_t value) {
  int bits = 0;
  const std::uint64_t magnitude = value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  for (std::uint64_t v = magnitude; v; v >>= 1) ++bits;
  return bits;
}

Code Emitter::emit(const Expr& e, bool subscript) {
  if (const auto it = replaced.find(&e); it != replaced.end()) return {it->second, primary, 64};
  switch (e.kind) {
    case ExprKind::integer: {
      const bool big = e.integer > 2147483647 || e.integer < -2147483647;
      Code c = e.integer == std::numeric_limits<std::int64_t>::min()
                   ? Code{"(-9223372036854775807LL - 1)", primary}
                   : negative_aware(std::to_string(e.integer) + (big ? "LL" : ""));
      c.bits = bits_of(e.integer);
      return c;
    }
    case ExprKind::real: return negative_aware(literal(e.real));
    case ExprKind::boolean: return {e.integer ? "true" : "false", primary, 1};
    case ExprKind::name:
      if (e.role == op::Role::index) return {index(e.name), primary, program_.wide ? 63 : 31};
      if (e.role == op::Role::symbol) return {kernel_.symbol(e.name), primary, program_.wide ? 63 : 31};
      return {kernel_.constant(e.name), primary, program_.wide ? 63 : 31};
    case ExprKind::access: {
      const DType dtype = program_.tensor(e.name).dtype;
      const int bits = dtype == DType::i64 || dtype == DType::u32 ? 64 : static_cast<int>(8 * dtype_size(dtype));
      if (read)
        if (const auto text = read(e)) return {*text, primary, bits};
      Code c{load(e.name, e.args), primary, bits};
      if (c.text[0] == '(') c.strength = prefix;
      return c;
    }
    case ExprKind::padded: return padded(e);
    case ExprKind::unary: {
      Code a = emit(*e.args[0], subscript);
      return {(e.unary == op::UnaryOp::negate ? "-" : "!") + a.at(primary), prefix, a.bits};
    }
    case ExprKind::binary:
      if (!sizes_.empty() && e.type == Type::integer)
        if (const auto it = sizes_.find(op::print(e)); it != sizes_.end())
          return {it->second, primary, program_.wide ? 63 : 31};
      return binary(e, subscript);
    case ExprKind::select: return select(e, subscript);
    case ExprKind::call: return call(e, subscript);
    case ExprKind::cast: return cast(e, subscript);
    case ExprKind::reduce: return serial_reduce(e);
  }
  return {"0"};
}

Code Emitter::real(const Expr& e) {
  if (e.type == Type::real) return emit(e);
  if (e.kind == ExprKind::integer && !replaced.count(&e))
    return negative_aware(literal(static_cast<double>(e.integer)));
  if (e.type == Type::boolean) return {emit(e).at(conjunction) + " ? " + literal(1) + " : " + literal(0), choice};
  return {"(" + source_.real() + ")" + emit(e).at(prefix), prefix};
}

std::string Emitter::condition(const Expr& e) { return emit(e).text; }

static const char* symbol(BinaryOp op) {
  static constexpr const char* text[] = {"+", "-", "*", "/", "%", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
  return text[static_cast<int>(op)];
}

static int strength_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::sub: return sum_strength;
    case BinaryOp::lt:
    case BinaryOp::le:
    case BinaryOp::gt:
    case BinaryOp::ge: return relation;
    case BinaryOp::eq:
    case BinaryOp::ne: return equality;
    case BinaryOp::logical_and: return conjunction;
    case BinaryOp::logical_or: return disjunction;
    default: return product_strength;
  }
}

static Code join(const Code& a, BinaryOp op, const Code& b) {
  const int s = strength_of(op);
  // Comparisons as operands of && read better without brackets; && within || gets them, against the compiler's warning.
  const int left = op == BinaryOp::logical_or ? equality : s;
  const int right = op == BinaryOp::add || op == BinaryOp::mul || op == BinaryOp::logical_and ? s
                    : op == BinaryOp::logical_or                                              ? equality
                                                                                              : s + 1;
  return {a.at(left) + " " + symbol(op) + " " + b.at(op == BinaryOp::add || op == BinaryOp::mul ? s + 1 : right), s};
}

Code Emitter::binary(const Expr& e, bool subscript) {
  const Expr &a = *e.args[0], &b = *e.args[1];
  const bool reals = a.type == Type::real || b.type == Type::real || e.type == Type::real;
  if (e.binary == BinaryOp::logical_and || e.binary == BinaryOp::logical_or) return join(emit(a), e.binary, emit(b));
  if (e.binary >= BinaryOp::lt) {
    if (reals) return join(real(a), e.binary, real(b));
    const bool indices_only = op::tensors_read(a).empty() && op::tensors_read(b).empty();
    const bool narrow = (indices_only || subscript) && !beyond_tensors(a) && !beyond_tensors(b);
    return join(emit(a, narrow), e.binary, emit(b, narrow));
  }
  if (!reals) return integer_binary(e, subscript);
  if (e.binary == BinaryOp::pow) return power(e);
  if (e.binary == BinaryOp::mod) {
    const std::string t = source_.real();
    source_.helper("real_mod", "// Remainder with the sign of the divisor.\n__device__ " + t + " floor_mod(" + t +
                                   " a, " + t + " b) {\n  const " + t + " r = " + function("fmod") +
                                   "(a, b);\n  return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n}\n");
    return {"floor_mod(" + real(a).text + ", " + real(b).text + ")"};
  }
  return join(real(a), e.binary, real(b));
}

Code Emitter::integer_binary(const Expr& e, bool subscript) {
  const ExprPtr &pa = e.args[0], &pb = e.args[1];
  // The quotient is in range where the dividend need not be: q * (W - 1) / (W * factor - 1).
  if (subscript && (e.binary == BinaryOp::div || e.binary == BinaryOp::mod) && beyond_tensors(*pa))
    return {"(" + source_.index_type() + ")" + integer_binary(e, false).at(prefix), prefix};
  Code a = emit(*pa, subscript), b = emit(*pb, subscript);
  if (pa->type == Type::boolean) a = {"(int)" + a.at(prefix), prefix, 1};
  if (pb->type == Type::boolean) b = {"(int)" + b.at(prefix), prefix, 1};
  if (e.binary == BinaryOp::pow) {
    source_.helper("integer_power",
                   "__device__ long long integer_power(long long base, long long exponent) {\n  long long result = 1;\n"
                   "  for (long long i = 0; i < exponent; ++i) result *= base;\n  return result;\n}\n");
    return {"integer_power(" + a.text + ", " + b.text + ")", primary, 64};
  }
  if (e.binary == BinaryOp::div || e.binary == BinaryOp::mod) {
    const bool division = e.binary == BinaryOp::div;
    if (never_negative(*pa) && never_negative(*pb)) {
      Code c = join(a, e.binary, b);
      c.bits = a.bits;
      return c;
    }
    const std::string t = subscript ? source_.index_type() : "long long";
    const std::string name = division ? "floor_div" : "floor_mod";
    source_.helper(
        name + t,
        division
            ? "// Quotient rounded toward minus infinity, as the op defines it; C++ rounds toward zero.\n__device__ " +
                  t + " floor_div(" + t + " a, " + t + " b) {\n  const " + t +
                  " q = a / b;\n  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;\n}\n"
            : "// Remainder with the sign of the divisor, as the op defines it; in C++ it has the "
              "dividend's.\n__device__ " +
                  t + " floor_mod(" + t + " a, " + t + " b) {\n  const " + t +
                  " r = a % b;\n  return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n}\n");
    const std::string cast = "(" + t + ")";
    const auto argument = [&](const Code& c, const Expr& x) {
      return op::tensors_read(x).empty() && subscript ? c.text : cast + c.at(prefix);
    };
    return {name + "(" + argument(a, *pa) + ", " + argument(b, *pb) + ")", primary, a.bits};
  }
  int bits = e.binary == BinaryOp::mul ? a.bits + b.bits : std::max(a.bits, b.bits) + 1;
  if (!subscript && bits > 31 && a.bits <= 32 && b.bits <= 32) a = {"(long long)" + a.at(prefix), prefix, 64};
  Code c = join(a, e.binary, b);
  c.bits = std::min(bits, 64);
  if (!subscript && bits > 31) c.bits = 64;
  return c;
}

Code Emitter::power(const Expr& e) {
  const Expr &a = *e.args[0], &b = *e.args[1];
  if (b.kind == ExprKind::integer && b.integer >= 1 && b.integer <= 4) {
    const Code base = real(a);
    if (b.integer == 1) return base;
    static constexpr const char* names[] = {"squared", "cubed", "to_the_fourth"};
    static constexpr const char* bodies[] = {"v * v", "v * v * v", "(v * v) * (v * v)"};
    const std::string t = source_.real(), name = names[b.integer - 2];
    source_.helper(name + t,
                   "__device__ " + t + " " + name + "(" + t + " v) { return " + bodies[b.integer - 2] + "; }\n");
    return {name + "(" + base.text + ")"};
  }
  return {function("pow") + "(" + real(a).text + ", " + real(b).text + ")"};
}

Code Emitter::call(const Expr& e, bool subscript) {
  const std::string& f = e.name;
  if (e.type == Type::integer) {
    std::vector<Code> args;
    const std::string t = subscript ? source_.index_type() : "long long";
    int bits = 1;
    for (const ExprPtr& a : e.args) {
      Code c = emit(*a, subscript);
      bits = std::max(bits, c.bits);
      if (t != "int" || !op::tensors_read(*a).empty()) c = {"(" + t + ")" + c.at(prefix), prefix, 64};
      args.push_back(c);
    }
    if (t == "long long") bits = 64;
    if (f == "min" || f == "max") return {f + "(" + args[0].text + ", " + args[1].text + ")", primary, bits};
    if (f == "clamp")
      return {"min(max(" + args[0].text + ", " + args[1].text + "), " + args[2].text + ")", primary, bits};
    if (f == "abs" || f == "sign") {
      source_.helper(f + t, "__device__ " + t + " " + f + "_of(" + t + " v) { return " +
                                (f == "abs" ? "v < 0 ? -v : v" : "(v > 0) - (v < 0)") + "; }\n");
      return {f + "_of(" + args[0].text + ")", primary, bits};
    }
    if (f == "ceildiv") {
      source_.helper("ceildiv" + t, "__device__ " + t + " floor_ceildiv(" + t + " a, " + t + " b) {\n  const " + t +
                                        " q = a / b;\n  return a % b != 0 && (a < 0) == (b < 0) ? q + 1 : q;\n}\n");
      return {"floor_ceildiv(" + args[0].text + ", " + args[1].text + ")", primary, bits};
    }
    if (f == "pow2ceil") {
      source_.helper("pow2ceil" + t, "__device__ " + t + " floor_pow2ceil(" + t + " n) {\n  " + t +
                                         " p = 1;\n  while (p < n) p *= 2;\n  return p;\n}\n");
      return {"floor_pow2ceil(" + args[0].text + ")", primary, bits};
    }
    if (f == "bitand" || f == "bitor" || f == "bitxor")
      return {"(" + args[0].at(prefix) +
                  (f == "bitand"  ? " & "
                   : f == "bitor" ? " | "
                                  : " ^ ") +
                  args[1].at(prefix) + ")",
              primary, bits};
    if (f == "shl" || f == "shr") return shift(f == "shl", e, args, t);
    return args[0];  // floor, ceil, round, trunc of an integer
  }
  std::vector<std::string> args;
  for (const ExprPtr& a : e.args) args.push_back(real(*a).text);
  const std::string type = source_.real();
  if (f == "abs") return {function("fabs") + "(" + args[0] + ")"};
  if (f == "round") return {function("rint") + "(" + args[0] + ")"};
  if (f == "min" || f == "max") return {function("f" + f) + "(" + args[0] + ", " + args[1] + ")"};
  if (f == "clamp")
    return {function("fmin") + "(" + function("fmax") + "(" + args[0] + ", " + args[1] + "), " + args[2] + ")"};
  if (f == "sign") {
    source_.helper("sign" + type, "__device__ " + type + " sign_of(" + type + " v) { return v > 0 ? " + literal(1) +
                                      " : v < 0 ? " + literal(-1) + " : v; }\n");
    return {"sign_of(" + args[0] + ")"};
  }
  if (f == "isnan" || f == "isinf") return {f + "(" + args[0] + ")"};
  std::string text = function(f) + "(";
  for (std::size_t i = 0; i < args.size(); ++i) text += (i ? ", " : "") + args[i];
  return {text + ")"};
}

Code Emitter::shift(bool left, const Expr& e, const std::vector<Code>& args, const std::string& type) {
  const Expr& count = *e.args[1];
  if (count.kind == ExprKind::integer && count.integer >= 0 && count.integer < (type == "int" ? 32 : 64))
    return {"(" + args[0].at(prefix) + (left ? " << " : " >> ") + std::to_string(count.integer) + ")", primary, 64};
  const std::string name = left ? "shifted_left" : "shifted_right";
  source_.helper(name,
                 left ? "__device__ long long shifted_left(long long v, long long n) { return n < 0 || n > 63 ? 0 : v "
                        "<< n; }\n"
                      : "__device__ long long shifted_right(long long v, long long n) { return v >> (n < 0 || n > 63 "
                        "? 63 : n); }\n");
  const std::string call = name + "(" + args[0].text + ", " + args[1].text + ")";
  return {type == "long long" ? call : "(" + type + ")" + call, type == "long long" ? primary : prefix, 64};
}

Code Emitter::cast(const Expr& e, bool subscript) {
  const Expr& a = *e.args[0];
  const DType to = e.cast;
  if (to == DType::boolean) {
    if (a.type == Type::boolean) return emit(a);
    return {(a.type == Type::real ? real(a) : emit(a)).at(relation) + " != 0", equality, 1};
  }
  if (is_integer(to)) {
    if (a.type == Type::boolean) return {"(int)" + emit(a).at(prefix), prefix, 1};
    if (a.type == Type::real) {
      const Code v = real(a);
      if (to == DType::i64) return {"(long long)" + v.at(prefix), prefix, 64};
      if (to == DType::i32) return {"(int)" + v.at(prefix), prefix, 32};
      if (to == DType::u32) return {"min(max((long long)" + v.at(prefix) + ", 0LL), 4294967295LL)", primary, 64};
      const auto lo = static_cast<double>(least_integer(to)), hi = static_cast<double>(most_integer(to));
      return {"(int)" + function("fmin") + "(" + function("fmax") + "(" + v.text + ", " + literal(lo) + "), " +
                  literal(hi) + ")",
              prefix, static_cast<int>(8 * dtype_size(to))};
    }
    Code v = emit(a, subscript);
    if (to == DType::i64 || to == DType::u64) return {"(long long)" + v.at(prefix), prefix, 64};
    const std::string narrowed = "(" + std::string(dtype_cuda_name(to)) + ")" + v.at(prefix);
    if (to == DType::u32) return {"(long long)" + narrowed, prefix, 64};
    return {narrowed, prefix, static_cast<int>(8 * dtype_size(to))};
  }
  const Code v = real(a);
  switch (to) {
    case DType::f32:
      if (!program_.f64) return v;
      return {"(double)(float)" + v.at(prefix), prefix};
    case DType::f16:
      source_.include("cuda_fp16.h");
      return {"__half2float(" + std::string(program_.f64 ? "__double2half" : "__float2half") + "(" + v.text + "))"};
    case DType::bf16:
      source_.include("cuda_bf16.h");
      return {"__bfloat162float(" + std::string(program_.f64 ? "__double2bfloat16" : "__float2bfloat16") + "(" +
              v.text + "))"};
    case DType::e4m3:
    case DType::e5m2:
      source_.include("cuda_fp8.h");
      return {std::string(program_.f64 ? "(double)" : "") + "(float)" + std::string(dtype_cuda_name(to)) + "(" +
                  v.text + ")",
              prefix};
    default: return v;
  }
}

// The value itself where nothing has to be computed first; otherwise a variable that each branch sets.
Code Emitter::select(const Expr& e, bool subscript) {
  const Expr &c = *e.args[0], &a = *e.args[1], &b = *e.args[2];
  const auto branch = [&](const Expr& x) { return e.type == Type::real ? real(x) : emit(x, subscript); };
  if (!has_reduce(a) && !has_reduce(b)) {
    const Code test = emit(c), then = branch(a), other = branch(b);
    return {test.at(disjunction) + " ? " + then.at(choice + 1) + " : " + other.at(choice), choice,
            std::max(then.bits, other.bits)};
  }
  const std::string name = kernel_.fresh("chosen");
  kernel_.line(type_name(e.type) + " " + name + ";");
  kernel_.open("if (" + condition(c) + ") {");
  kernel_.line(name + " = " + branch(a).text + ";");
  kernel_.otherwise();
  kernel_.line(name + " = " + branch(b).text + ";");
  kernel_.close();
  return {name, primary, 64};
}

bool Emitter::never_negative(const Expr& e) const {
  switch (e.kind) {
    case ExprKind::integer: return e.integer >= 0;
    case ExprKind::name:
      if (e.role == op::Role::symbol) return true;
      if (e.role == op::Role::constant) {
        const auto it = program_.binding.constants.find(e.name);
        return it != program_.binding.constants.end() && it->second >= 0;
      }
      if (const auto it = ranges_.find(e.name); it != ranges_.end()) return never_negative(*it->second.lo);
      return false;
    case ExprKind::binary:
      return (e.binary == BinaryOp::add || e.binary == BinaryOp::mul || e.binary == BinaryOp::div ||
              e.binary == BinaryOp::mod) &&
             never_negative(*e.args[0]) && never_negative(*e.args[1]);
    case ExprKind::call:
      if (e.name == "abs") return true;
      if (e.name == "max") return never_negative(*e.args[0]) || never_negative(*e.args[1]);
      return e.name == "min" && never_negative(*e.args[0]) && never_negative(*e.args[1]);
    case ExprKind::access: {
      const DType t = program_.tensor(e.name).dtype;
      return (is_unsigned(t) && t != DType::u64) || t == DType::boolean;
    }
    default: return false;
  }
}

Code Emitter::padded(const Expr& e) {
  const Expr& access = *e.args[0];
  const Tensor& t = program_.tensor(access.name);
  std::string test;
  auto inside = std::make_shared<Expr>(access);
  for (std::size_t d = 0; d < access.args.size(); ++d) {
    ExprPtr s = access.args[d];
    const bool plain = is_index(*s);
    const bool low = never_negative(*s);
    bool high = false;
    if (plain)
      if (const auto it = ranges_.find(s->name); it != ranges_.end()) high = same(it->second.hi, t.shape[d]);
    if (low && high) continue;
    std::string code = subscript(s, primary);
    if (!plain) {
      static constexpr const char* words[] = {"_d0", "_d1", "_d2", "_d3", "_d4", "_d5", "_d6", "_d7"};
      const std::string name =
          kernel_.fresh(source_.identifier(access.name) + (access.args.size() == 1 ? "_at" : words[d & 7]));
      kernel_.line("const " + source_.index_type() + " " + name + " = " + subscript(s) + ";");
      code = name;
      const ExprPtr standin = op::name_of(name, op::Role::index);
      indices_[name] = name;
      inside->args[d] = standin;
    }
    const auto also = [&](const std::string& c) { test += (test.empty() ? "" : " && ") + c; };
    if (!low) also("0 <= " + code);
    if (!high) also(code + " < " + subscript(t.shape[d], sum_strength));
  }
  if (read)
    if (const auto text = read(access)) replaced[inside.get()] = *text;
  const auto as_value = [&](const Expr& x) { return e.type == Type::real ? real(x) : emit(x); };
  const Code value = as_value(*inside);
  replaced.erase(inside.get());
  if (test.empty()) return value;
  return {test + " ? " + value.at(choice + 1) + " : " + as_value(*e.args[1]).at(choice), choice, 64};
}

}  // namespace ww::search
