// SPDX-License-Identifier: GPL-3.0-or-later
// Text and numbers as the window shows them.
#pragma once
#include <QStringList>
#include <QVariant>
#include <optional>
#include <string>
#include "store/states.h"

namespace ww::widgets {

// Text for the screen, escaped as on the terminal (base/visible.h): characters that would reorder the line, hide or
// control anything become escapes, "\u{202e}"; line feeds, tabs and right-to-left letters are kept. All text from the
// engine goes through this.
QString qs(const std::string& text);
QString harmless(const QString& text);     // the same for a QString: names of files, typed text
QString wrapped_tip(const QString& text);  // for tool tips: those of plain text are one line, however long
QString exact(const std::string& text);  // unchanged: for editors, which show such characters themselves, and for keys

QString dash();                                // the em dash shown for a missing number
QString count_text(double value);              // 12 345 678 with thin grouping, at most 4 decimals below 1000
QString short_count(double value);             // "12.3 M"
QString bytes_text(std::int64_t bytes);        // "48 KiB", "512 B"
QString seconds_text(double seconds);          // "12 ms", "3.4 s"
QString number_text(double value);             // 9 significant digits, "inf", "NaN"
QString capitalised(const std::string& word);  // "proved" -> "Proved"
template <class E>
QString enum_text(E value) {
  return qs(enum_string(value));
}
template <class E>
QString state_title(E state) {
  return capitalised(enum_string(state));
}
QString state_word(store::CandidateState state);   // "proved": the gate's verdict; a person signs
QString state_title(store::CandidateState state);  // "Proved"
QString state_token(store::CandidateState state);  // colour token
QString state_icon(store::CandidateState state);
// How a run's state is shown: one that is done without a candidate has no result, which is not a success.
struct RunLook {
  QString title, icon, token;
};
RunLook run_look(store::RunState state, int proposed);
QString counted(int n, const QString& one, const QString& many);  // "1 candidate", "2 candidates"
QString when_text(const std::string& iso);                        // ISO 8601 UTC -> local "2026-11-20 18:30"
QString short_when_text(const std::string& iso);                  // "18:30" of today, else "20 Nov", "2025-11-20"
// A model's header: its column titles, and which columns are right-aligned.
QVariant column_header(int column, Qt::Orientation orientation, int role, const QStringList& titles,
                       const QList<int>& right = {});
// Shows each invisible or reordering character as a separate sign ("\u25af").
QString with_invisible_shown(QString code);

}  // namespace ww::widgets
