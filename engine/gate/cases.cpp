// SPDX-License-Identifier: Apache-2.0
#include "gate/cases.h"
#include <algorithm>
#include <array>
#include <numeric>
#include "gate/reference.h"
#include "op/evaluate.h"
#include "op/parse.h"

namespace ww::gate {
namespace {

using Values = std::map<std::string, std::int64_t>;

// Values that a pattern gives to symbols, from large to small. Symbol number k begins k steps down, so that symbols
// differ; a case of too much work moves its largest symbol down a step.
struct Pattern {
  const char* name;
  std::vector<std::int64_t> ladder;
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = {
      {"tiny", {3, 2}},
      {"ones", {1}},
      {"odd", {4097, 1025, 257, 129, 65, 33, 15, 9, 5, 3}},
      {"prime", {4093, 1021, 251, 127, 61, 31, 13, 7, 5, 3, 2}},
      {"ragged", {2018, 1009, 510, 258, 130, 70, 37, 22, 11, 6, 3}},  // not multiples of 4
      {"powers", {4096, 1024, 256, 128, 64, 32, 16, 8, 4, 2}},
      {"fours", {2052, 1036, 516, 268, 132, 68, 36, 20, 12, 4}},  // multiples of 4, not of 8
      {"warps", {2080, 1056, 544, 288, 160, 96, 32}},             // multiples of 32, not of 64
      {"blocks", {2176, 1152, 640, 384, 128}},                    // multiples of 128, not of 256
  };
  return all;
}

class Deriver {
 public:
  Deriver(const op::Spec& spec, const op::Binding& base, const Values& defaults, const CaseOptions& options)
      : spec_(spec),
        base_(base),
        defaults_(defaults),
        stop_(options.stop),
        limit_(options.case_limit > 0 ? options.case_limit : 2e6) {}

  std::vector<Case> all;

  void add_pattern(const Pattern& p) {
    std::map<std::string, std::size_t> start;
    std::size_t k = 0;
    for (const std::string& s : spec_.symbols) start[s] = std::min(k++, p.ladder.size() - 1);
    // Unchanged; with the default's small symbols (window sizes, group counts) kept; with multiples kept as
    // multiples; one symbol alone.
    std::vector<Values> fixed(1);
    fixed.push_back(small_defaults());
    if (try_all(p, start, fixed)) return;
    for (const auto& [large, small] : multiples())
      for (const Values& keep : {Values{}, small_defaults()})
        if (try_fit(p, start, keep, {{large, small}})) return;
    if (try_fit(p, start, {}, multiples()) || try_fit(p, start, small_defaults(), multiples())) return;
    const std::optional<Values> shrunk = shrink({}, limit_);
    if (!shrunk) return;
    for (const std::string& s : spec_.symbols) {
      Values keep = *shrunk;
      keep.erase(s);
      if (try_fit(p, start, keep, {})) return;
    }
  }

  void add_long(const char* name, const std::string& symbol) {  // one symbol long, the others small
    const Pattern p{name, {2051, 1027, 515, 261, 133, 67, 35, 19, 11, 7, 5, 3, 2}};
    std::map<std::string, std::size_t> start;
    for (const std::string& s : spec_.symbols) start[s] = s == symbol ? 0 : p.ladder.size() - 2;
    if (try_fit(p, start, {}, {})) return;
    Values keep = small_defaults();
    keep.erase(symbol);
    if (try_fit(p, start, keep, {})) return;
    if (const std::optional<Values> shrunk = shrink({}, limit_)) {
      keep = *shrunk;
      keep.erase(symbol);
      try_fit(p, start, keep, {});
    }
  }

  // The default, halved in this order of symbols until it is small enough; halved again while it is one that is already
  // there.
  void add_halved(const char* name, const std::vector<std::string>& order) {
    double limit = limit_;
    for (int again = 0; again < 4; ++again) {
      const std::optional<Values> v = shrink(order, limit);
      if (!v) return;
      if (accept(name, *v)) return;
      limit = case_work(spec_, bound(*v)).value_or(0) / 2;
      if (limit <= 0) return;
    }
  }

  // Halves even symbols: the first of `order` that still can be (an empty order: the largest) until the work is within
  // the limit.
  std::optional<Values> shrink(const std::vector<std::string>& order, double limit) const {
    Values v = defaults_;
    for (int step = 0; step < 400 && !stop_.stop_requested(); ++step) {
      const Result<double> work = case_work(spec_, bound(v));
      if (!work) return std::nullopt;
      if (*work <= limit && shapes_fit(v)) return v;
      std::string pick;
      for (const std::string& s : order)
        if (v[s] > 16 && v[s] % 2 == 0) {
          pick = s;
          break;
        }
      if (pick.empty()) {
        std::int64_t best = 1;
        for (const auto& [s, value] : v)
          if (value % 2 == 0 && value > best) best = value, pick = s;
      }
      if (pick.empty()) {  // nothing even is left: the largest, rounded down
        std::int64_t best = 1;
        for (const auto& [s, value] : v)
          if (value > best) best = value, pick = s;
      }
      if (pick.empty()) return std::nullopt;
      v[pick] /= 2;
    }
    return std::nullopt;
  }

  op::Binding bound(const Values& v) const {
    op::Binding b = base_;
    b.symbols = v;
    return b;
  }

  bool shapes_fit(const Values& v) const {
    const op::Binding b = bound(v);
    for (const auto* params : {&spec_.inputs, &spec_.outputs, &spec_.temporaries})
      for (const op::Param& p : *params) {
        const auto shape = op::shape_of(spec_, p, b);
        if (!shape || op::element_count(*shape) < 1) return false;
      }
    return true;
  }

