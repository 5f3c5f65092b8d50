// SPDX-License-Identifier: GPL-3.0-or-later
// The new, gone and kept advice from one candidate to another.
#pragma once
#include <QList>
#include "session/profile_view.h"

namespace ww::widgets {

struct AdviceDiff {
  QList<profile::Advice> fresh, kept, gone;  // fresh and kept as for the candidate, gone as for the baseline
};
AdviceDiff advice_diff(const ProfileView& baseline, const ProfileView& candidate);

}  // namespace ww::widgets
