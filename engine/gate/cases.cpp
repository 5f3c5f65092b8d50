// SPDX-License-Identifier: Apache-2.0
#include "gate/cases.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include "base/draw.h"
#include "evidence/case_kind.h"
#include "gate/case_plan.h"
#include "gate/reference.h"
#include "op/evaluate.h"
#include "op/parse.h"
#include "op/program.h"
#include "op/walk.h"
#include "op/work.h"

namespace ww::gate {
namespace {

namespace names = evidence::case_names;

using Values = std::map<std::string, std::int64_t>;

// Values that a pattern gives to symbols, from large to small. Symbol number k begins k steps down, so that symbols
// differ; a case of too much work moves its largest symbol down a step.
struct Pattern {
  const char* name;
  std::vector<std::int64_t> ladder;
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = {
      {names::tiny, {3, 2}},
      {"ones", {1}},
      {"odd", {4097, 1025, 257, 129, 65, 33, 15, 9, 5, 3}},
      {"prime", {4093, 1021, 251, 127, 61, 31, 13, 7, 5, 3, 2}},
      {"ragged", {2018, 1009, 510, 258, 130, 70, 37, 22, 11, 6, 3}},  // not multiples of 4
      {"powers", {4096, 1024, 256, 128, 64, 32, 16, 8, 4, 2}},
      {"fours", {2772, 1260, 660, 420, 252, 132, 84, 60, 36, 20, 12, 4}},  // of 4, not of 8, and of small primes
      {"warps", {2080, 1056, 544, 288, 160, 96, 32}},                      // multiples of 32, not of 64
      {"blocks", {2176, 1408, 640, 384, 128}},                             // multiples of 128, not of 256
      {"divisors", {503, 249, 107, 61, 41, 15, 9, 5, 3}},  // n times the rounded 1 / n is below 1 (from 41 on)
  };
  return all;
}

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  double unit() {  // in [0, 1)
    state_ = mmix(state_);
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(unit() * static_cast<double>(n)); }

 private:
  std::uint64_t state_;
};

// Strides, paddings, window sizes a little larger or smaller; slopes and factors by less than three, what is tiny
// (eps) by so much that it shows, and what lies between 0 and 1 stays there. Unless `all` change, about one in four
// stays as it is: not all spaces of constants are whole.
void vary(const op::Resolved& resolved, Draws& draw, bool all, std::map<std::string, double>& constants) {
  for (const op::ResolvedConstant& c : resolved.constants) {
    const bool stays = draw.below(4) == 0 && !all && resolved.constants.size() > 1;
    const double drawn = draw.unit();
    if (stays) continue;
    if (c.type == op::Type::integer) {
      const auto step = static_cast<std::int64_t>(drawn * 4);
      constants[c.name] = static_cast<double>(c.integer + (step == 0 && c.integer > 1 ? -1 : 1 + step / 2));
    } else if (c.type == op::Type::real) {
      constants[c.name] = c.real == 0                ? 0.25 + drawn
                          : std::abs(c.real) < 0.01  ? c.real * std::exp2(6 + 6 * drawn)
                          : c.real > 0 && c.real < 1 ? c.real * (0.3 + 0.5 * drawn)
                                                     : c.real * (1.25 + 1.5 * drawn);
    }
  }
}

// Ranges of reductions that sizes and constants alone make empty: a window of no elements, whose mean is not defined.
int empty_reductions(const op::Spec& spec, const op::Binding& binding) {
  const auto known = op::resolve(spec, binding);
  if (!known) return 0;
  int out = 0;
  for (const op::Equation& equation : spec.equations)
    op::for_each(*equation.value, [&](const op::Expr& e) {
      if (e.kind != op::ExprKind::reduce) return;
      for (const op::Index& i : e.indices) {
        std::int64_t lo = 0, hi = 0, other = 0;
        if (op::interval(*i.lo, {}, *known, &lo, &other) && op::interval(*i.hi, {}, *known, &hi, &other))
          out += hi <= lo ? 1 : 0;
      }
    });
  return out;
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
    const std::optional<Values>& shrunk = shrunk_default();
    if (!shrunk) return;
    for (const std::string& s : spec_.symbols) {
      Values keep = *shrunk;
      keep.erase(s);
      if (try_fit(p, start, keep, {})) return;
    }
  }

