// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/plots/run_strip.h"
#include <QDateTime>
#include <QHBoxLayout>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include "base/time_left.h"
#include "generator/names.h"
#include "session/actions/registry.h"
#include "panels/conversation/exchange_model.h"
#include "session/models/candidate_model.h"
#include "session/run_facts.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

RunStrip::RunStrip(const Context& context, QWidget* parent)
    : QWidget(parent), context_(context), facts_(RunFactsLoader::of(context)), clock_(new QTimer(this)) {
  setObjectName("run_strip");
  auto* column = make_column(this, grid::bar, grid::half);
  auto* row = make_row(column);
  icon_ = new Label(this);
  state_ = make_elided(this, "run_state");
  row->addWidget(icon_);
  row->addWidget(state_, 1);
  QAction* pause = context_.registry->add(
      "run.pause", tr("Run"), tr("&Pause or continue"), QKeySequence("Ctrl+Shift+."), "pause",
      tr("Nothing new is judged until the run continues; work in progress is finished"), [this] { toggle_pause(); });
  const auto button = [&](const char* id, const QString& text) {
    auto* b = with_id(new QToolButton(this), id);
    b->setText(text);
    b->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    b->setFocusPolicy(Qt::TabFocus);
    row->addWidget(b);
    return b;
  };
  pause_ = button("run_pause", tr("Pause"));
  cancel_ = button("run_cancel", tr("Cancel"));
  name_it(pause_, tr("Pause the run"), pause->toolTip());
  name_it(cancel_, tr("Cancel the run"), tr("End the run now; judged candidates are kept, and it can be resumed"));
  connect(pause_, &QToolButton::clicked, pause, &QAction::trigger);
  connect(cancel_, &QToolButton::clicked, context_.session, &Session::cancel);
  auto* bars = new QWidget(this);
  auto* flow = new FlowLayout(bars, grid::step, FlowLayout::Before::shrinking);
  flow->setContentsMargins(0, 0, 0, 0);
  const auto bar = [&](const char* id) {
    auto* b = with_id(new QProgressBar(bars), id);
    b->setMinimumWidth(160);
    b->setMaximumWidth(260);
    flow->addWidget(b);
    b->hide();
    return b;
  };
  candidates_ = bar("budget_candidates");
  minutes_ = bar("budget_minutes");
  tokens_ = bar("budget_tokens");
  money_ = bar("budget_money");
  column->addWidget(bars);
  clock_->setInterval(1000);
  connect(clock_, &QTimer::timeout, this, &RunStrip::refresh);
  connect(context_.session, &Session::state_changed, this, &RunStrip::refresh);
  connect(context_.session, &Session::events, this, &RunStrip::on_events);
  connect(context_.session, &Session::run_shown, this, [this] {
    ended_.reset();
    refresh();
  });
  connect(facts_, &RunFactsLoader::changed, this, &RunStrip::refresh);
  connect(&Theme::instance(), &Theme::changed, this, &RunStrip::refresh);
  refresh();
}

bool RunStrip::live() const {
  return context_.session->running() && context_.session->shown_run() == context_.session->live_run();
}

void RunStrip::toggle_pause() {
  if (context_.session->paused())
    context_.session->unpause();
  else
    context_.session->pause();
}

void RunStrip::on_events(const std::vector<explore::Event>& batch, bool shown) {
  for (const explore::Event& event : batch) {
    run_clock_.take(event);
    if (std::holds_alternative<explore::RunStarted>(event)) {
      spend_.reset();
      ended_.reset();
      awaiting_.clear();
    } else if (const auto* end = std::get_if<explore::RunEnded>(&event)) {
      awaiting_.clear();
      if (shown) ended_ = *end;
    } else if (const auto* model = std::get_if<llm::ModelEvent>(&event)) {
      if (const auto* spend = std::get_if<llm::SpendChanged>(model)) spend_ = spend->spend;
      if (const auto* wait = std::get_if<llm::Awaiting>(model)) {
        if (wait->left.count() == 0)
          awaiting_.erase(wait->exchange);
        else
          awaiting_[wait->exchange] = *wait;
      }
    }
  }
  refresh();
}

void RunStrip::show_bar(QProgressBar* bar, double used, double limit, const QString& text, const QString& name) {
  bar->setVisible(!text.isEmpty());
  // It grows with what it says, and does not shrink: the others stay where they are.
  constexpr int least = 160, beside = 24;
  const int needed = bar->fontMetrics().horizontalAdvance(text) + beside;
  bar->setMinimumWidth(text.isEmpty() ? least : std::max(bar->minimumWidth(), needed));
  bar->setMaximumWidth(std::max(260, bar->minimumWidth()));
  bar->setRange(0, 1000);
  bar->setValue(limit > 0 ? static_cast<int>(std::min(1.0, used / limit) * 1000) : 0);
  bar->setFormat(text);
  name_it(bar, name + ": " + text,
          limit > 0 ? tr("%1 % of it is used.").arg(std::min(100.0, 100 * used / limit), 0, 'f', 0)
                    : tr("It has no limit."));
}

