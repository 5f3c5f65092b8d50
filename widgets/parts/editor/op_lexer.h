// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <Qsci/qscilexercustom.h>

namespace ww::widgets {

class OpLexer : public QsciLexerCustom {  // op specs
  Q_OBJECT
 public:
  enum Style { Default, Comment, Directive, Keyword, Type, Reduction, Number, Operator, StyleCount };
  using QsciLexerCustom::QsciLexerCustom;
  const char* language() const override { return "Op spec"; }
  QString description(int style) const override;
  void styleText(int start, int end) override;
  QString token(int style) const;
};

}  // namespace ww::widgets
