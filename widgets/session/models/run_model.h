// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the workspace, newest first.
#pragma once
#include <QAbstractTableModel>
#include <QHash>
#include <vector>
#include "store/workspace.h"

namespace ww::widgets {

class RunModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Number, Op, When, Accepted, State, Device, Generator, ColumnCount };
  explicit RunModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(runs_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void set_runs(const std::vector<store::RunRecord>& runs, const std::vector<std::int64_t>& live);
  void set_run(const store::RunRecord& run);  // again, with other counts; ignored unless it is listed
  void set_shown(std::int64_t run);
  std::int64_t id_at(int row) const { return runs_[static_cast<std::size_t>(row)].id; }
  int row_of(std::int64_t id) const;
  const std::vector<store::RunRecord>& runs() const { return runs_; }
  store::RunState state_of(const store::RunRecord& run) const;  // interrupted where its process died

 private:
  QString op_text(const store::RunRecord& run) const;
  std::vector<store::RunRecord> runs_;
  mutable QHash<std::int64_t, QString> sizes_;  // by run; a run's never change
  std::vector<std::int64_t> live_;              // in progress, in this program or another
  std::int64_t shown_ = 0;
};

}  // namespace ww::widgets
