// SPDX-License-Identifier: GPL-3.0-or-later
// Rich text of our own and receipts. Nothing is read from disk or network: links are a signal, and the only images are
// the theme's, "icon:NAME:TOKEN". GUI thread only, except ClosedDocument.
#pragma once
#include <QTextBrowser>
#include <QTextDocument>
#include "parts/theme/trusted_html.h"

namespace ww::widgets {

class HtmlView : public QTextBrowser {
  Q_OBJECT
 public:
  explicit HtmlView(QWidget* parent = nullptr);
  void show_html(const TrustedHtml& html);
  void show_markdown(const QString& markdown);
  void show_text(const QString& text);
  QVariant loadResource(int type, const QUrl& name) override;
  void setHtml(const QString& html) = delete;
  void setPlainText(const QString& text) = delete;
  void setMarkdown(const QString& markdown) = delete;

 signals:
  void link(const QString& scheme, const QString& target);  // "line", "8"

 private:
  void fill();
  TrustedHtml html_;
  QString markdown_;  // at most one of the two
};

class ClosedDocument : public QTextDocument {  // for printing
 public:
  void set_markdown(const QString& markdown);

 protected:
  QVariant loadResource(int type, const QUrl& name) override;
};

}  // namespace ww::widgets
