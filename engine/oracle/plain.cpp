// SPDX-License-Identifier: Apache-2.0
#include "oracle/plain.h"
#include <limits>
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/dtype.h"
#include "op/walk.h"

namespace ww::oracle {

using op::BinaryOp;
using op::Expr;
using op::ExprKind;
using op::ReduceOp;
using op::Type;

PlainNames::PlainNames(const op::Spec& spec) {
  for (const char* w : {"alignas",   "alignof",  "and",       "asm",       "auto",          "bool",      "break",
                        "case",      "catch",    "char",      "class",     "const",         "constexpr", "continue",
                        "decltype",  "default",  "delete",    "do",        "double",        "else",      "enum",
                        "explicit",  "export",   "extern",    "false",     "float",         "for",       "friend",
                        "goto",      "if",       "inline",    "int",       "long",          "mutable",   "namespace",
                        "new",       "noexcept", "not",       "nullptr",   "operator",      "or",        "private",
                        "protected", "public",   "register",  "return",    "short",         "signed",    "sizeof",
                        "static",    "struct",   "switch",    "template",  "this",          "throw",     "true",
                        "try",       "typedef",  "typeid",    "typename",  "union",         "unsigned",  "using",
                        "virtual",   "void",     "volatile",  "while",     "xor",           "half",      "concept",
                        "requires",  "blockIdx", "blockDim",  "threadIdx", "gridDim",       "warpSize",  "INFINITY",
                        "NAN",       "NULL",     "floor_div", "floor_mod", "integer_power", "real_mod",  "part",
                        "at",        "next",     "half"})
    taken_.insert(w);
  for (const std::vector<op::Param>* list : {&spec.inputs, &spec.outputs, &spec.temporaries})
    for (const op::Param& p : *list) of(p.name);
  for (const std::string& s : spec.symbols) of(s);
  for (const op::Constant& c : spec.constants) of(c.name);
}

const std::string& PlainNames::of(const std::string& name) {
  const auto found = names_.find(name);
  if (found != names_.end()) return found->second;
  return names_[name] = fresh(name[0] == '$' ? "part" + name.substr(1) : name);
}

const std::string& PlainNames::index(const std::string& name) {
  const std::string key = "index " + name;
  const auto found = names_.find(key);
  return found != names_.end() ? found->second : names_[key] = fresh(name);
}

std::string PlainNames::fresh(const std::string& stem) {
  std::string out = stem;
  for (int n = 2; !taken_.insert(out).second; ++n) out = n == 2 ? stem + "_" : stem + "_" + std::to_string(n);
  return out;
}

std::string unbracketed(const std::string& t) {
  if (t.size() < 2 || t.front() != '(') return t;
  int depth = 0;
  for (std::size_t k = 0; k + 1 < t.size(); ++k) {
    depth += t[k] == '(' ? 1 : t[k] == ')' ? -1 : 0;
    if (depth == 0) return t;
  }
  return t.substr(1, t.size() - 2);
}

namespace {

// How tightly the loosest operator of a text without outer brackets binds: 1 ?:, 2 | ||, 3 & && ^, 4 == !=, 5 < >,
// 6 + -, 7 * / %, 8 none.
int binding(const std::string& t) {
  int depth = 0, least = 8;
  for (std::size_t k = 0; k + 2 < t.size(); ++k) {
    depth += t[k] == '(' || t[k] == '[' || t[k] == '{' ? 1 : t[k] == ')' || t[k] == ']' || t[k] == '}' ? -1 : 0;
    if (depth > 0 || t[k] != ' ') continue;
    const char c = t[k + 1];
    static constexpr std::string_view operators = "?:|&^=!<>+-*/%";
    static constexpr int tightness[] = {1, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 7};
    if (const std::size_t at = operators.find(c); at != std::string_view::npos) least = std::min(least, tightness[at]);
  }
  return least;
}

}  // namespace

std::string operand(const std::string& text, int above) {
  const std::string inner = unbracketed(text);
  return inner == text || inner[0] == '-' || inner[0] == '!' || binding(inner) < above ? text : inner;
}

void Plain::line(const std::string& text) {
  text_ += std::string(static_cast<std::size_t>(indent_) * 2, ' ') + text + "\n";
}
void Plain::open(const std::string& text) {
  line(text + " {");
  ++indent_;
}
void Plain::close() {
  --indent_;
  line("}");
}

std::string Plain::literal(double v) const {
  if (std::isnan(v)) return "NAN";
  if (std::isinf(v)) return v > 0 ? "INFINITY" : "(-INFINITY)";
  std::string out;
  for (int digits = f64_ ? 15 : 6; digits <= 17; ++digits) {  // the shortest text that round-trips
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", digits, v);
    out = text;
    if (std::stod(out) == v) break;
  }
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  if (!f64_) out += "f";
  return v < 0 ? "(" + out + ")" : out;
}

std::string Plain::real(const Expr& e, bool guarded) {
  if (e.kind == ExprKind::integer) return literal(static_cast<double>(e.integer));
  const std::string v = value(e, guarded);
  return e.type == Type::real
             ? v
             : fmt::format("({}){}", type(Type::real),
                           v[0] == '(' || v.find_first_of(" ?") == std::string::npos ? v : "(" + v + ")");
}

std::string Plain::value(const Expr& e, bool guarded) {
  if (const auto found = known_.find(&e); found != known_.end()) return found->second;
  switch (e.kind) {
    case ExprKind::integer:
      if (e.integer == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807ll - 1)";
      return e.integer > 2147483647 || e.integer < -2147483647 ? fmt::format("{}ll", e.integer)
                                                               : std::to_string(e.integer);
    case ExprKind::boolean: return e.integer ? "true" : "false";
    case ExprKind::real: return literal(e.real);
    case ExprKind::name: return e.role == op::Role::index ? names_.index(e.name) : names_.of(e.name);
    case ExprKind::access: return access(e, nullptr, guarded);
    case ExprKind::padded: return access(*e.args[0], &e, guarded);
    case ExprKind::unary: return (e.unary == op::UnaryOp::negate ? "(-" : "(!") + value(*e.args[0], guarded) + ")";
    case ExprKind::binary: return binary(e, guarded);
    case ExprKind::select: {
      const std::string c = unbracketed(value(*e.args[0], guarded));
      const auto branch = [&](std::size_t k) {
        return e.type == Type::real ? real(*e.args[k], true) : value(*e.args[k], true);
      };
      const std::string a = branch(1), b = branch(2);
      return fmt::format("({} ? {} : {})", c, a, b);
    }
    case ExprKind::call: return call(e, guarded);
    case ExprKind::cast: return cast(e, guarded);
    case ExprKind::reduce: return reduction(e, guarded);
  }
  return "0";
}

std::string Plain::element(const std::string& tensor, const std::string& offset) const {
  const PlainTensor& t = tensors_.at(tensor);
  const std::string at = names_.of(tensor) + "[" + offset + "]";
  switch (t.dtype) {
    case DType::f16: return f64_ ? "(double)__half2float(" + at + ")" : "__half2float(" + at + ")";
    case DType::bf16: return f64_ ? "(double)__bfloat162float(" + at + ")" : "__bfloat162float(" + at + ")";
    case DType::e4m3:
    case DType::e5m2: return f64_ ? "(double)(float)" + at : "(float)" + at;
    case DType::f32: return f64_ ? "(double)" + at : at;
    case DType::u64:
    case DType::i32:
    case DType::i8:
    case DType::u8:
    case DType::u16:
    case DType::u32: return "(long long)" + at;
    default: return at;
  }
}

std::string Plain::access(const Expr& e, const Expr* pad, bool guarded) {
  const PlainTensor& t = tensors_.at(e.name);
  std::vector<std::string> subscripts;
  bool is_flat = !flat_indices_.empty() && e.args.size() == flat_indices_.size() && !pad;
  for (std::size_t k = 0; k < e.args.size(); ++k) {
    is_flat = is_flat && e.args[k]->kind == ExprKind::name && e.args[k]->name == flat_indices_[k];
    subscripts.push_back(value(*e.args[k], guarded));
    if (pad && !guarded && e.args[k]->kind != ExprKind::name) {
      const std::string n = names_.fresh(fmt::format("{}_at{}", names_.of(e.name), k));
      line(fmt::format("const long long {} = {};", n, unbracketed(subscripts[k])));
      subscripts[k] = n;
    }
  }
  if (is_flat) return element(e.name, flat_);
  std::string offset = subscripts.empty() ? "0" : unbracketed(subscripts[0]);
  for (std::size_t k = 1; k < subscripts.size(); ++k) {
    const std::string before = offset.find(' ') == std::string::npos ? offset : "(" + offset + ")";
    const std::string size = value(*t.shape[k]);
    offset = before == "0" ? unbracketed(subscripts[k])
                           : fmt::format("{} * {} + {}", before, size, operand(subscripts[k], 7));
  }
  const std::string loaded = element(e.name, offset);
  if (!pad) return loaded;
  std::string inside;
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    const bool never_below = not_negative(*e.args[k]);
    if (never_below && e.args[k]->kind == ExprKind::name) {
      const auto end = ends_.find(e.args[k]->name);
      if (end != ends_.end() && op::same_integer(*end->second, *t.shape[k])) continue;
    }
    if (never_below) {
      inside += fmt::format("{}{} < {}", inside.empty() ? "" : " && ", subscripts[k], value(*t.shape[k]));
      continue;
    }
    inside += fmt::format("{}{} >= 0 && {} < {}", inside.empty() ? "" : " && ", subscripts[k], subscripts[k],
                          value(*t.shape[k]));
  }
  if (inside.empty()) return loaded;
  const std::string otherwise = is_real(t.dtype) ? real(*pad->args[1], true) : value(*pad->args[1], true);
  return fmt::format("({} ? {} : {})", inside, loaded, otherwise);
}

