// SPDX-License-Identifier: Apache-2.0
#include "model_loop/model_generator.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <tuple>
#include "appraisal/moves.h"
#include "base/ascii.h"
#include "base/plural.h"
#include "generator/names.h"
#include "generator/run_options.h"
#include "llm/replay.h"
#include "model_loop/forecast.h"
#include "model_loop/parts.h"
#include "model_loop/round.h"
#include "model_loop/shares.h"
#include "model_loop/tools.h"
#include "model_loop/unanswered.h"

namespace ww::model_loop {
namespace {

constexpr int unread_limit = 3;       // consecutive replies of the analyst
constexpr int empty_round_limit = 6;  // consecutive rounds whose tasks gave no candidate at all

// The diagnosed move that the reply names, else what the reply calls its change.
std::string named_move(const llm::Diagnosis* diagnosis, const std::string& note) {
  const std::string text = ascii_lower(note);
  if (diagnosis)
    for (const llm::Diagnosis::Move& m : diagnosis->moves)
      if (!m.name.empty() && text.find(ascii_lower(m.name)) != std::string::npos) return m.name;
  return appraisal::move_name(note);
}

// As it was given: "$2.00", "$0.045".
std::string limit_text(double dollars) {
  const double cents = dollars * 100;
  return std::abs(cents - std::round(cents)) < 1e-6 ? fmt::format("${:.2f}", dollars) : fmt::format("${:g}", dollars);
}

std::string parent_of(const Job& job) { return job.task.parents.empty() ? std::string() : job.task.parents[0]; }

class ModelGenerator final : public generator::Generator {
 public:
  std::string name() const override { return "model"; }
  bool in_rounds() const override { return true; }
  std::string why_ended() const override { return why_; }

  Status begin(const generator::Host& host) override {
    host_ = std::make_unique<generator::Host>(host);
    models_ = WW_TRY(Models::open(host));
    cast_ = models_.cast;
    survey_ = WW_TRY(survey(host));
    if (options().tool_calls > 0)
      models_.tools = make_tools(*host_, survey_,
                                 models_.mode == llm::Mode::ptx ? candidate::Language::ptx : candidate::Language::cuda,
                                 survey_.remembered);
    if (options().replay_of != 0) {
      parts_ = WW_TRY(Parts::load(host.workspace, options().replay_of));
      recorded_run_ = WW_TRY(host.workspace.run(options().replay_of));
      for (const store::CandidateRecord& c : WW_TRY(host.workspace.candidates(options().replay_of)))
        stored_.emplace(c.hash, c.origin.strategy, c.origin.task);
    }
    WW_TRY(take_up());
    while (parts_.over(racers_)) WW_TRY(next_part());  // where an earlier process had come
    WW_TRY(check_budget());
    if (models_.batches) unanswered_ = WW_TRY(unanswered(host.workspace, host.run, models_.cast));
    WW_TRY(tell_lost_requests());
    return tell_forecast();
  }

  Result<std::vector<generator::Proposal>> propose(const generator::GeneratorRequest& request,
                                                   std::stop_token stop) override {
    if (!host_) return fail(Code::internal, "the generator was not started");
    try {
      if (options().replay_of == 0) return rounds(request, stop);
      generator::GeneratorRequest replayed = request;
      models_.recorded.apply(replayed.history);
      return rounds(replayed, stop);
    } catch (const std::exception& e) {
      return fail(Code::internal, "the model's generator stopped unexpectedly", e.what());
    }
  }

 private:
  // Starts with the run's stored state, as a process that resumes it does.
  Status take_up() {
    racers_.clear();
    known_.clear();
    exchanges_.clear();
    seen_ = turn_ = 0;
    unread_ = 0;
    models_.cast = cast_;
    if (options().replay_of != 0) WW_TRY(models_.begin(*host_, parts_.budget(), !parts_.last()));
    WW_TRY(make_racers());
    WW_TRY(read_review_requests());
    WW_TRY(recall(racers_, host_->workspace, host_->run));
    models_.tools_withdrawn = std::ranges::any_of(racers_, &Racer::no_tools);
    return {};
  }

