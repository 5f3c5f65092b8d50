// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <Qsci/qscilexercustom.h>

namespace ww::widgets {

class PtxLexer : public QsciLexerCustom {
  Q_OBJECT
 public:
  enum Style { Default, Comment, Directive, Instruction, Register, Number, Label, String, StyleCount };
  using QsciLexerCustom::QsciLexerCustom;
  const char* language() const override { return "PTX"; }
  QString description(int style) const override;
  void styleText(int start, int end) override;
  QString token(int style) const;
};

}  // namespace ww::widgets
