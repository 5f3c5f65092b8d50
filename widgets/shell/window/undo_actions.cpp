// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/undo_actions.h"
#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QUndoStack>
#include <Qsci/qsciscintilla.h>

namespace ww::widgets {
namespace {

enum class Way { undo, redo };

bool has_step(Way way) {
  QWidget* text = QApplication::focusWidget();
  const bool back = way == Way::undo;
  if (const auto* line = qobject_cast<QLineEdit*>(text))
    return back ? line->isUndoAvailable() : line->isRedoAvailable();
  if (const auto* code = qobject_cast<QsciScintilla*>(text))
    return !code->isReadOnly() && (back ? code->isUndoAvailable() : code->isRedoAvailable());
  if (const auto* plain = qobject_cast<QPlainTextEdit*>(text))
    return !plain->isReadOnly() && (back ? plain->document()->isUndoAvailable() : plain->document()->isRedoAvailable());
  return false;
}

// Of the text with the focus, if it has a step to take; its slots have these names in every kind of text.
bool take_step(Way way) {
  return has_step(way) && QMetaObject::invokeMethod(QApplication::focusWidget(), way == Way::undo ? "undo" : "redo");
}

}  // namespace

UndoActions::UndoActions(QUndoStack* stack, QWidget* window)
    : QObject(window), stack_(stack), undo_(new QAction(tr("&Undo"), window)), redo_(new QAction(tr("&Redo"), window)) {
  undo_->setStatusTip(tr("Undo what was typed last, or the last note, tag, pin or decision"));
  redo_->setStatusTip(tr("Redo the last undone change"));
  connect(undo_, &QAction::triggered, this, [this] {
    if (!take_step(Way::undo)) stack_->undo();
  });
  connect(redo_, &QAction::triggered, this, [this] {
    if (!take_step(Way::redo)) stack_->redo();
  });
  connect(stack_, &QUndoStack::indexChanged, this, &UndoActions::refresh);
  connect(qApp, &QApplication::focusChanged, this, &UndoActions::refresh);
  refresh();
}

void UndoActions::refresh() {
  const auto show = [](QAction* action, const QString& verb, bool typed, bool can, const QString& what) {
    action->setEnabled(typed || can);
    action->setText(typed ? tr("%1 typing").arg(verb) : what.isEmpty() ? verb : verb + " " + what);
  };
  show(undo_, tr("&Undo"), has_step(Way::undo), stack_->canUndo(), stack_->undoText());
  show(redo_, tr("&Redo"), has_step(Way::redo), stack_->canRedo(), stack_->redoText());
}

}  // namespace ww::widgets
