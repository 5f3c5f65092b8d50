// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <set>
#include <stdexcept>
#include <nlohmann/json.hpp>
#include "base/hash.h"
#include "base/json_reader.h"
#include "op/parse.h"
#include "review/receipt.h"
#include "review/receipt_json.h"
#include "store/standing.h"
#include "store/words.h"

namespace ww::review {

using store::ReviewKind;

namespace {

// Earlier receipts have "accepted: …".
std::string proved_summary(const std::string& summary) {
  constexpr std::string_view earlier = "accepted";
  return summary.starts_with(earlier) ? "proved" + summary.substr(earlier.size()) : summary;
}

constexpr std::size_t max_signatures = 64;

std::string string_of(const Sorted& j, const char* name) {
  const auto at = j.is_object() ? j.find(name) : j.end();
  return j.is_object() && at != j.end() && at->is_string() ? at->get<std::string>() : std::string();
}

void check_parts(const Sorted& j, std::vector<std::string>& problems) {
  const Sorted &body = j.at("body"), &hashes = j.at("hashes");
  if (!body.is_object() || !hashes.is_object()) return problems.push_back("'body' or 'hashes' is not an object");
  for (const char* part : receipt_parts) {
    if (!body.contains(part))
      problems.push_back(std::string("the part '") + part + "' is missing");
    else if (string_of(hashes, part) != part_hash(body[part]))
      problems.push_back(std::string("the part '") + part + "' or its hash was changed: they do not match");
  }
  const auto known = [](const std::string& name) {
    return std::find(std::begin(receipt_parts), std::end(receipt_parts), name) != std::end(receipt_parts);
  };
  for (const Sorted* object : {&body, &hashes})
    for (const auto& [name, value] : object->items())
      if (!known(name)) problems.push_back("unknown part '" + name + "'");
}

// Whether two texts describe the same op.
bool same_op(const Result<op::Spec>& a, const Result<op::Spec>& b) { return a && b && op::print(*a) == op::print(*b); }

void check_content(const body::Body& body, std::vector<std::string>& problems) {
  const body::Candidate& c = body.candidate;
  if (Hasher().field(c.language).field(c.text).hex() != c.hash)
    problems.push_back("the candidate's text does not match its hash");
  if (hash_hex(body.spec.text) != body.spec.hash) problems.push_back("the op spec's text does not match its hash");
  const Result<op::Spec> spec = op::parse_spec(body.spec.text);
  if (!spec || spec->name != body.spec.name) problems.push_back("the op's name is not that of its spec");
  if (!same_op(spec, op::parse_spec(body.spec.canonical)))
    problems.push_back("the canonical spec is not that of its op spec");
  if (body.evidence.candidate != c.hash) problems.push_back("the evidence belongs to another candidate");
  if (!body.evidence.accepted) problems.push_back("its evidence does not prove the candidate");
  for (const body::StageRow& stage : body.evidence.stages)
    if (stage.outcome == evidence::Outcome::failed)
      problems.push_back("the stage '" + enum_string(stage.stage) + "' of its evidence failed");
  if (body.evidence.stages.empty()) problems.push_back("its evidence names no stage");
  if (body.evidence.cases.empty()) problems.push_back("its evidence names no case");
  if (body.evidence.holes && !body.evidence.holes->agreed)
    problems.push_back("its claim has holes, and the reviewer did not agree to them");
  if (body.evidence.kept && !body.evidence.kept->agreed)
    problems.push_back("it keeps variables from call to call, and the reviewer did not agree to them");
  if (body.evidence.untried && !body.evidence.untried->agreed)
    problems.push_back("its verdict leaves something untried, and the reviewer did not agree to it");
  if (body.checklist.items.empty()) problems.push_back("the checklist has no items");
  for (const body::Answered& item : body.checklist.items)
    if (item.required && item.answer.value_or("").empty())
      problems.push_back("the required item '" + item.id + "' of the checklist has no answer");
}

// "2026-11-23T09:15:00Z"
bool is_utc(const std::string& text) {
  std::tm t{};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &t);
  char again[32];
  return end && *end == '\0' && std::strftime(again, sizeof again, "%Y-%m-%dT%H:%M:%SZ", &t) != 0 && text == again;
}

void check_signatures(const Sorted& j, Verification& v) {
  const Sorted& list = j.at("signatures");
  if (!list.is_array() || list.empty()) return v.problems.push_back("it has no signature");
  if (list.size() > max_signatures)  // each is made over all before it
    return v.problems.push_back("it has more than " + std::to_string(max_signatures) + " signatures");
  Sorted before = Sorted::array();
  for (const Sorted& entry : list) {
    const ReviewKind expected = before.empty() ? ReviewKind::accepted : ReviewKind::countersigned;
    const std::string kind = string_of(entry, "kind");
    if (!entry.is_object() || entry.size() != 5)
      return v.problems.push_back("signature " + std::to_string(before.size() + 1) + " is malformed");
    Signature s{expected, string_of(entry, "reviewer"), string_of(entry, "created"), string_of(entry, "public_key"),
                false};
    s.valid = kind == enum_name(expected) && is_utc(s.created) && !s.reviewer.empty() &&
              signature_fits(s.public_key, signed_message(j, before, entry), string_of(entry, "signature"));
    if (!s.valid)
      v.problems.push_back(
          "signature " + std::to_string(before.size() + 1) + " (" + kind + " by '" + s.reviewer +
          "') does not fit: its kind, name, time, key or signature, an earlier signature, or the hashes were changed");
    before.push_back(entry);
    v.signatures.push_back(std::move(s));
  }
}

}  // namespace

