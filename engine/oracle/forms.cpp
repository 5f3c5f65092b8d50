// SPDX-License-Identifier: Apache-2.0
// The kernels of one step.
//   direct    a thread per element, which goes through the reductions itself
//   split     few elements of many terms: stretches of the terms by a thread each, then a thread per element that joins them
//   running   a thread per row, along the moving index
#include <fmt/format.h>
#include <limits>
#include "op/walk.h"
#include "oracle/lowering.h"
#include "oracle/texts.h"

namespace ww::oracle {

using op::Expr;
using op::ExprPtr;

namespace {
constexpr const char* each = "for (I at = (I)blockIdx.x * blockDim.x + threadIdx.x; at < total; at += (I)gridDim.x * blockDim.x)";
}

void Lowering::direct(const Step& s, const Target& t, bool launched) {
  Kernel k = kernel(s, "");
  pass_results(k, t);
  Emitter out(tensors_, 1);
  out.line("const I total = " + out.points(s.indices) + ";");
  out.open(each);
  out.decode(s.indices, "at");
  for (const op::Index& i : s.indices) out.enter(i);
  store(out, t, out.emit(*s.value), "at");
  out.close();
  finish(std::move(k), out, launched, t.count);
}

// The terms of a stretch [from, to) of the reduction's points, in text order.
void Lowering::stretch(Emitter& out, const Expr& reduction, const std::string& acc, const std::string& drift) const {
  out.line("const I points = " + out.points(reduction.indices) + ";");
  out.line("const I from = points / chunks * chunk + points % chunks * chunk / chunks, to = points / chunks * (chunk + 1) + points % chunks * (chunk + 1) / chunks;");
  out.open("if (from < to)");
  out.decode(reduction.indices, "from", "I");
  for (const op::Index& i : reduction.indices) out.enter(i);
  out.open("for (I p = from; p < to; ++p)");
  bool exact = true;
  out.add_term(reduction, acc, &exact, drift);
  for (std::size_t k = reduction.indices.size(); k-- > 0;) {
    const op::Index& i = reduction.indices[k];
    const std::string n = identifier('i', i.name);
    out.line(fmt::format("++{};", n));
    if (k == 0) break;
    out.open(fmt::format("if ({} == {})", n, out.integer(*i.hi)));
    out.line(fmt::format("{} = {};", n, out.integer(*i.lo)));
  }
  for (std::size_t k = 1; k < reduction.indices.size(); ++k) out.close();
  out.close();
  out.leave(reduction.indices.size());
  out.close();
}

// `chunks` stretches per element; 0: the text alone.
Status Lowering::split(const Step& s, const Target& t, std::int64_t chunks) {
  const std::string type = Emitter::reduction_type(*s.main);
  const bool sum = type == "SumR";
  if (chunks > 0) parts_ = std::max(parts_, t.count * chunks * part_bytes);
  for (const bool again : {false, true}) {
    if (again && !sum) continue;
    Kernel k = kernel(s, again ? "_drift" : "_part");
    pass_tensor(k, type, "parts", "$parts");
    pass_integer(k, "chunks", chunks);
    Emitter out(tensors_, 1);
    out.line("const I total = " + out.points(s.indices) + " * chunks;");
    out.open(each);
    out.line("const I element = at / chunks, chunk = at - element * chunks;");
    out.decode(s.indices, "element");
    for (const op::Index& i : s.indices) out.enter(i);
    if (!again) {
      out.line(type + " acc;");
      out.line("acc.clear();");
      stretch(out, *s.main, "acc", "");
      out.line("parts[at] = acc;");
    } else {
      out.line("double before = 0;");
      out.line("for (I other = at - chunk; other < at; ++other) before += parts[other].value();");
      out.line("Drift drift;");
      out.line("drift.start(before);");
      stretch(out, *s.main, "", "drift");
      out.line("parts[at].lost = drift.lost(parts[at].value());");
    }
    out.close();
    finish(std::move(k), out, chunks > 0, t.count * chunks);
  }
  joined(s, t, nullptr, chunks);
  return {};
}

// The rest of the step's value applied to the reduction's result, which a product's kernel has left in the step's own buffers. `chunks` 0: the
// text alone.
void Lowering::joined(const Step& s, const Target& t, const Product* product, std::int64_t chunks) {
  const std::string type = Emitter::reduction_type(*s.main);
  Kernel k = kernel(s, product ? "_apply" : "_join");
  pass_results(k, t);
  if (!product) {
    pass_tensor(k, "const " + type, "parts", "$parts");
    pass_integer(k, "chunks", chunks);
  }
  Emitter out(tensors_, 1);
  out.line("const I total = " + out.points(s.indices) + ";");
  out.open(each);
  out.decode(s.indices, "at");
  for (const op::Index& i : s.indices) out.enter(i);
  if (product) {
    out.line(fmt::format("R main = {{to_value[at], {}[at]}};", t.error.empty() ? "to_bound" : "to_error"));
    for (const Product::Outside& o : product->outside) {
      const Val f = out.as_real(out.emit(*o.factor));
      // A factor that is not finite must meet every term: what it makes of their sum is another thing.
      out.line(o.below ? fmt::format("main = isfinite(1 / {0}.v) ? div(main, {0}) : R{{0.0, INF}};", f.text)
                       : fmt::format("main = isfinite({0}.v) ? mul(main, {0}) : R{{0.0, INF}};", f.text));
    }
    if (product->negative) out.line("main = negate(main);");
    out.know(s.main, {Val::real, "main"});
  } else {
    out.line(type + " acc = parts[at * chunks];");
    out.line("for (I part = 1; part < chunks; ++part) acc.join(parts[at * chunks + part]);");
    Emitter trial(tensors_, 0);
    for (const op::Index& i : s.indices) trial.enter(i);
    const bool exact = trial.emit(*s.main).kind == Val::exact;
    out.know(s.main, out.finished(*s.main, "acc.finish_joined()", exact));
  }
  store(out, t, out.emit(*s.value), "at");
  out.close();
  finish(std::move(k), out, chunks > 0, t.count);
}

Status Lowering::running(const Step& s, const Target& t) {
  const std::size_t moving = static_cast<std::size_t>(s.moving);
  std::vector<op::Index> outer = s.indices;
  const op::Index along = outer[moving];
  outer.erase(outer.begin() + s.moving);
  const auto rows = points(outer);
  if (!rows) return fail(rows.error());
  // Terms outside the condition become the reduction's neutral element, as in op/scan.cpp.
  auto terms = std::make_shared<Expr>(*s.main);
  if (terms->args.size() > 1) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    auto pick = std::make_shared<Expr>();
    pick->kind = op::ExprKind::select;
    pick->type = op::Type::real;
    const double neutral = terms->reduce == op::ReduceOp::sum ? 0 : terms->reduce == op::ReduceOp::prod ? 1 : terms->reduce == op::ReduceOp::max ? -infinity : infinity;
    pick->args = {terms->args[1], terms->args[0], op::real_literal(neutral)};
    terms->args = {pick};
  }
  const op::Index& j = terms->indices[0];
  const std::string moves = identifier('i', along.name), term = identifier('i', j.name);
  Kernel k = kernel(s, "");
  pass_results(k, t);
  Emitter out(tensors_, 1);
  out.line("const I total = " + out.points(outer) + ";");
  out.open(each);
  out.decode(outer, "at");
  for (const op::Index& i : outer) out.enter(i);
  out.line(Emitter::reduction_type(*terms) + " acc;");
  out.line("acc.clear();");
  const std::string first = out.integer(*along.lo), last = out.integer(*along.hi);
  bool exact = true;
  out.line(fmt::format("I next = {};", out.integer(s.backward ? *j.hi : *j.lo)));
  out.open(s.backward ? fmt::format("for (I {0} = {1} - 1; {0} >= {2}; --{0})", moves, last, first) : fmt::format("for (I {0} = {1}; {0} < {2}; ++{0})", moves, first, last));
  out.line(fmt::format("const I end = {};", out.integer(s.backward ? *j.lo : *j.hi)));
  out.open(s.backward ? "while (next > end)" : "for (; next < end; ++next)");
  if (s.backward) out.line("--next;");
  out.line(fmt::format("const I {} = next;", term));
  out.enter(j);
  out.add_term(*terms, "acc", &exact);
  out.leave(1);
  out.close();
  out.enter(along);
  out.know(s.main, out.finished(*s.main, "acc.finish()", false));
  const Val value = out.emit(*s.value);
  out.line("const I to = " + place(out, s.indices) + ";");
  store(out, t, value, "to");
  out.close();
  out.close();
  finish(std::move(k), out, t.count > 0, *rows, 32);
  return {};
}

}  // namespace ww::oracle
