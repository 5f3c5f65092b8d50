// SPDX-License-Identifier: Apache-2.0
// warpwright-cli: everything the engine can do, without a window.
#include "commands.h"
#include <csignal>
#include <utility>
#include <vector>
#include "base/standard_streams.h"
#include "llm/catalogue.h"

int main(int argc, char** argv) {
  using namespace ww::cli;
  ww::hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is reported as an ordinary error
  ww::llm::take_keys();           // before anything can read the environment, or start a process
  Commands commands;
  using Add = void (*)(Commands&);
  const std::pair<const char*, std::vector<Add>> sections[] = {
      {"Begin", {add_doctor, add_learn, add_spec, add_formulate}},
      {"Explore", {add_explore, add_campaign, add_kernelbench, add_list, add_show, add_report, add_delete}},
      {"Judge and compare", {add_check, add_gate, add_diff, add_advise, add_sim}},
      {"Measure on a GPU", {add_time, add_profile, add_baseline, add_compare}},
      {"Review and sign", {add_decisions, add_receipt, add_keys}},
      {"Models and agents",
       {add_models, add_review, add_transcript, add_trajectories, add_replay, add_memory, add_mcp}},
      {"Take elsewhere", {add_export, add_bundle}},
      {"The program itself", {add_schema, add_completions, add_man}}};
  for (const auto& [title, adders] : sections) {
    commands.begin_section(title);
    for (const Add add : adders) add(commands);
  }
  return commands.run(argc, argv);
}
