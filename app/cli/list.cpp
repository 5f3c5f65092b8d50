// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include "answer.h"
#include "base/ascii.h"
#include "commands.h"
#include "console.h"
#include "output.h"

namespace ww::cli {

Result<Answer> runs_of(store::Workspace& workspace) {
  Json all = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const store::RunRecord& r : WW_TRY(workspace.runs())) {
    all.push_back(run_json(workspace, r));
    rows.push_back({std::to_string(r.id), r.created.substr(0, 16),
                    enum_string(state_of(workspace, r)) + (r.imported ? ", imported" : ""), r.device, r.generator,
                    std::to_string(r.proposed), std::to_string(r.judged), std::to_string(r.accepted), safe(r.op_name)});
  }
  return Answer{{{"runs", all}},
                rows.empty() ? "The workspace has no runs yet."
                             : table({"#Run", "Started (UTC)", "State", "Device", "Generator", "#Proposed", "#Judged",
                                      "#Proved", "Op"},
                                     rows),
                Exit::done,
                all};
}

Result<Answer> candidates_of(store::Workspace& workspace, std::int64_t run) {
  const std::vector<explore::CandidateRow> rows = WW_TRY(explore::rows_of(workspace, run));
  const Json all = json::of(rows);
  return Answer{{{"run", run}, {"candidates", all}},
                unconfirmed_line(workspace, run) +
                    (rows.empty() ? "Run " + std::to_string(run) + " has no candidates." : ranked_text(rows)),
                Exit::done,
                all};
}

namespace {

bool speaks_of(const op::LibraryOp& op, const std::string& words) {  // of each of them
  std::string all = op.spec.name + ' ' + op.family + ' ' + op.summary;
  for (const std::string& phrase : op.phrases) all += ' ' + phrase;
  all = ascii_lower(all);
  std::istringstream split(ascii_lower(words));
  for (std::string word; split >> word;)
    if (all.find(word) == std::string::npos) return false;
  return true;
}

}  // namespace

Answer ops_found(const op::Library& library, const std::string& words) {
  std::vector<const op::LibraryOp*> found;
  for (const op::LibraryOp& op : library.ops())
    if (speaks_of(op, words)) found.push_back(&op);
  if (found.empty()) found = library.nearest(words, 24);
  Json all = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const op::LibraryOp* op : found) {
    all.push_back({{"name", op->spec.name}, {"family", op->family}, {"summary", op->summary}});
    rows.push_back({op->spec.name, op->family, op->summary});
  }
  return {{{"ops", all}},
          rows.empty() ? "No op in the library resembles '" + safe(words) + "'."
                       : table({"Op", "Family", "What it is"}, rows),
          Exit::done,
          all};
}

namespace {

Result<int> list(const Common& common, const std::string& what, const std::vector<std::string>& words,
                 const std::string& run) {
  if (what == "ops") {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
    return print_answer(common, ops_found(WW_TRY(op_library()), all));
  }
  if (!words.empty()) return fail(Code::invalid_argument, "'list " + what + "' accepts no words; use 'list ops'");
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  if (what == "runs") return print_answer(common, WW_TRY(runs_of(**workspace)));
  return print_answer(common, WW_TRY(candidates_of(**workspace, WW_TRY(run_number(**workspace, run)))));
}

}  // namespace

void add_list(Commands& commands) {
  struct Args {
    std::string what = "runs", run;
    std::vector<std::string> words;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app =
      commands.add("list", "lists runs, the candidates of a run, or the ops of the library",
                   [args](const Common& common) { return list(common, args->what, args->words, args->run); });
  app.add_option("WHAT", args->what, "runs, candidates or ops")
      ->capture_default_str()
      ->check(CLI::IsMember({"runs", "candidates", "ops"}));
  app.add_option("WORDS", args->words, "for ops: words that describe them; default: all");
  commands.add_format(app);
  app.add_option("--run", args->run, "the run: its number, or last (default)");
}

}  // namespace ww::cli
