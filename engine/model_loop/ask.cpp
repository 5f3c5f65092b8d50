// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include "base/hash.h"
#include "generator/run_options.h"
#include "llm/turns.h"
#include "model_loop/prompt_facts.h"
#include "model_loop/round.h"

namespace ww::model_loop {
namespace {

// After a reply that repeated a candidate, where the person set none: most services' own, while local servers sample
// more narrowly. No service takes less than this at most.
constexpr double resampling_temperature = 1;

// In [0, 2^53), which every service and JSON reader accepts.
std::int64_t seed_of(std::uint64_t seed, const std::string& strategy, std::uint64_t task, const char* role) {
  const std::string hash =
      Hasher().field(std::to_string(seed)).field(strategy).field(std::to_string(task)).field(role).hex();
  return static_cast<std::int64_t>(std::stoull(hash.substr(0, 13), nullptr, 16));
}

// Threads for `requests`: one where the budget may end within them.
std::size_t threads_for(std::size_t requests, const generator::RunOptions& options, const Models& models) {
  const generator::ModelOptions& m = options.model;
  const generator::Budget& budget = models.budget;
  const llm::Spend s = models.client->spend();
  const std::int64_t n = static_cast<std::int64_t>(requests);
  if (budget.tokens > 0 &&
      budget.tokens - s.usage.prompt - s.usage.completion < n * (m.prompt_tokens + m.output_tokens))
    return 1;
  if (budget.money > 0) {
    const std::optional<double> money =
        llm::cost(models.cast.writer.model.facts, {n * m.prompt_tokens, 0, 0, n * m.output_tokens, 0, false});
    if (!money || budget.money - s.money < *money) return 1;
  }
  return std::min(requests, static_cast<std::size_t>(std::clamp(m.parallel, 1, 64)));
}

void in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
}

// An error that concerns the service rather than one question; no questions follow it.
class Outage {
 public:
  void clear() {
    const std::lock_guard lock(mutex_);
    error_.reset();
  }
  // `place`: of the question in its round; the first that met it counts, whichever failed first. `others`: there are
  // models that could answer instead.
  void read(const Error& error, std::size_t place, bool others) {
    if (!(others ? llm::passes_on(error.code) : is_outage(error.code))) return;
    const std::lock_guard lock(mutex_);
    if (error_ && place_ <= place) return;
    error_ = error;
    place_ = place;
  }
  std::optional<Error> error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Error> error_;
  std::size_t place_ = 0;
};

// The questions of a round in two passes. A live run has one. In a replay those that the recorded run asked go first:
// whether it asked the others did not depend on how fast its answers come now.
struct Passes {
  std::vector<std::size_t> recorded, rest;  // places
};

}  // namespace

namespace {

class Asking {
 public:
  Asking(Round& round, const generator::Host& host, Models& models, const std::stop_token& stop)
      : round_(round), host_(host), models_(models), stop_(stop) {}

  void run() {
    ask_analyst();
    std::optional<Error> interrupted = take_diagnoses();
    std::vector<Job*> open;
    for (Job& job : round_.jobs) {
      if (job.task.kind == strategy::Task::Kind::ready) continue;
      if (const llm::Diagnosis* diagnosis = round_.diagnosis_of(job); diagnosis && !job.earlier) {
        if (!job.known_diagnosis) job.turn = job.racer->studied[job.task.parents[0]].used++;
        job.sheet["diagnosis"] = diagnosis_text(*diagnosis, job.turn, job.inherited);
      }
      open.push_back(&job);
    }
    if (interrupted) {  // then, in the recorded run as in this one, the writer was not asked
      for (Job* job : open) job->draft = fail(*interrupted);
      return;
    }
    while (!open.empty()) {
      ask_writers(open);
      open = given_to_others(open);
    }
  }

