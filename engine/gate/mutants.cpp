// SPDX-License-Identifier: Apache-2.0
#include "gate/mutants.h"
#include <algorithm>
#include <map>
#include "base/draw.h"
#include "base/hash.h"
#include "evidence/verdict_json.h"
#include "gate/case_plan.h"
#include "gate/cases.h"
#include "gate/compare.h"
#include "gate/distributions.h"
#include "gate/reference.h"
#include "op/mutate.h"

namespace ww::gate {
namespace {

using evidence::Survival;

constexpr double most_work_of_case = 3e4;
constexpr double most_work_of_one = 2e6;  // where no case is as small
constexpr double least_work = 4e3;        // that an evaluation costs, however small its case
constexpr std::uint64_t seed = 0x6d7574616e747321;

struct Alive {
  const op::Mutant* mutant = nullptr;
  bool undefined = false, differs = false;  // somewhere
  bool tried = false;                       // on some set
};

std::vector<std::byte> rounded(const op::ReferenceTensor& t) {
  const std::size_t size = dtype_size(t.dtype), n = is_real(t.dtype) ? t.value.size() : t.integer.size();
  std::vector<std::byte> bytes(n * size);
  for (std::size_t i = 0; i < n; ++i)
    if (is_real(t.dtype))
      store_f64(t.dtype, &bytes[i * size], t.value[i]);
    else
      store_i64(t.dtype, &bytes[i * size], t.integer[i]);
  return bytes;
}

class Telling {
 public:
  Telling(const op::Spec& spec, const std::vector<op::Mutant>& mutants, double most_work, std::stop_token stop)
      : spec_(spec), most_work_(most_work), stop_(std::move(stop)) {
    for (const op::Mutant& m : mutants) alive_.push_back({&m});
  }

  // Whether the set tells apart a mutant that was alive.
  Result<bool> try_set(const op::Binding& binding, op::Distribution distribution) {
    if (alive_.empty()) return false;
    if (done_ >= most_work_) {
      all_tried_ = false;
      return false;
    }
    const double work = std::max(least_work, case_work(spec_, binding).value_or(0));
    const InputSet set{binding, distribution, seed + number_++, {}};
    const auto reference = make_reference(spec_, set, 1, stop_);
    if (!reference && reference.error().code == Code::cancelled) return fail(reference.error());
    if (!reference) return false;  // an op whose subscripts depend on values may not be defined there
    const std::size_t before = alive_.size();
    std::vector<Alive> left;
    for (Alive& a : alive_) {
      if (stop_.stop_requested()) return fail(Code::cancelled, "cancelled");
      done_ += work;
      a.tried = true;
      if (!told(a, binding, **reference)) left.push_back(a);
    }
    alive_ = std::move(left);
    return alive_.size() < before;
  }

  Status try_all(const std::vector<TriedCase>& cases) {
    for (const TriedCase& c : cases)
      for (const op::Distribution d : c.sets) WW_TRY(try_set(c.what.binding, d));
    return {};
  }

  const std::vector<Alive>& alive() const { return alive_; }

  Survival why_alive(const Alive& a) const {
    if (a.undefined) return Survival::undefined;
    if (a.differs) return Survival::within_bound;
    return a.tried && all_tried_ ? Survival::equal : Survival::not_tried;
  }

 private:
  bool told(Alive& a, const op::Binding& binding, const Reference& reference) {
    op::EvaluateOptions options;
    options.bounds = false;
    options.threads = 1;
    options.stop = stop_;
    const auto outputs = op::evaluate(a.mutant->spec, binding, reference.inputs, options);
    if (!outputs) a.undefined = true;
    if (!outputs) return false;
    for (const auto& [name, expected] : reference.outputs) {
      const std::vector<std::byte> actual = rounded(outputs->at(name));
      if (actual == rounded(expected)) continue;
      a.differs = true;
      const Result<Comparison> compared = compare(name, expected, actual, 1);
      if (compared && compared->worst) return true;
    }
    return false;
  }

