// SPDX-License-Identifier: Apache-2.0
#include "model_loop/model_generator.h"
#include <algorithm>
#include <atomic>
#include <cctype>
#include <fmt/format.h>
#include <functional>
#include <thread>
#include "base/hash.h"
#include "model_loop/prompt_facts.h"
#include "appraisal/moves.h"
#include "model_loop/racer.h"
#include "model_loop/recorded.h"
#include "explore/run.h"
#include "model_loop/review_requests.h"
#include "llm/agents.h"
#include "llm/replay.h"
#include "op/parse.h"

namespace ww::explore {
namespace {

constexpr int barren_limit = 6;            // rounds in a row whose tasks gave no candidate at all
constexpr std::size_t moves_read = 20000;  // newest first, over all runs: later ones are left out below

// In [0, 2^53), which every service and JSON reader takes.
std::int64_t seed_of(std::uint64_t seed, const std::string& strategy, std::uint64_t task, const char* role) {
  const std::string hash =
      Hasher().field(std::to_string(seed)).field(strategy).field(std::to_string(task)).field(role).hex();
  return static_cast<std::int64_t>(std::stoull(hash.substr(0, 13), nullptr, 16));
}

// The name of the diagnosed move that the note speaks of; empty: of none.
std::string named_move(const llm::Diagnosis& diagnosis, const std::string& note) {
  const auto lower = [](std::string s) {
    for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return s;
  };
  const std::string said = lower(note);
  for (const llm::Diagnosis::Move& m : diagnosis.moves)
    if (!m.name.empty() && said.find(lower(m.name)) != std::string::npos) return m.name;
  return {};
}

struct Job {  // one task on its way to a candidate
  Racer* racer = nullptr;
  Task task;
  llm::Sheet sheet;
  std::string label;
  store::Origin origin;
  std::size_t analysis = 0;  // 1 + place in the round's analyses; 0: none
  Result<llm::Draft> draft = fail(Code::internal, "not asked");
  bool revision = false;  // what a reviewer asked for
};
struct Analysis {
  Racer* racer = nullptr;
  std::string parent, label;
  store::Origin origin;
  std::uint64_t number = 0;  // of the first task that it is for
  llm::Sheet sheet;
  Result<llm::Diagnosis> diagnosis = fail(Code::internal, "not asked");
};

class ModelGenerator final : public Generator {
 public:
  std::string name() const override { return "model"; }
  bool in_rounds() const override { return true; }
  std::string why_ended() const override { return why_; }

  Status begin(const Host& host) override {
    host_ = std::make_unique<Host>(host);
    const ModelOptions& m = options();
    if (m.strategies.empty()) return fail(Code::invalid_argument, "name at least one strategy");
    for (std::size_t i = 0; i < m.strategies.size(); ++i) {
      if (std::count(m.strategies.begin(), m.strategies.end(), m.strategies[i]) > 1)
        return fail(Code::invalid_argument,
                    "the strategy '" + m.strategies[i] + "' is named twice; a race is between different ones");
      StrategyOptions how;
      how.seed = m.seed;
      how.width = m.width;
      how.children = m.children;
      how.patience = m.patience;
      how.fixes = m.fixes;
      how.make_generator = host_->make_generator;
      std::unique_ptr<Strategy> strategy = WW_TRY(make_strategy(m.strategies[i], how));
      Racer r;
      r.name = m.strategies[i];
      r.strategy = std::move(strategy);
      racers_.push_back(std::move(r));
    }
    if (Status s = open_models(); !s) return s;
    if (Status s = survey(); !s) return s;
    if (Status s = read_review_requests(); !s) return s;
    return recall(racers_, host_->workspace, host_->run);
  }

