// SPDX-License-Identifier: Apache-2.0
// Four agents, each one question to a model, with a checked answer. Model output is data: it proposes, and never
// accepts, runs or deletes anything. An answer that does not parse is sent back once with the reason ("repaired");
// after that it is a failed attempt: Code::parse. The client stores all exchanges.
#pragma once
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "candidate/candidate.h"
#include "llm/client.h"
#include "llm/prompt.h"
#include "op/parse.h"

namespace ww::llm {

struct Settings {  // of one role
  Model model;
  std::optional<double> temperature;
  std::optional<std::int64_t> seed;  // of this question; strategies give each attempt its own
  std::string effort;
  std::int64_t output_tokens = 16384;  // the maximum; also limited by the model's limit and half of its context
  std::int64_t prompt_tokens = 24000;  // the maximum; also limited by the model's context minus output_tokens
  bool patient = false;                // as in Purpose
};
class Toolbox;  // llm/tools.h
struct Desk {   // shared by all agents; outlives the call
  Client& client;
  const PromptLibrary& prompts;
  Limits limits;
  Toolbox* tools = nullptr;  // for the writer, where the service takes them and sources may be sent; null: none
  int tool_calls = 0;        // that one answer may take
};

enum class Mode : std::uint8_t { cuda, cuda_inline_ptx, ptx };  // the writer's output language
std::string_view mode_name(
    Mode mode);  // "cuda", "cuda+ptx", "ptx"; their prompts: writer, writer_inline_ptx, writer_ptx
Result<Mode> mode_from_name(std::string_view name);

// The writer. Sheet names (each may be empty): spec, reference (index equations and tolerance as text), case (default
// shapes), device, simt (its name, if it is that machine), parent (file), shown_parent (not empty: with its code),
// no_edits (not empty: there is no long file to edit), parent_numbers (with provenance), parent_verdict, other (a
// second parent, to combine), failure (of the parent: log lines, element, fault), wrong_elements, diagnosis, advice,
// attempts (summary of this lineage), structures and other_structure, other_change (for a fresh attempt; for one at a
// parent that others started from), moves (what worked before), remembered (kernels of earlier runs), request (the
// user's).
struct Draft {
  std::string text;  // the candidate file, as the parser accepts it
  candidate::Language language = candidate::Language::cuda;
  std::string structure, note;  // note: the model's own one-line summary
  std::int64_t exchange = 0;    // the one that produced it
  bool repaired = false;
};
// A question of an earlier process, whose answer a batch may hold (Purpose::taken_up).
struct Earlier {
  std::int64_t exchange = 0;  // 0: its request is sent anew, to the model of the settings
  Request request;
};
// The minimum tokens of a request to the writer: its prompt, estimated as for budgets, without an answer.
Result<std::int64_t> prompt_of_writer(const Desk& desk, const Settings& settings, Mode mode, const Sheet& sheet);
// With `earlier`, whose conversation goes on, the sheet needs no more than spec and parent. `only_called` is set where
// there is no draft because the model called tools to the end: Code::parse.
Result<Draft> write(const Desk& desk, const Settings& settings, Mode mode, const Sheet& sheet, const Label& label,
                    std::stop_token stop, const Earlier* earlier = nullptr, bool* only_called = nullptr);

// The analyst. Sheet names: spec, case, device, parent, numbers (roofline, occupancy, counters with provenance), lines
// (hot spots), verdict, advice, attempts.
struct Diagnosis {
  std::string bottleneck, evidence;  // one sentence each
  struct Move {
    std::string name, why;
    double gain = 0;
  };  // gain: the model's guess of the speed-up, 1.2 = 20 %; 0: none given. Shown as "guessed", never as a number of
      // ours
  std::vector<Move> moves;  // best first
  std::int64_t exchange = 0;
  std::string text() const;  // as shown to the writer and the user; no moves: the kernel is at the hardware limit
};
Result<Diagnosis> diagnosis_of(const Reply& reply);  // Code::parse
Result<Diagnosis> analyse(const Desk& desk, const Settings& settings, const Sheet& sheet, const Label& label,
                          std::stop_token stop);

// The formulator turns a sentence, a PyTorch module or a naive kernel into an op spec accepted by the checker.
// Diagnostics are sent back to the model once.
enum class Source : std::uint8_t { sentence, pytorch, kernel };
struct Formulation {
  op::Spec spec;
  std::string text, explanation;         // explanation: how each part was interpreted, for the user who confirms it
  std::vector<std::string> assumptions;  // what the source left open
  std::int64_t exchange = 0;
};
Source guess_source(std::string_view text);  // from its appearance
Result<Formulation> formulate(const Desk& desk, const Settings& settings, Source source, const std::string& text,
                              std::stop_token stop);

// The reviewer: notes on an accepted candidate for a human reviewer. It cannot accept. Sheet names: candidate (its
// text, required; lines are numbered here), spec, reference, device, verdict, numbers. Code::unavailable if sources may
// not be sent.
enum class Severity : std::uint8_t { info, question, concern };
constexpr auto names_of(Severity) {
  using enum Severity;
  return std::to_array<Enumerator<Severity>>({{info, "info"}, {question, "question"}, {concern, "concern"}});
}
struct ReviewNote {
  int line = 0;  // of the candidate's text; 0: the whole
  Severity severity = Severity::info;
  std::string text;
};
struct ReviewNotes {
  std::string summary;
  std::vector<ReviewNote> notes;  // lines outside the file are set to 0
  std::int64_t exchange = 0;
};
Result<ReviewNotes> review(const Desk& desk, const Settings& settings, const Sheet& sheet, const Label& label,
                           std::stop_token stop);

}  // namespace ww::llm
