// SPDX-License-Identifier: Apache-2.0
#include "gate/branches.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include "evidence/case_kind.h"
#include "gate/case_deriver.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::gate {
namespace {

constexpr std::int64_t unlimited = INT64_MIN;

bool mentions_sizes(const op::Spec& spec, const op::ExprPtr& e) {
  bool found = false;
  if (e)
    op::for_each(*e, [&](const op::Expr& x) {
      found = found ||
              (x.kind == op::ExprKind::name && (std::ranges::count(spec.symbols, x.name) > 0 ||
                                                std::ranges::count(spec.constants, x.name, &op::Constant::name) > 0));
    });
  return found;
}

// As floats: a kernel's parameter may be one.
ptx::ScalarRange finite_range(const op::ResolvedConstant& c) {
  constexpr double most = std::numeric_limits<float>::max();
  const double below_hi = c.hi > most ? most : std::nextafter(c.hi, -INFINITY);
  return {std::max(c.lo, -most), below_hi};
}

// Zero, or a number that no kernel need flush to zero and whose powers stay finite.
bool is_ordinary(double v) {
  constexpr double least = 0x1p-60, most = 0x1p30;
  return v == 0 || (std::abs(v) >= least && std::abs(v) <= most);
}

}  // namespace

Branches::Branches(std::string ptx, const candidate::Candidate& candidate, const op::Spec& spec,
                   const candidate::Tuning& tuning)
    : ptx_(std::move(ptx)), file_(ptx::parse(ptx_)), candidate_(candidate), spec_(spec), tuning_(tuning) {
  if (const auto resolved = op::resolve(spec, {}))
    for (const op::ResolvedConstant& c : resolved->constants)
      if (c.type == op::Type::real) constants_[c.name] = finite_range(c);
  std::set<std::string> launched;
  for (const candidate::Launch& l : candidate.launches) launched.insert(l.kernel);
  for (const ptx::Function& f : file_.functions) {
    if (!f.has_body || !f.is_readable || !launched.contains(std::string(f.name))) continue;
    ptx::SizeConditions conditions(file_, f);
    if (conditions.all().empty()) continue;
    const std::size_t n = conditions.all().size();
    kernels_.try_emplace(std::string(f.name),
                         Kernel{std::move(conditions), std::vector<std::uint8_t>(n), std::vector<bool>(n, false)});
  }
}

std::int64_t Branches::least_of(const op::Expr& e) const {
  using K = op::ExprKind;
  const auto of = [&](std::size_t i) { return least_of(*e.args[i]); };
  if (e.kind == K::integer) return e.integer;
  if (e.kind == K::name) {
    if (std::ranges::count(spec_.symbols, e.name) > 0) return 1;
    const auto tuned = tuning_.find(e.name);
    return tuned == tuning_.end() ? unlimited : tuned->second;
  }
  if (e.args.size() != 2) return unlimited;
  const std::int64_t a = of(0), b = of(1);
  if (e.kind == K::call && e.name == "max") return std::max(a, b);
  if (a < 0 || b < 0) return unlimited;
  if (e.kind == K::call) return e.name == "min" ? std::min(a, b) : e.name == "ceildiv" ? (a > 0 ? 1 : 0) : unlimited;
  if (e.kind != K::binary) return unlimited;
  switch (e.binary) {
    case op::BinaryOp::add: return a + b;
    case op::BinaryOp::mul: return std::min<double>(static_cast<double>(a) * static_cast<double>(b), 1e15);
    case op::BinaryOp::div:
    case op::BinaryOp::mod: return 0;
    default: return unlimited;
  }
}

ptx::ScalarLaunch Branches::launch_of(const candidate::PlannedLaunch& planned, const candidate::Launch& written) const {
  ptx::ScalarLaunch out;
  out.grid = planned.grid, out.block = planned.block;
  for (std::size_t i = 0; i < 3; ++i) {
    out.fixed[i] = !mentions_sizes(spec_, written.block[i]);
    out.fixed[3 + i] = !mentions_sizes(spec_, written.grid[i]);
  }
  for (std::size_t i = 0; i < planned.args.size(); ++i) {
    const candidate::PlannedArg& a = planned.args[i];
    ptx::ScalarArgument s;
    s.known = a.kind != candidate::PlannedArg::Kind::tensor;
    s.integer = a.integer, s.real = a.real;
    if (a.kind == candidate::PlannedArg::Kind::integer && i < written.args.size()) s.least = least_of(*written.args[i]);
    if (i < written.args.size() && written.args[i]->kind == op::ExprKind::name)
      if (const auto c = constants_.find(written.args[i]->name); c != constants_.end()) s.range = c->second;
    out.arguments.push_back(s);
  }
  return out;
}

