// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the columns of a table and their order. Changes apply at once.
#pragma once
#include <QDialog>
#include <functional>

class QListWidget;

namespace ww::widgets {

class CandidateColumns;
class Label;

class ColumnDialog : public QDialog {
  Q_OBJECT
 public:
  // `reset` restores the default columns.
  ColumnDialog(CandidateColumns* columns, std::function<void()> reset, QWidget* parent);
  QListWidget* list() const { return list_; }

 private:
  void fill(int logical);  // making this one current
  void move(int step);
  void show_choice();  // in the list's items
  CandidateColumns* columns_;
  QListWidget* list_;
  Label* no_room_;
};

}  // namespace ww::widgets
