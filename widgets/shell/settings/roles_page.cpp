// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/settings/roles_page.h"
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFrame>
#include <QGridLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTreeWidget>
#include <algorithm>
#include "llm/roles.h"
#include "panels/describe/model_combo.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {
namespace {

constexpr double no_temperature = -0.1;
constexpr int most_tokens = 1000000;

QString task_of(std::string_view role) {
  if (role == "writer") return RolesPage::tr("Writes candidates.");
  if (role == "fixer")
    return RolesPage::tr("Repairs rejected candidates. Without a model of its own, the writer does.");
  if (role == "analyst")
    return RolesPage::tr(
        "Reads a candidate's numbers and names its bottleneck. Without a model of its own, the "
        "writer's does.");
  if (role == "formulator")
    return RolesPage::tr(
        "Writes an op spec for a sentence, a module or a kernel. Without a model of its own, the one "
        "that is chosen for runs does.");
  return RolesPage::tr("Notes what a reviewer should look at; asked in the terminal, by 'warpwright-cli review'.");
}

}  // namespace

RolesPage::RolesPage(std::shared_ptr<Models> models, QWidget* parent) : QWidget(parent), models_(std::move(models)) {
  setObjectName("roles_page");
  auto* column = make_column(this);
  column->addWidget(heading(tr("Model roles"), this));
  Label* what = make_paragraph(this, "roles_about", "muted");
  what->setText(tr("Roles whose model is asked otherwise than the run's form says. The terminal follows this, too."));
  column->addWidget(what);
  roles_ = with_id(new QTreeWidget(this), "roles");
  roles_->setHeaderLabels({tr("Role"), tr("What is set")});
  roles_->setRootIsDecorated(false);
  roles_->setUniformRowHeights(true);
  roles_->setAllColumnsShowFocus(true);
  roles_->setColumnWidth(0, 140);
  name_it(roles_, tr("Model roles"));
  for (const std::string_view role : llm::role_names) {
    auto* item = new QTreeWidgetItem(roles_, {role_title(role), tr("nothing")});
    item->setData(0, Qt::UserRole, QString::fromUtf8(role.data(), static_cast<qsizetype>(role.size())));
  }
  column->addWidget(roles_, 1);
  make_form(column);
  problem_ = make_paragraph(this, "roles_problem", "error");
  problem_->hide();
  column->addWidget(problem_);
  connect(roles_, &QTreeWidget::currentItemChanged, this, &RolesPage::show_role);
  roles_->setCurrentItem(roles_->topLevelItem(0));
  load();
}

void RolesPage::make_form(QVBoxLayout* column) {
  auto* box = new QFrame(this);
  box->setProperty("role", "notice");
  QGridLayout* grid = make_grid(box, grid::panel);
  grid->setColumnStretch(1, 1);
  grid->setColumnStretch(3, 1);
  about_ = make_paragraph(box, "role_about", "muted");
  grid->addWidget(about_, 0, 0, 1, 4);
  model_ = with_id(new ModelCombo(box), "role_model");
  name_it(model_, tr("Model of the role"), tr("SERVICE:MODEL, from the list or typed; empty: as usual"));
  add_field(grid, tr("Model"), model_, 1, 0, 3);
  fallbacks_ = with_id(new QLineEdit(box), "role_fallbacks");
  name_it(fallbacks_, tr("Fallbacks of the role"),
          tr("Models that take over in turn where the one before does not answer: SERVICE:MODEL, SERVICE:MODEL"));
  add_field(grid, tr("Then"), fallbacks_, 2, 0, 3);
  effort_ =
      make_combo(box, "role_effort", tr("Effort of the role"), tr("Reasoning effort, where the service takes one"));
  effort_->addItem(tr("as usual"), "");
  for (const std::string_view effort : llm::efforts) {
    const QString name = QString::fromUtf8(effort.data(), static_cast<qsizetype>(effort.size()));
    effort_->addItem(name, name);
  }
  temperature_ = with_id(new QDoubleSpinBox(box), "role_temperature");
  temperature_->setRange(no_temperature, 2);
  temperature_->setSingleStep(0.1);
  temperature_->setDecimals(1);
  temperature_->setSpecialValueText(tr("as usual"));
  name_it(temperature_, tr("Temperature of the role"), tr("Sampling temperature, where the model takes one"));
  add_field(grid, tr("Effort"), effort_, 3, 0);
  add_field(grid, tr("Temperature"), temperature_, 3, 2);
  const auto tokens = [&](const char* id, const QString& name, const QString& tip) {
    auto* spin = with_id(new QSpinBox(box), id);
    spin->setRange(0, most_tokens);
    spin->setSingleStep(1000);
    spin->setSpecialValueText(tr("as usual"));
    name_it(spin, name, tip);
    return spin;
  };
  answer_ = tokens("role_answer", tr("Largest answer of the role"), tr("In tokens, reasoning included"));
  prompt_ = tokens("role_prompt", tr("Largest prompt of the role"), tr("In tokens; longer ones are shortened"));
  add_field(grid, tr("Answer"), answer_, 4, 0);
  add_field(grid, tr("Prompt"), prompt_, 4, 2);
  column->addWidget(box);
  auto* buttons = make_row(static_cast<QBoxLayout*>(column));
  save_ = make_button(this, "role_save", tr("Save role"), tr("Writes it into models.json"));
  clear_ = make_button(this, "role_clear", tr("Clear role"), tr("The role is asked as the run's form says"));
  for (QPushButton* b : {save_, clear_}) {
    b->setAutoDefault(false);
    buttons->addWidget(b);
  }
  buttons->addStretch(1);
  form_ = box;
  for (QWidget* w : std::initializer_list<QWidget*>{form_, save_, clear_}) w->setEnabled(false);  // until it is read
  connect(save_, &QPushButton::clicked, this, &RolesPage::save);
  connect(clear_, &QPushButton::clicked, this, &RolesPage::clear);
}

