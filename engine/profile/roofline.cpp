// SPDX-License-Identifier: Apache-2.0
#include "profile/roofline.h"
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>
#include "op/evaluate.h"
#include "op/parse.h"
#include "op/walk.h"
#include "profile/statistics.h"

namespace ww::profile {
namespace {

using namespace ww::op;

double find(const std::vector<std::pair<std::string, double>>& rates, std::string_view name) {
  for (const auto& [n, value] : rates)
    if (n == name) return value;
  return unknown;
}

double most(std::initializer_list<double> values) {  // of those that are known
  double out = unknown;
  for (const double v : values)
    if (std::isfinite(v) && !(v <= out)) out = v;
  return out;
}

bool contains(const std::vector<std::string>& v, const std::string& name) {
  return std::find(v.begin(), v.end(), name) != v.end();
}

bool is_index(const Expr& e) { return e.kind == ExprKind::name && e.role == Role::index; }

// What the spec's structure says about its bytes and operations; see the header.
struct Structure {
  bool shares_work = false, contraction = false, plain = true, branches = false;
  std::set<std::string> needed, seen;  // tensors that every kernel must read, tensors read anywhere

  explicit Structure(const Spec& spec) {
    // From the last equation to the first: what a temporary reads is needed where the temporary is.
    for (auto e = spec.equations.rbegin(); e != spec.equations.rend(); ++e) {
      const bool output =
          std::any_of(spec.outputs.begin(), spec.outputs.end(), [&](const Param& p) { return p.name == e->target; });
      visit(*e->value, output || needed.count(e->target) != 0);
    }
  }

 private:
  void visit(const Expr& e, bool always) {
    switch (e.kind) {
      case ExprKind::access: {
        bool gathered = false;
        for (const ExprPtr& a : e.args) {
          for_each(*a, [&](const Expr& x) {
            gathered |= x.kind == ExprKind::access ||
                        (x.kind == ExprKind::binary && (x.binary == BinaryOp::div || x.binary == BinaryOp::mod));
          });
          plain &= is_index(*a);
          visit(*a, always);
        }
        seen.insert(e.name);
        if (always && !gathered) needed.insert(e.name);
        return;
      }
      case ExprKind::select:
        branches = true;
        visit(*e.args[0], always);
        visit(*e.args[1], false), visit(*e.args[2], false);
        return;
      case ExprKind::padded:
        plain = false;
        visit(*e.args[0], always);
        visit(*e.args[1], false);
        return;
      case ExprKind::binary:
        visit(*e.args[0], always);
        visit(*e.args[1], always && e.binary != BinaryOp::logical_and && e.binary != BinaryOp::logical_or);
        return;
      case ExprKind::reduce: return reduce(e, always);
      default:
        for (const ExprPtr& a : e.args) visit(*a, always);
    }
  }

