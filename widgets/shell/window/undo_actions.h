// SPDX-License-Identifier: GPL-3.0-or-later
// Undo and Redo of the menu: of the text with the focus if it has something to undo, else of the last note, tag or pin.
#pragma once
#include <QObject>
#include <QPointer>
#include <QWidget>

class QAction;
class QUndoStack;

namespace ww::widgets {

class UndoActions : public QObject {
  Q_OBJECT
 public:
  UndoActions(QUndoStack* stack, QWidget* window);
  QAction* undo() const { return undo_; }
  QAction* redo() const { return redo_; }
  void refresh();  // before the menu opens: texts do not tell when they change

 private:
  QUndoStack* stack_;
  QPointer<QWidget> focus_;
  QAction* undo_;
  QAction* redo_;
};

}  // namespace ww::widgets