std::map<std::string, std::vector<std::uint8_t>> Branches::seen_in(const candidate::Plan& plan) const {
  std::map<std::string, std::vector<std::uint8_t>> out;
  for (std::size_t i = 0; i < plan.launches.size() && i < candidate_.launches.size(); ++i) {
    const auto kernel = kernels_.find(plan.launches[i].kernel);
    if (kernel == kernels_.end()) continue;
    using Value = ptx::SizeConditions::Value;
    const auto values = kernel->second.conditions.values(launch_of(plan.launches[i], candidate_.launches[i]));
    std::vector<std::uint8_t>& seen = out[kernel->first];
    seen.resize(values.size());
    for (std::size_t c = 0; c < values.size(); ++c)
      seen[c] |= values[c] == Value::yes ? seen_yes : values[c] == Value::no ? seen_no : 0;
  }
  return out;
}

void Branches::forget() {
  noted_.clear();
  for (auto& [name, kernel] : kernels_) std::ranges::fill(kernel.seen, std::uint8_t{0});
}

void Branches::note(const op::Binding& binding, const candidate::Plan& plan) {
  if (kernels_.empty() || std::ranges::find(noted_, binding) != noted_.end()) return;
  noted_.push_back(binding);
  for (const auto& [name, seen] : seen_in(plan)) {
    Kernel& kernel = kernels_.at(name);
    for (std::size_t c = 0; c < seen.size(); ++c) kernel.seen[c] |= seen[c];
  }
  for (std::size_t i = 0; i < plan.launches.size() && i < candidate_.launches.size(); ++i)
    if (const auto kernel = kernels_.find(plan.launches[i].kernel); kernel != kernels_.end()) {
      const auto open = kernel->second.conditions.open(launch_of(plan.launches[i], candidate_.launches[i]));
      for (std::size_t c = 0; c < open.size(); ++c) kernel->second.open[c] = kernel->second.open[c] || open[c];
    }
}

evidence::SizeBranches Branches::counts() const {
  evidence::SizeBranches out;
  std::set<int> lines;
  for (const auto& [name, kernel] : kernels_)
    for (std::size_t c = 0; c < kernel.seen.size(); ++c) {
      if (!kernel.open[c] || kernel.seen[c] == 0) continue;  // nothing seen: another condition leads away from it
      ++out.all;
      if (kernel.seen[c] != seen_both) lines.insert(kernel.conditions.all()[c].line);
    }
  out.untried.assign(lines.begin(), lines.end());
  return out;
}

// Looks for sizes and constants with which one condition comes out as wanted.
class BranchSearch {
 public:
  BranchSearch(Branches& branches, Deriver& deriver, const std::vector<Case>& known, double most_work,
               std::uint64_t seed, std::stop_token stop)
      : branches_(branches),
        deriver_(deriver),
        base_(known.front().binding),
        most_work_(most_work),
        stop_(std::move(stop)),
        random_(seed) {}

  bool find(const std::string& kernel, std::size_t condition, std::uint8_t wanted, const std::string& name) {
    kernel_ = kernel, condition_ = condition, wanted_ = wanted, name_ = name;
    return from_cases() || by_one_symbol() || by_two_symbols() || by_bits() || by_constants() || by_draws();
  }

 private:
  static constexpr int most_tries = 3000, refused_costs = 60, most_draws = 60'000;
  static constexpr std::int64_t most_size = 1 << 22;
  static constexpr std::int64_t bases[] = {1, 2, 3, 4, 8, 16, 32, 5};

  const ptx::SizeConditions::Condition& condition() const {
    return branches_.kernels_.at(kernel_).conditions.all()[condition_];
  }
  std::optional<candidate::Plan> plan_of(const op::Binding& b) {
    --left_;
    auto plan = candidate::plan(branches_.candidate_, branches_.spec_, b, branches_.tuning_);
    return plan ? std::optional(std::move(*plan)) : std::nullopt;
  }
  bool given_up() const { return left_ <= 0 || stop_.stop_requested(); }

