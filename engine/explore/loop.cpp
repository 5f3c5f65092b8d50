// SPDX-License-Identifier: Apache-2.0
#include "explore/loop.h"
#include <algorithm>
#include <iterator>
#include <thread>
#include <tuple>
#include <utility>
#include "base/hash.h"
#include "base/parallel.h"
#include "evidence/explain.h"
#include "model_loop/recorded.h"
#include "identity/titles.h"

namespace ww::explore {
namespace {

constexpr int barren_limit = 3;      // rounds in which everything was known already
constexpr int failure_limit = 3;     // failures of the generator in a row
constexpr int error_limit = 3;       // judgements in a row that failed outside their candidate
constexpr int duplicate_limit = 32;  // candidates in a row that were the same as earlier ones
constexpr std::size_t given_tunings = 32;
constexpr const char* given_generator = "manual";
constexpr auto tick = std::chrono::milliseconds(20);

int workers_of(const RunOptions& options) {
  if (options.device.starts_with("cuda")) return 1;
  return options.workers > 0 ? options.workers : std::max(1, hardware_threads() / 2);
}

bool of_environment(Code code) { return code == Code::unavailable || code == Code::not_found || code == Code::io; }

}  // namespace

Loop::Loop(store::Workspace& workspace, RunOptions options, op::Spec spec, std::unique_ptr<Generator> generator,
           RankRules rules, std::int64_t run, const EventHandler& handler, std::stop_token stop)
    : workspace_(workspace),
      run_(run),
      options_(std::move(options)),
      spec_(std::move(spec)),
      host_{workspace,
            run,
            options_,
            [this](const llm::ModelEvent& e) { emit(e); },
            [this](store::MessageLevel level, const std::string& text) { say(level, text); },
            make_generator},
      generator_(std::move(generator)),
      rules_(std::move(rules)),
      handler_(handler),
      cancel_(std::move(stop)),
      binding_(options_.binding),
      workers_(workers_of(options_)),
      clock_(std::chrono::steady_clock::now(), options_.budget.minutes) {
  for (const auto& [name, value] : spec_.defaults) binding_.symbols.emplace(name, value);
  request_.spec = spec_;
  request_.binding = binding_;
  request_.device = options_.device;
  request_.architecture = options_.architecture;
  if (Result<std::vector<evidence::Case>> cases = gate::derive_cases(spec_, binding_))
    for (evidence::Case& one : *cases) cases_.push_back({std::move(one.name), std::move(one.binding)});
}

void Loop::emit(const Event& event) {
  const std::lock_guard lock(event_mutex_);
  if (handler_) handler_(event);
}

void Loop::say(store::MessageLevel level, const std::string& text) {
  if (Status s = workspace_.add_message(run_, level, text); !s) stop_with(s.error());
  emit(RunMessage{level, text});
}

void Loop::stop_with(Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(error);
  }
  stop_.request_stop();
  hush_.request_stop();
  changed_.notify_all();
}

