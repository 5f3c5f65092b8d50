// SPDX-License-Identifier: GPL-3.0-or-later
// A box for words and short code. It lays out all of its text at once, so it refuses text that would block the window.
#pragma once
#include <QPlainTextEdit>

namespace ww::widgets {

inline constexpr qsizetype longest_prompt = 64 << 10;  // characters
// Why a text of this length is refused, one sentence; empty: it is not.
QString too_long_for_prompt(qsizetype size);

class PromptEdit : public QPlainTextEdit {
  Q_OBJECT
 public:
  using QPlainTextEdit::QPlainTextEdit;

 signals:
  void refused(const QString& why);  // a paste or a drop; the text is unchanged

 protected:
  void insertFromMimeData(const QMimeData* source) override;
};

}  // namespace ww::widgets
