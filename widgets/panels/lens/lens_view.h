// SPDX-License-Identifier: GPL-3.0-or-later
// A buffer as a picture: a cell for each element. The pointer and the arrow keys name one.
#pragma once
#include <optional>
#include "parts/painted_view.h"
#include "picture/lens_picture.h"

namespace ww::widgets {

class LensView : public PaintedView {
  Q_OBJECT
 public:
  explicit LensView(QWidget* parent);
  void show_lens(const sim::Lens& lens, picture::Shows shows, const picture::LensLook& look);
  void show_frame(std::optional<std::size_t> frame);  // of the lens; nothing: the end
  const std::vector<picture::Colour>& colours() const { return colours_; }
  QString element_text(std::size_t element) const;
  QRectF cell(std::size_t element) const;
  QSize sizeHint() const override { return {320, 320}; }

 signals:
  void element_named(const QString& words);  // the one under the pointer or the keyboard's mark

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void show_tip(const QHelpEvent& help) override;

 private:
  std::optional<std::size_t> element_at(const QPointF& at) const;
  void mark(std::size_t element);
  sim::Lens lens_;
  picture::Shows shows_ = picture::Shows::values;
  picture::LensLook look_;
  std::vector<picture::Colour> colours_;
  std::int64_t columns_ = 1, rows_ = 1;
  std::size_t marked_ = 0;
};

}  // namespace ww::widgets