Status Loop::recall() {
  std::vector<store::CandidateRecord> known = WW_TRY(workspace_.candidates(run_));
  std::vector<store::CandidateRecord> judged, duplicates;
  for (store::CandidateRecord& c : known) {
    ++proposed_;
    if (c.order > 0) {
      judged.push_back(std::move(c));
    } else if (c.state == store::CandidateState::duplicate) {
      duplicates.push_back(std::move(c));
    } else if (!only_given_) {  // queued, or its judgement failed outside of it
      queue_.push_back(
          {c.id, c.hash, c.parent, c.structure, c.title, c.generator, c.note, c.origin.move, c.text, c.language});
    }
  }
  std::sort(judged.begin(), judged.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
  for (store::CandidateRecord& c : duplicates)  // about where they came: the store numbers verdicts, and they have none
    judged.insert(std::find_if(judged.begin(), judged.end(), [&](const auto& other) { return other.id > c.id; }),
                  std::move(c));
  for (const store::CandidateRecord& c : judged) {
    store::CandidateRecord whole = WW_TRY(workspace_.candidate(c.id));
    Feedback f = explore::feedback_of(whole);
    if (!f.duplicate_of.empty()) {
      news_.push_back(std::move(f));
      continue;
    }
    const std::string identity = c.identity ? *c.identity : WW_TRY(identity_of_stored(c.id));
    if (!identity.empty()) identities_.emplace(identity, c.hash);
    if (f.accepted) {
      ++accepted_;
      structures_.insert(c.structure);
    }
    if (f.ranked && provenance_ == Provenance::unknown) provenance_ = c.score_provenance;
    f.ranked = f.ranked && provenance_ == c.score_provenance;
    if (f.ranked) scores_.emplace_back(c.id, f.score);
    if (f.ranked) ranked_.emplace(c.hash, move_side(c.hash, c.structure, f.score, provenance_, c.spread));
    news_.push_back(std::move(f));
    ++judged_;
  }
  return {};
}

Result<std::string> Loop::identity_of_stored(std::int64_t candidate) {
  const store::CandidateRecord c = WW_TRY(workspace_.candidate(candidate));
  std::string identity;
  if (c.verdict && !c.verdict->ptx.empty() && !cases_.empty())
    if (const auto parsed = candidate::parse(c.text, c.language))
      identity = identity::program_identity(*parsed, spec_, cases_, c.verdict->ptx);
  WW_TRY(workspace_.set_identity(candidate, identity));
  return identity;
}

Status Loop::recall_ranks() {
  std::vector<std::int64_t> unidentified;
  std::int64_t first = 0;  // verdict, by order: scores of its provenance are ranked
  std::vector<std::tuple<std::int64_t, double, Provenance>> scores;
  const std::string parent = options_.given.empty() ? std::string() : options_.given.front().parent;
  WW_TRY(workspace_.each_candidate(run_, [&](const store::CandidateRecord& c) -> Status {
    if (c.order == 0) return {};
    if (!c.identity) unidentified.push_back(c.id);
    if (!c.score || c.state != store::CandidateState::accepted) return {};
    if (first == 0 || c.order < first) first = c.order, provenance_ = c.score_provenance;
    scores.emplace_back(c.id, *c.score, c.score_provenance);
    if (c.hash == parent)
      ranked_.emplace(c.hash, move_side(c.hash, c.structure, *c.score, c.score_provenance, c.spread));
    return {};
  }));
  for (const auto& [id, score, provenance] : scores)
    if (provenance == provenance_) scores_.emplace_back(id, score);
  for (const std::int64_t id : unidentified) WW_TRY(identity_of_stored(id));  // judged by an older version
  return {};
}

std::vector<Proposal> Loop::pinned_given() const {
  std::vector<Proposal> list;
  for (const Proposal& p : options_.given) {
    const Result<candidate::Candidate> c = candidate::parse(p.text, p.language);
    const bool open =
        c && std::any_of(c->tune.begin(), c->tune.end(), [](const auto& axis) { return axis.values.size() > 1; });
    if (!open) {
      list.push_back(p);  // what does not parse is judged, too: its verdict says why
      continue;
    }
    for (const candidate::Tuning& tuning : candidate::tunings(*c, given_tunings)) {
      const Result<candidate::Candidate> pinned = candidate::pin(*c, tuning);
      if (!pinned) continue;
      Proposal one = p;
      one.text = pinned->text;
      list.push_back(std::move(one));
    }
  }
  return list;
}

int Loop::accept(const std::vector<Proposal>& proposals, const std::string& generator) {
  int fresh = 0, known_before = 0;
  for (const Proposal& p : proposals) {
    if (p.text.empty()) {
      say(store::MessageLevel::warning, "the generator '" + generator + "' proposed an empty text; it is skipped");
      continue;
    }
    store::CandidateRecord record;
    record.run = run_;
    record.parent = p.parent;
    record.structure = p.structure;
    record.generator = p.generator.empty() ? generator : p.generator;
    record.note = p.note;
    record.exchange = p.exchange;
    record.origin = p.origin;
    record.draft = p.draft;
    record.text = p.text;
    record.language = p.language;
    if (const Result<candidate::Candidate> c = candidate::parse(p.text, p.language)) {
      record.hash = c->hash;
      record.title = identity::title_of(*c);
      if (record.structure.empty()) record.structure = c->structure;
    } else {
      record.hash = Hasher().field(candidate::language_name(p.language)).field(p.text).hex();
    }
    bool known = false;
    const Result<std::int64_t> id = workspace_.add_candidate(record, &known);
    if (!id) {
      stop_with(id.error());
      break;
    }
    if (known) {
      ++known_before;
      continue;
    }
    ++fresh;
    Item item{*id,         record.hash,        record.parent, record.structure, record.title, record.generator,
              record.note, record.origin.move, record.text,   p.language};
    emit(CandidateProposed{row_of(item, store::CandidateState::queued)});
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(item));
    ++proposed_;
    changed_.notify_all();
  }
  if (known_before > 0 && generator != given_generator)
    say(store::MessageLevel::info, std::to_string(known_before) + " of " + std::to_string(proposals.size()) +
                                       " proposals were known already and are skipped");
  return fresh;
}

