// SPDX-License-Identifier: Apache-2.0
#include "review/decision.h"
#include <algorithm>
#include "appraisal/rank.h"
#include "base/file_lock.h"
#include "base/secret.h"
#include "evidence/explain.h"
#include "review/known_keys.h"
#include "review/people.h"
#include "store/standing.h"

namespace ww::review {

using store::ReviewKind;

namespace {

std::string joined(const std::vector<std::string>& all, const char* between) {
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : between) + one;
  return out;
}

bool blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

Status check_name(const std::string& name) {
  if (name.size() > 200 || name.find_first_of("\r\n") != std::string::npos)
    return fail(Code::invalid_argument, "the reviewer's name must be one line of at most 200 bytes");
  return {};
}

Result<std::int64_t> add(store::Workspace& workspace, store::ReviewRecord r) {
  if (r.text.size() > (1 << 20)) return fail(Code::invalid_argument, "the text is longer than a megabyte");
  WW_TRY(check_name(r.reviewer));
  r.text = redact(r.text);
  r.reviewer = redact(r.reviewer);
  return workspace.add_review(r);
}

// Signed once: one who asks again, after a crash, has it already. What came with a bundle does not count.
Status not_accepted_yet(const std::vector<store::ReviewRecord>& reviews, const store::CandidateRecord& c) {
  if (state_of(reviews, c.hash) < ReviewState::accepted) return {};
  return fail(Code::invalid_argument,
              "candidate " + std::to_string(c.id) + " is signed; its receipt is in the workspace");
}

Result<FileLock> decisions_lock(const store::Workspace& workspace) {
  return FileLock::wait(workspace.folder() / "locks" / "decisions");
}

// Updates the score if it depends on the measured time, or was imported.
Status store_new_verdict(store::Workspace& workspace, const Dossier& before, const Result<evidence::Verdict>& verdict) {
  if (!verdict) return fail(verdict.error().code, "not signed: it could not be judged again", verdict.error().text());
  if (verdict->ruling() == evidence::Ruling::not_judged)  // does not contradict the earlier verdict, which is kept
    return fail(Code::crashed, "not signed: it was not judged again", evidence::failure_text(*verdict));
  const store::CandidateRecord& c = before.candidate;
  std::optional<double> score = c.score;
  Provenance provenance = c.score_provenance;
  std::string unit = c.score_unit;
  if (c.imported || provenance == Provenance::measured) {
    const Result<appraisal::Score> made = appraisal::score_of(before.context.rules, *verdict, before.run.architecture);
    score = made ? std::optional(made->value) : std::nullopt;
    provenance = made ? made->provenance : Provenance::unknown;
    unit = made ? made->unit : std::string();
  }
  return workspace.set_verdict(c.id, *verdict, score, provenance, unit, c.identity);
}

}  // namespace

Result<std::int64_t> note(store::Workspace& workspace, std::int64_t candidate, int line, const std::string& text,
                          const std::string& reviewer) {
  if (blank(text)) return fail(Code::invalid_argument, "the note is empty");
  const store::CandidateRecord c = WW_TRY(workspace.candidate(candidate));
  const auto lines = std::count(c.text.begin(), c.text.end(), '\n') + (!c.text.empty() && c.text.back() != '\n');
  if (line < 0 || line > lines)
    return fail(Code::invalid_argument, "candidate " + std::to_string(candidate) + " has no line " +
                                            std::to_string(line) + "; it has " + std::to_string(lines));
  return add(workspace, {0, candidate, ReviewKind::note, reviewer, line, text, "", "", ""});
}

Result<std::int64_t> request_changes(store::Workspace& workspace, std::int64_t candidate, const std::string& text,
                                     const std::string& reviewer) {
  if (blank(text)) return fail(Code::invalid_argument, "describe the requested change");
  return add(workspace, {0, candidate, ReviewKind::changes, reviewer, 0, text, "", "", ""});
}

Result<std::int64_t> reject(store::Workspace& workspace, std::int64_t candidate, const std::string& reason,
                            const std::string& reviewer) {
  if (blank(reason)) return fail(Code::invalid_argument, "a rejection needs a reason");
  if (blank(reviewer)) return fail(Code::invalid_argument, "a rejection needs the reviewer's name");
  return add(workspace, {0, candidate, ReviewKind::rejected, reviewer, 0, reason, "", "", ""});
}

