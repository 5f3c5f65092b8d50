// SPDX-License-Identifier: GPL-3.0-or-later
// Holds a form at its full height if there is space, else scrolls.
#pragma once
#include <QEvent>
#include <QLayout>
#include <QResizeEvent>
#include <QScrollArea>
#include <algorithm>

namespace ww::widgets {

class FormArea : public QScrollArea {
 public:
  FormArea(QWidget* form, QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    setFocusPolicy(Qt::NoFocus);
    setWidget(form);
    viewport()->setAutoFillBackground(false);
    form->setAutoFillBackground(false);
  }
  QSize sizeHint() const override { return {widget()->sizeHint().width(), wanted()}; }
  QSize minimumSizeHint() const override { return {widget()->minimumSizeHint().width(), std::min(wanted(), 150)}; }

 protected:
  bool eventFilter(QObject* object, QEvent* event) override {
    if (object == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
    return QScrollArea::eventFilter(object, event);
  }
  void resizeEvent(QResizeEvent* event) override {
    QScrollArea::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) updateGeometry();
  }

 private:
  int wanted() const {
    const QLayout* layout = widget()->layout();
    return layout->hasHeightForWidth()
               ? layout->totalHeightForWidth(std::max(width(), layout->totalMinimumSize().width()))
               : layout->totalSizeHint().height();
  }
};

}  // namespace ww::widgets
