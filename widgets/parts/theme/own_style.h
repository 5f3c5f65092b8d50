// SPDX-License-Identifier: GPL-3.0-or-later
// Fusion with the program's own icons in message boxes, file dialogs, docks and text fields. Buttons of dialogs have
// none, like all others.
#pragma once
#include <QProxyStyle>

namespace ww::widgets {

class OwnStyle : public QProxyStyle {
  Q_OBJECT
 public:
  OwnStyle();
  QIcon standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const override;
  QPixmap standardPixmap(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget = nullptr) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* returned) const override;
};

}  // namespace ww::widgets
