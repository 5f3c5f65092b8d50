// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>
#include "base/hash.h"
#include "base/json_reader.h"
#include "base/secret.h"
#include "candidate/claim.h"
#include "evidence/explain.h"
#include "base/described_json.h"
#include "base/utc.h"
#include "evidence/describe.h"
#include "op/evaluate.h"
#include "op/parse.h"
#include "profile/measurement_record.h"
#include "profile/timing_facts.h"
#include "review/people.h"
#include "review/receipt.h"
#include "review/receipt_json.h"
#include "store/standing.h"
#include <nlohmann/json.hpp>

namespace ww::review {
namespace {

std::string now() { return utc_now("%Y-%m-%dT%H:%M:%SZ"); }

// Cleans text that people, models and compilers wrote: removes keys, and of a path of this machine ("/home/ada/x.cu",
// "~/x.cu", "file:///home/ada/x.cu") the last name alone. Comments ("// …") and addresses of the web stay as they are.
std::string plain(const std::string& given) {
  const std::string text = redact(given);
  const auto part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || (c & 0x80) != 0 ||
           (c != 0 && std::string_view("._-+~@").find(c) != std::string_view::npos);
  };
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool free =
        i == 0 || (!part(text[i - 1]) && text[i - 1] != '/') || (text[i] == '/' && out.ends_with("file://"));
    const bool absolute = text[i] == '/' && part(at(i + 1)), home = text[i] == '~' && at(i + 1) == '/';
    std::size_t end = i, slash = i;
    if (free && (absolute || home))
      for (; end < text.size() && (text[end] == '/' || part(text[end])); ++end)
        if (text[end] == '/' && part(at(end + 1))) slash = end;  // before the last name
    if (slash > i || (end > i && home)) {
      out += text.substr(slash + 1, end - slash - 1);
      i = end;
    } else {
      out += text[i++];
    }
  }
  return out;
}

body::Finding finding_of(const Fact& f) { return {f.topic, plain(f.text), f.concern, std::max(f.line, 0)}; }

body::Plan plan_of(const Dossier& s) {
  body::Plan plan;
  plan.default_case = s.context.binding;
  if (!s.plan) return plan;
  for (const candidate::PlannedLaunch& l : s.plan->launches) {
    body::Launch& launch = plan.launches.emplace_back();
    launch.kernel = l.kernel;
    std::copy(l.grid.begin(), l.grid.end(), launch.grid);
    std::copy(l.block.begin(), l.block.end(), launch.block);
    std::copy(l.cluster.begin(), l.cluster.end(), launch.cluster);
    launch.shared_bytes = l.shared_bytes;
    launch.cooperative = l.cooperative;
    for (const candidate::PlannedArg& a : l.args) {
      if (a.kind == candidate::PlannedArg::Kind::tensor)
        launch.args.emplace_back(a.tensor);
      else if (a.kind == candidate::PlannedArg::Kind::integer)
        launch.args.emplace_back(a.integer);
      else
        launch.args.emplace_back(a.real);
    }
  }
  for (const candidate::PlannedTensor& t : s.plan->temps)
    plan.temporaries.push_back({t.name, std::string(dtype_name(t.dtype)), t.count, t.zeroed});
  plan.zeroed_outputs = {s.plan->zeroed_outputs.begin(), s.plan->zeroed_outputs.end()};
  return plan;
}

body::Evidence evidence_of(const Dossier& s) {
  const evidence::Verdict& v = *s.candidate.verdict;
  body::Evidence e;
  e.candidate = v.candidate;
  e.device = v.device;
  e.accepted = v.accepted;
  e.summary = plain(v.summary());
  e.judged = s.candidate.judged;
  for (const evidence::StageResult& r : v.stages) e.stages.push_back({r.stage, r.outcome, plain(r.message)});
  for (const evidence::CaseCoverage& c : v.coverage) e.cases.push_back({c.case_name, c.binding, c.claimed, c.seeds});
  if (v.proof.elements) e.elements = *v.proof.elements;
  e.reproducibility = v.proof.reproducibility;
  e.checks = v.proof.checks;
  e.surroundings = v.proof.surroundings;
  e.also = v.proof.also;
  if (e.also) e.also->summary = plain(e.also->summary);
  e.unchecked = v.proof.unchecked;
  if (s.parsed)
    for (candidate::Claim& c : candidate::claims_of(*s.parsed)) e.claimed.push_back(std::move(c.condition));
  e.tried = v.proof.tried;
  e.losses = v.proof.losses;
  e.mutants = v.proof.mutants;
  e.tolerance = evidence::tolerance_text(s.context.spec);
  e.verdict_hash = s.candidate.verdict_hash;
  if (!v.ptx.empty()) e.ptx_hash = hash_hex(v.ptx);
  return e;
}

body::Timing timing_of(const profile::SubjectTiming& t) {
  const profile::TimingFacts f = profile::facts_of(t, nullptr);
  const auto known = [](double v) { return std::isfinite(v) ? std::optional(v) : std::nullopt; };
  body::Timing out = {t.subject,           enum_string(t.cache),    "measured",
                      f.summary.count,     known(f.summary.median), known(f.summary.q1),
                      known(f.summary.q3), known(f.clocks.sm_mhz),  {}};
  if (f.clocks.throttle) out.throttle = profile::throttle_words(*f.clocks.throttle);
  return out;
}

