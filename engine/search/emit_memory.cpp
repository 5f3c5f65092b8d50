// SPDX-License-Identifier: Apache-2.0
// Loads, stores, loops and serial reductions.
#include <algorithm>
#include "op/parse.h"
#include "op/program.h"
#include "op/walk.h"
#include "search/emit.h"
#include "search/groups.h"
#include "search/terms.h"

namespace ww::search {

using op::ExprKind;
using op::ReduceOp;
using op::Type;

std::string Emitter::element(const std::string& tensor, const std::vector<ExprPtr>& at, bool written) {
  const Tensor& t = program_.tensor(tensor);
  const std::string id = kernel_.tensor(tensor, written);
  if (at.empty()) return id + "[0]";
  ExprPtr offset = at[0];
  for (std::size_t d = 1; d < at.size(); ++d) offset = add(mul(offset, t.shape[d]), at[d]);
  return id + "[" + subscript(offset) + "]";
}

std::string Emitter::loaded(DType dtype, const std::string& text) const {
  switch (dtype) {
    case DType::f32: return program_.f64 ? "(double)" + text : text;
    case DType::f64: return program_.f64 ? text : "(float)" + text;
    case DType::f16: source_.include("cuda_fp16.h"); return "__half2float(" + text + ")";
    case DType::bf16: source_.include("cuda_bf16.h"); return "__bfloat162float(" + text + ")";
    case DType::e4m3:
    case DType::e5m2: source_.include("cuda_fp8.h"); return (program_.f64 ? "(double)(float)" : "(float)") + text;
    case DType::u64:
    case DType::u32: return "(long long)" + text;  // signed, as the arithmetic around it
    default: return text;
  }
}

void Emitter::name_sizes(const std::vector<Equation>& equations) {
  for (const Equation& eq : equations)
    for (const Index& i : eq.indices) {
      const ExprPtr size = extent(i);
      const std::string text = op::print(*size);
      if (text.size() < 14 || sizes_.count(text) || !op::free_indices(*size).empty() ||
          !op::tensors_read(*size).empty())
        continue;
      const std::string code = subscript(size), name = kernel_.fresh(kernel_.index(i.name) + "_size");
      kernel_.line("const " + source_.index_type() + " " + name + " = " + code + ";");
      sizes_[text] = name;
    }
}

std::string Emitter::load(const std::string& tensor, const std::vector<ExprPtr>& at) {
  return loaded(program_.tensor(tensor).dtype, element(tensor, at, false));
}

std::string Emitter::stored(DType dtype, const Code& value, Type type) const {
  if (is_real(dtype)) {
    std::string v = value.text;
    if (type != Type::real) v = "(" + source_.real() + ")" + value.at(prefix);
    switch (dtype) {
      case DType::f32: return program_.f64 ? "(float)" + (type == Type::real ? value.at(prefix) : "(" + v + ")") : v;
      case DType::f16:
        source_.include("cuda_fp16.h");
        return std::string(program_.f64 ? "__double2half" : "__float2half") + "(" + v + ")";
      case DType::bf16:
        source_.include("cuda_bf16.h");
        return std::string(program_.f64 ? "__double2bfloat16" : "__float2bfloat16") + "(" + v + ")";
      case DType::e4m3:
      case DType::e5m2: source_.include("cuda_fp8.h"); return std::string(dtype_cuda_name(dtype)) + "(" + v + ")";
      default: return v;
    }
  }
  if (dtype == DType::boolean) return type == Type::boolean ? value.text : value.at(relation) + " != 0";
  if (type == Type::real && dtype == DType::u32)
    return "(unsigned int)min(max((long long)" + value.at(prefix) + ", 0LL), 4294967295LL)";
  if (type == Type::real && dtype != DType::i64 && dtype != DType::i32) {
    const auto lo = static_cast<double>(least_integer(dtype)), hi = static_cast<double>(most_integer(dtype));
    return "(" + std::string(dtype_cuda_name(dtype)) + ")" + function("fmin") + "(" + function("fmax") + "(" +
           value.text + ", " + literal(lo) + "), " + literal(hi) + ")";
  }
  if (dtype == DType::i64 && type != Type::real) return value.text;
  return "(" + std::string(dtype_cuda_name(dtype)) + ")" + value.at(prefix);
}

void Emitter::store(const std::string& target, const std::vector<ExprPtr>& at, const Code& value, Type type) {
  const std::string to = element(target, at, true);
  kernel_.line(to + " = " + stored(program_.tensor(target).dtype, value, type) + ";");
}

std::string Emitter::local(const std::string& wanted, const Code& value, Type type) {
  const std::string name = kernel_.fresh(wanted);
  kernel_.line("const " + type_name(type) + " " + name + " = " + value.text + ";");
  return name;
}

void Emitter::open_loops(const std::vector<Index>& domain, const std::string& pragma) {
  for (std::size_t i = 0; i < domain.size(); ++i) {
    if (!pragma.empty() && i + 1 == domain.size()) kernel_.line(pragma);
    bind(domain[i]);
    const std::string name = index(domain[i].name);
    kernel_.open("for (" + source_.index_type() + " " + name + " = " + subscript(domain[i].lo) + "; " + name + " < " +
                 subscript(domain[i].hi, sum_strength) + "; ++" + name + ") {");
  }
}

void Emitter::close_loops(std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) kernel_.close();
}

