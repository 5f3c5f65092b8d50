// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/html_view.h"
#include <QImage>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextCursor>
#include <vector>
#include "parts/theme/certificate.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {

// CommonMark with tables: no HTML, and no links made of what looks like an address.
constexpr int tables = 0x0100;  // Qt's values are md4c's: MD_FLAG_TABLES
constexpr QTextDocument::MarkdownFeatures markdown_features =
    QTextDocument::MarkdownFeatures(QTextDocument::MarkdownNoHTML) | QTextDocument::MarkdownFeature(tables);

// Not null: for a null resource a text document opens the file itself.
QVariant nothing(int type) {
  if (type != QTextDocument::ImageResource) return QByteArray("");
  QImage empty(1, 1, QImage::Format_ARGB32);
  empty.fill(Qt::transparent);
  return empty;
}

// Neither paper nor a page of a panel is scrolled sideways: a hash or a line of code that is too long is wrapped.
void fill_wrapped(QTextDocument& document, const QString& markdown) {
  QTextOption option = document.defaultTextOption();
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  document.setDefaultTextOption(option);
  document.setMarkdown(harmless(markdown), markdown_features);
  QTextBlockFormat wrapped;
  wrapped.setNonBreakableLines(false);
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
    if (block.blockFormat().nonBreakableLines()) QTextCursor(block).mergeBlockFormat(wrapped);
}

// Qt gives code the system's font at the system's size. Headings have their own.
void size_code(QTextDocument& document) {
  const double body = document.defaultFont().pointSizeF();
  if (body <= 0) return;
  QTextCharFormat format;
  format.setFontFamilies({code_family()});
  format.setFontPointSize(body);
  std::vector<std::pair<int, int>> code;  // from, to; first of all, since formats that become equal join their parts
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
    for (auto at = block.begin(); !at.atEnd(); ++at)
      if (const QTextFragment part = at.fragment();
          part.charFormat().fontFixedPitch() && block.blockFormat().headingLevel() == 0)
        code.emplace_back(part.position(), part.position() + part.length());
  QTextCursor cursor(&document);
  for (const auto& [from, to] : code) {
    cursor.setPosition(from);
    cursor.setPosition(to, QTextCursor::KeepAnchor);
    cursor.mergeCharFormat(format);
  }
}

void size_markdown(QTextDocument& document) {  // by the font of the rest
  size_headings(document);
  size_code(document);
}

}  // namespace

HtmlView::HtmlView(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) { emit link(url.scheme(), url.path()); });
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    const int at = verticalScrollBar()->value();
    if (!html_.empty())
      fill();
    else if (!markdown_.isEmpty())
      show_markdown(QString(markdown_));  // its links have the theme's colour
    verticalScrollBar()->setValue(at);
  });
}

void HtmlView::show_html(const TrustedHtml& html) {
  html_ = html;
  markdown_.clear();
  fill();
}

void HtmlView::fill() {
  QTextBrowser::setHtml(
      TrustedHtml::with_inks(html_, [](const QString& token) { return Theme::instance().color(token).name(); }));
}

void HtmlView::show_markdown(const QString& markdown) {
  html_ = {};
  markdown_ = markdown;
  clear();
  fill_wrapped(*document(), markdown);
  size_markdown(*document());
  moveCursor(QTextCursor::Start);  // what was inserted has moved it to the end, and the view follows it
}

void HtmlView::show_text(const QString& text) {
  html_ = {};
  markdown_.clear();
  QTextBrowser::setPlainText(text);
}

QVariant HtmlView::loadResource(int type, const QUrl& name) {
  if (type != QTextDocument::ImageResource || name.scheme() != "icon") return nothing(type);
  const QStringList parts = name.path().split(':');
  return Theme::instance().pixmap(parts.value(0), parts.value(1), fontMetrics().height(), devicePixelRatioF());
}

void ClosedDocument::set_markdown(const QString& markdown) {
  fill_wrapped(*this, markdown);
  size_headings(*this);
}

QVariant ClosedDocument::loadResource(int type, const QUrl&) { return nothing(type); }

}  // namespace ww::widgets
