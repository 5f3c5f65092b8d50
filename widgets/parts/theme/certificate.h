// SPDX-License-Identifier: GPL-3.0-or-later
// The look of a receipt, on the screen and on paper: a title in the middle, who signed it below, quiet sections, code
// on a tone. For documents made from Markdown. Any thread, with the document's own.
#pragma once
#include <QColor>
#include <QString>

class QPagedPaintDevice;
class QTextDocument;

namespace ww::widgets {

struct CertificateInk {
  QColor muted, line, tone;
  QString code_family;
};

// Headings in the window's sizes, relative to the document's font.
void size_headings(QTextDocument& document);
void style_certificate(QTextDocument& document, const CertificateInk& ink);
// Prints it within a frame on each page, with `foot` and the page's number below.
void print_certificate(QTextDocument& document, QPagedPaintDevice& paper, const CertificateInk& ink,
                       const QString& foot);

}  // namespace ww::widgets