void Plain::enter(const op::Index& i) {
  if (not_negative(*i.lo))
    not_negative_.insert(i.name);
  else
    not_negative_.erase(i.name);
  ends_[i.name] = i.hi;
}

bool Plain::not_negative(const Expr& e) const {
  switch (e.kind) {
    case ExprKind::integer: return e.integer >= 0;
    case ExprKind::name:
      return e.role == op::Role::symbol || (e.role == op::Role::index && not_negative_.count(e.name) != 0);
    case ExprKind::binary:
      return e.binary != BinaryOp::sub && e.binary <= BinaryOp::mod && not_negative(*e.args[0]) &&
             not_negative(*e.args[1]);
    default: return false;
  }
}

std::string Plain::binary(const Expr& e, bool guarded) {
  const Expr &left = *e.args[0], &right = *e.args[1];
  const bool as_real = left.type == Type::real || right.type == Type::real || e.type == Type::real;
  const auto side = [&](const Expr& x, bool g) { return as_real ? real(x, g) : value(x, g); };
  switch (e.binary) {
    case BinaryOp::logical_and:
    case BinaryOp::logical_or: {
      const std::string a = value(left, guarded), b = value(right, true);
      return e.binary == BinaryOp::logical_and ? fmt::format("({} && {})", operand(a, 3), operand(b, 3))
                                               : fmt::format("({} || {})", operand(a, 4), operand(b, 4));
    }
    case BinaryOp::pow: {
      if (right.kind == ExprKind::integer && right.integer >= 0 && right.integer <= 64) {
        std::string base = side(left, guarded);
        if (right.integer == 0) return as_real ? literal(1) : "1";
        if (right.integer <= 4 && base.find(' ') == std::string::npos) {
          std::string out = base;
          for (std::int64_t k = 1; k < right.integer; ++k) out += " * " + base;
          return "(" + out + ")";
        }
        if (!guarded && right.integer <= 4) {
          const std::string n = names_.fresh("base");
          line(fmt::format("const {} {} = {};", type(as_real ? Type::real : Type::integer), n, unbracketed(base)));
          std::string out = n;
          for (std::int64_t k = 1; k < right.integer; ++k) out += " * " + n;
          return "(" + out + ")";
        }
        helpers_.insert(as_real ? "small_power" : "integer_power");
        return fmt::format("{}({}, {})", as_real ? "small_power" : "integer_power", unbracketed(base), right.integer);
      }
      const std::string a = side(left, guarded), b = side(right, guarded);
      if (as_real) return fmt::format("{}({}, {})", math("pow"), unbracketed(a), unbracketed(b));
      helpers_.insert("integer_power");
      return fmt::format("integer_power({}, {})", unbracketed(a), unbracketed(b));
    }
    case BinaryOp::div:
    case BinaryOp::mod: {
      const std::string a = side(left, guarded), b = side(right, guarded);
      const bool div = e.binary == BinaryOp::div;
      if (as_real && div) return fmt::format("({} / {})", operand(a, 7), operand(b, 8));
      if (as_real) {
        helpers_.insert("real_mod");
        return fmt::format("real_mod({}, {})", unbracketed(a), unbracketed(b));
      }
      if (not_negative(left) && not_negative(right))
        return fmt::format("({} {} {})", operand(a, 7), div ? "/" : "%", operand(b, 8));
      helpers_.insert(div ? "floor_div" : "floor_mod");
      return fmt::format("{}({}, {})", div ? "floor_div" : "floor_mod", unbracketed(a), unbracketed(b));
    }
    default: break;
  }
  const char* const signs[] = {"+", "-", "*", "/", "%", "^", "<", "<=", ">", ">=", "==", "!="};
  const std::string a = side(left, guarded), b = side(right, guarded);
  const int own = e.binary == BinaryOp::mul ? 7 : e.binary <= BinaryOp::sub ? 6 : 5;
  const int right_needs = e.binary >= BinaryOp::lt ? 6 : own + 1;  // left to right, as the spec has it
  return fmt::format("({} {} {})", operand(a, own < 6 ? 6 : own), signs[static_cast<int>(e.binary)],
                     operand(b, right_needs));
}

