// SPDX-License-Identifier: GPL-3.0-or-later
// The panels that need only the context: created here, one line each, in the order of the View menu; and their places
// in each workspace.
#pragma once
#include <QString>
#include <vector>
#include "session/context.h"

class QWidget;

namespace ww::widgets {

struct PanelEntry {
  QString id, title;  // id: the dock's object name, stored in layouts
  QWidget* panel;     // without a parent yet
};
std::vector<PanelEntry> make_panels(const Context& context);

}  // namespace ww::widgets
