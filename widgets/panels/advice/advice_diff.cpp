// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/advice/advice_diff.h"
#include <algorithm>

namespace ww::widgets {

AdviceDiff advice_diff(const ProfileView& baseline, const ProfileView& candidate) {
  const auto has = [](const ProfileView& view, const profile::Advice& a) {
    return std::any_of(view.advice.begin(), view.advice.end(),
                       [&](const profile::Advice& other) { return other.id == a.id; });
  };
  AdviceDiff diff;
  for (const profile::Advice& a : candidate.advice) (has(baseline, a) ? diff.kept : diff.fresh).append(a);
  for (const profile::Advice& a : baseline.advice)
    if (!has(candidate, a)) diff.gone.append(a);
  return diff;
}

}  // namespace ww::widgets