void Emitter::decompose(const std::string& flat, const std::vector<Index>& domain) {
  std::string rest = flat;
  std::vector<std::string> lines;
  for (std::size_t i = domain.size(); i-- > 0;) {
    bind(domain[i]);
    const std::string name = index(domain[i].name);
    std::string code = rest;
    const std::string size = subscript(extent(domain[i]), primary);
    if (i > 0) {
      code = rest + " % " + size;
      rest = rest + " / " + size;
    }
    if (!from_zero(domain[i])) code = subscript(domain[i].lo, sum_strength) + " + " + (i > 0 ? code : code);
    if (code != name) lines.push_back("const " + source_.index_type() + " " + name + " = " + code + ";");
  }
  for (std::size_t i = lines.size(); i-- > 0;) kernel_.line(lines[i]);
}

Type accumulator_type(const Expr& reduce) {
  if (reduce.reduce == ReduceOp::any || reduce.reduce == ReduceOp::all) return Type::boolean;
  const Type body = reduce.args[0]->type;
  return body == Type::boolean ? Type::integer : body;
}

std::string identity_of(const Emitter& emitter, ReduceOp op, Type type) {
  switch (op) {
    case ReduceOp::sum: return type == Type::real ? emitter.literal(0) : "0";
    case ReduceOp::prod: return type == Type::real ? emitter.literal(1) : "1";
    case ReduceOp::max:
    case ReduceOp::argmax: return type == Type::real ? emitter.literal(-__builtin_inf()) : "-9223372036854775807LL - 1";
    case ReduceOp::min:
    case ReduceOp::argmin: return type == Type::real ? emitter.literal(__builtin_inf()) : "9223372036854775807LL";
    case ReduceOp::any: return "false";
    case ReduceOp::all: return "true";
  }
  return "0";
}

std::string combine_statement(const Emitter& emitter, ReduceOp op, Type type, const std::string& value,
                              const Code& operand) {
  const bool real = type == Type::real;
  const bool f64 = emitter.type_name(Type::real) == "double";
  const auto two = [&](const std::string& f) {
    const std::string g = real ? "f" + f + (f64 ? "" : "f") : f;
    return value + " = " + g + "(" + value + ", " + (real ? operand.text : "(long long)" + operand.at(prefix)) + ");";
  };
  switch (op) {
    case ReduceOp::sum: return value + " += " + operand.text + ";";
    case ReduceOp::prod: return value + " *= " + operand.text + ";";
    case ReduceOp::max: return two("max");
    case ReduceOp::min: return two("min");
    case ReduceOp::any: return value + " = " + value + " || " + operand.at(conjunction) + ";";
    case ReduceOp::all: return value + " = " + value + " && " + operand.at(equality) + ";";
    default: return {};
  }
}

std::string combined(const Emitter& emitter, ReduceOp op, Type type, const std::string& a, const std::string& b) {
  const bool real = type == Type::real, f64 = emitter.type_name(Type::real) == "double";
  const std::string suffix = real && !f64 ? "f" : "";
  switch (op) {
    case ReduceOp::sum: return a + " + " + b;
    case ReduceOp::prod: return a + " * " + b;
    case ReduceOp::max: return (real ? "fmax" : "max") + suffix + "(" + a + ", " + b + ")";
    case ReduceOp::min: return (real ? "fmin" : "min") + suffix + "(" + a + ", " + b + ")";
    case ReduceOp::any: return a + " || " + b;
    case ReduceOp::all: return a + " && " + b;
    default: return {};
  }
}

