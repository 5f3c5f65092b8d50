// SPDX-License-Identifier: GPL-3.0-or-later
// The log: runs, verdicts and warnings, in order. Keeps the newest `capacity` lines.
#pragma once
#include <QAbstractTableModel>
#include <QTime>
#include <deque>
#include "store/states.h"

namespace ww::widgets {

class LogModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  static constexpr int capacity = 5000;
  struct Line {
    QTime time;
    store::MessageLevel level = store::MessageLevel::unknown;
    QString text;
  };
  explicit LogModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(lines_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : 2; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void add(const QList<Line>& lines);
  void clear();

 private:
  std::deque<Line> lines_;
};

}  // namespace ww::widgets
