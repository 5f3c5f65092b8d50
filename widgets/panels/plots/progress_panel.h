// SPDX-License-Identifier: GPL-3.0-or-later
// A run over its attempts or over time: the score of each accepted candidate and the best so far; below, the outcomes
// of attempts, stacked by stage of the gate. A click selects.
#pragma once
#include <QWidget>
#include "panels/plots/progress_data.h"
#include "session/context.h"

class QComboBox;
class QCPAxisRect;
class QCPGraph;
class QCustomPlot;
class QMouseEvent;
class QStackedLayout;

namespace ww::widgets {

class Label;
class LazyRefresh;
class RunFactsLoader;
class RunStrip;

class ProgressPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ProgressPanel(const Context& context);
  int points() const { return static_cast<int>(points_.size()); }  // number of accepted candidates with a score
  const ProgressData& data() const { return data_; }
  RunStrip* strip() const { return strip_; }
  QCustomPlot* plot() const { return plot_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Point {
    std::int64_t id;
    double x, score;
  };
  void make_plot(QWidget* parent);
  void on_events(const std::vector<explore::Event>& batch, bool shown);
  void refresh();
  void draw();
  void draw_scores(bool by_time);
  void draw_ends(bool by_time);
  void mark();
  void step(int by);
  int nearest(const QPoint& at) const;
  QString ends_until(double x) const;  // as text
  void hover(QMouseEvent* event);
  Context context_;
  RunFactsLoader* facts_;
  ProgressData data_;
  QHash<std::int64_t, double> arrivals_;  // minutes, of candidates of the live run
  QVector<Point> points_;
  LazyRefresh* refresher_;
  RunStrip* strip_;
  QComboBox* against_;
  QStackedLayout* pages_;
  Label* summary_;
  QCustomPlot* plot_;
  QCPAxisRect* lower_;
  QCPGraph* ring_ = nullptr;
};

}  // namespace ww::widgets
