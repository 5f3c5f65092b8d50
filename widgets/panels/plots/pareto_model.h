// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <QString>
#include <cstdint>
#include <vector>

namespace ww::widgets {

struct ParetoPoint {
  std::int64_t id;
  double x, y;
  bool front;    // nondominated
  QString name;  // "#12 tiled 64x64"
};

class ParetoModel : public QAbstractTableModel {  // the front first, then by x
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;
  void set_points(const std::vector<ParetoPoint>& points, const QString& x_title, const QString& y_title);
  std::int64_t id_of(const QModelIndex& index) const {
    return index.isValid() ? points_[static_cast<std::size_t>(index.row())].id : 0;
  }
  QModelIndex index_of(std::int64_t candidate) const;
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(points_.size());
  }
  int columnCount(const QModelIndex& = {}) const override { return 4; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<ParetoPoint> points_;
  QString x_, y_;
};

}  // namespace ww::widgets