bool Loop::want_proposals() const {
  if (exhausted_ || time_over_ || paused()) return false;
  if (options_.budget.candidates > 0 &&
      judged_ + judging_ + static_cast<int>(queue_.size()) >= options_.budget.candidates)
    return false;
  const bool idle = queue_.empty() && judging_ == 0;
  if (failures_ > 0 && judged_ == failed_at_) return idle;  // tries again after the next verdict
  if (workers_ == 1 || generator_->in_rounds()) return idle;
  return static_cast<int>(queue_.size()) < workers_;
}

bool Loop::may_judge() const {
  return !queue_.empty() && !time_over_ && !paused() &&
         (options_.budget.candidates <= 0 || judged_ + judging_ < options_.budget.candidates);
}

bool Loop::finished(store::RunState* state, std::string* why) const {
  if (failure_) return *state = store::RunState::failed, *why = failure_->text(), true;
  if (cancel_.stop_requested()) return *state = store::RunState::cancelled, *why = "cancelled", true;
  if (options_.budget.candidates > 0 && judged_ >= options_.budget.candidates)
    return *state = store::RunState::done,
           *why = "the budget of " + std::to_string(options_.budget.candidates) + " candidates is used up", true;
  if (time_over_ && judging_ == 0)
    return *state = store::RunState::done, *why = "the time of the budget is used up", true;
  if (exhausted_ && queue_.empty() && judging_ == 0)
    return *state = generator_failed_ ? store::RunState::failed : store::RunState::done, *why = exhausted_why_, true;
  return false;
}

void Loop::propose() {
  GeneratorRequest& request = request_;
  {
    const std::lock_guard lock(mutex_);
    request.history.insert(request.history.end(), std::make_move_iterator(news_.begin()),
                           std::make_move_iterator(news_.end()));
    news_.clear();
    request.wanted = static_cast<std::size_t>(std::max(4, 2 * workers_));
    if (generator_->in_rounds())
      request.wanted = std::max(request.wanted, static_cast<std::size_t>(std::clamp(options_.model.parallel, 1, 64)));
    if (options_.budget.candidates > 0)
      request.wanted = std::min(
          request.wanted, static_cast<std::size_t>(options_.budget.candidates - judged_ - judging_) - queue_.size());
  }
  Result<std::vector<Proposal>> proposals = fail(Code::internal, "the generator failed");
  try {
    proposals = generator_->propose(request, hush_.get_token());
  } catch (const std::exception& e) {
    proposals = fail(Code::internal, "the generator failed", e.what());
  } catch (...) {}
  if (!proposals) {
    if (hush_.stop_requested()) return;
    const std::string text = "the generator '" + options_.generator + "' failed: " + proposals.error().text();
    say(store::MessageLevel::error, text);
    const std::lock_guard lock(mutex_);
    failed_at_ = judged_;
    if (++failures_ >= failure_limit) {
      exhausted_ = generator_failed_ = true;
      exhausted_why_ = text;
    }
    return;
  }
  const int fresh = accept(*proposals, options_.generator);
  const std::lock_guard lock(mutex_);
  failures_ = 0;
  if (proposals->empty() && !hush_.stop_requested()) {
    exhausted_ = true;
    exhausted_why_ = generator_->why_ended();
    if (exhausted_why_.empty()) exhausted_why_ = "the generator has nothing more to propose";
  } else if (fresh == 0 && ++barren_ >= barren_limit) {
    exhausted_ = true;
    exhausted_why_ = "the generator proposes only what is known already";
  } else if (fresh > 0) {
    barren_ = 0;
  }
}

void Loop::watch() {
  std::unique_lock lock(mutex_);
  while (!done_) {
    if (cancel_.stop_requested() && !stop_.stop_requested()) {
      stop_.request_stop();
      hush_.request_stop();
      changed_.notify_all();
    }
    const auto now = std::chrono::steady_clock::now();
    if (const bool pauses = options_.pause.paused(); pauses != clock_.paused()) {
      if (pauses) clock_.pause(now);
      lock.unlock();
      say(store::MessageLevel::info, pauses ? "paused: what is in work is brought to its end" : "the run goes on");
      emit(RunPaused{run_, pauses});
      lock.lock();
      if (!pauses) clock_.go_on(std::chrono::steady_clock::now());
      changed_.notify_all();
      continue;
    }
    if (!time_over_ && clock_.over(now)) {
      time_over_ = true;
      hush_.request_stop();
      changed_.notify_all();
    }
    changed_.wait_for(lock, tick, [&] { return done_; });
  }
}

