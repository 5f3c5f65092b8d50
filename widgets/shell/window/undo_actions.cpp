// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/undo_actions.h"
#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QUndoStack>
#include <Qsci/qsciscintilla.h>
#include <functional>

namespace ww::widgets {
namespace {

enum class Way { undo, redo };

// What takes the step back in the text with the focus; empty where there is no such text or nothing to take back.
std::function<void()> in_text(Way way) {
  QWidget* text = QApplication::focusWidget();
  const bool back = way == Way::undo;
  if (auto* line = qobject_cast<QLineEdit*>(text); line && !line->isReadOnly()) {
    if (back ? line->isUndoAvailable() : line->isRedoAvailable()) return [=] { back ? line->undo() : line->redo(); };
  } else if (auto* code = qobject_cast<QsciScintilla*>(text); code && !code->isReadOnly()) {
    if (back ? code->isUndoAvailable() : code->isRedoAvailable()) return [=] { back ? code->undo() : code->redo(); };
  } else if (auto* plain = qobject_cast<QPlainTextEdit*>(text); plain && !plain->isReadOnly()) {
    if (back ? plain->document()->isUndoAvailable() : plain->document()->isRedoAvailable())
      return [=] { back ? plain->undo() : plain->redo(); };
  }
  return {};
}

}  // namespace

UndoActions::UndoActions(QUndoStack* stack, QWidget* window)
    : QObject(window), stack_(stack), undo_(new QAction(tr("&Undo"), window)), redo_(new QAction(tr("&Redo"), window)) {
  undo_->setStatusTip(tr("Undo what was typed last, or the last note, tag, pin or decision"));
  redo_->setStatusTip(tr("Redo the last undone change"));
  connect(undo_, &QAction::triggered, this, [this] {
    if (const auto step = in_text(Way::undo)) return step();
    stack_->undo();
  });
  connect(redo_, &QAction::triggered, this, [this] {
    if (const auto step = in_text(Way::redo)) return step();
    stack_->redo();
  });
  connect(stack_, &QUndoStack::indexChanged, this, &UndoActions::refresh);
  connect(stack_, &QUndoStack::cleanChanged, this, &UndoActions::refresh);
  connect(qApp, &QApplication::focusChanged, this, &UndoActions::refresh);
  refresh();
}

void UndoActions::refresh() {
  const auto show = [](QAction* action, const QString& verb, bool typed, bool can, const QString& what) {
    action->setEnabled(typed || can);
    action->setText(typed ? tr("%1 typing").arg(verb) : what.isEmpty() ? verb : verb + " " + what);
  };
  show(undo_, tr("&Undo"), bool(in_text(Way::undo)), stack_->canUndo(), stack_->undoText());
  show(redo_, tr("&Redo"), bool(in_text(Way::redo)), stack_->canRedo(), stack_->redoText());
}

}  // namespace ww::widgets
