// SPDX-License-Identifier: Apache-2.0
#include "suggest.h"
#include <algorithm>
#include <numeric>

namespace ww::cli {
namespace {

// Insertions, deletions, replacements, and swaps of neighbours (optimal string alignment).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = std::exchange(last, now);
  }
  return last[b.size()];
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

}  // namespace

std::string nearest_name(std::string_view given, const std::vector<std::string>& names) {
  std::string nearest;
  std::size_t fewest = 1 + std::max<std::size_t>(1, given.size() / 3);
  for (const std::string& name : names) {
    const std::size_t n = name.starts_with(given) && given.size() > 2 ? 1 : edits(given, name);
    if (n < fewest) fewest = n, nearest = name;
  }
  return nearest;
}

std::string unknown_argument(const CLI::App& all) {
  const std::vector<std::string> unknown = all.remaining(true);
  if (unknown.empty()) return {};
  const CLI::App* app = &all;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  const std::string given = unknown.front().substr(0, unknown.front().find('='));
  const bool option = given.starts_with("-"), command = !option && !command_names(*app).empty();
  const std::string nearest = nearest_name(given, option ? option_names(*app) : command_names(*app));
  const std::string of = app == &all ? std::string() : "'" + app->get_name() + "' ";
  std::string sentence = option    ? (of.empty() ? "there is no option " : of + "has no option ") + given
                         : command ? (of.empty() ? "there is no command '" : of + "has no command '") + given + "'"
                                   : of + "does not expect '" + given + "'";
  return sentence + (nearest.empty() ? "" : "; did you mean " + nearest + "?");
}

}  // namespace ww::cli