  const op::Spec& spec_;
  const double most_work_;  // of all evaluations
  const std::stop_token stop_;
  std::vector<Alive> alive_;
  std::uint64_t number_ = 0;  // of the set
  double done_ = 0;           // work
  bool all_tried_ = true;     // no set was left out for its work
};

evidence::MutantCounts counts_of(std::size_t all, const Telling& telling) {
  evidence::MutantCounts counts;
  counts.all = static_cast<int>(all);
  counts.told_apart = static_cast<int>(all - telling.alive().size());
  const auto count_of = [&](Survival why) -> int& {
    switch (why) {
      case Survival::undefined: return counts.undefined;
      case Survival::within_bound: return counts.within_bound;
      case Survival::equal: return counts.equal;
      case Survival::not_tried:
      case Survival::unknown: break;
    }
    return counts.not_tried;
  };
  for (const Alive& a : telling.alive()) {
    const Survival why = telling.why_alive(a);
    ++count_of(why);
    if (why != Survival::undefined && counts.survivors.size() < evidence::most_survivors)
      counts.survivors.push_back({a.mutant->kind, why, a.mutant->target, a.mutant->before, a.mutant->after});
  }
  return counts;
}

std::vector<TriedCase> small_ones(const op::Spec& spec, const std::vector<TriedCase>& cases) {
  std::vector<std::pair<double, const TriedCase*>> by_work;
  for (const TriedCase& c : cases)
    if (const auto work = case_work(spec, c.what.binding)) by_work.emplace_back(*work, &c);
  std::ranges::stable_sort(by_work, {}, &std::pair<double, const TriedCase*>::first);
  std::vector<TriedCase> out;
  for (const auto& [work, c] : by_work)
    if (work <= most_work_of_case || (out.empty() && work <= most_work_of_one)) out.push_back(*c);
  return out;
}

// As a judgement draws them.
Result<std::vector<Case>> drawn_cases(const op::Spec& spec, const std::vector<TriedCase>& fixed, const Claimed& claimed,
                                      const std::stop_token& stop) {
  std::vector<Case> known;
  for (const TriedCase& c : fixed) known.push_back(c.what);
  CaseOptions options;
  options.case_limit = most_work_of_case;
  options.stop = stop;
  std::uint64_t draws = 0;
  return random_cases(
      spec, known, options, [&] { return splitmix(seed + draws++); }, claimed, random_shapes);
}

}  // namespace

Result<ToldApart> tell_apart(const op::Spec& spec, const std::vector<TriedCase>& fixed, const Claimed& claimed,
                             std::stop_token stop, double most_work) {
  const std::vector<op::Mutant> mutants = op::mutants_of(spec);
  Telling telling(spec, mutants, most_work, stop);
  std::vector<TriedCase> small = small_ones(spec, fixed);
  WW_TRY(telling.try_all(small));
  if (!telling.alive().empty()) {
    std::vector<TriedCase> drawn;
    for (Case& c : WW_TRY(drawn_cases(spec, fixed, claimed, stop)))
      drawn.push_back({std::move(c), {op::Distribution::normal, op::Distribution::rows}});
    drawn = small_ones(spec, drawn);
    WW_TRY(telling.try_all(drawn));
    small.insert(small.end(), drawn.begin(), drawn.end());
  }
  ToldApart out;
  std::vector<op::Distribution> all = distributions_for(spec, true);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const TriedCase& c : small)
    for (const op::Distribution d : all) {
      if (std::ranges::count(c.sets, d) > 0) continue;
      if (WW_TRY(telling.try_set(c.what.binding, d))) out.further.push_back({c.what.name, d});
    }
  out.counts = counts_of(mutants.size(), telling);
  return out;
}

Result<ToldApart> MutantCache::get(const op::Spec& spec, const std::vector<TriedCase>& cases, const Claimed& claimed,
                                   std::stop_token stop) {
  constexpr std::size_t most = 16;
  Hasher hasher;
  hasher.field(spec.text);
  for (const TriedCase& c : cases) {
    hasher.field(c.what.name).field(evidence::binding_to_json(c.what.binding));
    for (const op::Distribution d : c.sets) hasher.field(op::distribution_name(d));
  }
  const std::string key = hasher.hex();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, told] : known_)
      if (known == key) return told;
  }
  ToldApart told = WW_TRY(tell_apart(spec, cases, claimed, std::move(stop)));
  const std::lock_guard lock(mutex_);
  known_.emplace_front(key, told);
  if (known_.size() > most) known_.pop_back();
  return told;
}

}  // namespace ww::gate
