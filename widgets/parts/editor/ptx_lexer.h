// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <Qsci/qscilexercustom.h>

namespace ww::widgets {

class PtxLexer : public QsciLexerCustom {  // for the editor; its styles are the words of assembly_tokens.h
  Q_OBJECT
 public:
  using QsciLexerCustom::QsciLexerCustom;
  const char* language() const override { return "PTX"; }
  QString description(int style) const override;
  void styleText(int start, int end) override;
  QString token(int style) const;
};

}  // namespace ww::widgets
