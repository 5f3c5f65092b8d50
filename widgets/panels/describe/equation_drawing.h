// SPDX-License-Identifier: GPL-3.0-or-later
// The index equations of a spec as a drawing: tensors as strips, planes and stacks with their axes, each with the part
// that one element of the result needs.
#pragma once
#include <QWidget>
#include <vector>
#include "session/equation_figure.h"

namespace ww::widgets {

class EquationDrawing : public QWidget {
  Q_OBJECT
 public:
  explicit EquationDrawing(QWidget* parent = nullptr);
  void show_figures(std::vector<EquationFigure> figures);  // empty: nothing to draw
  // Shows as many equations from the first one on by their text alone as it takes to be at most `height` high at
  // `width`; the last one is always drawn.
  void fold_to(int height, int width);
  int folded() const { return folded_; }
  const std::vector<EquationFigure>& figures() const { return figures_; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override { return {300, heightForWidth(300)}; }

 signals:
  void line_chosen(int line);  // of the spec's text

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  bool event(QEvent* event) override;        // tooltips
  void changeEvent(QEvent* event) override;  // fonts

 private:
  struct Cell {
    QRectF box;  // of the tensor with its captions
    const FigureTensor* tensor;
    bool target;
  };
  struct Row {
    QRectF all, text, arrow;
    std::vector<Cell> cells;
    QRectF notes;
  };
  std::vector<Row> arrange(int width) const;
  void paint_tensor(QPainter& painter, const Cell& cell) const;
  int row_at(const QPoint& at) const;
  void set_current(int row);
  std::vector<EquationFigure> figures_;
  int hovered_ = -1, current_ = -1, folded_ = 0;
};

}  // namespace ww::widgets