  // Whether one request fits into the settings and the budget, before anything is sent.
  Status check_budget() const {
    constexpr std::int64_t least_answer = 256;  // tokens; the least of --output-tokens
    if (models_.client->spend().requests > 0 || options().replay_of != 0) return {};
    const std::int64_t prompt = WW_TRY(llm::prompt_of_writer(desk(), models_.cast.writer, models_.mode, survey_.sheet));
    if (budget().tokens > 0 && prompt + least_answer > budget().tokens)
      return fail(Code::invalid_argument,
                  fmt::format("the budget of {} tokens is too small for one request: its prompt takes about {} tokens, "
                              "and its answer up to {}; nothing was sent",
                              budget().tokens, prompt, models_.cast.writer.output_tokens));
    const std::optional<double> money =
        llm::cost(models_.cast.writer.model.facts, {prompt, 0, 0, least_answer, 0, false});
    if (budget().money > 0 && money && *money > budget().money)
      return fail(
          Code::invalid_argument,
          fmt::format(
              "the budget of {} is too small for one request: its prompt of about {} tokens with a short answer "
              "costs ${:.4f}; nothing was sent",
              limit_text(budget().money), prompt, *money));
    return {};
  }

  static std::string place_of(const store::ExchangeRecord& e) { return "batch " + e.batch + " at " + e.host; }

  // Of a process that died while they were under way: what a batch does not hold nobody reads any more.
  Status tell_lost_requests() const {
    if (options().replay_of != 0) return {};
    const std::vector<store::ExchangeRecord> all = WW_TRY(host_->workspace.exchanges(host_->run));
    std::set<std::string> fetched, batches;
    for (const Unanswered& u : unanswered_) fetched.insert(place_of(u.exchange));
    if (!fetched.empty())
      host_->say(store::MessageLevel::info,
                 fmt::format("{} of an earlier part of this run waited for an answer in {}: the answers are fetched",
                             plural(unanswered_.size(), "request"), fmt::join(fetched, ", ")));
    std::size_t lost = 0;
    std::int64_t tokens = 0;
    for (const store::ExchangeRecord& e : all) {
      const bool is_fetched =
          std::ranges::any_of(unanswered_, [&](const Unanswered& u) { return u.exchange.id == e.id; });
      if (e.state != store::ExchangeState::sent || is_fetched) continue;
      ++lost;
      tokens += e.prompt_tokens;
      if (!e.batch.empty()) batches.insert(place_of(e));
    }
    if (lost == 0) return {};
    std::string text = fmt::format(
        "{} under way when this run was interrupted: {} lost, and the service may charge for "
        "{}; the budget counts {} tokens for their prompts",
        lost == 1 ? "1 request was" : fmt::format("{} requests were", lost),
        lost == 1 ? "its answer is" : "their answers are", lost == 1 ? "it" : "them", tokens);
    if (!batches.empty())
      text += fmt::format(". Sent in {}: the service's console can still cancel what it has not answered",
                          fmt::join(batches, ", "));
    host_->say(store::MessageLevel::warning, text);
    return {};
  }

  // Before the first request of a run that is no replay.
  Status tell_forecast() const {
    if (options().replay_of != 0 || models_.client->spend().requests > 0) return {};
    const Result<std::int64_t> prompt = llm::prompt_of_writer(desk(), models_.cast.writer, models_.mode, survey_.sheet);
    if (!prompt) return {};  // the first request will say why
    const Forecast f = WW_TRY(forecast(host_->workspace, host_->options, host_->run));
    host_->say(store::MessageLevel::info, forecast_text(f, host_->options, *prompt));
    return {};
  }

  llm::Desk desk() const {
    return {*models_.client, models_.prompts, options().limits, models_.offered_tools(), options().tool_calls};
  }

  Status next_part() {
    parts_.next();
    WW_TRY(take_up());
    for (Racer& r : racers_) r.tasks = r.tasks_before = parts_.tasks_before(r.name);
    return {};
  }

  const generator::ModelOptions& options() const { return host_->options.model; }
  const generator::Budget& budget() const { return models_.budget; }

  // A replay's budget is that of all processes; the recorded one asked for what its own left.
  std::size_t wanted(const generator::GeneratorRequest& request) const {
    if (options().replay_of == 0 || budget().candidates <= 0) return request.wanted;
    const auto judged =
        std::ranges::count_if(request.history, [](const generator::Feedback& f) { return f.duplicate_of.empty(); });
    return std::min(request.wanted, static_cast<std::size_t>(std::max<std::int64_t>(0, budget().candidates - judged)));
  }