  // One symbol as long as the work allows, beyond 65,536 where it does; the others small, the default's small ones, or
  // (what a window slides over) a little longer where they are longer in the default.
  void add_long(const std::string& name, const std::string& symbol) {
    constexpr double more = 3;  // work than other cases
    for (const std::int64_t length : {65537, 32771, 16411, 8209, 4099, 2051, 1027, 515, 261, 133, 67, 35, 19, 11})
      if (add_of_length(name, symbol, length, more * limit_)) return;
  }

  // `first`: of the others, where the work allows it; 0: none.
  std::vector<Values> of_length(const std::string& symbol, std::int64_t length, std::int64_t first = 0) {
    std::vector<Values> all;
    if (first > 0) {
      Values v = small_defaults();
      for (const auto& [s, value] : defaults_) v.try_emplace(s, std::min(value, first));
      v[symbol] = length;
      all.push_back(std::move(v));
    }
    const std::optional<Values>& shrunk = shrunk_default();
    for (const std::int64_t other : {2, 1, 4, 5, 0}) {
      Values v = other == 4 ? small_defaults() : other == 0 && shrunk ? *shrunk : Values();
      for (const auto& [s, value] : defaults_)
        if (other == 5) v[s] = value > defaults_.at(symbol) && value > 16 ? length + 2 : 1;
      for (const std::string& s : spec_.symbols) v.try_emplace(s, std::max<std::int64_t>(other, 1));
      v[symbol] = length;
      all.push_back(std::move(v));
    }
    return all;
  }
  bool add_of_length(const std::string& name, const std::string& symbol, std::int64_t length, double limit,
                     std::int64_t first = 0) {
    const std::vector<Values> all = of_length(symbol, length, first);
    return std::any_of(all.begin(), all.end(), [&](const Values& v) { return within(v, limit) && accept(name, v); });
  }
  // The others as they come, or beyond a warp.
  bool add_compared(const std::string& name, const std::string& symbol, std::int64_t length,
                    const std::function<std::uint64_t()>& draw) {
    const std::int64_t first = draw() % 2 == 0 ? 0 : 33 + static_cast<std::int64_t>(draw() % 32);
    return add_of_length(name, symbol, length, limit_, first);
  }
  // Sizes whose product, with those of a few other symbols that are small, is next to `product`: above or below it.
  bool add_of_product(const std::string& name, const std::string& symbol, std::int64_t product,
                      const std::function<std::uint64_t()>& draw) {
    constexpr std::uint64_t most_other = 9;
    constexpr double more = 8;
    Values v = small_defaults();
    std::int64_t others = 1;
    for (const std::string& s : spec_.symbols) {
      if (s == symbol) continue;
      const std::int64_t size = draw() % 3 == 0 ? 1 : 2 + static_cast<std::int64_t>(draw() % (most_other - 1));
      others *= v.try_emplace(s, size).first->second;
    }
    v[symbol] = std::max<std::int64_t>(1, draw() % 2 == 0 ? product / others + 1 : (product - 1) / others);
    return within(v, more * limit_) && accept(name, v);
  }
  // As long as `wanted` asks for.
  bool add_longer(const std::string& name, const std::function<bool(const op::Binding&)>& wanted) {
    constexpr double more = 8;
    for (std::int64_t length = 1; length <= std::int64_t{1} << 21; length *= 2)
      for (const std::string& s : spec_.symbols)
        for (const Values& v : of_length(s, length + 1))
          if (wanted(bound(v)) && within(v, more * limit_) && accept(name, v)) return true;
    return false;
  }

