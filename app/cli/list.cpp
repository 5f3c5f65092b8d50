// SPDX-License-Identifier: Apache-2.0
#include "command.h"
#include "console.h"
#include "output.h"

namespace ww::cli {

int list(const Common& common, const std::string& what, const std::string& run) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, false);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  if (what == "runs") {
    const Result<std::vector<store::RunRecord>> runs = (*workspace)->runs();
    if (!runs) return failed(common, runs.error());
    if (common.json) {
      Json all = Json::array();
      for (const store::RunRecord& r : *runs) all.push_back(run_json(**workspace, r));
      print_json(common, {{"runs", all}});
      return Exit::done;
    }
    std::vector<std::vector<std::string>> rows;
    for (const store::RunRecord& r : *runs)
      rows.push_back({std::to_string(r.id), r.created.substr(0, 16), state_of(**workspace, r), r.device, r.generator,
                      std::to_string(r.proposed), std::to_string(r.judged), std::to_string(r.accepted),
                      safe(r.op_name)});
    print_text(rows.empty() ? "The workspace holds no run yet."
                            : table({"#Run", "Started (UTC)", "State", "Device", "Generator", "#Proposed", "#Judged",
                                     "#Accepted", "Op"},
                                    rows));
    return Exit::done;
  }
  const Result<std::int64_t> number = run_number(**workspace, run);
  if (!number) return failed(common, number.error());
  const Result<std::vector<explore::CandidateRow>> rows = explore::rows_of(**workspace, *number);
  if (!rows) return failed(common, rows.error());
  if (common.json) {
    Json all = Json::array();
    for (const explore::CandidateRow& r : *rows) all.push_back(row_json(r));
    print_json(common, {{"run", *number}, {"candidates", all}});
  } else {
    print_text(rows->empty() ? "Run " + std::to_string(*number) + " holds no candidate." : ranked_text(*rows));
  }
  return Exit::done;
}

}  // namespace ww::cli
