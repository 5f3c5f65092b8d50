// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/text.h"
#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <cmath>
#include "base/visible.h"
#include "parts/theme/trusted_html.h"

namespace ww::widgets {

QString qs(const std::string& text) { return QString::fromStdString(visible(text)); }

QString harmless(const QString& text) {
  for (qsizetype at = 0; at < text.size(); ++at) {
    const QChar c = text.at(at);
    const bool pair = c.isHighSurrogate() && at + 1 < text.size() && text.at(at + 1).isLowSurrogate();
    if (is_invisible(pair ? QChar::surrogateToUcs4(c, text.at(at + 1)) : c.unicode())) return qs(text.toStdString());
    if (pair) ++at;
  }
  return text;
}

QString wrapped_tip(const QString& text) {
  constexpr int line = 90;  // characters
  return text.size() <= line ? text : html("<qt>%1</qt>", text_html(text)).string();
}

QString exact(const std::string& text) { return QString::fromStdString(text); }

QString with_invisible_shown(QString code) {
  for (qsizetype at = 0; at < code.size(); ++at) {
    const QChar c = code.at(at);
    const bool pair = c.isHighSurrogate() && at + 1 < code.size();
    const char32_t point = pair ? QChar::surrogateToUcs4(c, code.at(at + 1)) : c.unicode();
    if (point >= 0x80 && is_invisible(point))
      code.replace(at, pair ? 2 : 1, QChar(0x25af));
    else if (pair)
      ++at;
  }
  return code;
}

QString dash() { return QStringLiteral("\u2014"); }

QString count_text(double value) {
  if (!std::isfinite(value)) return number_text(value);
  if (std::abs(value) < 1000 && value != std::floor(value)) return QString::number(value, 'g', 4);
  QString digits = QString::number(std::abs(value), 'f', 0);
  for (qsizetype at = digits.size() - 3; at > 0; at -= 3) digits.insert(at, QChar(0x202f));  // narrow no-break space
  return (value < 0 ? "-" : "") + digits;
}

QString short_count(double value) {
  static const char* suffix[] = {"", " k", " M", " G", " T"};
  int step = 0;
  while (std::abs(value) >= 1000 && step < 4) {
    value /= 1000;
    ++step;
  }
  return QString::number(value, 'g', step == 0 ? 6 : 3) + suffix[step];
}

QString bytes_text(std::int64_t bytes) {
  if (bytes >= (std::int64_t{1} << 20)) return QString::number(bytes / 1048576.0, 'g', 4) + " MiB";
  if (bytes >= 1024) return QString::number(bytes / 1024.0, 'g', 4) + " KiB";
  return QString::number(bytes) + " B";
}

QString seconds_text(double seconds) {
  if (seconds < 0.0005) return QStringLiteral("< 1 ms");
  if (seconds < 1) return QString::number(seconds * 1000, 'f', 0) + " ms";
  if (seconds < 120) return QString::number(seconds, 'f', seconds < 10 ? 1 : 0) + " s";
  return QString::number(seconds / 60, 'f', 1) + " min";
}

QString number_text(double value) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
  return QString::number(value, 'g', 9);
}

QString capitalised(const std::string& word) {
  QString title = qs(word);
  if (!title.isEmpty()) title[0] = title[0].toUpper();
  return title;
}

QString state_word(store::CandidateState state) {
  return state == store::CandidateState::accepted ? QCoreApplication::translate("State", "proved") : enum_text(state);
}

QString state_title(store::CandidateState state) {
  QString title = state_word(state);
  title[0] = title[0].toUpper();
  return title;
}

QString state_token(store::CandidateState state) {
  switch (state) {
    case store::CandidateState::accepted: return "accepted";
    case store::CandidateState::rejected: return "rejected";
    case store::CandidateState::not_judged: return "warning";
    case store::CandidateState::judging: return "busy";
    default: return "muted";
  }
}

QString state_icon(store::CandidateState state) {
  switch (state) {
    case store::CandidateState::accepted: return "accepted";
    case store::CandidateState::rejected: return "rejected";
    case store::CandidateState::not_judged: return "warning";
    case store::CandidateState::judging: return "judging";
    case store::CandidateState::duplicate: return "skipped";
    default: return "queued";
  }
}

RunLook run_look(store::RunState state, int proposed) {
  switch (state) {
    case store::RunState::done:
      if (proposed == 0) return {QCoreApplication::translate("State", "No candidates"), "warning", "warning"};
      return {state_title(state), "accepted", "accepted"};
    case store::RunState::failed: return {state_title(state), "rejected", "rejected"};
    case store::RunState::running: return {state_title(state), "judging", "busy"};
    case store::RunState::cancelled:
    case store::RunState::interrupted: return {state_title(state), "stop", "warning"};
    case store::RunState::unknown: break;
  }
  return {state_title(state), "queued", "muted"};
}

QString counted(int n, const QString& one, const QString& many) { return count_text(n) + " " + (n == 1 ? one : many); }

QString when_text(const std::string& iso) {
  QDateTime when = QDateTime::fromString(qs(iso), Qt::ISODate);
  if (!when.isValid()) return qs(iso);
  if (when.timeSpec() == Qt::LocalTime) when.setTimeSpec(Qt::UTC);
  return when.toLocalTime().toString("yyyy-MM-dd HH:mm");
}

QString short_when_text(const std::string& iso) {
  const QString whole = when_text(iso);
  const QDateTime when = QDateTime::fromString(whole, "yyyy-MM-dd HH:mm");
  const QDate today = QDate::currentDate();
  if (!when.isValid()) return whole;
  if (when.date() == today) return when.toString("HH:mm");
  return when.date().year() == today.year() ? QLocale::c().toString(when, "d MMM") : when.toString("yyyy-MM-dd");
}

QVariant column_header(int column, Qt::Orientation orientation, int role, const QStringList& titles,
                       const QList<int>& right) {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (right.contains(column) ? Qt::AlignRight : Qt::AlignLeft));
  return role == Qt::DisplayRole ? QVariant(titles.value(column)) : QVariant();
}

}  // namespace ww::widgets