void finish_equations(Emitter& e, const Group& group, const std::set<std::string>& kept,
                      std::map<std::string, std::string>& locals, const std::map<std::string, std::string>& places) {
  Kernel& k = e.kernel();
  for (const Equation& eq : group.equations) {
    const Tensor& out = k.source().program().tensor(eq.target);
    const Type type = is_real(out.dtype) ? Type::real : eq.value->type;
    Code value = type == Type::real ? e.real(*eq.value) : e.emit(*eq.value);
    if (out.storage == Storage::temp) {
      const bool own = !kept.count(eq.target);
      if (own) k.allow(k.source().identifier(eq.target));
      value = {locals[eq.target] = e.local(own ? k.source().identifier(eq.target) : "value", value, type)};
      if (own) continue;
    }
    if (const auto place = places.find(eq.target); place != places.end())
      k.line(place->second + " = " + e.stored(out.dtype, value, type) + ";");
    else
      e.store(eq.target, eq.at, value, type);
  }
}

Accumulator declare_accumulator(Emitter& emitter, const Expr& reduce, const std::string& wanted) {
  Kernel& k = emitter.kernel();
  Accumulator a;
  a.node = &reduce;
  const Type type = accumulator_type(reduce);
  const bool positional = reduce.reduce == ReduceOp::argmax || reduce.reduce == ReduceOp::argmin;
  a.value = k.fresh(positional ? "best" : wanted);
  k.line(emitter.type_name(type) + " " + a.value + " = " + identity_of(emitter, reduce.reduce, type) + ";");
  if (positional) {
    a.at = k.fresh(wanted);
    k.line("long long " + a.at + " = -1;");
  }
  return a;
}

void update_accumulator(Emitter& emitter, const Accumulator& a) {
  Kernel& k = emitter.kernel();
  const Expr& reduce = *a.node;
  const bool conditional = reduce.args.size() > 1;
  if (conditional) k.open("if (" + emitter.condition(*reduce.args[1]) + ") {");
  const Type type = accumulator_type(reduce);
  Code body = type == Type::real ? emitter.real(*reduce.args[0]) : emitter.emit(*reduce.args[0]);
  if (a.positional()) {
    const std::string v = emitter.local("candidate", body, type);
    k.open("if (" + a.at + " < 0 || " + v + (reduce.reduce == ReduceOp::argmax ? " > " : " < ") + a.value + ") {");
    k.line(a.value + " = " + v + ";");
    k.line(a.at + " = " + emitter.index(reduce.indices[0].name) + ";");
    k.close();
  } else {
    k.line(combine_statement(emitter, reduce.reduce, type, a.value, body));
  }
  if (conditional) k.close();
}

Code Emitter::serial_reduce(const Expr& e) {
  static constexpr const char* words[] = {"sum", "product", "largest", "smallest", "place", "place", "found", "holds"};
  const Accumulator a = declare_accumulator(*this, e, words[static_cast<int>(e.reduce)]);
  open_loops(e.indices);
  update_accumulator(*this, a);
  close_loops(e.indices.size());
  return {a.result(), primary, 64};
}

namespace {

// The range of each index with these sizes; an index whose range depends on others is bounded by theirs.
op::Scope ranges_with(const std::map<std::string, Index>& ranges, const op::Resolved& sizes) {
  op::Scope scope;
  for (std::size_t before = ranges.size() + 1; scope.size() != before;) {
    before = scope.size();
    for (const auto& [name, index] : ranges) {
      std::int64_t lo = 0, hi = 0, unused = 0;
      if (scope.count(name) != 0 || !op::interval(*index.lo, scope, sizes, &lo, &unused) ||
          !op::interval(*index.hi, scope, sizes, &unused, &hi))
        continue;
      scope[name] = {name, lo, hi};
    }
  }
  return scope;
}

std::int64_t largest_tensor(const Program& program, const op::Resolved& sizes) {
  std::int64_t largest = 1;
  for (const auto& [name, t] : program.tensors) {
    std::int64_t count = 1, first = 0, last = 0;
    for (const ExprPtr& s : t.shape)
      if (op::interval(*s, {}, sizes, &first, &last)) count *= std::max<std::int64_t>(last, 1);
    largest = std::max(largest, count);
  }
  return largest;
}

}  // namespace

bool Emitter::beyond_tensors(const Expr& e) const {
  if (program_.wide || !op::tensors_read(e).empty()) return false;
  constexpr std::int64_t long_size = 4096, far = 64;
  for (const auto& [symbol, size] : program_.spec.defaults) {
    op::Binding sizes = program_.binding;
    for (const auto& [name, value] : program_.spec.defaults) sizes.symbols[name] = name == symbol ? long_size : 1;
    const auto resolved = op::resolve(program_.spec, sizes);
    if (!resolved) continue;
    std::int64_t first = 0, last = 0;
    if (op::interval(e, ranges_with(ranges_, *resolved), *resolved, &first, &last) &&
        last / far > largest_tensor(program_, *resolved))
      return true;
  }
  return false;
}

}  // namespace ww::search
