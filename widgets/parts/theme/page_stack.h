// SPDX-License-Identifier: GPL-3.0-or-later
// Pages over each other, of which one is shown: its size alone counts, and at least what it needs.
#pragma once
#include <QStackedLayout>

namespace ww::widgets {

class PageStack : public QStackedLayout {
  Q_OBJECT
 public:
  explicit PageStack(QWidget* parent);
  QSize minimumSize() const override;
  QSize sizeHint() const override;
  bool hasHeightForWidth() const override;
  int heightForWidth(int width) const override;
};

int least_height(const QWidget* widget, int width);  // at which nothing of it is cut

}  // namespace ww::widgets
