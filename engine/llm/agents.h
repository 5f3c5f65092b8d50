// SPDX-License-Identifier: Apache-2.0
// Four agents, each one question to a model, with an answer that is checked. Model output is data: it proposes, and
// never accepts, runs or deletes anything. An answer that does not parse is sent back once with the reason
// ("repaired"), then it is a failed attempt: Code::parse. All exchanges are stored by the client.
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
  std::int64_t output_tokens = 16384;  // at most; never more than the model's own limit or half of its context
  std::int64_t prompt_tokens = 24000;  // at most; never more than the model's context less output_tokens
};
struct Desk {  // what every agent works with; outlives the call
  Client& client;
  const PromptLibrary& prompts;
  Limits limits;
};

enum class Mode : std::uint8_t { cuda, cuda_inline_ptx, ptx };  // what the writer writes
std::string_view mode_name(
    Mode mode);  // "cuda", "cuda+ptx", "ptx"; their prompts: writer, writer_inline_ptx, writer_ptx
Result<Mode> mode_from_name(std::string_view name);

// The writer. Sheet names (each may be empty): spec, reference (index equations and tolerance in words), case (default
// shapes), device, parent (file), parent_numbers (with provenance), parent_verdict, other (a second parent, to
// combine), failure (of the parent: log lines, element, fault), diagnosis, advice, attempts (this lineage in brief),
// moves (what worked before), request (the person's).
struct Draft {
  std::string text;  // the candidate file, as the parser takes it
  candidate::Language language = candidate::Language::cuda;
  std::string structure, note;  // note: the model's own words on what it did, one line
  std::int64_t exchange = 0;    // the one that gave it
  bool repaired = false;
};
// Tokens that a request to the writer takes at least: its prompt, estimated as budgets are, without an answer.
Result<std::int64_t> prompt_of_writer(const Desk& desk, const Settings& settings, Mode mode, const Sheet& sheet);
Result<Draft> write(const Desk& desk, const Settings& settings, Mode mode, const Sheet& sheet, const Label& label,
                    std::stop_token stop);

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
  std::string text() const;  // as the writer and the person read it; no moves: the kernel is at the wall
};
Result<Diagnosis> diagnosis_of(const Reply& reply);  // Code::parse
Result<Diagnosis> analyse(const Desk& desk, const Settings& settings, const Sheet& sheet, const Label& label,
                          std::stop_token stop);

// The formulator: a sentence, a PyTorch module or a naive kernel becomes an op spec that the checker takes. Its
// diagnostics go back to the model once.
enum class Source : std::uint8_t { sentence, pytorch, kernel };
struct Formulation {
  op::Spec spec;
  std::string text, explanation;         // explanation: what was made of each part, for the person who confirms
  std::vector<std::string> assumptions;  // what the source did not say
  std::int64_t exchange = 0;
};
Source guess_source(std::string_view text);  // by its look
Result<Formulation> formulate(const Desk& desk, const Settings& settings, Source source, const std::string& text,
                              std::stop_token stop);

// The reviewer: notes on an accepted candidate for a human reviewer. It has no way to accept. Sheet names: candidate
// (its text, needed; it is numbered here), spec, reference, device, verdict, numbers. Code::unavailable where sources
// may not leave.
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
  std::vector<ReviewNote> notes;  // lines outside of the file are set to 0
  std::int64_t exchange = 0;
};
Result<ReviewNotes> review(const Desk& desk, const Settings& settings, const Sheet& sheet, const Label& label,
                           std::stop_token stop);

}  // namespace ww::llm
