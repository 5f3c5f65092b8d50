// SPDX-License-Identifier: GPL-3.0-or-later
// Highlights code in the describe box; sentences are coloured by meaning instead (SentenceEdit).
#pragma once
#include <QSyntaxHighlighter>
#include "session/text_kind.h"

namespace ww::widgets {

class TextColours : public QSyntaxHighlighter {
  Q_OBJECT
 public:
  explicit TextColours(QTextDocument* document);
  void set_kind(TextKind kind);
  TextKind kind() const { return kind_; }

 protected:
  void highlightBlock(const QString& text) override;

 private:
  TextKind kind_ = TextKind::sentence;
};

}  // namespace ww::widgets
