// SPDX-License-Identifier: GPL-3.0-or-later
// The look of a receipt, on screen and on paper: a centred title, the signers below it, plain sections, code on a
// tinted background. For documents made from Markdown. Thread-safe with separate documents.
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
// Prints it with a frame on each page, and `foot` and the page number below. Lines of code that continue the line above
// are marked.
void print_certificate(QTextDocument& document, QPagedPaintDevice& paper, const CertificateInk& ink,
                       const QString& foot);

}  // namespace ww::widgets
