// SPDX-License-Identifier: Apache-2.0
// Finds bindings of a spec's symbols and constants that suit a case: within a limit of work, of shapes that fit, each
// unlike those before. For gate/cases.h. One thread at a time.
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

  std::vector<Case> all;  // those found, after those that the caller put there

  void add_patterns();  // tiny, ones, odd, prime … as many as fit
  // One symbol as long as the work allows, beyond 65,536 where it does; the others small, the default's small ones, or
  // (what a window slides over) a little longer where they are longer in the default.
  void add_long(const std::string& name, const std::string& symbol);
  // `first`: of the others, where the work allows it; 0: none.
  std::vector<Values> of_length(const std::string& symbol, std::int64_t length, std::int64_t first = 0);
  bool add_of_length(const std::string& name, const std::string& symbol, std::int64_t length, double limit,
                     std::int64_t first = 0);
  // The others as they come, or beyond a warp.
  bool add_compared(const std::string& name, const std::string& symbol, std::int64_t length,
                    const std::function<std::uint64_t()>& draw);
  // Sizes whose product, with those of a few other symbols that are small, is next to `product`: above or below it.
  bool add_of_product(const std::string& name, const std::string& symbol, std::int64_t product,
                      const std::function<std::uint64_t()>& draw);
  // As long as `wanted` asks for.
  bool add_longer(const std::string& name, const std::function<bool(const op::Binding&)>& wanted);
  // Until each pair of symbols differs in three cases: small values that are all different, tried in turn.
  void tell_apart();
  // Values drawn from `seed`, as large as the work allows; constants: those of the spec, too.
  std::optional<Case> random(const std::string& name, std::uint64_t seed, const op::Resolved* constants,
                             bool all_constants);
  // Small values, and whole constants that may be larger than they are.
  // `turn`: which constants are one or two larger than the spec's, beyond all sizes, or anything, rotates with it.
  std::optional<Case> small(const std::string& name, std::uint64_t seed, int turn, const op::Resolved& own,
                            const std::function<bool(const op::Binding&)>& wanted);
  // The sizes of another case with other constants, where that changes the result.
  std::optional<Case> twin(const std::string& name, const Case& of, std::uint64_t seed, const op::Resolved& own);
  // The whole constants of which each, set back to the spec's own, would change the result or its shape.
  std::set<std::string> felt(const op::Binding& b, const op::Resolved& own) const;
  // The default, halved in this order of symbols until it is small enough; halved again while it is one that is already
  // there.
  void add_halved(const char* name, const std::vector<std::string>& order);
  // Halves even symbols: the first of `order` that still can be (an empty order: the largest) until the work is within
  // the limit.
  std::optional<Values> shrink(const std::vector<std::string>& order, double limit) const;
  op::Binding bound(const Values& v) const;
  bool within(const Values& v, double limit) const;
  bool shapes_fit(const Values& v) const { return op::has_elements(spec_, bound(v)); }  // no tensor is empty

 private:
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
  // How many times, over all pairs of symbols, a case in which they differ is missing; `v`: one case more.
  int missing_differences(const Values& v) const;
  bool accept(const std::string& name, const Values& v) { return accept(name, bound(v)); }
  bool accept(const std::string& name, const op::Binding& b);

  const op::Spec& spec_;
  const op::Binding& base_;
  const Values& defaults_;
  const std::stop_token stop_;
  const double limit_;
  // The default, small enough for `limit_`; made when first asked for.
  std::optional<std::optional<Values>> shrunk_default_;
};

}  // namespace ww::gate
