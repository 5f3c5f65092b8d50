// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/run_form.h"
#include <QComboBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStandardItemModel>
#include <algorithm>
#include <limits>
#include <utility>
#include "base/device_name.h"
#include "generator/names.h"
#include "panels/describe/model_form.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

void fill(QComboBox* box, const std::vector<Choice>& choices, const QString& wanted) {
  const QSignalBlocker block(box);
  const QString kept = wanted.isEmpty() ? box->currentData().toString() : wanted;
  box->clear();
  for (const Choice& choice : choices) {
    box->addItem(qs(choice.title), qs(choice.id));
    if (!choice.about.empty()) box->setItemData(box->count() - 1, qs(choice.about), Qt::ToolTipRole);
    if (!choice.why_not.empty()) {
      if (auto* model = qobject_cast<QStandardItemModel*>(box->model()))
        model->item(box->count() - 1)->setEnabled(false);
      box->setItemData(box->count() - 1, qs(choice.why_not), Qt::ToolTipRole);
    }
  }
  const int at = box->findData(kept);
  if (at >= 0) box->setCurrentIndex(at);
}

}  // namespace

RunForm::RunForm(QWidget* parent) : QWidget(parent) {
  QGridLayout* grid = form_grid(this);
  make_shape(grid);
  make_fields(grid);
  folds_.emplace_back(grid);
  for (QGridLayout* g : models_->grids()) folds_.emplace_back(g);
  generator_changed();
  connect(dtype_, &QComboBox::activated, this, [this] {
    const int value = dtype_->currentData().toInt();
    if (value >= 0) emit dtype_chosen(static_cast<DType>(value));
  });
  connect(generator_, &QComboBox::currentIndexChanged, this, &RunForm::generator_changed);
  connect(models_, &ModelForm::changed, this, &RunForm::changed);
  for (QComboBox* box : {generator_, device_}) connect(box, &QComboBox::activated, this, &RunForm::changed);
  for (QSpinBox* box : {minutes_, budget_}) connect(box, &QSpinBox::valueChanged, this, &RunForm::changed);
}

void RunForm::make_shape(QGridLayout* grid) {
  shapes_ = new QWidget(this);
  shapes_->setAccessibleName(tr("Shape of the default case"));
  QGridLayout* cells = make_grid(shapes_);  // two symbols a row
  cells->setVerticalSpacing(grid::half);
  cells->setColumnStretch(0, 1);
  cells->setColumnStretch(1, 1);
  no_shapes_ = make_paragraph(shapes_, {}, "muted");
  no_shapes_->setText(tr("set by the spec, once it is complete"));
  no_shapes_->setContentsMargins(0, grid::half, 0, 0);
  cells->addWidget(no_shapes_, 0, 0, 1, 2);
  auto* label = new Label(tr("Shape"), this);
  label->setContentsMargins(0, grid::half, 0, 0);
  grid->addWidget(label, 0, 0, Qt::AlignTop);
  override_row_ = new QWidget(this);
  auto* row = make_row(override_row_);
  override_text_ = make_paragraph(override_row_, "shape_override", "warning");
  auto* reset = make_button(override_row_, "reset_shape", tr("Reset"));
  name_it(reset, tr("Reset the shape"), tr("Back to the sizes of the spec"));
  connect(reset, &QPushButton::clicked, this, &RunForm::reset_symbols);
  row->addWidget(override_text_, 1);
  row->addWidget(reset);
  override_row_->hide();
  auto* shape = new QWidget(this);
  auto* parts = make_column(shape, {}, grid::half);
  parts->addWidget(shapes_);
  parts->addWidget(override_row_);
  grid->addWidget(shape, 0, 1, 1, 3);
}