Printout printout_of(std::string_view file) {
  if (file.starts_with("%PDF")) return Printout::pdf;
  return file.starts_with(receipt_heading) ? Printout::markdown : Printout::no;
}

Verification verify(const std::string& receipt) {
  Verification v;
  try {
    v.printout = printout_of(receipt);
    if (v.printout != Printout::no) {
      v.problems.push_back(std::string(v.printout == Printout::pdf ? "it is a PDF" : "it is Markdown") +
                           ", a printout for people, which holds no signature: verify the receipt's JSON file, the "
                           "one that was written when it was signed or exported");
      return v;
    }
    if (receipt.size() > (std::size_t{64} << 20)) throw std::runtime_error("it is larger than 64 MiB");
    const Result<Sorted> read = json::read_json<Sorted>(receipt);
    if (!read) return v.problems.push_back(read.error().message), v;
    const Sorted& j = *read;
    if (!j.is_object() || string_of(j, "schema") != receipt_schema) {
      v.problems.push_back(std::string("its schema is not \"") + receipt_schema + "\"");
      return v;
    }
    v.is_receipt = true;
    if (file_bytes(j) != receipt) v.problems.push_back("its layout was changed, or a member appears twice");
    for (const char* name : {"body", "hashes", "signatures"})
      if (!j.contains(name)) v.problems.push_back(std::string("the member '") + name + "' is missing");
    for (const auto& [name, value] : j.items())
      if (name != "body" && name != "hashes" && name != "signatures" && name != "schema")
        v.problems.push_back("unknown member '" + name + "'");
    if (!j.contains("body") || !j.contains("hashes") || !j.contains("signatures")) return v;
    const std::size_t before = v.problems.size();
    check_parts(j, v.problems);
    check_signatures(j, v);
    const Result<body::Body> body = read_body(j);
    if (!body) return v.problems.push_back("it cannot be read: " + body.error().cause), v;
    v.candidate = body->candidate.hash;
    v.op = body->spec.name;
    if (v.problems.size() == before) check_content(*body, v.problems);
  } catch (const std::exception& e) { v.problems.push_back("it cannot be read: " + json::explain_exception(e)); }
  return v;
}

Result<body::Body> genuine_body(const std::string& receipt) {
  const Verification v = verify(receipt);
  if (!v.genuine()) return fail(Code::corrupt, "the receipt is not genuine", v.problems.front());
  return read_body(Sorted::parse(receipt));
}

Result<std::string> kernel_of(const std::string& receipt) { return WW_TRY(genuine_body(receipt)).candidate.text; }

Result<Answers> answers_of(const std::string& receipt) {
  Answers answers;
  for (const body::Answered& item : WW_TRY(genuine_body(receipt)).checklist.items)
    if (!item.answer.value_or("").empty()) answers[item.id] = *item.answer;
  return answers;
}

