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

// [from, to): the share of `chunk` when `count` are cut into `chunks`.
void cut(Emitter& out, const char* count, const char* from, const char* to) {
  out.line(
      fmt::format("const I {1} = {0} / chunks * chunk + {0} % chunks * chunk / chunks, {2} = {0} / chunks * (chunk + "
                  "1) + {0} % chunks * (chunk + 1) / chunks;",
                  count, from, to));
}

// Where a stretch begins: an empty accumulator `acc`, or `drift` at the sum of the stretches before it.
void start(Emitter& out, const std::string& type, bool drift) {
  if (drift) {
    out.line("double before = 0;");
    out.line("for (I other = at - chunk; other < at; ++other) before += parts[other].value();");
    out.line("Drift drift;");
    out.line("drift.start(before);");
  } else {
    out.line(type + " acc;");
    out.line("acc.clear();");
  }
}

void store_part(Emitter& out, bool drift) {
  out.line(drift ? "parts[at].lost = drift.lost(parts[at].value());" : "parts[at] = acc;");
}

// The text of a running reduction: steps along one index, each with a range one longer than the last.
class RunningText {
 public:
  RunningText(const Step& s, const op::Index& along) : terms_(*s.main), along_(along), backward_(s.backward) {
    terms_.args = {op::term_or_neutral(*s.main)};
  }

  std::string type() const { return Emitter::reduction_type(terms_); }

  // `name`: up to (from) where the terms have been taken after `walked` steps.
  void after(Emitter& out, const std::string& name, const std::string& walked) const {
    out.line(fmt::format("I {} = {};", name, out.integer(backward_ ? *range().hi : *range().lo)));
    out.open(fmt::format("if ({} > 0)", walked));
    if (backward_)
      out.line(fmt::format("const I {} = {} - {};", step(), out.integer(*along_.hi), walked));
    else
      out.line(fmt::format("const I {} = {} + {} - 1;", step(), out.integer(*along_.lo), walked));
    out.line(fmt::format("{0} = {1}({0}, {2});", name, backward_ ? "i_min" : "i_max", moving_end(out)));
    out.close();
  }

  void open_steps(Emitter& out) const {
    out.open("for (I walked = begin; walked < end; ++walked)");
    if (backward_)
      out.line(fmt::format("const I {} = {} - 1 - walked;", step(), out.integer(*along_.hi)));
    else
      out.line(fmt::format("const I {} = {} + walked;", step(), out.integer(*along_.lo)));
    out.line(fmt::format("const I stop = {};", moving_end(out)));
  }

  void take_terms(Emitter& out, const std::string& acc, const std::string& drift) const {
    out.open(backward_ ? "while (next > stop)" : "for (; next < stop; ++next)");
    if (backward_) out.line("--next;");
    out.line(fmt::format("const I {} = next;", identifier('i', range().name)));
    out.enter(range());
    bool exact = true;
    out.add_term(terms_, acc, &exact, drift);
    out.leave(1);
    out.close();
  }

 private:
  const op::Index& range() const { return terms_.indices[0]; }
  std::string step() const { return identifier('i', along_.name); }
  std::string moving_end(Emitter& out) const { return out.integer(backward_ ? *range().lo : *range().hi); }

  Expr terms_;
  const op::Index& along_;
  const bool backward_;
};

}  // namespace

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
  cut(out, "points", "from", "to");
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
    start(out, type, again);
    stretch(out, *s.main, again ? "" : "acc", again ? "drift" : "");
    store_part(out, again);
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
    for (const op::Factor& f : product->outside) {
      factors.push_back(out.as_real(out.emit(*f.expr)).text);
      finite += fmt::format("{}isfinite({}{}.v)", finite.empty() ? "" : " && ", f.below ? "1 / " : "", factors.back());
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
    out.know(s.main, out.finished(*s.main, "acc.finish_joined", exact));
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

  const RunningText text(s, along);
  const std::string type = text.type();
  const bool sum = type == "SumR";
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
    cut(out, "steps", "begin", "end");
    out.decode(outer, "row");
    for (const op::Index& i : outer) out.enter(i);
    text.after(out, "next", "begin");
    start(out, type, drift);
    if (last) {
      out.line("for (I other = at - chunk; other < at; ++other) acc.join(parts[other]);");
      if (sum) out.line("acc.narrow = acc.value() + acc.lost;");
      text.open_steps(out);
      text.take_terms(out, "acc", "");
      out.enter(along);
      out.know(s.main, out.finished(*s.main, "acc.finish", false));
      const Val value = out.emit(*s.value);
      out.line("const I to = " + place(out, s.indices) + ";");
      store(out, t, value, "to");
      out.close();
    } else {
      text.after(out, "stop", "end");
      text.take_terms(out, drift ? "" : "acc", drift ? "drift" : "");
      store_part(out, drift);
    }
    out.close();
    finish(std::move(k), out, launched && (last || chunks > 1), rows * chunks, 32);
  }
  return {};
}

}  // namespace ww::oracle
