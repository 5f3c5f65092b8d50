// SPDX-License-Identifier: Apache-2.0
// A receipt as Markdown. Foreign text is put into fences and code spans that it cannot end.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include "base/fence.h"
#include "base/grouped.h"
#include "evidence/describe.h"
#include "review/fingerprint.h"
#include "review/receipt.h"
#include "review/receipt_json.h"
#include "base/json_reader.h"

namespace ww::review {
namespace {

std::string fenced(const std::string& text, const char* language) {
  const std::string fence = fence_for(text);
  return fence + language + '\n' + text + (text.empty() || text.back() != '\n' ? "\n" : "") + fence + "\n\n";
}

std::string line_of(std::string text) {  // one line of prose; what Markdown would take for itself is escaped
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\`*_[]<>|#&~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string or_unknown(const std::string& text) { return text.empty() ? "unknown" : line_of(text); }

std::string dims(const std::uint32_t (&d)[3]) { return fmt::format("{} x {} x {}", d[0], d[1], d[2]); }

std::string case_of(const op::Binding& binding) {
  std::string text;
  const auto add = [&](const std::string& name, const auto& value) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  };
  for (const auto& [name, value] : binding.symbols) add(name, value);
  for (const auto& [name, value] : binding.constants) add(name, value);
  return text.empty() ? "no symbols" : line_of(text);
}

std::string heading(const body::Body& b, const Verification& v) {
  std::string out = receipt_heading + line_of(b.spec.name) + "\n\n";
  if (!b.candidate.title.empty()) out += line_of(b.candidate.title) + "\n\n";
  for (const Signature& g : v.signatures)
    out += fmt::format("- {} by **{}**, {}, key {}\n", enum_name(g.kind), line_of(g.reviewer), g.created,
                       fingerprint(g.public_key));
  out +=
      "\nTo verify it: warpwright-cli receipt verify FILE.json, with the JSON file of this receipt; PDF and Markdown "
      "copies are for reading.\n";
  out += "\n## What it computes\n\n";
  if (!b.spec.sentence.empty()) out += "Asked for as: " + line_of(b.spec.sentence) + "\n\n";
  if (!b.spec.summary.empty()) out += line_of(b.spec.summary) + "\n\n";
  out += fenced(b.spec.text, "");
  if (!b.spec.example.empty()) out += "Worked example:\n\n" + fenced(b.spec.example, "");
  return out;
}

std::string candidate_part(const body::Body& b) {
  std::string out = "## Candidate " + line_of(b.candidate.hash.substr(0, 12)) + "\n\n" +
                    fenced(b.candidate.text, b.candidate.language == "cuda" ? "cuda" : "");
  out += "Plan of the default case (" + case_of(b.plan.default_case) + "):\n\n";
  for (const body::Launch& l : b.plan.launches)
    out += fmt::format("- {}: grid {}, block {}, {} bytes of dynamic shared memory\n", line_of(l.kernel), dims(l.grid),
                       dims(l.block), l.shared_bytes);
  out += fmt::format("\nCompiled by {} for {}, by {}.", line_of(b.toolchain.compiler),
                     line_of(b.toolchain.architecture), line_of(b.toolchain.program));
  for (const std::string& option : b.toolchain.options) out += " Option " + line_of(option) + ".";
  for (const auto& [name, value] : b.toolchain.tuning) out += fmt::format(" {} = {}.", line_of(name), value);
  return out + "\n\n";
}

std::string evidence_part(const body::Evidence& e) {
  std::string out = "## Evidence\n\n" + line_of(e.summary) + ", on the device " + line_of(e.device) + ", " +
                    line_of(e.judged) + ".\n\n| stage | outcome | what |\n|---|---|---|\n";
  for (const body::StageRow& stage : e.stages)
    out += fmt::format("| {} | {} | {} |\n", enum_name(stage.stage), enum_name(stage.outcome), line_of(stage.message));
  out += "\n| case | shape | input sets |\n|---|---|---|\n";
  for (const body::CaseRow& k : e.cases)
    out += fmt::format("| {} | {} | {} |\n", line_of(k.name), case_of(k.binding),
                       k.claimed ? std::to_string(k.input_sets) : "not claimed");
  const auto list = [&](const char* title, const std::vector<std::string>& texts) {
    if (!texts.empty()) out += fmt::format("\n{}:\n\n", title);
    for (const std::string& text : texts) out += "- " + line_of(text) + "\n";
  };
  list("Claimed only where", e.claimed);
  if (e.tried) out += "\n" + line_of(evidence::tried_text(*e.tried)) + ".\n";
  std::vector<std::string> texts;
  for (const evidence::Unchecked& u : e.unchecked) texts.push_back(evidence::unchecked_text(u));
  list("Not checked", texts);
  texts.clear();
  for (const evidence::Loss& l : e.losses) texts.push_back(evidence::loss_text(l));
  list("Precision", texts);
  if (e.mutants) list("Mutants of the spec", evidence::mutant_texts(*e.mutants));
  if (e.holes) out += fmt::format("\nNot claimed{}:\n\n", e.holes->agreed ? ", as the reviewer agreed" : "");
  for (const std::string& hole : e.holes ? e.holes->not_claimed : std::vector<std::string>())
    out += "- " + line_of(hole) + "\n";
  if (e.kept) out += fmt::format("\nKept from call to call{}:\n\n", e.kept->agreed ? ", as the reviewer agreed" : "");
  for (const std::string& name : e.kept ? e.kept->variables : std::vector<std::string>())
    out += "- " + line_of(name) + "\n";
  if (e.untried) out += fmt::format("\nNot tried{}:\n\n", e.untried->agreed ? ", as the reviewer agreed" : "");
  for (const std::string& what : e.untried ? e.untried->what : std::vector<std::string>())
    out += "- " + line_of(what) + "\n";
  return out + "\n" + line_of(e.tolerance) + "\n\n";
}

std::string measured_part(const std::vector<body::Measured>& measurements) {
  std::string out = "## Measurements\n\n";
  for (const body::Measured& m : measurements) {
    if (m.kind == "score") {
      const bool timed = m.provenance == enum_name(Provenance::measured);
      out += fmt::format("- {} {} {}, {}, on {}\n", timed ? "time" : "cost",
                         m.value ? grouped(fmt::format("{}", *m.value)) : "unknown", line_of(m.unit),
                         line_of(m.provenance), line_of(m.device));
      continue;
    }
    out += fmt::format("- {}, measured on {} (driver {}), {}\n", line_of(m.kind), or_unknown(m.gpu),
                       or_unknown(m.driver), line_of(m.created));
    for (const body::Timing& t : m.timings)
      out += fmt::format("  - {}, {} cache: median {}\n", line_of(t.subject), line_of(t.cache),
                         t.median_us ? fmt::format("{} µs", *t.median_us) : "unknown");
  }
  return out + (measurements.empty() ? "- none\n" : "");
}

std::string lineage_part(const std::vector<body::Ancestor>& lineage) {
  std::string out = "\n## Lineage\n\n";
  for (const body::Ancestor& a : lineage) {
    out += "- " + line_of(a.candidate.substr(0, 12)) + ": ";
    if (const auto& e = a.exchange)
      out +=
          fmt::format("model {} as {}, prompt {}, request {}, reply {}", line_of(e->model), line_of(e->role),
                      line_of(e->prompt), line_of(e->request_hash.substr(0, 12)), line_of(e->reply_hash.substr(0, 12)));
    else
      out += "generator " + line_of(a.generator);
    out += (a.note.empty() ? "" : "; " + line_of(a.note)) + "\n";
  }
  return out;
}

std::string reviewed_part(const body::Body& b) {
  std::string out = "\n## Findings\n\n";
  for (const body::Finding& f : b.findings) out += "- " + line_of(f.text) + "\n";
  out += "\n## Checklist\n\n";
  if (b.checklist.own_policy) out += "The workspace's own list, not the program's.\n\n";
  for (const body::Answered& i : b.checklist.items)
    out += fmt::format("- **{}** {}\n  Answer: {}\n", line_of(i.id), line_of(i.sentence),
                       i.answer ? line_of(*i.answer) : "none");
  if (!b.notes.empty()) out += "\n## Notes\n\n";
  for (const body::Note& n : b.notes)
    out +=
        fmt::format("- {}{}, {}: {}\n", n.reviewer.empty() ? "somebody" : line_of(n.reviewer),
                    n.line == 0 ? std::string() : fmt::format(", line {}", n.line), enum_name(n.kind), line_of(n.text));
  out += "\n## Limits of validity\n\n";
  for (const std::string& l : b.limits) out += "- " + line_of(l) + "\n";
  return out;
}

std::string markdown(const Sorted& j, const body::Body& b, const Verification& v) {
  std::string out = heading(b, v) + candidate_part(b) + evidence_part(b.evidence) + measured_part(b.measurements) +
                    lineage_part(b.lineage) + reviewed_part(b) + "\n## Hashes\n\n| what | BLAKE2b-256 |\n|---|---|\n";
  const auto row = [&](const std::string& what, const std::string& hash) {
    out += "| " + line_of(what) + " | `" + line_of(hash) + "` |\n";
  };
  row("candidate", b.candidate.hash);
  row("spec", b.spec.hash);
  row("verdict", b.evidence.verdict_hash);
  row("PTX", b.evidence.ptx_hash);
  for (const auto& [part, hash] : j.at("hashes").items()) row("part " + part, hash.get<std::string>());
  return out;
}

}  // namespace

Result<std::string> receipt_markdown(const std::string& receipt) {
  const Verification v = verify(receipt);
  if (!v.genuine()) return fail(Code::corrupt, "the receipt is not genuine", v.problems.front());
  try {
    const Sorted j = Sorted::parse(receipt);
    return markdown(j, WW_TRY(read_body(j)), v);
  } catch (const std::exception& e) {
    return fail(Code::corrupt, "the receipt cannot be shown", json::explain_exception(e));
  }
}

}  // namespace ww::review
