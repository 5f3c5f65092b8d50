// SPDX-License-Identifier: GPL-3.0-or-later
// A lineage as a tree of rows, for keyboards, screen readers and text.
#pragma once
#include <QAbstractItemModel>
#include <memory>
#include "panels/lineage/lineage_graph.h"

namespace ww::widgets {

class LineageModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { Name, Verdict, Result, Step, Asked, ColumnCount };
  using QAbstractItemModel::QAbstractItemModel;
  void set_graph(std::shared_ptr<const LineageGraph> graph);
  std::int64_t id_of(const QModelIndex& index) const;  // 0: none
  QModelIndex index_of(std::int64_t candidate) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& = {}) const override { return ColumnCount; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const std::vector<int>& below(int node) const;  // -1: the roots
  std::shared_ptr<const LineageGraph> graph_;
  std::vector<int> row_;  // each node's index among its siblings
};

}  // namespace ww::widgets