  Result<std::vector<Proposal>> propose(const GeneratorRequest& request, std::stop_token stop) override {
    if (!host_) return fail(Code::internal, "the generator was not begun");
    try {
      if (options().replay_of == 0) return rounds(request, stop);
      GeneratorRequest told = request;
      recorded_.tell(told.history);
      return rounds(told, stop);
    } catch (const std::exception& e) {
      return fail(Code::internal, "the model's generator stopped unexpectedly", e.what());
    }
  }

 private:
  const ModelOptions& options() const { return host_->options.model; }
  const Budget& budget() const { return host_->options.budget; }

  Status open_models() {
    const ModelOptions& m = options();
    llm::Mode mode = WW_TRY(llm::mode_from_name(m.mode));
    mode_ = mode;
    if (m.writer.empty()) return fail(Code::invalid_argument, "name the model that writes, as PRESET:MODEL");
    llm::Catalogue catalogue = WW_TRY(llm::Catalogue::load());
    llm::PromptLibrary prompts = WW_TRY(llm::PromptLibrary::load(host_->workspace.folder()));
    prompts_ = std::move(prompts);
    std::shared_ptr<llm::Provider> replay;
    if (m.replay_of != 0) {
      std::shared_ptr<llm::Provider> made = WW_TRY(llm::make_replay(host_->workspace, m.replay_of));
      replay = std::move(made);
      Recorded recorded = WW_TRY(Recorded::load(host_->workspace, m.replay_of));
      recorded_ = std::move(recorded);
    }
    const auto settings = [&](const std::string& selection) -> Result<llm::Settings> {
      llm::Model model = WW_TRY(replay ? llm::describe(catalogue, selection) : llm::resolve(catalogue, selection));
      if (replay) model.provider = replay;
      llm::Settings s;
      s.model = std::move(model);
      s.temperature = m.temperature;
      s.effort = m.effort;
      s.output_tokens = m.output_tokens;
      s.prompt_tokens = m.prompt_tokens;
      return s;
    };
    llm::Settings writer = WW_TRY(settings(m.writer));
    writer_ = std::move(writer);
    if (m.analyst != "none") {
      llm::Settings analyst = WW_TRY(m.analyst.empty() || m.analyst == m.writer ? writer_ : settings(m.analyst));
      analyst_ = std::move(analyst);
    }
    std::unique_ptr<llm::Client> client = WW_TRY(llm::Client::make(
        host_->workspace, host_->run, {budget().tokens, budget().money}, m.limits, host_->watch, host_->options.pause));
    client_ = std::move(client);
    return {};
  }

  // What every prompt of this run says of op, device and workspace.
  Status survey() {
    const RunOptions& o = host_->options;
    op::Spec spec = WW_TRY(op::parse_spec(o.spec));
    context_.spec = std::move(spec);
    context_.binding = o.binding;
    for (const auto& [symbol, value] : context_.spec.defaults) context_.binding.symbols.emplace(symbol, value);
    context_.device = o.device;
    context_.architecture = o.architecture;
    context_.sentence = o.sentence;
    RankRules rules = WW_TRY(RankRules::load());
    context_.rules = std::move(rules);
    if (Result<profile::AdviceRules> advice = profile::AdviceRules::load())
      context_.advice = std::move(*advice);
    else
      host_->say(store::MessageLevel::warning, "the rules of advice cannot be used: " + advice.error().text());
    std::string device = o.device;
    if (o.device.starts_with("cuda")) {
      rpc::WorkerOptions how = o.worker;
      how.profile = "cuda";
      rpc::Supervisor worker(how);
      rpc::DeviceRequest request;
      request.name = o.device;
      rpc::DeviceReply reply = WW_TRY(worker.device(request));
      context_.details = std::move(reply.details);
      device = context_.details->gpu;
    }
    base_ = context_sheet(context_);
    // Of runs before this one (of a replay: before the one that it repeats), so that its prompts do not hang on what
    // happens beside it.
    const std::int64_t self = options().replay_of != 0 ? options().replay_of : host_->run;
    const Result<store::RunRecord> record = host_->workspace.run(self);
    Result<std::vector<store::MoveRecord>> moves = host_->workspace.moves(family_of(context_.spec), device, moves_read);
    WW_CHECK(record);
    WW_CHECK(moves);
    std::erase_if(*moves, [&](const store::MoveRecord& m) { return m.run >= self || m.created >= record->created; });
    base_["moves"] = moves_text(*moves);
    return {};
  }