std::string Plain::call(const Expr& e, bool guarded) {
  bool integers = e.type == Type::integer;
  for (const op::ExprPtr& a : e.args) integers = integers && a->type == Type::integer;
  std::vector<std::string> a;
  for (const op::ExprPtr& x : e.args) a.push_back(unbracketed(integers ? value(*x, guarded) : real(*x, guarded)));
  const std::string& n = e.name;
  if (integers) {
    const auto wide = [](const std::string& x) { return "(long long)(" + x + ")"; };
    if (n == "min" || n == "max") return fmt::format("{}({}, {})", n, wide(a[0]), wide(a[1]));
    if (n == "clamp") return fmt::format("min(max({}, {}), {})", wide(a[0]), wide(a[1]), wide(a[2]));
    if (n == "abs") return fmt::format("llabs({})", a[0]);
    if (n == "sign") return fmt::format("(({0} > 0) - ({0} < 0))", wide(a[0]));
    if (n == "ceildiv") {
      helpers_.insert("floor_div");
      return fmt::format("(-floor_div(-({}), {}))", a[0], a[1]);
    }
    if (n == "pow2ceil") {
      helpers_.insert("pow2ceil");
      return fmt::format("pow2ceil({})", a[0]);
    }
    if (n == "bitand" || n == "bitor" || n == "bitxor")
      return fmt::format("({} {} {})", wide(a[0]), n == "bitand" ? "&" : n == "bitor" ? "|" : "^", wide(a[1]));
    if (n == "shl" || n == "shr") {
      helpers_.insert(n);
      return fmt::format("{}({}, {})", n, a[0], a[1]);
    }
    return "(" + a[0] + ")";  // floor and similar
  }
  if (n == "isnan" || n == "isinf") return n + "(" + a[0] + ")";
  if (n == "abs") return math("fabs") + "(" + a[0] + ")";
  if (n == "round") return math("rint") + "(" + a[0] + ")";
  if (n == "min" || n == "max") return fmt::format("{}({}, {})", math("f" + n), a[0], a[1]);
  if (n == "clamp") return fmt::format("{}({}({}, {}), {})", math("fmin"), math("fmax"), a[0], a[1], a[2]);
  if (n == "sign") {
    helpers_.insert("sign_of");
    return "sign_of(" + a[0] + ")";
  }
  std::string list;
  for (const std::string& x : a) list += (list.empty() ? "" : ", ") + x;
  return math(n) + "(" + list + ")";
}

