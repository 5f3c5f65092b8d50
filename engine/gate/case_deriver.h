// SPDX-License-Identifier: Apache-2.0
// Finds bindings of a spec's symbols and constants for cases (gate/cases.h): within a limit of work, with valid shapes,
// each different from those before. Not thread-safe.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>
#include "gate/cases.h"
#include "op/program.h"
#include "op/work.h"

namespace ww::gate {

using Values = std::map<std::string, std::int64_t>;

class Deriver {
 public:
  Deriver(const op::Spec& spec, const op::Binding& base, const Values& defaults, const CaseOptions& options)
      : spec_(spec),
        base_(base),
        defaults_(defaults),
        stop_(options.stop),
        limit_(options.case_limit > 0 ? options.case_limit : 2e6) {}
  // Beside known cases, the default first.
  Deriver(const op::Spec& spec, const std::vector<Case>& known, const CaseOptions& options)
      : Deriver(spec, known.front().binding, known.front().binding.symbols, options) {
    all = known;
  }

  std::vector<Case> all;  // those found are appended to those of the caller

  void add_patterns();  // adds the cases tiny, ones, odd, prime … that fit
  // One symbol as long as the work allows, if possible beyond 65,536. The others are small, have the default's small
  // values, or (dimensions under a window) are slightly longer if they are longer in the default.
  void add_long(const std::string& name, const std::string& symbol);
  // `first`: value of the first other symbol if the work allows it; 0: none.
  std::vector<Values> of_length(const std::string& symbol, std::int64_t length, std::int64_t first = 0);
  bool add_of_length(const std::string& name, const std::string& symbol, std::int64_t length, double limit,
                     std::int64_t first = 0);
  // This case, if its work is within the limit and the spec allows it.
  bool add_exactly(const std::string& name, const op::Binding& binding, double limit) {
    return within_constants(binding, limit) && op::has_elements(spec_, binding) && accept(name, binding);
  }
  // The other symbols have the default's sizes, but at most `most`.
  bool add_beside(const std::string& name, const std::string& symbol, std::int64_t length, std::int64_t most,
                  double limit) {
    Values v = defaults_;
    for (auto& [s, size] : v) size = s == symbol ? length : std::min(size, most);
    return within(v, limit) && accept(name, v);
  }
  // The other symbols take any value that fits, or one beyond a warp.
  bool add_compared(const std::string& name, const std::string& symbol, std::int64_t length,
                    const std::function<std::uint64_t()>& draw);
  // A product of sizes just above `product`, or just below; the other symbols are small. most_work: 0: as usual.
  bool add_of_product(const std::string& name, const std::string& symbol, std::int64_t product, bool above,
                      const std::function<std::uint64_t()>& draw, double most_work = 0);
  // Lengthens one symbol until `wanted` accepts the case.
  bool add_longer(const std::string& name, const std::function<bool(const op::Binding&)>& wanted, double most_work);
  // Adds cases of small, distinct values until each pair of symbols differs in three cases.
  void tell_apart();
  // Values drawn from `seed`, as large as the work allows. With `constants`, those are drawn, too.
  std::optional<Case> random(const std::string& name, std::uint64_t seed, const op::Resolved* constants,
                             bool all_constants);
  // Small values, and integer constants that may exceed them. `turn` rotates which constants are one or two larger than
  // the spec's, beyond all sizes, or arbitrary.
  std::optional<Case> small(const std::string& name, std::uint64_t seed, int turn, const op::Resolved& own,
                            const std::function<bool(const op::Binding&)>& wanted);
  // Small values, and real constants of the other sign, beyond one or zero, where the results stay finite: a slope that
  // is negative or above one, limits in the wrong order, no eps.
  // `turn`: which of the constants between 0 and 1 go beyond 1, one bit for each.
  std::optional<Case> afar(const std::string& name, std::uint64_t seed, unsigned turn, const op::Resolved& own);
  // Small values, and two real constants exchanged, if that changes a finite result.
  std::optional<Case> exchanged(const std::string& name, const op::ResolvedConstant& a, const op::ResolvedConstant& b);
  // The sizes of another case with other constants, if those change the result.
  std::optional<Case> twin(const std::string& name, const Case& of, std::uint64_t seed, const op::Resolved& own);
  // The integer constants that change the result or its shape if reset to the spec's value.
  std::set<std::string> felt(const op::Binding& b, const op::Resolved& own) const;
  // The default with its symbols halved in this order until it is small enough, and further while that case exists.
  void add_halved(const char* name, const std::vector<std::string>& order);
  // Halves even symbols until the work is within the limit: the first one of `order` that is even (empty order: the
  // largest).
  std::optional<Values> shrink(const std::vector<std::string>& order, double limit) const;
  op::Binding bound(const Values& v) const;
  bool within(const Values& v, double limit) const;
  bool shapes_fit(const Values& v) const { return op::has_elements(spec_, bound(v)); }  // every tensor has elements

 private:
  bool within_constants(const op::Binding& b, double limit) const;
  struct Pattern;
  static const std::vector<Pattern>& patterns();
  void add_pattern(const Pattern& p);
  const std::optional<Values>& shrunk_default();
  // The values of the outputs on ordinary inputs.
  std::optional<std::vector<std::vector<double>>> result_of(const op::Binding& b) const;
  Values small_defaults() const;
  // symbol -> the nearest smaller one that divides it in the default
  std::map<std::string, std::string> multiples() const;
  bool try_all(const Pattern& p, const std::map<std::string, std::size_t>& start, const std::vector<Values>& fixed);
  bool try_fit(const Pattern& p, std::map<std::string, std::size_t> level, const Values& keep,
               const std::map<std::string, std::string>& ties);
  // How many more cases all pairs of symbols need to differ often enough, if `v` is added.
  int missing_differences(const Values& v) const;
  bool accept(const std::string& name, const Values& v) { return accept(name, bound(v)); }
  bool accept(const std::string& name, const op::Binding& b);

  const op::Spec& spec_;
  const op::Binding& base_;
  const Values& defaults_;
  const std::stop_token stop_;
  const double limit_;
  // The default, shrunk to `limit_`; computed on first use.
  std::optional<std::optional<Values>> shrunk_default_;
};

}  // namespace ww::gate
