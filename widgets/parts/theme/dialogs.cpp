// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/dialogs.h"
#include <QAbstractSpinBox>
#include <QApplication>
#include <QDialog>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcutEvent>
#include "parts/theme/controls.h"

namespace ww::widgets {

namespace {

QWidget* window_below(const QDialog* dialog) {
  return dialog->parentWidget() ? dialog->parentWidget()->window() : nullptr;
}

// The dialog that is in front of all that block the window; null: none blocks it.
QDialog* blocker_of(const QWidget* window) {
  QDialog* found = nullptr;
  for (bool more = true; more;) {
    more = false;
    for (QWidget* top : QApplication::topLevelWidgets())
      if (auto* dialog = qobject_cast<QDialog*>(top);
          dialog && dialog->isVisible() && dialog->isModal() && window_below(dialog) == window) {
        window = found = dialog;
        more = true;
        break;
      }
  }
  return found;
}

bool takes_text(const QWidget* w) {
  return qobject_cast<const QLineEdit*>(w) || qobject_cast<const QPlainTextEdit*>(w) ||
         qobject_cast<const QAbstractSpinBox*>(w);
}

bool has_typed_text(const QDialog* dialog) {
  for (const QLineEdit* edit : dialog->findChildren<QLineEdit*>())
    if (edit->isModified() && !edit->text().isEmpty()) return true;
  for (const QPlainTextEdit* edit : dialog->findChildren<QPlainTextEdit*>())
    if (edit->document()->isModified() && !edit->document()->isEmpty()) return true;
  return false;
}

class DiscardQuestion : public QObject {
 public:
  explicit DiscardQuestion(QDialog* dialog) : QObject(dialog), dialog_(dialog) { dialog->installEventFilter(this); }

 protected:
  bool eventFilter(QObject* object, QEvent* event) override {
    if (object != dialog_) return false;
    const bool leaves =
        event->type() == QEvent::Close ||
        (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Cancel));
    if (!leaves || !dialog_->isVisible() || !has_typed_text(dialog_)) return false;
    event->ignore();
    ask();
    return true;
  }

 private:
  void ask() {
    auto* box = with_id(new QMessageBox(QMessageBox::Question, QDialog::tr("Discard the text"),
                                        QDialog::tr("Discard what you typed?"), QMessageBox::NoButton, dialog_),
                        "discard_text");
    auto* yes = with_id(box->addButton(QDialog::tr("&Discard"), QMessageBox::DestructiveRole), "discard_text_yes");
    QPushButton* no = with_id(box->addButton(QDialog::tr("&Keep editing"), QMessageBox::RejectRole), "discard_text_no");
    box->setDefaultButton(no);
    box->setEscapeButton(no);
    connect(yes, &QPushButton::clicked, dialog_, &QDialog::reject);
    open_once(box);
  }
  QDialog* dialog_;
};

}  // namespace

bool open_once(QDialog* dialog) {
  for (QWidget* top : QApplication::topLevelWidgets()) {
    auto* open = qobject_cast<QDialog*>(top);
    if (!open || open == dialog || !open->isVisible() || open->objectName() != dialog->objectName() ||
        open->metaObject() != dialog->metaObject() || window_below(open) != window_below(dialog))
      continue;
    open->raise();
    open->activateWindow();
    dialog->deleteLater();
    return false;
  }
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
  return true;
}

void ask_before_discarding(QDialog* dialog) { new DiscardQuestion(dialog); }

// Of a window that is blocked while it still has the focus; its other keys are dropped by Qt.
bool DialogKeys::take_shortcut(const QShortcutEvent& event) {
  const QWidget* focus = QApplication::focusWidget();
  const QDialog* dialog = focus ? blocker_of(focus->window()) : nullptr;
  if (!dialog) return false;
  const QKeyCombination key = event.key().isEmpty() ? QKeyCombination() : event.key()[0];
  const bool shift = key.keyboardModifiers() == Qt::ShiftModifier;
  const QChar letter(static_cast<char16_t>(key.key() < 0x80 ? key.key() : 0));
  if (QWidget* field = dialog->focusWidget();
      takes_text(field) && letter.isPrint() && (shift || key.keyboardModifiers() == Qt::NoModifier)) {
    QKeyEvent typed(QEvent::KeyPress, key.key(), key.keyboardModifiers(), shift ? letter : letter.toLower());
    QApplication::sendEvent(field, &typed);
  }
  return true;
}

DialogKeys::DialogKeys(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool DialogKeys::eventFilter(QObject* object, QEvent* event) {
  const QEvent::Type type = event->type();
  if (type == QEvent::Shortcut) return take_shortcut(*static_cast<QShortcutEvent*>(event));
  if (type != QEvent::ShortcutOverride && type != QEvent::KeyPress && type != QEvent::KeyRelease) return false;
  auto* widget = qobject_cast<QWidget*>(object);
  if (!widget || QApplication::activePopupWidget()) return false;
  QDialog* dialog = blocker_of(widget->window());
  if (!dialog) return false;
  event->accept();  // no shortcut of the blocked window
  if (type == QEvent::ShortcutOverride) return true;
  const auto* key = static_cast<QKeyEvent*>(event);
  QWidget* field = dialog->focusWidget();
  if (takes_text(field) || key->matches(QKeySequence::Cancel)) {
    QKeyEvent again(type, key->key(), key->modifiers(), key->text(), key->isAutoRepeat());
    QApplication::sendEvent(takes_text(field) ? field : dialog, &again);
  }
  return true;
}

}  // namespace ww::widgets
