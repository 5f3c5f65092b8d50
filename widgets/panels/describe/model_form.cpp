// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/model_form.h"
#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>
#include "llm/model_name.h"
#include "panels/describe/model_combo.h"
#include "panels/describe/model_extras.h"
#include "panels/describe/run_form.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {

ModelForm::ModelForm(QWidget* parent) : QWidget(parent) {
  QGridLayout* grid = form_grid(this);
  make_model(grid);
  make_strategy(grid);
  make_limits(grid);
  for (QWidget* w : std::initializer_list<QWidget*>{model_, mode_, analyst_, tokens_, money_})
    w->setMinimumWidth(RunForm::least_width);
  extras_ = new ModelExtras(this);
  grid->addWidget(extras_, 8, 0, 1, 4);
  connect(extras_, &ModelExtras::changed, this, &ModelForm::changed);
  fill_analysts({});
  make_strategies();
  read();
}

QList<QGridLayout*> ModelForm::grids() const { return {static_cast<QGridLayout*>(layout()), extras_->grid()}; }

void ModelForm::make_model(QGridLayout* grid) {
  model_ = with_id(new ModelCombo(this), "model");
  name_it(model_, tr("Model"), tr("The model that writes candidates: SERVICE:MODEL, from the list or typed"));
  model_->lineEdit()->setAccessibleName(tr("Model"));
  add_field(grid, tr("Model"), model_, 0, 0, 3);
  note_ = make_paragraph(this, "model_note", "muted");
  grid->addWidget(note_, 1, 1, 1, 3);
  buttons_ = new QWidget(this);
  auto* row = make_row(buttons_);
  auto* settings = make_button(buttons_, "model_settings", tr("Settings..."),
                               tr("Keys of services, and what may leave this machine"));
  auto* again = make_button(buttons_, "model_again", tr("Look again"), tr("Ask the servers on this machine again"));
  row->addWidget(settings);
  row->addWidget(again);
  row->addStretch(1);
  grid->addWidget(buttons_, 2, 1, 1, 3);
  connect(model_, &QComboBox::editTextChanged, this, &ModelForm::read);
  connect(settings, &QPushButton::clicked, this, &ModelForm::settings_wanted);
  connect(again, &QPushButton::clicked, this, &ModelForm::list_wanted);
}

void ModelForm::make_strategy(QGridLayout* grid) {
  strategy_row_ = new QWidget(this);
  strategy_row_->setAccessibleName(tr("Strategies"));
  new FlowLayout(strategy_row_);
  grid->addWidget(new Label(tr("Strategy"), this), 3, 0, Qt::AlignTop);
  grid->addWidget(strategy_row_, 3, 1, 1, 3);
  strategy_note_ = make_paragraph(this, "strategy_note", "muted");
  grid->addWidget(strategy_note_, 4, 1, 1, 3);
  mode_ = make_combo(this, "writing_mode", tr("What the model writes"),
                     tr("What the model writes. Everything passes the same gate."), 6);
  mode_->addItem(tr("CUDA C++"), "cuda");
  mode_->addItem(tr("CUDA + PTX"), "cuda+ptx");
  mode_->setItemData(1, tr("CUDA C++ with PTX instructions inside"), Qt::ToolTipRole);
  mode_->addItem(tr("PTX"), "ptx");
  analyst_ = make_combo(this, "analyst", tr("Analyst"),
                        tr("The model that analyses a candidate's numbers and suggests changes"), 6);
  add_field(grid, tr("Writes"), mode_, 5, 0);
  add_field(grid, tr("Analyst"), analyst_, 5, 2);
  roles_note_ = make_paragraph(this, "roles_note", "muted");
  grid->addWidget(roles_note_, 6, 1, 1, 3);
  connect(mode_, &QComboBox::activated, this, &ModelForm::changed);
  connect(analyst_, &QComboBox::activated, this, &ModelForm::read);
}

