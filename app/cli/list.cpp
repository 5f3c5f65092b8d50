// SPDX-License-Identifier: Apache-2.0
#include "commands.h"
#include "console.h"
#include "output.h"

namespace ww::cli {

namespace {

Result<int> list(const Common& common, const std::string& what, const std::string& run) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, false);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  if (what == "runs") {
    const std::vector<store::RunRecord> runs = WW_TRY((*workspace)->runs());
    if (common.json) {
      Json all = Json::array();
      for (const store::RunRecord& r : runs) all.push_back(run_json(**workspace, r));
      print_json(common, {{"runs", all}});
      return Exit::done;
    }
    std::vector<std::vector<std::string>> rows;
    for (const store::RunRecord& r : runs)
      rows.push_back({std::to_string(r.id), r.created.substr(0, 16),
                      enum_string(state_of(**workspace, r)) + (r.imported ? ", imported" : ""), r.device, r.generator,
                      std::to_string(r.proposed), std::to_string(r.judged), std::to_string(r.accepted),
                      safe(r.op_name)});
    print_text(rows.empty() ? "The workspace has no runs yet."
                            : table({"#Run", "Started (UTC)", "State", "Device", "Generator", "#Proposed", "#Judged",
                                     "#Accepted", "Op"},
                                    rows));
    return Exit::done;
  }
  const std::int64_t number = WW_TRY(run_number(**workspace, run));
  const std::vector<explore::CandidateRow> rows = WW_TRY(explore::rows_of(**workspace, number));
  if (common.json) {
    print_json(common, {{"run", number}, {"candidates", json::of(rows)}});
  } else {
    print_text(rows.empty() ? "Run " + std::to_string(number) + " has no candidates." : ranked_text(rows));
  }
  return Exit::done;
}

}  // namespace

void add_list(Commands& commands) {
  struct Args {
    std::string what = "runs", run;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app = commands.add("list", "runs, or the candidates of a run",
                               [args](const Common& common) { return list(common, args->what, args->run); });
  app.add_option("WHAT", args->what, "runs or candidates")
      ->capture_default_str()
      ->check(CLI::IsMember({"runs", "candidates"}));
  app.add_option("--run", args->run, "the run: its number, or last (default)");
}

}  // namespace ww::cli
