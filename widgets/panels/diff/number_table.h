// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of two candidates and their change, as a table: sortable by any column, searchable, optionally only
// changed ones, copied as CSV.
#pragma once
#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QWidget>
#include <vector>
#include "diff/numbers.h"

class QCheckBox;
class QLineEdit;
class QTableView;
class QToolButton;

namespace ww::widgets {

class Label;

class NumberModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Left, Right, Change, Percent, Noise, Source, ColumnCount };
  enum Role { SortRole = Qt::UserRole + 1, ChangedRole, WordsRole };
  using QAbstractTableModel::QAbstractTableModel;
  void set_rows(std::vector<diff::NumberRow> rows);
  const std::vector<diff::NumberRow>& rows() const { return rows_; }
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<diff::NumberRow> rows_;
};

class NumberTable : public QWidget {
  Q_OBJECT
 public:
  explicit NumberTable(QWidget* parent = nullptr);
  void set_rows(std::vector<diff::NumberRow> rows);
  QString csv() const;  // the visible rows, in visible order
  QTableView* table() const { return table_; }
  NumberModel* model() const { return model_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void lay_out();
  void count();
  NumberModel* model_;
  class NumberFilter* filter_;
  QLineEdit* words_;
  QCheckBox* changed_;
  Label* counts_;
  QTableView* table_;
};

}  // namespace ww::widgets
