// SPDX-License-Identifier: GPL-3.0-or-later
// Compiler messages in the text: underlined words, margin markers, and tooltips.
#include <algorithm>
#include "parts/editor/code_editor.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

constexpr int message_marks[] = {CodeEditor::error_mark, CodeEditor::warning_mark};

bool is_error(const compile::LogMessage& message) { return message.severity == compile::Severity::error; }

}  // namespace

void CodeEditor::style_messages() {
  const Theme& theme = Theme::instance();
  for (const auto& [mark, sign, token] :
       {std::tuple(error_mark, error_sign, "rejected"), std::tuple(warning_mark, warning_sign, "warning")}) {
    indicatorDefine(SquiggleIndicator, mark);
    setIndicatorForegroundColor(theme.color(token), mark);
    markerDefine(Circle, sign);
    setMarkerBackgroundColor(theme.color(token), sign);
    setMarkerForegroundColor(theme.color(token), sign);
  }
  markerDefine(RightTriangle, warning_sign);
}

// The indicators' values are the numbers of the messages: Scintilla moves them with the text.
void CodeEditor::underline(const std::vector<compile::LogMessage>& messages) {
  messages_ = messages;
  const long length = SendScintilla(SCI_GETLENGTH);
  for (const int mark : message_marks) {
    SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(mark));
    SendScintilla(SCI_INDICATORCLEARRANGE, 0UL, length);
  }
  for (std::size_t i = messages.size(); i-- > 0;) {  // where two overlap, the first shows
    const Span& span = messages[i].where.span;
    const long end = std::min(static_cast<long>(std::max(span.end, span.begin + 1)), length);
    const long begin = std::min(static_cast<long>(span.begin), std::max(0L, end - 1));
    SendScintilla(SCI_SETINDICATORCURRENT,
                  static_cast<unsigned long>(is_error(messages[i]) ? error_mark : warning_mark));
    SendScintilla(SCI_SETINDICATORVALUE, static_cast<unsigned long>(i + 1));
    SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(begin), end - begin);
  }
}

void CodeEditor::show_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  std::vector<compile::LogMessage> messages;
  for (const Diagnostic& d : diagnostics) messages.push_back({compile::Severity::error, d});
  underline(messages);
}

void CodeEditor::show_messages(const std::vector<compile::LogMessage>& messages) {
  underline(messages);
  markerDeleteAll(error_sign);
  markerDeleteAll(warning_sign);
  for (const compile::LogMessage& m : messages)
    if (m.where.place.line <= lines()) markerAdd(m.where.place.line - 1, is_error(m) ? error_sign : warning_sign);
  size_sign_margin();
}

void CodeEditor::size_sign_margin() {
  const unsigned signs = 1u << error_sign | 1u << warning_sign;
  setMarginWidth(sign_margin, fault_ || markerFindNext(0, signs) >= 0 ? 14 : 0);
}

// Of the messages that begin or lie in a part of the text.
QString CodeEditor::message_text(long begin, long end) const {
  std::vector<long> found;
  for (const int mark : message_marks)
    for (long at = begin; at < std::max(end, begin + 1);) {
      const long number = SendScintilla(SCI_INDICATORVALUEAT, static_cast<unsigned long>(mark), at);
      if (number > 0 && number <= static_cast<long>(messages_.size()) &&
          std::find(found.begin(), found.end(), number) == found.end())
        found.push_back(number);
      const long next = SendScintilla(SCI_INDICATOREND, static_cast<unsigned long>(mark), at);
      if (next <= at) break;
      at = next;
    }
  QStringList words;
  for (const long number : found) {
    const compile::LogMessage& m = messages_[static_cast<std::size_t>(number) - 1];
    words << tr("%1: %2").arg(capitalised(enum_string(m.severity)), qs(m.where.message));
  }
  return words.join('\n');
}

QString CodeEditor::message_at(const QPoint& point) const {
  if (messages_.empty() || line_at(point) == 0) return {};
  const long at = SendScintilla(SCI_POSITIONFROMPOINT, static_cast<unsigned long>(std::max(0, point.x())),
                                static_cast<long>(point.y()));
  const int row = line_at(point) - 1;
  int margins = 0;
  for (int margin = 0; margin < 5; ++margin) margins += marginWidth(margin);
  if (point.x() >= margins) return message_text(at, at + 1);
  return message_text(SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(row)),
                      SendScintilla(SCI_GETLINEENDPOSITION, static_cast<unsigned long>(row)));
}

}  // namespace ww::widgets
