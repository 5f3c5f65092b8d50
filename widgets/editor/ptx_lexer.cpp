// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/ptx_lexer.h"
#include <Qsci/qsciscintilla.h>
#include <cctype>
#include <cstring>

namespace ww::widgets {

QString PtxLexer::description(int style) const {
  static const char* names[] = {"Text", "Comment", "Directive", "Instruction", "Register", "Number", "Label", "String"};
  return style >= 0 && style < StyleCount ? tr(names[style]) : QString();
}

QString PtxLexer::token(int style) const {
  static const char* tokens[] = {"code-text", "code-comment", "code-directive", "code-keyword", "code-type", "code-number", "code-label", "code-string"};
  return style >= 0 && style < StyleCount ? tokens[style] : "code-text";
}

// By lines: nothing but block comments, which NVRTC does not emit, spans them. PTX ISA, chapter "Syntax".
void PtxLexer::styleText(int start, int end) {
  QsciScintilla* e = editor();
  if (!e || end <= start) return;
  start = static_cast<int>(e->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE,
                                            static_cast<unsigned long>(e->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, static_cast<unsigned long>(start)))));
  QByteArray text(end - start + 1, '\0');
  e->SendScintilla(QsciScintilla::SCI_GETTEXTRANGE, static_cast<long>(start), static_cast<long>(end), text.data());
  text.chop(1);
  startStyling(start);
  const char* p = text.constData();
  const char* const stop = p + text.size();
  bool fresh = true;  // no word of this statement yet
  const auto emit_run = [&](const char* to, int style) {
    setStyling(static_cast<int>(to - p), style);
    p = to;
  };
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; };
  while (p < stop) {
    const char* q = p + 1;
    if (*p == '/' && q < stop && *q == '/') {
      while (q < stop && *q != '\n') ++q;
      emit_run(q, Comment);
    } else if (*p == '"') {
      while (q < stop && *q != '"' && *q != '\n') ++q;
      emit_run(q < stop ? q + 1 : q, String);
    } else if (*p == '%') {
      while (q < stop && (word(*q) || *q == '.')) ++q;
      emit_run(q, Register);
    } else if (*p == '.' && q < stop && word(*q)) {
      while (q < stop && word(*q)) ++q;
      emit_run(q, Directive);
      fresh = false;
    } else if (std::isdigit(static_cast<unsigned char>(*p))) {
      while (q < stop && word(*q)) ++q;
      emit_run(q, Number);
    } else if (word(*p)) {
      while (q < stop && (word(*q) || (fresh && (*q == '.' || *q == ':') && q + 1 < stop && (word(q[1]) || q[1] == ':')))) ++q;
      const bool label = q < stop && *q == ':';
      emit_run(q, label || *p == '$' ? Label : fresh ? Instruction : Default);
      fresh = label;
    } else {
      if (*p == ';' || *p == '{' || *p == '}' || *p == '\n') fresh = true;
      emit_run(q, Default);
    }
  }
}

}  // namespace ww::widgets