std::string Plain::cast(const Expr& e, bool guarded) {
  const Expr& from = *e.args[0];
  const char* const r = f64_ ? "double" : "float";
  switch (e.cast) {
    case DType::f64: return real(from, guarded);
    case DType::f32: return f64_ ? "(double)(float)(" + unbracketed(real(from, guarded)) + ")" : real(from, guarded);
    case DType::f16:
      return fmt::format("({})__half2float(__float2half((float)({})))", r, unbracketed(real(from, guarded)));
    case DType::bf16:
      return fmt::format("({})__bfloat162float(__float2bfloat16((float)({})))", r, unbracketed(real(from, guarded)));
    case DType::e4m3:
    case DType::e5m2:
      return fmt::format("({})(float){}({})", r, dtype_cuda_name(e.cast), unbracketed(real(from, guarded)));
    default: break;
  }
  const std::string v = unbracketed(value(from, guarded));
  if (e.cast == DType::boolean)
    return from.type == Type::real ? fmt::format("(!({} == 0))", v) : fmt::format("(({}) != 0)", v);
  if (from.type != Type::real) { return fmt::format("(long long)({})({})", dtype_cuda_name(e.cast), v); }
  // Toward zero, saturating.
  const std::string whole = fmt::format("(long long)({})", v);
  if (e.cast == DType::i64) return whole;
  return fmt::format("min(max({}, {}ll), {}ll)", whole, least_integer(e.cast), most_integer(e.cast));
}

