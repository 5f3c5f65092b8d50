// SPDX-License-Identifier: Apache-2.0
// Adds candidates to a run: from the store, the user, the generator.
#include <algorithm>
#include "base/hash.h"
#include "explore/loop.h"
#include "generator/names.h"
#include "model_loop/recorded.h"
#include "identity/titles.h"

namespace ww::explore {
namespace {

constexpr std::size_t given_tunings = 32;

// Its judgement failed outside of it, and another one may not.
Result<bool> ended_outside(store::Workspace& workspace, const store::CandidateRecord& c) {
  if (c.state != store::CandidateState::not_judged) return false;
  const store::CandidateRecord whole = WW_TRY(workspace.candidate(c.id));
  if (!whole.verdict) return true;
  const FaultKind kind = whole.verdict->last_fault();
  return kind == FaultKind::killed || kind == FaultKind::device_lost;
}

}  // namespace

Status Loop::recall() {
  std::vector<store::CandidateRecord> known = WW_TRY(setup_.workspace.candidates(setup_.run));
  std::vector<store::CandidateRecord> judged, duplicates;
  for (store::CandidateRecord& c : known) {
    ++proposed_;
    if (c.order > 0 && !WW_TRY(ended_outside(setup_.workspace, c)))
      judged.push_back(std::move(c));
    else if (c.state == store::CandidateState::duplicate)
      duplicates.push_back(std::move(c));
    else
      queue_.push_back(std::move(c));
  }
  std::sort(judged.begin(), judged.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
  for (store::CandidateRecord& c : duplicates)  // about where they came: the store numbers verdicts, and they have none
    judged.insert(std::find_if(judged.begin(), judged.end(), [&](const auto& other) { return other.id > c.id; }),
                  std::move(c));
  for (const store::CandidateRecord& c : judged) {
    generator::Feedback f = WW_TRY(model_loop::feedback_of(setup_.workspace, c));
    if (f.duplicate_of.empty()) {
      const std::string identity = c.identity ? *c.identity : WW_TRY(stored_identity(setup_, c.id));
      if (!identity.empty() && c.state == store::CandidateState::accepted && !c.imported)
        programs_.recall(identity, c.hash);
      f.ranked = standings_.recall(c);
      ++judged_;
    }
    proposer_.add_feedback(std::move(f));
  }
  return {};
}

Status Loop::recall_ranks() {
  const store::RunScores known = WW_TRY(store::scores_of(setup_.workspace.folder(), setup_.run));
  for (const store::ScoreRecord& score : known.scores) standings_.recall(score);
  for (const generator::Proposal& given : setup_.options.given)
    if (const auto parent = setup_.workspace.candidate_of(setup_.run, given.parent)) standings_.recall_parent(*parent);
  for (const std::int64_t id : known.without_identity) WW_TRY(stored_identity(setup_, id));
  return {};
}

std::vector<generator::Proposal> Loop::pinned_given() const {
  std::vector<generator::Proposal> list;
  for (const generator::Proposal& p : setup_.options.given) {
    const Result<candidate::Candidate> c = candidate::parse(p.text, p.language);
    const bool open =
        c && std::any_of(c->tune.begin(), c->tune.end(), [](const auto& axis) { return axis.values.size() > 1; });
    if (!open) {
      list.push_back(p);  // texts that do not parse are judged, too: the verdict gives the reason
      continue;
    }
    for (const candidate::Tuning& tuning : candidate::tunings(*c, given_tunings)) {
      const Result<candidate::Candidate> pinned = candidate::pin(*c, tuning);
      if (!pinned) continue;
      generator::Proposal one = p;
      one.text = pinned->text;
      list.push_back(std::move(one));
    }
  }
  return list;
}

namespace {
// As it is listed, or in its own text, whose title a child mostly keeps.
bool called(const store::CandidateRecord& candidate, const std::string& title) {
  if (candidate.title == title) return true;
  const Result<candidate::Candidate> own = candidate::parse(candidate.text, candidate.language);
  return own && identity::title_of(*own) == title;
}
}  // namespace

Result<std::int64_t> Loop::add(const generator::Proposal& p, const std::string& generator, bool& known) {
  store::CandidateRecord record;
  record.run = setup_.run;
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
    candidate::Candidate named = *c;
    const auto parent = p.parent.empty() ? Result<store::CandidateRecord>(fail(Code::not_found, "it has none"))
                                         : setup_.workspace.candidate_of(setup_.run, p.parent);
    const bool as_parent = parent && called(*parent, identity::title_of(*c));
    const bool has_structure =
        !c->structure.empty() || !p.structure.empty() || (as_parent && !parent->structure.empty());
    if (named.title.empty() && !has_structure && !named.launches.empty())
      named.title = named.launches.front().kernel;  // a hash would name nothing
    if (as_parent)                                  // two in one list have two names
      named.title += (named.title.empty() ? "from #" : ", from #") + std::to_string(parent->id);
    record.title = identity::title_of(named);
    record.tuning = identity::tuning_of(*c);
    if (record.structure.empty()) record.structure = c->structure;
  } else {
    record.hash = Hasher().field(candidate::language_name(p.language)).field(p.text).hex();
  }
  record.id = WW_TRY(setup_.workspace.add_candidate(record, &known));
  const std::int64_t id = record.id;
  if (known) return id;
  emit(CandidateProposed{row_of(record, store::CandidateState::queued)});
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(record));
  ++proposed_;
  changed_.notify_all();
  return id;
}

int Loop::accept(const std::vector<generator::Proposal>& proposals, const std::string& generator) {
  int fresh = 0, known_before = 0;
  for (const generator::Proposal& p : proposals) {
    if (p.text.empty()) {
      say(store::MessageLevel::warning, "the generator '" + generator + "' proposed an empty text; it is skipped");
      continue;
    }
    bool known = false;
    if (const Result<std::int64_t> id = add(p, generator, known); !id) {
      stop_with(id.error());
      break;
    }
    ++(known ? known_before : fresh);
  }
  if (known_before > 0 && !generator::is_manual(generator))
    say(store::MessageLevel::info, std::to_string(known_before) + " of " + std::to_string(proposals.size()) +
                                       " proposals were already known and are skipped");
  return fresh;
}

void Loop::propose() {
  {
    const std::lock_guard lock(mutex_);
    proposer_.prepare(judged_, judging_ + static_cast<int>(queue_.size()));
  }
  const Result<std::vector<generator::Proposal>> proposals = proposer_.ask(generator_stop_.get_token());
  const std::string& generator = setup_.options.generator;
  if (!proposals) {
    if (generator_stop_.stop_requested()) return;
    const std::string text = "the generator '" + generator + "' failed: " + proposals.error().text();
    say(store::MessageLevel::error, text);
    const std::lock_guard lock(mutex_);
    // A request that is wrong from the start stays so.
    const bool final =
        is_outage(proposals.error().code) || (proposals.error().code == Code::invalid_argument && judged_ == 0);
    proposer_.note_failure(text, proposals.error().code, final, judged_);
    return;
  }
  const int fresh = accept(*proposals, generator);
  const std::lock_guard lock(mutex_);
  proposer_.note_round(proposals->empty() && !generator_stop_.stop_requested(), fresh > 0);
}

}  // namespace ww::explore
