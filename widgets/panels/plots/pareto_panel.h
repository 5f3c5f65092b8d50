// SPDX-License-Identifier: GPL-3.0-or-later
// The accepted candidates by any two of their metrics, with the Pareto front. A click selects, dragging a box zooms, a
// double click shows all; keys: left and right move between points, Return opens, + and - zoom, 0 shows all.
#pragma once
#include <QWidget>
#include <vector>
#include "panels/plots/pareto_model.h"
#include "session/context.h"

class QCPItemText;
class QComboBox;
class QCustomPlot;
class QMouseEvent;
class QStackedLayout;
class QTableView;
class QToolButton;
class QVBoxLayout;

namespace ww::widgets {

class FactsView;
class Label;
class LazyRefresh;
class MetricTable;

class ParetoPanel : public QWidget {
  Q_OBJECT
 public:
  using Point = ParetoPoint;
  explicit ParetoPanel(const Context& context);
  const std::vector<Point>& points() const { return points_; }
  QList<std::int64_t> front() const;  // by x
  QString summary() const;
  QCustomPlot* plot() const { return plot_; }
  void show_table(bool on);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Axis {  // of one metric
    QComboBox* metric;
    QToolButton *logarithmic, *higher;
  };
  Axis make_axis(QLayout* row, const char* name, const QString& title);
  void make_bar(QVBoxLayout* outer);
  void make_views(QVBoxLayout* column);
  void connect_data();
  void connect_plot();
  void choose(Axis& axis);  // another metric: with its own direction and scale
  void refresh();
  void fill_metrics();
  void gather();
  void draw();
  void place_labels();
  void mark();  // selection, baseline, compared
  void mark_compared(const Point& point, int place);
  void describe();
  void fill_table();
  void fit();
  void zoom(double factor);
  void step(int by);
  int nearest(const QPoint& at) const;  // index in points_; -1: none within reach
  void hover(QMouseEvent* event);
  void released(QMouseEvent* event);
  void open(std::int64_t candidate);
  Context context_;
  MetricTable* metrics_;
  LazyRefresh* refresher_;
  bool zoomed_ = false;
  std::size_t known_metrics_ = 0;
  QString score_title_;
  int lacking_ = 0;            // accepted candidates that lack one of the two numbers
  std::vector<Point> points_;  // by x
  struct PointLabel {
    std::int64_t id;
    QPointF at;  // in the axes' numbers
    QCPItemText* words;
  };
  std::vector<PointLabel> labels_;  // of the front
  QList<QCPItemText*> letters_;     // of the comparison
  Axis x_, y_;
  QStackedLayout *pages_, *views_;
  Label* empty_;
  FactsView* summary_;
  QCustomPlot* plot_;
  ParetoModel* model_;
  QTableView* table_;
  QToolButton* toggle_;
  QPoint pressed_;
};

}  // namespace ww::widgets