std::string Plain::accumulator_type(const Expr& e) const {
  if (e.reduce == ReduceOp::any || e.reduce == ReduceOp::all) return "bool";
  return type(e.args[0]->type == Type::real ? Type::real : Type::integer);
}

std::string Plain::start(const Expr& e) const {
  const bool real = e.args[0]->type == Type::real;
  switch (e.reduce) {
    case ReduceOp::sum: return real ? literal(0) : "0";
    case ReduceOp::prod: return real ? literal(1) : "1";
    case ReduceOp::max: return real ? "-INFINITY" : "(-9223372036854775807ll - 1)";
    case ReduceOp::min: return real ? "INFINITY" : "9223372036854775807ll";
    case ReduceOp::any: return "false";
    case ReduceOp::all: return "true";
    default: return real ? literal(0) : "0";
  }
}

std::string Plain::combined(const Expr& e, const std::string& a, const std::string& b) {
  const bool real = e.args[0]->type == Type::real;
  switch (e.reduce) {
    case ReduceOp::sum: return a + " + " + b;
    case ReduceOp::prod: return a + " * " + b;
    case ReduceOp::max:
    case ReduceOp::min: {
      const std::string fn = e.reduce == ReduceOp::max ? "max" : "min";
      return fmt::format("{}({}, {})", real ? math("f" + fn) : fn, a, b);
    }
    case ReduceOp::any: return a + " || " + b;
    default: return a + " && " + b;
  }
}

void Plain::update(const Expr& e, const std::string& acc) {
  if (e.args.size() > 1) open("if (" + unbracketed(value(*e.args[1])) + ")");
  const bool is_real = e.args[0]->type == Type::real;
  std::string t = value(*e.args[0]);
  switch (e.reduce) {
    case ReduceOp::sum: line(acc + " += " + unbracketed(t) + ";"); break;
    case ReduceOp::prod: line(acc + " *= " + t + ";"); break;
    case ReduceOp::max:
    case ReduceOp::min:
      line(acc + " = " + combined(e, acc, is_real ? unbracketed(t) : "(long long)(" + unbracketed(t) + ")") + ";");
      break;
    case ReduceOp::any: line(acc + " = " + acc + " || " + t + ";"); break;
    case ReduceOp::all: line(acc + " = " + acc + " && " + t + ";"); break;
    case ReduceOp::argmax:
    case ReduceOp::argmin: {
      const std::string n = names_.fresh("term");
      line(fmt::format("const {} {} = {};", accumulator_type(e), n, unbracketed(t)));
      open(fmt::format("if ({0}_at < 0 || {1} {2} {0})", acc, n, e.reduce == ReduceOp::argmax ? ">" : "<"));
      line(fmt::format("{} = {};", acc, n));
      line(fmt::format("{}_at = {};", acc, names_.index(e.indices[0].name)));
      close();
      break;
    }
  }
  if (e.args.size() > 1) close();
}

void Plain::loops(const Expr& e, const std::string& acc) {
  for (const op::Index& i : e.indices) {
    const std::string n = names_.index(i.name), lo = unbracketed(value(*i.lo)), hi = value(*i.hi);
    enter(i);
    open(fmt::format("for (long long {0} = {1}; {0} < {2}; ++{0})", n, lo, operand(hi, 6)));
  }
  update(e, acc);
  for (std::size_t k = 0; k < e.indices.size(); ++k) close();
}

