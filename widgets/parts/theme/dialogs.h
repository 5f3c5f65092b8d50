// SPDX-License-Identifier: GPL-3.0-or-later
// How dialogs are opened, typed into and left.
#pragma once
#include <QObject>

class QDialog;
class QShortcutEvent;
class QWidget;

namespace ww::widgets {

// Opens a dialog that deletes itself when it is closed. One with the same object name that is open over the same window
// comes to the front instead: `dialog` is deleted then, and the answer is false.
bool open_once(QDialog* dialog);

// Escape and the window's close button ask before a text typed into the dialog is lost; Cancel does not.
void ask_before_discarding(QDialog* dialog);

// Keys that arrive at the window below before an opened dialog has the focus: none of its shortcuts is triggered, and
// what would be typed goes into the dialog's field, if it has one.
class DialogKeys : public QObject {
  Q_OBJECT
 public:
  explicit DialogKeys(QObject* parent);  // for the whole application

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  static bool take_shortcut(const QShortcutEvent& event);
};

}  // namespace ww::widgets
