// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/certificate.h"
#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QList>
#include <QPagedPaintDevice>
#include <QPainter>
#include <QScreen>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextList>
#include <QTextLayout>
#include <QTextTable>
#include <algorithm>
#include "parts/theme/grid.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {

constexpr double points_per_step = 6;  // of the grid, on paper
constexpr int continued_columns = 4;
constexpr QChar continued(0x21aa);  // "↪"

Type size_of_heading(int level) { return level <= 1 ? Type::display : level == 2 ? Type::title : Type::body; }

QTextCursor all_of(const QTextBlock& block) {
  QTextCursor cursor(block);
  cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
  return cursor;
}

// Markdown's own sizes are relative ones, which a size in points does not replace.
void resize_heading(const QTextBlock& block, double points) {
  QTextCharFormat format = block.begin().atEnd() ? QTextCharFormat() : block.begin().fragment().charFormat();
  format.clearProperty(QTextFormat::FontSizeAdjustment);
  format.setFontPointSize(points);
  format.setFontWeight(QFont::DemiBold);
  all_of(block).setCharFormat(format);
}

bool is_code(const QTextBlock& block) {
  return block.blockFormat().hasProperty(QTextFormat::BlockCodeFence) || block.blockFormat().nonBreakableLines();
}

void style_block(const QTextBlock& block, bool head, const CertificateInk& ink) {
  QTextBlockFormat format;
  const int level = block.blockFormat().headingLevel();
  if (head) {
    format.setAlignment(Qt::AlignHCenter);
    if (QTextList* list = block.textList()) list->remove(block);  // bullets do not stand in the middle
  }
  if (level == 1) format.setTopMargin(grid::wide);
  if (level > 1) {
    format.setTopMargin(grid::section);
    format.setBottomMargin(grid::step);
  }
  if (is_code(block)) {
    format.setBackground(ink.tone);
    const double indent = continued_columns * QFontMetricsF(block.document()->defaultFont()).horizontalAdvance('n');
    format.setLeftMargin(indent);  // of what is continued from the line above
    format.setTextIndent(-indent);
    QTextCharFormat code;
    code.setFontFamilies({ink.code_family});
    code.setFontStyleStrategy(QFont::PreferNoShaping);
    all_of(block).mergeCharFormat(code);
  }
  QTextCursor(block).mergeBlockFormat(format);
}

void style_tables(QTextFrame* frame, const CertificateInk& ink) {
  for (QTextFrame* child : frame->childFrames()) {
    if (auto* table = qobject_cast<QTextTable*>(child)) {
      QTextTableFormat format = table->format();
      format.setBorder(1);
      format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
      format.setBorderBrush(ink.line);
      format.setBorderCollapse(true);
      format.setCellSpacing(0);
      format.setCellPadding(grid::half);
      format.setHeaderRowCount(1);  // of Markdown: repeated on each page
      table->setFormat(format);
    }
    style_tables(child, ink);
  }
}

}  // namespace

void size_headings(QTextDocument& document) {
  const double body = document.defaultFont().pointSizeF();
  if (body <= 0) return;
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
    if (const int level = block.blockFormat().headingLevel())
      resize_heading(block, body * type_factor(size_of_heading(level)));
}

void style_certificate(QTextDocument& document, const CertificateInk& ink) {
  document.setDocumentMargin(grid::section);
  bool head = true;  // up to the first section
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    head = head && block.blockFormat().headingLevel() < 2;
    style_block(block, head, ink);
  }
  style_tables(document.rootFrame(), ink);
}

