// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "commands.h"
#include "base/json_reader.h"
#include "console.h"
#include "evidence/explain.h"
#include "identity/machine_code.h"
#include "output.h"
#include "review/decision.h"

namespace ww::cli {
namespace {

Result<int> show(const Common& common, const std::string& candidate, bool with_ptx, bool with_sass) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, false);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const store::CandidateRecord c = WW_TRY((*workspace)->find_candidate(candidate));
  explore::CandidateRow row;
  if (const Result<std::vector<explore::CandidateRow>> rows = explore::rows_of(**workspace, c.run)) {
    for (const explore::CandidateRow& r : *rows)
      if (r.id == c.id) row = r;
  } else {
    return failed(common, rows.error());
  }
  const std::vector<store::MeasurementRecord> measurements = WW_TRY((*workspace)->measurements(c.id));
  const std::vector<store::ReviewRecord> reviews = WW_TRY((*workspace)->reviews(c.id));
  Result<std::string> sass;
  if (with_sass) {
    const Result<store::RunRecord> run = (*workspace)->run(c.run);
    sass = run ? identity::machine_code(c, run->architecture) : fail(run.error());
  }
  if (!sass)
    return failed(common, sass.error(), sass.error().code == Code::unavailable ? Exit::environment : Exit::negative);
  if (common.json) {
    Json measured = Json::array();
    for (const store::MeasurementRecord& m : measurements)
      measured.push_back({{"id", m.id},
                          {"kind", m.kind},
                          {"device", m.device},
                          {"gpu", m.gpu},
                          {"driver", m.driver},
                          {"created", m.created},
                          {"imported", m.imported},
                          {"content", json::json_or_null(m.json)}});
    Json j = {{"run", c.run},
              {"candidate", json::of(row)},
              {"note", c.note},
              {"language", candidate::language_name(c.language)},
              {"created", c.created},
              {"text", c.text},
              {"verdict", c.verdict ? verdict_json(*c.verdict, with_ptx) : Json(nullptr)},
              {"measurements", measured},
              {"review",
               {{"state", enum_name(review::state_of(reviews, c.hash))},
                {"imported", enum_name(review::imported_state_of(reviews, c.hash))},
                {"decisions", reviews_json(reviews)}}}};
    if (with_sass) j["sass"] = *sass;
    print_json(common, std::move(j));
    return Exit::done;
  }
  std::string out =
      fmt::format("Candidate {} of run {}{}\n", c.id, c.run, row.rank ? ", rank " + std::to_string(*row.rank) : "");
  out += "Hash       " + c.hash + '\n';
  if (!c.parent.empty()) out += "Parent     " + c.parent + '\n';
  if (!c.title.empty()) out += "Title      " + safe(c.title) + '\n';
  if (!c.structure.empty()) out += "Structure  " + safe(c.structure) + '\n';
  out += "Generator  " + safe(c.generator) + '\n';
  if (!c.note.empty()) out += "Note       " + safe_lines(c.note, std::string(11, ' ')) + '\n';
  if (row.score)
    out += "Score      " + score_text(*row.score) +
           (row.score->provenance == Provenance::simulated
                ? " " + row.score->unit
                : ", " + enum_string(row.score->provenance) + explore::spread_text(*row.score)) +
           '\n';
  out += "Verdict    " + (row.verdict.empty() ? "none yet" : safe_lines(row.verdict, std::string(11, ' '))) + '\n';
  if (c.verdict) out += verdict_text(*c.verdict);
  for (const store::MeasurementRecord& m : measurements)
    out += fmt::format("Measured   {} on {} ({}, driver {}), {} (measurement {}; its numbers: --json)\n", m.kind,
                       safe(m.gpu), safe(m.device), safe(m.driver), m.created.substr(0, 16), m.id) +
           (m.imported ? "           imported, not measured here\n" : "");
  if (!reviews.empty()) out += "Review     " + review_text(reviews, c.hash) + '\n';
  out += reviews_text(reviews);
  out += '\n' + safe_lines(c.text) + '\n';
  if (with_ptx && c.verdict) out += "\nPTX\n" + safe_lines(c.verdict->ptx) + '\n';
  if (with_sass) out += "\nMachine code (SASS)\n" + safe_lines(*sass) + '\n';
  print_text(out);
  return Exit::done;
}

}  // namespace

void add_show(Commands& commands) {
  struct Args {
    std::string candidate;
    bool ptx = false, sass = false;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app = commands.add("show", "one candidate with its verdict", [args](const Common& common) {
    return show(common, args->candidate, args->ptx, args->sass);
  });
  app.add_option("CANDIDATE", args->candidate, a_stored)->required();
  app.add_flag("--ptx", args->ptx, "also print its PTX");
  app.add_flag("--sass", args->sass,
               "also print its machine code for the run's architecture (needs NVIDIA's nvdisasm)");
}

}  // namespace ww::cli
