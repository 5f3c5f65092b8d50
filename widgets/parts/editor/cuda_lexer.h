// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <Qsci/qscilexercpp.h>

namespace ww::widgets {

class CudaLexer : public QsciLexerCPP {  // C++ with CUDA's words
  Q_OBJECT
 public:
  explicit CudaLexer(QObject* parent = nullptr);
  const char* language() const override { return "CUDA"; }
  const char* keywords(int set) const override;
  QString token(int style) const;  // of the theme
};

}  // namespace ww::widgets
