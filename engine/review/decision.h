// SPDX-License-Identifier: Apache-2.0
// A person's notes and decisions on a candidate. Rows are only added to the workspace (store::ReviewRecord), never
// changed: a later decision supersedes an earlier one, and a withdrawal is a separate row.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include "base/result.h"
#include "review/checklist.h"
#include "review/judged_change.h"
#include "review/receipt.h"
#include "store/workspace.h"

namespace ww::review {

// Each returns the row's number. Texts, and reviewers if required, must not be blank: Code::invalid_argument.
Result<std::int64_t> note(store::Workspace& workspace, std::int64_t candidate, int line, const std::string& text,
                          const std::string& reviewer = {});  // line 0: the whole
Result<std::int64_t> request_changes(store::Workspace& workspace, std::int64_t candidate, const std::string& text,
                                     const std::string& reviewer = {});
Result<std::int64_t> reject(store::Workspace& workspace, std::int64_t candidate, const std::string& reason,
                            const std::string& reviewer);

// Withdraws a row of reviews(candidate), by its number; a withdrawal may be withdrawn, too. Withdrawing a decision
// requires the name. Code::invalid_argument if the row is not in force.
Result<std::int64_t> withdraw(store::Workspace& workspace, std::int64_t candidate, std::int64_t row,
                              const std::string& reviewer);

// Why accepting is currently refused, because of refusal_of, the holes of its claim, the variables that it keeps, what
// its verdict leaves untried or the answers, in one sentence; empty: it is not. An answer to an unknown item is
// refused, too.
std::string refusal(const Checklist& checklist, const Answers& answers, const Consent& consent = {});

struct Accepted {
  std::int64_t review = 0;  // the row
  std::string receipt;
  std::vector<JudgedChange> changes;  // from the verdict that was there before; empty: it was imported, or none
};
// Judges the candidate of a dossier now, with a separate worker, on its run's device and for its run's case.
using Judge = std::function<Result<evidence::Verdict>(const Dossier&)>;
// On a GPU, the SIMT machine judges it too (rpc/second_judge.h).
Result<evidence::Verdict> judge_again(const Dossier& dossier);
// Whether to sign a judgement that proves less than the one before. All changes are passed; called with no lock held.
using Agree = std::function<bool(const std::vector<JudgedChange>&)>;
// Always judges the candidate again, replaces the stored verdict, and signs the new one, never one that came with a
// workspace. Names are normalised before signing (people.h). Code::invalid_argument with the sentence of refusal(), if
// the name is blank, or if the new verdict does not accept; the error of `judge` if there is no new verdict;
// Code::cancelled if `agree` did not. Without `agree` it signs what accepts.
Result<Accepted> accept(store::Workspace& workspace, std::int64_t candidate, const std::string& reviewer,
                        const Answers& answers, const std::string& program, const Signer& signer, const Judge& judge,
                        const Consent& consent = {}, const Agree& agree = {});
// Whether the receipt, with any signatures, was signed in this workspace and not imported.
Result<bool> signed_in(store::Workspace& workspace, const std::string& receipt);
// A second reviewer signs a receipt, with another key and a name that does not resemble an earlier one. If the
// workspace contains its candidate, the signature is stored there, too; null: no workspace.
Result<std::string> countersign(store::Workspace* workspace, const std::string& receipt, const std::string& reviewer,
                                const Signer& signer);

enum class ReviewState : std::uint8_t { open, changes_requested, rejected, accepted, countersigned };
constexpr auto names_of(ReviewState) {
  using enum ReviewState;
  return std::to_array<Enumerator<ReviewState>>({{open, "open"},
                                                 {changes_requested, "changes requested"},
                                                 {rejected, "rejected"},
                                                 {accepted, "accepted"},
                                                 {countersigned, "accepted and countersigned"}});
}
constexpr bool is_signed(ReviewState s) { return s == ReviewState::accepted || s == ReviewState::countersigned; }
// The state after the latest decision in force that was made here; imported_state_of: of imported ones. `hash`: the
// candidate's. An acceptance without a genuine receipt of that candidate does not count.
ReviewState state_of(const std::vector<store::ReviewRecord>& reviews, const std::string& hash);
ReviewState imported_state_of(const std::vector<store::ReviewRecord>& reviews, const std::string& hash);
// The latest receipt of an accepted candidate; empty: none, a later decision, or a withdrawn acceptance.
std::string receipt_of(const std::vector<store::ReviewRecord>& reviews, const std::string& hash);
// store::requested_changes of the candidate's reviews.
Result<std::string> requested_changes(store::Workspace& workspace, std::int64_t candidate);

}  // namespace ww::review
