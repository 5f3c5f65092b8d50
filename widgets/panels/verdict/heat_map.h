// SPDX-License-Identifier: GPL-3.0-or-later
// One matrix of an output as a picture with a rectangle per cell; large cells also show their values. The pointer and
// the arrow keys move between cells. If cells are smaller than a pixel, each pixel shows the worst one.
#pragma once
#include <QImage>
#include <QWidget>
#include "evidence/wrong_map.h"

namespace ww::widgets {

enum class HeatOf { expected, actual, error };

struct HeatRange {
  double low = 0, high = 0;                                   // of the finite expected values
  double worst = 1;                                           // error over tolerance, of the finite ones
  bool outside = false, infinite = false, unchecked = false;  // some actual value or error is
};
HeatRange range_of(const evidence::WrongMatrix& matrix);

// The meaning of a colour. `share`: 0 to 1, on the scale of values or of errors.
enum class HeatColor { value, right, wrong, outside, infinite, unchecked };
QColor heat_color(HeatColor what, double share = 0);
QString times_text(double ratio);  // three digits
QColor cell_color(HeatOf what, const evidence::WrongMatrix& matrix, std::size_t cell, const HeatRange& range);

class HeatMap : public QWidget {
  Q_OBJECT
 public:
  HeatMap(HeatOf what, const QString& title, QWidget* parent);
  void show_matrix(int across, int down, const evidence::WrongMatrix& matrix, const HeatRange& range);
  void set_first(int cell);                 // arrows at the edges point to it; -1: none
  void set_cell(int cell);                  // the marked cell; -1: none
  int cell_at(const QPointF& point) const;  // -1: outside the picture
  QPointF middle_of(int cell) const;
  const QImage& image() const { return image_; }  // one pixel per cell
  QImage shown(const QSize& pixels) const;        // scaled to `pixels`, each with the worst cell it covers
  QSize sizeHint() const override { return {300, 300}; }
  QSize minimumSizeHint() const override { return {150, 60}; }

 signals:
  void hovered(int cell);  // -1: none
  void chosen(int cell);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QSizeF cell_size(double room_x, double room_y) const;
  void limit_height();
  QRectF picture() const;
  QRectF cell_rect(int cell) const;
  void paint_cells(QPainter& painter, const QRectF& at) const;  // large ones: with lines between them, and values
  void paint_first(QPainter& painter, const QRectF& at) const;
  QString cell_text(std::size_t cell) const;
  const HeatOf what_;
  int across_ = 0, down_ = 0, cell_ = -1, first_ = -1;
  std::vector<double> values_, badness_;  // of the cells
  QImage image_;
};

}  // namespace ww::widgets