void ModelForm::make_limits(QGridLayout* grid) {
  tokens_ = with_id(new QSpinBox(this), "budget_tokens");
  tokens_->setRange(0, 1000000000);
  tokens_->setSingleStep(50000);
  tokens_->setGroupSeparatorShown(true);
  tokens_->setLocale(QLocale(QLocale::French));  // groups digits with narrow spaces, as elsewhere in the window
  tokens_->setSpecialValueText(tr("no limit"));
  tokens_->setValue(200000);
  name_it(tokens_, tr("Budget in tokens"),
          tr("For all requests, prompts and answers together. The run stops before exceeding it; 0: no limit"));
  money_ = with_id(new QDoubleSpinBox(this), "budget_money");
  money_->setRange(0, 100000);
  money_->setDecimals(2);
  money_->setSingleStep(0.5);
  money_->setPrefix("$");
  money_->setSpecialValueText(tr("no limit"));
  money_->setValue(1);
  name_it(money_, tr("Budget in US dollars"), tr("The run stops before the models' price exceeds it; 0: no limit"));
  add_field(grid, tr("Tokens"), tokens_, 7, 0);
  add_field(grid, tr("Dollars"), money_, 7, 2);
  connect(tokens_, &QSpinBox::valueChanged, this, &ModelForm::changed);
  connect(money_, &QDoubleSpinBox::valueChanged, this, &ModelForm::changed);
}

void ModelForm::set_list(const ModelList& list) {
  list_ = list;
  model_->set_list(list);
  fill_analysts(analyst_->currentData().toString());
  const llm::RoleSettings* writer = llm::role_of(list.roles, "writer");
  if (model_->id().isEmpty())
    model_->set_id(writer && !writer->model.empty() ? exact(writer->model) : first_usable(list));
  read();
}

void ModelForm::fill_analysts(const QString& wanted) {
  const QSignalBlocker block(analyst_);
  analyst_->clear();
  const llm::RoleSettings* role = llm::role_of(list_.roles, "analyst");
  const bool set = role && !role->model.empty();
  analyst_->addItem(set ? tr("As set: %1").arg(qs(role->model)) : tr("Same"), "");
  analyst_->setItemData(0, set ? tr("The model that the settings name for this role") : tr("The model that writes"),
                        Qt::ToolTipRole);
  analyst_->addItem(tr("None"), "none");
  analyst_->setItemData(1, tr("No analyst: the writer sees only the numbers"), Qt::ToolTipRole);
  for (const ModelEntry& m : list_.models) {
    if (m.name.empty() || m.name.back() == '*') continue;
    const Service* service = service_of(list_, m.service);
    const std::string id = llm::ModelName{m.service, m.name}.text();
    if (service && service->why_not.empty()) analyst_->addItem(qs(id), exact(id));
  }
  if (!wanted.isEmpty() && analyst_->findData(wanted) < 0) analyst_->addItem(wanted, wanted);
  analyst_->setCurrentIndex(std::max(0, analyst_->findData(wanted)));
}

void ModelForm::set_strategies(const std::vector<Choice>& strategies) {
  strategies_ = strategies;
  make_strategies();
}

void ModelForm::make_strategies() {
  qDeleteAll(boxes_);
  boxes_.clear();
  for (const Choice& choice : strategies_) {
    auto* box = with_id(new QCheckBox(qs(choice.title), strategy_row_), "strategy_" + qs(choice.id));
    box->setProperty("strategy", qs(choice.id));
    name_it(box, tr("Strategy %1").arg(qs(choice.title)), qs(choice.about));
    box->setChecked(wanted_strategies_.contains(qs(choice.id)));
    connect(box, &QCheckBox::toggled, this, &ModelForm::read);
    strategy_row_->layout()->addWidget(box);
    boxes_.append(box);
    box->show();
  }
  read();
}

QStringList ModelForm::ticked() const {
  if (boxes_.isEmpty()) return wanted_strategies_;
  QStringList list;
  for (const QCheckBox* box : boxes_)
    if (box->isChecked()) list += box->property("strategy").toString();
  return list;
}

void ModelForm::read() {
  const ModelReading reading = read_model(list_, model_->id());
  const bool known = !list_.services.empty() || !list_.error.empty();  // before that nothing is known of any model
  note_->setText(known ? reading.sentence : tr("The list of models is being read."));
  set_role(note_, !known || reading.usable ? "muted" : "warning");
  buttons_->setVisible(known && !reading.usable);
  model_->setToolTip(
      model_->id().isEmpty()
          ? tr("The model that writes candidates: SERVICE:MODEL, from the list or typed")
          : tr("%1\nThe model that writes candidates: SERVICE:MODEL, from the list or typed").arg(model_->id()));
  analyst_->setToolTip(
      tr("%1\nThe model that analyses a candidate's numbers and suggests changes").arg(analyst_->currentText()));
  const std::vector<std::string> asked = chosen_models().models();
  const bool priced = reading.priced && std::ranges::all_of(asked, [&](const std::string& name) {
                        return read_model(list_, exact(name)).priced;
                      });
  show_roles(asked);
  can_limit_ = priced || !reading.usable;
  money_->setEnabled(can_limit_);
  money_->setToolTip(
      can_limit_
          ? tr("The run stops before the models' price exceeds it; 0: no limit")
          : tr("The model's price is unknown, so a limit in dollars cannot be enforced. Limit the tokens instead."));
  const QStringList chosen = ticked();
  QString about;
  for (const Choice& choice : strategies_)
    if (chosen.size() == 1 && qs(choice.id) == chosen.first()) about = qs(choice.about);
  if (chosen.size() > 1) about = tr("They race; each gets an equal share of the budget.");
  if (chosen.isEmpty()) about = tr("Choose at least one.");
  if (!about.isEmpty()) about[0] = about[0].toUpper();
  strategy_note_->setText(about);
  set_role(strategy_note_, chosen.isEmpty() ? "warning" : "muted");
  strategy_note_->setVisible(!about.isEmpty());
  emit changed();
}

