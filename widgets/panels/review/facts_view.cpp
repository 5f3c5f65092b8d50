// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/facts_view.h"
#include <QAbstractTextDocumentLayout>
#include <QKeyEvent>
#include <QWheelEvent>
#include <cmath>
#include "parts/theme/theme.h"

namespace ww::widgets {

FactsView::FactsView(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  setTabChangesFocus(false);
  setProperty("role", "plain");
  setFrameShape(QFrame::NoFrame);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  document()->setDocumentMargin(2);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) { emit link(url.scheme(), url.path()); });
  connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this, [this] { fit(); });
}

void FactsView::show_html(const QString& html) {
  setHtml(html);
  fit();
}

QVariant FactsView::loadResource(int type, const QUrl& name) {
  if (type != QTextDocument::ImageResource || name.scheme() != "icon") return {};
  const QStringList parts = name.path().split(':');
  return Theme::instance().pixmap(parts.value(0), parts.value(1), fontMetrics().height(), devicePixelRatioF());
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
  QTextBrowser::resizeEvent(event);
  fit();
}

void FactsView::wheelEvent(QWheelEvent* event) { event->ignore(); }

void FactsView::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown)
    return event->ignore();  // the page scrolls
  QTextBrowser::keyPressEvent(event);
}

}  // namespace ww::widgets
