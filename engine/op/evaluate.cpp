// SPDX-License-Identifier: Apache-2.0
#include "op/evaluate.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <new>
#include "base/parallel.h"
#include "op/evaluator.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/recurrence.h"
#include "op/walk.h"
#include "op/work.h"

namespace ww::op {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

// The inputs as tensors; 16-bit reals are widened into `wide`.
Status take_inputs(const Spec& spec, const Binding& binding, const std::map<std::string, HostTensor>& inputs,
                   const EvaluateOptions& options, std::deque<std::vector<float>>& wide, Evaluator& evaluator) {
  std::vector<std::string> known;
  for (const Param& p : spec.inputs) known.push_back(p.name);
  for (const auto& [name, t] : inputs) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fail(Code::invalid_argument, "op '" + spec.name + "' has no input '" + name + "'",
                  did_you_mean(name, known));
  }
  for (const Param& p : spec.inputs) {
    const auto given = inputs.find(p.name);
    if (given == inputs.end()) return fail(Code::invalid_argument, "the input '" + p.name + "' is missing");
    const HostTensor& h = given->second;
    const auto shape = WW_TRY(shape_of(spec, p, binding));
    if (h.dtype != p.dtype) {
      return fail(Code::invalid_argument, "the input '" + p.name + "' is " + std::string(dtype_name(h.dtype)) +
                                              ", and the spec says " + std::string(dtype_name(p.dtype)));
    }
    if (h.shape != shape)
      return fail(Code::invalid_argument, "the input '" + p.name + "' has the shape " + shape_text(h.shape) +
                                              ", and the spec says " + shape_text(shape));
    const std::size_t count = static_cast<std::size_t>(element_count(shape));
    if (h.bytes.size() != count * dtype_size(p.dtype)) {
      return fail(Code::invalid_argument, "the input '" + p.name + "' has " + std::to_string(h.bytes.size()) +
                                              " bytes, and its shape needs " +
                                              std::to_string(count * dtype_size(p.dtype)));
    }
    Tensor t;
    t.type = type_of(p.dtype);
    t.dtype = t.storage = p.dtype;
    t.set_shape(shape);
    t.data = h.bytes.data();
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(t.data);
    if (is_real(p.dtype) && dtype_size(p.dtype) < 4) {
      std::vector<float>& v = wide.emplace_back(count);
      parallel_for(count, std::size_t{1} << 16, options.threads, [&](std::size_t begin, std::size_t end, int) {
        const std::size_t size = dtype_size(p.dtype);
        for (std::size_t i = begin; i < end; ++i)
          v[i] = static_cast<float>(load_f64(p.dtype, h.bytes.data() + size * i));
      });
      t.storage = DType::f32;
      t.data = v.data();
    } else if (address % dtype_size(p.dtype) != 0) {
      return fail(Code::invalid_argument,
                  "the bytes of the input '" + p.name + "' are not aligned to its element type");
    }
    evaluator.add_tensor(p.name, std::move(t));
  }
  return {};
}

// Output values as their dtype's readers see them, with the last rounding in the bound.
void finish_output(const Param& p, const EvaluateOptions& options, NanRule nan, Dense& dense, ReferenceTensor& out) {
  out.dtype = p.dtype;
  out.shape = dense.shape;
  if (!is_real(p.dtype)) {
    out.integer = std::move(dense.integer);
    for (std::int64_t& v : out.integer) {
      switch (p.dtype) {
        case DType::i32: v = static_cast<std::int32_t>(v); break;
        case DType::i8: v = static_cast<std::int8_t>(v); break;
        case DType::u8: v = static_cast<std::uint8_t>(v); break;
        case DType::u16: v = static_cast<std::uint16_t>(v); break;
        case DType::u32: v = static_cast<std::uint32_t>(v); break;
        default: break;
      }
    }
    out.bound = std::move(dense.error);
    return;
  }
  out.value = std::move(dense.value);
  if (!options.bounds) return;
  out.bound = std::move(dense.error);
  const double u = unit_roundoff(p.dtype), largest = largest_finite(p.dtype);
  const double smallest = smallest_normal(p.dtype) * u * 2 + 4 * smallest_normal(options.compute);
  for (std::size_t i = 0; i < out.bound.size(); ++i) {
    if (saturates(p.dtype) && !std::isnan(out.value[i])) out.value[i] = std::clamp(out.value[i], -largest, largest);
    const double v = std::fabs(out.value[i]);
    if (std::isnan(v) && nan == NanRule::any) out.bound[i] = std::numeric_limits<double>::infinity();
    if (!std::isfinite(v)) continue;
    double& b = out.bound[i];
    if (saturates(p.dtype))
      b += u * std::min(v + b, largest) + smallest;
    else
      b = v + b > largest ? std::numeric_limits<double>::infinity() : b + u * (v + b) + smallest;
  }
}

