// SPDX-License-Identifier: Apache-2.0
// The reviewer.
#include <fmt/format.h>
#include <algorithm>
#include "base/json_members.h"
#include "base/json_reader.h"
#include "llm/agents.h"
#include "llm/ask.h"
#include "llm/reply_text.h"

namespace ww::llm {
namespace {

constexpr std::size_t max_notes = 60, max_note = 1200;

constexpr const char* notes_schema =
    R"({"type":"object","additionalProperties":false,"required":["summary","notes"],"properties":{
"summary":{"type":"string"},
"notes":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["line","severity","text"],
"properties":{
"line":{"type":"integer"},"severity":{"type":"string","enum":["info","question","concern"]},
"text":{"type":"string"}}}}}})";

int line_of(const json::Json& note, int lines) {
  const auto at = note.find("line");
  if (at == note.end() || !at->is_number_integer()) return 0;
  const auto n = at->get<std::int64_t>();
  return n >= 1 && n <= lines ? static_cast<int>(n) : 0;
}

Result<ReviewNotes> notes_in(const std::string& reply, int lines) {
  const auto found = WW_TRY(json_in(reply, "notes"));
  try {
    const json::Json j = json::Json::parse(found);
    ReviewNotes out;
    if (const auto s = j.find("summary"); s != j.end() && s->is_string())
      out.summary = one_line(s->get<std::string>(), max_note);
    if (!j["notes"].is_array()) return fail(Code::parse, "\"notes\" is not a list");
    for (const json::Json& n : j["notes"]) {
      if (!n.is_object() || out.notes.size() == max_notes) continue;
      const auto text = n.find("text");
      if (text == n.end() || !text->is_string()) continue;
      ReviewNote note;
      note.line = line_of(n, lines);
      note.text = one_line(text->get<std::string>(), max_note);
      const auto severity = n.find("severity");
      if (severity != n.end() && severity->is_string())
        note.severity = enum_from_name<Severity>(severity->get_ref<const std::string&>()).value_or(Severity::concern);
      if (!note.text.empty()) out.notes.push_back(std::move(note));
    }
    if (out.summary.empty() && out.notes.empty()) return fail(Code::parse, "neither a summary nor a note was given");
    return out;
  } catch (const std::exception& e) {
    return fail(Code::parse, "the JSON of the reply cannot be read", json::explain_exception(e));
  }
}

}  // namespace

Result<ReviewNotes> review(const Desk& desk, const Settings& settings, const Sheet& sheet, const Label& label,
                           std::stop_token stop) {
  const auto at = sheet.find("candidate");
  if (at == sheet.end() || at->second.whole.empty())
    return fail(Code::invalid_argument, "there is no candidate to read");
  if (!desk.limits.sources)
    return fail(
        Code::unavailable,
        "the reviewer reads source code, which may not be sent to this service (its limits say \"no sources\")");
  // Numbered, so that its references are to lines that it saw.
  Sheet numbered = sheet;
  std::string& text = numbered["candidate"].whole;
  text.clear();
  int lines = 0;
  for (std::size_t from = 0; from < at->second.whole.size();) {
    const std::size_t end = std::min(at->second.whole.find('\n', from), at->second.whole.size());
    text += fmt::format("{:>4} | {}\n", ++lines, at->second.whole.substr(from, end - from));
    from = end + 1;
  }
  ReviewNotes notes;
  const auto answered = WW_TRY(ask(
      desk, settings,
      {store::AgentRole::reviewer, "reviewer", label, std::move(numbered), OutputSchema{"review_notes", notes_schema}},
      [&](const Reply& reply) -> Result<Made> {
        auto n = WW_TRY(notes_in(reply.text(), lines));
        notes = std::move(n);
        return Made{store::ExchangeOutcome::notes, {}};
      },
      stop));
  notes.exchange = answered.exchange;
  return notes;
}

}  // namespace ww::llm
