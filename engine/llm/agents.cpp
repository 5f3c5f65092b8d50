// SPDX-License-Identifier: Apache-2.0
// The writer and the analyst.
#include "llm/agents.h"
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include "base/json_members.h"
#include "base/json_reader.h"
#include "llm/ask.h"
#include "llm/edits.h"
#include "llm/limited.h"
#include "llm/reply_text.h"

namespace ww::llm {
namespace {

constexpr std::string_view mode_names[] = {"cuda", "cuda+ptx", "ptx"};
constexpr std::string_view writer_prompts[] = {"writer", "writer_inline_ptx", "writer_ptx"};
constexpr std::size_t max_moves = 8, max_sentence = 800;

constexpr const char* diagnosis_schema =
    R"({"type":"object","additionalProperties":false,"required":["bottleneck","evidence","moves"],"properties":{
"bottleneck":{"type":"string"},"evidence":{"type":"string"},
"moves":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name","why","gain"],
"properties":{
"name":{"type":"string"},"why":{"type":"string"},"gain":{"type":"number"}}}}}})";

// The file that edits start from, and what the model was shown of it; empty where there is none, or it was withheld.
struct Base {
  std::string file, shown;
};
Base base_of(const Desk& desk, const Sheet& sheet) {
  const auto parent = sheet.find("parent");
  if (parent == sheet.end() || !desk.limits.sources) return {};
  return {parent->second.whole, limited({*parent}, desk.limits)["parent"].whole};
}

// The candidate of a reply: a complete file, or edits of `base`.
Result<candidate::Candidate> written(const std::string& said, const std::string& op, candidate::Language language,
                                     const Base& base) {
  const std::vector<Edit> edits = WW_TRY(edits_in(said));
  if (edits.empty()) return candidate_in(said, op, language);
  if (base.file.empty()) return fail(Code::parse, "there is no file to edit: give the complete candidate");
  const std::string text = WW_TRY(edited(base.file, base.shown, edits));
  Result<candidate::Candidate> c = candidate::parse(text, language);
  if (!c)
    return fail(c.error().code, "with these edits the file is no candidate: " + c.error().message, c.error().cause);
  if (!op.empty() && c->op != op)
    return fail(Code::parse, fmt::format("with these edits the candidate is for '{}'; the op is '{}'", c->op, op));
  return c;
}

std::string text_member(const json::Json& j, const char* name) {  // empty: absent, or no text
  const auto at = j.find(name);
  return at != j.end() && at->is_string() ? one_line(at->get<std::string>(), max_sentence) : std::string();
}

}  // namespace

Result<Diagnosis> diagnosis_of(const Reply& reply) {
  const auto found = WW_TRY(json_in(reply.text(), "bottleneck"));
  try {
    const json::Json j = json::Json::parse(found);
    Diagnosis d;
    d.bottleneck = text_member(j, "bottleneck");
    d.evidence = text_member(j, "evidence");
    if (d.bottleneck.empty()) return fail(Code::parse, "\"bottleneck\" is not a sentence");
    bool at_the_wall = false;
    if (const auto moves = j.find("moves"); moves != j.end() && moves->is_array()) {
      at_the_wall = moves->empty();
      for (const json::Json& m : *moves) {
        if (d.moves.size() == max_moves) break;
        Diagnosis::Move move;
        if (m.is_string()) move.name = one_line(m.get<std::string>(), max_sentence);
        if (m.is_object()) {
          move.name = text_member(m, "name");
          move.why = text_member(m, "why");
          const auto gain = m.find("gain");
          if (gain != m.end() && gain->is_number()) move.gain = gain->get<double>();
          if (!std::isfinite(move.gain) || move.gain <= 0 || move.gain > 1000) move.gain = 0;
        }
        if (!move.name.empty()) d.moves.push_back(std::move(move));
      }
    }
    if (d.moves.empty() && !at_the_wall) return fail(Code::parse, "\"moves\" contains no move with a name");
    return d;
  } catch (const std::exception& e) {
    return fail(Code::parse, "the JSON of the reply cannot be read", json::explain_exception(e));
  }
}