  Status read_review_requests() {
    std::set<std::string> given;
    for (const Proposal& p : host_->options.given)
      if (const Result<candidate::Candidate> c = candidate::parse(p.text, p.language)) given.insert(c->hash);
    std::string until;
    if (options().replay_of != 0) {
      const store::RunRecord then = WW_TRY(host_->workspace.run(options().replay_of));
      until = then.created;
    }
    std::vector<ReviewRequest> open = WW_TRY(open_requests(host_->workspace, host_->run, given, until));
    requests_ = std::move(open);
    for (const ReviewRequest& w : requests_)
      if (!w.asked)
        host_->say(
            store::MessageLevel::info,
            fmt::format("what reviewers asked of candidate {} goes into the prompts that start from it", w.candidate));
    return {};
  }

  const ReviewRequest* request_for(const std::string& hash) const {
    const auto at =
        std::find_if(requests_.begin(), requests_.end(), [&](const ReviewRequest& w) { return w.hash == hash; });
    return at == requests_.end() ? nullptr : &*at;
  }

  // A round of one attempt for each wish that no model was asked for yet, before the strategies go on: whatever they
  // would start from, the person's words come first.
  void revise(const GeneratorRequest& request, std::vector<Job>& jobs, std::size_t& left) {
    for (ReviewRequest& w : requests_) {
      if (w.asked || left == 0) continue;
      for (Racer& r : racers_) {
        const std::vector<const Feedback*> seen = r.sees(request.history);
        const auto parent =
            std::find_if(seen.begin(), seen.end(), [&](const Feedback* f) { return f->hash == w.hash; });
        if (parent == seen.end() || allowance(r, request.history, 1) == 0) continue;
        Task t;
        t.kind = (*parent)->accepted ? Task::Kind::improve : Task::Kind::fix;
        t.parents = {w.hash};
        for (const auto& [hash, lineage] : r.lineages)
          if (hash == w.hash) t.lineage = lineage;
        if (t.lineage.empty()) t.lineage = "review";
        t.number = r.tasks_before = ++r.tasks;  // the strategy's own numbers go on from there
        jobs.push_back({&r, std::move(t), {}, {}, {}, 0, fail(Code::internal, "not asked"), true});
        w.asked = true;
        --left;
        break;
      }
    }
  }

  Result<std::vector<Proposal>> rounds(const GeneratorRequest& request, std::stop_token stop) {
    note_duplicates(request.history);
    for (int barren = 0; barren < barren_limit; ++barren) {
      if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
      if (client_->budget_over()) return over();
      std::vector<Job> jobs = tasks(request);
      if (jobs.empty()) {
        why_ = client_->budget_over() ? budget_sentence() : ended();
        return std::vector<Proposal>();
      }
      std::vector<Analysis> analyses = prepare(request, jobs);
      ask(jobs, analyses, stop);
      Error failure;
      std::vector<Proposal> proposals = collect(request, jobs, analyses, failure);
      if (!proposals.empty()) return proposals;
      if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
      if (client_->budget_over()) return over();
      if (!failure.message.empty()) return fail(failure);
    }
    why_ = fmt::format("{} rounds in a row gave no candidate", barren_limit);
    return std::vector<Proposal>();
  }

