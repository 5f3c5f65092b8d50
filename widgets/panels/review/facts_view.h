// SPDX-License-Identifier: GPL-3.0-or-later
// Rich text as tall as its content, within a page that scrolls. Its links are reached by Tab; "icon:NAME:TOKEN" is an
// image in the theme's colours.
#pragma once
#include <QTextBrowser>

namespace ww::widgets {

class FactsView : public QTextBrowser {
  Q_OBJECT
 public:
  explicit FactsView(QWidget* parent = nullptr);
  void show_html(const QString& html);
  bool fitted() const;                                         // it is as tall as its content at this width
  QVariant loadResource(int type, const QUrl& name) override;  // icons alone: nothing is read from disk or network

 signals:
  void link(const QString& scheme, const QString& target);  // "line", "8"

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;  // the page scrolls
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void fit();
};

}  // namespace ww::widgets
