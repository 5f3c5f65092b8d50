// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/preferences.h"
#include <QApplication>
#include <QEvent>
#include <QHeaderView>
#include <QMainWindow>
#include <QSettings>
#include <QTableView>
#include <Qsci/qsciscintilla.h>
#include <algorithm>
#include <cmath>
#include "base/cuda_folder.h"
#include "panels/candidates/candidate_table.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {
// Before any zoom of any window of this program.
double application_points() {
  static const double points = QApplication::font().pointSizeF() > 0 ? QApplication::font().pointSizeF() : 10.0;
  return points;
}
void zoom_editor(QsciScintilla* editor, int percent) {
  const double points = editor->font().pointSizeF() > 0 ? editor->font().pointSizeF() : 10.0;
  editor->zoomTo(static_cast<int>(std::lround(points * percent / 100.0 - points)));
}
void scale_columns(QTableView& table, double factor) {
  auto* candidates = dynamic_cast<CandidateTable*>(&table);
  const int name_width = candidates ? candidates->name_width() : 0;
  for (int i = 0; factor != 1 && table.model() && i < table.model()->columnCount(); ++i)
    if (!table.isColumnHidden(i)) table.setColumnWidth(i, static_cast<int>(std::lround(table.columnWidth(i) * factor)));
  if (factor != 1 && candidates) candidates->set_name_width(static_cast<int>(std::lround(name_width * factor)));
}
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
  QFont font = QApplication::font();
  font.setFamily(text_family());
  font.setPointSizeF(first_size_ * zoom_ / 100.0);
  if (font != QApplication::font()) {
    QApplication::setFont(font);
    Theme::instance().restyle();
  }
  for (auto* editor : window_->findChildren<QsciScintilla*>()) zoom_editor(editor, zoom_);
  const double factor = double(zoom_) / shown_zoom_;
  if (factor != 1)
    for (auto* table : window_->findChildren<QTableView*>()) {
      QHeaderView* rows = table->verticalHeader();
      rows->setDefaultSectionSize(static_cast<int>(std::lround(rows->defaultSectionSize() * factor)));
      scale_columns(*table, factor);
    }
  shown_zoom_ = zoom_;
}

void Preferences::columns_restored(QTableView& table, int zoom) {
  scale_columns(table, 100.0 / std::clamp(zoom, smallest_zoom, largest_zoom));
}

// Panels that are made after this have their editors and tables zoomed when the window is first shown.
bool Preferences::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Show) {
    window_->removeEventFilter(this);
    shown_zoom_ = 100;
    scale();
  }
  return QObject::eventFilter(object, event);
}

void Preferences::set_zoom(int percent) {
  percent = std::clamp(percent, smallest_zoom, largest_zoom);
  if (percent == zoom_) return;
  zoom_ = percent;
  settings_->setValue("window/zoom", zoom_);
  scale();
  emit changed();
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
  if (on == notify_) return;
  notify_ = on;
  settings_->setValue("window/notify", on);
  emit changed();
}

void Preferences::set_budget(int candidates) {
  if (candidates == budget_) return;
  budget_ = candidates;
  settings_->setValue("window/budget", candidates);
  emit changed();
}

void Preferences::set_toolkit(const QString& folder) {
  if (folder == toolkit_) return;
  toolkit_ = folder;
  settings_->setValue("window/cuda_toolkit", folder);
  choose_cuda_folder(folder.toStdString());
  emit changed();
}

void Preferences::set_restore(bool on) {
  if (on == restore_) return;
  restore_ = on;
  settings_->setValue("window/restore", on);
  emit changed();
}

}  // namespace ww::widgets