// The equations of a spec in their order. Temporaries are dropped after their last reader.
class Computation {
 public:
  Computation(const Spec& spec, const Resolved& known, const Rules& rules, const EvaluateOptions& options,
              Evaluator& evaluator)
      : spec_(spec), known_(known), rules_(rules), options_(options), evaluator_(evaluator) {
    for (std::size_t i = 0; i < spec.equations.size(); ++i)
      for (const std::string& t : tensors_read(*spec.equations[i].value)) last_use_[t] = i;
  }

  Status run() {
    const std::vector<Recurrence> recurrences = recurrences_of(spec_);
    for (std::size_t i = 0; i < spec_.equations.size(); ++i) {
      if (const Recurrence* own = recurrence_with(recurrences, i)) {
        WW_TRY(recurrence(*own));
        i += own->members.size() - 1;
      } else {
        WW_TRY(equation(spec_.equations[i]));
      }
      drop_read(i);
    }
    return {};
  }

  Dense& output(const std::string& name) {
    const auto unrounded = unrounded_.find(name);
    return unrounded != unrounded_.end() ? *unrounded->second : *computed_.at(name);
  }

 private:
  Result<std::vector<GridIndex>> grid_of(const Equation& e) const {
    const Lookup lookup = [&](const std::string& n) { return known_.integer(n); };
    std::vector<GridIndex> grid;
    for (const Index& index : e.indices) {
      const auto lo = eval_integer(*index.lo, lookup);
      const auto hi = eval_integer(*index.hi, lookup);
      WW_CHECK(lo);
      WW_CHECK(hi);
      grid.push_back({index.name, *lo, *hi});
    }
    return grid;
  }
  Result<const Param*> param_of(const Equation& e) const {
    const Param* p = find_param(spec_, e.target);
    if (!p) return fail(Code::internal, "the equation of '" + e.target + "' has no tensor");
    return p;
  }
  // A later equation may read the rounded output or the unrounded value.
  double rounding_of(const Param& p) const {
    if (!options_.rounds || !is_real(p.dtype) || last_use_.count(p.name) == 0) return 0;
    const double own = unit_roundoff(p.dtype);
    return own > rules_.u ? own : 0;
  }

  Status equation(const Equation& e) {
    const Param* p = WW_TRY(param_of(e));
    const auto grid = WW_TRY(grid_of(e));
    auto dense = std::make_unique<Dense>();
    if (const Status s = evaluator_.compute(e.value, type_of(p->dtype), grid, *dense); !s)
      return fail(s.error().code, "in the equation of '" + e.target + "': " + s.error().message, s.error().cause);
    std::unique_ptr<Dense>& kept = computed_[e.target];
    if (const double rounding = rounding_of(*p); rounding > 0 && options_.bounds) {
      kept = std::make_unique<Dense>(*dense);
      for (std::size_t k = 0; k < kept->error.size(); ++k)
        store_rounded(p->dtype, rounding, kept->value[k], kept->error[k]);
      unrounded_[e.target] = std::move(dense);
    } else {
      kept = std::move(dense);
    }
    evaluator_.add_tensor(e.target, Evaluator::view(*kept));
    return {};
  }

