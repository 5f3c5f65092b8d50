// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "base/visible.h"
#include "command_tree.h"

namespace ww::cli {
namespace {

std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char32_t c : code_points(text)) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    begins = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c < 0x80)
      out += static_cast<char>(c);
    else
      out += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(c));
  }
  return out;
}

std::string usage_of(const CommandNode& node, const std::string& path) {
  std::string out = ".B " + roff(path) + "\n";
  if (!node.commands.empty()) return out + ".I COMMAND\n";
  for (const OptionNode& o : node.options)
    if (o.names.empty()) out += roff(o.required ? o.argument : "[" + o.argument + "]") + "\n";
  return out + "[options]\n";
}

std::string option_text(const OptionNode& o) {
  std::string out = ".TP\n";
  std::string names;
  for (const std::string& name : o.names) names += (names.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  if (o.names.empty())
    names = "\\fI" + roff(o.argument) + "\\fR";
  else if (o.takes_value)
    names += " \\fI" + roff(o.argument) + "\\fR";
  out += names + '\n' + roff(o.help) + '\n';
  std::string choices;
  for (const std::string& c : o.choices) choices += (choices.empty() ? "" : ", ") + c;
  return out + (choices.empty() ? "" : roff("One of: " + choices + ".") + '\n');
}

void add_command_text(const CommandNode& node, const std::string& path, std::string& out) {
  out += ".SS " + roff(path) + '\n' + roff(node.help) + ".\n.PP\n" + usage_of(node, "warpwright-cli " + path);
  for (const OptionNode& o : node.options)
    if (!(o.names.size() == 1 && o.names[0] == "--json") && !(o.names.size() > 1 && o.names[0] == "--help"))
      out += option_text(o);
  if (!node.footer.empty()) out += ".PP\n.nf\n" + roff(node.footer) + "\n.fi\n";
  for (const CommandNode& c : node.commands) add_command_text(c, path + ' ' + c.name, out);
}

}  // namespace

std::string man_page(const CommandNode& root, const std::string& version) {
  std::string out = ".TH WARPWRIGHT\\-CLI 1 \"\" \"Warpwright " + roff(version) +
                    "\"\n.SH NAME\nwarpwright\\-cli \\- explore, prove and compare GPU kernels\n.SH SYNOPSIS\n" +
                    usage_of(root, root.name) + "[options]\n.SH DESCRIPTION\n" + roff(root.help) + "\n.SH OPTIONS\n";
  for (const OptionNode& o : root.options) out += option_text(o);
  out += ".TP\n\\fB\\-\\-json\\fR\nOf every command: one JSON object on stdout.\n.SH COMMANDS\n";
  for (const CommandNode& c : root.commands) add_command_text(c, c.name, out);
  return out + ".SH \"EXIT STATUS\"\n.nf\n" + roff(root.footer) + "\n.fi\n";
}

}  // namespace ww::cli