std::string Plain::reduction(const Expr& e, bool guarded) {
  const char* const stems[] = {"sum", "product", "largest", "smallest", "largest", "smallest", "found", "holds"};
  const std::string acc = names_.fresh(stems[static_cast<int>(e.reduce)]);
  const bool place = e.reduce == ReduceOp::argmax || e.reduce == ReduceOp::argmin;
  std::string outside;
  const int depth = indent_;
  if (guarded) {  // computed only where its branch is taken
    outside.swap(text_);
    indent_ = 2;
  }
  line(fmt::format("{} {} = {};", accumulator_type(e), acc, start(e)));
  if (place) line(fmt::format("long long {}_at = -1;", acc));
  loops(e, acc);
  const std::string result = place ? acc + "_at" : acc;
  if (!guarded) return result;
  std::string body = std::move(text_);
  text_ = std::move(outside);
  indent_ = depth;
  return fmt::format("[&] {{\n{}    return {};\n  }}()", body, result);
}

std::string Plain::as(const std::string& v, Type from, DType to) {
  const std::string bare = unbracketed(v);
  switch (to) {
    case DType::f16: return fmt::format("__float2half((float)({}))", bare);
    case DType::bf16: return fmt::format("__float2bfloat16((float)({}))", bare);
    case DType::e4m3:
    case DType::e5m2:
      return fmt::format("{}({})", dtype_cuda_name(to), from == Type::real ? bare : "(float)(" + bare + ")");
    case DType::f32: return from == Type::real && !f64_ ? bare : fmt::format("(float)({})", bare);
    case DType::f64: return from == Type::real ? bare : fmt::format("(double)({})", bare);
    case DType::i32: return fmt::format("(int)({})", bare);
    case DType::i8: return fmt::format("(signed char)({})", bare);
    case DType::u8:
    case DType::u16:
    case DType::u64:
    case DType::u32: return fmt::format("({})({})", dtype_cuda_name(to), bare);
    case DType::boolean: return from == Type::boolean ? bare : fmt::format("({}) != 0", bare);
    case DType::i64: return bare;
  }
  return bare;
}

std::string helper_text(const std::set<std::string>& used, bool f64) {
  const std::string r = f64 ? "double" : "float", f = f64 ? "" : "f";
  std::string out;
  if (used.count("floor_div"))
    out +=
        "// Rounded toward minus infinity, as the spec has it.\n"
        "__device__ long long floor_div(long long a, long long b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); "
        "}\n";
  if (used.count("floor_mod"))
    out +=
        "__device__ long long floor_mod(long long a, long long b) { const long long r = a % b; return r != 0 && (r < "
        "0) != (b < 0) ? r + b : r; }\n";
  if (used.count("integer_power"))
    out +=
        "__device__ long long integer_power(long long a, long long n) { long long r = 1; for (; n > 0; --n) r *= a; "
        "return r; }\n";
  if (used.count("small_power"))
    out += fmt::format(
        "__device__ {0} small_power({0} a, int n) {{ {0} r = 1; for (; n > 0; --n) r *= a; return r; }}\n", r);
  if (used.count("shl"))
    out += "__device__ long long shl(long long v, long long n) { return n < 0 || n > 63 ? 0 : v << n; }\n";
  if (used.count("shr"))
    out += "__device__ long long shr(long long v, long long n) { return v >> (n < 0 || n > 63 ? 63 : n); }\n";
  if (used.count("pow2ceil"))
    out += "__device__ long long pow2ceil(long long n) { long long p = 1; while (p < n) p *= 2; return p; }\n";
  if (used.count("real_mod"))
    out += fmt::format(
        "__device__ {0} real_mod({0} a, {0} b) {{ const {0} r = fmod{1}(a, b); return r != 0 && (r < 0) != (b < 0) ? r "
        "+ b : r; }}\n",
        r, f);
  if (used.count("sign_of"))
    out += fmt::format("__device__ {0} sign_of({0} x) {{ return x > 0 ? {0}(1) : x < 0 ? {0}(-1) : x; }}\n", r);
  return out;
}

}  // namespace ww::oracle
