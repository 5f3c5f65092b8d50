// SPDX-License-Identifier: GPL-3.0-or-later
// The tags of one or several candidates: check boxes for existing ones, and a field for a new one.
#pragma once
#include <QDialog>

class QLineEdit;
class QListWidget;

namespace ww::widgets {

class Marks;

class TagDialog : public QDialog {
  Q_OBJECT
 public:
  TagDialog(Marks* marks, QList<std::int64_t> candidates, QWidget* parent);
  void accept() override;

 private:
  Marks* marks_;
  QList<std::int64_t> candidates_;
  QLineEdit* fresh_;
  QListWidget* list_;
};

}  // namespace ww::widgets
