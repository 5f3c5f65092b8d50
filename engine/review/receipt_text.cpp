// SPDX-License-Identifier: Apache-2.0
// A receipt as Markdown. Foreign text is put into fences and code spans that it cannot end.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include "review/fingerprint.h"
#include "review/receipt.h"
#include "review/receipt_json.h"

namespace ww::review {
namespace {

std::string fenced(const std::string& text, const char* language) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
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

std::string s(const Sorted& j, const char* name) {
  const auto at = j.find(name);
  return at != j.end() && at->is_string() ? line_of(at->get<std::string>()) : std::string();
}

std::string or_unknown(const std::string& text) { return text.empty() ? "unknown" : text; }

std::string dims(const Sorted& list) {
  return fmt::format("{} x {} x {}", list.at(0).dump(), list.at(1).dump(), list.at(2).dump());
}

std::string case_of(const Sorted& binding) {
  std::string text;
  for (const char* group : {"symbols", "constants"})
    for (const auto& [name, value] : binding.at(group).items())
      text += (text.empty() ? "" : ", ") + name + " = " + value.dump();
  return text.empty() ? "no symbols" : line_of(text);
}

std::string markdown(const Sorted& j, const Verification& v) {
  const Sorted& b = j.at("body");
  const Sorted &c = b.at("candidate"), &spec = b.at("spec"), &tool = b.at("toolchain"), &evidence = b.at("evidence");
  std::string out = "# Receipt: " + s(spec, "name") + (s(c, "title").empty() ? "" : ", " + s(c, "title")) + "\n\n";
  for (const Signature& g : v.signatures)
    out += fmt::format("- {} by **{}**, {}, key {}\n", enum_name(g.kind), line_of(g.reviewer), g.created,
                       fingerprint(g.public_key));
  out += "\n## What it computes\n\n";
  if (const std::string text = s(spec, "sentence"); !text.empty()) out += "Asked for as: " + text + "\n\n";
  if (const std::string text = s(spec, "summary"); !text.empty()) out += text + "\n\n";
  out += fenced(spec.at("text").get<std::string>(), "");
  if (const std::string text = spec.at("example").get<std::string>(); !text.empty())
    out += "Worked example:\n\n" + fenced(text, "");
  out += "## Candidate " + s(c, "hash").substr(0, 12) + "\n\n" +
         fenced(c.at("text").get<std::string>(), c.at("language") == "cuda" ? "cuda" : "");
  out += "Plan of the default case (" + case_of(b.at("plan").at("case")) + "):\n\n";
  for (const Sorted& l : b.at("plan").at("launches"))
    out += fmt::format("- {}: grid {}, block {}, {} bytes of dynamic shared memory\n", s(l, "kernel"),
                       dims(l.at("grid")), dims(l.at("block")), l.at("shared_bytes").dump());
  out +=
      fmt::format("\nCompiled by {} for {}, by {}.", s(tool, "compiler"), s(tool, "architecture"), s(tool, "program"));
  for (const Sorted& option : tool.at("options")) out += " Option " + line_of(option.get<std::string>()) + ".";
  for (const auto& [name, value] : tool.at("tuning").items()) out += " " + line_of(name) + " = " + value.dump() + ".";
  out += "\n\n## Evidence\n\n" + s(evidence, "summary") + ", on the device " + s(evidence, "device") + ", " +
         s(evidence, "judged") + ".\n\n| stage | outcome | what |\n|---|---|---|\n";
  for (const Sorted& stage : evidence.at("stages"))
    out += fmt::format("| {} | {} | {} |\n", s(stage, "stage"), s(stage, "outcome"), s(stage, "message"));
  out += "\n| case | shape | input sets |\n|---|---|---|\n";
  for (const Sorted& k : evidence.at("cases"))
    out += fmt::format("| {} | {} | {} |\n", s(k, "case"), case_of(k.at("binding")),
                       k.at("claimed") == true ? k.at("input_sets").dump() : "not claimed");
  out += "\n" + s(evidence, "tolerance") + "\n\n## Measurements\n\n";
  for (const Sorted& m : b.at("measurements")) {
    if (m.at("kind") == "score") {
      out += fmt::format("- score {} {}, {}, on {}\n", m.at("value").dump(), s(m, "unit"), s(m, "provenance"),
                         s(m, "device"));
      continue;
    }
    out += fmt::format("- {}, measured on {} (driver {}), {}\n", s(m, "kind"), or_unknown(s(m, "gpu")),
                       or_unknown(s(m, "driver")), s(m, "created"));
    if (m.contains("timings"))
      for (const Sorted& t : m["timings"])
        if (t.contains("median_us"))
          out += fmt::format("  - {}, {} cache: median {} µs\n", s(t, "subject"), s(t, "cache"), t["median_us"].dump());
  }
  if (b.at("measurements").empty()) out += "- none\n";
  out += "\n## Lineage\n\n";
  for (const Sorted& a : b.at("lineage")) {
    out += "- " + s(a, "candidate").substr(0, 12) + ": ";
    if (a.contains("exchange"))
      out += fmt::format("model {} as {}, prompt {}, request {}, reply {}", s(a["exchange"], "model"),
                         s(a["exchange"], "role"), s(a["exchange"], "prompt"),
                         s(a["exchange"], "request_hash").substr(0, 12), s(a["exchange"], "reply_hash").substr(0, 12));
    else
      out += "generator " + s(a, "generator");
    out += (s(a, "note").empty() ? "" : "; " + s(a, "note")) + "\n";
  }
  out += "\n## Findings\n\n";
  for (const Sorted& f : b.at("findings")) out += "- " + s(f, "text") + "\n";
  out += "\n## Checklist\n\n";
  if (b.at("checklist").value("own_policy", false)) out += "The workspace's own list, not the program's.\n\n";
  for (const Sorted& i : b.at("checklist").at("items"))
    out += fmt::format("- **{}** {}\n  Answer: {}\n", s(i, "id"), s(i, "sentence"),
                       i.at("answer").is_string() ? s(i, "answer") : "none");
  if (!b.at("notes").empty()) out += "\n## Notes\n\n";
  for (const Sorted& n : b.at("notes"))
    out += fmt::format("- {}{}, {}: {}\n", s(n, "reviewer").empty() ? "somebody" : s(n, "reviewer"),
                       n.at("line") == 0 ? std::string() : ", line " + n.at("line").dump(), s(n, "kind"), s(n, "text"));
  out += "\n## Limits of validity\n\n";
  for (const Sorted& l : b.at("limits")) out += "- " + line_of(l.get<std::string>()) + "\n";
  out += "\n## Hashes\n\n| what | BLAKE2b-256 |\n|---|---|\n";
  out += "| candidate | `" + s(c, "hash") + "` |\n| spec | `" + s(spec, "hash") + "` |\n| verdict | `" +
         s(evidence, "verdict_hash") + "` |\n| PTX | `" + s(evidence, "ptx_hash") + "` |\n";
  for (const auto& [part, hash] : j.at("hashes").items())
    out += "| part " + line_of(part) + " | `" + line_of(hash.get<std::string>()) + "` |\n";
  return out;
}

}  // namespace

Result<std::string> receipt_markdown(const std::string& receipt) {
  const Verification v = verify(receipt);
  if (!v.genuine()) return fail(Code::corrupt, "the receipt is not genuine", v.problems.front());
  try {
    return markdown(Sorted::parse(receipt), v);
  } catch (const std::exception& e) { return fail(Code::corrupt, "the receipt cannot be shown", e.what()); }
}

}  // namespace ww::review
