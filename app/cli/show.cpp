// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "answer.h"
#include "commands.h"
#include "base/json_reader.h"
#include "console.h"
#include "evidence/explain.h"
#include "identity/machine_code.h"
#include "output.h"
#include "review/decision.h"
#include "store/words.h"

namespace ww::cli {
namespace {

Json shown_json(const store::CandidateRecord& c, const explore::CandidateRow& row,
                const std::vector<store::MeasurementRecord>& measurements,
                const std::vector<store::ReviewRecord>& reviews, bool with_ptx) {
  Json measured = Json::array();
  for (const store::MeasurementRecord& m : measurements)
    measured.push_back({{"id", m.id},
                        {"kind", enum_name(m.kind)},
                        {"device", m.device},
                        {"gpu", m.gpu},
                        {"driver", m.driver},
                        {"created", m.created},
                        {"imported", m.imported},
                        {"content", json::json_or_null(m.json)}});
  return {{"run", c.run},
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
}

}  // namespace

Result<Answer> shown(store::Workspace& workspace, const store::CandidateRecord& c, bool with_ptx,
                     const std::optional<std::string>& sass) {
  explore::CandidateRow row;
  for (const explore::CandidateRow& r : WW_TRY(explore::rows_of(workspace, c.run)))
    if (r.id == c.id) row = r;
  const std::vector<store::MeasurementRecord> measurements = WW_TRY(workspace.measurements(c.id));
  const std::vector<store::ReviewRecord> reviews = WW_TRY(workspace.reviews(c.id));
  Json j = shown_json(c, row, measurements, reviews, with_ptx);
  if (sass) j["sass"] = *sass;
  std::string out =
      fmt::format("Candidate {} of run {}{}\n", c.id, c.run, row.rank ? ", rank " + std::to_string(*row.rank) : "");
  out += unconfirmed_line(workspace, c.run);
  out += "Hash       " + c.hash + '\n';
  if (!c.parent.empty()) out += "Parent     " + c.parent + '\n';
  if (!c.title.empty()) out += "Title      " + safe(c.title) + '\n';
  if (!c.structure.empty()) out += "Structure  " + safe(c.structure) + '\n';
  out += "Generator  " + safe(c.generator) + '\n';
  if (!c.note.empty()) out += "Note       " + safe_lines(c.note, std::string(11, ' ')) + '\n';
  if (row.score)
    out += fmt::format("{:<11}", store::number_word(row.score->provenance)) + score_text(*row.score) +
           (row.score->provenance == Provenance::simulated
                ? " " + row.score->unit
                : ", " + enum_string(row.score->provenance) + appraisal::spread_text(*row.score)) +
           '\n';
  out += "Verdict    " + (row.verdict.empty() ? "none yet" : safe_lines(row.verdict, std::string(11, ' '))) + '\n';
  if (c.verdict) out += verdict_text(*c.verdict);
  for (const store::MeasurementRecord& m : measurements)
    out += fmt::format("Measured   {} on {} ({}, driver {}), {} (measurement {}; its numbers: --json)\n",
                       enum_name(m.kind), safe(m.gpu), safe(m.device), safe(m.driver), m.created.substr(0, 16), m.id) +
           (m.imported ? "           imported, not measured here\n" : "");
  if (!reviews.empty()) out += "Review     " + review_text(reviews, c.hash) + '\n';
  out += reviews_text(reviews);
  out += '\n' + safe_lines(c.text) + '\n';
  if (with_ptx && c.verdict) out += "\nPTX\n" + safe_lines(c.verdict->ptx) + '\n';
  if (sass) out += "\nMachine code (SASS)\n" + safe_lines(*sass) + '\n';
  return Answer{std::move(j), std::move(out)};
}

namespace {

Result<int> show(const Common& common, const std::string& candidate, bool with_ptx, bool with_sass) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const store::CandidateRecord c = WW_TRY((*workspace)->find_candidate(candidate));
  std::optional<std::string> sass;
  if (with_sass) {
    const store::RunRecord run = WW_TRY((*workspace)->run(c.run));
    Result<std::string> code = identity::machine_code(c, run.architecture);
    if (!code)
      return failed(common, code.error(), code.error().code == Code::unavailable ? Exit::environment : Exit::negative);
    sass = std::move(*code);
  }
  return print_answer(common, WW_TRY(shown(**workspace, c, with_ptx, sass)));
}

}  // namespace

void add_show(Commands& commands) {
  struct Args {
    std::string candidate;
    bool ptx = false, sass = false;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app = commands.add("show", "shows one candidate with its verdict", [args](const Common& common) {
    return show(common, args->candidate, args->ptx, args->sass);
  });
  app.add_option("CANDIDATE", args->candidate, a_stored)->required();
  app.add_flag("--ptx", args->ptx, "also print its PTX");
  app.add_flag("--sass", args->sass,
               "also print its machine code for the run's architecture (needs NVIDIA's nvdisasm)");
}

}  // namespace ww::cli
