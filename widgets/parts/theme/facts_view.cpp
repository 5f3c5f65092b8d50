// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/facts_view.h"
#include <QAbstractTextDocumentLayout>
#include <QKeyEvent>
#include <QWheelEvent>
#include <cmath>

namespace ww::widgets {

FactsView::FactsView(QWidget* parent) : HtmlView(parent) {
  setTabChangesFocus(false);
  setProperty("role", "plain");
  setFrameShape(QFrame::NoFrame);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  document()->setDocumentMargin(0);  // on the grid
  connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this, [this] { fit(); });
}

void FactsView::show_html(const TrustedHtml& html) {
  HtmlView::show_html(html);
  fit();
}

bool FactsView::fitted() const {
  return width() > 40 && std::abs(document()->textWidth() - viewport()->width()) < 2 &&
         height() >= static_cast<int>(std::ceil(document()->size().height()));
}

void FactsView::fit() {
  const int height = static_cast<int>(std::ceil(document()->size().height())) + 2 * frameWidth();
  if (height != minimumHeight()) setFixedHeight(height);
}

void FactsView::resizeEvent(QResizeEvent* event) {
  HtmlView::resizeEvent(event);
  fit();
}

void FactsView::wheelEvent(QWheelEvent* event) { event->ignore(); }

void FactsView::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown)
    return event->ignore();  // the page scrolls
  HtmlView::keyPressEvent(event);
}

}  // namespace ww::widgets