  std::vector<Proposal> over() {
    why_ = budget_sentence();
    return {};
  }
  std::string budget_sentence() const {
    const llm::Spend s = client_->spend();
    const double tokens = budget().tokens > 0 ? static_cast<double>(s.usage.prompt + s.usage.completion) /
                                                    static_cast<double>(budget().tokens)
                                              : 0;
    const double money = budget().money > 0 ? s.money / budget().money : 0;
    return tokens >= money ? fmt::format("the budget of {} tokens is used up", budget().tokens)
                           : fmt::format("the budget of ${:.2f} is used up", budget().money);
  }
  std::string ended() const {
    if (racers_.size() == 1) return racers_[0].ended;
    std::string text;
    for (const Racer& r : racers_) text += (text.empty() ? "" : "; ") + r.name + ": " + r.ended;
    return text;
  }

  void note_duplicates(const std::vector<Feedback>& history) {
    for (; seen_ < history.size(); ++seen_) {
      const Feedback& f = history[seen_];
      known_.insert(f.hash);
      const auto exchange = exchanges_.find(f.hash);
      if (!f.duplicate_of.empty() && exchange != exchanges_.end())
        (void)client_->outcome(exchange->second, "duplicate", f.hash);
    }
  }

  // How many tasks it may have now, under its share of the budget; 0: none, and it says why.
  std::size_t allowance(Racer& r, const std::vector<Feedback>& history, std::size_t wanted) {
    const std::size_t n = racers_.size();
    const std::size_t place = static_cast<std::size_t>(&r - racers_.data());
    std::size_t most = wanted;
    if (budget().candidates > 0) {
      const int persons = static_cast<int>(std::count_if(history.begin(), history.end(), [](const Feedback& f) {
        return f.generator == "manual" && f.duplicate_of.empty();
      }));
      const std::size_t all = static_cast<std::size_t>(std::max(0, budget().candidates - persons));
      const std::size_t share = all / n + (place < all % n ? 1 : 0), used = static_cast<std::size_t>(r.used(history));
      if (used >= share) {
        if (n > 1)
          r.ended = fmt::format("its share of {} candidates is used up", share);
        else
          r.ended = "the budget of candidates is used up";
        return 0;
      }
      most = std::min(most, share - used);
    }
    const auto limit = [&](double share, double used, const std::string& what) {
      if (n < 2 || share <= 0 || most == 0) return;
      if (used >= share) {
        r.ended = "its share of the budget, " + what + ", is used up";
        most = 0;
      } else if (r.tasks > 0 && used > 0) {
        most = std::min(most, static_cast<std::size_t>(
                                  std::max(1.0, std::floor((share - used) * static_cast<double>(r.tasks) / used))));
      }
    };
    limit(static_cast<double>(budget().tokens) / static_cast<double>(n), static_cast<double>(r.tokens),
          fmt::format("{} tokens", budget().tokens / static_cast<std::int64_t>(n)));
    limit(budget().money / static_cast<double>(n), r.money,
          fmt::format("${:.2f}", budget().money / static_cast<double>(n)));
    return most;
  }

  std::vector<Job> tasks(const GeneratorRequest& request) {
    if (racers_.size() > 1) (void)count_spend(racers_, host_->workspace, host_->run);
    std::vector<Job> jobs;
    std::size_t left = request.wanted;
    revise(request, jobs, left);
    if (!jobs.empty()) return jobs;
    const std::size_t n = racers_.size(), each = std::max<std::size_t>(1, request.wanted / n);
    for (std::size_t i = 0; i < n && left > 0; ++i) {
      Racer& r = racers_[(i + turn_) % n];
      if (!r.ended.empty()) continue;
      const std::size_t most = allowance(r, request.history, std::min(left, each));
      if (most == 0) continue;
      Population p;
      p.request = &request;
      p.candidates = r.sees(request.history);
      p.failed = std::exchange(r.failed, {});
      p.lineages = r.lineages;
      p.open = r.open;
      p.tasks_before = r.tasks_before;
      std::vector<Task> list = r.strategy->next(p, most);
      for (const std::string& line : r.strategy->news()) host_->say(store::MessageLevel::info, r.name + ": " + line);
      if (list.empty()) r.ended = r.strategy->why_ended().empty() ? "it has come to its end" : r.strategy->why_ended();
      if (list.size() > most) list.resize(most);
      left -= list.size();
      for (Task& t : list) {
        r.tasks = std::max(r.tasks, t.number);
        jobs.push_back({&r, std::move(t), {}, {}, {}, 0, fail(Code::internal, "not asked")});
      }
    }
    ++turn_;
    return jobs;
  }