void Loop::work() {
  Judge mine;
  {
    const std::lock_guard lock(mutex_);
    mine.supervisor = std::move(lent_);
  }
  for (;;) {
    Item item;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return done_ || stop_.stop_requested() || may_judge(); });
      if (done_ || stop_.stop_requested()) return;
      item = std::move(queue_.front());
      queue_.pop_front();
      ++judging_;
      identifying_.insert(item.id);
    }
    try {
      judge(item, mine);
    } catch (const std::exception& e) {
      stop_with({Code::internal, "judging candidate " + std::to_string(item.id) + " failed", e.what()});
    }
    {
      const std::lock_guard lock(mutex_);
      --judging_;
      identifying_.erase(item.id);
    }
    changed_.notify_all();
  }
}

rpc::Supervisor& Loop::worker_of(Judge& judge) {
  if (!judge.supervisor) {
    rpc::WorkerOptions worker = options_.worker;
    if (worker.threads == 0) worker.threads = std::max(1, hardware_threads() / workers_);
    if (options_.device.starts_with("cuda")) worker.profile = "cuda";
    judge.supervisor = std::make_unique<rpc::Supervisor>(worker);
    judge.started = 0;
  }
  return *judge.supervisor;
}

std::string Loop::compiled_identity(const Item& item, rpc::Supervisor& supervisor) {
  const Result<candidate::Candidate> parsed = candidate::parse(item.text, item.language);
  if (!parsed || cases_.empty()) return {};
  rpc::CompileRequest request;
  request.candidate = item.text;
  request.language = item.language;
  request.architecture = options_.architecture;
  request.deadline = std::chrono::milliseconds(
      static_cast<std::int64_t>(std::clamp(options_.candidate_seconds / 2, 0.001, 30.0) * 1000));
  const Result<compile::Output> compiled = supervisor.compile(request, stop_.get_token());
  if (!compiled) return {};  // whatever it is, the gate finds it again and says it in a verdict
  return identity::program_identity(*parsed, spec_, cases_, compiled->ptx);
}

bool Loop::is_duplicate(const Item& item, const std::string& identity) {
  std::string same;
  if (only_given_ && !identity.empty()) {
    const Result<std::string> known = workspace_.find_identity(run_, identity);
    if (!known) return stop_with(known.error()), true;
    const std::lock_guard lock(mutex_);
    if (!known->empty()) identities_.emplace(identity, *known);
  }
  {
    std::unique_lock lock(mutex_);
    identifying_.erase(item.id);
    changed_.notify_all();
    if (identity.empty()) return false;
    const auto ends = [&] { return done_ || stop_.stop_requested(); };
    changed_.wait(lock, [&] { return ends() || identifying_.empty() || *identifying_.begin() > item.id; });
    for (;;) {
      if (ends()) return true;  // it stays queued
      const auto [at, fresh] = identities_.emplace(identity, std::string());
      if (fresh || at->second == item.hash) return false;
      if (!at->second.empty()) {
        same = at->second;
        break;
      }
      changed_.wait(lock, [&] {
        const auto other = identities_.find(identity);
        return ends() || other == identities_.end() || !other->second.empty();
      });
    }
  }
  record_duplicate(item, same);
  return true;
}

void Loop::settle(const std::string& identity, const Item* judged) {
  if (identity.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (judged)
      identities_[identity] = judged->hash;
    else
      identities_.erase(identity);
  }
  changed_.notify_all();
}

void Loop::record_duplicate(const Item& item, const std::string& of) {
  if (Status s = workspace_.set_duplicate(item.id, of); !s) return stop_with(s.error());
  Result<store::CandidateRecord> stored = workspace_.candidate(item.id);  // with the verdict of the other one
  if (!stored) return stop_with(stored.error());
  CandidateRow row = row_of(item, store::CandidateState::duplicate);
  row.verdict = stored->summary;
  {
    const std::lock_guard lock(mutex_);
    news_.push_back(explore::feedback_of(*stored));
    if (++duplicates_in_a_row_ >= duplicate_limit && !exhausted_) {
      exhausted_ = true;
      exhausted_why_ =
          "the last " + std::to_string(duplicate_limit) + " candidates were the same programs as earlier ones";
    }
  }
  emit(CandidateJudged{std::move(row)});
}

