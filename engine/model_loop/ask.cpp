// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include "base/hash.h"
#include "generator/run_options.h"
#include "model_loop/prompt_facts.h"
#include "model_loop/round.h"

namespace ww::model_loop {
namespace {

// In [0, 2^53), which every service and JSON reader accepts.
std::int64_t seed_of(std::uint64_t seed, const std::string& strategy, std::uint64_t task, const char* role) {
  const std::string hash =
      Hasher().field(std::to_string(seed)).field(strategy).field(std::to_string(task)).field(role).hex();
  return static_cast<std::int64_t>(std::stoull(hash.substr(0, 13), nullptr, 16));
}

// Threads for `requests`: one where the budget may end within them.
std::size_t threads_for(std::size_t requests, const generator::RunOptions& options, const Models& models) {
  const generator::ModelOptions& m = options.model;
  const generator::Budget& budget = options.budget;
  const llm::Spend s = models.client->spend();
  const std::int64_t n = static_cast<std::int64_t>(requests);
  if (budget.tokens > 0 &&
      budget.tokens - s.usage.prompt - s.usage.completion < n * (m.prompt_tokens + m.output_tokens))
    return 1;
  if (budget.money > 0) {
    const std::optional<double> money =
        llm::cost(models.writer.model.facts, {n * m.prompt_tokens, 0, 0, n * m.output_tokens, 0, false});
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
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
}

// The first error that concerns the service rather than one question; no questions follow it.
class Outage {
 public:
  void read(const Error& error) {
    if (!is_outage(error.code)) return;
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
  }
  std::optional<Error> error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace

void ask(Round& round, const generator::Host& host, const Models& models, const std::stop_token& stop) {
  const generator::RunOptions& options = host.options;
  const llm::Desk desk{*models.client, models.prompts, options.model.limits};
  const auto over = [&] { return stop.stop_requested() || models.budget_over(); };
  std::vector<Analysis>& analyses = round.analyses;
  Outage of_analyst, of_writer;
  in_parallel(analyses.size(), threads_for(analyses.size(), options, models), [&](std::size_t i) {
    Analysis& a = analyses[i];
    if (over()) return;
    if (const std::optional<Error> out = of_analyst.error()) return void(a.diagnosis = fail(*out));
    llm::Settings s = *models.analyst;
    s.seed = seed_of(options.model.seed, a.racer->name, a.number, "analyst");
    a.diagnosis = llm::analyse(desk, s, a.sheet, {a.label, a.origin}, stop);
    if (!a.diagnosis) of_analyst.read(a.diagnosis.error());
  });
  if (const std::optional<Error> out = of_analyst.error();
      out && !over() && models.analyst->model.endpoint.preset == models.writer.model.endpoint.preset)
    of_writer.read(*out);
  std::optional<Error> interrupted;
  for (const Analysis& a : analyses) {
    if (a.diagnosis) {
      host.say(store::MessageLevel::info, a.label + ": " + a.diagnosis->text());
      a.racer->studied[a.parent] = {*a.diagnosis};
    } else if (a.diagnosis.error().code == Code::cancelled) {
      interrupted = a.diagnosis.error();
    } else if (!over()) {
      host.say(store::MessageLevel::warning, a.label + " failed: " + a.diagnosis.error().message);
    }
  }
  std::vector<Job*> open;
  for (Job& job : round.jobs) {
    if (job.task.kind == strategy::Task::Kind::ready) continue;
    if (const llm::Diagnosis* diagnosis = round.diagnosis_of(job)) {
      if (!job.known_diagnosis) job.turn = job.racer->studied[job.task.parents[0]].used++;
      job.sheet["diagnosis"] = diagnosis_text(*diagnosis, job.turn);
    }
    open.push_back(&job);
  }
  if (interrupted) {  // then, in the recorded run as in this one, the writer was not asked
    for (Job* job : open) job->draft = fail(*interrupted);
    return;
  }
  in_parallel(open.size(), threads_for(open.size(), options, models), [&](std::size_t i) {
    Job& job = *open[i];
    if (over()) {
      job.draft =
          stop.stop_requested() ? fail(Code::cancelled, "cancelled") : fail(Code::unavailable, "the budget is used up");
      return;
    }
    if (const std::optional<Error> out = of_writer.error()) return void(job.draft = fail(*out));
    llm::Settings s = models.writer;
    s.seed = seed_of(options.model.seed, job.racer->name, job.task.number, "writer");
    job.draft = llm::write(desk, s, models.mode, job.sheet, {job.label, job.origin}, stop);
    if (!job.draft && !over()) of_writer.read(job.draft.error());
  });
}

}  // namespace ww::model_loop