  Status make_racers() {
    const generator::ModelOptions& m = options();
    if (m.strategies.empty()) return fail(Code::invalid_argument, "name at least one strategy");
    for (const std::string& name : m.strategies) {
      if (std::count(m.strategies.begin(), m.strategies.end(), name) > 1)
        return fail(Code::invalid_argument,
                    "the strategy '" + name + "' is named twice; a race is between different ones");
      const strategy::StrategyOptions how{.seed = m.seed,
                                          .width = m.width,
                                          .children = m.children,
                                          .patience = m.patience,
                                          .fixes = m.fixes,
                                          .make_generator = host_->make_generator};
      Racer r;
      r.name = name;
      r.strategy = WW_TRY(strategy::make_strategy(name, how));
      racers_.push_back(std::move(r));
    }
    return {};
  }

  Status read_review_requests() {
    std::set<std::string> given;
    for (const generator::Proposal& p : host_->options.given)
      if (const Result<candidate::Candidate> c = candidate::parse(p.text, p.language)) given.insert(c->hash);
    const std::int64_t reviewed = options().replay_of != 0 ? options().replay_of : host_->run;
    std::vector<store::ExchangeRecord> made = WW_TRY(host_->workspace.exchanges(reviewed));
    if (options().replay_of != 0) made.resize(std::min(made.size(), parts_.exchanges_before()));
    requests_ = WW_TRY(open_requests(host_->workspace, reviewed, made, given, parts_.began()));
    for (const ReviewRequest& r : requests_)
      if (!r.asked)
        host_->say(
            store::MessageLevel::info,
            fmt::format("reviewers' requests on candidate {} are included in prompts that start from it", r.candidate));
    return {};
  }

  Result<std::vector<generator::Proposal>> rounds(const generator::GeneratorRequest& request,
                                                  const std::stop_token& stop) {
    for (int empty_rounds = 0; empty_rounds < empty_round_limit; ++empty_rounds) {
      if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
      if (interrupted_) return end_of_transcript();
      if (models_.budget_over() && parts_.last()) return end(budget_sentence());
      if (models_.budget_over()) WW_TRY(next_part());
      while (parts_.over(racers_)) WW_TRY(next_part());
      note_duplicates(request.history);
      if (racers_.size() > 1) (void)count_spend(racers_, host_->workspace, host_->run);
      Round round;
      if (!add_unanswered(request, round) && !add_revisions(request, round)) add_tasks(request, round);
      bool any_asked = false;
      for (Job& job : round.jobs) any_asked |= job.asked = parts_.has(job.racer->name, job.task);
      if (!any_asked && !parts_.last()) {
        WW_TRY(next_part());
        empty_rounds = -1;
        continue;
      }
      if (round.jobs.empty() && wanted(request) == 0)
        return end(fmt::format("the budget of {} is used up", plural(budget().candidates, "candidate")));
      if (round.jobs.empty()) return end(models_.budget_over() ? budget_sentence() : strategies_ended());
      write_sheets(round, request, *host_, models_, survey_, requests_, stop);
      ask(round, *host_, models_, stop);
      watch_analyst(round);
      Error failure;
      if (parts_.last() && !stop.stop_requested()) interrupted_ = interruption(round);
      std::vector<generator::Proposal> proposals = collect(request, round, failure);
      watch_calls();
      if (!proposals.empty()) return proposals;
      if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
      if (interrupted_) return end_of_transcript();
      if (parts_.last() && models_.budget_over()) return end(budget_sentence());
      if (parts_.last() && !failure.message.empty()) return fail(failure);
      if (parts_.last() || (failure.message.empty() && empty_rounds + 1 < empty_round_limit)) continue;
      WW_TRY(next_part());  // the recorded process ended here, and another went on
      empty_rounds = -1;
    }
    return end(fmt::format("{} rounds in a row gave no candidate", empty_round_limit));
  }

  // In a replay: the recorded run ended here, while a model was asked or before it was asked again, and was never
  // resumed.
  std::optional<Error> interruption(const Round& round) const {
    const bool at_end = options().replay_of != 0 && llm::is_at_end(*models_.cast.writer.model.provider);
    for (const Job& job : round.jobs) {
      if (job.task.kind == strategy::Task::Kind::ready || job.draft) continue;
      const Error& e = job.draft.error();
      if (e.code == Code::cancelled) return Error{Code::unavailable, e.message, e.cause};
      if (at_end && e.code == Code::not_found)
        return Error{Code::unavailable, fmt::format("the transcript of run {} ends here", recorded_run_.id), {}};
    }
    return std::nullopt;
  }

