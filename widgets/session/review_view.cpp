// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/review_view.h"
#include "base/lines.h"
#include "review/decision.h"
#include "review/fingerprint.h"
#include "store/standing.h"

namespace ww::widgets {

Result<std::shared_ptr<const ReviewView>> review_of(store::Workspace& workspace, std::int64_t candidate) {
  const review::Policy policy = WW_TRY(review::Policy::load(workspace.folder()));
  const review::Dossier s = WW_TRY(review::dossier_of(workspace, candidate));
  auto view = std::make_shared<ReviewView>();
  view->candidate = candidate;
  view->run = s.run.id;
  view->parent = s.parent ? s.parent->id : 0;
  view->parent_hash = s.candidate.parent;
  view->hash = s.candidate.hash;
  view->op = s.context.spec.name;
  view->title = s.candidate.title.empty() ? s.candidate.structure : s.candidate.title;
  view->run_generator = s.run.generator;
  if (s.candidate.verdict) {
    view->verdict = *s.candidate.verdict;
    view->verdict.ptx.clear();
  }
  for (const std::string_view line : split_lines(s.candidate.text)) view->text.emplace_back(line);
  view->lines = static_cast<int>(view->text.size());
  view->checklist = review::checklist_of(policy, s);
  view->unexecuted = review::unexecuted_lines(s);
  const std::vector<store::Standing> standing = store::standing_of(s.reviews);
  for (std::size_t i = 0; i < s.reviews.size(); ++i)
    view->rows.push_back({s.reviews[i], standing[i].stands,
                          standing[i].withdraws == store::Standing::npos ? 0 : s.reviews[standing[i].withdraws].id});
  view->state = review::state_of(s.reviews, s.candidate.hash);
  view->imported = s.candidate.imported;
  view->elsewhere = review::imported_state_of(s.reviews, s.candidate.hash);
  view->requested_changes = store::requested_changes(s.reviews);
  view->receipt = review::receipt_of(s.reviews, s.candidate.hash);
  if (view->state >= review::ReviewState::accepted)
    for (const ReviewRow& row : view->rows)
      if (row.stands && !row.record.imported && row.record.kind == store::ReviewKind::accepted) {
        ReviewAnswers answers = WW_TRY(review::answers_of(row.record.receipt));
        view->accepted = ReviewView::Signed{row.record.id, review::verify(row.record.receipt).signatures.front(),
                                            std::move(answers)};
      }
  return view;
}

Result<std::shared_ptr<const ReceiptView>> read_receipt(store::Workspace& workspace, const std::string& receipt) {
  review::Verification verification = WW_TRY(review::verify_against(receipt, workspace));
  auto view = std::make_shared<ReceiptView>();
  view->text = receipt;
  view->compared = true;
  view->verification = std::move(verification);
  const review::KnownKeys known = WW_TRY(review::KnownKeys::load());
  std::vector<review::SignatureStanding> standing = known.standing(view->verification);
  view->keys = review::worst_of(standing);
  for (std::size_t i = 0; i < standing.size(); ++i) {
    const review::Signature& s = view->verification.signatures[i];
    const std::string words = WW_TRY(review::fingerprint_words(s.public_key));
    view->signatures.push_back({s, review::fingerprint(s.public_key), words, std::move(standing[i])});
  }
  if (view->verification.genuine()) {
    std::string markdown = WW_TRY(review::receipt_markdown(receipt));
    view->markdown = std::move(markdown);
  }
  return view;
}

}  // namespace ww::widgets