  Status recurrence(const Recurrence& r) {
    std::vector<Evaluator::Carried> equations;
    for (std::size_t m = 0; m < r.members.size(); ++m) {
      const Equation& e = spec_.equations[r.members[m]];
      const Param* p = WW_TRY(param_of(e));
      auto grid = WW_TRY(grid_of(e));
      Evaluator::Carried c{&e,       type_of(p->dtype), std::move(grid), r.carried[m], rounding_of(*p),
                           p->dtype, nullptr,           nullptr};
      c.out = (computed_[e.target] = std::make_unique<Dense>()).get();
      if (c.rounding > 0 && options_.bounds) {
        c.read = c.out;
        c.out = (unrounded_[e.target] = std::make_unique<Dense>()).get();
      }
      equations.push_back(std::move(c));
    }
    return evaluator_.compute_steps(equations, r.backward);
  }

  void drop_read(std::size_t done) {
    for (const Param& t : spec_.temporaries) {
      const auto used = last_use_.find(t.name);
      if (used == last_use_.end() || used->second > done || computed_.count(t.name) == 0) continue;
      evaluator_.drop_tensor(t.name);
      computed_.erase(t.name);
    }
  }

  const Spec& spec_;
  const Resolved& known_;
  const Rules& rules_;
  const EvaluateOptions& options_;
  Evaluator& evaluator_;
  std::map<std::string, std::size_t> last_use_;
  std::map<std::string, std::unique_ptr<Dense>> computed_, unrounded_;  // unrounded: of outputs that are read rounded
};

// Values and constants are exact, but within the same range.
Rules without_rounding(const Rules& of) {
  Rules rules(DType::f64, of.bounds);
  rules.u = 0;
  rules.largest = of.largest;
  rules.tiny = of.tiny;
  return rules;
}

Result<std::map<std::string, ReferenceTensor>> evaluate_checked(const Spec& spec, const Binding& binding,
                                                                const std::map<std::string, HostTensor>& inputs,
                                                                EvaluateOptions options) {
  const auto known = WW_TRY(resolve(spec, binding));
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs})
    for (const Param& p : *list)
      if (p.dtype == DType::f64) options.compute = DType::f64;
  const auto steps = WW_TRY(steps_of(spec, binding));
  if (steps > options.max_operations) {
    char text[64];
    std::snprintf(text, sizeof text, "%.3g operations, more than the limit of %.3g", steps, options.max_operations);
    return fail(Code::unsupported, "the reference of op '" + spec.name + "' at this size would take " + text);
  }

  Rules rules(options.compute == DType::f64 ? DType::f64 : DType::f32, options.bounds, options.headroom);
  if (!options.rounds) rules = without_rounding(rules);
  rules.nan = nan_rule_of(spec);
  rules.running = options.running;
  rules.careful = options.precision == Precision::usual ? 1 : 0;
  std::deque<std::vector<float>> wide;
  Evaluator evaluator(known, rules, options);
  WW_TRY(take_inputs(spec, binding, inputs, options, wide, evaluator));

  Computation computation(spec, known, rules, options, evaluator);
  WW_TRY(computation.run());
  std::map<std::string, ReferenceTensor> out;
  for (const Param& p : spec.outputs) finish_output(p, options, rules.nan, computation.output(p.name), out[p.name]);
  return out;
}

}  // namespace

double ReferenceTensor::value_at(std::size_t i) const {
  if (is_real(dtype)) return value[i];
  const std::int64_t v = integer[i];
  return dtype == DType::u64 ? static_cast<double>(static_cast<std::uint64_t>(v)) : static_cast<double>(v);
}

Result<std::map<std::string, ReferenceTensor>> evaluate(const Spec& spec, const Binding& binding,
                                                        const std::map<std::string, HostTensor>& inputs,
                                                        const EvaluateOptions& options) {
  try {
    return evaluate_checked(spec, binding, inputs, options);
  } catch (const std::bad_alloc&) {
    return fail(Code::unsupported, "there is not enough memory to evaluate op '" + spec.name + "' at this size");
  }
}

}  // namespace ww::op
