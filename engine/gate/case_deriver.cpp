// SPDX-License-Identifier: Apache-2.0
#include "gate/case_deriver.h"
#include <algorithm>
#include <array>
#include <cmath>
#include "base/draw.h"
#include "evidence/case_kind.h"
#include "gate/defined.h"
#include "gate/reference.h"
#include "op/evaluate.h"
#include "op/forms.h"
#include "op/leading.h"

namespace ww::gate {
namespace {

namespace names = evidence::case_names;

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

// Which values of a real constant are drawn.
enum class Reals : std::uint8_t {
  near,  // slopes and factors by less than three, what is tiny (eps) by so much that it shows, and what lies between 0
         // and 1 stays there
  afar,  // of the other sign, beyond one, or zero
};

double drawn_real(double own, Reals which, double drawn, bool beyond) {
  const bool tiny = std::abs(own) < 0.01;
  const bool share = own > 0 && own < 1;
  if (which == Reals::near || own == 0)
    return own == 0 ? (which == Reals::near ? 0.25 + drawn : -0.25 - drawn)
           : tiny   ? own * std::exp2(6 + 6 * drawn)
           : share  ? own * (0.3 + 0.5 * drawn)
                    : own * (1.25 + 1.5 * drawn);
  if (tiny) return 0;
  return share && beyond ? 1.25 + 1.5 * drawn : -own * (0.5 + drawn);
}

// What is drawn outside the constant's range becomes its lower end, or what is several times as large.
double in_range(const op::ResolvedConstant& c, double value, double drawn) {
  if (c.allows(value)) return value;
  const double other = drawn < 0.5 ? c.lo : c.real * (3 + 4 * drawn);
  return c.allows(other) ? other : c.real;
}

// Strides, paddings, window sizes a little larger or smaller; real constants as `which` says. Unless `all` change,
// about one in four stays as it is: not all spaces of constants are whole.
void vary(const op::Resolved& resolved, Draws& draw, bool all, Reals which, std::map<std::string, double>& constants,
          unsigned turn = 0) {
  for (const op::ResolvedConstant& c : resolved.constants) {
    const bool stays = draw.below(4) == 0 && !all && resolved.constants.size() > 1;
    const double drawn = draw.unit();
    if (stays || (which == Reals::afar && c.type != op::Type::real)) continue;
    if (c.type == op::Type::integer) {
      const auto step = static_cast<std::int64_t>(drawn * 4);
      constants[c.name] = static_cast<double>(c.integer + (step == 0 && c.integer > 1 ? -1 : 1 + step / 2));
    } else if (c.type == op::Type::real) {
      constants[c.name] = in_range(c, drawn_real(c.real, which, drawn, turn % 2 == 0), drawn);
      turn /= 2;
    }
  }
}

}  // namespace

// Values that a pattern gives to symbols, from large to small. Symbol number k begins k steps down, so that symbols
// differ; a case of too much work moves its largest symbol down a step.
struct Deriver::Pattern {
  const char* name;
  std::vector<std::int64_t> ladder;
};

const std::vector<Deriver::Pattern>& Deriver::patterns() {
  static const std::vector<Pattern> all = {
      {names::tiny, {3, 2}},
      {"ones", {1}},
      {"odd", {4097, 1025, 257, 129, 65, 33, 15, 9, 5, 3}},
      {"prime", {4093, 1021, 251, 127, 61, 31, 13, 7, 5, 3, 2}},
      {"ragged", {2018, 1009, 510, 258, 130, 70, 37, 22, 11, 6, 3}},  // not multiples of 4
      {names::powers, {4096, 1024, 256, 128, 64, 32, 16, 8, 4, 2}},
      {"fours", {2772, 1260, 660, 420, 252, 132, 84, 60, 36, 20, 12, 4}},  // of 4, not of 8, and of small primes
      {"warps", {2080, 1056, 544, 288, 160, 96, 32}},                      // multiples of 32, not of 64
      {"blocks", {2176, 1408, 640, 384, 128}},                             // multiples of 128, not of 256
      {"divisors", {503, 249, 107, 61, 41, 15, 9, 5, 3}},  // n times the rounded 1 / n is below 1 (from 41 on)
  };
  return all;
}

void Deriver::add_patterns() {
  for (const Pattern& p : patterns()) add_pattern(p);
}

void Deriver::add_pattern(const Pattern& p) {
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

void Deriver::add_long(const std::string& name, const std::string& symbol) {
  constexpr double more = 3;  // work than other cases
  for (const std::int64_t length : {65537, 32771, 16411, 8209, 4099, 2051, 1027, 515, 261, 133, 67, 35, 19, 11})
    if (add_of_length(name, symbol, length, more * limit_)) return;
}

std::vector<Values> Deriver::of_length(const std::string& symbol, std::int64_t length, std::int64_t first) {
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

bool Deriver::add_of_length(const std::string& name, const std::string& symbol, std::int64_t length, double limit,
                            std::int64_t first) {
  const std::vector<Values> all = of_length(symbol, length, first);
  return std::any_of(all.begin(), all.end(), [&](const Values& v) { return within(v, limit) && accept(name, v); });
}

bool Deriver::add_compared(const std::string& name, const std::string& symbol, std::int64_t length,
                           const std::function<std::uint64_t()>& draw) {
  const std::int64_t first = draw() % 2 == 0 ? 0 : 33 + static_cast<std::int64_t>(draw() % 32);
  return add_of_length(name, symbol, length, limit_, first);
}

bool Deriver::add_of_product(const std::string& name, const std::string& symbol, std::int64_t product, bool above,
                             const std::function<std::uint64_t()>& draw, double most_work) {
  constexpr std::uint64_t most_other = 9;
  constexpr double more = 8;
  Values v = small_defaults();
  std::int64_t others = 1;
  for (const std::string& s : spec_.symbols) {
    if (s == symbol) continue;
    const std::int64_t size = draw() % 3 == 0 ? 1 : 2 + static_cast<std::int64_t>(draw() % (most_other - 1));
    others *= v.try_emplace(s, size).first->second;
  }
  v[symbol] = std::max<std::int64_t>(1, above ? product / others + 1 : (product - 1) / others);
  return within(v, most_work > 0 ? most_work : more * limit_) && accept(name, v);
}

bool Deriver::add_longer(const std::string& name, const std::function<bool(const op::Binding&)>& wanted,
                         double most_work) {
  constexpr std::int64_t most_inner = 1 << 16;
  constexpr double more = 10;
  const auto leads = [&](const std::string& s) {
    return std::ranges::any_of(spec_.inputs, [&](const op::Param& p) { return op::leads(p, s); });
  };
  for (std::int64_t length = 1; length <= std::int64_t{1} << 24; length *= 2)
    for (const std::string& s : spec_.symbols) {
      // Longer rows may cost a candidate much more than their work.
      const double most = length <= most_inner || leads(s) ? most_work : std::min(most_work, more * limit_);
      for (const Values& v : of_length(s, length + 1))
        if (within(v, most) && wanted(bound(v)) && accept(name, v)) return true;
    }
  return false;
}

void Deriver::tell_apart() {
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

std::optional<Case> Deriver::random(const std::string& name, std::uint64_t seed, const op::Resolved* constants,
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
  if (constants) vary(*constants, draw, all_constants, Reals::near, b.constants);
  if (constants && !within_constants(b, limit_)) return std::nullopt;
  return accept(name, b) ? std::optional(all.back()) : std::nullopt;
}

std::optional<Case> Deriver::small(const std::string& name, std::uint64_t seed, int turn, const op::Resolved& own,
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
  if (!stays_defined(spec_, b, base_)) return std::nullopt;
  return accept(name, b) ? std::optional(all.back()) : std::nullopt;
}

std::optional<Case> Deriver::twin(const std::string& name, const Case& of, std::uint64_t seed,
                                  const op::Resolved& own) {
  op::Binding b = of.binding;
  Draws draw(seed);
  vary(own, draw, true, Reals::near, b.constants);
  if (!within_constants(b, limit_) || !accept(name, b)) return std::nullopt;
  if (result_of(b) != result_of(of.binding)) return all.back();
  all.pop_back();
  return std::nullopt;
}

std::optional<Case> Deriver::afar(const std::string& name, std::uint64_t seed, unsigned turn, const op::Resolved& own) {
  constexpr double most_work = 1e5;
  Values v;
  Draws draw(seed);
  for (const std::string& s : spec_.symbols)
    v[s] = static_cast<std::int64_t>(std::exp2((defaults_.at(s) <= 8 ? 2.5 : 6) * draw.unit()));
  op::Binding b = bound(v);
  vary(own, draw, own.constants.size() == 1 || draw.below(2) == 0, Reals::afar, b.constants, turn);
  if (op::in_form(spec_, op::Form::expanded))  // differences of sums, which such a constant keeps above zero
    for (const op::ResolvedConstant& c : own.constants)
      if (const auto at = b.constants.find(c.name); at != b.constants.end() && at->second == 0) at->second = c.real;
  if (b.constants == base_.constants || !within_constants(b, most_work)) return std::nullopt;
  const auto result = result_of(b);
  const auto finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
  };
  if (!result || !std::ranges::all_of(*result, finite) || result == result_of(bound(v))) return std::nullopt;
  return accept(name, b) ? std::optional(all.back()) : std::nullopt;
}

std::optional<Case> Deriver::exchanged(const std::string& name, const op::ResolvedConstant& a,
                                       const op::ResolvedConstant& b) {
  constexpr double most_work = 1e5;
  constexpr std::int64_t sizes[] = {5, 3, 7, 4, 6};
  op::Binding binding = base_;
  std::size_t next = 0;
  for (const std::string& s : spec_.symbols)
    binding.symbols[s] = defaults_.at(s) <= 8 ? defaults_.at(s) : sizes[next++ % std::size(sizes)];
  const auto before = result_of(binding);
  binding.constants[a.name] = b.real, binding.constants[b.name] = a.real;
  if (!within_constants(binding, most_work)) return std::nullopt;
  const auto result = result_of(binding);
  const auto finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
  };
  if (!result || result == before || !std::ranges::all_of(*result, finite)) return std::nullopt;
  return accept(name, binding) ? std::optional(all.back()) : std::nullopt;
}

bool Deriver::within_constants(const op::Binding& b, double limit) const {
  return case_work(spec_, b).value_or(limit + 1) <= limit && stays_defined(spec_, b, base_);
}

std::set<std::string> Deriver::felt(const op::Binding& b, const op::Resolved& own) const {
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

void Deriver::add_halved(const char* name, const std::vector<std::string>& order) {
  double limit = limit_;
  for (int again = 0; again < 4; ++again) {
    const std::optional<Values> v = shrink(order, limit);
    if (!v) return;
    if (accept(name, *v)) return;
    limit = case_work(spec_, bound(*v)).value_or(0) / 2;
    if (limit <= 0) return;
  }
}

std::optional<Values> Deriver::shrink(const std::vector<std::string>& order, double limit) const {
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

op::Binding Deriver::bound(const Values& v) const {
  op::Binding b = base_;
  b.symbols = v;
  return b;
}

bool Deriver::within(const Values& v, double limit) const {
  const Result<double> work = case_work(spec_, bound(v));
  return work && *work <= limit && shapes_fit(v);
}

const std::optional<Values>& Deriver::shrunk_default() {
  if (!shrunk_default_) shrunk_default_ = shrink({}, limit_);
  return *shrunk_default_;
}

std::optional<std::vector<std::vector<double>>> Deriver::result_of(const op::Binding& b) const {
  const auto outputs = ordinary_outputs(spec_, b, 0, stop_);
  if (!outputs) return {};
  std::vector<std::vector<double>> all;
  for (const auto& [name, t] : *outputs) {
    all.push_back(t.value);
    all.emplace_back(t.integer.begin(), t.integer.end());
  }
  return all;
}

Values Deriver::small_defaults() const {
  Values keep;
  for (const auto& [s, v] : defaults_)
    if (v <= 16) keep[s] = v;
  return keep;
}

std::map<std::string, std::string> Deriver::multiples() const {
  std::map<std::string, std::string> out;
  for (const auto& [a, va] : defaults_) {
    std::string best;
    for (const auto& [b, vb] : defaults_)
      if (vb > 1 && vb < va && va % vb == 0 && (best.empty() || vb > defaults_.at(best))) best = b;
    if (!best.empty()) out[a] = best;
  }
  return out;
}

bool Deriver::try_all(const Pattern& p, const std::map<std::string, std::size_t>& start,
                      const std::vector<Values>& fixed) {
  return std::any_of(fixed.begin(), fixed.end(), [&](const Values& keep) { return try_fit(p, start, keep, {}); });
}

bool Deriver::try_fit(const Pattern& p, std::map<std::string, std::size_t> level, const Values& keep,
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

int Deriver::missing_differences(const Values& v) const {
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

bool Deriver::accept(const std::string& name, const op::Binding& b) {
  for (const Case& c : all)
    if (c.binding == b) return false;
  if (!ordinary_outputs(spec_, b, 0, stop_)) return false;
  all.push_back({name, b});
  return true;
}

}  // namespace ww::gate
