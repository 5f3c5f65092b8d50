// SPDX-License-Identifier: GPL-3.0-or-later
// The only label class: its text is plain and harmless (text.h), whatever it looks like. Rich text needs an HtmlView.
#pragma once
#include <QLabel>

namespace ww::widgets {

class Label : public QLabel {
  Q_OBJECT
 public:
  explicit Label(QWidget* parent = nullptr);
  explicit Label(const QString& text, QWidget* parent = nullptr);
  void setText(const QString& text);
  void setTextFormat(Qt::TextFormat format) = delete;
  // Of wrapped text: what the present width needs. Qt's own is for the narrowest, many lines high.
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
};

}  // namespace ww::widgets
