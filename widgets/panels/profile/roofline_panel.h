// SPDX-License-Identifier: GPL-3.0-or-later
// Log-log roofline (Williams, Waterman, Patterson, CACM 52(4), 2009): the GPU's measured ceilings, and those of its
// datasheet; candidates by their operations per byte and achieved rate. A click or the arrow keys select a point, Enter
// or a double click makes its candidate the current one.
#pragma once
#include <QHash>
#include <QPointF>
#include <QPolygonF>
#include "panels/profile/profile_panel.h"
#include "session/profile_view.h"

class QCPItemText;
class QCheckBox;
class QComboBox;
class QCustomPlot;
class QMouseEvent;

namespace ww::widgets {

class Label;

class RooflinePanel : public ProfilePanel {
  Q_OBJECT
 public:
  explicit RooflinePanel(const Context& context);
  struct Shown {  // a point of the chart
    int profile;
    std::int64_t candidate;
    measure::RoofPoint point;
  };
  const std::vector<Shown>& points() const { return points_; }
  QPointF pixel_of(const Shown& point) const;  // in the plot
  QCustomPlot* plot() const { return plot_; }
  int chosen() const { return chosen_; }  // of points(); -1: none

 protected:
  ProfileTable table() const override;
  QString summary() const override;
  QString why_no_data() const override;
  void take_profiles() override;
  void update_chart() override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  profile::Cache cache() const;
  const profile::Datasheet* sheet() const;
  void draw_ceilings(const std::vector<measure::RoofCeiling>& ceilings, double x_low, double x_high);
  void draw_points();
  struct Along {  // a line that its label follows, in the plot's coordinates
    QPointF from, to;
    bool below;
  };
  QCPItemText* add_label(double x, double y, const QString& text, Qt::Alignment at, const QColor& color, int rank);
  void add_label(const Along& line, const QString& text, const QColor& color, int rank);
  QPointF pixel_at(const QPointF& coordinates) const;
  bool place_along(QCPItemText* label, const Along& line, QList<QPolygonF>* taken);
  void place_labels();  // lower-ranked ones that would overlap others are left out: tooltips and the table have them
  void choose(int point);
  void make_current();
  int nearest(const QPointF& at) const;
  QString point_text(const Shown& point) const;
  QComboBox* cache_;
  QCheckBox* levels_;
  QCustomPlot* plot_;
  Label* details_;
  std::vector<Shown> points_;
  int chosen_ = -1;
  std::vector<std::pair<int, QCPItemText*>> labels_;  // by rank
  QHash<QCPItemText*, Along> along_;                  // of those, the ones along a line
};

}  // namespace ww::widgets