std::vector<body::Measured> measurements_of(const Dossier& s) {
  std::vector<body::Measured> list;
  if (s.candidate.score) {
    body::Measured& score = list.emplace_back();
    score.kind = "score";
    score.device = s.run.device;
    score.provenance = enum_string(s.candidate.score_provenance);
    score.value = *s.candidate.score;
    score.unit = s.candidate.score_unit;
  }
  for (const store::MeasurementRecord& m : s.measurements) {
    body::Measured one = {enum_string(m.kind), m.device,         "measured", {}, {}, m.gpu, m.driver,
                          m.created,           hash_hex(m.json), m.imported, {}};
    if (const Result<profile::Measurement> content = profile::measurement_from_json(m.kind, m.json))
      for (const profile::MeasuredSubject& subject : content->subjects)
        for (const profile::SubjectTiming& t : subject.timings) one.timings.push_back(timing_of(t));
    list.push_back(std::move(one));
  }
  return list;
}

std::vector<body::Ancestor> lineage_of(const Dossier& s) {
  std::vector<body::Ancestor> list;
  for (const Ancestor& a : s.lineage) {
    body::Ancestor& one = list.emplace_back(body::Ancestor{a.hash, a.generator, plain(a.note), {}});
    if (a.exchange.id)
      one.exchange = {a.exchange.model,        enum_string(a.exchange.role),
                      a.exchange.prompt,       a.exchange.created,
                      a.exchange.request_hash, a.exchange.reply.empty() ? std::string() : hash_hex(a.exchange.reply)};
  }
  return list;
}

body::Spec spec_of(const Dossier& s) {
  const Result<std::string> example = op::worked_example(s.context.spec);
  std::string summary;
  if (const auto at = s.context.spec.directives.find("summary"); at != s.context.spec.directives.end())
    summary = at->second;
  return {s.context.spec.name,
          s.op.text,
          hash_hex(s.op.text),
          plain(s.op.sentence),
          summary,
          op::print(s.context.spec),
          example ? *example : std::string()};
}

body::Toolchain toolchain_of(const Dossier& s, const std::string& program) {
  const evidence::Verdict& v = *s.candidate.verdict;
  body::Toolchain tool;
  tool.program = program;
  tool.compiler = v.proof.compiler.empty() ? "unknown" : v.proof.compiler;
  tool.architecture = s.run.architecture;
  for (const compile::KernelResources& k : v.resources)
    tool.resources.push_back(
        {k.kernel, k.registers, k.static_shared, k.stack, k.spill_stores, k.spill_loads, "modelled by ptxas"});
  if (s.parsed) {
    tool.options = s.parsed->options;
    for (const auto& [name, value] : candidate::first_tuning(*s.parsed)) tool.tuning[name] = value;
  }
  return tool;
}

body::SignedChecklist checklist_of(const Checklist& checklist, const Answers& answers) {
  body::SignedChecklist out = {checklist.policy.hash, checklist.policy.own, {}};
  for (const Item& i : checklist.policy.items) {
    const auto asked = std::ranges::find(checklist.questions, i.id, [](const Question& q) { return q.item.id; });
    const auto answer = answers.find(i.id);
    if (asked == checklist.questions.end() && answer == answers.end()) continue;  // answered unasked: it is kept
    body::Answered& item = out.items.emplace_back(body::Answered{i.id, i.sentence, i.required, {}, {}});
    if (asked != checklist.questions.end())
      for (const Fact& f : asked->facts)
        if (f.topic != Topic::spec) item.facts.push_back(finding_of(f));  // the spec has its own part
    if (answer != answers.end()) item.answer = plain(answer->second);
  }
  return out;
}

body::Body body_of(const Dossier& s, const Checklist& checklist, const Answers& answers, const std::string& program,
                   const Consent& consent) {
  const store::CandidateRecord& c = s.candidate;
  body::Body body;
  body.candidate = {c.hash,      std::string(candidate::language_name(c.language)),
                    c.text,      plain(c.title),
                    c.structure, plain(c.note),
                    c.generator, c.parent,
                    c.created};
  body.spec = spec_of(s);
  body.plan = plan_of(s);
  body.toolchain = toolchain_of(s, program);
  body.evidence = evidence_of(s);
  if (!checklist.holes.empty()) body.evidence.holes = body::Holes{checklist.holes, consent.holes};
  if (!checklist.kept.empty()) body.evidence.kept = body::Kept{checklist.kept, consent.kept};
  if (!checklist.untried.empty()) body.evidence.untried = body::Untried{checklist.untried, consent.untried};
  body.measurements = measurements_of(s);
  body.lineage = lineage_of(s);
  for (const Fact& f : facts_of(s)) {
    if (f.topic == Topic::findings || f.topic == Topic::advice || f.topic == Topic::unproved ||
        f.topic == Topic::lines || f.topic == Topic::diff)
      body.findings.push_back(finding_of(f));
    if (f.topic == Topic::limits) body.limits.push_back(plain(f.text));
  }
  for (const store::ReviewRecord& r : store::standing_reviews(s.reviews))
    if (r.kind == store::ReviewKind::note || r.kind == store::ReviewKind::changes ||
        r.kind == store::ReviewKind::rejected)
      body.notes.push_back({r.kind, r.line, plain(r.text), r.reviewer, r.created, r.imported});
  body.checklist = checklist_of(checklist, answers);
  return body;
}

