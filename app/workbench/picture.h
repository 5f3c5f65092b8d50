// SPDX-License-Identifier: GPL-3.0-or-later
// The window for scripts: screenshots, and its contents as JSON. Each ends the program.
#pragma once
#include <QString>

namespace ww::widgets {

class MainWindow;

void screenshot_when_settled(MainWindow& window, const QString& file, bool wait_for_run);
void report_when_settled(MainWindow& window, const QString& file);

}  // namespace ww::widgets