Result<std::int64_t> withdraw(store::Workspace& workspace, std::int64_t candidate, std::int64_t row,
                              const std::string& reviewer) {
  const std::vector<store::ReviewRecord> reviews = WW_TRY(workspace.reviews(candidate));
  const std::vector<store::Standing> standing = store::standing_of(reviews);
  for (std::size_t i = 0; i < reviews.size(); ++i) {
    const store::ReviewRecord& r = reviews[i];
    if (r.id != row || r.candidate != candidate) continue;
    if (!standing[i].stands)
      return fail(Code::invalid_argument, "review " + std::to_string(row) + " has already been withdrawn");
    std::size_t of = i;  // what comes or goes with it
    while (reviews.at(of).kind == ReviewKind::withdrawn && standing[of].withdraws != store::Standing::npos)
      of = standing[of].withdraws;
    if (const ReviewKind kind = reviews[of].kind;
        blank(reviewer) && kind != ReviewKind::note && kind != ReviewKind::changes)
      return fail(Code::invalid_argument, "taking back a decision needs the reviewer's name");
    return add(workspace, {0, candidate, ReviewKind::withdrawn, reviewer, 0, store::review_hash(r), "", "", ""});
  }
  return fail(Code::not_found, "candidate " + std::to_string(candidate) + " has no review " + std::to_string(row));
}

std::string refusal(const Checklist& checklist, const Answers& answers, const Consent& consent) {
  if (!checklist.refusal.empty()) return checklist.refusal;
  if (!checklist.holes.empty() && !consent.holes)
    return "its claim has holes, and the reviewer did not agree to them; not claimed: " + joined(checklist.holes, "; ");
  if (!checklist.kept.empty() && !consent.kept)
    return "it keeps variables from call to call, which may change its results after any number of calls, and the "
           "reviewer did not agree to them: " +
           joined(checklist.kept, ", ");
  if (!checklist.untried.empty() && !consent.untried)
    return "its verdict leaves something untried, and the reviewer did not agree to it: " +
           joined(checklist.untried, "; ");
  for (const auto& [id, text] : answers)
    if (!checklist.policy.item(id)) {
      std::string known;
      for (const Item& i : checklist.policy.items) known += (known.empty() ? "" : ", ") + i.id;
      return "the checklist has no item '" + id + "' (it has " + known + ")";
    }
  std::string missing;
  for (const Question& q : checklist.questions)
    if (const auto answer = answers.find(q.item.id);
        q.item.required && (answer == answers.end() || blank(answer->second)))
      missing += (missing.empty() ? "" : ", ") + q.item.id;
  return missing.empty() ? std::string() : "these items of the checklist have no answer: " + missing;
}

namespace {

// The signer has seen what others wrote against it.
Status nothing_against(const std::vector<store::ReviewRecord>& seen, const std::vector<store::ReviewRecord>& now) {
  for (std::size_t i = seen.size(); i < now.size(); ++i)
    if (now[i].kind == ReviewKind::rejected || now[i].kind == ReviewKind::changes)
      return fail(Code::invalid_argument,
                  (now[i].reviewer.empty() ? "somebody" : now[i].reviewer) +
                      (now[i].kind == ReviewKind::rejected ? " refused it" : " requested changes") +
                      " while it was being judged: " + now[i].text);
  return {};
}

}  // namespace

Result<Accepted> accept(store::Workspace& workspace, std::int64_t candidate, const std::string& given_name,
                        const Answers& answers, const std::string& program, const Signer& signer, const Judge& judge,
                        const Consent& consent, const Agree& agree) {
  WW_TRY(check_name(given_name));
  const std::string reviewer = normal_name(given_name);
  if (blank(reviewer)) return fail(Code::invalid_argument, "signing needs the reviewer's name");
  const Policy policy = WW_TRY(Policy::load(workspace.folder()));
  const Dossier before = WW_TRY(dossier_of(workspace, candidate));
  WW_TRY(not_accepted_yet(before.reviews, before.candidate));
  WW_TRY(WW_TRY(KnownKeys::load()).may_sign(signer.public_key()));
  if (const std::string why = refusal(checklist_of(policy, before), answers, consent); !why.empty())
    return fail(Code::invalid_argument, why);
  const Result<evidence::Verdict> verdict = judge(before);
  std::vector<JudgedChange> changes;
  if (verdict && verdict->accepted && before.candidate.verdict && !before.candidate.imported)
    changes = changes_between(*before.candidate.verdict, *verdict);
  const bool agreed = !agree || std::ranges::none_of(changes, &JudgedChange::weaker) || agree(changes);
  const FileLock lock = WW_TRY(decisions_lock(workspace));  // another process may sign meanwhile
  const std::vector<store::ReviewRecord> now = WW_TRY(workspace.reviews(candidate));
  WW_TRY(not_accepted_yet(now, before.candidate));
  WW_TRY(nothing_against(before.reviews, now));
  WW_TRY(store_new_verdict(workspace, before, verdict));
  const Dossier dossier = WW_TRY(dossier_of(workspace, candidate));
  const Checklist checklist = checklist_of(policy, dossier);
  if (const std::string why = refusal(checklist, answers, consent); !why.empty())
    return fail(Code::invalid_argument, "judged again, it failed: " + why);
  if (!agreed)
    return fail(Code::cancelled, "judged again, it proves less than the reviewer read, and the reviewer did not agree");
  Answers given;
  for (const auto& [id, text] : answers) given[id] = redact(text);
  std::string receipt = WW_TRY(make_receipt(dossier, checklist, given, redact(reviewer), program, signer, consent));
  const std::int64_t row = WW_TRY(
      add(workspace, {0, candidate, ReviewKind::accepted, reviewer, 0, "", answers_to_json(given), receipt, ""}));
  return Accepted{row, std::move(receipt), std::move(changes)};
}

