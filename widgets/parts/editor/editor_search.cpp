// SPDX-License-Identifier: GPL-3.0-or-later
// Find and replace in an editor.
#include <QRegularExpression>
#include "parts/editor/code_editor.h"

namespace ww::widgets {

namespace {

QRegularExpression pattern_of(const SearchText& what) {
  const auto options = QRegularExpression::CaseInsensitiveOption | QRegularExpression::MultilineOption |
                       QRegularExpression::UseUnicodePropertiesOption;
  return QRegularExpression(what.expression ? what.words : QRegularExpression::escape(what.words), options);
}

// What a match is replaced by.
QString replacement(const SearchText& what, const QRegularExpressionMatch& match, const QString& with) {
  if (!what.expression) return with;
  QString text;
  for (qsizetype i = 0; i < with.size(); ++i) {
    const bool more = with[i] == '\\' && i + 1 < with.size();
    if (more && with[i + 1].isDigit())
      text += match.captured(with[++i].digitValue());
    else if (more && with[i + 1] == 'n')
      ++i, text += '\n';
    else if (more && with[i + 1] == 't')
      ++i, text += '\t';
    else if (more && with[i + 1] == '\\')
      ++i, text += '\\';
    else
      text += with[i];
  }
  return text;
}

// Of the matches that are not empty, ascending, calls f(match); it ends them by false.
template <class F>
void each_match(const SearchText& what, const QString& text, F f) {
  const QRegularExpression pattern = pattern_of(what);
  if (what.words.isEmpty() || !pattern.isValid()) return;
  for (auto it = pattern.globalMatch(text); it.hasNext();)
    if (const QRegularExpressionMatch match = it.next(); match.capturedLength() > 0 && !f(match)) return;
}

}  // namespace

bool CodeEditor::find(const SearchText& what, bool forward, bool from_start) {
  const QString all = text();
  const auto place = [&](int message) {  // in characters
    return QString::fromUtf8(all.toUtf8().first(SendScintilla(static_cast<unsigned>(message)))).size();
  };
  const qsizetype from = from_start ? 0 : place(forward ? SCI_GETSELECTIONEND : SCI_GETSELECTIONSTART);
  std::optional<std::pair<qsizetype, qsizetype>> hit, other;  // the next one, the one round the end
  each_match(what, all, [&](const QRegularExpressionMatch& match) {
    const std::pair range(match.capturedStart(), match.capturedEnd());
    if (forward) {
      if (!other) other = range;
      if (range.first >= from) hit = range;
      return !hit;
    }
    if (range.second <= from) hit = range;
    other = range;
    return true;
  });
  if (!hit) hit = other;
  if (!hit) return false;
  const long begin = all.first(hit->first).toUtf8().size(), end = all.first(hit->second).toUtf8().size();
  SendScintilla(SCI_SETSEL, static_cast<unsigned long>(begin), end);
  return true;
}

int CodeEditor::mark_all(const SearchText& what) {
  SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(search_mark));
  SendScintilla(SCI_INDICATORCLEARRANGE, 0UL, SendScintilla(SCI_GETLENGTH));
  const QString all = text();
  int found = 0;
  qsizetype read = 0;
  long bytes = 0;  // of the text before `read`
  each_match(what, all, [&](const QRegularExpressionMatch& match) {
    bytes += all.sliced(read, match.capturedStart() - read).toUtf8().size();
    const long size = match.captured().toUtf8().size();
    SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(bytes), size);
    bytes += size;
    read = match.capturedEnd();
    return ++found < most_marked;
  });
  return found;
}

void CodeEditor::replace(const SearchText& what, const QString& with) {
  if (!replaces()) return;
  const QRegularExpressionMatch match = pattern_of(what).match(selectedText(), 0, QRegularExpression::NormalMatch,
                                                               QRegularExpression::AnchorAtOffsetMatchOption);
  if (hasSelectedText() && match.hasMatch() && match.capturedLength() == selectedText().size())
    replaceSelectedText(replacement(what, match, with));
  find(what, true, false);
}

int CodeEditor::replace_all(const SearchText& what, const QString& with) {
  if (!replaces()) return 0;
  const QString all = text();
  QString made;
  qsizetype read = 0;
  int found = 0;
  each_match(what, all, [&](const QRegularExpressionMatch& match) {
    made += all.sliced(read, match.capturedStart() - read) + replacement(what, match, with);
    read = match.capturedEnd();
    return ++found > 0;
  });
  if (found > 0) replace_code(made + all.sliced(read));
  return found;
}

}  // namespace ww::widgets
