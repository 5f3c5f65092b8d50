// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/run_facts.h"
#include <QTimer>
#include "generator/run_options.h"
#include "session/models/candidate_model.h"

namespace ww::widgets {

namespace {

constexpr std::size_t run_facts_moves = 20000;  // newest first, over all runs: older ones are not shown

void run_facts_exchanges(store::Workspace& workspace, RunFacts& facts) {
  const auto exchanges = workspace.exchanges(facts.record.id);
  if (!exchanges) return;
  facts.spend.usage.reported = true;
  for (const store::ExchangeRecord& e : *exchanges) {
    facts.exchanges.emplace(e.id, (e.label.empty() ? e.role : e.label) + ", by " + e.model);
    facts.spend.usage.prompt += e.prompt_tokens;
    facts.spend.usage.cached += e.cached_tokens;
    facts.spend.usage.completion += e.completion_tokens;
    facts.spend.usage.reasoning += e.reasoning_tokens;
    facts.spend.usage.reported = facts.spend.usage.reported && e.tokens_reported;
    if (e.money)
      facts.spend.money += *e.money;
    else if (e.prompt_tokens + e.completion_tokens > 0)
      facts.spend.money_known = false;
    ++facts.spend.requests;
    facts.spend.failed += e.state == store::ExchangeState::failed || e.state == store::ExchangeState::cancelled;
  }
}

std::shared_ptr<const RunFacts> run_facts_of(store::Workspace& workspace, std::int64_t run) {
  auto facts = std::make_shared<RunFacts>();
  auto record = workspace.run(run);
  if (!record) return nullptr;
  facts->record = std::move(*record);
  if (auto options = explore::options_from_json(facts->record.options)) facts->options = std::move(*options);
  (void)workspace.each_candidate(run, [&](const store::CandidateRecord& c) -> Status {
    facts->candidates.emplace(c.id, CandidateFact{c.note, c.duplicate_of, c.created, c.judged, c.exchange});
    return {};
  });
  if (const auto moves = workspace.moves({}, {}, run_facts_moves))
    for (const store::MoveRecord& m : *moves)
      if (m.run == run) facts->moves.emplace(m.to, m);
  run_facts_exchanges(workspace, *facts);
  if (const auto messages = workspace.messages(run); messages && facts->record.state != store::RunState::running) {
    const std::string head = enum_string(facts->record.state) + ": ";
    for (const store::MessageRecord& m : *messages)
      if (m.text.starts_with(head)) facts->why_ended = m.text.substr(head.size());
  }
  return facts;
}

}  // namespace

RunFactsLoader* RunFactsLoader::of(const Context& context) {
  if (auto* there = context.session->findChild<RunFactsLoader*>(QString(), Qt::FindDirectChildrenOnly)) return there;
  return new RunFactsLoader(context);
}

RunFactsLoader::RunFactsLoader(const Context& context)
    : QObject(context.session), context_(context), pause_(new QTimer(this)) {
  pause_->setSingleShot(true);
  pause_->setInterval(500);
  connect(pause_, &QTimer::timeout, this, &RunFactsLoader::read);
  connect(context_.session, &Session::run_shown, this, &RunFactsLoader::forget);
  const auto soil = [this] { stale_ = true; };
  connect(context_.candidates, &QAbstractItemModel::rowsInserted, this, soil);
  connect(context_.candidates, &QAbstractItemModel::dataChanged, this, [soil](const QModelIndex& first) {
    if (first.column() <= CandidateModel::Score) soil();
  });
  connect(context_.session, &Session::state_changed, this, soil);
}

void RunFactsLoader::forget() {
  job_.forget();
  facts_.reset();
  stale_ = true;
  pause_->stop();
  emit changed();
}

void RunFactsLoader::want() {
  if (!stale_ && run_ == context_.session->shown_run()) return;
  if (pause_->isActive() || job_.busy()) return;  // what asks now asks again when that has come
  if (facts_ && run_ == context_.session->shown_run())
    pause_->start();
  else
    read();
}

void RunFactsLoader::read() {
  const std::int64_t run = context_.session->shown_run();
  auto workspace = context_.session->workspace();
  if (run == 0 || !workspace) return;
  stale_ = false;
  job_.submit([this, run, workspace]() -> LatestJob::Deliver {
    auto facts = run_facts_of(*workspace, run);
    return [this, run, facts] {
      if (run != context_.session->shown_run()) return;
      facts_ = facts;
      run_ = run;
      emit changed();
      if (stale_) pause_->start();
    };
  });
}

}  // namespace ww::widgets
