// SPDX-License-Identifier: Apache-2.0
#include "oracle/oracle.h"
#include <fmt/format.h>
#include <algorithm>
#include <new>
#include "op/recurrence.h"
#include "op/program.h"
#include "op/walk.h"
#include "oracle/lowering.h"
#include "oracle/texts.h"

namespace ww::oracle {
namespace {

constexpr std::int64_t largest_grid = 1 << 20;  // blocks; kernels go over more elements in strides
constexpr const char* parts_name = "$parts";

bool is_f64(const op::Spec& spec) {
  for (const std::vector<op::Param>* list : {&spec.inputs, &spec.outputs})
    for (const op::Param& p : *list)
      if (p.dtype == DType::f64) return true;
  return false;
}

bool narrow_integer(DType d) { return d == DType::i32 || d == DType::i8 || is_unsigned(d); }

}  // namespace

Result<std::int64_t> Lowering::number(const op::Expr& e) const {
  return op::eval_integer(e, [&](const std::string& n) { return known_.integer(n); });
}
Result<std::int64_t> Lowering::extent(const op::Index& i) const {
  const auto lo = number(*i.lo), hi = number(*i.hi);
  if (!lo) return lo;
  if (!hi) return hi;
  return std::max<std::int64_t>(0, *hi - *lo);
}
Result<std::int64_t> Lowering::points(const std::vector<op::Index>& indices) const {
  std::int64_t n = 1;
  for (const op::Index& i : indices) {
    const auto e = extent(i);
    if (!e) return e;
    if (__builtin_mul_overflow(n, *e, &n))
      return fail(Code::unsupported, "the reference of op '" + spec_.name + "' has more elements than 64 bits count");
  }
  return n;
}

void Lowering::buffer(const std::string& name, DType dtype, std::int64_t count) {
  out_.buffers.push_back({name, dtype, count, false});
}

void Lowering::pass_tensor(Kernel& k, const std::string& type, const std::string& name, const std::string& buffer) {
  k.parameters.push_back(type + "* " + name);
  k.args.push_back({candidate::PlannedArg::Kind::tensor, buffer, 0, 0});
}
void Lowering::pass_integer(Kernel& k, const std::string& name, std::int64_t value) {
  k.parameters.push_back("I " + name);
  k.args.push_back({candidate::PlannedArg::Kind::integer, "", value, static_cast<double>(value)});
}

// With what the step reads, every symbol and every constant.
Kernel Lowering::kernel(const Step& step, const std::string& suffix) const {
  Kernel k;
  k.name = stem_ + suffix;
  for (const std::string& name : op::tensors_read(*step.value)) {
    const Tensor& t = tensors_.at(name);
    pass_tensor(k, fmt::format("const {}", element_type(t.storage)), t.value, t.value_buffer);
    if (!t.error.empty()) pass_tensor(k, "const double", t.error, t.error_buffer);
  }
  for (const std::string& s : spec_.symbols) pass_integer(k, identifier('n', s), known_.integer(s).value_or(0));
  for (const op::ResolvedConstant& c : known_.constants) {
    if (c.type != op::Type::real) {
      pass_integer(k, identifier('c', c.name), c.integer);
      continue;
    }
    k.parameters.push_back("double " + identifier('c', c.name));
    k.args.push_back({candidate::PlannedArg::Kind::real, "", 0, c.real});
  }
  return k;
}

void Lowering::pass_results(Kernel& k, const Target& t) const {
  pass_tensor(k, t.type == op::Type::real ? "double" : "I", "to_value", t.value);
  if (!t.error.empty()) pass_tensor(k, "double", "to_error", t.error);
  if (!t.bound.empty()) pass_tensor(k, "double", "to_bound", t.bound);
  if (!t.raw.empty()) pass_tensor(k, "I", "to_raw", t.raw);
}

// The element's number in a row-major tensor over `indices`.
std::string Lowering::place(Emitter& out, const std::vector<op::Index>& indices) {
  std::string flat;
  for (const op::Index& i : indices) {
    const bool zero = i.lo->kind == op::ExprKind::integer && i.lo->integer == 0;
    const std::string own =
        zero ? identifier('i', i.name) : fmt::format("({} - {})", identifier('i', i.name), out.integer(*i.lo));
    flat = flat.empty() ? own : fmt::format("({}) * {} + {}", flat, out.extent(i), own);
  }
  return flat.empty() ? "0" : flat;
}

void Lowering::store(Emitter& out, const Target& t, const Val& result, const std::string& at) const {
  if (t.type == op::Type::real) {
    Val r = out.as_real(result);
    if (t.output && saturates(t.output->dtype))
      r = {Val::real, fmt::format("kept_within({}, {})", r.text, real_text(largest_finite(t.output->dtype)))};
    out.line(fmt::format("to_value[{}] = {}.v;", at, r.text));
    if (!t.output) {
      out.line(fmt::format("to_error[{}] = {}.e;", at, r.text));
      return;
    }
    const double u = unit_roundoff(t.output->dtype),
                 compute = unit_roundoff(f64_ ? DType::f64 : DType::f32) * (f64_ ? 2 : 1);
    if (!t.error.empty()) {
      std::string rounding = u > compute ? fmt::format(" + {} * fabs({}.v)", real_text(u), r.text) : "";
      if (saturates(t.output->dtype)) rounding += " + " + real_text(u * smallest_normal(t.output->dtype));
      out.line(fmt::format("to_error[{}] = {}.e{};", at, r.text, rounding));
    }
    const double smallest =
        smallest_normal(t.output->dtype) * u * 2 + 4 * smallest_normal(f64_ ? DType::f64 : DType::f32);
    out.line(fmt::format("to_bound[{}] = {}({}, {}, {}, {});", at,
                         saturates(t.output->dtype) ? "bound_within" : "output_bound", r.text, real_text(u),
                         real_text(largest_finite(t.output->dtype)), real_text(smallest)));
    return;
  }
  const std::string i = result.kind == Val::exact ? result.text : result.text + ".i";
  std::string narrowed = i;
  if (t.output && narrow_integer(t.output->dtype))
    narrowed = fmt::format("(I)({})({})", element_type(t.output->dtype), i);
  out.line(fmt::format("to_value[{}] = {};", at, narrowed));
  if (!t.raw.empty()) out.line(fmt::format("to_raw[{}] = {};", at, i));
  if (!t.bound.empty())
    out.line(fmt::format("to_bound[{}] = {};", at, result.kind == Val::exact ? "0.0" : result.text + ".e"));
}

void Lowering::finish(Kernel k, const Emitter& body, bool launched, std::int64_t threads, int block) {
  code_ += fmt::format("\nextern \"C\" __global__ void {}{}(", k.attributes, k.name);
  for (std::size_t i = 0; i < k.parameters.size(); ++i) code_ += (i ? ", " : "") + k.parameters[i];
  code_ += ") {\n" + body.text() + "}\n";
  if (!launched || threads <= 0) return;
  candidate::PlannedLaunch l;
  l.kernel = k.name;
  l.grid[0] = static_cast<std::uint32_t>(std::min(largest_grid, (threads + block - 1) / block));
  l.block[0] = static_cast<std::uint32_t>(block);
  l.args = std::move(k.args);
  out_.launches.push_back(std::move(l));
}

Status Lowering::add_inputs() {
  for (const op::Param& p : spec_.inputs) {
    Tensor t;
    t.type = op::type_of(p.dtype);
    t.storage = p.dtype;
    t.shape = p.shape;
    t.value = identifier('t', p.name);
    t.value_buffer = p.name;
    tensors_[p.name] = std::move(t);
  }
  return {};
}

// Points of the hull of the reduction's ranges; 0 where unknown.
double Lowering::terms_of(const Step& s) const {
  op::Scope scope;
  for (const op::Index& i : s.indices) scope[i.name] = {i.name, number(*i.lo).value_or(0), number(*i.hi).value_or(0)};
  double n = 1;
  for (const op::Index& i : s.main->indices) {
    op::GridIndex g{i.name, 0, 0};
    std::int64_t other = 0;
    if (!op::interval(*i.lo, scope, known_, &g.lo, &other) || !op::interval(*i.hi, scope, known_, &other, &g.hi))
      return 0;
    scope[i.name] = g;
    n *= static_cast<double>(g.extent());
  }
  return n;
}

// Whether the step's result carries an error decides which buffers it has: seen by writing it once.
Result<bool> Lowering::result_kind(const Step& s, Val* out) const {
  Emitter trial(tensors_, 0);
  for (const op::Index& i : s.indices) trial.enter(i);
  *out = trial.emit(*s.value);
  const op::Param* p = op::find_param(spec_, s.target);
  const op::Type type = p ? op::type_of(p->dtype) : s.value->type;
  if (type != op::Type::real && out->kind == Val::real)
    return fail(Code::unsupported, "the reference cannot be lowered: '" + s.target +
                                       "' has integer elements, but its equation gives real numbers");
  return true;
}

Result<Lowering::Target> Lowering::target_of(const Step& s, const Val& result) {
  const op::Param* p = op::find_param(spec_, s.target);
  Target t;
  t.type = p ? op::type_of(p->dtype) : s.value->type;
  const auto count = WW_TRY(points(s.indices));
  t.count = count;
  for (const op::Param& o : spec_.outputs)
    if (o.name == s.target) t.output = &o;
  for (const op::Equation& e : spec_.equations) {
    const std::vector<std::string> read = op::tensors_read(*e.value);
    t.read_later = t.read_later || std::find(read.begin(), read.end(), s.target) != read.end();
  }
  t.fuzzy = result.kind != Val::exact;
  const bool real = t.type == op::Type::real;
  t.value = s.target + ".value";
  buffer(t.value, real ? DType::f64 : DType::i64, t.count);
  if (real && (!t.output || t.read_later)) t.error = s.target + ".error";
  if (real ? t.output != nullptr : t.fuzzy) t.bound = s.target + ".bound";
  if (!real && t.output && t.read_later && narrow_integer(t.output->dtype)) t.raw = s.target + ".raw";
  if (!t.error.empty()) buffer(t.error, DType::f64, t.count);
  if (!t.bound.empty()) buffer(t.bound, DType::f64, t.count);
  if (!t.raw.empty()) buffer(t.raw, DType::i64, t.count);
  if (t.output) out_.outputs.push_back({s.target, t.value, t.bound});

  // As later steps read it.
  Tensor r;
  r.type = t.type;
  r.storage = real ? DType::f64 : DType::i64;
  if (p) {
    r.shape = p->shape;
  } else {
    for (const op::Index& i : s.indices) {
      const bool zero = i.lo->kind == op::ExprKind::integer && i.lo->integer == 0;
      r.shape.push_back(zero ? i.hi : op::binary_of(op::BinaryOp::sub, i.hi, i.lo));
    }
  }
  r.value = identifier('t', s.target);
  r.value_buffer = t.raw.empty() ? t.value : t.raw;
  r.error_buffer = real ? t.error : t.bound;
  if (!r.error_buffer.empty()) r.error = identifier('e', s.target);
  tensors_[s.target] = std::move(r);
  return t;
}

Status Lowering::step(const Step& s) {
  Val result;
  WW_TRY(result_kind(s, &result));
  auto made = WW_TRY(target_of(s, result));
  const Target t = made;
  const std::string about =
      s.target[0] == '$' ? "a reduction on its own" : op::print(*op::find_equation(spec_, s.target)->value);
  code_ += "\n// " + s.target + ": " + about.substr(0, 200) + "\n";

  bool done = t.count == 0;
  if (s.moving >= 0) {
    const auto steps = WW_TRY(extent(s.indices[static_cast<std::size_t>(s.moving)]));
    // As in op/scan.cpp: few steps are reductions of their own, which matters to terms that a condition leaves out.
    const bool few = steps < 256 && static_cast<double>(steps) * terms_of(s) < 256;
    direct(s, t, !done && few);
    return running(s, t, !done && !few);
  }
  if (s.main) {
    Product p;
    const bool is_product = t.type == op::Type::real && product_of(s, &p);
    if (is_product) {
      std::vector<std::int64_t> hull;
      const bool chosen = !done && worth(s, p, &hull);
      if (auto ok = product(s, t, p, hull, chosen); !ok) return ok;
      done = done || chosen;
    }
    bool regular = s.indices.size() <= 1 || (s.indices.size() == 2 && !is_product);  // where there may be few
    for (const op::Index& i : s.main->indices) regular = regular && shapes_alone(*i.lo) && shapes_alone(*i.hi);
    if (regular) {
      // Few outputs of many terms each: cut into stretches of 4096 terms and more, 131072 stretches in all. A stretch
      // alone, where terms are not many, has the evaluator's bound to the last digit.
      const auto terms = WW_TRY(points(s.main->indices));
      const bool long_sums = terms > many_terms && t.count <= 4096;
      const bool chosen = !done && (s.indices.empty() || long_sums);
      std::int64_t chunks = 1;
      if (chosen && long_sums)
        chunks = std::clamp<std::int64_t>(terms / 4096, 1,
                                          std::min<std::int64_t>(16384, std::max<std::int64_t>(1, 131072 / t.count)));
      if (auto ok = split(s, t, chosen ? chunks : 0); !ok) return ok;
      if (s.indices.empty()) return {};
      done = done || chosen;
    }
  }
  direct(s, t, !done);
  return {};
}

Result<Program> Lowering::run() {
  WW_TRY(add_inputs());
  code_ = "// Reference of op " + spec_.name +
          ": values in f64 with the running bound of what an honest kernel's rounding may change.\n";
  code_ += rules_text(f64_) + reductions_text();
  int n = 0;
  for (const Step& s : steps_of(spec_)) {
    stem_ = fmt::format("step{}", n++);
    WW_TRY(step(s));
  }
  if (parts_ > 0) buffer(parts_name, DType::i64, parts_ / 8);
  out_.code = std::move(code_);
  // In the spec's order.
  std::vector<Output> ordered;
  for (const op::Param& p : spec_.outputs)
    for (Output& o : out_.outputs)
      if (o.tensor == p.name) ordered.push_back(o);
  if (ordered.size() != spec_.outputs.size())
    return fail(Code::internal, "an output of op '" + spec_.name + "' has no equation");
  out_.outputs = std::move(ordered);
  return std::move(out_);
}

Result<Program> lower_reference(const op::Spec& spec, const op::Binding& binding) {
  try {
    const auto known = WW_TRY(op::resolve(spec, binding));
    if (!op::recurrences_of(spec).empty())
      return fail(Code::unsupported, "the reference of a recurrence is computed on the host");
    return Lowering(spec, known, is_f64(spec)).run();
  } catch (const std::bad_alloc&) {
    return fail(Code::unsupported, "there is not enough memory to lower op '" + spec.name + "'");
  }
}

}  // namespace ww::oracle