 private:
  bool over() const { return stop_.stop_requested() || models_.budget_over(); }
  llm::Desk desk() const {
    return {*models_.client, models_.prompts, host_.options.model.limits, models_.offered_tools(),
            host_.options.model.tool_calls};
  }
  // Where nobody else could answer instead, a service that asks for it is waited for.
  bool patient(const llm::Settings& s, const std::vector<llm::Settings>& others) const {
    return models_.cast.fallbacks.empty() && others.empty() &&
           s.model.endpoint.preset == models_.cast.writer.model.endpoint.preset;
  }
  bool fixes(const Job& job) const {
    return models_.cast.fixer.has_value() && job.task.kind == strategy::Task::Kind::fix;
  }

  void ask_analyst() {
    std::vector<Analysis*> open;
    for (Analysis& a : round_.analyses) open.push_back(&a);
    while (!open.empty()) {
      Outage outage;
      ask_analyst(open, outage);
      const std::optional<Error> out = outage.error();
      if (!out || over()) return;
      const std::string who = llm::name_of(*models_.cast.analyst);
      if (!models_.cast.replace_analyst()) {
        if (models_.cast.analyst->model.endpoint.preset == models_.cast.writer.model.endpoint.preset)
          writer_outage_.read(*out, 0, false);
        return;
      }
      take_over(who, *out, *models_.cast.analyst, "analyses");
      std::erase_if(open, [](const Analysis* a) {
        return a->diagnosis ||
               !(llm::passes_on(a->diagnosis.error().code) || a->diagnosis.error().code == Code::not_found);
      });
    }
  }

  template <class Question>
  Passes passes(const std::vector<Question*>& open, store::AgentRole role, const auto& settings_of) const {
    Passes p;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const bool first =
          models_.transcript && models_.transcript->has(role, open[i]->origin, llm::name_of(settings_of(*open[i])));
      (first ? p.recorded : p.rest).push_back(i);
    }
    return p;
  }

  void ask_analyst(const std::vector<Analysis*>& open, Outage& outage) {
    const generator::RunOptions& options = host_.options;
    const std::size_t threads = threads_for(open.size(), options, models_);
    const auto ask_one = [&](std::size_t place, bool recorded) {
      Analysis& a = *open[place];
      a.kept_back = false;
      if (!a.asked || over()) return;
      if (!recorded && outage.error()) return void(a.kept_back = true);
      llm::Settings s = *models_.cast.analyst;
      s.seed = seed_of(options.model.seed, a.racer->name, a.number, "analyst");
      s.patient = patient(s, models_.cast.analyst_fallbacks);
      a.diagnosis = llm::analyse(desk(), s, a.sheet, {a.label, a.origin}, stop_);
      if (!a.diagnosis) outage.read(a.diagnosis.error(), place, !models_.cast.analyst_fallbacks.empty());
    };
    const Passes p = passes(open, store::AgentRole::analyst,
                            [&](const Analysis&) -> const llm::Settings& { return *models_.cast.analyst; });
    in_parallel(p.recorded.size(), threads, [&](std::size_t i) { ask_one(p.recorded[i], true); });
    in_parallel(p.rest.size(), threads, [&](std::size_t i) { ask_one(p.rest[i], false); });
    for (Analysis* a : open)
      if (a->kept_back) a->diagnosis = fail(*outage.error());
  }

  // The error of an analysis that was interrupted.
  std::optional<Error> take_diagnoses() {
    std::optional<Error> interrupted;
    for (const Analysis& a : round_.analyses) {
      if (a.diagnosis) {
        host_.say(store::MessageLevel::info, a.label + ": " + a.diagnosis->text());
        a.racer->studied[a.parent] = {*a.diagnosis};
      } else if (a.diagnosis.error().code == Code::cancelled) {
        interrupted = a.diagnosis.error();
      } else if (a.asked && !over()) {
        host_.say(store::MessageLevel::warning, a.label + " failed: " + a.diagnosis.error().message);
      }
    }
    return interrupted;
  }

