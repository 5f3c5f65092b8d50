// SPDX-License-Identifier: Apache-2.0
// The kernels of one step.
//   direct    a thread per element, which goes through the reductions itself
//   split     few elements of many terms: stretches of the terms by a thread each, then a thread per element that joins
//             them
//   running   a thread per row, or per stretch of one, along the moving index
#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include "op/walk.h"
#include "oracle/lowering.h"
#include "oracle/texts.h"

namespace ww::oracle {

using op::Expr;
using op::ExprPtr;

namespace {
constexpr const char* each =
    "for (I at = (I)blockIdx.x * blockDim.x + threadIdx.x; at < total; at += (I)gridDim.x * blockDim.x)";
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
  out.line(
      "const I from = points / chunks * chunk + points % chunks * chunk / chunks, to = points / chunks * (chunk + 1) + "
      "points % chunks * (chunk + 1) / chunks;");
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

// The rest of the step's value applied to the reduction's result, which a product's kernel has left in the step's own
// buffers. `chunks` 0: the text alone.
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
    std::string finite;
    std::vector<std::string> factors;
    for (const Product::Outside& o : product->outside) {
      factors.push_back(out.as_real(out.emit(*o.factor)).text);
      finite += fmt::format("{}isfinite({}{}.v)", finite.empty() ? "" : " && ", o.below ? "1 / " : "", factors.back());
    }
    if (!finite.empty()) out.open("if (" + finite + ")");
    for (std::size_t k = 0; k < factors.size(); ++k)
      out.line(fmt::format("main = {}(main, {});", product->outside[k].below ? "div" : "mul", factors[k]));
    if (product->negative) out.line("main = negate(main);");
    if (!finite.empty()) {
      // A factor that is infinite, NaN or a zero divisor must meet every term, not their sum.
      out.close();
      out.open("else");
      out.line("main = " + out.emit(*s.main).text + ";");
      out.close();
    }
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

// Few rows of many steps are cut into stretches of steps: first the terms that each stretch takes are reduced (and a
// sum's drift found), then each stretch begins with the total of those before it.
Status Lowering::running(const Step& s, const Target& t, bool launched) {
  std::vector<op::Index> outer = s.indices;
  const op::Index along = outer[static_cast<std::size_t>(s.moving)];
  outer.erase(outer.begin() + s.moving);
  const auto rows = WW_TRY(points(outer));
  const auto steps = WW_TRY(extent(along));
  std::int64_t chunks = 1;
  if (launched && rows <= 4096 && steps > many_terms)
    chunks = std::clamp<std::int64_t>(steps / 4096, 1, std::min<std::int64_t>(16384, 131072 / rows));
  if (launched)
    parts_ = std::max(parts_, chunks > 1 ? rows * chunks * part_bytes : part_bytes);  // one stretch reads no parts

  // Terms outside the condition become the reduction's neutral element, as in op/scan.cpp.
  auto terms = std::make_shared<Expr>(*s.main);
  if (terms->args.size() > 1) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    auto pick = std::make_shared<Expr>();
    pick->kind = op::ExprKind::select;
    pick->type = op::Type::real;
    const double neutral = terms->reduce == op::ReduceOp::sum    ? 0
                           : terms->reduce == op::ReduceOp::prod ? 1
                           : terms->reduce == op::ReduceOp::max  ? -infinity
                                                                 : infinity;
    pick->args = {terms->args[1], terms->args[0], op::real_literal(neutral)};
    terms->args = {pick};
  }
  const op::Index& j = terms->indices[0];
  const std::string moves = identifier('i', along.name), type = Emitter::reduction_type(*terms);
  const bool sum = type == "SumR";
  bool exact = true;
  // After `walked` steps the terms up to (from) `name` have been taken.
  const auto taken = [&](Emitter& out, const std::string& name, const std::string& walked) {
    out.line(fmt::format("I {} = {};", name, out.integer(s.backward ? *j.hi : *j.lo)));
    out.open(fmt::format("if ({} > 0)", walked));
    if (s.backward)
      out.line(fmt::format("const I {} = {} - {};", moves, out.integer(*along.hi), walked));
    else
      out.line(fmt::format("const I {} = {} + {} - 1;", moves, out.integer(*along.lo), walked));
    out.line(fmt::format("{0} = {1}({0}, {2});", name, s.backward ? "i_min" : "i_max",
                         out.integer(s.backward ? *j.lo : *j.hi)));
    out.close();
  };
  const auto take = [&](Emitter& out, const std::string& end, const std::string& acc, const std::string& drift) {
    out.open(s.backward ? "while (next > " + end + ")" : "for (; next < " + end + "; ++next)");
    if (s.backward) out.line("--next;");
    out.line(fmt::format("const I {} = next;", identifier('i', j.name)));
    out.enter(j);
    out.add_term(*terms, acc, &exact, drift);
    out.leave(1);
    out.close();
  };
  for (const char* form : {"_part", "_drift", ""}) {
    const bool last = form[0] == 0, drift = form[0] == '_' && form[1] == 'd';
    if (drift && !sum) continue;
    Kernel k = kernel(s, last ? "_running" : form);
    if (last) pass_results(k, t);
    pass_tensor(k, (last ? "const " : "") + type, "parts", "$parts");
    pass_integer(k, "chunks", chunks);
    Emitter out(tensors_, 1);
    out.line("const I total = " + out.points(outer) + " * chunks, steps = " + out.extent(along) + ";");
    out.open(each);
    out.line("const I row = at / chunks, chunk = at - row * chunks;");
    out.line(
        "const I begin = steps / chunks * chunk + steps % chunks * chunk / chunks, end = steps / chunks * (chunk + 1) "
        "+ steps % chunks * (chunk + 1) / chunks;");
    out.decode(outer, "row");
    for (const op::Index& i : outer) out.enter(i);
    taken(out, "next", "begin");
    if (drift) {
      out.line("double before = 0;");
      out.line("for (I other = at - chunk; other < at; ++other) before += parts[other].value();");
      out.line("Drift drift;");
      out.line("drift.start(before);");
    } else {
      out.line(type + " acc;");
      out.line("acc.clear();");
    }
    if (!last) {
      taken(out, "stop", "end");
      take(out, "stop", drift ? "" : "acc", drift ? "drift" : "");
      out.line(drift ? "parts[at].lost = drift.lost(parts[at].value());" : "parts[at] = acc;");
    } else {
      out.line("for (I other = at - chunk; other < at; ++other) acc.join(parts[other]);");
      if (sum) out.line("acc.narrow = acc.value() + acc.lost;");
      out.open("for (I walked = begin; walked < end; ++walked)");
      if (s.backward)
        out.line(fmt::format("const I {} = {} - 1 - walked;", moves, out.integer(*along.hi)));
      else
        out.line(fmt::format("const I {} = {} + walked;", moves, out.integer(*along.lo)));
      out.line(fmt::format("const I stop = {};", out.integer(s.backward ? *j.lo : *j.hi)));
      take(out, "stop", "acc", "");
      out.enter(along);
      out.know(s.main, out.finished(*s.main, "acc.finish()", false));
      const Val value = out.emit(*s.value);
      out.line("const I to = " + place(out, s.indices) + ";");
      store(out, t, value, "to");
      out.close();
    }
    out.close();
    finish(std::move(k), out, launched && (last || chunks > 1), rows * chunks, 32);
  }
  return {};
}

}  // namespace ww::oracle
