// SPDX-License-Identifier: GPL-3.0-or-later
// The help page of every action with its key, made from the registry.
#pragma once
#include <QDialog>

namespace ww::widgets {

class Registry;

class ShortcutsPage : public QDialog {
  Q_OBJECT
 public:
  ShortcutsPage(const Registry& registry, QWidget* parent);
};

}  // namespace ww::widgets