  void ask_writers(const std::vector<Job*>& open) {
    std::size_t threads = threads_for(open.size(), host_.options, models_);
    if (models_.batches && threads > 1) models_.batches->expect(threads = open.size());
    const Passes p = passes(open, store::AgentRole::writer, [this](const Job& job) { return settings_for(job); });
    in_parallel(p.recorded.size(), threads,
                [&](std::size_t i) { ask_writer(*open[p.recorded[i]], p.recorded[i], true); });
    in_parallel(p.rest.size(), threads, [&](std::size_t i) {
      std::optional<llm::Batches::Member> member;
      if (models_.batches) member.emplace(*models_.batches);
      ask_writer(*open[p.rest[i]], p.rest[i], false);
    });
    for (Job* job : open)
      if (job->kept_back) job->draft = fail(*outage_of(*job).error());
  }

  Outage& outage_of(const Job& job) { return fixes(job) ? fixer_outage_ : writer_outage_; }

  void ask_writer(Job& job, std::size_t place, bool recorded) {
    job.kept_back = false;
    if (!job.asked) return void(job.draft = fail(Code::cancelled, "it was not asked in the recorded run"));
    if (over()) {
      job.draft = stop_.stop_requested() ? fail(Code::cancelled, "cancelled")
                                         : fail(Code::unavailable, "the budget is used up");
      return;
    }
    Outage& outage = outage_of(job);
    if (!recorded && outage.error()) return void(job.kept_back = true);
    job.draft = llm::write(desk(), settings_for(job), models_.mode, job.sheet, {job.label, job.origin}, stop_,
                           job.earlier ? &*job.earlier : nullptr, &job.only_called);
    if (!job.draft && !over()) outage.read(job.draft.error(), place, fixes(job) || !models_.cast.fallbacks.empty());
  }

  llm::Settings settings_for(const Job& job) const {
    llm::Settings s = job.settings ? *job.settings : fixes(job) ? *models_.cast.fixer : models_.cast.writer;
    s.seed = seed_of(host_.options.model.seed, job.racer->name, job.task.number, "writer");
    s.patient = fixes(job) ? patient(s, models_.cast.fixer_fallbacks) : patient(s, {});
    if (job.repeats > 0 && !s.temperature && s.model.facts.temperature.value_or(false))
      s.temperature = resampling_temperature;
    return s;
  }

  void take_over(const std::string& who, const Error& why, const llm::Settings& next, const char* does) const {
    host_.say(store::MessageLevel::warning, llm::passed_on(who, why, next, does));
  }

  // After an outage, what is left of the round for those who take the part over: the first job that met it, and those
  // behind it without a reply. Empty: no outage, or no one is left.
  std::vector<Job*> given_to_others(const std::vector<Job*>& open) {
    if (over()) return {};
    bool changed = false;
    if (const std::optional<Error> out = fixer_outage_.error(); out && models_.cast.fixer) {
      const std::string who = llm::name_of(*models_.cast.fixer);
      (void)models_.cast.replace_fixer();
      fixer_outage_.clear();
      take_over(who, *out, models_.cast.fixer.value_or(models_.cast.writer), "repairs");
      changed = true;
    }
    if (const std::optional<Error> out = writer_outage_.error()) {
      const std::string who = llm::name_of(models_.cast.writer);
      if (models_.cast.fall_back()) {
        writer_outage_.clear();
        take_over(who, *out, models_.cast.writer, "writes");
        changed = true;
      }
    }
    std::vector<Job*> left;
    if (!changed) return left;
    for (Job* job : open) {
      if (job->draft) continue;
      const Code code = job->draft.error().code;
      if (llm::passes_on(code) || (!left.empty() && code == Code::not_found)) left.push_back(job);
    }
    for (Job* job : left) {
      job->settings.reset();
      if (job->earlier) job->earlier->exchange = 0;
    }
    return left;
  }

  Round& round_;
  const generator::Host& host_;
  Models& models_;
  const std::stop_token& stop_;
  Outage writer_outage_, fixer_outage_;
};

}  // namespace

void ask(Round& round, const generator::Host& host, Models& models, const std::stop_token& stop) {
  Asking(round, host, models, stop).run();
}

}  // namespace ww::model_loop