  // Whether the case makes the condition come out as wanted, and was added.
  bool is_it(const op::Binding& b) {
    if (given_up()) return false;
    const auto plan = plan_of(b);
    if (!plan) return false;
    const auto seen = branches_.seen_in(*plan);
    const auto at = seen.find(kernel_);
    if (at == seen.end() || (at->second[condition_] & wanted_) == 0) return false;
    const bool added = candidate::claims(branches_.candidate_, branches_.spec_, b, branches_.tuning_).value_or(false) &&
                       deriver_.add_exactly(name_, b, most_work_);
    if (!added) left_ -= refused_costs;
    return added;
  }

  std::vector<double> distances(const op::Binding& b) {
    const auto plan = plan_of(b);
    if (plan)
      for (std::size_t i = 0; i < plan->launches.size() && i < branches_.candidate_.launches.size(); ++i)
        if (plan->launches[i].kernel == kernel_)
          return branches_.kernels_.at(kernel_).conditions.distances(
              condition(), branches_.launch_of(plan->launches[i], branches_.candidate_.launches[i]));
    return {};
  }

  // Sizes of one symbol at and beside which a side of the condition equals the other.
  std::set<std::int64_t> roots(op::Binding b, const std::string& symbol) {
    std::set<std::int64_t> out;
    const auto at = [&](std::int64_t size) {
      b.symbols[symbol] = size;
      return distances(b);
    };
    std::vector<std::pair<std::int64_t, std::vector<double>>> steps;
    for (std::int64_t size = 1; size <= most_size && !given_up(); size *= 2) steps.emplace_back(size, at(size));
    for (std::size_t i = 0; i + 1 < steps.size(); ++i)
      for (std::size_t k = 0; k < steps[i].second.size() && k < steps[i + 1].second.size(); ++k) {
        auto [low, high] = std::pair(steps[i].first, steps[i + 1].first);
        const double first = steps[i].second[k];
        if (first == 0) out.insert({low, low + 1, std::max<std::int64_t>(1, low - 1)});
        if (std::isnan(first) || (first > 0) == (steps[i + 1].second[k] > 0)) continue;
        while (high - low > 1 && !given_up()) {
          const std::int64_t middle = (low + high) / 2;
          const std::vector<double> d = at(middle);
          if (k >= d.size() || std::isnan(d[k])) break;
          ((d[k] > 0) == (first > 0) ? low : high) = middle;
        }
        for (const std::int64_t size : {low - 1, low, high, high + 1})
          if (size >= 1) out.insert(size);
      }
    return out;
  }

  op::Binding with_others(std::int64_t size) const {
    op::Binding b = base_;
    for (const std::string& s : branches_.spec_.symbols) b.symbols[s] = size;
    return b;
  }
  op::Binding with_small_defaults(std::int64_t size) const {
    op::Binding b = with_others(size);
    for (const auto& [s, value] : base_.symbols)
      if (value <= 16) b.symbols[s] = value;
    return b;
  }

  // Roots and small sizes of a symbol, the others as in `b`.
  bool along(op::Binding b, const std::string& symbol, std::int64_t scanned) {
    const std::set<std::int64_t> found = roots(b, symbol);
    for (const std::int64_t size : found)
      if (std::pair root(symbol, size); std::ranges::find(roots_, root) == roots_.end()) roots_.push_back(root);
    for (const std::int64_t size : found) {
      b.symbols[symbol] = size;
      if (is_it(b)) return true;
    }
    for (std::int64_t size = 1; size <= scanned && !given_up(); ++size) {
      b.symbols[symbol] = size;
      if (is_it(b)) return true;
    }
    return false;
  }