void RunForm::make_fields(QGridLayout* grid) {
  dtype_ = make_combo(this, "dtype", tr("Element type"), tr("Element type of every real tensor of the spec"), 6);
  dtype_->addItem(tr("mixed"), -1);
  for (const DType t : all_dtypes)
    if (is_real(t))
      dtype_->addItem(QString::fromUtf8(dtype_name(t).data(), static_cast<qsizetype>(dtype_name(t).size())),
                      static_cast<int>(t));
  dtype_->setEnabled(false);
  device_ = make_combo(this, "device", tr("Device"), tr("Where candidates run"), 6);
  device_->addItem(tr("SIMT"), "simt");
  device_->setItemData(0, tr("Warpwright's own SIMT machine, on the processor"), Qt::ToolTipRole);
  budget_ = with_id(new QSpinBox(this), "budget");
  budget_->setRange(1, 10000);
  budget_->setValue(24);
  name_it(budget_, tr("Budget in candidates"), tr("The run ends after this many candidates have been judged"));
  minutes_ = with_id(new QSpinBox(this), "budget_minutes");
  minutes_->setRange(0, 10000);
  minutes_->setSpecialValueText(tr("no limit"));
  name_it(minutes_, tr("Budget in minutes"), tr("The run ends after this many minutes; 0: no limit"));
  generator_ = make_combo(this, "generator", tr("Generator"), tr("Who proposes candidates"), 6);
  generator_->addItem(tr("Search"), "search");
  add_field(grid, tr("Type"), dtype_, 1, 0);
  add_field(grid, tr("Device"), device_, 1, 2);
  add_field(grid, tr("Candidates"), budget_, 2, 0);
  add_field(grid, tr("Minutes"), minutes_, 2, 2);
  add_field(grid, tr("Generator"), generator_, 3, 0, 3);
  models_ = new ModelForm(this);
  grid->addWidget(models_, 4, 0, 1, 4);
  for (QGridLayout* g : {grid, static_cast<QGridLayout*>(models_->layout())}) align_captions(g);
  QWidget* last = nullptr;
  for (QWidget* w : std::initializer_list<QWidget*>{dtype_, device_, budget_, minutes_, generator_}) {
    w->setMinimumWidth(least_width);
    if (last) setTabOrder(last, w);
    last = w;
  }
}

QSize RunForm::minimumSizeHint() const {
  const auto* grid = static_cast<const QGridLayout*>(layout());
  return {grid->columnMinimumWidth(0) + grid::step + least_width, QWidget::minimumSizeHint().height()};
}

void RunForm::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  int wide = 0;
  for (const FormFold& fold : folds_) wide = std::max(wide, fold.wide_width());
  for (FormFold& fold : folds_) fold.set_folded(width() < wide);
}

void RunForm::align_captions(QGridLayout* grid) {
  const QFontMetrics metrics = grid->parentWidget()->fontMetrics();
  grid->setColumnMinimumWidth(0, metrics.horizontalAdvance(tr("Candidates")) + 2);
  grid->setColumnMinimumWidth(2, metrics.horizontalAdvance(tr("Minutes")) + 2);
}

void RunForm::set_choices(const std::vector<Choice>& generators, const std::vector<Choice>& devices) {
  if (!generators.empty()) ww::widgets::fill(generator_, generators, wanted_generator_);
  if (!devices.empty()) ww::widgets::fill(device_, devices, wanted_device_);
  generator_changed();
}

void RunForm::generator_changed() {
  const bool model = generator() == "model";
  const bool shown = !models_->isHidden();
  models_->setVisible(model);
  updateGeometry();
  if (model && !shown) emit models_wanted();
}

