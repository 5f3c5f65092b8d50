// SPDX-License-Identifier: Apache-2.0
#include "commands.h"
#include "report.h"
#include "base/files.h"
#include "report/report.h"
#include "output.h"
#include "subject.h"

namespace ww::cli {

Status write_report(store::Workspace& workspace, const op::Library& library, std::int64_t run,
                    const std::filesystem::path& file) {
  const std::string html = WW_TRY(report::html_report(workspace, run, {&library}));
  return write_file_atomic(file, html);
}

namespace {

Result<int> report(const Common& common, const std::string& run, const std::filesystem::path& file) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const std::int64_t number = WW_TRY(run_number(**workspace, run));
  const op::Library library = WW_TRY(op_library());
  WW_TRY(write_report(**workspace, library, number, file));
  if (common.json)
    print_json(common, {{"run", number}, {"report", file.string()}});
  else
    print_text("Report of run " + std::to_string(number) + ": " + file.string());
  return Exit::done;
}

}  // namespace

void add_report(Commands& commands) {
  struct Args {
    std::string run;
    std::filesystem::path file;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app = commands.add("report", "writes a run as one HTML file",
                               [args](const Common& common) { return report(common, args->run, args->file); });
  app.add_option("RUN", args->run, a_run)->required();
  add_output(app, "-o,--output", args->file, "file to write")->required();
}

}  // namespace ww::cli
