// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cmath>
#include "base/hash.h"
#include "base/json_reader.h"
#include "base/secret.h"
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

// Of words that people, models and compilers wrote: no key, and of a path of this machine ("/home/ada/x.cu", "~/x.cu",
// "file:///home/ada/x.cu") the last name alone. Comments ("// …") and addresses of the web stay as they are.
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

Sorted binding_of(const op::Binding& b) { return {{"symbols", b.symbols}, {"constants", b.constants}}; }

Sorted fact_of(const Fact& f) {
  Sorted j = {{"topic", enum_name(f.topic)}, {"text", plain(f.text)}, {"concern", f.concern}};
  if (f.line > 0) j["line"] = f.line;
  return j;
}

Sorted plan_of(const Dossier& s) {
  Sorted j = {{"case", binding_of(s.context.binding)},
              {"launches", Sorted::array()},
              {"temporaries", Sorted::array()},
              {"zeroed_outputs", Sorted::array()}};
  if (!s.plan) return j;
  for (const candidate::PlannedLaunch& l : s.plan->launches) {
    Sorted args = Sorted::array();
    for (const candidate::PlannedArg& a : l.args) {
      if (a.kind == candidate::PlannedArg::Kind::tensor)
        args.push_back(a.tensor);
      else if (a.kind == candidate::PlannedArg::Kind::integer)
        args.push_back(a.integer);
      else
        args.push_back(a.real);
    }
    j["launches"].push_back({{"kernel", l.kernel},
                             {"grid", l.grid},
                             {"block", l.block},
                             {"cluster", l.cluster},
                             {"shared_bytes", l.shared_bytes},
                             {"cooperative", l.cooperative},
                             {"args", args}});
  }
  for (const candidate::PlannedTensor& t : s.plan->temps)
    j["temporaries"].push_back(
        {{"name", t.name}, {"dtype", dtype_name(t.dtype)}, {"elements", t.count}, {"zeroed", t.zeroed}});
  j["zeroed_outputs"] = s.plan->zeroed_outputs;
  return j;
}

Sorted evidence_of(const Dossier& s) {
  const evidence::Verdict& v = *s.candidate.verdict;
  Sorted stages = Sorted::array(), cases = Sorted::array();
  for (const evidence::StageResult& r : v.stages)
    stages.push_back({{"stage", enum_name(r.stage)}, {"outcome", enum_name(r.outcome)}, {"message", plain(r.message)}});
  for (const evidence::CaseCoverage& c : v.coverage)
    cases.push_back(
        {{"case", c.case_name}, {"binding", binding_of(c.binding)}, {"claimed", c.claimed}, {"input_sets", c.seeds}});
  return {{"candidate", v.candidate},
          {"device", v.device},
          {"accepted", v.accepted},
          {"summary", plain(v.summary())},
          {"judged", s.candidate.judged},
          {"stages", stages},
          {"cases", cases},
          {"elements", v.proof.elements ? Sorted(json::of(*v.proof.elements)) : Sorted("unknown")},
          {"reproducibility", enum_name(v.proof.reproducibility)},
          {"checks", Sorted(json::of(v.proof.checks))},
          {"tolerance", evidence::tolerance_text(s.context.spec)},
          {"verdict_hash", s.candidate.verdict_hash},
          {"ptx_hash", v.ptx.empty() ? std::string() : hash_hex(v.ptx)}};
}

Sorted timing_json(const profile::SubjectTiming& t) {
  const profile::TimingFacts f = profile::facts_of(t, nullptr);
  const auto known = [](double v) { return std::isfinite(v) ? Sorted(v) : Sorted(nullptr); };
  return {{"subject", t.subject},
          {"cache", enum_name(t.cache)},
          {"provenance", "measured"},
          {"samples", f.summary.count},
          {"median_us", known(f.summary.median)},
          {"q1_us", known(f.summary.q1)},
          {"q3_us", known(f.summary.q3)},
          {"sm_mhz", known(f.clocks.sm_mhz)},
          {"throttle", f.clocks.throttle ? Sorted(profile::throttle_words(*f.clocks.throttle)) : Sorted(nullptr)}};
}

Sorted measurements_of(const Dossier& s) {
  Sorted list = Sorted::array();
  if (s.candidate.score)
    list.push_back({{"kind", "score"},
                    {"value", *s.candidate.score},
                    {"unit", s.candidate.score_unit},
                    {"provenance", enum_string(s.candidate.score_provenance)},
                    {"device", s.run.device}});
  for (const store::MeasurementRecord& m : s.measurements) {
    Sorted j = {{"kind", m.kind},          {"device", m.device},   {"gpu", m.gpu},
                {"driver", m.driver},      {"created", m.created}, {"provenance", "measured"},
                {"hash", hash_hex(m.json)}};
    if (m.imported) j["imported"] = true;
    if (const Result<profile::Measurement> content = profile::measurement_from_json(m.kind, m.json))
      for (const profile::MeasuredSubject& subject : content->subjects)
        for (const profile::SubjectTiming& t : subject.timings) j["timings"].push_back(timing_json(t));
    list.push_back(std::move(j));
  }
  return list;
}

Sorted lineage_of(const Dossier& s) {
  Sorted list = Sorted::array();
  for (const Ancestor& a : s.lineage) {
    Sorted j = {{"candidate", a.hash}, {"generator", a.generator}, {"note", plain(a.note)}};
    if (a.exchange.id)
      j["exchange"] = {{"model", a.exchange.model},
                       {"role", a.exchange.role},
                       {"prompt", a.exchange.prompt},
                       {"created", a.exchange.created},
                       {"request_hash", a.exchange.request_hash},
                       {"reply_hash", a.exchange.reply.empty() ? std::string() : hash_hex(a.exchange.reply)}};
    list.push_back(std::move(j));
  }
  return list;
}