  // Sheets and labels of all tasks, and the analyses that they need: one for each parent that is to be improved.
  std::vector<Analysis> prepare(const GeneratorRequest& request, std::vector<Job>& jobs) {
    std::vector<Analysis> analyses;
    for (Job& job : jobs) {
      if (job.task.kind == Task::Kind::ready) continue;
      const Racer& r = *job.racer;
      const std::vector<const Feedback*> seen = r.sees(request.history);
      std::vector<std::string> notes;
      const std::vector<const Feedback*> attempts =
          r.attempts(seen, job.task.lineage, job.task.parents.empty() ? std::string() : job.task.parents[0], notes);
      job.sheet = base_;
      job.sheet["attempts"] = attempts_text(attempts, notes, score_unit(context_));
      const auto record_of = [&](std::size_t i) -> std::optional<store::CandidateRecord> {
        if (i >= job.task.parents.size()) return std::nullopt;
        for (const Feedback* f : seen) {
          if (f->hash != job.task.parents[i]) continue;
          if (Result<store::CandidateRecord> c = host_->workspace.candidate(recorded_.number(f->hash, f->id)))
            return std::move(*c);
        }
        return std::nullopt;
      };
      const std::optional<store::CandidateRecord> parent = record_of(0);
      std::string what = "fresh attempt";
      job.origin = {r.name, job.task.lineage, job.task.number, store::Step::fresh, {}, {}};
      if (parent) {
        job.sheet["parent"] = parent->text;
        job.sheet["parent_verdict"] = parent->verdict ? parent->verdict->summary() : parent->summary;
        if (const ReviewRequest* w = request_for(parent->hash)) job.sheet["wish"] = request_text(base_["wish"], *w);
        const auto [name, step] = job.revision                       ? std::pair("revision", store::Step::revise)
                                  : job.task.kind == Task::Kind::fix ? std::pair("fix", store::Step::fix)
                                  : job.task.kind == Task::Kind::combine
                                      ? std::pair("combination", store::Step::combine)
                                      : std::pair("improvement", store::Step::improve);
        what =
            fmt::format("{} of candidate {}", name, job.revision ? request_for(parent->hash)->candidate : parent->id);
        job.origin.step = step;
        job.origin.subject = parent->hash;
        if (job.task.kind == Task::Kind::fix) {
          job.sheet["failure"] = rejection_text(*parent);
        } else {
          job.sheet["parent_numbers"] = numbers_text(context_, *parent);
          job.sheet["advice"] = advice_facts(context_, *parent);
        }
      }
      if (const std::optional<store::CandidateRecord> other = record_of(1)) {
        job.sheet["other"] = other->text;
        job.sheet["parent_numbers"] += "The other one:\n" + numbers_text(context_, *other);
        what += fmt::format(" and {}", other->id);
      }
      job.label = what + " [" + store::origin_text(job.origin) + "]";
      if (job.task.kind != Task::Kind::improve || !parent || !analyst_) continue;
      const auto known = std::find_if(analyses.begin(), analyses.end(), [&](const Analysis& a) {
        return a.racer == job.racer && a.parent == parent->hash;
      });
      job.analysis = static_cast<std::size_t>(known - analyses.begin()) + 1;
      if (known != analyses.end()) continue;
      Analysis a;
      a.racer = job.racer;
      a.parent = parent->hash;
      a.number = job.task.number;
      a.origin = job.origin;
      a.origin.step = store::Step::analyse;
      a.label = fmt::format("analysis of candidate {} [{}]", parent->id, store::origin_text(a.origin));
      a.sheet = {{"spec", base_["spec"]},
                 {"device", base_["device"]},
                 {"parent", parent->text},
                 {"numbers", job.sheet["parent_numbers"]},
                 {"lines", lines_text(*parent)},
                 {"verdict", job.sheet["parent_verdict"]},
                 {"attempts", job.sheet["attempts"]},
                 {"advice", job.sheet["advice"]},
                 {"case", base_["case"]}};
      analyses.push_back(std::move(a));
    }
    return analyses;
  }

