// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include "command_tree.h"

namespace ww::cli {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

std::string in_quotes(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

std::vector<std::string> option_names_of(const CommandNode& node) {
  std::vector<std::string> names;
  for (const OptionNode& o : node.options) names.insert(names.end(), o.names.begin(), o.names.end());
  return names;
}

std::vector<std::string> command_names_of(const CommandNode& node) {
  std::vector<std::string> names;
  for (const CommandNode& c : node.commands) names.push_back(c.name);
  return names;
}

// Every command with the path to it: "" for the root, "receipt verify".
void for_each(const CommandNode& node, const std::string& path,
              const std::function<void(const CommandNode&, const std::string& path)>& visit) {
  visit(node, path);
  for (const CommandNode& c : node.commands) for_each(c, path.empty() ? c.name : path + ' ' + c.name, visit);
}

std::string positional_choices(const CommandNode& node) {
  std::string all;
  for (const OptionNode& o : node.options)
    if (o.names.empty()) all += (all.empty() ? "" : " ") + joined(o.choices);
  return all;
}

}  // namespace

std::string bash_completions(const CommandNode& root) {
  std::string paths, words, values;
  for_each(root, {}, [&](const CommandNode& node, const std::string& path) {
    if (!path.empty()) paths += "      " + in_quotes(path) + ") path=$next ;;\n";
    words += "    " + in_quotes(path) + ")\n      options=" + in_quotes(joined(option_names_of(node))) +
             "\n      words=" +
             in_quotes(node.commands.empty() ? positional_choices(node) : joined(command_names_of(node))) + " ;;\n";
    for (const OptionNode& o : node.options) {
      if (o.names.empty() || !o.takes_value) continue;
      std::string keys;
      for (const std::string& name : o.names) keys += (keys.empty() ? "" : "|") + in_quotes(path + ":" + name);
      values += "    " + keys + ") " +
                (o.choices.empty() ? "COMPREPLY=($(compgen -f -- \"$cur\"))"
                                   : "COMPREPLY=($(compgen -W " + in_quotes(joined(o.choices)) + " -- \"$cur\"))") +
                "; return ;;\n";
    }
  });
  return "# bash completion of warpwright-cli; made by 'warpwright-cli completions bash'\n"
         "_warpwright_cli() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path= next i options words\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    next=${path:+$path }${COMP_WORDS[i]}\n"
         "    case $next in\n" +
         paths +
         "    esac\n"
         "  done\n"
         "  case \"$path:$prev\" in\n" +
         values +
         "  esac\n"
         "  case $path in\n" +
         words +
         "  esac\n"
         "  if [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "    [[ ${#COMPREPLY[@]} -gt 0 || -z $path ]] || COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _warpwright_cli warpwright-cli\n";
}

std::string zsh_completions(const CommandNode& root) {
  const auto help = [](const std::string& text) {  // within [] of a specification
    std::string out = first_line(text);
    for (const char* special : {"\\", "[", "]", ":"}) out = replaced(out, special, std::string("\\") + special);
    return out;
  };
  const auto function_of = [](const std::string& path) {
    return "_warpwright-cli" + (path.empty() ? "" : "-" + replaced(path, " ", "-"));
  };
  std::string out = "#compdef warpwright-cli\n# made by 'warpwright-cli completions zsh'\n";
  for_each(root, {}, [&](const CommandNode& node, const std::string& path) {
    out += "\n" + function_of(path) + "() {\n";
    std::string specs;
    for (const OptionNode& o : node.options) {
      const std::string value =
          !o.takes_value ? "" : ":value:" + (o.choices.empty() ? "_files" : "(" + joined(o.choices) + ")");
      for (const std::string& name : o.names)
        specs += " \\\n    " + in_quotes("*" + name + "[" + help(o.help) + "]" + value);
      if (o.names.empty()) specs += " \\\n    " + in_quotes("*:" + replaced(o.argument, ":", "") + value.substr(6));
    }
    if (node.commands.empty()) {
      out += "  _arguments" + specs + "\n}\n";
      return;
    }
    out += "  local line state\n  _arguments -C" + specs + " \\\n    '1:command:->command' '*::argument:->argument'\n";
    out += "  case $state in\n  command)\n    local -a commands=(\n";
    for (const CommandNode& c : node.commands) out += "      " + in_quotes(c.name + ":" + help(c.help)) + "\n";
    out += "    )\n    _describe command commands ;;\n  argument)\n    case $line[1] in\n";
    for (const CommandNode& c : node.commands)
      out += "    " + c.name + ") " + function_of(path.empty() ? c.name : path + ' ' + c.name) + " ;;\n";
    out += "    esac ;;\n  esac\n}\n";
  });
  return out +
         "\nif [[ $funcstack[1] == _warpwright-cli ]]; then _warpwright-cli \"$@\"; else compdef _warpwright-cli "
         "warpwright-cli; fi\n";
}

std::string fish_completions(const CommandNode& root) {
  const auto quoted = [](const std::string& text) {
    return "'" + replaced(replaced(first_line(text), "\\", "\\\\"), "'", "\\'") + "'";
  };
  std::string out = "# made by 'warpwright-cli completions fish'\n";
  for_each(root, {}, [&](const CommandNode& node, const std::string& path) {
    std::string seen, none = path.empty() ? "__fish_use_subcommand" : "";
    for (std::size_t at = 0; at < path.size();) {
      const std::size_t end = std::min(path.find(' ', at), path.size());
      seen += (seen.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") + path.substr(at, end - at);
      at = end + 1;
    }
    const std::string here = "complete -c warpwright-cli -n " + quoted(path.empty() ? none : seen);
    if (!path.empty() && !node.commands.empty())
      none = seen + "; and not __fish_seen_subcommand_from " + joined(command_names_of(node));
    for (const CommandNode& c : node.commands)
      out += "complete -c warpwright-cli -f -n " + quoted(none) + " -a " + c.name + " -d " + quoted(c.help) + '\n';
    if (const std::string choices = positional_choices(node); !choices.empty())
      out += here + " -a " + quoted(choices) + '\n';
    for (const OptionNode& o : node.options) {
      if (o.names.empty()) continue;
      out += here;
      for (const std::string& name : o.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (o.takes_value) out += o.choices.empty() ? " -r" : " -x -a " + quoted(joined(o.choices));
      out += " -d " + quoted(o.help) + '\n';
    }
  });
  return out;
}

}  // namespace ww::cli
