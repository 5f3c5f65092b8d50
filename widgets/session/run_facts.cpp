// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/run_facts.h"
#include <QTimer>
#include "generator/run_options.h"
#include "session/models/candidate_model.h"

namespace ww::widgets {

namespace {

constexpr std::size_t run_facts_moves_read = 20000;  // newest first, over all runs: older ones are not shown

void run_facts_exchanges(store::Workspace& workspace, RunFacts& facts) {
  const auto exchanges = workspace.exchanges(facts.record.id);
  if (!exchanges) return;
  facts.spend.usage.reported = true;
  for (const store::ExchangeRecord& e : *exchanges) {
    facts.exchanges.emplace(e.id, (e.label.empty() ? enum_string(e.role) : e.label) + ", by " + e.model);
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

// Those after facts.newest_move. They come newest first, so that a few are enough while little happens.
void run_facts_moves(store::Workspace& workspace, RunFacts& facts) {
  for (const std::size_t limit :
       {facts.newest_move > 0 ? std::size_t{64} : run_facts_moves_read, run_facts_moves_read}) {
    const auto moves = workspace.moves({}, {}, limit);
    if (!moves || moves->empty()) return;
    if (moves->size() == limit && limit < run_facts_moves_read && moves->back().id > facts.newest_move) continue;
    for (const store::MoveRecord& m : *moves)
      if (m.run == facts.record.id && m.id > facts.newest_move) facts.moves.emplace(m.to, m);
    facts.newest_move = moves->front().id;
    return;
  }
}

// `before`: what was read of the same run; may be null.
std::shared_ptr<const RunFacts> run_facts_of(store::Workspace& workspace, std::int64_t run, const RunFacts* before) {
  auto facts = std::make_shared<RunFacts>();
  if (before) {
    facts->candidates = before->candidates;
    facts->moves = before->moves;
    facts->changed = before->changed;
    facts->newest_move = before->newest_move;
  }
  auto record = workspace.run(run);
  if (!record) return nullptr;
  facts->record = std::move(*record);
  if (auto options = generator::options_from_json(facts->record.options)) facts->options = std::move(*options);
  const auto take = [&](const store::CandidateRecord& c) -> Status {
    facts->candidates.insert_or_assign(c.id, CandidateFact{c.note, c.duplicate_of, c.created, c.judged, c.exchange});
    facts->changed = std::max(facts->changed, c.changed);
    return {};
  };
  (void)workspace.each_candidate(run, take, facts->changed);
  run_facts_moves(workspace, *facts);
  run_facts_exchanges(workspace, *facts);
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
  job_.submit([this, run, workspace, before = run_ == run ? facts_ : nullptr]() -> LatestJob::Deliver {
    auto facts = run_facts_of(*workspace, run, before.get());
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
