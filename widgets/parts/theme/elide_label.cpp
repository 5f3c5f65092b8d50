// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/elide_label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

ElideLabel::ElideLabel(QWidget* parent) : Label(parent) { setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); }

void ElideLabel::set_text(const QString& text) {
  full_ = harmless(text);
  setAccessibleName(full_);
  fit();
}

void ElideLabel::resizeEvent(QResizeEvent* event) {
  Label::resizeEvent(event);
  fit();
}

void ElideLabel::fit() {
  ensurePolished();
  const QString shown = fontMetrics().elidedText(full_, Qt::ElideRight, contentsRect().width() - 2 * margin());
  if (shown != text()) setText(shown);
  setToolTip(shown == full_ ? QString() : wrapped_tip(full_));
}

}  // namespace ww::widgets