  void reduce(const Expr& e, bool always) {
    const bool conditional = e.args.size() > 1, early = e.reduce == ReduceOp::any || e.reduce == ReduceOp::all;
    const std::vector<std::string> used = free_indices(*e.args[0]);
    // Terms that do not change with an index which their range or condition depends on are the same for neighbouring
    // elements.
    std::vector<std::string> hung;
    for (const Index& i : e.indices)
      for (const Expr* bound : {i.lo.get(), i.hi.get()})
        for (const std::string& n : free_indices(*bound)) hung.push_back(n);
    if (conditional)
      for (const std::string& n : free_indices(*e.args[1])) hung.push_back(n);
    shares_work |= std::any_of(hung.begin(), hung.end(), [&](const std::string& n) { return !contains(used, n); });
    branches |= conditional;
    if (conditional) visit(*e.args[1], always && !early);
    const Expr& body = *e.args[0];
    if (e.reduce == ReduceOp::sum && body.kind == ExprKind::binary && body.binary == BinaryOp::mul &&
        tensors_read(*body.args[0]).size() == 1 && tensors_read(*body.args[1]).size() == 1) {
      // A product of matrices has an index on each side that the other does not know.
      const auto left = free_indices(*body.args[0]), right = free_indices(*body.args[1]);
      const auto own = [](const auto& of, const auto& other) {
        return std::any_of(of.begin(), of.end(), [&](const auto& n) { return !contains(other, n); });
      };
      contraction |= own(left, right) && own(right, left);
    }
    visit(body, always && !early && !conditional);
  }
};

enum class Width : int { f64, f32, f16, i8 };

Width narrowest(const Spec& spec) {
  bool half = false, single = false, twice = false;
  for (const auto* list : {&spec.inputs, &spec.outputs})
    for (const Param& p : *list) {
      half |= p.dtype == DType::f16 || p.dtype == DType::bf16;
      single |= p.dtype == DType::f32;
      twice |= p.dtype == DType::f64;
    }
  return half ? Width::f16 : single ? Width::f32 : twice ? Width::f64 : Width::i8;
}

// The unit that an honest kernel for these dtypes uses: matrix units for products of 16-bit tensors, plain lanes
// otherwise.
std::string usual_unit(const Spec& spec, bool contraction) {
  switch (narrowest(spec)) {
    case Width::f64: return "f64";
    case Width::f32: return "f32";
    case Width::i8: return contraction ? "i8" : "f32";
    case Width::f16: break;
  }
  if (!contraction) return "f32";
  const bool bf16 =
      std::any_of(spec.inputs.begin(), spec.inputs.end(), [](const Param& p) { return p.dtype == DType::bf16; });
  return bf16 ? "bf16" : "f16";
}

Roof roof_of(double bandwidth, double rate, double bytes, double flops) {
  Roof r{bandwidth, rate};
  r.memory_us = bytes / bandwidth * 1e6, r.compute_us = flops / rate * 1e6;
  r.us = most({r.memory_us, r.compute_us});
  if (std::isfinite(r.us)) r.limit = r.us == r.memory_us ? Limit::memory : Limit::compute;
  return r;
}

std::string amount(double n, const char* unit) {
  static constexpr std::pair<double, const char*> scales[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const auto& [scale, letter] : scales)
    if (n >= scale) return fmt::format("{:.3g} {}{}", n / scale, letter, unit);
  return fmt::format("{:.3g} {}", n, unit);
}

}  // namespace

Result<Roofline> roofline(const Spec& spec, const Binding& binding, const DeviceDetails& details,
                          const Ceilings& ceilings) {
  const auto work = WW_TRY(work_of(spec, binding));
  const Structure structure(spec);
  Roofline r{work.flops, work.special, work.bytes_read, work.bytes_written};
  const double bytes = work.bytes_read + work.bytes_written;
  r.intensity = bytes > 0 ? work.flops / bytes : 0;
  r.shares_work = structure.shares_work;
  r.unit = usual_unit(spec, structure.contraction);
  const double flops = structure.shares_work ? unknown : work.flops;
  r.measured = roof_of(ceilings.copy_bandwidth, find(ceilings.matrix_rate, r.unit), bytes, flops);
  const double lanes = r.unit == "f64" ? details.peak_f64 : r.unit == "f32" ? details.peak_f32 : unknown;
  const double sheet_rate = find(details.datasheet, structure.contraction && r.unit == "f64" ? "f64_tensor" : r.unit);
  const double sheet_bandwidth = find(details.datasheet, "bandwidth");
  r.datasheet = roof_of(std::isfinite(sheet_bandwidth) ? sheet_bandwidth : details.peak_bandwidth,
                        std::isfinite(sheet_rate) ? sheet_rate : lanes, bytes, flops);

  double needed = work.bytes_read;
  for (const Param& p : spec.inputs) {
    if (structure.needed.count(p.name) || !structure.seen.count(p.name)) continue;
    const auto shape = WW_TRY(shape_of(spec, p, binding));
    needed -= static_cast<double>(element_count(shape)) * static_cast<double>(dtype_size(p.dtype));
  }
  needed = std::max(0.0, needed);
  const double peak = most({sheet_bandwidth, details.peak_bandwidth, ceilings.copy_bandwidth});
  const double l2 = static_cast<double>(details.l2);
  const auto rate = [&](const char* name) {
    return most({find(details.datasheet, name), find(ceilings.matrix_rate, name)});
  };
  double fastest = unknown;
  switch (narrowest(spec)) {
    case Width::f64: fastest = most({rate("f64"), rate("f64_tensor"), details.peak_f64}); break;
    // The plain lanes' own peak says nothing where the matrix units' is not known: they are faster.
    case Width::f32: fastest = rate("tf32"); break;
    case Width::f16: fastest = most({rate("f16"), rate("bf16")}); break;
    case Width::i8: fastest = rate("i8"); break;
  }
  const bool counts = structure.contraction && structure.plain && !structure.branches && !structure.shares_work &&
                      std::isfinite(fastest);
  const double compute = counts ? work.flops / 2 / fastest * 1e6 : 0;
  const auto least = [&](double from_memory) {
    const double memory = std::isfinite(peak) && details.l2 > 0 ? from_memory / peak * 1e6 : 0;
    if (r.least_why.empty() && std::max(memory, compute) > 0)
      r.least_why = memory >= compute
                        ? fmt::format("{} at {}/s", amount(from_memory, "B"), amount(peak, "B"))
                        : fmt::format("half of {} at {}/s", amount(work.flops, "FLOP"), amount(fastest, "FLOP"));
    return std::max(memory, compute);
  };
  r.least_cold_us = least(needed + std::max(0.0, work.bytes_written - l2));
  r.least_warm_us = least(std::max(0.0, needed + work.bytes_written - l2));
  return r;
}

Achieved achieved(const Roofline& r, Cache cache, double us) {
  Achieved a;
  if (!std::isfinite(us) || us <= 0) return a;
  a.bandwidth = (r.bytes_read + r.bytes_written) / us * 1e6;
  if (!r.shares_work) a.rate = r.flops / us * 1e6;
  const double floor = std::isfinite(r.measured.us) ? r.measured.us : r.datasheet.us;
  a.fraction = floor / us;
  const double least = r.least_us(cache);
  if (us + event_step_us < least) {
    a.impossible = true;
    a.why = fmt::format("{:.4g} us is less than any kernel can take with a {} cache: {:.4g} us ({})", us,
                        enum_name(cache), least, r.least_why);
  }
  return a;
}

}  // namespace ww::profile
