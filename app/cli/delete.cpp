// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "answer.h"
#include "base/plural.h"
#include "commands.h"
#include "console.h"
#include "explore/delete_run.h"
#include "output.h"

namespace ww::cli {
namespace {

std::string contents_text(const store::DeletedRun& r) {
  return fmt::format("run {} ({}): {}, {}, {}", r.run, safe(r.op), plural(r.candidates, "candidate"),
                     plural(r.exchanges, "exchange"), plural(r.measurements, "measurement"));
}

Result<int> delete_run(const Common& common, const std::string& given, bool yes) {
  const Result<std::unique_ptr<store::Workspace>> workspace =
      open_workspace(common, yes ? Access::write : Access::read);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const std::int64_t run = WW_TRY(run_number(**workspace, given));
  const store::DeletedRun contents =
      yes ? WW_TRY(explore::delete_run(**workspace, run)) : WW_TRY(explore::deletion_preview(**workspace, run));
  return print_answer(
      common, {{{"deleted", yes},
                {"run", contents.run},
                {"op", contents.op},
                {"candidates", contents.candidates},
                {"exchanges", contents.exchanges},
                {"measurements", contents.measurements}},
               yes ? "Deleted " + contents_text(contents) + ".\n"
                   : contents_text(contents) + "\nNothing was deleted. To delete it permanently, add --yes.\n"});
}

}  // namespace

void add_delete(Commands& commands) {
  struct Args {
    std::string run;
    bool yes = false;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app = commands.add("delete", "permanently deletes a run and everything that belongs to it",
                               [args](const Common& common) { return delete_run(common, args->run, args->yes); });
  app.add_option("RUN", args->run, "the run: its number, or last")->required();
  app.add_flag("--yes", args->yes, "delete it; without this, only list what would be deleted");
}

}  // namespace ww::cli
