// SPDX-License-Identifier: GPL-3.0-or-later
// The window for scripts: screenshots, and its contents as JSON. Each ends the program.
#pragma once
#include <QString>

namespace ww::widgets {

class MainWindow;

struct Wanted {
  QString screenshot, report;  // files; empty: not wanted
  bool run = false;            // only once a run has ended
};
void write_when_settled(MainWindow& window, const Wanted& wanted);

}  // namespace ww::widgets