  Result<std::vector<generator::Proposal>> end_of_transcript() {
    if (recorded_run_.state != store::RunState::done) return fail(*interrupted_);
    return end(fmt::format("the transcript of run {} ends here: {}", recorded_run_.id,
                           budget().minutes > 0 ? "its time was used up" : "it was done"));
  }

  std::vector<generator::Proposal> end(std::string why) {
    why_ = std::move(why);
    return {};
  }

  std::string budget_sentence() const {
    const llm::Spend s = models_.client->spend();
    const double tokens = budget().tokens > 0 ? static_cast<double>(s.usage.prompt + s.usage.completion) /
                                                    static_cast<double>(budget().tokens)
                                              : 0;
    const double money = budget().money > 0 ? s.money / budget().money : 0;
    return tokens >= money ? fmt::format("the budget of {} tokens is used up", budget().tokens)
                           : fmt::format("the budget of {} is used up", limit_text(budget().money));
  }

  std::string strategies_ended() const {
    if (racers_.size() == 1) return racers_[0].ended;
    std::string text;
    for (const Racer& r : racers_) text += (text.empty() ? "" : "; ") + r.name + ": " + r.ended;
    return text;
  }

  void note_duplicates(const std::vector<generator::Feedback>& history) {
    for (; seen_ < history.size(); ++seen_) {
      const generator::Feedback& f = history[seen_];
      known_.insert(f.hash);
      const auto exchange = exchanges_.find(f.hash);
      if (!f.duplicate_of.empty() && exchange != exchanges_.end())
        (void)models_.client->outcome(exchange->second, store::ExchangeOutcome::duplicate, f.hash);
    }
  }

  // Attempts of an earlier process go on, before new ones begin. False: there is none.
  bool add_unanswered(const generator::GeneratorRequest& request, Round& round) {
    const std::size_t most_jobs = wanted(request);
    while (!unanswered_.empty() && round.jobs.size() < most_jobs) {
      Unanswered next = std::move(unanswered_.front());
      unanswered_.erase(unanswered_.begin());
      const store::Origin& origin = next.exchange.origin;
      const auto racer = std::ranges::find(racers_, origin.strategy, &Racer::name);
      if (racer == racers_.end()) continue;
      const auto later = std::ranges::count_if(unanswered_, [&](const Unanswered& u) {
        return u.exchange.origin.strategy == origin.strategy && u.exchange.origin.subject == origin.subject;
      });
      round.jobs.push_back(job_of(std::move(next), *racer, request.history, survey_, static_cast<std::size_t>(later)));
    }
    return !round.jobs.empty();
  }

  // One attempt for each open review request, before the strategies continue: reviewers' requests come first. False:
  // there is none.
  bool add_revisions(const generator::GeneratorRequest& request, Round& round) {
    const std::size_t most_jobs = wanted(request);
    for (ReviewRequest& open : requests_) {
      if (open.asked || round.jobs.size() == most_jobs) continue;
      for (std::size_t place = 0; place < racers_.size() && !open.asked; ++place) {
        Racer& r = racers_[place];
        const std::vector<const generator::Feedback*> seen = r.sees(request.history);
        const auto parent =
            std::find_if(seen.begin(), seen.end(), [&](const generator::Feedback* f) { return f->hash == open.hash; });
        if (parent == seen.end() || allowance(racers_, place, budget(), request.history, 1) == 0) continue;
        strategy::Task t;
        t.kind = (*parent)->accepted ? strategy::Task::Kind::improve : strategy::Task::Kind::fix;
        t.parents = {open.hash};
        for (const auto& [hash, lineage] : r.lineages)
          if (hash == open.hash) t.lineage = lineage;
        if (t.lineage.empty()) t.lineage = "review";
        t.number = r.tasks_before = ++r.tasks;  // the strategy's own numbers go on from there
        round.jobs.push_back({&r, std::move(t), true});
        open.asked = true;
      }
    }
    return !round.jobs.empty();
  }

