// SPDX-License-Identifier: Apache-2.0
// The commands and their options as plain data, extracted from the argument parser, from which completions and the man
// page are generated.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ww::cli {

struct OptionNode {
  std::vector<std::string> names;  // "--output", "-o"; empty: an argument
  std::string argument;            // its name: "CANDIDATE", "FILE"
  std::string help;
  std::vector<std::string> choices;  // allowed values; empty: any
  bool takes_value = false, required = false;
};
struct CommandNode {
  std::string name, help, footer;
  std::vector<OptionNode> options;  // including arguments
  std::vector<CommandNode> commands;
};
CommandNode tree_of(const CLI::App& app);

std::string bash_completions(const CommandNode& root);
std::string zsh_completions(const CommandNode& root);
std::string fish_completions(const CommandNode& root);
std::string man_page(const CommandNode& root, const std::string& version);

}  // namespace ww::cli