  // Runs `count` jobs on the options' number of threads; on one where the budget may end within this round, since what
  // then fits must not hang on who came first.
  void in_parallel(std::size_t count, std::size_t requests, const std::function<void(std::size_t)>& body) {
    std::size_t threads = std::min(count, static_cast<std::size_t>(std::clamp(options().parallel, 1, 64)));
    const llm::Spend s = client_->spend();
    const double worst =
        static_cast<double>(requests) * static_cast<double>(options().prompt_tokens + options().output_tokens);
    if (budget().tokens > 0 && static_cast<double>(budget().tokens - s.usage.prompt - s.usage.completion) < worst)
      threads = 1;
    if (budget().money > 0) {
      const std::int64_t n = static_cast<std::int64_t>(requests);
      const std::optional<double> money =
          llm::cost(writer_.model.facts, {n * options().prompt_tokens, 0, 0, n * options().output_tokens, 0, false});
      if (!money || budget().money - s.money < *money) threads = 1;
    }
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < count; i = next++) body(i);
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    if (count > 0) work();
    for (std::thread& t : others) t.join();
  }

  void ask(std::vector<Job>& jobs, std::vector<Analysis>& analyses, std::stop_token stop) {
    const llm::Desk desk{*client_, prompts_, options().limits};
    in_parallel(analyses.size(), analyses.size(), [&](std::size_t i) {
      Analysis& a = analyses[i];
      if (stop.stop_requested() || client_->budget_over()) return;
      llm::Settings s = *analyst_;
      s.seed = seed_of(options().seed, a.racer->name, a.number, "analyst");
      a.diagnosis = llm::analyse(desk, s, a.sheet, {a.label, a.origin}, stop);
    });
    for (Analysis& a : analyses) {
      if (a.diagnosis)
        host_->say(store::MessageLevel::info, a.label + ": " + a.diagnosis->text());
      else if (!stop.stop_requested() && !client_->budget_over())
        host_->say(store::MessageLevel::warning, a.label + " failed: " + a.diagnosis.error().message);
    }
    std::vector<Job*> open;
    for (Job& job : jobs) {
      if (job.task.kind == Task::Kind::ready) continue;
      if (job.analysis > 0 && analyses[job.analysis - 1].diagnosis)
        job.sheet["diagnosis"] = analyses[job.analysis - 1].diagnosis->text();
      open.push_back(&job);
    }
    in_parallel(open.size(), open.size(), [&](std::size_t i) {
      Job& job = *open[i];
      if (stop.stop_requested())
        job.draft = fail(Code::cancelled, "cancelled");
      else if (client_->budget_over())
        job.draft = fail(Code::unavailable, "the budget is used up");
      if (stop.stop_requested() || client_->budget_over()) return;
      llm::Settings s = writer_;
      s.seed = seed_of(options().seed, job.racer->name, job.task.number, "writer");
      job.draft = llm::write(desk, s, mode_, job.sheet, {job.label, job.origin}, stop);
    });
  }

