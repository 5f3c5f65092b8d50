// SPDX-License-Identifier: Apache-2.0
#include "explore/diff.h"
#include <fmt/format.h>
#include "command.h"
#include "console.h"
#include "output.h"

namespace ww::cli {

int diff(const Common& common, const std::string& before, const std::string& after) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, false);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const Result<store::CandidateRecord> a = (*workspace)->find_candidate(before);
  if (!a) return failed(common, a.error());
  const Result<store::CandidateRecord> b = (*workspace)->find_candidate(after);
  if (!b) return failed(common, b.error());
  const std::vector<explore::DiffLine> lines = explore::diff_lines(a->text, b->text);
  std::string plain, shown;
  for (const explore::DiffLine& l : lines) {
    const std::string text = (l.mark == '@' ? "" : std::string(1, l.mark)) + l.text;
    plain += text + '\n';
    shown += coloured(l.mark == '+'   ? Colour::green
                      : l.mark == '-' ? Colour::red
                      : l.mark == '@' ? Colour::blue
                                      : Colour::none,
                      safe(text)) +
             '\n';
  }
  if (common.json) {
    print_json(common, {{"before", {{"id", a->id}, {"hash", a->hash}}},
                        {"after", {{"id", b->id}, {"hash", b->hash}}},
                        {"equal", lines.empty()},
                        {"diff", plain}});
  } else if (lines.empty()) {
    print_text("The texts are equal.");
  } else {
    print_text(fmt::format("--- candidate {} ({})\n+++ candidate {} ({})\n", a->id, a->hash.substr(0, 12), b->id,
                           b->hash.substr(0, 12)) +
               shown);
  }
  return Exit::done;
}

}  // namespace ww::cli
