// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate's review, and a receipt, as the window shows them. Plain data, made off the GUI thread
// (session/reviewer.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "review/checklist.h"
#include "review/receipt.h"
#include "store/workspace.h"

namespace ww::widgets {

struct SignatureView {
  review::Signature signature;
  std::string fingerprint;  // for people to compare
};
struct ReceiptView {
  std::string text;                   // JSON, as it is signed
  std::string markdown;               // empty where it is not genuine
  review::Verification verification;  // with the changes since, where `compared`
  std::vector<SignatureView> signatures;
  bool compared = false;  // with the workspace
  bool holds() const {    // genuine, and no change speaks against it
    for (const review::Change& c : verification.changes)
      if (c.against) return false;
    return verification.genuine();
  }
};

struct ReviewRow {  // what somebody wrote or decided
  store::ReviewRecord record;
  bool stands = true;          // false: it was taken back
  std::int64_t withdraws = 0;  // of kind "withdrawn": number of the row that it takes back; 0: it is not known
};

struct ReviewView {
  std::int64_t candidate = 0, run = 0, parent = 0;  // parent 0: none, or not in this workspace
  std::string hash, parent_hash, op, title, run_generator;
  int lines = 0;                          // of its text
  std::vector<std::string> text;          // these lines
  std::vector<gate::StageResult> stages;  // of its verdict
  review::Checklist checklist;
  review::Unexecuted unexecuted;
  std::vector<ReviewRow> rows;  // oldest first
  std::string state;            // review::state_of
  std::string wish;             // what a next prompt is told
  std::string receipt;          // of an accepted one, else empty
};

}  // namespace ww::widgets
