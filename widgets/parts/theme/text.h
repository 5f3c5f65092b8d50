// SPDX-License-Identifier: GPL-3.0-or-later
// Words and numbers as the window writes them, and small makers of labelled controls.
#pragma once
#include <QFont>
#include <QString>
#include <optional>
#include <string>
#include "store/states.h"

class QBoxLayout;
class QGridLayout;
class QLabel;
class QStackedLayout;
class QWidget;

namespace ww::widgets {

inline QString qs(const std::string& text) { return QString::fromStdString(text); }

QString dash();                                // the em dash that stands for a missing number
QString count_text(double value);              // 12 345 678 with thin grouping, at most 4 decimals below 1000
QString short_count(double value);             // "12.3 M"
QString bytes_text(std::int64_t bytes);        // "48 KiB", "512 B"
QString seconds_text(double seconds);          // "12 ms", "3.4 s"
QString number_text(double value);             // 9 significant digits, "inf", "NaN"
QString capitalised(const std::string& word);  // "accepted" -> "Accepted"
template <class E>
QString enum_text(E value) {
  return qs(enum_string(value));
}
template <class E>
QString state_title(E state) {
  return capitalised(enum_string(state));
}
QString state_token(store::CandidateState state);  // colour token
QString state_token(store::RunState state);
QString state_icon(store::CandidateState state);
QString state_icon(store::RunState state);
QString counted(int n, const QString& one, const QString& many);  // "1 candidate", "2 candidates"
QString when_text(const std::string& iso);                        // ISO 8601 UTC -> local "2026-11-20 18:30"
QFont code_font();
QFont painted_code_font();  // the same at the window's zoom, for what is painted by hand

QLabel* heading(const QString& text, QWidget* parent);
QLabel* empty_state(const QString& sentence, QWidget* parent);  // centred, wrapped, muted
// Fills a layout with two pages: 0 an empty state, 1 a widget for the content.
struct ContentPages {
  QStackedLayout* pages;
  QLabel* empty;
  QWidget* content;
};
ContentPages content_pages(QBoxLayout* outer, const QString& empty_sentence = {});
// Of a form in two columns of caption and field; a caption is its field's label for keyboard and screen readers.
QGridLayout* form_grid(QWidget* form);
void add_caption(QGridLayout* grid, const QString& text, QWidget* field, int row, int column);

void name_it(QWidget* widget, const QString& accessible_name, const QString& tooltip = {});
void set_role(QWidget* widget, const char* role);  // style sheet role; re-polishes

}  // namespace ww::widgets
