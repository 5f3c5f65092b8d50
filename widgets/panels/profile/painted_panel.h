// SPDX-License-Identifier: GPL-3.0-or-later
// A profiler panel with a painted chart: bars, stacks, flows. Pointer and arrow keys reach each spot, which shows its
// numbers and may be selectable.
#pragma once
#include <functional>
#include "panels/profile/profile_panel.h"

class QPainter;

namespace ww::widgets {

struct ChartSpot {  // a part of the picture with a tooltip
  QRectF rect;
  QString text;  // its tooltip
  int key = -1;  // returned when selected; -1: not selectable
};

class ChartCanvas : public QWidget {
  Q_OBJECT
 public:
  using Paint = std::function<QList<ChartSpot>(QPainter&, const QSize&)>;
  ChartCanvas(Paint paint, std::function<int(int)> height, QWidget* parent);
  const QList<ChartSpot>& spots() const { return spots_; }
  void redraw();  // the painted data changed

 signals:
  void chosen(int key);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  int spot_at(const QPointF& at) const;
  void go_to(int spot);
  Paint paint_;
  std::function<int(int)> height_;
  QList<ChartSpot> spots_;
  int here_ = -1;  // the keyboard's position
};

class PaintedPanel : public ProfilePanel {
  Q_OBJECT
 public:
  const ChartCanvas* canvas() const { return canvas_; }

 protected:
  PaintedPanel(const Context& context, const char* id, const QString& title, const QString& empty);
  virtual QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const = 0;
  virtual int chart_height(int width) const = 0;  // the height it needs
  virtual void spot_chosen(int key);
  void update_chart() override;
  void draw_chart(QCPPainter* painter, const QSize& size) override;
  QSize export_size() const override;
  int chart_space(int width) const override;

 private:
  ChartCanvas* canvas_;
};

struct BarRow {  // one item, with a bar for each candidate that has it
  QString label, tooltip;
  struct Bar {
    int series;
    double value;
    QString text;
    QString change = {};  // against the baseline candidate
  };
  QList<Bar> bars;
  int key = -1;
};
struct StackRow {      // one line of parts that add up
  QString label, end;  // end: after the parts
  struct Piece {
    double value;
    int style;
    QString text, tooltip;
    bool gap = false;
  };
  QList<Piece> pieces;
};
// axis: what the lengths are, in a line above them; empty: the numbers say it.
int bars_height(const QList<BarRow>& rows, const QFont& font, const QString& axis = {});
QList<ChartSpot> paint_bars(QPainter& painter, const QSize& size, const QList<BarRow>& rows, double most,
                            const QString& axis = {});  // most: the value at the right end
int stacks_height(const QList<StackRow>& rows, const QFont& font);
QList<ChartSpot> paint_stacks(QPainter& painter, const QSize& size, const QList<StackRow>& rows, double most);
// A box in the colour and pattern of a series, light enough for text on it.
void fill_series(QPainter& painter, const QRectF& box, int series);

}  // namespace ww::widgets
