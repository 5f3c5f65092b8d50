// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/undo_actions.h"
#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QUndoStack>
#include <Qsci/qsciscintilla.h>

namespace ww::widgets {
namespace {

enum class Way { undo, redo };

bool has_step(const QWidget* text, Way way) {
  const bool back = way == Way::undo;
  if (const auto* line = qobject_cast<const QLineEdit*>(text))
    return back ? line->isUndoAvailable() : line->isRedoAvailable();
  if (const auto* code = qobject_cast<const QsciScintilla*>(text))
    return !code->isReadOnly() && (back ? code->isUndoAvailable() : code->isRedoAvailable());
  if (const auto* plain = qobject_cast<const QPlainTextEdit*>(text))
    return !plain->isReadOnly() && (back ? plain->document()->isUndoAvailable() : plain->document()->isRedoAvailable());
  return false;
}

// If there is a step to take; the slots have these names in every kind of text.
bool take_step(QWidget* text, Way way) {
  return has_step(text, way) && QMetaObject::invokeMethod(text, way == Way::undo ? "undo" : "redo");
}

}  // namespace

UndoActions::UndoActions(QUndoStack* stack, QWidget* window)
    : QObject(window), stack_(stack), undo_(new QAction(tr("&Undo"), window)), redo_(new QAction(tr("&Redo"), window)) {
  undo_->setStatusTip(tr("Undo what was typed last, or the last note, tag, pin or decision"));
  redo_->setStatusTip(tr("Redo the last undone change"));
  connect(undo_, &QAction::triggered, this, [this] {
    if (!take_step(focus_, Way::undo)) stack_->undo();
  });
  connect(redo_, &QAction::triggered, this, [this] {
    if (!take_step(focus_, Way::redo)) stack_->redo();
  });
  connect(stack_, &QUndoStack::indexChanged, this, &UndoActions::refresh);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    if (!qobject_cast<QMenuBar*>(now)) focus_ = now;  // an open menu is about what had the focus before
    refresh();
  });
  refresh();
}

void UndoActions::refresh() {
  const auto show = [](QAction* action, const QString& verb, bool typed, bool can, const QString& what) {
    action->setEnabled(typed || can);
    action->setText(typed ? tr("%1 typing").arg(verb) : what.isEmpty() ? verb : verb + " " + what);
  };
  show(undo_, tr("&Undo"), has_step(focus_, Way::undo), stack_->canUndo(), stack_->undoText());
  show(redo_, tr("&Redo"), has_step(focus_, Way::redo), stack_->canRedo(), stack_->redoText());
}

}  // namespace ww::widgets