namespace {

// A last page with less than this part of a page is avoided by moving its whole section there.
constexpr double short_page = 0.3;

void fill_last_page(QTextDocument& document, double page_height) {
  QTextBlock section = document.lastBlock();
  while (section.isValid() && section.blockFormat().headingLevel() != 2) section = section.previous();
  if (!section.isValid()) return;
  const double last_page = (document.pageCount() - 1) * page_height;
  double bottom = 0;
  for (QTextBlock block = section; block.isValid(); block = block.next())
    bottom = std::max(bottom, document.documentLayout()->blockBoundingRect(block).bottom());
  const double top = document.documentLayout()->blockBoundingRect(section).top();
  if (top >= last_page || bottom - last_page > short_page * page_height || bottom - top > page_height) return;
  QTextBlockFormat format;
  format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
  QTextCursor(section).mergeBlockFormat(format);
}

// A table that continues on the next page is closed on this one.
void close_tables(QTextFrame* frame, QAbstractTextDocumentLayout* layout, double page_end, QPainter& painter) {
  const double pixel = painter.device()->logicalDpiX() / QGuiApplication::primaryScreen()->logicalDotsPerInchX();
  for (QTextFrame* child : frame->childFrames()) {
    const auto* grid_of = qobject_cast<QTextTable*>(child);
    if (!grid_of) continue;
    QRectF table = layout->frameBoundingRect(child);
    // Qt reports it shifted by what is before the text of its first cell.
    table.translate(-pixel * (grid_of->format().cellPadding() + grid_of->format().border()), 0);
    if (table.top() < page_end && table.bottom() > page_end + 1)
      painter.drawLine(QPointF(table.left(), page_end), QPointF(table.right(), page_end));
  }
}

// Qt scales neither to paper.
void indent_continued(const QTextDocument& document, double indent) {
  QTextBlockFormat format;
  format.setLeftMargin(indent);
  format.setTextIndent(-indent);
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
    if (is_code(block)) QTextCursor(block).mergeBlockFormat(format);
}

// Beside each line of code that continues the line above.
void mark_continued(const QTextDocument& document, double from, double to, const QFont& font, QPainter& painter) {
  const QFontMetricsF metrics(font, painter.device());
  painter.setFont(font);
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    if (!is_code(block)) continue;
    const QPointF at = document.documentLayout()->blockBoundingRect(block).topLeft();
    for (int i = 1; i < block.layout()->lineCount(); ++i) {
      const QTextLine line = block.layout()->lineAt(i);
      const double y = at.y() + line.y() - block.layout()->lineAt(0).y() + line.ascent();
      if (y < from || y >= to) continue;
      painter.drawText(QPointF(line.x() - metrics.horizontalAdvance('n') - metrics.horizontalAdvance(continued), y),
                       continued);
    }
  }
}

}  // namespace

void print_certificate(QTextDocument& document, QPagedPaintDevice& paper, const CertificateInk& ink,
                       const QString& foot) {
  QPainter painter(&paper);
  const double step = points_per_step * paper.logicalDpiY() / 72;
  const QRectF sheet(0, 0, paper.width(), paper.height());
  const QRectF frame = sheet.adjusted(0, 0, 0, -3 * step), body = frame.adjusted(2 * step, 2 * step, -2 * step, -step);
  document.documentLayout()->setPaintDevice(&paper);
  document.setDocumentMargin(0);
  QFont code = document.defaultFont();
  code.setFamily(ink.code_family);
  indent_continued(document, continued_columns * QFontMetricsF(code, &paper).horizontalAdvance('n'));
  document.setPageSize(body.size());
  fill_last_page(document, body.height());
  QFont small = document.defaultFont();
  small.setPointSizeF(small.pointSizeF() * type_factor(Type::small));
  const int pages = document.pageCount();
  for (int page = 0; page < pages; ++page) {
    if (page > 0) paper.newPage();
    painter.save();
    painter.translate(body.left(), body.top() - page * body.height());
    const double top = page * body.height(), end = top + body.height();
    // Without its edges: Qt draws the lines that touch them, so those of the next page would be in the text twice.
    document.drawContents(&painter, QRectF(0, top, body.width(), body.height()).adjusted(0, 1, 0, -1));
    painter.setPen(ink.muted);
    mark_continued(document, top, end, code, painter);
    painter.setPen(QPen(ink.line, step / 6));
    close_tables(document.rootFrame(), document.documentLayout(), end, painter);
    painter.restore();
    painter.setPen(QPen(ink.line, step / 6));
    painter.drawRect(frame);
    painter.drawRect(frame.adjusted(step / 2, step / 2, -step / 2, -step / 2));
    painter.setFont(small);
    painter.setPen(ink.muted);
    const QRectF below(sheet.left(), frame.bottom() + step, sheet.width(), 2 * step);
    painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, foot);
    painter.drawText(below, Qt::AlignRight | Qt::AlignVCenter, QString("%1 / %2").arg(page + 1).arg(pages));
  }
}

}  // namespace ww::widgets
