// SPDX-License-Identifier: GPL-3.0-or-later
// A scrolled page between a head and a foot. Where they would leave the page too little height, they scroll with it, so
// that a low panel still scrolls in one place.
#pragma once
#include <QWidget>

class QScrollArea;
class QVBoxLayout;

namespace ww::widgets {

class PinnedEnds : public QWidget {
  Q_OBJECT
 public:
  static constexpr int least_page = 160;  // pixels in sight of the page between pinned ends
  PinnedEnds(QWidget* parent, const QString& area_id);
  QVBoxLayout* head() const { return head_; }
  QVBoxLayout* page() const { return page_; }
  QVBoxLayout* foot() const { return foot_; }
  QScrollArea* area() const { return area_; }
  bool pinned() const { return pinned_; }
  QSize minimumSizeHint() const override;
  bool hasHeightForWidth() const override { return false; }  // it scrolls

 protected:
  bool event(QEvent* event) override;

 private:
  void place();
  QVBoxLayout *column_, *sheet_, *head_, *page_, *foot_;
  QScrollArea* area_;
  QWidget *head_part_, *foot_part_;
  bool pinned_ = true;
};

}  // namespace ww::widgets
