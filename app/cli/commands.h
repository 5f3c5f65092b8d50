// SPDX-License-Identifier: Apache-2.0
// The commands of warpwright-cli. Each registers itself, in the file that implements it.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include "base/result.h"
#include "command.h"

namespace ww::cli {

class Commands {
 public:
  // returns the exit code; an error is reported and has its own exit code
  using Run = std::function<Result<int>(const Common&)>;
  enum class Workspace { none, used };

  Commands();
  void begin_section(const std::string& title);  // of --help, for the commands that are added from now on
  // The caller adds the options to the returned command; their targets must live as long as `run`.
  CLI::App& add(const std::string& name, const std::string& help, Run run, Workspace workspace = Workspace::used);
  CLI::App& add_to(CLI::App& group, const std::string& name, const std::string& help, Run run,
                   Workspace workspace = Workspace::used);
  CLI::App& add_group(const std::string& name, const std::string& help);  // a command with subcommands
  void add_format(CLI::App& command);                                     // for a command whose answer has records
  const CLI::App& app() const { return app_; }
  int run(int argc, char** argv);  // runs the command named by the arguments

 private:
  CLI::App app_;
  Common common_;
  Run chosen_;
  std::string section_;
};

// Options shared by several commands.
// The flags of generator::RunOptions, from its description; `only`: a subset, empty: all.
void add_run_flags(CLI::App& app, RunArgs& run, const std::set<std::string, std::less<>>& only = {});
extern const std::set<std::string, std::less<>> judging_flags,
    asking_flags;  // for check; for commands that ask models
enum class AllowHosts { no, yes };
// Of a command that asks the model of one role; `without_sources`: what --no-sources does there.
void add_asking(CLI::App& app, RunArgs& run, const std::string& role, const char* without_sources);
void add_limits(CLI::App& app, RunArgs& run, AllowHosts allow);
void add_exploring(CLI::App& app, RunArgs& run);
// Checks a file that the command writes: its folder exists, and it is not a folder itself.
CLI::Option* add_output(CLI::App& app, const std::string& names, std::filesystem::path& file, const std::string& help);
CLI::Option* add_secret(CLI::App& app, std::string& secret, const std::string& help);  // --secret, of a judgement
enum class MeasuredOp { option, positional };
CLI::Option* add_settings(CLI::App& app, std::vector<std::string>& set, const std::string& help);
void add_measuring(CLI::App& app, MeasureArgs& measure, MeasuredOp op);
inline constexpr const char* a_setting = "value of a shape symbol or constant, e.g. --set R=512 (may be repeated)";
inline constexpr const char* a_stored = "its number or hash prefix";
inline constexpr const char* a_run = "its number, or last";
inline constexpr const char* a_candidate =
    "FILE.cu, FILE.ptx, or a candidate of the workspace: its number or hash prefix";

void add_doctor(Commands& commands);
void add_spec(Commands& commands);
void add_kernelbench(Commands& commands);
void add_explore(Commands& commands);
void add_campaign(Commands& commands);
void add_formulate(Commands& commands);
void add_review(Commands& commands);
void add_models(Commands& commands);
void add_transcript(Commands& commands);
void add_trajectories(Commands& commands);
void add_replay(Commands& commands);
void add_memory(Commands& commands);
void add_check(Commands& commands);
void add_gate(Commands& commands);
void add_list(Commands& commands);
void add_show(Commands& commands);
void add_decisions(Commands& commands);  // accept, reject, note, request-changes, withdraw
void add_receipt(Commands& commands);
void add_keys(Commands& commands);
void add_diff(Commands& commands);
void add_advise(Commands& commands);
void add_mcp(Commands& commands);
void add_report(Commands& commands);
void add_time(Commands& commands);
void add_profile(Commands& commands);
void add_baseline(Commands& commands);
void add_compare(Commands& commands);
void add_bundle(Commands& commands);
void add_delete(Commands& commands);
void add_export(Commands& commands);
void add_sim(Commands& commands);
void add_learn(Commands& commands);
void add_schema(Commands& commands);
void add_completions(Commands& commands);
void add_man(Commands& commands);

}  // namespace ww::cli