namespace {

// Whether the record has the receipt, with any signatures.
bool of_receipt(const store::ReviewRecord& record, const std::string& receipt) {
  return !record.receipt.empty() && unsigned_part(record.receipt) == unsigned_part(receipt);
}

}  // namespace

Result<bool> signed_in(store::Workspace& workspace, const std::string& receipt) {
  const std::vector<store::ReviewRecord> reviews = WW_TRY(workspace.reviews(0));
  return std::ranges::any_of(reviews,
                             [&](const store::ReviewRecord& r) { return !r.imported && of_receipt(r, receipt); });
}

Result<std::string> countersign(store::Workspace* workspace, const std::string& receipt, const std::string& given_name,
                                const Signer& signer) {
  WW_TRY(check_name(given_name));
  const std::string reviewer = normal_name(given_name);
  if (blank(reviewer)) return fail(Code::invalid_argument, "a signature needs the reviewer's name");
  WW_TRY(WW_TRY(KnownKeys::load()).may_sign(signer.public_key()));
  FileLock lock;
  if (workspace) lock = WW_TRY(decisions_lock(*workspace));
  Result<std::string> signed_again = add_signature(receipt, redact(reviewer), signer);
  if (!signed_again || !workspace) return signed_again;
  std::int64_t candidate = 0;
  for (const store::ReviewRecord& r : WW_TRY(workspace->reviews(0)))
    if (of_receipt(r, receipt)) candidate = r.candidate;
  if (candidate)
    WW_TRY(add(*workspace, {0, candidate, ReviewKind::countersigned, reviewer, 0, "", "", *signed_again, ""}));
  return signed_again;
}

namespace {

// Rows that stand; of acceptances and countersignatures those whose receipt is genuine and of this candidate: a row
// alone is no signature.
std::vector<store::ReviewRecord> believed(std::vector<store::ReviewRecord> reviews, const std::string& hash) {
  reviews = store::standing_reviews(reviews);
  std::erase_if(reviews, [&](const store::ReviewRecord& r) {
    if (r.kind != ReviewKind::accepted && r.kind != ReviewKind::countersigned) return false;
    const Verification v = verify(r.receipt);
    return !v.genuine() || v.candidate != hash;
  });
  return reviews;
}

ReviewState last_state(const std::vector<store::ReviewRecord>& reviews, bool imported) {
  ReviewState state = ReviewState::open;
  for (const store::ReviewRecord& r : reviews) {
    if (r.imported != imported) continue;
    if (r.kind == ReviewKind::accepted)
      state = ReviewState::accepted;
    else if (r.kind == ReviewKind::rejected)
      state = ReviewState::rejected;
    else if (r.kind == ReviewKind::changes)
      state = ReviewState::changes_requested;
    else if (r.kind == ReviewKind::countersigned && state == ReviewState::accepted)
      state = ReviewState::countersigned;
  }
  return state;
}

}  // namespace

ReviewState state_of(const std::vector<store::ReviewRecord>& reviews, const std::string& hash) {
  return last_state(believed(reviews, hash), false);
}

ReviewState imported_state_of(const std::vector<store::ReviewRecord>& reviews, const std::string& hash) {
  return last_state(believed(reviews, hash), true);
}

std::string receipt_of(const std::vector<store::ReviewRecord>& reviews, const std::string& hash) {
  std::string receipt;
  for (const store::ReviewRecord& r : believed(reviews, hash))
    if (r.kind == ReviewKind::rejected || r.kind == ReviewKind::changes)
      receipt.clear();
    else if (r.kind == ReviewKind::accepted || (r.kind == ReviewKind::countersigned && !receipt.empty()))
      receipt = r.receipt;
  return receipt;
}

Result<std::string> requested_changes(store::Workspace& workspace, std::int64_t candidate) {
  const std::vector<store::ReviewRecord> reviews = WW_TRY(workspace.reviews(candidate));
  return store::requested_changes(reviews);
}

}  // namespace ww::review
