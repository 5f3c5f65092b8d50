// SPDX-License-Identifier: Apache-2.0
// The receipt of an accepted candidate: what it computes, its text, what was tried against it, who reviewed it and what
// that person answered, signed. A file of JSON (schema "warpwright/receipt/1"), keys in alphabetical order, two spaces
// of indent, a line feed at the end: exactly one sequence of bytes says one thing.
//   { "body": { PART: … }, "hashes": { PART: hash of the part's JSON without blanks }, "schema": …,
//     "signatures": [{ "created", "kind": "accepted" | "countersigned", "public_key", "reviewer", "signature" }] }
// The evidence says what its verdict does not know as "unknown"; `verdict_hash` is that of the verdict's stored bytes.
// Parts: candidate, checklist, evidence, findings, limits, lineage, measurements, notes, plan, spec, toolchain. A
// signature is Ed25519 over the JSON without blanks of { "before": hash of the signatures that precede it,
// "created", "hashes", "kind", "public_key", "reviewer", "schema" }. Nothing of the machine is in it: no path, no key,
// no device's serial number. A signature proves who held the key, not who that is: compare fingerprints.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "review/checklist.h"
#include "review/signing.h"

namespace ww::review {

using Answers = std::map<std::string, std::string>;  // by checklist item

struct Consent {         // given by the signer, in addition to the answers
  bool holes = false;    // to the holes in the candidate's claim, which were shown
  bool kept = false;     // to the variables that keep their value from call to call, which were shown
  bool untried = false;  // to what the cases of its verdict did not try, which was shown
};

std::string answers_to_json(const Answers& answers);
Result<Answers> answers_from_json(const std::string& text);

// `program`: "warpwright 0.1.0". Checklist and answers are not validated here; see decision.h.
Result<std::string> make_receipt(const Dossier& dossier, const Checklist& checklist, const Answers& answers,
                                 const std::string& reviewer, const std::string& program, const Signer& signer,
                                 const Consent& consent = {});
// Adds a signature to a receipt that verifies; each name (or a look-alike) and each key can sign once. Code::corrupt if
// it does not verify.
Result<std::string> add_signature(const std::string& receipt, const std::string& reviewer, const Signer& signer);

// Everything except the signatures: equal for a receipt and its countersigned versions.
std::string_view unsigned_part(std::string_view receipt);

struct Signature {
  store::ReviewKind kind = store::ReviewKind::accepted;  // the first; later ones are countersigned
  std::string reviewer, created, public_key;
  bool valid = false;
};
struct Change {          // since the receipt was signed
  std::string text;      // one sentence
  bool against = false;  // the receipt no longer matches the workspace; false: only newer information
  WW_FIELDS(Change, text, (against, "the receipt no longer speaks of what the workspace holds"))
};
// What a receipt is exported to for people: unsigned, so that it cannot be verified.
enum class Printout : std::uint8_t { no, pdf, markdown };
Printout printout_of(std::string_view file);  // by how its text begins

struct Verification {
  bool is_receipt = false;  // false: some other file; it cannot be verified
  Printout printout = Printout::no;
  // what was tampered with, or why it is not a receipt, item by item; empty: genuine
  std::vector<std::string> problems;
  std::vector<Signature> signatures;
  std::string candidate, op;    // hash; name
  std::vector<Change> changes;  // of verify_against
  bool genuine() const { return problems.empty(); }
};
// The text of the kernel that a receipt covers; Code::corrupt if it does not verify.
Result<std::string> kernel_of(const std::string& receipt);
// The signed answers by checklist item; Code::corrupt if it does not verify.
Result<Answers> answers_of(const std::string& receipt);
Verification verify(const std::string& receipt);  // never fails: a file that is not a receipt is reported as a problem
Result<Verification> verify_against(const std::string& receipt, store::Workspace& workspace);

Result<std::string> receipt_markdown(const std::string& receipt);  // for people; Code::corrupt if it does not verify

}  // namespace ww::review