void RunForm::show_spec(const std::optional<op::Spec>& spec) {
  // While a spec has an error its last good shape stays, so that nothing that was typed is lost.
  dtype_->setEnabled(spec.has_value());
  if (!spec) return;
  QStringList symbols;
  for (const std::string& name : spec->symbols) symbols += qs(name);
  if (symbols != symbols_ || spec->name != op_) {
    symbols_ = symbols;
    op_ = spec->name;
    make_boxes(*spec);
  } else {
    for (auto it = boxes_.begin(); it != boxes_.end(); ++it) {  // the spec decides where its own size changed
      const std::string name = it.key().toStdString();
      const auto before = std::as_const(defaults_).find(name), now = spec->defaults.find(name);
      if (now != spec->defaults.end() && (before == defaults_.end() || before->second != now->second))
        it.value()->setValue(static_cast<int>(now->second));
    }
  }
  defaults_ = spec->defaults;
  if (const auto sizes = std::exchange(opened_, std::nullopt)) {
    reset_symbols();
    for (const auto& [name, value] : *sizes)
      if (QSpinBox* box = boxes_.value(qs(name))) box->setValue(static_cast<int>(value));
  }
  show_override();

  int common = -2;  // -2: no real tensor yet, -1: several types
  const auto look = [&](const std::vector<op::Param>& params) {
    for (const op::Param& p : params) {
      if (!is_real(p.dtype)) continue;
      common = common == -2 || common == static_cast<int>(p.dtype) ? static_cast<int>(p.dtype) : -1;
    }
  };
  look(spec->inputs);
  look(spec->outputs);
  const QSignalBlocker block(dtype_);
  dtype_->setCurrentIndex(std::max(0, dtype_->findData(common)));
  dtype_->setEnabled(common != -2);
  updateGeometry();
}

void RunForm::make_boxes(const op::Spec& spec) {
  clear_layout(shapes_->layout(), no_shapes_);
  boxes_.clear();
  no_shapes_->setText(symbols_.isEmpty() ? tr("fixed by the spec") : QString());
  no_shapes_->setVisible(symbols_.isEmpty());
  auto* cells = static_cast<QGridLayout*>(shapes_->layout());
  if (symbols_.isEmpty()) cells->addWidget(no_shapes_, 0, 0, 1, 2);
  int place = 0;
  for (const QString& name : symbols_) {
    auto* cell = new QWidget(shapes_);
    auto* row = make_row(cell, {}, grid::half);
    auto* label = new Label(name, cell);
    auto* box = with_id(new QSpinBox(cell), "symbol_" + name);
    box->setRange(0, std::numeric_limits<int>::max());  // the checks of the op say what is too large
    box->setMinimumWidth(64);
    name_it(box, tr("Shape symbol %1").arg(name), tr("%1 of the default case").arg(name));
    label->setBuddy(box);
    row->addWidget(label);
    row->addWidget(box, 1);
    cells->addWidget(cell, place / 2, place % 2);
    ++place;
    boxes_[name] = box;
    const auto d = spec.defaults.find(name.toStdString());
    box->setValue(d == spec.defaults.end() ? 1 : static_cast<int>(d->second));
    connect(box, &QSpinBox::valueChanged, this, [this] {
      show_override();
      emit changed();
    });
    cell->show();
  }
}

void RunForm::show_override() {
  QStringList parts;
  for (const QString& name : symbols_) {
    const auto d = defaults_.find(name.toStdString());
    if (d != defaults_.end() && boxes_.contains(name) && boxes_[name]->value() != d->second)
      parts += tr("%1 = %2 (spec: %3)").arg(name).arg(boxes_[name]->value()).arg(d->second);
  }
  override_text_->setText(tr("Set here: %1").arg(parts.join(", ")));
  override_row_->setVisible(!parts.isEmpty());
}

void RunForm::reset_symbols() {
  for (auto it = boxes_.begin(); it != boxes_.end(); ++it)
    if (const auto d = defaults_.find(it.key().toStdString()); d != defaults_.end())
      it.value()->setValue(static_cast<int>(d->second));
}

op::Binding RunForm::binding() const {
  op::Binding binding;
  for (auto it = boxes_.begin(); it != boxes_.end(); ++it) {
    const auto d = defaults_.find(it.key().toStdString());
    if (d == defaults_.end() || d->second != it.value()->value())
      binding.symbols[it.key().toStdString()] = it.value()->value();
  }
  return binding;
}

