// SPDX-License-Identifier: Apache-2.0
#include "commands.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include "console.h"
#include "op/names.h"
#include "output.h"

namespace ww::cli {
namespace {

std::string refuse_empty(const std::string& folder) {
  return folder.empty() ? "needs a folder; leave it out for the default workspace" : "";
}

std::string footer_of(Commands::Workspace workspace) {
  std::string text =
      "Exit codes: 0 proved or done, 1 rejected or failed, 2 usage error, 3 worker, compiler, workspace or generator "
      "missing, 6 not judged, 130 interrupted; for receipts, 4 signed with an unknown key, 5 with a revoked one.";
  if (workspace == Commands::Workspace::used)
    text += "\nWorkspace: --workspace, else $WARPWRIGHT_WORKSPACE, else $XDG_DATA_HOME/warpwright/default.";
  return text;
}

void add_common(CLI::App& command, Common& common, Commands::Workspace workspace) {
  command.footer(footer_of(workspace));
  command.add_flag("--json", common.json, "one JSON object on stdout (docs/json.md)");
  if (workspace == Commands::Workspace::used)
    command.add_option("--workspace", common.workspace, "folder of the workspace")->check(refuse_empty);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

const CLI::App& deepest_named(const CLI::App& all) {
  const CLI::App* app = &all;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

// After a failed parse: a sentence on the first argument that no command takes, with the name near it. Empty where
// every argument was taken.
std::string unknown_argument(const CLI::App& all) {
  const std::vector<std::string> unknown = all.remaining(true);
  if (unknown.empty()) return {};
  const CLI::App* app = &deepest_named(all);
  const std::string given = unknown.front().substr(0, unknown.front().find('='));
  const std::vector<std::string> commands = command_names(*app);
  const bool option = given.starts_with("-");
  if (!option && commands.empty())
    return "'" + app->get_name() + "' does not expect '" + given + "'; put text of several words in quotes";
  const std::string sentence = (app == &all ? "there is no " : "'" + app->get_name() + "' has no ") +
                               (option ? "option '" : "command '") + given + "'";
  const std::string near = op::did_you_mean(given, option ? option_names(*app) : commands);
  return sentence + (near.empty() ? "" : "; " + near);
}

// After a failed parse: a sentence on the first value that is not of its argument's kind. Empty where there is none.
std::string wrong_value(const CLI::App& all) {
  for (const CLI::Option* option : deepest_named(all).get_options()) {
    const std::string type = option->get_type_name().substr(0, option->get_type_name().find(':'));
    const bool whole = type == "INT" || type == "UINT";
    if (!whole && type != "FLOAT") continue;
    for (const std::string& value : option->results()) {
      std::int64_t integer = 0;
      double real = 0;
      if (whole ? CLI::detail::lexical_cast(value, integer) : CLI::detail::lexical_cast(value, real)) continue;
      return option->get_name() + " takes a " + (whole ? "whole number" : "number") + ", not '" + value + "'";
    }
  }
  return {};
}

// "receipt verify"; empty before the first command.
std::string command_of(const CLI::App& all) {
  std::string name;
  for (const CLI::App* app = &all; !app->get_subcommands().empty();) {
    app = app->get_subcommands().front();
    name += (name.empty() ? "" : " ") + app->get_name();
  }
  return name;
}

// Whether the answer should be JSON, of arguments that could not be parsed.
bool asks_for_json(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i)
    if (arguments[i] == "--json" || arguments[i] == "--format=json" ||
        (arguments[i] == "--format" && i + 1 < arguments.size() && arguments[i + 1] == "json"))
      return true;
  return false;
}

// Output lost to a full disk or a closed pipe is a failure.
int after_output(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  const std::string why = errno ? std::string(": ") + std::strerror(errno) : std::string();
  put(Stream::error, "warpwright-cli: the output could not be written" + why + "\n");
  return Exit::environment;
}

}  // namespace

Commands::Commands()
    : app_(
          "Warpwright: explore, prove and compare GPU kernels. Without a GPU they run on Warpwright's own SIMT "
          "machine.",
          "warpwright-cli") {
  app_.set_version_flag("--version", std::string("warpwright-cli ") + WW_VERSION);
  app_.require_subcommand(1);
  app_.footer(footer_of(Workspace::used));
}

void Commands::begin_section(const std::string& title) { section_ = title; }

CLI::App& Commands::add(const std::string& name, const std::string& help, Run run, Workspace workspace) {
  return add_to(app_, name, help, std::move(run), workspace);
}

CLI::App& Commands::add_to(CLI::App& group, const std::string& name, const std::string& help, Run run,
                           Workspace workspace) {
  CLI::App& command = *group.add_subcommand(name, help);
  if (&group == &app_) command.group(section_);
  add_common(command, common_, workspace);
  command.callback([this, name = &group == &app_ ? name : group.get_name() + " " + name, run = std::move(run)] {
    if (chosen_) return;  // a command of this one, whose callback comes first
    common_.command = name;
    chosen_ = run;
  });
  return command;
}

CLI::App& Commands::add_group(const std::string& name, const std::string& help) {
  return *app_.add_subcommand(name, help)->require_subcommand(1)->group(section_);
}

void Commands::add_format(CLI::App& command) {
  command.add_option("--format", common_.format, "text, json (as --json), csv or markdown")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}))
      ->excludes("--json")
      ->each([this](const std::string& format) { common_.json = format == "json"; });
}

int Commands::run(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return after_output(app_.exit(e));
    std::string why = unknown_argument(app_);
    if (why.empty()) why = wrong_value(app_);
    common_.command = command_of(app_);
    common_.json = asks_for_json({argv + 1, argv + argc});
    const char* const hint = "Run with --help for more information.";
    return after_output(failed(common_, {Code::invalid_argument, why.empty() ? e.what() : why, "", {}, hint}));
  }
  int exit_code = Exit::negative;
  try {
    const Result<int> done = chosen_(common_);
    exit_code = done ? *done : failed(common_, done.error());
  } catch (const std::exception& e) {  // memory, mostly
    exit_code = failed(common_, {Code::internal, "the command could not be completed", e.what()});
  }
  return after_output(exit_code);
}

}  // namespace ww::cli
