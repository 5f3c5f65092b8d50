// SPDX-License-Identifier: Apache-2.0
// Judges candidates: the result (a duplicate, a verdict or an error) is stored, then reported.
#include "evidence/explain.h"
#include "explore/loop.h"
#include "explore/spec_fault.h"
#include "model_loop/recorded.h"
#include "rpc/worker_report.h"

namespace ww::explore {
namespace {

constexpr int error_limit = 3;  // judgements in a row that failed outside their candidate

bool of_environment(Code code) { return code == Code::unavailable || code == Code::not_found || code == Code::io; }

}  // namespace

void Loop::judge(const store::CandidateRecord& item, Judge& judge) {
  emit(CandidateProgress{item.id, {"", "started", 0}});
  describe(judge.worker());
  std::string identity = judge.identity_of(item);
  if (is_duplicate(item, identity, judge)) return;
  const Result<evidence::Verdict> verdict = judge.judge(
      item, {[&](const rpc::Progress& p) {
               emit(CandidateProgress{item.id, p});
             },
             [&](int process) {
               say(store::MessageLevel::info, "candidate " + std::to_string(item.id) + " was judged by a fresh worker" +
                                                  (process > 0 ? " (process " + std::to_string(process) + ")" : "") +
                                                  " because the previous one had exited");
             }});
  if (verdict) {
    record(item, *verdict, identity);
    settle(identity, verdict->accepted ? item.hash : std::string());
    return;
  }
  settle(identity, {});
  if (stop_.stop_requested()) return;  // it stays queued in the store
  if (of_environment(verdict.error().code)) return stop_with(verdict.error());
  record_not_judged(item, verdict.error());
}

bool Loop::is_duplicate(const store::CandidateRecord& item, std::string& identity, Judge& judge) {
  std::string known;
  if (only_given_ && !identity.empty()) {
    const Result<std::string> stored = setup_.workspace.find_identity(setup_.run, identity);
    if (!stored) return stop_with(stored.error()), true;
    known = *stored;
  }
  Programs::Claim claim;
  {
    std::unique_lock lock(mutex_);
    if (!known.empty()) programs_.recall(identity, known);
    claim = programs_.claim(item, identity, lock, changed_, [&] { return done_ || stop_.stop_requested(); });
  }
  if (claim.kind == Programs::Claim::Kind::duplicate) {
    const bool confirmed = judge.confirms(item, identity);
    if (stop_.stop_requested()) return true;  // it stays queued
    if (!confirmed) {
      say(store::MessageLevel::warning, "a worker identified candidate " + std::to_string(item.id) +
                                            " with candidate " + claim.of.substr(0, 12) +
                                            ", but a fresh worker did not; it is judged separately");
      identity.clear();
      return false;
    }
    record_duplicate(item, claim.of);
  }
  return claim.kind != Programs::Claim::Kind::judge;
}

void Loop::settle(const std::string& identity, const std::string& hash) {
  {
    const std::lock_guard lock(mutex_);
    programs_.settle(identity, hash);
  }
  changed_.notify_all();
}

void Loop::record_duplicate(const store::CandidateRecord& item, const std::string& of) {
  if (Status s = setup_.workspace.set_duplicate(item.id, of); !s) return stop_with(s.error());
  // With the verdict of the other one.
  const Result<store::CandidateRecord> stored = setup_.workspace.candidate(item.id);
  if (!stored) return stop_with(stored.error());
  CandidateRow row = row_of(item, store::CandidateState::duplicate);
  row.verdict = stored->summary;
  {
    const std::lock_guard lock(mutex_);
    proposer_.add_duplicate(model_loop::feedback_of(*stored));
  }
  emit(CandidateJudged{std::move(row)});
}

void Loop::describe(rpc::Supervisor& supervisor) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(described_, true) || stop_.stop_requested()) return;
  }
  const Result<rpc::WorkerReport> worker = supervisor.describe();
  if (!worker) return;
  (void)setup_.workspace.add_message(setup_.run, store::MessageLevel::environment, rpc::json_of(*worker));
  const std::string missing = rpc::missing_text(worker->protections);
  if (missing.empty()) return;
  const std::string warning = "the worker's sandbox lacks: " + missing;
  (void)setup_.workspace.add_message(setup_.run, store::MessageLevel::warning, warning);
  emit(RunMessage{store::MessageLevel::warning, warning});
}

void Loop::record(const store::CandidateRecord& item, const evidence::Verdict& verdict, const std::string& identity) {
  const std::lock_guard events(event_mutex_);
  const Result<appraisal::Score> score = standings_.score_of(setup_, verdict);
  if (Status s = setup_.workspace.set_verdict(
          item.id, verdict, score ? std::optional<double>(score->value) : std::nullopt,
          score ? score->provenance : Provenance::unknown, score ? score->unit : "", identity);
      !s)
    return stop_with(s.error());
  Standings::Change change = standings_.add(setup_, item, verdict, score);
  CandidateRow row = row_of(item, store::state_of(verdict));
  row.verdict = verdict.summary();
  row.proved_at = verdict.proved_at();
  row.cases = verdict.case_counts();
  row.resources = verdict.resources;
  row.failed_stage = verdict.failed_stage();
  if (score) row.score = *score;
  row.rank = change.rank;
  generator::Feedback f = model_loop::feedback_of(item);
  f.accepted = verdict.accepted;
  f.ranked = score.has_value();
  if (score) f.score = score->value;
  f.verdict = row.verdict;
  f.failure = evidence::failure_text(verdict);
  const bool killed = verdict.last_fault() == FaultKind::killed;  // nothing that a generator can learn from
  const bool enough = count_judged(killed, killed ? nullptr : &f);
  std::string warning;
  if (change.first_unranked) {
    warning = "candidate " + std::to_string(item.id) + " is proved, but has no rank: " + score.error().message;
    (void)setup_.workspace.add_message(setup_.run, store::MessageLevel::warning, warning);
  }
  if (change.move)
    if (const Result<std::int64_t> added = setup_.workspace.add_move(*change.move); !added)
      return stop_with(added.error());
  if (handler_) {
    handler_(CandidateJudged{std::move(row)});
    if (!change.ranks.empty()) handler_(RanksChanged{std::move(change.ranks)});
    if (!warning.empty()) handler_(RunMessage{store::MessageLevel::warning, warning});
  }
  if (enough) stop_after_errors({Code::crashed, verdict.summary(), {}});
}

bool Loop::count_judged(bool outside, generator::Feedback* feedback) {
  const std::lock_guard lock(mutex_);
  ++judged_;
  errors_in_a_row_ = outside ? errors_in_a_row_ + 1 : 0;
  if (feedback) proposer_.add_feedback(std::move(*feedback));
  return errors_in_a_row_ >= error_limit;
}

// One candidate's worker may lie about the spec: several must agree.
void Loop::stop_after_errors(const Error& last) {
  if (of_spec(last.code)) return stop_with({last.code, "the op cannot be computed: " + last.message, last.cause});
  stop_with({last.code,
             "judging failed " + std::to_string(error_limit) + " times in a row for reasons outside the candidates",
             last.text()});
}

void Loop::record_not_judged(const store::CandidateRecord& item, const Error& error) {
  CandidateRow row = row_of(item, store::CandidateState::not_judged);
  row.verdict = "not judged: " + error.text();
  if (Status s = setup_.workspace.set_not_judged(item.id, row.verdict); !s) return stop_with(s.error());
  emit(CandidateJudged{row});
  if (count_judged(true, nullptr)) stop_after_errors(error);
}

}  // namespace ww::explore
