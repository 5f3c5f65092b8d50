// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the columns of a table and their order. Changes apply at once.
#pragma once
#include <QDialog>
#include <functional>

class QHeaderView;
class QListWidget;

namespace ww::widgets {

class ColumnDialog : public QDialog {
  Q_OBJECT
 public:
  // `reset` restores the default columns.
  ColumnDialog(QHeaderView* header, std::function<void()> reset, QWidget* parent);
  QListWidget* list() const { return list_; }

 private:
  void fill(int logical);  // making this one current
  void move(int step);
  QHeaderView* header_;
  QListWidget* list_;
};

}  // namespace ww::widgets
