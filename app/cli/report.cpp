// SPDX-License-Identifier: Apache-2.0
#include "answer.h"
#include "base/files.h"
#include "base/records.h"
#include "commands.h"
#include "console.h"
#include "output.h"
#include "report.h"
#include "report/report.h"
#include "subject.h"

namespace ww::cli {

Status write_report(store::Workspace& workspace, const op::Library& library, std::int64_t run,
                    const std::filesystem::path& file) {
  const std::string html = WW_TRY(report::html_report(workspace, run, {&library}));
  return write_file_atomic(file, html);
}

namespace {

struct ReportArgs {
  std::string run;
  std::filesystem::path file;  // empty: stdout
  std::string format = "html";
};

// The run's candidates; in Markdown, with a table of the run itself above.
Result<std::string> tables_of(store::Workspace& workspace, std::int64_t run, const std::string& format) {
  const Json candidates = WW_TRY(candidates_of(workspace, run)).records;
  if (format == "csv") return csv_of(candidates);
  const Json facts = Json::array({run_json(workspace, WW_TRY(workspace.run(run)))});
  return "# Run " + std::to_string(run) + "\n\n" + markdown_of(facts) + "\n## Candidates\n\n" +
         (candidates.empty() ? "None.\n" : markdown_of(candidates));
}

Result<int> report(const Common& common, const ReportArgs& args) {
  if (args.file.empty() && (common.json || args.format == "html"))
    return fail(Code::invalid_argument, common.json ? "with --json, name the report's file with -o"
                                                    : "name the report's file with -o, such as -o report.html");
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const std::int64_t number = WW_TRY(run_number(**workspace, args.run));
  if (args.format == "html") {
    const op::Library library = WW_TRY(op_library());
    WW_TRY(write_report(**workspace, library, number, args.file));
  } else {
    const std::string text = WW_TRY(tables_of(**workspace, number, args.format));
    if (args.file.empty()) {
      put(Stream::out, text);
      return Exit::done;
    }
    WW_TRY(write_file_atomic(args.file, text));
  }
  return print_answer(common, {{{"run", number}, {"report", args.file.string()}},
                               "Report of run " + std::to_string(number) + ": " + args.file.string()});
}

}  // namespace

void add_report(Commands& commands) {
  const auto args = std::make_shared<ReportArgs>();
  CLI::App& app = commands.add("report", "writes a run as one HTML file, or its candidates as CSV or Markdown",
                               [args](const Common& common) { return report(common, *args); });
  app.add_option("RUN", args->run, a_run)->required();
  add_output(app, "-o,--output", args->file, "file to write; csv and markdown are printed without it");
  app.add_option("--format", args->format, "html, csv or markdown")
      ->capture_default_str()
      ->check(CLI::IsMember({"html", "csv", "markdown"}));
}

}  // namespace ww::cli
