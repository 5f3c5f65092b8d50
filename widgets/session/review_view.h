// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate's review, and a receipt, as shown in the window. Plain data, made off the GUI thread
// (session/reviewer.h).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "review/checklist.h"
#include "review/decision.h"
#include "review/known_keys.h"
#include "review/receipt.h"
#include "store/workspace.h"

namespace ww::widgets {

using ReviewAnswers = std::map<std::string, std::string>;  // by item of the checklist

struct SignatureView {
  review::Signature signature;
  std::string fingerprint, words;  // for people to compare
  review::SignatureStanding standing;
};
struct ReceiptView {
  std::string text;                   // JSON, as signed
  std::string markdown;               // empty if it is not genuine
  review::Verification verification;  // with changes since, if `compared`
  std::vector<SignatureView> signatures;
  bool compared = false;                                    // with the workspace
  review::KeyStanding keys = review::KeyStanding::unknown;  // the worst of its signatures
  bool holds() const {                                      // genuine, and still matching the workspace
    for (const review::Change& c : verification.changes)
      if (c.against) return false;
    return verification.genuine();
  }
};

struct ReviewRow {  // a note or a decision
  store::ReviewRecord record;
  bool stands = true;          // false: it was withdrawn
  std::int64_t withdraws = 0;  // of kind "withdrawn": number of the row that it withdraws; 0: unknown
};

struct ReviewView {
  std::int64_t candidate = 0, run = 0, parent = 0;  // parent 0: none, or not in this workspace
  std::string hash, parent_hash, op, title, run_generator;
  int lines = 0;                  // of its text
  std::vector<std::string> text;  // these lines
  evidence::Verdict verdict;      // without its PTX; without stages if there is none
  review::Checklist checklist;
  review::Unexecuted unexecuted;
  std::vector<ReviewRow> rows;  // oldest first
  review::ReviewState state = review::ReviewState::open;
  bool imported = false;                                      // its verdict was imported
  review::ReviewState elsewhere = review::ReviewState::open;  // imported decisions
  std::string requested_changes;                              // included in the next prompt
  std::string receipt;                                        // of an accepted one, else empty
  struct Signed {                                             // the acceptance in force, from its receipt
    std::int64_t row = 0;
    review::Signature signature;
    ReviewAnswers answers;
  };
  std::optional<Signed> accepted;
};

Result<std::shared_ptr<const ReviewView>> review_of(store::Workspace& workspace, std::int64_t candidate);
// Never refuses a text: one that is not a receipt is reported as a problem.
Result<std::shared_ptr<const ReceiptView>> read_receipt(store::Workspace& workspace, const std::string& receipt);

}  // namespace ww::widgets
