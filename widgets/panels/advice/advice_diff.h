// SPDX-License-Identifier: GPL-3.0-or-later
// The advice that is new, gone or kept from one candidate to another.
#pragma once
#include <QList>
#include "session/profile_view.h"

namespace ww::widgets {

struct AdviceDiff {
  QList<profile::Advice> fresh, kept, gone;  // fresh and kept as the candidate has them, gone as the baseline has it
};
AdviceDiff advice_diff(const ProfileView& baseline, const ProfileView& candidate);

}  // namespace ww::widgets
