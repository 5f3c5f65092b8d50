// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/settings/general_page.h"
#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "shell/settings/toolkit_field.h"
#include "shell/window/gpu_choice.h"
#include "shell/window/preferences.h"

namespace ww::widgets {

GeneralPage::GeneralPage(Preferences* preferences, const std::shared_ptr<ModelledGpu>& gpu, QWidget* parent)
    : QWidget(parent), preferences_(preferences) {
  setObjectName("general_page");
  auto* column = make_column(this, {grid::half, 0, grid::half, 0});
  auto* form = new QWidget(this);
  QGridLayout* grid = form_grid(form);  // one for both groups, so that their fields begin and end at the same places
  int row = make_appearance(grid, 0);
  grid->setRowMinimumHeight(row++, grid::step);
  make_runs(grid, row, gpu);
  column->addWidget(form, 0, Qt::AlignLeft);
  notify_ =
      with_id(new QCheckBox(tr("Notify me when a run ends while the window is not active"), this), "setting_notify");
  column->addWidget(notify_);
  column->addSpacing(grid::wide);
  column->addWidget(heading(tr("Start"), this));
  restore_ = with_id(new QCheckBox(tr("Open the last workspace, run and candidate"), this), "setting_restore");
  column->addWidget(restore_);
  auto* note = new Label(tr("An interrupted run never resumes automatically: you are asked."), this);
  note->setWordWrap(true);
  set_role(note, "muted");
  column->addWidget(note);
  column->addStretch(1);
  connect(theme_, &QComboBox::activated, this, [this] { emit theme_wanted(theme_->currentData().toString()); });
  connect(zoom_, &QSpinBox::valueChanged, preferences_, &Preferences::set_zoom);
  connect(notify_, &QCheckBox::toggled, preferences_, &Preferences::set_notify);
  connect(restore_, &QCheckBox::toggled, preferences_, &Preferences::set_restore);
  connect(preferences_, &Preferences::changed, this, &GeneralPage::show_all);
  connect(&Theme::instance(), &Theme::changed, this, &GeneralPage::show_all);
  show_all();
}

int GeneralPage::make_appearance(QGridLayout* grid, int row) {
  QWidget* form = grid->parentWidget();
  grid->addWidget(heading(tr("Appearance"), form), row++, 0, 1, 2);
  theme_ = with_id(new QComboBox(form), "setting_theme");
  for (const QString& id : Theme::ids()) theme_->addItem(Theme::title(id), id);
  name_it(theme_, tr("Theme"));
  add_field(grid, tr("Theme"), theme_, row++, 0);
  text_font_ = make_fonts("setting_text_font", tr("Text font"), QStringLiteral("Inter"), false);
  add_field(grid, tr("Text font"), text_font_, row++, 0);
  code_font_ = make_fonts("setting_code_font", tr("Code font"), QStringLiteral("JetBrains Mono"), true);
  add_field(grid, tr("Code font"), code_font_, row++, 0);
  zoom_ = with_id(new QSpinBox(form), "setting_zoom");
  zoom_->setRange(Preferences::smallest_zoom, Preferences::largest_zoom);
  zoom_->setSingleStep(10);
  zoom_->setSuffix(" %");
  zoom_->setKeyboardTracking(false);
  name_it(zoom_, tr("Zoom"), tr("Size of all text, including editors"));
  add_field(grid, tr("Zoom"), zoom_, row++, 0);
  return row;
}

void GeneralPage::make_runs(QGridLayout* grid, int row, const std::shared_ptr<ModelledGpu>& gpu) {
  QWidget* form = grid->parentWidget();
  grid->addWidget(heading(tr("Runs"), form), row++, 0, 1, 2);
  QComboBox* gpus = make_combo(form, "setting_gpu", tr("Modelled GPU"),
                               tr("Occupancy, roofline and advice are modelled for it if no GPU was measured, and new "
                                  "runs on the SIMT machine are compiled for it"),
                               28);
  fill_gpus(gpus, gpu);
  add_field(grid, tr("Modelled GPU"), gpus, row++, 0);
  budget_ = with_id(new QSpinBox(form), "setting_budget");
  budget_->setRange(1, Preferences::largest_budget);
  budget_->setKeyboardTracking(false);
  name_it(budget_, tr("Candidates per run"), tr("The default budget of a new run"));
  add_field(grid, tr("Candidates per run"), budget_, row++, 0);
  add_field(grid, tr("CUDA toolkit"), new ToolkitField(preferences_, form), row, 0);
  connect(budget_, &QSpinBox::valueChanged, preferences_, &Preferences::set_budget);
}

// Without a choice, the window's own font, or the system's where that is not installed.
QComboBox* GeneralPage::make_fonts(const QString& id, const QString& name, const QString& own, bool code) {
  QComboBox* box = make_combo(this, id, name, tr("%1, if it is installed, unless you choose another").arg(own), 20);
  box->addItem(tr("%1 (default)").arg(own), QString());
  box->addItem(tr("The system's"), QStringLiteral("system"));
  for (const QString& family : families_of(code)) box->addItem(family, family);
  connect(box, &QComboBox::activated, this, [this, box, code] {
    FontChoice fonts = preferences_->fonts();
    (code ? fonts.code : fonts.text) = box->currentData().toString();
    preferences_->set_fonts(fonts);
  });
  return box;
}

void GeneralPage::show_all() {
  text_font_->setCurrentIndex(std::max(0, text_font_->findData(preferences_->fonts().text)));
  code_font_->setCurrentIndex(std::max(0, code_font_->findData(preferences_->fonts().code)));
  theme_->setCurrentIndex(theme_->findData(Theme::instance().chosen()));
  zoom_->setValue(preferences_->zoom());
  budget_->setValue(preferences_->budget());
  notify_->setChecked(preferences_->notify());
  restore_->setChecked(preferences_->restore());
}

}  // namespace ww::widgets
