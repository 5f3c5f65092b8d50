// SPDX-License-Identifier: Apache-2.0
// warpwright-cli: everything the engine can do, without a window.
#include "commands.h"
#include <csignal>
#include "base/standard_streams.h"
#include "llm/catalogue.h"

int main(int argc, char** argv) {
  using namespace ww::cli;
  ww::hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is reported as an ordinary error
  ww::llm::take_keys();           // before anything can read the environment, or start a process
  Commands commands;
  for (const auto add :
       {add_doctor, add_spec,       add_explore,      add_kernelbench, add_campaign, add_formulate, add_review,
        add_models, add_transcript, add_trajectories, add_replay,      add_check,    add_gate,      add_list,
        add_show,   add_decisions,  add_receipt,      add_keys,        add_diff,     add_advise,    add_mcp,
        add_report, add_time,       add_profile,      add_baseline,    add_compare,  add_bundle,    add_delete,
        add_export, add_schema,     add_completions,  add_man,         add_sim,      add_learn})
    add(commands);
  return commands.run(argc, argv);
}
