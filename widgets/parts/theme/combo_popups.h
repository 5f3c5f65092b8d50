// SPDX-License-Identifier: GPL-3.0-or-later
// The list of a combo box is as wide as its widest entry, however narrow the box is.
#pragma once
#include <QObject>

namespace ww::widgets {

class ComboPopups : public QObject {
  Q_OBJECT
 public:
  explicit ComboPopups(QObject* parent);  // for the whole application

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
};

}  // namespace ww::widgets
