// SPDX-License-Identifier: GPL-3.0-or-later
// The one class of labels: its text is plain and harmless (text.h), whatever it looks like. Rich text is for HtmlView
// alone.
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
};

}  // namespace ww::widgets
