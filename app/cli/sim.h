// SPDX-License-Identifier: Apache-2.0
// What the commands of `sim` share.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "command.h"
#include "commands.h"
#include "rpc/supervisor.h"
#include "sim/job.h"
#include "sim/outcome.h"

namespace ww::cli {

inline constexpr const char* stopping = "\nStopping. Interrupt again to exit at once.\n";

std::string site_text(const sim::Site& site);  // "thread (5,0,0) of block (0,0,0), line 4: st.shared.f32 …, stores 1"
// Indented lines; `kernel`: named in them.
std::string finding_text(const sim::Finding& finding, const std::string& kernel = {});
Exit exit_without_outcome(Code code);  // of a case
rpc::WorkerOptions worker_for(const sim::Job& job);
// What the command line says instead of the case.
Status choose(sim::Job& job, const std::vector<std::string>& checks, std::optional<std::uint64_t> seed);
// Empty: all.
Result<std::vector<sim::Check>> checks_of(const std::vector<std::string>& names);
void add_sim_exec(Commands& commands, CLI::App& group);
void add_sim_trace(Commands& commands, CLI::App& group);
void add_sim_moment(Commands& commands, CLI::App& group);

}  // namespace ww::cli