std::string_view mode_name(Mode mode) { return mode_names[static_cast<std::size_t>(mode)]; }

Result<Mode> mode_from_name(std::string_view name) {
  for (std::size_t i = 0; i < std::size(mode_names); ++i)
    if (mode_names[i] == name) return static_cast<Mode>(i);
  return fail(Code::invalid_argument, fmt::format("'{}' is not a writing mode (cuda, cuda+ptx, ptx)", name));
}

Result<std::int64_t> prompt_of_writer(const Desk& desk, const Settings& settings, Mode mode, const Sheet& sheet) {
  return prompt_tokens(desk, settings,
                       {store::AgentRole::writer,
                        std::string(writer_prompts[static_cast<std::size_t>(mode)]),
                        {},
                        sheet,
                        std::nullopt,
                        true});
}

Result<Draft> write(const Desk& desk, const Settings& settings, Mode mode, const Sheet& sheet, const Label& label,
                    std::stop_token stop, const Earlier* earlier, bool* only_called) {
  Draft draft;
  draft.language = mode == Mode::ptx ? candidate::Language::ptx : candidate::Language::cuda;
  std::string op;
  if (const auto at = sheet.find("spec"); at != sheet.end())
    if (const auto spec = op::parse(at->second.whole)) op = spec.spec->name;
  Question q{store::AgentRole::writer,
             std::string(writer_prompts[static_cast<std::size_t>(mode)]),
             label,
             sheet,
             std::nullopt,
             true,
             earlier,
             only_called};
  const Base base = base_of(desk, sheet);
  const auto answered = WW_TRY(ask(
      desk, settings, std::move(q),
      [&](const Reply& reply) -> Result<Made> {
        const std::string said = reply.text();
        const std::vector<FencedBlock> blocks = fenced_blocks(said);
        if (reply.stop == Stop::length && !blocks.empty() && !blocks.back().closed)
          return fail(Code::parse, "the reply was cut off in the middle of its code");
        auto c = WW_TRY(written(said, op, draft.language, base));
        draft.structure = c.structure;
        draft.note = note_in(said);
        if (draft.note.empty()) draft.note = one_line(c.title, 400);
        draft.text = std::move(c.text);
        return Made{store::ExchangeOutcome::candidate, c.hash};
      },
      stop));
  draft.exchange = answered.exchange;
  draft.repaired = answered.repaired;
  return draft;
}

std::string Diagnosis::text() const {
  std::string out = "Bottleneck: " + bottleneck;
  if (!evidence.empty()) out += "\nEvidence: " + evidence;
  out += moves.empty() ? "\nNo single change is worth its effort: another algorithm, or fewer bytes."
                       : "\nMoves, best first:";
  for (std::size_t i = 0; i < moves.size(); ++i) {
    out += fmt::format("\n{}. {}", i + 1, moves[i].name);
    if (!moves[i].why.empty()) out += ": " + moves[i].why;
    if (moves[i].gain > 0) out += fmt::format(" (gain guessed by the model: x{:.3g})", moves[i].gain);
  }
  return out;
}

Result<Diagnosis> analyse(const Desk& desk, const Settings& settings, const Sheet& sheet, const Label& label,
                          std::stop_token stop) {
  Diagnosis diagnosis;
  const auto answered = WW_TRY(ask(
      desk, settings, {store::AgentRole::analyst, "analyst", label, sheet, OutputSchema{"diagnosis", diagnosis_schema}},
      [&](const Reply& reply) -> Result<Made> {
        auto d = WW_TRY(diagnosis_of(reply));
        diagnosis = std::move(d);
        return Made{store::ExchangeOutcome::diagnosis, {}};
      },
      stop));
  diagnosis.exchange = answered.exchange;
  return diagnosis;
}

}  // namespace ww::llm