std::string RunForm::generator() const { return generator_->currentData().toString().toStdString(); }
std::string RunForm::device() const { return device_->currentData().toString().toStdString(); }
int RunForm::candidates() const { return budget_->value(); }
void RunForm::set_candidates(int budget) { budget_->setValue(budget); }
void RunForm::set_generator(const QString& id) {
  wanted_generator_ = id;
  if (const int at = generator_->findData(id); at >= 0) generator_->setCurrentIndex(at);
}
void RunForm::set_device(const QString& id) {
  wanted_device_ = id;
  if (const int at = device_->findData(id); at >= 0) device_->setCurrentIndex(at);
}

void RunForm::set_gpu(const QString& gpu, const std::string& architecture) {
  gpu_ = gpu;
  architecture_ = architecture;
  emit changed();
}

void RunForm::fill(generator::RunOptions& options) const {
  options.binding = binding();
  options.generator = generator();
  options.device = device();
  if (!is_simt(options.device))
    options.architecture = rpc::native_architecture;
  else if (!architecture_.empty())
    options.architecture = architecture_;
  options.budget.candidates = candidates();
  options.budget.minutes = minutes_->value();
  if (generator::asks_models(options.generator)) models_->fill(options);
}

void RunForm::show_options(const generator::RunOptions& options) {
  if (!own_) own_ = shown();
  if (options.budget.candidates > 0) set_candidates(options.budget.candidates);
  minutes_->setValue(static_cast<int>(options.budget.minutes));
  set_sizes(options.binding.symbols);
  set_generator(qs(options.generator));
  if (generator::asks_models(options.generator)) models_->show_options(options);
  of_run_ = shown();
}

RunForm::Own RunForm::shown() const { return {budget_->value(), minutes_->value(), exact(generator())}; }

void RunForm::leave_run() {
  const std::optional<Own> own = std::exchange(own_, std::nullopt);
  if (!own) return;
  const Own now = shown();  // what was changed since the run was shown is the person's, too
  if (now.candidates == of_run_.candidates) set_candidates(own->candidates);
  if (now.minutes == of_run_.minutes) minutes_->setValue(own->minutes);
  if (now.generator == of_run_.generator) set_generator(own->generator);
}

QString RunForm::why_not() const { return generator() == "model" ? models_->why_not() : QString(); }

QString RunForm::summary(const QString& op) const {
  QStringList sizes;
  for (const QString& name : symbols_) sizes += tr("%1 = %2").arg(name).arg(boxes_[name]->value());
  QStringList parts{op};
  if (!sizes.isEmpty()) parts += sizes.join(", ");
  QString place = tr("on %1").arg(device_->currentText());
  if (is_simt(device()) && !gpu_.isEmpty()) place = tr("%1 for %2").arg(place, gpu_);
  parts += {dtype_->currentText(), place, tr("%1 proposes").arg(generator_->currentText()),
            counted(candidates(), tr("candidate"), tr("candidates"))};
  if (minutes_->value() > 0) parts += tr("at most %1 min").arg(minutes_->value());
  return parts.join(QStringLiteral(" \u00b7 "));
}

QString RunForm::gpu() const {
  const auto* model = qobject_cast<QStandardItemModel*>(device_->model());
  for (int i = 0; i < device_->count(); ++i)
    if (device_->itemData(i).toString() != "simt" && (!model || model->item(i)->isEnabled()))
      return device_->itemText(i);
  return {};
}

void RunForm::save(QSettings& settings) const {
  const Own now = shown();
  settings.setValue("describe/generator", own_ && now.generator == of_run_.generator ? own_->generator : now.generator);
  settings.setValue("describe/device", qs(device()));
  settings.setValue("describe/minutes", own_ && now.minutes == of_run_.minutes ? own_->minutes : now.minutes);
  models_->save(settings);
}

void RunForm::restore(const QSettings& settings) {
  set_generator(settings.value("describe/generator").toString());
  set_device(settings.value("describe/device").toString());
  minutes_->setValue(settings.value("describe/minutes").toInt());
  models_->restore(settings);
}

}  // namespace ww::widgets
