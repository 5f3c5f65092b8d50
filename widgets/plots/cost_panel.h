// SPDX-License-Identifier: GPL-3.0-or-later
// Cost of the accepted candidates in the order in which they were proposed, with the best so far. A click selects the candidate.
#pragma once
#include <QWidget>
#include "models/candidate_model.h"

class QCustomPlot;
class QLabel;
class QStackedLayout;
class QTimer;

namespace ww::widgets {

class CostPanel : public QWidget {
  Q_OBJECT
 public:
  explicit CostPanel(const CandidateModel* model, QWidget* parent = nullptr);
  void show_selected(std::int64_t candidate);
  int points() const { return static_cast<int>(points_.size()); }

 signals:
  void candidate_chosen(std::int64_t candidate);

 private:
  void replot();
  void hover(QMouseEvent* event);
  int nearest(const QPoint& at) const;           // point within reach of the pointer; -1: none
  struct Point { std::int64_t id; double number, cost; QString name; };
  const CandidateModel* model_;
  QVector<Point> points_;
  std::int64_t selected_ = 0;
  QStackedLayout* pages_;
  QCustomPlot* plot_;
  QTimer* timer_;
};

}  // namespace ww::widgets
