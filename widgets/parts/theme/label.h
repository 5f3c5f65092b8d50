// SPDX-License-Identifier: GPL-3.0-or-later
// The only label class: its text is plain and harmless (text.h), whatever it looks like. Rich text needs an HtmlView.
#pragma once
#include <QLabel>
#include <array>

namespace ww::widgets {

class Label : public QLabel {
  Q_OBJECT
 public:
  explicit Label(QWidget* parent = nullptr);
  explicit Label(const QString& text, QWidget* parent = nullptr);
  void setText(const QString& text);
  void set_icon(const QString& name, const QString& token,
                int size);  // instead of a text; follows the theme; no name: none
  void setTextFormat(Qt::TextFormat format) = delete;
  // Of wrapped text: what the present width needs. Qt's own is for the narrowest, many lines high.
  QSize minimumSizeHint() const override;
  int heightForWidth(int width) const override;  // remembered: layouts ask for it many times

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void draw_icon();
  QString icon_, icon_token_;
  int icon_size_ = 0;
  struct Height {
    int width = -1, height = 0;
  };
  mutable std::array<Height, 2> heights_;  // of measured_
  mutable QString measured_;
};

}  // namespace ww::widgets
