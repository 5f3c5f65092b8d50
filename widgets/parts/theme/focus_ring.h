// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a ring around the focused widget if the style sheet has no border to colour: views, plots, sliders, tabs.
#pragma once
#include <QPointer>
#include <QWidget>

namespace ww::widgets {

class FocusRing : public QWidget {
 public:
  explicit FocusRing(QWidget* focused);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void place();
  const QPointer<QWidget> focused_;
};

class FocusRings : public QObject {
 public:
  explicit FocusRings(QObject* parent);  // for the whole application

 private:
  void move_to(QWidget* focused);
  QPointer<FocusRing> ring_;
};

}  // namespace ww::widgets
