// SPDX-License-Identifier: Apache-2.0
#include "gate/cases.h"
#include <algorithm>
#include "evidence/case_kind.h"
#include "gate/case_deriver.h"
#include "gate/case_plan.h"
#include "op/parse.h"
#include "op/work.h"

namespace ww::gate {

namespace names = evidence::case_names;

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
  deriver.add_patterns();
  for (const std::string& s : spec.symbols)
    deriver.add_long(s == spec.symbols.front()  ? names::tall
                     : s == spec.symbols.back() ? names::wide
                                                : names::longest + s,
                     s);
  deriver.tell_apart();
  std::vector<std::string> order = spec.symbols;
  deriver.add_halved(names::flat, order);
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
  Deriver deriver(spec, known, options);
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
  int made = 0, turn = 0, failed = 0;
  for (int i = 0; !felt.empty() && i < tries_each * most_small && made < most_small; ++i) {
    if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    std::set<std::string> now;
    const auto fresh = [&](const op::Binding& b) {
      now = wanted({names::constants, b}) ? deriver.felt(b, resolved) : std::set<std::string>();
      const bool late = i >= tries_each * most_small / 2;  // one more of what was felt before will do
      return std::any_of(now.begin(), now.end(),
                         [&](const std::string& c) { return late || felt[c] < most_small / 2; });
    };
    std::optional<Case> c =
        deriver.small(names::constants + std::to_string(with_constants + made + 1), draw(), turn, resolved, fresh);
    if (!c) {
      constexpr int patience = 4;
      if (++failed % patience == 0) ++turn;
      continue;
    }
    ++turn, failed = 0;
    for (const std::string& name : now) ++felt[name];
    out.push_back(std::move(*c)), ++made;
  }
  if (spec.constants.empty()) return out;
  const auto name = [&] { return names::constants + std::to_string(with_constants + made + 1); };
  const bool real =
      std::ranges::any_of(resolved.constants, [](const op::ResolvedConstant& c) { return c.type == op::Type::real; });
  const int all = made + (real ? constants_afar : 0);
  for (int i = 0; i < tries_each * constants_afar && made < all; ++i)
    if (std::optional<Case> c = deriver.afar(name(), draw(), static_cast<unsigned>(i), resolved); c && wanted(*c))
      out.push_back(std::move(*c)), ++made;
  int exchanged = 0;
  for (std::size_t i = 0; i < resolved.constants.size(); ++i)
    for (std::size_t k = i + 1; k < resolved.constants.size() && exchanged < constants_exchanged; ++k) {
      const op::ResolvedConstant &a = resolved.constants[i], &b = resolved.constants[k];
      if (a.type != op::Type::real || b.type != op::Type::real || a.real == b.real) continue;
      if (std::optional<Case> c = deriver.exchanged(name(), a, b); c && wanted(*c))
        out.push_back(std::move(*c)), ++made, ++exchanged;
    }
  std::vector<Case> by_work = known;
  std::stable_sort(by_work.begin(), by_work.end(), [&](const Case& a, const Case& b) {
    return case_work(spec, a.binding).value_or(0) < case_work(spec, b.binding).value_or(0);
  });
  for (const Case& c : by_work) {
    if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    std::optional<Case> twin = deriver.twin(name(), c, draw(), resolved);
    if (!twin || !wanted(*twin)) continue;
    out.push_back(std::move(*twin));
    break;
  }
  return out;
}