namespace {

void measured_since(const body::Body& body, const Dossier& dossier, Verification& v) {
  std::set<std::string> known;
  for (const body::Measured& m : body.measurements) known.insert(m.hash);
  for (const store::MeasurementRecord& m : dossier.measurements)
    if (!known.contains(hash_hex(m.json)))
      v.changes.push_back(
          {"it was measured since: " + enum_string(m.kind) + " on " + m.gpu + ", " + m.created.substr(0, 16), false});
}

// What people wrote after `row`, the receipt's own; 0: the workspace does not hold it.
void reviewed_since(const std::string& receipt, std::int64_t row, const Dossier& dossier, Verification& v) {
  const std::vector<store::Standing> standing = store::standing_of(dossier.reviews);
  for (std::size_t i = 0; i < dossier.reviews.size(); ++i) {
    const store::ReviewRecord& r = dossier.reviews[i];
    if (!row || r.id <= row || !standing[i].stands) continue;
    const std::string who = r.reviewer.empty() ? std::string("somebody") : r.reviewer;
    if (r.kind == ReviewKind::withdrawn && standing[i].withdraws != store::Standing::npos) {
      const store::ReviewRecord& taken = dossier.reviews[standing[i].withdraws];
      if (taken.receipt.empty() || unsigned_part(taken.receipt) != unsigned_part(receipt)) continue;
      if (taken.kind == ReviewKind::accepted)
        v.changes.push_back({who + " withdrew the signature since", true});
      else
        v.changes.push_back({who + " withdrew the countersignature of " + taken.reviewer + " since",
                             std::any_of(v.signatures.begin(), v.signatures.end(),
                                         [&](const Signature& s) { return s.reviewer == taken.reviewer; })});
    }
    if (r.kind == ReviewKind::rejected) v.changes.push_back({who + " refused it since: " + r.text, true});
    if (r.kind == ReviewKind::changes) v.changes.push_back({who + " requested changes since: " + r.text, true});
    if (r.kind == ReviewKind::note) v.changes.push_back({who + " noted since: " + r.text, false});
  }
}

}  // namespace

Result<Verification> verify_against(const std::string& receipt, store::Workspace& workspace) {
  Verification v = verify(receipt);
  if (!v.genuine()) return v;
  try {
    const body::Body body = WW_TRY(read_body(Sorted::parse(receipt)));
    const std::vector<store::ReviewRecord> all = WW_TRY(workspace.reviews(0));
    std::int64_t id = 0, row = 0;
    std::size_t most = 0;  // signatures on it that the workspace knows of
    const std::vector<store::Standing> stands = store::standing_of(all);
    for (const store::ReviewRecord& r : all)
      if (!r.receipt.empty() && unsigned_part(r.receipt) == unsigned_part(receipt)) {
        if (!row) row = r.id;
        id = r.candidate;
        if (stands[static_cast<std::size_t>(&r - all.data())].stands)
          most = std::max(most, verify(r.receipt).signatures.size());
      }
    if (!id) {
      const Result<store::CandidateRecord> c = workspace.find_candidate(v.candidate);
      if (!c && c.error().code != Code::not_found) return fail(c.error());
      if (!c) {
        v.changes.push_back({"this workspace has no candidate " + v.candidate.substr(0, 12), true});
        return v;
      }
      id = c->id;
      const bool others = std::any_of(all.begin(), all.end(), [id](const store::ReviewRecord& r) {
        return r.candidate == id && !r.receipt.empty();
      });
      v.changes.push_back({others ? "this workspace has another receipt of the candidate, not this one"
                                  : "this workspace does not hold the receipt",
                           others});
    }
    if (most > v.signatures.size())
      v.changes.push_back(
          {"it was countersigned since: the workspace has " + std::to_string(most) + " signatures", false});
    const Dossier dossier = WW_TRY(dossier_of(workspace, id));
    const store::CandidateRecord& c = dossier.candidate;
    if (c.hash != v.candidate || c.text != body.candidate.text)
      v.changes.push_back({"the candidate's text has changed", true});
    if (const std::string& ptx = body.evidence.ptx_hash; ptx.empty())
      v.changes.push_back({"the receipt does not say which PTX was judged", false});
    else if (c.verdict && hash_hex(c.verdict->ptx) != ptx)
      v.changes.push_back({"the compiled PTX has changed", true});
    if (hash_hex(dossier.op.text) != body.spec.hash) v.changes.push_back({"the op spec has changed", true});
    if (!c.verdict || !c.verdict->accepted || c.state != store::CandidateState::accepted) {
      v.changes.push_back(
          {"the gate no longer proves it: " + (c.summary.empty() ? store::word_of(c.state) : c.summary), true});
    } else if (c.verdict_hash != body.evidence.verdict_hash) {
      v.changes.push_back({"it was judged again (" + c.judged.substr(0, 16) + "): " + c.summary,
                           c.summary != proved_summary(body.evidence.summary)});
    }
    measured_since(body, dossier, v);
    reviewed_since(receipt, row, dossier, v);
    const Result<Policy> policy = Policy::load(workspace.folder());
    if (!policy)
      v.changes.push_back({"the workspace's checklist cannot be read: " + policy.error().text(), false});
    else if (policy->hash != body.checklist.policy_hash)
      v.changes.push_back({"the workspace's checklist has changed", false});
    return v;
  } catch (const std::exception& e) {
    return fail(Code::internal, "the receipt cannot be compared with the workspace", json::explain_exception(e));
  }
}

}  // namespace ww::review
