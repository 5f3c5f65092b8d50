// SPDX-License-Identifier: GPL-3.0-or-later
// Runs and language models: starting a run, consent before anything leaves the machine, the conversation, spend, keys.
#include <QStatusBar>
#include <algorithm>
#include "generator/names.h"
#include "panels/candidates/candidate_panel.h"
#include "shell/consent/consent.h"
#include "panels/conversation/conversation_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/model_form.h"
#include "panels/describe/run_form.h"
#include "session/key_ring.h"
#include "shell/settings/models_page.h"
#include "shell/settings/roles_page.h"
#include "parts/theme/text.h"
#include "shell/start/start_page.h"
#include "shell/window/main_window.h"
#include "shell/window/spend_meter.h"
#include "shell/window/status.h"

namespace ww::widgets {

namespace {
constexpr int revision_attempts = 4;  // one at what was asked for, and some to make it right
}

void MainWindow::connect_models() {
  connect(session_, &Session::exchanges_listed, conversation_, &ConversationPanel::show_list);
  connect(session_, &Session::exchange_loaded, conversation_, &ConversationPanel::show_exchange);
  connect(conversation_, &ConversationPanel::list_wanted, session_, &Session::list_exchanges);
  connect(conversation_, &ConversationPanel::exchange_wanted, session_, &Session::load_exchange);
  connect(conversation_, &ConversationPanel::spend_changed, this, &MainWindow::show_spend);
  connect(conversation_, &ConversationPanel::candidate_chosen, this, [this](const QString& hash) {
    if (const CandidateModel::Row* row = candidates_->model()->find_hash(hash.toStdString()))
      candidates_->select(row->data.id);
  });
  connect(status_->meter(), &QAbstractButton::clicked, this, [this] { show_dock("conversation"); });
  connect(describe_, &DescribePanel::settings_wanted, this, [this] { show_settings("models"); });
  connect(describe_, &DescribePanel::formulation_wanted, this, &MainWindow::formulate);
  connect(describe_, &DescribePanel::stop_formulation_wanted, session_, &Session::stop_formulating);
  connect(describe_, &DescribePanel::exchange_wanted, this, [this](std::int64_t exchange) {
    show_dock("conversation");
    conversation_->select_outside(exchange);
  });
  connect(session_, &Session::formulated, describe_, &DescribePanel::show_formulated);
  connect(keys_, &KeyRing::changed, this, [this] {
    describe_->look_for_models();
    save_soon();
  });
}

// Calls on when nothing leaves the machine that the person has not allowed; else says why not.
void MainWindow::with_consent(const generator::ModelOptions& models, std::function<void(const llm::Limits&)> then) {
  consent_->ask(models.models(), [this, then = std::move(then)](const ConsentFlow::Answer& answer) {
    if (answer.allowed)
      then(answer.limits);
    else
      report(store::MessageLevel::warning, answer.why);
  });
}

void MainWindow::explore() {
  describe_->choose();
  if (describe_->pending() && session_->ready() && !session_->running()) {
    explore_when_ready_ = true;
    return;
  }
  if (!describe_->can_explore() || !session_->ready()) return;
  if (!session_->busy().isEmpty()) return report(store::MessageLevel::warning, session_->busy());
  if (!start_->isHidden()) leave_start();
  generator::RunOptions options = describe_->options();
  statusBar()->clearMessage();
  save_soon();
  const auto begin = [this](generator::RunOptions given) {
    budget_ = given.budget.candidates;
    shown_options_ = given;
    session_->explore(std::move(given));
  };
  if (!generator::asks_models(options.generator)) {
    begin(std::move(options));
    return;
  }
  with_consent(options.model, [options, begin](const llm::Limits& limits) {
    generator::RunOptions given = options;
    given.model.limits = limits;
    begin(std::move(given));
  });
}

void MainWindow::revise() {
  const int judged = candidates_->model()->judged(), budget = describe_->form()->candidates();
  if (budget != 0 && budget < judged + revision_attempts) describe_->form()->set_candidates(judged + revision_attempts);
  resume();
}

void MainWindow::resume() {
  // The form shows the run's own budget until the person changes it. What does not belong to the run's generator is no
  // limit of it.
  generator::RunOptions form;
  describe_->form()->fill(form);
  generator::Budget budget = form.budget;
  const bool models = shown_options_ && generator::asks_models(shown_options_->generator);
  if (models && !generator::asks_models(form.generator)) {
    budget.tokens = shown_options_->budget.tokens;
    budget.money = shown_options_->budget.money;
  }
  const std::int64_t run = session_->shown_run();
  const auto begin = [this, run, budget] {
    if (!session_->resume(run, budget)) return;
    budget_ = budget.candidates;
    if (shown_options_) shown_options_->budget = budget;
  };
  if (!models || shown_options_->model.replay_of != 0) {
    begin();
    return;
  }
  with_consent(shown_options_->model, [begin](const llm::Limits&) { begin(); });
}

void MainWindow::formulate(const QString& text) {
  if (!session_->ready()) {
    report(store::MessageLevel::warning, tr("Open a workspace before asking a model: the exchange is stored there."));
    return;
  }
  const ModelList& list = describe_->form()->models()->list();
  const llm::RoleSettings* role = llm::role_of(list.roles, "formulator");
  QString model = role ? exact(role->model) : QString();
  if (model.isEmpty()) model = exact(describe_->form()->models()->writer());
  if (!read_model(list, model).usable) model = first_usable(list);
  if (model.isEmpty()) {
    report(store::MessageLevel::warning,
           why_no_model(list).isEmpty() ? tr("Choose a model first, in the settings: Models.") : why_no_model(list));
    show_settings("models");
    return;
  }
  generator::ModelOptions models;
  models.writer = model.toStdString();
  if (role) models.fallbacks = role->fallbacks;
  with_consent(models, [this, text, model](const llm::Limits& limits) {
    statusBar()->clearMessage();
    describe_->show_asking(model);
    session_->formulate(text, model.toStdString(), limits);
  });
}

QWidget* MainWindow::make_models_page() {
  auto* page = new ModelsPage(context_.services.models, keys_, nullptr);
  connect(page, &ModelsPage::keys_changed, describe_, &DescribePanel::look_for_models);
  return page;
}

QWidget* MainWindow::make_roles_page() {
  auto* page = new RolesPage(context_.services.models, nullptr);
  connect(page, &RolesPage::roles_changed, describe_, &DescribePanel::look_for_models);
  return page;
}

void MainWindow::show_model_events(const std::vector<explore::Event>& batch, bool shown) {
  if (!shown) return;
  bool started = false, proposed = false;
  for (const explore::Event& event : batch) {
    if (const auto* run = std::get_if<explore::RunStarted>(&event)) {
      conversation_->show_run(run->run);
      started = true;
    }
    proposed |=
        std::holds_alternative<explore::CandidateProposed>(event) || std::holds_alternative<explore::RunEnded>(event);
    const auto* of_model = std::get_if<llm::ModelEvent>(&event);
    if (!of_model) continue;
    if (const auto* spend = std::get_if<llm::SpendChanged>(of_model)) {
      live_spend_ = spend->spend;
      live_spends_ = true;
    }
  }
  conversation_->show_events(batch, proposed);
  if (started || live_spends_) show_spend();
}

void MainWindow::show_spend() {
  const ExchangeModel* exchanges = conversation_->model();
  llm::Spend spend = live_spends_ ? live_spend_ : conversation_->spend();
  const bool models = shown_options_ && generator::asks_models(shown_options_->generator) && session_->shown_run() != 0;
  if (!models && !live_spends_ && (exchanges->rowCount() == 0 || session_->shown_run() == 0)) {
    status_->meter()->show_none();
    return;
  }
  if (!live_spends_ && shown_options_) {
    spend.token_limit = shown_options_->budget.tokens;
    spend.money_limit = shown_options_->budget.money;
  }
  status_->meter()->show_spend(spend);
}

}  // namespace ww::widgets