  // From the latest cases, of which one may have come to what guards the condition.
  bool from_cases() {
    constexpr std::size_t most_cases = 6;
    constexpr std::int64_t scanned = 64;
    left_ = most_tries;
    std::size_t tried = 0;
    for (std::size_t i = branches_.noted_.size(); i-- > 0 && tried < most_cases;) {
      const op::Binding& b = branches_.noted_[i];
      const auto plan = plan_of(b);
      if (!plan || !reaches(*plan)) continue;
      ++tried;
      for (const std::string& s : branches_.spec_.symbols)
        if (along(b, s, scanned)) return true;
    }
    return false;
  }
  bool reaches(const candidate::Plan& plan) const {
    const auto seen = branches_.seen_in(plan);
    const auto at = seen.find(kernel_);
    return at != seen.end() && at->second[condition_] != 0;
  }

  bool by_one_symbol() {
    constexpr std::int64_t scanned = 1500;
    left_ = most_tries;
    for (const std::int64_t base : bases)
      for (const op::Binding& others : {with_others(base), with_small_defaults(base)})
        for (const std::string& s : branches_.spec_.symbols) {
          if (given_up()) return false;
          if (along(others, s, base == 2 ? scanned : 0)) return true;
        }
    return false;
  }

  // A root of one comparison for one symbol, then one of another comparison for another.
  bool by_two_symbols() {
    constexpr std::int64_t scanned = 16;
    left_ = most_tries;
    const auto all = roots_;
    for (const auto& [first, size] : all)
      for (const std::string& s : branches_.spec_.symbols) {
        if (s == first) continue;
        if (given_up()) return false;
        op::Binding b = with_small_defaults(2);
        b.symbols[first] = size;
        if (along(std::move(b), s, scanned)) return true;
      }
    return false;
  }

  // Bit by bit nearer to where the sides of a comparison are equal: for sizes that are read as bits (counts of ones,
  // masks). By the smallest sizes that are nearer, or by the nearest on the same side, as a number is put together from
  // its highest bit down.
  enum class Step { smallest, same_side };
  bool by_bits() {
    constexpr std::int64_t one_high_bit = 4096;
    std::vector<op::Binding> starts{with_small_defaults(2), with_others(1), base_};
    for (const std::string& s : branches_.spec_.symbols) {
      starts.push_back(with_small_defaults(2));
      starts.back().symbols[s] = one_high_bit;
    }
    for (const Step step : {Step::smallest, Step::same_side}) {
      left_ = most_tries;
      for (op::Binding b : starts)
        for (double from = distance(b); from != 0 && !std::isnan(from);) {
          const std::optional<op::Binding> next = nearer(b, from, step);
          if (!next) break;
          b = *next, from = distance(b);
          if (is_it(b)) return true;
        }
    }
    return false;
  }
  // Of the sizes that differ in one bit of one symbol, or of all.
  std::optional<op::Binding> nearer(const op::Binding& b, double from, Step step) {
    constexpr int bits = 14;
    const std::vector<std::string>& symbols = branches_.spec_.symbols;
    std::optional<op::Binding> best;
    double least = std::numeric_limits<double>::infinity();
    for (int bit = 0; bit < bits; ++bit)
      for (std::size_t which = 0; which <= symbols.size(); ++which) {
        op::Binding next = b;
        double elements = 1;
        for (std::size_t i = 0; i < symbols.size(); ++i) {
          std::int64_t& size = next.symbols[symbols[i]];
          if (which == i || which == symbols.size()) size ^= std::int64_t{1} << bit;
          elements *= static_cast<double>(size);
        }
        if (elements < 1 || (step == Step::smallest && elements >= least)) continue;
        if (given_up()) return std::nullopt;
        const double d = distance(next), far = std::fabs(d);
        if (std::isnan(d) || far >= std::fabs(from) || (step == Step::same_side && d * from < 0)) continue;
        const double rank = step == Step::smallest ? elements : far;
        if (rank < least) least = rank, best = std::move(next);
      }
    return best;
  }
  double distance(const op::Binding& b) {  // of the sides that are nearest; NaN: not known
    double least = std::numeric_limits<double>::quiet_NaN();
    for (const double d : distances(b))
      if (std::isnan(least) || std::fabs(d) < std::fabs(least)) least = d;
    return least;
  }

