// SPDX-License-Identifier: GPL-3.0-or-later
// The window's dialogs and how each is opened, for their pictures and the test that looks through them.
#pragma once
#include <QString>
#include <functional>
#include <vector>

namespace ww::widgets {

class MainWindow;

struct NamedDialog {
  QString name;
  std::function<void()> open;  // it may appear a moment later; Escape closes it
};
// A candidate must be selected. Those behind questions that rarely come are shown with made-up facts.
std::vector<NamedDialog> dialogs_of(MainWindow& window);

}  // namespace ww::widgets