Sorted new_signature(const Sorted& receipt, store::ReviewKind kind, const std::string& reviewer, const Signer& signer) {
  Sorted entry = {
      {"kind", enum_name(kind)}, {"reviewer", reviewer}, {"created", now()}, {"public_key", signer.public_key()}};
  entry["signature"] = signer.sign(signed_message(receipt, receipt.at("signatures"), entry));
  return entry;
}

}  // namespace

std::string plain_bytes(const Sorted& j) { return j.dump(-1, ' ', false, Sorted::error_handler_t::replace); }
std::string file_bytes(const Sorted& j) { return j.dump(2, ' ', false, Sorted::error_handler_t::replace) + "\n"; }
std::string part_hash(const Sorted& part) { return hash_hex(plain_bytes(part)); }

Result<body::Body> read_body(const Sorted& receipt) {
  return json::read_text<body::Body>(plain_bytes(receipt.at("body")), "the receipt cannot be read");
}

std::string signed_message(const Sorted& receipt, const Sorted& before, Sorted entry) {
  entry.erase("signature");
  entry["before"] = part_hash(before);
  entry["hashes"] = receipt.at("hashes");
  entry["schema"] = receipt.at("schema");
  return plain_bytes(entry);
}

std::string answers_to_json(const Answers& answers) { return plain_bytes(Sorted(answers)); }

Result<Answers> answers_from_json(const std::string& text) {
  try {
    return WW_TRY(json::read_json<Sorted>(text)).get<Answers>();
  } catch (const std::exception& e) {
    return fail(Code::corrupt, "the answers of a review cannot be read", json::explain_exception(e));
  }
}

Result<std::string> make_receipt(const Dossier& dossier, const Checklist& checklist, const Answers& answers,
                                 const std::string& reviewer, const std::string& program, const Signer& signer,
                                 const Consent& consent) {
  if (!dossier.candidate.verdict) return fail(Code::invalid_argument, "a candidate without a verdict has no receipt");
  if (dossier.candidate.imported)
    return fail(Code::invalid_argument, "an imported verdict is not signed: the candidate must be judged here");
  try {
    // Once through text: what was not UTF-8 is replaced before anything is hashed.
    const Sorted body = Sorted::parse(json::text_of(body_of(dossier, checklist, answers, program, consent)));
    Sorted receipt = {
        {"schema", receipt_schema}, {"body", body}, {"hashes", Sorted::object()}, {"signatures", Sorted::array()}};
    for (const auto& [part, content] : body.items()) receipt["hashes"][part] = part_hash(content);
    receipt["signatures"].push_back(new_signature(
        receipt, store::ReviewKind::accepted, Sorted::parse(plain_bytes(Sorted(reviewer))).get<std::string>(), signer));
    std::string text = file_bytes(receipt);
    if (const Verification v = verify(text); !v.genuine())
      return fail(Code::internal, "the receipt that was made does not verify", v.problems.front());
    return text;
  } catch (const std::exception& e) {
    return fail(Code::internal, "the receipt cannot be made", json::explain_exception(e));
  }
}

Result<std::string> add_signature(const std::string& receipt, const std::string& reviewer, const Signer& signer) {
  const Verification v = verify(receipt);
  if (!v.genuine())
    return fail(Code::corrupt, "the receipt is not genuine; it is not signed again", v.problems.front());
  for (const Signature& s : v.signatures) {
    if (s.reviewer == reviewer)
      return fail(Code::invalid_argument,
                  "'" + reviewer + "' has signed this receipt already; the second reviewer must be another person");
    if (name_shape(s.reviewer) == name_shape(reviewer))
      return fail(Code::invalid_argument,
                  "'" + reviewer + "' looks like '" + s.reviewer +
                      "', who has signed this receipt; the second reviewer must be another person");
    if (s.public_key == signer.public_key())
      return fail(Code::invalid_argument, "this key has signed the receipt already, as '" + s.reviewer +
                                              "'; a countersignature needs another person's key");
  }
  try {
    Sorted j = Sorted::parse(receipt);
    j["signatures"].push_back(new_signature(j, store::ReviewKind::countersigned,
                                            Sorted::parse(plain_bytes(Sorted(reviewer))).get<std::string>(), signer));
    return file_bytes(j);
  } catch (const std::exception& e) {
    return fail(Code::internal, "the receipt cannot be signed", json::explain_exception(e));
  }
}

std::string_view unsigned_part(std::string_view receipt) {
  return receipt.substr(0, receipt.rfind("\n  \"signatures\": ["));
}

}  // namespace ww::review