  // In the order of tasks. `failure`: what stood in the way of asking at all, if anything.
  std::vector<Proposal> collect(const GeneratorRequest& request, std::vector<Job>& jobs,
                                const std::vector<Analysis>& analyses, Error& failure) {
    std::vector<Proposal> proposals;
    for (Job& job : jobs) {
      Racer& r = *job.racer;
      const auto failed = [&](std::string why) {
        if (job.task.kind != Task::Kind::ready)
          host_->say(store::MessageLevel::info, job.label + " gave no candidate: " + why);
        r.failed.push_back({job.task, std::move(why)});
      };
      Proposal p;
      std::string text;
      if (job.task.kind == Task::Kind::ready) {
        p = job.task.proposal;
        text = p.text;
      } else if (!job.draft) {
        const Error& e = job.draft.error();
        if (e.code == Code::cancelled || client_->budget_over()) continue;
        failed(e.text());
        if (e.code != Code::parse && failure.message.empty()) failure = e;
        continue;
      } else {
        text = job.draft->text;
        p.language = job.draft->language;
        p.structure = job.draft->structure;
        p.note = job.draft->note;
        p.exchange = job.draft->exchange;
        if (job.analysis > 0 && analyses[job.analysis - 1].diagnosis) {
          const std::string move = named_move(*analyses[job.analysis - 1].diagnosis, p.note);
          job.origin.move = move;
          if (!move.empty() && !p.note.starts_with(move)) p.note = move + ": " + p.note;
        }
      }
      if (job.task.kind == Task::Kind::ready)
        job.origin = {r.name, job.task.lineage, job.task.number, store::Step::ready, {}, {}};
      Result<candidate::Candidate> c = candidate::parse(text, p.language);
      if (c && std::any_of(c->tune.begin(), c->tune.end(), [](const auto& axis) { return axis.values.size() > 1; })) {
        p.draft = c->text;
        c = candidate::pin(*c, candidate::first_tuning(*c));
      }
      if (!c) {
        failed("the candidate cannot be read: " + c.error().message);
        continue;
      }
      if (!known_.insert(c->hash).second) {
        if (p.exchange != 0) (void)client_->outcome(p.exchange, "duplicate", c->hash);
        if (!r.own.contains(
                c->hash)) {  // of another strategy, or the person's: what is known of it is known to this one, too
          for (const Feedback& f : request.history)
            if (f.hash == c->hash && f.generator != "manual") r.adopt(c->hash, job.task.lineage, p.note);
          for (const Proposal& other : proposals)
            if (other.text == c->text) r.adopt(c->hash, job.task.lineage, p.note);
        }
        failed("it is the same text as candidate " + c->hash.substr(0, 12));
        continue;
      }
      if (p.exchange != 0) {
        (void)client_->outcome(p.exchange, "candidate", c->hash);
        exchanges_.emplace(c->hash, p.exchange);
      }
      if (p.parent.empty() && !job.task.parents.empty()) p.parent = job.task.parents[0];
      if (p.generator.empty()) p.generator = "model/" + r.name;
      p.text = c->text;
      r.adopt(c->hash, job.task.lineage, p.note);
      if (!p.draft.empty()) r.open.emplace_back(c->hash, p.draft);
      p.origin = std::move(job.origin);
      proposals.push_back(std::move(p));
    }
    return proposals;
  }

  std::unique_ptr<Host> host_;
  std::vector<Racer> racers_;
  llm::Mode mode_ = llm::Mode::cuda;
  llm::PromptLibrary prompts_;
  llm::Settings writer_;
  std::optional<llm::Settings> analyst_;
  std::unique_ptr<llm::Client> client_;
  RunContext context_;
  llm::Sheet base_;
  std::set<std::string> known_;                    // hashes of all candidates of the run
  std::map<std::string, std::int64_t> exchanges_;  // that gave them
  Recorded recorded_;                              // of the run that this one replays
  std::vector<ReviewRequest> requests_;            // of reviewers, as they stood at the begin
  std::size_t seen_ = 0, turn_ = 0;
  std::string why_;
};

}  // namespace

std::unique_ptr<Generator> make_model_generator() { return std::make_unique<ModelGenerator>(); }

}  // namespace ww::explore