void Loop::judge(const Item& item, Judge& judge) {
  emit(CandidateProgress{item.id, {"", "started", 0}});
  const std::string identity = compiled_identity(item, worker_of(judge));
  if (is_duplicate(item, identity)) return;
  rpc::GateRequest request;
  request.spec = options_.spec;
  request.candidate = item.text;
  request.language = item.language;
  request.device = options_.device;
  request.architecture = options_.architecture;
  request.binding = options_.binding;
  request.seeds = options_.seeds;
  request.deadline =
      std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(options_.candidate_seconds, 0.001, 1e6) * 1000));
  int process = 0;
  Result<evidence::Verdict> verdict = fail(Code::internal, "not judged");
  for (int attempt = 0; attempt < 2; ++attempt) {  // the second with a fresh worker
    rpc::Supervisor& supervisor = worker_of(judge);
    verdict = supervisor.gate(request, stop_.get_token(), [&](const rpc::Progress& p) {
      if (process == 0) process = supervisor.process_id();
      emit(CandidateProgress{item.id, p});
    });
    note_fresh_worker(item, judge, process);
    if (verdict) {
      record(item, *verdict, identity);
      settle(identity, &item);
      return describe(supervisor);
    }
    if (stop_.stop_requested()) return settle(identity, nullptr);  // it stays queued in the store
    judge.supervisor.reset();
  }
  settle(identity, nullptr);
  if (of_environment(verdict.error().code)) return stop_with(verdict.error());
  record_error(item, verdict.error());
}

void Loop::note_fresh_worker(const Item& item, Judge& judge, int process) {
  if (judge.supervisor->started() == judge.started) return;
  judge.started = judge.supervisor->started();
  if (std::exchange(judge.used, true) && !stop_.stop_requested())
    say(store::MessageLevel::info, "candidate " + std::to_string(item.id) + " was judged by a fresh worker" +
                                       (process > 0 ? " (process " + std::to_string(process) + ")" : "") +
                                       ", since the one before had ended");
}

void Loop::describe(rpc::Supervisor& supervisor) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(described_, true) || stop_.stop_requested()) return;
  }
  if (const Result<std::string> facts = supervisor.describe())
    (void)workspace_.add_message(run_, store::MessageLevel::environment, *facts);
}

void Loop::record(const Item& item, const evidence::Verdict& verdict, const std::string& identity) {
  Result<Score> score = score_of(rules_, verdict, options_.architecture);
  const std::lock_guard events(event_mutex_);
  if (score && provenance_ == Provenance::unknown) provenance_ = score->provenance;
  if (score && score->provenance != provenance_)
    score = fail(Code::not_found, "its score is " + enum_string(score->provenance) + " and those of this run are " +
                                      enum_string(provenance_) + "; the two are never compared");
  if (Status s =
          workspace_.set_verdict(item.id, verdict, score ? std::optional<double>(score->value) : std::nullopt,
                                 score ? score->provenance : Provenance::unknown, score ? score->unit : "", identity);
      !s)
    return stop_with(s.error());
  CandidateRow row = row_of(item, verdict.accepted ? store::CandidateState::accepted : store::CandidateState::rejected);
  row.verdict = verdict.summary();
  row.resources = verdict.resources;
  for (const evidence::StageResult& stage : verdict.stages)
    if (!verdict.accepted && stage.outcome == evidence::Outcome::failed && !row.failed_stage)
      row.failed_stage = stage.stage;
  std::vector<std::pair<std::int64_t, int>> ranks;
  bool say_unranked = false;
  std::optional<store::MoveRecord> move;
  {
    const std::lock_guard lock(mutex_);
    ++judged_;
    errors_in_a_row_ = duplicates_in_a_row_ = 0;
    Feedback f = feedback_of(item);
    f.accepted = verdict.accepted;
    f.ranked = score.has_value();
    f.verdict = row.verdict;
    f.failure = evidence::failure_text(verdict);
    if (verdict.accepted) {
      ++accepted_;
      structures_.insert(item.structure);
    }
    if (score) {
      f.score = score->value;
      scores_.emplace_back(item.id, score->value);
      ranks = ranks_of(scores_);
      row.score = *score;
      for (const auto& [id, rank] : ranks)
        if (id == item.id) row.rank = rank;
      const MoveSide side = move_side(item.hash, item.structure, score->value, score->provenance,
                                      verdict.metrics ? store::spread_of(*verdict.metrics) : store::Spread());
      if (const auto parent = ranked_.find(item.parent); parent != ranked_.end())
        move = move_between(run_, family_of(spec_), options_.device, parent->second, side,
                            item.move.empty() ? move_name(item.note) : item.move);
      ranked_.emplace(item.hash, side);
    } else if (verdict.accepted) {
      say_unranked = ++unranked_reasons_[score.error().message] == 1;
    }
    news_.push_back(std::move(f));
  }
  const std::string message =
      say_unranked ? "candidate " + std::to_string(item.id) + " is accepted and has no rank: " + score.error().message
                   : std::string();
  if (say_unranked) (void)workspace_.add_message(run_, store::MessageLevel::warning, message);
  if (move)
    if (const Result<std::int64_t> added = workspace_.add_move(*move); !added) return stop_with(added.error());
  if (!handler_) return;
  handler_(CandidateJudged{std::move(row)});
  if (!ranks.empty()) handler_(RanksChanged{std::move(ranks)});
  if (say_unranked) handler_(RunMessage{store::MessageLevel::warning, message});
}

