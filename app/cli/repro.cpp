// SPDX-License-Identifier: Apache-2.0
// Failures as files: `check --repro FILE.json` writes one, and `check FILE.json` shows it again.
#include "explore/repro.h"
#include <fmt/format.h>
#include "answer.h"
#include "console.h"
#include "evidence/explain.h"
#include "generator/gate_request.h"
#include "rpc/worker_profile.h"

namespace ww::cli {
namespace {

std::string where_text(const explore::Repro& repro) {
  if (!repro.one) return "no single case reproduces it: the whole judgement is repeated with its secret";
  return evidence::case_text(*repro.failure);
}

std::string said(const std::string& message, const std::optional<evidence::Failure>& failure) {
  std::string out = safe_lines(message, "  ") + '\n';
  if (failure && failure->element) out += "  " + safe(evidence::element_text(*failure->element)) + '\n';
  if (failure && failure->fault) out += "  " + safe(evidence::fault_text(*failure->fault)) + '\n';
  return out;
}

}  // namespace

Result<Kept> keep_repro(rpc::Supervisor& worker, const Check& check, const evidence::Verdict& verdict,
                        const Watch& watch) {
  if (verdict.accepted) return Kept{Json(), "\nNothing to reproduce: the candidate was proved\n"};
  watch.progress(1, "looking for a small case");
  const explore::Repro repro = WW_TRY(explore::reproducible(worker, check.request, verdict, watch.stop));
  WW_TRY(explore::write_repro(check.repro, repro));
  const std::string file = check.repro.string();
  return Kept{
      {{"file", file}, {"one", json::of(repro.one)}, {"message", repro.message}},
      fmt::format("\nWrote {} ({}); 'check {}' reproduces it\n", safe(file), safe(where_text(repro)), safe(file))};
}

Result<Answer> reproduced(const std::filesystem::path& file, const Watch& watch) {
  explore::Repro repro = WW_TRY(explore::read_repro(file));
  repro.judgement.deadline = generator::deadline_of(generator::RunOptions().candidate_seconds);
  rpc::WorkerOptions options;
  options.profile = rpc::worker_profile(repro.judgement.device);
  rpc::Supervisor worker(options);
  gate::Reproduction shown;
  if (repro.one) {
    shown = WW_TRY(worker.reproduce({repro.judgement, *repro.one}, watch.stop));
  } else {
    const evidence::Verdict verdict = WW_TRY(worker.gate(repro.judgement, watch.stop));
    if (const evidence::StageResult* last = verdict.last_stage()) shown = {last->message, last->failure};
  }
  const bool again = !shown.message.empty();
  const bool same = again && (!repro.failure || !shown.failure || gate::same_failure(*repro.failure, *shown.failure));
  std::string out = again ? coloured(Colour::red, same ? "Fails as before" : "Fails, but not as before")
                          : coloured(Colour::green, "Passes now");
  out += " (" + safe(where_text(repro)) + ")\n";
  out += again ? said(shown.message, shown.failure) : "  before: " + safe_lines(repro.message, "  ") + '\n';
  return Answer{{{"reproduced", again},
                 {"same", same},
                 {"message", shown.message},
                 {"failure", json::of(shown.failure)},
                 {"one", json::of(repro.one)}},
                std::move(out),
                again ? Exit::negative : Exit::done};
}

}  // namespace ww::cli
