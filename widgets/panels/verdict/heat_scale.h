// SPDX-License-Identifier: GPL-3.0-or-later
// The legend below a heat map: its scale, and the special colours that occur.
#pragma once
#include <QWidget>
#include "panels/verdict/heat_map.h"

namespace ww::widgets {

class HeatScale : public QWidget {
  Q_OBJECT
 public:
  HeatScale(HeatOf what, QWidget* parent);
  void show_range(const HeatRange& range);
  QSize sizeHint() const override { return {150, heightForWidth(150)}; }
  QSize minimumSizeHint() const override { return sizeHint(); }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Swatch {
    HeatColor color;
    QString text;
  };
  QList<Swatch> swatches() const;
  // draws the swatches if there is a painter; returns the bottom
  int arrange(int width, class QPainter* painter) const;
  const HeatOf what_;
  HeatRange range_;
};

}  // namespace ww::widgets
