// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QPointer>

class QScrollArea;
class QWidget;

namespace ww::widgets {

// What is read stays in its place while the page above it grows: pictures, texts and verdicts get their heights late.
class ScrollAnchor : public QObject {
  Q_OBJECT
 public:
  explicit ScrollAnchor(QScrollArea* area);
  void hold(QWidget* part, int offset);  // a child of the page, `offset` pixels below the upper edge
  void release();                        // until the page is scrolled

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void choose();  // the first part that is seen
  void follow();
  QScrollArea* area_;
  QPointer<QWidget> part_;
  int offset_ = 0;
  bool following_ = false;
};

}  // namespace ww::widgets
