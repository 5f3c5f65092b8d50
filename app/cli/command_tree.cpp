// SPDX-License-Identifier: Apache-2.0
#include "command_tree.h"
#include "answer.h"
#include "commands.h"
#include "console.h"
#include "output.h"

namespace ww::cli {
namespace {

// CLI11 encodes an option's allowed values in the name of its type: "TEXT:{runs,candidates}".
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

OptionNode option_node(const CLI::Option& option) {
  OptionNode node;
  for (const std::string& name : option.get_lnames()) node.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) node.names.push_back("-" + name);
  node.help = option.get_description();
  node.takes_value = option.get_items_expected_max() > 0;
  node.required = option.get_required();
  if (node.takes_value) {
    node.choices = choices_of(option.get_type_name());
    node.argument = node.names.empty() ? option.get_name(true) : "VALUE";
  }
  return node;
}

}  // namespace

CommandNode tree_of(const CLI::App& app) {
  CommandNode node{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) node.options.push_back(option_node(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    node.commands.push_back(tree_of(*command));
  for (CommandNode& command : node.commands)
    if (command.footer == node.footer) command.footer.clear();  // inherited
  return node;
}

void add_completions(Commands& commands) {
  const auto shell = std::make_shared<std::string>();
  CLI::App& app = commands.add(
      "completions", "prints a script that lets a shell complete commands and options",
      [shell, &commands](const Common& common) -> Result<int> {
        const CommandNode root = tree_of(commands.app());
        const std::string text = *shell == "bash"  ? bash_completions(root)
                                 : *shell == "zsh" ? zsh_completions(root)
                                                   : fish_completions(root);
        return print_answer(common, {{{"shell", *shell}, {"text", text}}, text});
      },
      Commands::Workspace::none);
  app.add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app.footer(
      "bash: warpwright-cli completions bash > ~/.local/share/bash-completion/completions/warpwright-cli\n"
      "zsh:  warpwright-cli completions zsh > FOLDER-OF-FPATH/_warpwright-cli\n"
      "fish: warpwright-cli completions fish > ~/.config/fish/completions/warpwright-cli.fish");
}

void add_man(Commands& commands) {
  commands.add(
      "man", "prints the manual page; 'warpwright-cli man | man -l -' shows it",
      [&commands](const Common& common) -> Result<int> {
        const std::string text = man_page(tree_of(commands.app()), WW_VERSION);
        return print_answer(common, {{{"text", text}}, text});
      },
      Commands::Workspace::none);
}

}  // namespace ww::cli