  // Until each pair of symbols differs in three cases: small values that are all different, tried in turn.
  void tell_apart() {
    static constexpr std::array<std::int64_t, 10> usual = {5, 3, 7, 2, 4, 6, 8, 9, 11, 10},
                                                  wide = {11, 7, 13, 9, 17, 10, 12, 15, 8, 14};
    for (std::size_t turn = 0; turn < 20 && !stop_.stop_requested(); ++turn) {
      if (missing_differences({}) == 0) return;
      Values v;
      std::size_t small = turn / 2, large = turn / 2;
      for (const std::string& s : spec_.symbols)
        v[s] = turn % 2 == 0 || defaults_.at(s) <= 8 ? usual[small++ % 10] : wide[large++ % 10];
      if (missing_differences(v) < missing_differences({}) && within(v, limit_))
        accept(names::distinct + std::to_string(turn), v);
    }
  }

  // Values drawn from `seed`, as large as the work allows; constants: those of the spec, too.
  std::optional<Case> random(const std::string& name, std::uint64_t seed, const op::Resolved* constants,
                             bool all_constants) {
    Values v;
    Draws draw(seed);
    for (const std::string& s : spec_.symbols)
      v[s] = static_cast<std::int64_t>(std::exp2((defaults_.at(s) <= 8 ? 3 : 12) * draw.unit()));
    for (int step = 0; step < 64 && !within(v, limit_); ++step) {
      const auto largest =
          std::max_element(v.begin(), v.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      if (largest == v.end() || largest->second < 2) return std::nullopt;
      largest->second = largest->second * 5 / 8;
    }
    op::Binding b = bound(v);
    if (constants) vary(*constants, draw, all_constants, b.constants);
    if (constants && case_work(spec_, b).value_or(limit_ + 1) > limit_) return std::nullopt;
    return accept(name, b) ? std::optional(all.back()) : std::nullopt;
  }

  // Small values, and whole constants that may be larger than they are.
  // `turn`: which constants are one or two larger than the spec's, beyond all sizes, or anything, rotates with it.
  std::optional<Case> small(const std::string& name, std::uint64_t seed, int turn, const op::Resolved& own,
                            const std::function<bool(const op::Binding&)>& wanted) {
    constexpr double most_work = 1e5;
    Values v;
    Draws draw(seed);
    std::int64_t largest = 1;
    for (const std::string& s : spec_.symbols) {
      v[s] = static_cast<std::int64_t>(std::exp2((defaults_.at(s) <= 8 ? 2.5 : 5) * draw.unit()));
      largest = std::max(largest, v[s]);
    }
    op::Binding b = bound(v);
    for (const op::ResolvedConstant& c : own.constants) {
      if (c.type != op::Type::integer) continue;
      const std::int64_t near = std::max<std::int64_t>(0, c.integer - 1) + draw.below(4),
                         any = draw.below(2) == 0 ? near : draw.below(2 * largest + 3),
                         values[] = {c.integer + 1, largest + 1 + draw.below(largest + 1), any, c.integer + 2};
      b.constants[c.name] = static_cast<double>(values[turn++ % 4]);
    }
    if (case_work(spec_, b).value_or(most_work + 1) > most_work || !wanted(b)) return std::nullopt;
    if (empty_reductions(spec_, b) > empty_reductions(spec_, bound(v))) return std::nullopt;
    return accept(name, b) ? std::optional(all.back()) : std::nullopt;
  }

  // The sizes of another case with other constants, where that changes the result.
  std::optional<Case> twin(const std::string& name, const Case& of, std::uint64_t seed, const op::Resolved& own) {
    op::Binding b = of.binding;
    Draws draw(seed);
    vary(own, draw, true, b.constants);
    if (case_work(spec_, b).value_or(limit_ + 1) > limit_ || !accept(name, b)) return std::nullopt;
    if (result_of(b) != result_of(of.binding)) return all.back();
    all.pop_back();
    return std::nullopt;
  }

  // The whole constants of which each, set back to the spec's own, would change the result or its shape.
  std::set<std::string> felt(const op::Binding& b, const op::Resolved& own) const {
    std::set<std::string> out;
    const auto of = result_of(b);
    for (const op::ResolvedConstant& c : own.constants) {
      if (!of || c.type != op::Type::integer || !b.constants.contains(c.name)) continue;
      op::Binding back = b;
      back.constants[c.name] = static_cast<double>(c.integer);
      if (back == b) continue;
      if (const auto other = result_of(back); !other || *other != *of) out.insert(c.name);
    }
    return out;
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

  bool within(const Values& v, double limit) const {
    const Result<double> work = case_work(spec_, bound(v));
    return work && *work <= limit && shapes_fit(v);
  }

  bool shapes_fit(const Values& v) const { return op::has_elements(spec_, bound(v)); }

 private:
  const std::optional<Values>& shrunk_default() {
    if (!shrunk_default_) shrunk_default_ = shrink({}, limit_);
    return *shrunk_default_;
  }

  // The values of the outputs on ordinary inputs.
  std::optional<std::vector<std::vector<double>>> result_of(const op::Binding& b) const {
    const auto outputs = ordinary_outputs(spec_, b, 0, stop_);
    if (!outputs) return {};
    std::vector<std::vector<double>> all;
    for (const auto& [name, t] : *outputs) {
      all.push_back(t.value);
      all.emplace_back(t.integer.begin(), t.integer.end());
    }
    return all;
  }

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

  // How many times, over all pairs of symbols, a case in which they differ is missing; `v`: one case more.
  int missing_differences(const Values& v) const {
    int missing = 0;
    for (std::size_t i = 0; i < spec_.symbols.size(); ++i)
      for (std::size_t j = i + 1; j < spec_.symbols.size(); ++j) {
        const auto differ = [&](const Values& at) { return at.at(spec_.symbols[i]) != at.at(spec_.symbols[j]); };
        int differing = v.empty() ? 0 : differ(v);
        for (const Case& c : all) differing += differ(c.binding.symbols);
        missing += std::max(0, 3 - differing);
      }
    return missing;
  }

  bool accept(const std::string& name, const Values& v) { return accept(name, bound(v)); }
  bool accept(const std::string& name, const op::Binding& b) {
    for (const Case& c : all)
      if (c.binding == b) return false;
    if (!ordinary_outputs(spec_, b, 0, stop_)) return false;
    all.push_back({name, b});
    return true;
  }

  const op::Spec& spec_;
  const op::Binding& base_;
  const Values& defaults_;
  const std::stop_token stop_;
  const double limit_;
  // The default, small enough for `limit_`; made when first asked for.
  std::optional<std::optional<Values>> shrunk_default_;
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
  constexpr double steps_each = 16;  // of the evaluator, for a unit of work: comparisons are no flops
  const double steps = WW_TRY(op::steps_of(spec, binding));
  return std::max(work.flops + 8 * work.special + elements, steps / steps_each);
}

Result<Case> reduced_case(const op::Spec& spec, const op::Binding& binding, double limit) {
  const op::Resolved resolved = WW_TRY(op::resolve(spec, binding));
  const Deriver deriver(spec, binding, resolved.symbols, {});
  const std::optional<Values> v = deriver.shrink({}, limit);
  if (!v)
    return fail(Code::unsupported,
                "the default case is too large for this device, and no smaller one that fits the spec was found");
  return Case{names::reduced, deriver.bound(*v)};
}

Result<std::vector<Case>> derive_cases(const op::Spec& spec, const op::Binding& binding, const CaseOptions& options) {
  const op::Resolved resolved = WW_TRY(op::resolve(spec, binding));
  op::Binding base = binding;
  base.symbols = resolved.symbols;
  const double work = WW_TRY(case_work(spec, base));
  Deriver deriver(spec, base, resolved.symbols, options);
  if (!deriver.shapes_fit(resolved.symbols))
    return fail(Code::invalid_argument, "a tensor of the op " + spec.name + " has no elements in the default case");
  deriver.all.push_back({names::asked, base});
  if (spec.symbols.empty()) return std::move(deriver.all);
  if (options.default_limit > 0 && work > options.default_limit) {
    Case reduced = WW_TRY(reduced_case(spec, base, options.default_limit));
    deriver.all.push_back(std::move(reduced));
  }
  for (const Pattern& p : patterns()) deriver.add_pattern(p);
  for (const std::string& s : spec.symbols)
    deriver.add_long(s == spec.symbols.front()  ? names::tall
                     : s == spec.symbols.back() ? names::wide
                                                : names::longest + s,
                     s);
  deriver.tell_apart();
  std::vector<std::string> order = spec.symbols;
  deriver.add_halved("flat", order);
  std::reverse(order.begin(), order.end());
  deriver.add_halved("slim", order);
  deriver.add_halved("scaled", {});
  if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
  return std::move(deriver.all);
}

Result<std::vector<Case>> random_cases(const op::Spec& spec, const std::vector<Case>& known, const CaseOptions& options,
                                       const std::function<std::uint64_t()>& draw,
                                       const std::function<bool(const Case&)>& wanted, int count) {
  constexpr int tries_each = 8, with_constants = constants_drawn, most_small = constants_small;
  std::vector<Case> out;
  if (known.empty()) return out;
  const op::Resolved resolved = WW_TRY(op::resolve(spec, known.front().binding));
  Deriver deriver(spec, known.front().binding, known.front().binding.symbols, options);
  deriver.all = known;
  const auto add = [&](const std::string& name, int most, const op::Resolved* constants) -> Status {
    int made = 0;
    std::optional<Case> unwanted;
    for (int i = 0; i < tries_each * most && made < most; ++i) {
      if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
      const bool all_constants = made == 0 && i < tries_each;  // of the first case, where that can be
      std::optional<Case> c = deriver.random(name + std::to_string(made + 1), draw(), constants, all_constants);
      if (!c) continue;
      if (wanted(*c))
        out.push_back(std::move(*c)), ++made;
      else
        unwanted = std::move(c);
    }
    if (made == 0 && unwanted) out.push_back(std::move(*unwanted));
    return {};
  };
  if (!spec.symbols.empty()) WW_TRY(add(names::random, count, nullptr));
  if (!spec.constants.empty()) WW_TRY(add(names::constants, with_constants, &resolved));
  std::map<std::string, int> felt;  // how often each whole constant has changed a result
  for (const op::ResolvedConstant& c : resolved.constants)
    if (c.type == op::Type::integer) felt[c.name] = 0;
  int made = 0;
  for (int i = 0; !felt.empty() && i < tries_each * most_small && made < most_small; ++i) {
    if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    std::set<std::string> now;
    const auto fresh = [&](const op::Binding& b) {
      now = wanted({names::constants, b}) ? deriver.felt(b, resolved) : std::set<std::string>();
      const bool late = i >= tries_each * most_small / 2;  // one more of what was felt before will do
      return std::any_of(now.begin(), now.end(),
                         [&](const std::string& c) { return late || felt[c] < most_small / 2; });
    };
    std::optional<Case> c = deriver.small(names::constants + std::to_string(with_constants + made + 1), draw(),
                                          made + i / 4, resolved, fresh);
    if (!c) continue;
    for (const std::string& name : now) ++felt[name];
    out.push_back(std::move(*c)), ++made;
  }
  if (spec.constants.empty()) return out;
  std::vector<Case> by_work = known;
  std::stable_sort(by_work.begin(), by_work.end(), [&](const Case& a, const Case& b) {
    return case_work(spec, a.binding).value_or(0) < case_work(spec, b.binding).value_or(0);
  });
  for (const Case& c : by_work) {
    if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    std::optional<Case> twin =
        deriver.twin(names::constants + std::to_string(with_constants + made + 1), c, draw(), resolved);
    if (!twin || !wanted(*twin)) continue;
    out.push_back(std::move(*twin));
    break;
  }
  return out;
}

Result<std::vector<Case>> cases_of_other_ways(const op::Spec& spec, const std::vector<Case>& known,
                                              const CaseOptions& options,
                                              const std::function<Way(const op::Binding&)>& way,
                                              const std::function<bool(const Case&)>& wanted, int count) {
  std::vector<Case> out;
  std::set<Way> ways;
  for (const Case& c : known)
    if (wanted(c)) ways.insert(way(c.binding));
  if (known.empty() || spec.symbols.empty() || ways.contains({})) return out;
  Deriver deriver(spec, known.front().binding, known.front().binding.symbols, options);
  deriver.all = known;
  while (static_cast<int>(out.size()) < count) {
    if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    const std::string name = names::planned + std::to_string(out.size() + 1);
    const auto new_way = [&](const op::Binding& b) { return !ways.contains(way(b)) && wanted({name, b}); };
    if (!deriver.add_longer(name, new_way)) break;
    out.push_back(deriver.all.back());
    ways.insert(way(out.back().binding));
  }
  return out;
}

Result<std::vector<Case>> compared_cases(const op::Spec& spec, const std::vector<Case>& known,
                                         const CaseOptions& options, const std::vector<std::int64_t>& sizes,
                                         const std::vector<std::int64_t>& limits,
                                         const std::function<std::uint64_t()>& draw,
                                         const std::function<bool(const Case&)>& wanted, int count) {
  std::vector<Case> out;
  if (known.empty() || spec.symbols.empty()) return out;
  Deriver deriver(spec, known.front().binding, known.front().binding.symbols, options);
  deriver.all = known;
  constexpr std::int64_t most_length = 65537, least_product = 64;
  enum class How : std::uint8_t { exact, beside, product };
  struct Wanted {
    std::string symbol;
    std::int64_t size = 0;
    How how = How::exact;
  };
  std::vector<Wanted> all;
  const auto add = [&](std::int64_t size, How how) {
    for (const std::string& s : spec.symbols)
      if (size <= most_length) all.push_back({s, size, how});
  };
  for (const std::int64_t size : sizes)
    if (std::ranges::count(limits, size) == 0) add(size, How::exact);
  for (const std::int64_t limit : limits) {
    add(limit, How::beside);
    if (limit >= least_product && spec.symbols.size() > 1)
      all.push_back({spec.symbols[draw() % spec.symbols.size()], limit, How::product});
  }
  while (!all.empty() && static_cast<int>(out.size()) < count) {
    if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    std::swap(all[draw() % all.size()], all.back());
    const Wanted next = std::move(all.back());
    all.pop_back();
    constexpr std::int64_t beside[] = {0, 1, 1, -1};
    const std::string name = names::compared + std::to_string(out.size() + 1);
    const std::int64_t step = next.how == How::beside ? beside[draw() % std::size(beside)] : 0;
    if (!(next.how == How::product ? deriver.add_of_product(name, next.symbol, next.size, draw)
                                   : deriver.add_compared(name, next.symbol, next.size + step, draw)))
      continue;
    if (wanted(deriver.all.back()))
      out.push_back(deriver.all.back());
    else
      deriver.all.pop_back();
  }
  return out;
}

bool is_long(const Case& c) { return evidence::case_kind(c.name) == evidence::CaseKind::longest; }

bool is_secondary(const Case& c) {
  switch (evidence::case_kind(c.name)) {
    case evidence::CaseKind::asked:
    case evidence::CaseKind::reduced:
    case evidence::CaseKind::tiny:
    case evidence::CaseKind::fixed: return false;
    case evidence::CaseKind::longest:
    case evidence::CaseKind::distinct:
    case evidence::CaseKind::random:
    case evidence::CaseKind::constants:
    case evidence::CaseKind::compared: return true;
  }
  return false;
}

}  // namespace ww::gate