  void add_tasks(const generator::GeneratorRequest& request, Round& round) {
    const std::size_t n = racers_.size(), most_jobs = wanted(request), turn = turn_++;
    const std::size_t each = std::max<std::size_t>(1, most_jobs / n);
    for (std::size_t i = 0; i < n && round.jobs.size() < most_jobs; ++i) {
      const std::size_t place = (i + turn) % n;
      Racer& r = racers_[place];
      if (!r.ended.empty()) continue;
      const std::size_t most =
          allowance(racers_, place, budget(), request.history, std::min(most_jobs - round.jobs.size(), each));
      if (most == 0) continue;
      strategy::Population p;
      p.request = &request;
      p.candidates = r.sees(request.history);
      p.failed = std::exchange(r.failed, {});
      p.lineages = r.lineages;
      p.open = r.open;
      p.tasks_before = r.tasks_before;
      std::vector<strategy::Task> list = r.strategy->next(p, most);
      for (const std::string& line : r.strategy->news()) host_->say(store::MessageLevel::info, r.name + ": " + line);
      if (list.empty()) r.ended = r.strategy->why_ended().empty() ? "it is finished" : r.strategy->why_ended();
      if (list.size() > most) list.resize(most);
      for (strategy::Task& t : list) {
        r.tasks = std::max(r.tasks, t.number);
        round.jobs.push_back({&r, std::move(t)});
      }
    }
  }

  // An analyst whose replies cannot be read is eventually given up.
  void watch_analyst(const Round& round) {
    for (const Analysis& a : round.analyses)
      unread_ = a.diagnosis ? 0 : unread_ + (a.diagnosis.error().code == Code::parse);
    if (unread_ < unread_limit || !models_.cast.analyst) return;
    models_.cast.analyst.reset();
    host_->say(store::MessageLevel::warning,
               fmt::format("the analyst is no longer asked: {} consecutive replies could not be read", unread_));
  }

  void watch_calls() {
    if (!models_.offered_tools() || std::ranges::none_of(racers_, &Racer::no_tools)) return;
    models_.tools_withdrawn = true;
    host_->say(store::MessageLevel::warning,
               fmt::format("tools are no longer offered in this run: {} attempts in a row ended without a candidate, "
                           "since the model only called tools",
                           most_only_called));
  }

  // In task order. `failure`: what prevented the requests, if anything. Tasks that an outage kept back did not fail.
  std::vector<generator::Proposal> collect(const generator::GeneratorRequest& request, Round& round, Error& failure) {
    std::vector<generator::Proposal> proposals;
    std::optional<Error> kept_back;
    for (Job& job : round.jobs) {
      if (!job.asked) continue;
      if (job.task.kind != strategy::Task::Kind::ready && !job.draft) {
        const Error& e = job.draft.error();
        if (e.code == Code::cancelled || models_.budget_over()) continue;
        if (interrupted_ && e.code == Code::not_found) continue;  // the recorded run did not ask it any more
        if (job.kept_back) {
          kept_back = e;
          continue;
        }
        if (is_outage(e.code) && is_outage(failure.code) && !failure.message.empty()) continue;  // said once
        note_failed(job, e.text());
        if (e.code == Code::parse) {
          job.racer->lost.push_back({job.task.lineage, parent_of(job), {}, job.only_called});
          job.racer->note_calls(job.only_called);
        }
        if (e.code != Code::parse && failure.message.empty()) failure = e;
        continue;
      }
      if (job.task.kind != strategy::Task::Kind::ready) job.racer->note_calls(false);
      generator::Proposal p = proposal_of(job, round.diagnosis_of(job));
      Result<candidate::Candidate> c = candidate::parse(p.text, p.language);
      if (c && std::any_of(c->tune.begin(), c->tune.end(), [](const auto& axis) { return axis.values.size() > 1; })) {
        p.draft = c->text;
        c = candidate::pin(*c, candidate::first_tuning(*c));
      }
      if (!c) {
        note_failed(job, "the candidate cannot be read: " + c.error().message);
      } else if (was_lost(job, c->hash)) {
        if (p.exchange != 0) (void)models_.client->outcome(p.exchange, store::ExchangeOutcome::candidate, c->hash);
      } else if (known_.insert(c->hash).second) {
        p.text = c->text;
        proposals.push_back(adopt(job, std::move(p), c->hash));
      } else {
        note_known(job, p, *c, request.history, proposals);
      }
    }
    if (kept_back && failure.message.empty()) failure = *kept_back;
    return proposals;
  }

