// SPDX-License-Identifier: Apache-2.0
#include "answer.h"
#include "commands.h"
#include "base/plural.h"
#include "store/bundle.h"
#include <fmt/format.h>
#include "console.h"
#include "interrupt.h"
#include "output.h"

namespace ww::cli {
namespace {

std::string bundle_text(const store::BundleFacts& f) {
  return plural(f.runs, "run") + ", " + plural(f.candidates, "candidate") + ", " +
         plural(f.measurements, "measurement") + ", " + plural(f.blobs, "listing");
}

Result<int> bundle_export(const Common& common, const std::filesystem::path& given, const std::string& run,
                          bool force) {
  const std::filesystem::path folder = common.workspace.empty() ? store::default_workspace() : common.workspace;
  std::int64_t number = 0;
  if (!run.empty()) {
    const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
    if (!workspace) return failed(common, workspace.error(), Exit::environment);
    number = WW_TRY(run_number(**workspace, run));
  }
  if (given == "-")
    return failed(common, {Code::invalid_argument, "a bundle cannot be written to stdout: give a file, FILE.wwb"});
  std::filesystem::path file = given;
  if (file.empty())
    file = (number                      ? fmt::format("run-{}", number)
            : folder.filename().empty() ? std::string("workspace")
                                        : folder.filename().string()) +
           ".wwb";
  std::error_code unknown;
  if (!force && std::filesystem::exists(std::filesystem::symlink_status(file, unknown)))
    return failed(common, {Code::invalid_argument, "the file " + file.string() + " exists; --force replaces it"});
  const Result<store::BundleFacts> facts = store::export_bundle(folder, file, number, "warpwright " WW_VERSION);
  if (!facts)
    return facts.error().code == Code::not_found ? failed(common, facts.error(), Exit::environment)
                                                 : failed(common, facts.error());
  return print_answer(common, {{{"file", file.string()}, {"bundle", json::of(*facts)}},
                               fmt::format("{}: {}\n'warpwright-cli bundle import' opens it anywhere.\n", file.string(),
                                           bundle_text(*facts))});
}

Result<int> bundle_import(const Common& common, const std::filesystem::path& file) {
  const std::filesystem::path folder = common.workspace.empty() ? store::default_workspace() : common.workspace;
  const Interrupt interrupt("stopping: nothing is imported");
  const store::Imported imported = WW_TRY(store::import_bundle(file, folder, interrupt.token()));
  Json runs = Json::array();
  std::string text;
  for (const auto& [theirs, ours] : imported.runs) {
    runs.push_back({{"was", theirs}, {"is", ours}});
    text += fmt::format("  run {}{}\n", ours, theirs == ours ? "" : fmt::format(" (run {} in the bundle)", theirs));
  }
  return print_answer(
      common,
      {{{"file", file.string()}, {"workspace", folder.string()}, {"bundle", json::of(imported.bundle)}, {"runs", runs}},
       fmt::format("Added {} (by {}, {}) to {} as\n{}", bundle_text(imported.bundle), safe(imported.bundle.program),
                   safe(imported.bundle.created), folder.string(), text.empty() ? "  no runs\n" : text)});
}

}  // namespace

void add_bundle(Commands& commands) {
  struct Args {
    std::filesystem::path file;
    std::string run;
    bool force = false;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& bundle = commands.add_group("bundle", "writes a workspace, or one of its runs, as one portable file");
  CLI::App& write = commands.add_to(bundle, "export", "writes a bundle", [args](const Common& common) {
    return bundle_export(common, args->file, args->run, args->force);
  });
  add_output(write, "FILE", args->file, "file to write; default: the workspace's name with .wwb");
  write.add_option("--run", args->run, "only this run: its number, or last");
  write.add_flag("--force", args->force, "replaces an existing file");
  commands
      .add_to(bundle, "import", "adds a bundle's runs to a workspace, creating it if needed",
              [args](const Common& common) { return bundle_import(common, args->file); })
      .add_option("FILE", args->file, "the bundle")
      ->required();
}

}  // namespace ww::cli
