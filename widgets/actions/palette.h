// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette: type a few letters of an action, Return runs it.
#pragma once
#include <QDialog>

class QLineEdit;
class QListWidget;

namespace ww::widgets {

class Registry;

// How well `typed` fits `text`: its letters in order, better at beginnings of words; 0 when it does not fit.
int fuzzy_score(const QString& typed, const QString& text);

class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(const Registry& registry, QWidget* parent);
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void filter();
  void run_current();
  const Registry& registry_;
  QLineEdit* input_;
  QListWidget* list_;
};

}  // namespace ww::widgets