void Loop::record_error(const Item& item, const Error& error) {
  if (Status s = workspace_.set_error(item.id, error.text()); !s) return stop_with(s.error());
  CandidateRow row = row_of(item, store::CandidateState::error);
  row.verdict = error.text();
  emit(CandidateJudged{row});
  bool enough = false;
  {
    const std::lock_guard lock(mutex_);
    ++judged_;
    enough = ++errors_in_a_row_ >= error_limit;
  }
  if (enough)
    stop_with({error.code,
               "judging failed " + std::to_string(error_limit) + " times in a row for reasons outside the candidates",
               error.text()});
}

Feedback Loop::feedback_of(const Item& item) const {
  Feedback f;
  f.id = item.id;
  f.hash = item.hash;
  f.parent = item.parent;
  f.structure = item.structure;
  f.text = item.text;
  f.generator = item.generator;
  return f;
}

CandidateRow Loop::row_of(const Item& item, store::CandidateState state) const {
  CandidateRow row;
  row.id = item.id;
  row.hash = item.hash;
  row.parent = item.parent;
  row.structure = item.structure;
  row.title = item.title;
  row.generator = item.generator;
  row.state = state;
  return row;
}

Result<RunEnded> Loop::go() {
  RunEnded ended;
  ended.run = run_;
  Status begun = fail(Code::internal, "it failed");
  try {
    begun = generator_->begin(host_);
  } catch (const std::exception& e) { begun = fail(Code::internal, "it failed", e.what()); }
  if (!begun)
    stop_with({begun.error().code, "the generator '" + options_.generator + "' cannot begin: " + begun.error().message,
               begun.error().cause});
  std::vector<std::thread> threads;
  threads.emplace_back([this] { watch(); });
  if (!stop_.stop_requested()) accept(pinned_given(), given_generator);
  const int count =
      options_.budget.candidates > 0 ? std::min(workers_, std::max(1, options_.budget.candidates)) : workers_;
  for (int i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
  for (;;) {
    bool ask = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock,
                    [&] { return stop_.stop_requested() || want_proposals() || finished(&ended.state, &ended.why); });
      if (finished(&ended.state, &ended.why)) break;
      ask = !stop_.stop_requested() && want_proposals();
    }
    if (ask) propose();
  }
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  stop_.request_stop();  // ends what is still being judged; it stays queued
  changed_.notify_all();
  for (std::thread& t : threads) t.join();

  std::optional<Error> failure;
  {
    const std::lock_guard lock(mutex_);
    ended.proposed = proposed_;
    ended.accepted = accepted_;
    ended.structures = static_cast<int>(structures_.size());
    failure = failure_;
  }
  if (failure) ended.state = store::RunState::failed, ended.why = failure->text();
  if (only_given_) {
    if (failure) return fail(*failure);
    return ended;
  }
  (void)workspace_.add_message(
      run_, ended.state == store::RunState::failed ? store::MessageLevel::error : store::MessageLevel::info,
      enum_string(ended.state) + ": " + ended.why);
  if (Status s = workspace_.set_run_state(run_, ended.state); !s && !failure) {
    failure = s.error();
    ended.state = store::RunState::failed;
    ended.why = s.error().text();
  }
  emit(ended);
  if (failure) return fail(*failure);
  return ended;
}

}  // namespace ww::explore