Sorted body_of(const Dossier& s, const Checklist& checklist, const Answers& answers, const std::string& program) {
  const store::CandidateRecord& c = s.candidate;
  Sorted body;
  body["candidate"] = {{"hash", c.hash},           {"language", candidate::language_name(c.language)},
                       {"text", c.text},           {"title", plain(c.title)},
                       {"structure", c.structure}, {"note", plain(c.note)},
                       {"generator", c.generator}, {"parent", c.parent},
                       {"created", c.created}};
  const Result<std::string> example = op::worked_example(s.context.spec);
  std::string summary;
  if (const auto at = s.context.spec.directives.find("summary"); at != s.context.spec.directives.end())
    summary = at->second;
  body["spec"] = {{"name", s.context.spec.name},
                  {"text", s.op.text},
                  {"hash", hash_hex(s.op.text)},
                  {"sentence", plain(s.op.sentence)},
                  {"summary", summary},
                  {"canonical", op::print(s.context.spec)},
                  {"example", example ? *example : std::string()}};
  body["plan"] = plan_of(s);
  Sorted resources = Sorted::array(), options = Sorted::array(), tuning = Sorted::object();
  for (const compile::KernelResources& k : c.verdict->resources)
    resources.push_back({{"kernel", k.kernel},
                         {"registers", k.registers},
                         {"static_shared", k.static_shared},
                         {"stack", k.stack},
                         {"spill_stores", k.spill_stores},
                         {"spill_loads", k.spill_loads},
                         {"provenance", "modelled by ptxas"}});
  if (s.parsed) {
    options = s.parsed->options;
    tuning = candidate::first_tuning(*s.parsed);
  }
  body["toolchain"] = {
      {"program", program},
      {"compiler", c.verdict->proof.compiler.empty() ? std::string("unknown") : c.verdict->proof.compiler},
      {"architecture", s.run.architecture},
      {"options", options},
      {"tuning", tuning},
      {"resources", resources}};
  body["evidence"] = evidence_of(s);
  body["measurements"] = measurements_of(s);
  body["lineage"] = lineage_of(s);
  body["findings"] = body["limits"] = body["notes"] = Sorted::array();
  for (const Fact& f : facts_of(s)) {
    if (f.topic == Topic::findings || f.topic == Topic::unproved || f.topic == Topic::lines || f.topic == Topic::diff)
      body["findings"].push_back(fact_of(f));
    if (f.topic == Topic::limits) body["limits"].push_back(plain(f.text));
  }
  for (const store::ReviewRecord& r : store::standing_reviews(s.reviews))
    if (r.kind == store::ReviewKind::note || r.kind == store::ReviewKind::changes ||
        r.kind == store::ReviewKind::rejected) {
      body["notes"].push_back({{"kind", enum_name(r.kind)},
                               {"line", r.line},
                               {"text", plain(r.text)},
                               {"reviewer", r.reviewer},
                               {"created", r.created}});
      if (r.imported) body["notes"].back()["imported"] = true;
    }
  Sorted items = Sorted::array();
  for (const Question& q : checklist.questions) {
    const auto answer = answers.find(q.item.id);
    Sorted facts = Sorted::array();
    for (const Fact& f : q.facts)
      if (f.topic != Topic::spec) facts.push_back(fact_of(f));  // the spec has its own part
    items.push_back({{"id", q.item.id},
                     {"sentence", q.item.sentence},
                     {"required", q.item.required},
                     {"facts", facts},
                     {"answer", answer == answers.end() ? Sorted(nullptr) : Sorted(plain(answer->second))}});
  }
  body["checklist"] = {{"policy_hash", checklist.policy.hash}, {"own_policy", checklist.policy.own}, {"items", items}};
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
  } catch (const std::exception& e) { return fail(Code::corrupt, "the answers of a review cannot be read", e.what()); }
}

Result<std::string> make_receipt(const Dossier& dossier, const Checklist& checklist, const Answers& answers,
                                 const std::string& reviewer, const std::string& program, const Signer& signer) {
  if (!dossier.candidate.verdict) return fail(Code::invalid_argument, "a candidate without a verdict has no receipt");
  if (dossier.candidate.imported)
    return fail(Code::invalid_argument, "an imported verdict is not signed: the candidate must be judged here");
  try {
    // Once through text: what was not UTF-8 is replaced before anything is hashed.
    const Sorted body = Sorted::parse(plain_bytes(body_of(dossier, checklist, answers, program)));
    Sorted receipt = {
        {"schema", receipt_schema}, {"body", body}, {"hashes", Sorted::object()}, {"signatures", Sorted::array()}};
    for (const auto& [part, content] : body.items()) receipt["hashes"][part] = part_hash(content);
    receipt["signatures"].push_back(new_signature(
        receipt, store::ReviewKind::accepted, Sorted::parse(plain_bytes(Sorted(reviewer))).get<std::string>(), signer));
    std::string text = file_bytes(receipt);
    if (const Verification v = verify(text); !v.genuine())
      return fail(Code::internal, "the receipt that was made does not verify", v.problems.front());
    return text;
  } catch (const std::exception& e) { return fail(Code::internal, "the receipt cannot be made", e.what()); }
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
  } catch (const std::exception& e) { return fail(Code::internal, "the receipt cannot be signed", e.what()); }
}

std::string_view unsigned_part(std::string_view receipt) {
  return receipt.substr(0, receipt.rfind("\n  \"signatures\": ["));
}

}  // namespace ww::review