generator::ModelOptions ModelForm::chosen_models() const {
  generator::ModelOptions m;
  m.writer = writer();
  m.analyst = analyst_->currentData().toString().toStdString();
  generator::take_roles(m, list_.roles);
  return m;
}

// What is set for the roles of a run, and which of their models cannot be used now.
void ModelForm::show_roles(const std::vector<std::string>& asked) {
  QString text = roles_text(list_.roles, {"writer", "fixer", "analyst"});
  bool warns = false;
  if (!text.isEmpty()) {
    text = tr("Roles, as set in Settings → Model roles. %1").arg(text);
    for (const std::string& name : asked) {
      if (name == writer()) continue;
      const ModelReading reading = read_model(list_, exact(name));
      if (reading.usable) continue;
      warns = true;
      text += ' ' + tr("%1: %2").arg(qs(name), reading.sentence);
    }
  }
  roles_note_->setText(text);
  roles_note_->setVisible(!text.isEmpty());
  set_role(roles_note_, warns ? "warning" : "muted");
}

QString ModelForm::why_not() const {
  if (list_.services.empty() && list_.error.empty()) return tr("The list of models is being read.");
  const ModelReading reading = read_model(list_, model_->id());
  if (!reading.usable) return tr("To run, choose a model that is available.");
  if (ticked().isEmpty()) return tr("To run, choose a strategy.");
  return {};
}

std::string ModelForm::writer() const { return model_->id().toStdString(); }

void ModelForm::fill(generator::RunOptions& options) const {
  options.model.writer = writer();
  options.model.analyst = analyst_->currentData().toString().toStdString();
  options.model.mode = mode_->currentData().toString().toStdString();
  options.model.strategies.clear();
  for (const QString& name : ticked()) options.model.strategies.push_back(name.toStdString());
  extras_->fill(options.model);
  generator::take_roles(options.model, list_.roles);
  options.budget.tokens = tokens_->value();
  options.budget.money = can_limit_ ? money_->value() : 0;
}

void ModelForm::show_options(const generator::RunOptions& options) {
  model_->set_id(exact(options.model.writer));
  fill_analysts(exact(options.model.analyst));
  mode_->setCurrentIndex(std::max(0, mode_->findData(qs(options.model.mode))));
  wanted_strategies_.clear();
  for (const std::string& name : options.model.strategies) wanted_strategies_ += qs(name);
  tokens_->setValue(static_cast<int>(std::min<std::int64_t>(options.budget.tokens, tokens_->maximum())));
  money_->setValue(options.budget.money);
  extras_->show_options(options.model);
  make_strategies();
}

void ModelForm::save(QSettings& settings) const {
  settings.setValue("model/writer", model_->id());
  settings.setValue("model/analyst", analyst_->currentData());
  settings.setValue("model/mode", mode_->currentData());
  settings.setValue("model/strategies", ticked());
  settings.setValue("model/tokens", tokens_->value());
  settings.setValue("model/money", money_->value());
  extras_->save(settings);
}

void ModelForm::restore(const QSettings& settings) {
  if (!settings.contains("model/writer")) return;
  model_->set_id(settings.value("model/writer").toString());
  fill_analysts(settings.value("model/analyst").toString());
  mode_->setCurrentIndex(std::max(0, mode_->findData(settings.value("model/mode"))));
  wanted_strategies_ = settings.value("model/strategies").toStringList();
  tokens_->setValue(settings.value("model/tokens").toInt());
  money_->setValue(settings.value("model/money").toDouble());
  extras_->restore(settings);
  make_strategies();
}

}  // namespace ww::widgets
