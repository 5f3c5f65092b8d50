// SPDX-License-Identifier: Apache-2.0
#include "gate/covered.h"
#include <algorithm>
#include <functional>

namespace ww::gate {

void CheckedElements::note(const std::string& case_name, op::Distribution distribution, std::int64_t bounded,
                           std::int64_t total) {
  if (total == 0) return;
  bounded_ += bounded;
  total_ += total;
  unchecked_shares_ += 1 - static_cast<double>(bounded) / static_cast<double>(total);
  ++sets_;
  evidence::UncheckedIn& in = cases_[case_name][distribution];
  in.case_name = case_name;
  in.distribution = distribution;
  in.count += total - bounded;
  in.total += total;
}

evidence::Unchecked CheckedElements::unchecked(const std::string& tensor) const {
  evidence::Unchecked u{tensor, total_ - bounded_, total_, {}, {}, 0};
  for (const auto& [name, sets] : cases_) {
    bool whole = true;
    for (const auto& [distribution, in] : sets) {
      whole = whole && in.whole();
      if (in.count > 0) u.where.push_back(in);
    }
    if (whole) u.whole_cases.push_back(name);
  }
  const auto share = [](const evidence::UncheckedIn& in) {
    return static_cast<double>(in.count) / static_cast<double>(in.total);
  };
  std::ranges::stable_sort(u.where, std::ranges::greater(), share);
  if (u.where.size() > evidence::most_unchecked_listed) {
    u.unlisted = static_cast<int>(u.where.size() - evidence::most_unchecked_listed);
    u.where.resize(evidence::most_unchecked_listed);
  }
  return u;
}

evidence::Tried TriedShapes::tried(const std::vector<std::string>& symbols,
                                   const std::vector<evidence::CaseCoverage>& coverage) const {
  evidence::Tried t;
  t.shapes = static_cast<int>(shapes_.size());
  t.unlisted = static_cast<int>(std::ranges::count_if(shapes_, [&](const auto& shape) {
    return std::ranges::none_of(coverage, [&](const evidence::CaseCoverage& c) {
      return c.binding.symbols == shape.first && c.binding.constants == shape.second;
    });
  }));
  for (const std::string& symbol : symbols) {
    std::set<std::int64_t> values;
    for (const auto& [sizes, constants] : shapes_)
      if (const auto at = sizes.find(symbol); at != sizes.end()) values.insert(at->second);
    if (!values.empty())
      t.sizes.push_back({symbol, *values.begin(), *values.rbegin(), static_cast<int>(values.size())});
  }
  return t;
}

}  // namespace ww::gate
