// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/preferences.h"
#include <QApplication>
#include <QEvent>
#include <QHeaderView>
#include <QMainWindow>
#include <QSettings>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include "base/cuda_folder.h"
#include "panels/candidates/candidate_table.h"
#include "parts/theme/column_fit.h"
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {
// Before any zoom of any window of this program.
double application_points() {
  static const double points = QApplication::font().pointSizeF() > 0 ? QApplication::font().pointSizeF() : 10.0;
  return points;
}
constexpr int name_width_key = -1, least_width_key = -2, row_height_key = -3;  // beside the columns' numbers
}  // namespace

Preferences::Preferences(QMainWindow* window, QSettings* settings)
    : QObject(window), window_(window), settings_(settings), first_size_(application_points()) {
  zoom_ = std::clamp(settings_->value("window/zoom", 100).toInt(), smallest_zoom, largest_zoom);
  notify_ = settings_->value("window/notify", true).toBool();
  restore_ = settings_->value("window/restore", true).toBool();
  budget_ = std::clamp(settings_->value("window/budget", usual_budget).toInt(), 1, largest_budget);
  toolkit_ = settings_->value("window/cuda_toolkit").toString();
  choose_cuda_folder(toolkit_.toStdString());
  fonts_ = {settings_->value("window/text_font").toString(), settings_->value("window/code_font").toString()};
  choose_fonts(fonts_);
  window_->installEventFilter(this);
  scale();
}

void Preferences::scale() {
  const int zoom = presented_ > 0 ? presented_ : zoom_;
  QFont font = QApplication::font();
  font.setFamily(text_family());
  font.setPointSizeF(first_size_ * zoom / 100.0);
  if (font != QApplication::font()) {
    QApplication::setFont(font);
    Theme::instance().restyle();
  }
  for (auto* table : window_->findChildren<QTableView*>()) {
    QHeaderView* rows = table->verticalHeader();
    if (has_rows_of_font(*table))
      fit_rows(*table);
    else if (zoom != shown_zoom_)
      rows->setDefaultSectionSize(scaled(*table, row_height_key, rows->defaultSectionSize(), shown_zoom_, zoom));
    if (zoom != shown_zoom_) scale_columns(*table, shown_zoom_, zoom);
  }
  shown_zoom_ = zoom;
}

int Preferences::scaled(const QTableView& table, int what, int now, int from, int to) {
  Scaled& size = sizes_[&table][what];
  if (size.shown != now) size.usual = now * 100.0 / from;
  size.shown = static_cast<int>(std::lround(size.usual * to / 100));
  return size.shown;
}

void Preferences::scale_columns(QTableView& table, int from, int to) {
  if (!table.model()) return;
  QHeaderView& header = *table.horizontalHeader();
  auto* candidates = dynamic_cast<CandidateTable*>(&table);
  const int name_width = candidates ? candidates->name_width() : 0;
  QList<int> widths;
  for (int i = 0; i < table.model()->columnCount(); ++i) widths += scaled(table, i, column_width(header, i), from, to);
  // This one widens what is narrower.
  if (candidates) header.setMinimumSectionSize(scaled(table, least_width_key, header.minimumSectionSize(), from, to));
  for (int i = 0; i < widths.size(); ++i) header.resizeSection(i, widths[i]);
  if (candidates) candidates->set_name_width(scaled(table, name_width_key, name_width, from, to));
}

void Preferences::columns_restored(QTableView& table, int zoom) {
  scale_columns(table, std::clamp(zoom, smallest_zoom, largest_zoom), 100);
}

void Preferences::columns_reset(QTableView& table) {
  sizes_.remove(&table);
  scale_columns(table, 100, shown_zoom_);
}

// Panels that are made after this have their tables zoomed when the window is first shown.
bool Preferences::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Show) {
    window_->removeEventFilter(this);
    shown_zoom_ = 100;
    scale();
  }
  return QObject::eventFilter(object, event);
}

template <class T>
bool Preferences::kept(const char* key, T& value, const T& wanted) {
  if (wanted == value) return false;
  value = wanted;
  settings_->setValue(key, wanted);
  return true;
}

void Preferences::set_zoom(int percent) {
  if (!kept("window/zoom", zoom_, std::clamp(percent, smallest_zoom, largest_zoom))) return;
  scale();
  emit changed();
}

void Preferences::present(int percent) {
  presented_ = percent == 0 ? 0 : std::clamp(percent, smallest_zoom, largest_zoom);
  scale();
}

void Preferences::set_fonts(const FontChoice& fonts) {
  if (fonts == fonts_) return;
  fonts_ = fonts;
  settings_->setValue("window/text_font", fonts.text);
  settings_->setValue("window/code_font", fonts.code);
  const QFont before = QApplication::font();
  choose_fonts(fonts);
  scale();
  if (QApplication::font() == before) Theme::instance().restyle();  // the code's font alone
  emit changed();
}

void Preferences::set_notify(bool on) {
  if (kept("window/notify", notify_, on)) emit changed();
}

void Preferences::set_budget(int candidates) {
  if (kept("window/budget", budget_, candidates)) emit changed();
}

void Preferences::set_toolkit(const QString& folder) {
  if (!kept("window/cuda_toolkit", toolkit_, folder)) return;
  choose_cuda_folder(folder.toStdString());
  emit changed();
}

void Preferences::set_restore(bool on) {
  if (kept("window/restore", restore_, on)) emit changed();
}

}  // namespace ww::widgets
