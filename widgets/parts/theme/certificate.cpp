// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/certificate.h"
#include <QAbstractTextDocumentLayout>
#include <QList>
#include <QPagedPaintDevice>
#include <QPainter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextList>
#include <QTextTable>
#include "parts/theme/grid.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {

constexpr double points_per_step = 6;  // of the grid, on paper

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
  if (block.blockFormat().hasProperty(QTextFormat::BlockCodeFence) || block.blockFormat().nonBreakableLines()) {
    format.setBackground(ink.tone);
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

void print_certificate(QTextDocument& document, QPagedPaintDevice& paper, const CertificateInk& ink,
                       const QString& foot) {
  QPainter painter(&paper);
  const double step = points_per_step * paper.logicalDpiY() / 72;
  const QRectF sheet(0, 0, paper.width(), paper.height());
  const QRectF frame = sheet.adjusted(0, 0, 0, -3 * step), body = frame.adjusted(2 * step, 2 * step, -2 * step, -step);
  document.documentLayout()->setPaintDevice(&paper);
  document.setDocumentMargin(0);
  document.setPageSize(body.size());
  QFont small = document.defaultFont();
  small.setPointSizeF(small.pointSizeF() * type_factor(Type::small));
  const int pages = document.pageCount();
  for (int page = 0; page < pages; ++page) {
    if (page > 0) paper.newPage();
    painter.save();
    painter.translate(body.left(), body.top() - page * body.height());
    document.drawContents(&painter, QRectF(0, page * body.height(), body.width(), body.height()));
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
