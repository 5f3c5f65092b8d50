// SPDX-License-Identifier: GPL-3.0-or-later
// Why warps did not issue. *measured*: as the share of a warp's time between two instructions (counters), or by samples
// of the program counter. In plain words.
#pragma once
#include <QList>
#include <QString>
#include "session/profile_view.h"

namespace ww::widgets {

QString stall_title(const std::string& reason);    // "long_scoreboard" -> "Waits for global memory"
QString stall_meaning(const std::string& reason);  // what it is, and what to do; empty: not known
bool stall_is_none(const std::string& reason);     // "selected": the warp issued

enum class StallSource : std::uint8_t { counters, samples };
struct StallPart {
  std::string reason;
  double amount;
};  // amount: cycles an instruction, or samples
struct StallProfile {
  QString what;            // "" of the whole plan, else the kernel
  QList<StallPart> parts;  // largest first, only those above 0
  double total = 0;
};
// One of each launch that has them; empty with the reason.
QList<StallProfile> stall_profiles(const ProfileView& view, StallSource source, QString* why_not);

struct StallLine {
  int line;
  double samples;
  std::string main;
  double main_samples;
};
QList<StallLine> stall_lines(const ProfileView& view);  // most samples first; without those of no line

}  // namespace ww::widgets
