// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/ptx_lexer.h"
#include <Qsci/qsciscintilla.h>
#include "parts/editor/assembly_tokens.h"

namespace ww::widgets {

namespace {
constexpr int ptx_styles = static_cast<int>(AssemblyWord::string) + 1;
}

QString PtxLexer::description(int style) const {
  static const char* names[] = {"Text", "Comment", "Directive", "Instruction", "Register", "Number", "Label", "String"};
  return style >= 0 && style < ptx_styles ? tr(names[style]) : QString();
}

QString PtxLexer::token(int style) const {
  return token_colour(style >= 0 && style < ptx_styles ? static_cast<AssemblyWord>(style) : AssemblyWord::text);
}

void PtxLexer::styleText(int start, int end) {
  QsciScintilla* e = editor();
  if (!e || end <= start) return;
  start =
      static_cast<int>(e->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE,
                                        static_cast<unsigned long>(e->SendScintilla(
                                            QsciScintilla::SCI_LINEFROMPOSITION, static_cast<unsigned long>(start)))));
  QByteArray text(end - start + 1, '\0');
  e->SendScintilla(QsciScintilla::SCI_GETTEXTRANGE, static_cast<long>(start), static_cast<long>(end), text.data());
  text.chop(1);
  startStyling(start);
  const std::string_view all(text.constData(), static_cast<std::size_t>(text.size()));
  std::vector<AssemblyToken> tokens;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t line_end = std::min(all.find('\n', at), all.size());
    tokenize_ptx(all.substr(at, line_end - at), tokens);
    for (const AssemblyToken& t : tokens) setStyling(t.end - t.begin, static_cast<int>(t.word));
    if (line_end < all.size()) setStyling(1, static_cast<int>(AssemblyWord::text));
    at = line_end + 1;
  }
}

}  // namespace ww::widgets
