// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/op_lexer.h"
#include <QSet>
#include <Qsci/qsciscintilla.h>
#include <cctype>
#include "base/dtype.h"

namespace ww::widgets {

QString OpLexer::description(int style) const {
  static const char* names[] = {"Text",         "Comment",   "Directive", "Keyword",
                                "Element type", "Reduction", "Number",    "Operator"};
  return style >= 0 && style < StyleCount ? tr(names[style]) : QString();
}

QString OpLexer::token(int style) const {
  static const char* tokens[] = {"code-text", "code-comment", "code-directive", "code-keyword",
                                 "code-type", "code-builtin", "code-number",    "code-operator"};
  return style >= 0 && style < StyleCount ? tokens[style] : "code-text";
}

void OpLexer::styleText(int start, int end) {
  static const QSet<QByteArray> keywords = {"op", "default", "in", "if", "pad", "true", "false", "inf", "pi"};
  static const QSet<QByteArray> reductions = {"sum", "prod", "max", "min", "argmax", "argmin", "any", "all"};
  QsciScintilla* e = editor();
  if (!e || end <= start) return;
  const auto line = e->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, static_cast<unsigned long>(start));
  start = static_cast<int>(e->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line)));
  QByteArray text(end - start + 1, '\0');
  e->SendScintilla(QsciScintilla::SCI_GETTEXTRANGE, static_cast<long>(start), static_cast<long>(end), text.data());
  text.chop(1);
  startStyling(start);
  const char* p = text.constData();
  const char* const stop = p + text.size();
  const auto emit_run = [&](const char* to, int style) {
    setStyling(static_cast<int>(to - p), style);
    p = to;
  };
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  while (p < stop) {
    const char* q = p + 1;
    if ((*p == '/' && q < stop && *q == '/') || *p == '#') {
      const bool directive = *p == '/' && q + 1 < stop && q[1] == '@';
      while (q < stop && *q != '\n') ++q;
      emit_run(q, directive ? Directive : Comment);
    } else if (std::isdigit(static_cast<unsigned char>(*p))) {
      // "0..c" is a range: the dots do not belong to the number.
      while (q < stop && (word(*q) || (*q == '.' && !(q + 1 < stop && q[1] == '.') && q[-1] != '.') ||
                          ((*q == '-' || *q == '+') && (q[-1] == 'e' || q[-1] == 'E'))))
        ++q;
      emit_run(q, Number);
    } else if (word(*p)) {
      while (q < stop && word(*q)) ++q;
      const QByteArray name(p, q - p);
      if (keywords.contains(name))
        emit_run(q, Keyword);
      else if (reductions.contains(name) && q < stop && *q == '(')
        emit_run(q, Reduction);
      else if (dtype_from_name(std::string_view(name.constData(), static_cast<std::size_t>(name.size()))))
        emit_run(q, Type);
      else
        emit_run(q, Default);
    } else {
      emit_run(q, std::ispunct(static_cast<unsigned char>(*p)) ? Operator : Default);
    }
  }
}

}  // namespace ww::widgets