void RunStrip::refresh() {
  const bool here = live(), paused = here && context_.session->paused();
  if (isVisible()) facts_->want();
  show_state(paused);
  pause_->setVisible(here);
  cancel_->setVisible(here);
  if (QAction* action = context_.registry->action("run.pause")) action->setEnabled(context_.session->running());
  const auto facts = facts_->facts();
  const generator::Budget budget = facts && facts->options ? facts->options->budget : generator::Budget{0};
  const int judged = context_.candidates->judged(), imported = context_.candidates->imported();
  show_bar(candidates_, judged, budget.candidates,
           context_.session->shown_run() == 0 ? QString()
           : judged == 0 && imported > 0      ? tr("%1 imported").arg(count_text(imported))
           : budget.candidates > 0 ? tr("%1 of %2 judged").arg(count_text(judged), count_text(budget.candidates))
                                   : tr("%1 judged").arg(count_text(judged)),
           tr("Candidates"));
  show_time(budget);
  show_spend(budget);
  if (here && !paused && isVisible())
    clock_->start();
  else
    clock_->stop();
}

void RunStrip::show_state(bool paused) {
  const auto facts = facts_->facts();
  QString state;
  store::RunState what = store::RunState::unknown;
  int proposed = 0;
  if (live()) {
    what = store::RunState::running;
    const auto& rows = context_.candidates->rows();
    const auto judging =
        paused ? std::count_if(rows.begin(), rows.end(),
                               [](const auto& row) { return row.data.state == store::CandidateState::judging; })
               : 0;
    const auto longest = std::max_element(awaiting_.begin(), awaiting_.end(),
                                          [](const auto& a, const auto& b) { return a.second.left < b.second.left; });
    state = !paused       ? longest == awaiting_.end() ? tr("Running") : wait_text(longest->second)
                  : judging > 0 ? tr("Paused: %1 in progress")
                                .arg(counted(static_cast<int>(judging), tr("candidate is"), tr("candidates are")))
                          : tr("Paused");
  } else if (context_.session->shown_run() == 0) {
    state = tr("No run is shown.");
  } else if (ended_) {
    what = ended_->state;
    proposed = ended_->proposed;
    state = tr("%1: %2").arg(run_look(what, proposed).title, qs(ended_->why));
  } else if (facts) {
    what = facts->record.state;
    proposed = facts->record.proposed;
    state = what == store::RunState::running ? tr("Interrupted, or run by another program")
                                             : run_look(what, proposed).title;
    if (!facts->record.why.empty()) state += ": " + qs(facts->record.why);
  }
  state_->set_text(state);
  const RunLook look = run_look(what, proposed);
  const bool stands = paused || (live() && !awaiting_.empty());
  icon_->set_icon(what == store::RunState::unknown ? QString()
                  : stands                         ? "pause"
                                                   : look.icon,
                  stands ? "warning" : look.token, 16);
  icon_->setAccessibleName(state);
  pause_->setText(paused ? tr("Continue") : tr("Pause"));
  pause_->setIcon(Theme::instance().icon(paused ? "resume" : "pause"));
  pause_->setAccessibleName(paused ? tr("Continue the run") : tr("Pause the run"));
  cancel_->setIcon(Theme::instance().icon("stop"));
}

void RunStrip::show_time(const generator::Budget& budget) {
  const auto facts = facts_->facts();
  QString text;
  double used = 0;
  if (live()) {
    used = minutes();
    text = budget.minutes > 0 ? tr("%1 of %2 min").arg(used, 0, 'f', 1).arg(budget.minutes)
                              : tr("%1 min").arg(used, 0, 'f', 1);
    if (const auto left = run_clock_.minutes_left(budget, context_.candidates->judged()))
      text += ", " + qs(left_text(*left));
  } else if (facts && !facts->record.ended.empty()) {  // including pauses and interruptions
    const QDateTime begin = QDateTime::fromString(qs(facts->record.created), Qt::ISODateWithMs),
                    end = QDateTime::fromString(qs(facts->record.ended), Qt::ISODateWithMs);
    if (begin.isValid() && end.isValid())
      text = tr("%1 from start to end").arg(seconds_text(static_cast<double>(begin.msecsTo(end)) / 1000));
  }
  show_bar(minutes_, used, live() ? budget.minutes : 0, text, tr("Time"));
}

void RunStrip::show_spend(const generator::Budget& budget) {
  const auto facts = facts_->facts();
  const bool models = facts && facts->options && generator::asks_models(facts->options->generator);
  const llm::Spend spend = live() && spend_ ? *spend_ : facts ? facts->spend : llm::Spend{};
  const double tokens = static_cast<double>(spend.usage.prompt + spend.usage.completion);
  QString tokens_text, money;
  if (models || spend.requests > 0) {
    tokens_text = budget.tokens > 0
                      ? tr("%1 of %2 tokens").arg(short_count(tokens), short_count(static_cast<double>(budget.tokens)))
                      : tr("%1 tokens").arg(short_count(tokens));
    if (!spend.usage.reported && tokens > 0) tokens_text = tr("about %1").arg(tokens_text);
    if (!spend.money_known && spend.money <= 0)
      money = tr("price unknown");
    else
      money = budget.money > 0 ? tr("%1 of $%2").arg(money_text(spend.money)).arg(budget.money, 0, 'f', 2)
                               : money_text(spend.money);
  }
  show_bar(tokens_, tokens, static_cast<double>(budget.tokens), tokens_text, tr("Tokens of models"));
  show_bar(money_, spend.money, budget.money, money, tr("Price of models"));
}

QString RunStrip::state() const { return state_->full_text(); }

QStringList RunStrip::budget() const {
  QStringList list;
  for (const QProgressBar* bar : {candidates_, minutes_, tokens_, money_})
    if (!bar->isHidden()) list += bar->format();
  return list;
}

}  // namespace ww::widgets