Result<std::vector<Case>> cases_of_other_ways(const op::Spec& spec, const std::vector<Case>& known,
                                              const CaseOptions& options,
                                              const std::function<Way(const op::Binding&)>& way,
                                              const std::function<bool(const Case&)>& wanted, double most_work,
                                              int count) {
  std::vector<Case> out;
  std::set<Way> ways;
  for (const Case& c : known)
    if (wanted(c)) ways.insert(way(c.binding));
  if (known.empty() || spec.symbols.empty() || ways.contains({})) return out;
  Deriver deriver(spec, known, options);
  while (static_cast<int>(out.size()) < count) {
    if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    const std::string name = names::planned + std::to_string(out.size() + 1);
    const auto new_way = [&](const op::Binding& b) {
      const Way of = way(b);
      return !of.empty() && !ways.contains(of) && wanted({name, b});
    };
    if (!deriver.add_longer(name, new_way, most_work)) break;
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
  Deriver deriver(spec, known, options);
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
  const auto before = static_cast<std::size_t>(
      std::ranges::count_if(known, [](const Case& c) { return c.name.starts_with(names::compared); }));
  while (!all.empty() && static_cast<int>(out.size()) < count) {
    if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    std::swap(all[draw() % all.size()], all.back());
    const Wanted next = std::move(all.back());
    all.pop_back();
    constexpr std::int64_t beside[] = {0, 1, 1, -1};
    const std::string name = names::compared + std::to_string(before + out.size() + 1);
    const std::int64_t step = next.how == How::beside ? beside[draw() % std::size(beside)] : 0;
    if (!(next.how == How::product ? deriver.add_of_product(name, next.symbol, next.size, draw() % 2 == 0, draw)
                                   : deriver.add_compared(name, next.symbol, next.size + step, draw)))
      continue;
    if (wanted(deriver.all.back()))
      out.push_back(deriver.all.back());
    else
      deriver.all.pop_back();
  }
  return out;
}

namespace {

// What the cases reach at most.
struct Reached {
  Values defaults;
  std::map<std::string, std::int64_t> sizes;  // where the other sizes are not small
  double product = 0, blocks = 0;
  static constexpr std::int64_t not_small = 33;
  void add(const Case& c, double blocks_of) {
    double all = 1;
    for (const auto& [symbol, size] : c.binding.symbols) {
      const bool beside = std::ranges::all_of(c.binding.symbols, [&, &s = symbol](const auto& other) {
        return other.first == s || other.second >= std::min(not_small, defaults[other.first]);
      });
      if (beside) sizes[symbol] = std::max(sizes[symbol], size);
      all *= static_cast<double>(size);
    }
    product = std::max(product, all);
    blocks = std::max(blocks, blocks_of);
  }
};

}  // namespace

Result<std::vector<Case>> beyond_cases(const op::Spec& spec, const std::vector<Case>& known, const CaseOptions& options,
                                       const std::vector<std::int64_t>& numbers, double most_work,
                                       const std::function<double(const op::Binding&)>& blocks,
                                       const std::function<std::uint64_t()>& draw,
                                       const std::function<bool(const Case&)>& wanted, int count) {
  constexpr double margin = 1.05;
  std::vector<Case> out;
  if (known.empty() || spec.symbols.empty()) return out;
  Deriver deriver(spec, known, options);
  Reached reached;
  reached.defaults = known.front().binding.symbols;
  using evidence::CaseKind;
  const bool reduced =
      std::ranges::any_of(known, [](const Case& c) { return evidence::case_kind(c.name) == CaseKind::reduced; });
  for (const Case& c : known)
    if (wanted(c) && !(reduced && evidence::case_kind(c.name) == CaseKind::asked)) reached.add(c, blocks(c.binding));
  const auto take = [&](bool added) {
    if (!added) return false;
    if (wanted(deriver.all.back())) {
      out.push_back(deriver.all.back());
      reached.add(out.back(), blocks(out.back().binding));
      return true;
    }
    deriver.all.pop_back();
    return false;
  };
  const auto name = [&] { return names::compared + std::to_string(out.size() + 1); };
  const auto of_product = [&](double product) {
    for (const std::string& s : spec.symbols)
      if (take(deriver.add_of_product(name(), s, static_cast<std::int64_t>(product), true, draw, most_work))) return;
  };
  const auto of_size = [&](const std::string& s, std::int64_t size) {
    for (const std::int64_t others : {Reached::not_small, std::int64_t{17}, std::int64_t{9}, std::int64_t{5}})
      if (take(deriver.add_beside(name(), s, size, others, most_work / 4))) return;
    take(deriver.add_of_length(name(), s, size, most_work));
  };
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {  // the largest covers the others
    if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    const std::int64_t n = *number;
    const auto at = static_cast<double>(n);
    for (const std::string& s : spec.symbols)
      if (static_cast<int>(out.size()) < count && n >= reached.sizes[s]) of_size(s, n + 2);
    if (static_cast<int>(out.size()) < count && at >= reached.product) of_product(at);
    if (static_cast<int>(out.size()) < count && reached.blocks > 1 && at >= reached.blocks)
      of_product(margin * reached.product * (at + 1) / reached.blocks);
  }
  return out;
}

Result<std::vector<Case>> wrapping_cases(const op::Spec& spec, const std::vector<Case>& known,
                                         const CaseOptions& options, const std::vector<std::int64_t>& wraps,
                                         const std::function<std::uint64_t()>& draw,
                                         const std::function<bool(const Case&)>& wanted, int count) {
  std::vector<Case> out;
  if (known.empty() || spec.symbols.empty()) return out;
  Deriver deriver(spec, known, options);
  for (const std::int64_t wrap : wraps) {
    if (static_cast<int>(out.size()) >= count) break;
    if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    const std::string name = names::wrapping + std::to_string(out.size() + 1);
    const std::size_t first = draw() % spec.symbols.size();
    for (std::size_t i = 0; i < spec.symbols.size(); ++i) {
      const std::string& symbol = spec.symbols[(first + i) % spec.symbols.size()];
      if (!deriver.add_of_product(name, symbol, wrap, true, draw)) continue;
      if (wanted(deriver.all.back())) {
        out.push_back(deriver.all.back());
        break;
      }
      deriver.all.pop_back();
    }
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