  // Values of a constant at which a side of the condition may equal the other: the numbers in it, zero, and where a
  // straight line through two values meets it.
  std::vector<double> meeting(const op::Constant& c) {
    std::vector<double> out = branches_.kernels_.at(kernel_).conditions.numbers(condition());
    out.push_back(0);
    op::Binding b = with_small_defaults(2);
    const auto at = [&](double v) {
      b.constants[c.name] = v;
      return distances(b);
    };
    const std::vector<double> first = at(1), second = at(2);
    for (std::size_t k = 0; k < first.size() && k < second.size(); ++k)
      if (const double root = 1 - first[k] / (second[k] - first[k]); std::isfinite(root))
        out.push_back(c.type == op::Type::integer ? std::round(root) : static_cast<float>(root));
    return out;
  }

  bool by_constants() {
    left_ = most_tries;
    for (const op::Constant& c : branches_.spec_.constants)
      for (const double n : meeting(c))
        for (const op::Binding& sizes : {with_small_defaults(5), with_small_defaults(2), base_}) {
          const bool whole = c.type == op::Type::integer;
          const auto narrow = static_cast<float>(n);
          const double far = whole ? 2 : std::max(1.0, std::abs(n));  // what is next to it may compute nearly the same
          for (const double v : {n, n + far, n - far, whole ? n + 1 : std::nextafter(narrow, INFINITY),
                                 whole ? n - 1 : std::nextafter(narrow, -INFINITY)}) {
            if (!is_ordinary(v)) continue;
            op::Binding b = sizes;
            b.constants[c.name] = v;
            if (is_it(b)) return true;
          }
        }
    return false;
  }

  // Of any sizes, for what only few combinations satisfy (remainders of several sums, bits of several sizes), and where
  // one symbol, beside others of any size, makes the sides equal (sums of squares).
  bool by_draws() {
    constexpr std::int64_t most_of[] = {64, 256, 1024, 2048};
    const std::vector<std::string>& symbols = branches_.spec_.symbols;
    const int budget = std::min(most_draws, draws_left_);
    const std::size_t kept = roots_.size();
    draws_left_ -= budget;
    for (const bool solved : {false, true}) {
      left_ = solved ? budget / 3 : budget;
      while (!given_up() && !symbols.empty()) {
        op::Binding b = with_small_defaults(2);
        const std::uint64_t most = static_cast<std::uint64_t>(most_of[random_() % std::size(most_of)]);
        for (const std::string& s : symbols)
          if (random_() % 8 != 0) b.symbols[s] = static_cast<std::int64_t>(1 + random_() % most);
        if (solved ? along(b, symbols[random_() % symbols.size()], 0) : is_it(b)) return true;
        roots_.resize(kept);
      }
    }
    return false;
  }

  Branches& branches_;
  Deriver& deriver_;
  const op::Binding& base_;
  const double most_work_;
  const std::stop_token stop_;
  std::string kernel_, name_;
  std::size_t condition_ = 0;
  std::uint8_t wanted_ = 0;
  int left_ = 0, draws_left_ = 2 * most_draws;  // of one condition, of all
  std::mt19937_64 random_;
  std::vector<std::pair<std::string, std::int64_t>> roots_;  // of symbols, of all conditions looked for
};

Result<std::vector<Case>> Branches::untried_cases(const std::vector<Case>& known, const CaseOptions& options,
                                                  double most_work, int count, std::uint64_t seed) {
  std::vector<Case> out;
  if (known.empty() || kernels_.empty()) return out;
  Deriver deriver(spec_, known, options);
  BranchSearch search(*this, deriver, known, most_work, seed, options.stop);
  for (auto& [name, kernel] : kernels_)
    for (std::size_t c = 0; c < kernel.seen.size(); ++c) {
      if (static_cast<int>(out.size()) >= count || kernel.seen[c] == seen_both || !kernel.open[c]) continue;
      if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
      for (const std::uint8_t wanted : {seen_no, seen_yes}) {
        if ((kernel.seen[c] & wanted) != 0) continue;
        if (!search.find(name, c, wanted, evidence::case_names::branching + std::to_string(out.size() + 1))) continue;
        Case found = deriver.all.back();
        if (found.binding.constants != known.front().binding.constants)
          found.name = evidence::case_names::constants + std::string("branch ") + std::to_string(out.size() + 1);
        if (auto plan = candidate::plan(candidate_, spec_, found.binding, tuning_)) note(found.binding, *plan);
        out.push_back(std::move(found));
      }
    }
  return out;
}

}  // namespace ww::gate