  // In a replay: the recorded process ended before it stored this candidate, and the next one did not know of it.
  bool was_lost(const Job& job, const std::string& hash) const {
    const bool ended = !parts_.last() || recorded_run_.state != store::RunState::done;
    return options().replay_of != 0 && ended && !known_.contains(hash) &&
           !stored_.contains({hash, job.racer->name, job.task.number});
  }

  generator::Proposal proposal_of(Job& job, const llm::Diagnosis* diagnosis) const {
    if (job.task.kind == strategy::Task::Kind::ready) {
      job.origin = {
          job.racer->name, job.task.lineage, job.task.number, store::Step::ready, {}, job.task.proposal.origin.move};
      return job.task.proposal;
    }
    generator::Proposal p;
    p.text = job.draft->text;
    p.language = job.draft->language;
    p.structure = job.draft->structure;
    p.note = job.draft->note;
    p.exchange = job.draft->exchange;
    job.origin.move = named_move(diagnosis, p.note);
    if (!p.note.starts_with(job.origin.move)) p.note = job.origin.move + ": " + p.note;
    return p;
  }

  void note_failed(const Job& job, std::string why) {
    if (job.task.kind != strategy::Task::Kind::ready)
      host_->say(store::MessageLevel::info, job.label + " gave no candidate: " + why);
    job.racer->failed.push_back({job.task, std::move(why)});
  }

  // A text already in the run. If another strategy or the user wrote it, this strategy now knows it, too.
  void note_known(const Job& job, const generator::Proposal& p, const candidate::Candidate& c,
                  const std::vector<generator::Feedback>& history, const std::vector<generator::Proposal>& proposals) {
    Racer& r = *job.racer;
    if (p.exchange != 0) (void)models_.client->outcome(p.exchange, store::ExchangeOutcome::duplicate, c.hash);
    const bool others = std::any_of(history.begin(), history.end(),
                                    [&](const generator::Feedback& f) {
                                      return f.hash == c.hash && !generator::is_manual(f.generator);
                                    }) ||
                        std::any_of(proposals.begin(), proposals.end(),
                                    [&](const generator::Proposal& other) { return other.text == c.text; });
    if (others) r.adopt(c.hash, job.task.lineage, p.note);  // where it is its own already, nothing changes
    if (p.exchange != 0) r.lost.push_back({job.task.lineage, parent_of(job), c.hash});
    note_failed(job, "it is the same text as candidate " + c.hash.substr(0, 12));
  }

  generator::Proposal adopt(Job& job, generator::Proposal p, const std::string& hash) {
    Racer& r = *job.racer;
    if (p.exchange != 0) {
      (void)models_.client->outcome(p.exchange, store::ExchangeOutcome::candidate, hash);
      exchanges_.emplace(hash, p.exchange);
      const auto studied = r.studied.find(parent_of(job));
      if (studied != r.studied.end() && job.task.kind == strategy::Task::Kind::improve) {
        studied->second.tried = true;
        if (std::optional<Studied> left = inherited(studied->second, job.turn))
          r.studied.emplace(hash, std::move(*left));
      }
    }
    if (p.parent.empty() && !job.task.parents.empty()) p.parent = job.task.parents[0];
    if (p.generator.empty()) p.generator = "model/" + r.name;
    r.adopt(hash, job.task.lineage, p.note);
    if (!p.draft.empty()) r.open.emplace_back(hash, p.draft);
    p.origin = std::move(job.origin);
    return p;
  }

  std::unique_ptr<generator::Host> host_;
  std::vector<Racer> racers_;
  Models models_;
  Cast cast_;  // as it was asked for
  Parts parts_;
  store::RunRecord recorded_run_;                                         // that this one replays
  std::set<std::tuple<std::string, std::string, std::uint64_t>> stored_;  // its candidates: hash, strategy, task
  std::optional<Error> interrupted_;
  Survey survey_;
  std::set<std::string> known_;                    // hashes of all candidates of the run
  std::map<std::string, std::int64_t> exchanges_;  // that gave them
  std::vector<Unanswered> unanswered_;             // of earlier processes
  std::vector<ReviewRequest> requests_;            // as they stood at the beginning
  std::size_t seen_ = 0, turn_ = 0;
  int unread_ = 0;  // replies of the analyst in a row
  std::string why_;
};

}  // namespace

std::unique_ptr<generator::Generator> make_model_generator() { return std::make_unique<ModelGenerator>(); }

}  // namespace ww::model_loop
