// SPDX-License-Identifier: Apache-2.0
#include "report.h"
#include "base/files.h"
#include "command.h"
#include "explore/report.h"
#include "output.h"
#include "subject.h"

namespace ww::cli {

Status write_report(store::Workspace& workspace, const op::Library& library, std::int64_t run,
                    const std::filesystem::path& file) {
  const std::string html = WW_TRY(explore::html_report(workspace, run, {&library}));
  return write_file_atomic(file, html);
}

int report(const Common& common, const std::string& run, const std::filesystem::path& file) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, false);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const Result<std::int64_t> number = run_number(**workspace, run);
  if (!number) return failed(common, number.error());
  const Result<op::Library> library = op_library();
  if (!library) return failed(common, library.error());
  if (Status s = write_report(**workspace, *library, *number, file); !s) return failed(common, s.error());
  if (common.json)
    print_json(common, {{"run", *number}, {"report", file.string()}});
  else
    print_text("Report of run " + std::to_string(*number) + ": " + file.string());
  return Exit::done;
}

}  // namespace ww::cli
