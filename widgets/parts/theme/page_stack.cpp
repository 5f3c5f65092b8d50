// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/page_stack.h"
#include <QWidget>
#include <algorithm>

namespace ww::widgets {

PageStack::PageStack(QWidget* parent) : QStackedLayout(parent) {
  connect(this, &QStackedLayout::currentChanged, this, [this] {
    invalidate();
    if (QWidget* holder = parentWidget()) holder->updateGeometry();
  });
}

QSize PageStack::minimumSize() const {
  const QWidget* page = currentWidget();
  return page ? page->minimumSizeHint().expandedTo(page->minimumSize()) : QSize();
}

QSize PageStack::sizeHint() const {
  const QWidget* page = currentWidget();
  return page ? page->sizeHint().expandedTo(minimumSize()) : QSize();
}

bool PageStack::hasHeightForWidth() const { return currentWidget() && currentWidget()->hasHeightForWidth(); }

int PageStack::heightForWidth(int width) const { return currentWidget() ? least_height(currentWidget(), width) : 0; }

int least_height(const QWidget* widget, int width) {
  const QLayout* layout = widget->layout();
  const int least = layout && layout->hasHeightForWidth() ? layout->totalMinimumHeightForWidth(width)
                    : widget->hasHeightForWidth()         ? widget->heightForWidth(width)
                                                          : widget->minimumSizeHint().height();
  return std::max(least, widget->minimumHeight());
}

}  // namespace ww::widgets
