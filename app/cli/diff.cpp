// SPDX-License-Identifier: Apache-2.0
#include "answer.h"
#include "commands.h"
#include "diff/lines.h"
#include <fmt/format.h>
#include "console.h"
#include "output.h"

namespace ww::cli {

Result<Answer> differences(store::Workspace& workspace, const std::string& before, const std::string& after) {
  const store::CandidateRecord a = WW_TRY(workspace.find_candidate(before));
  const store::CandidateRecord b = WW_TRY(workspace.find_candidate(after));
  const std::vector<diff::DiffLine> lines = diff::diff_lines(a.text, b.text);
  std::string plain, shown;
  for (const diff::DiffLine& l : lines) {
    const std::string text = (l.mark == '@' ? "" : std::string(1, l.mark)) + l.text;
    plain += text + '\n';
    shown += coloured(l.mark == '+'   ? Colour::green
                      : l.mark == '-' ? Colour::red
                      : l.mark == '@' ? Colour::blue
                                      : Colour::none,
                      safe(text)) +
             '\n';
  }
  return Answer{{{"before", {{"id", a.id}, {"hash", a.hash}}},
                 {"after", {{"id", b.id}, {"hash", b.hash}}},
                 {"equal", lines.empty()},
                 {"diff", plain}},
                lines.empty() ? "The texts are identical."
                              : fmt::format("--- candidate {} ({})\n+++ candidate {} ({})\n", a.id,
                                            a.hash.substr(0, 12), b.id, b.hash.substr(0, 12)) +
                                    shown};
}

void add_diff(Commands& commands) {
  struct Args {
    std::string before, after;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app =
      commands.add("diff", "compares the texts of two candidates", [args](const Common& common) -> Result<int> {
        const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
        if (!workspace) return failed(common, workspace.error(), Exit::environment);
        return print_answer(common, WW_TRY(differences(**workspace, args->before, args->after)));
      });
  app.add_option("BEFORE", args->before, "number or hash prefix")->required();
  app.add_option("AFTER", args->after, "number or hash prefix")->required();
}

}  // namespace ww::cli
