// SPDX-License-Identifier: GPL-3.0-or-later
// Rich text as tall as its content, within a page that scrolls. Tab moves through its links.
#pragma once
#include "parts/theme/html_view.h"

namespace ww::widgets {

class FactsView : public HtmlView {
  Q_OBJECT
 public:
  explicit FactsView(QWidget* parent = nullptr);
  void show_html(const TrustedHtml& html);
  bool fitted() const;  // it is as tall as its content at this width

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;  // the page scrolls
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void fit();
};

}  // namespace ww::widgets
