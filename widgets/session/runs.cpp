// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/runs.h"
#include <cctype>
#include "base/gpu_here.h"
#include "explore/generators.h"
#include "identity/machine_code.h"
#include "rpc/worker_report.h"

namespace ww::widgets {

std::vector<Choice> Runs::generators() {
  std::vector<Choice> list;
  const explore::GeneratorList found = explore::list_generators();
  for (const auto& entry : found.usable) {
    std::string title = entry.name == "manual" ? "Only mine" : entry.name == "model" ? "Language model" : entry.name;
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    Choice choice{entry.name,
                  std::move(title),
                  {},
                  entry.name == "search"  ? "The built-in search over equivalent programs; needs no model"
                  : entry.name == "model" ? "Language models propose, directed by a strategy"
                                          : ""};
    list.insert(entry.name == "search" ? list.begin() : list.end(), std::move(choice));
  }
  for (const auto& refused : found.refused)
    list.push_back({refused.file.stem().string(), refused.file.stem().string(), refused.reason, {}});
  return list;
}

// GPUs are asked for in a worker, so that no driver is loaded into this process; without a driver's device file none is
// started.
std::vector<Choice> Runs::devices() {
  std::vector<Choice> list = {{"simt", "SIMT", {}, "Warpwright's own SIMT machine, on the processor"}};
  if (!gpu_here()) return list;
  rpc::WorkerOptions options;
  options.profile = rpc::WorkerProfile::cuda;
  const Result<rpc::WorkerReport> worker = rpc::Supervisor(options).describe();
  if (!worker) return list;
  for (const rpc::WorkerDevice& d : worker->devices)
    if (d.name != "simt") list.push_back({d.name, d.name, d.error, d.description});
  return list;
}

Result<explore::RunEnded> Runs::run(store::Workspace& workspace, const generator::RunOptions& options,
                                    const explore::EventHandler& handler, std::stop_token cancel) {
  return explore::run(workspace, options, handler, cancel);
}

Result<explore::RunEnded> Runs::resume(store::Workspace& workspace, std::int64_t run, const generator::Budget& budget,
                                       const explore::EventHandler& handler, std::stop_token cancel, PauseToken pause) {
  return explore::resume(workspace, run, handler, cancel, budget, std::move(pause));
}

Result<explore::EditChecked> Runs::check_edit(store::Workspace& workspace, std::int64_t run,
                                              const generator::Proposal& edit, const explore::EventHandler& handler,
                                              std::stop_token cancel) {
  return explore::check_edit(workspace, run, edit, handler, cancel);
}

Result<compile::Sass> Runs::machine_rows(const store::CandidateRecord& candidate, const std::string& architecture) {
  return identity::machine_rows(candidate, architecture);
}

}  // namespace ww::widgets