 private:
  Values small_defaults() const {
    Values keep;
    for (const auto& [s, v] : defaults_)
      if (v <= 16) keep[s] = v;
    return keep;
  }

  std::map<std::string, std::string> multiples()
      const {  // symbol -> the nearest smaller one that divides it in the default
    std::map<std::string, std::string> out;
    for (const auto& [a, va] : defaults_) {
      std::string best;
      for (const auto& [b, vb] : defaults_)
        if (vb > 1 && vb < va && va % vb == 0 && (best.empty() || vb > defaults_.at(best))) best = b;
      if (!best.empty()) out[a] = best;
    }
    return out;
  }

  bool try_all(const Pattern& p, const std::map<std::string, std::size_t>& start, const std::vector<Values>& fixed) {
    return std::any_of(fixed.begin(), fixed.end(), [&](const Values& keep) { return try_fit(p, start, keep, {}); });
  }

  bool try_fit(const Pattern& p, std::map<std::string, std::size_t> level, const Values& keep,
               const std::map<std::string, std::string>& ties) {
    if (keep.size() >= spec_.symbols.size() && !spec_.symbols.empty()) return false;
    for (int step = 0; step < 200 && !stop_.stop_requested(); ++step) {
      Values v;
      for (const std::string& s : spec_.symbols) v[s] = keep.count(s) ? keep.at(s) : p.ladder[level[s]];
      for (const auto& [large, small] : ties)
        if (!keep.count(large))
          v[large] = v[small] * std::min<std::int64_t>(4, defaults_.at(large) / defaults_.at(small));
      const Result<double> work = case_work(spec_, bound(v));
      const bool fits = work && *work <= limit_ && shapes_fit(v);
      if (fits) return accept(p.name, v);
      if (work && *work <= limit_) return false;  // shapes do not fit: smaller ones would not either
      std::string pick;
      for (const std::string& s : spec_.symbols)
        if (!keep.count(s) && level[s] + 1 < p.ladder.size() && (pick.empty() || v[s] > v[pick])) pick = s;
      if (pick.empty()) return false;
      ++level[pick];
    }
    return false;
  }

  bool accept(const char* name, const Values& v) {
    const op::Binding b = bound(v);
    for (const Case& c : all)
      if (c.binding == b) return false;
    const auto inputs = make_inputs(spec_, {b, op::Distribution::normal, 0});  // subscripts out of range show only here
    if (!inputs) return false;
    op::EvaluateOptions options;
    options.bounds = false;
    options.stop = stop_;
    if (!op::evaluate(spec_, b, *inputs, options)) return false;
    all.push_back({name, b});
    return true;
  }

  const op::Spec& spec_;
  const op::Binding& base_;
  const Values& defaults_;
  const std::stop_token stop_;
  const double limit_;
};

}  // namespace

Result<double> case_work(const op::Spec& spec, const op::Binding& binding) {
  const op::Work work = WW_TRY(op::work_of(spec, binding));
  double elements = 0;
  for (const auto* params : {&spec.inputs, &spec.outputs})
    for (const op::Param& p : *params) {
      const auto shape = WW_TRY(op::shape_of(spec, p, binding));
      elements += static_cast<double>(op::element_count(shape));
    }
  return work.flops + 8 * work.special + elements;
}

Result<Case> reduced_case(const op::Spec& spec, const op::Binding& binding, double limit) {
  const op::Resolved resolved = WW_TRY(op::resolve(spec, binding));
  const Deriver deriver(spec, binding, resolved.symbols, {});
  const std::optional<Values> v = deriver.shrink({}, limit);
  if (!v)
    return fail(Code::unsupported,
                "the default case is too large for this device, and no smaller one that fits the spec was found");
  return Case{"reduced", deriver.bound(*v)};
}

Result<std::vector<Case>> derive_cases(const op::Spec& spec, const op::Binding& binding, const CaseOptions& options) {
  const op::Resolved resolved = WW_TRY(op::resolve(spec, binding));
  op::Binding base = binding;
  base.symbols = resolved.symbols;
  const double work = WW_TRY(case_work(spec, base));
  Deriver deriver(spec, base, resolved.symbols, options);
  if (!deriver.shapes_fit(resolved.symbols))
    return fail(Code::invalid_argument, "a tensor of the op " + spec.name + " has no elements in the default case");
  deriver.all.push_back({"default", base});
  if (spec.symbols.empty()) return std::move(deriver.all);
  if (options.default_limit > 0 && work > options.default_limit) {
    Case reduced = WW_TRY(reduced_case(spec, base, options.default_limit));
    deriver.all.push_back(std::move(reduced));
  }
  for (const Pattern& p : patterns()) deriver.add_pattern(p);
  if (spec.symbols.size() > 1) {
    deriver.add_long("tall", spec.symbols.front());
    deriver.add_long("wide", spec.symbols.back());
  }
  std::vector<std::string> order = spec.symbols;
  deriver.add_halved("flat", order);
  std::reverse(order.begin(), order.end());
  deriver.add_halved("slim", order);
  deriver.add_halved("scaled", {});
  if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
  return std::move(deriver.all);
}

op::Distribution distribution_for(int ordinal, int seed) {
  using D = op::Distribution;
  constexpr std::array<D, 3> first = {D::normal, D::large, D::ramp};
  constexpr std::array<D, 4> later = {D::uniform, D::positive, D::constant, D::normal};
  if (seed < 3) return first[static_cast<std::size_t>(std::max(0, seed))];
  return later[static_cast<std::size_t>(ordinal + seed - 3) % later.size()];
}

}  // namespace ww::gate
