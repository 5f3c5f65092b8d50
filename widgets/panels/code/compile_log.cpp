// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/compile_log.h"
#include <QRegularExpression>

namespace ww::widgets {

std::vector<Diagnostic> diagnostics_of_log(std::string_view text, std::string_view log) {
  static const QRegularExpression compiler("^candidate\\.cu\\((\\d+)\\)(?:()): error(?: #\\S+)?: (.*)$",
                                           QRegularExpression::MultilineOption);
  static const QRegularExpression reader("^candidate:(\\d+):(\\d+): error: (.*)$", QRegularExpression::MultilineOption);
  std::vector<std::size_t> starts = {0};
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) starts.push_back(at + 1);
  const QString whole = QString::fromUtf8(log.data(), static_cast<qsizetype>(log.size()));
  std::vector<Diagnostic> list;
  for (const QRegularExpression* form : {&compiler, &reader})
    for (auto found = form->globalMatch(whole); found.hasNext();) {
      const QRegularExpressionMatch m = found.next();
      const std::size_t line = m.captured(1).toULongLong(), column = m.captured(2).toULongLong();
      if (line < 1 || line > starts.size()) continue;
      Diagnostic d;
      d.place.line = static_cast<int>(line);
      d.message = m.captured(3).toStdString();
      const std::size_t end = line < starts.size() ? starts[line] - 1 : text.size();
      std::size_t begin = std::min(starts[line - 1] + (column > 0 ? column - 1 : 0), end);
      if (column == 0) begin = std::min(text.find_first_not_of(" \t", begin), end);
      d.span = {begin, std::max(begin, end)};
      list.push_back(std::move(d));
    }
  return list;
}

}  // namespace ww::widgets