void RolesPage::load() {
  loader_.submit([this, service = models_]() -> LatestJob::Deliver {
    return [this, list = service->models(false)] { show_list(list); };
  });
}

void RolesPage::show_list(const ModelList& list) {
  list_ = list;
  model_->set_list(list_);
  for (int i = 0; i < roles_->topLevelItemCount(); ++i) {
    const std::string role = roles_->topLevelItem(i)->data(0, Qt::UserRole).toString().toStdString();
    const llm::RoleSettings* r = llm::role_of(list_.roles, role);
    const QString text = r ? role_settings_text(*r) : QString();
    roles_->topLevelItem(i)->setText(1, text.isEmpty() ? tr("nothing") : text);
    roles_->topLevelItem(i)->setToolTip(1, text);
  }
  problem_->setText(qs(list_.error));
  problem_->setVisible(!list_.error.empty());
  for (QWidget* w : std::initializer_list<QWidget*>{form_, save_}) w->setEnabled(list_.error.empty());
  show_role();
}

std::string_view RolesPage::selected() const {
  const int row = roles_->currentItem() ? roles_->indexOfTopLevelItem(roles_->currentItem()) : -1;
  return row < 0 ? std::string_view() : llm::role_names[static_cast<std::size_t>(row)];
}

void RolesPage::show_role() {
  const std::string_view role = selected();
  const llm::RoleSettings* set = llm::role_of(list_.roles, role);
  const llm::RoleSettings r = set ? *set : llm::RoleSettings{};
  about_->setText(task_of(role));
  model_->set_id(exact(r.model));
  QStringList others;
  for (const std::string& name : r.fallbacks) others += exact(name);
  fallbacks_->setText(others.join(", "));
  effort_->setCurrentIndex(std::max(0, effort_->findData(qs(r.effort))));
  temperature_->setValue(r.temperature.value_or(no_temperature));
  answer_->setValue(static_cast<int>(r.output_tokens));
  prompt_->setValue(static_cast<int>(r.prompt_tokens));
  clear_->setEnabled(set != nullptr && list_.error.empty());
}

llm::RoleSettings RolesPage::typed() const {
  llm::RoleSettings r;
  r.role = selected();
  r.model = model_->id().toStdString();
  for (const QString& name : fallbacks_->text().split(',', Qt::SkipEmptyParts))
    if (!name.trimmed().isEmpty()) r.fallbacks.push_back(name.trimmed().toStdString());
  r.effort = effort_->currentData().toString().toStdString();
  if (temperature_->value() >= 0) r.temperature = temperature_->value();
  r.output_tokens = answer_->value();
  r.prompt_tokens = prompt_->value();
  return r;
}

void RolesPage::save() { store(typed()); }

void RolesPage::clear() {
  llm::RoleSettings none;
  none.role = selected();
  store(none);
}

void RolesPage::store(const llm::RoleSettings& role) {
  std::vector<llm::RoleSettings> roles = list_.roles;
  std::erase_if(roles, [&](const llm::RoleSettings& r) { return r.role == role.role; });
  if (!role_settings_text(role).isEmpty()) roles.push_back(role);
  saver_.submit([this, roles, service = models_]() -> LatestJob::Deliver {
    const Status done = service->set_roles(roles);
    return [this, error = done ? QString() : qs(done.error().text())] {
      if (!error.isEmpty()) {  // what was typed stays
        problem_->setText(error);
        problem_->show();
        return;
      }
      load();
      emit roles_changed();
    };
  });
}

}  // namespace ww::widgets
