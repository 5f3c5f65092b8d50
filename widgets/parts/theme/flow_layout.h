// SPDX-License-Identifier: GPL-3.0-or-later
// Lays out widgets in rows, wrapping at the available width.
#pragma once
#include <QLayout>
#include <QList>
#include "parts/theme/grid.h"

namespace ww::widgets {

class FlowLayout : public QLayout {
 public:
  enum class Before { wrapping, shrinking };  // shrinking: a row is wrapped only when its items are at their narrowest
  explicit FlowLayout(QWidget* parent, int gap = grid::step, Before before = Before::wrapping);
  ~FlowLayout() override;
  void addItem(QLayoutItem* item) override { items_.append(item); }
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override { return items_.value(index); }
  QLayoutItem* takeAt(int index) override {
    return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr;
  }
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return arrange(QRect(0, 0, width, 0), false); }
  QSize minimumSize() const override;
  QSize sizeHint() const override;
  void setGeometry(const QRect& rect) override;

 private:
  int arrange(const QRect& rect, bool place) const;  // returns the height
  int arrange_row(const QRect& rect, int y, qsizetype from, qsizetype to, int spare, bool place) const;
  int least_of(const QLayoutItem* item) const;  // width
  QList<QLayoutItem*> items_;
  int gap_;
  Before before_;
};

}  // namespace ww::widgets
