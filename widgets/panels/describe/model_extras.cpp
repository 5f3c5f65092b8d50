// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/model_extras.h"
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QSettings>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include "panels/describe/run_form.h"
#include "parts/theme/controls.h"

namespace ww::widgets {

ModelExtras::ModelExtras(QWidget* parent) : QWidget(parent) {
  auto* column = make_column(this);
  more_ = make_tool(this, "more_of_models", tr("More options"), tr("More options for models and strategies"),
                    tr("Temperature, effort, seed, requests at a time, the strategies' numbers"));
  more_->setCheckable(true);
  more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  more_->setArrowType(Qt::RightArrow);
  column->addWidget(more_, 0, Qt::AlignLeft);
  fields_ = new QWidget(this);
  column->addWidget(fields_);
  grid_ = form_grid(fields_);

  temperature_ = with_id(new QDoubleSpinBox(fields_), "temperature");
  temperature_->setRange(-0.1, 2);
  temperature_->setSingleStep(0.1);
  temperature_->setDecimals(1);
  temperature_->setSpecialValueText(tr("its own"));
  temperature_->setValue(temperature_->minimum());
  name_it(temperature_, tr("Temperature"), tr("Sampling temperature; not sent to models that do not accept one"));
  effort_ = with_id(new QComboBox(fields_), "effort");
  for (const auto& [title, id] :
       {std::pair(tr("its own"), ""), std::pair(tr("none"), "none"), std::pair(tr("low"), "low"),
        std::pair(tr("medium"), "medium"), std::pair(tr("high"), "high"), std::pair(tr("max"), "max")})
    effort_->addItem(title, id);
  name_it(effort_, tr("Effort"), tr("Reasoning effort, where the service accepts one"));
  const auto number = [&](const char* object, const QString& name, const QString& tip, int least, int most, int value) {
    auto* box = with_id(new QSpinBox(fields_), object);
    box->setRange(least, most);
    box->setValue(value);
    name_it(box, name, tip);
    connect(box, &QSpinBox::valueChanged, this, &ModelExtras::changed);
    return box;
  };
  const generator::ModelOptions usual;
  seed_ =
      number("model_seed", tr("Seed"),
             tr("Random seed of the strategies and, where the service accepts one, of each request"), 0, 1000000000, 0);
  parallel_ = number("parallel", tr("Concurrent requests"), tr("Number of concurrent requests to models"), 1, 64,
                     usual.parallel);
  width_ = number("strategy_width", tr("Width"), tr("Lineages (beam), islands (evolve) or samples per round (sample)"),
                  1, 64, usual.width);
  children_ = number("strategy_children", tr("Children"), tr("Children per lineage (beam)"), 1, 64, usual.children);
  patience_ = number("strategy_patience", tr("Patience"), tr("Attempts without a gain before a lineage is abandoned"),
                     1, 1000, usual.patience);
  fixes_ = number("strategy_fixes", tr("Fixes"), tr("Attempts to fix a rejected candidate"), 0, 1000, usual.fixes);
  connect(temperature_, &QDoubleSpinBox::valueChanged, this, &ModelExtras::changed);
  connect(effort_, &QComboBox::activated, this, &ModelExtras::changed);
  const std::pair<QString, QWidget*> list[] = {
      {tr("Temp."), temperature_}, {tr("Effort"), effort_},     {tr("Seed"), seed_},         {tr("At once"), parallel_},
      {tr("Width"), width_},       {tr("Children"), children_}, {tr("Patience"), patience_}, {tr("Fixes"), fixes_}};
  int at = 0;
  for (const auto& [caption, field] : list) {
    add_field(grid_, caption, field, at / 2, at % 2 * 2);
    field->setMinimumWidth(RunForm::least_width);
    ++at;
  }
  RunForm::align_captions(grid_);
  connect(more_, &QToolButton::toggled, this, &ModelExtras::set_open);
  set_open(false);
}

void ModelExtras::set_open(bool open) {
  more_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
  fields_->setVisible(open);
}

void ModelExtras::fill(generator::ModelOptions& options) const {
  options.temperature.reset();
  if (temperature_->value() >= 0) options.temperature = temperature_->value();
  options.effort = effort_->currentData().toString().toStdString();
  options.seed = static_cast<std::uint64_t>(seed_->value());
  options.parallel = parallel_->value();
  options.width = width_->value();
  options.children = children_->value();
  options.patience = patience_->value();
  options.fixes = fixes_->value();
}

void ModelExtras::show_options(const generator::ModelOptions& options) {
  temperature_->setValue(options.temperature.value_or(temperature_->minimum()));
  effort_->setCurrentIndex(std::max(0, effort_->findData(qs(options.effort))));
  seed_->setValue(
      static_cast<int>(std::min<std::uint64_t>(options.seed, static_cast<std::uint64_t>(seed_->maximum()))));
  parallel_->setValue(options.parallel);
  width_->setValue(options.width);
  children_->setValue(options.children);
  patience_->setValue(options.patience);
  fixes_->setValue(options.fixes);
}

void ModelExtras::save(QSettings& settings) const {
  settings.setValue("model/temperature", temperature_->value());
  settings.setValue("model/effort", effort_->currentData());
  for (const QSpinBox* box : {seed_, parallel_, width_, children_, patience_, fixes_})
    settings.setValue("model/" + box->objectName(), box->value());
}

void ModelExtras::restore(const QSettings& settings) {
  temperature_->setValue(settings.value("model/temperature", temperature_->minimum()).toDouble());
  effort_->setCurrentIndex(std::max(0, effort_->findData(settings.value("model/effort"))));
  for (QSpinBox* box : {seed_, parallel_, width_, children_, patience_, fixes_})
    box->setValue(settings.value("model/" + box->objectName(), box->value()).toInt());
}

}  // namespace ww::widgets
