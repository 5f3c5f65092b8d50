// SPDX-License-Identifier: Apache-2.0
#include "store/bundle.h"
#include <fmt/format.h>
#include "command.h"
#include "console.h"
#include "output.h"

namespace ww::cli {
namespace {

Json bundle_json(const store::BundleFacts& f) {
  return {{"digest", f.digest},         {"created", f.created},           {"program", f.program}, {"runs", f.runs},
          {"candidates", f.candidates}, {"measurements", f.measurements}, {"blobs", f.blobs}};
}
std::string bundle_text(const store::BundleFacts& f) {
  return fmt::format("{} runs, {} candidates, {} measurements, {} listings", f.runs, f.candidates, f.measurements,
                     f.blobs);
}

}  // namespace

int bundle_export(const Common& common, const std::filesystem::path& given, const std::string& run) {
  const std::filesystem::path folder = common.workspace.empty() ? default_workspace() : common.workspace;
  std::int64_t number = 0;
  if (!run.empty()) {
    const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, false);
    if (!workspace) return failed(common, workspace.error(), Exit::environment);
    const Result<std::int64_t> found = run_number(**workspace, run);
    if (!found) return failed(common, found.error());
    number = *found;
  }
  std::filesystem::path file = given;
  if (file.empty())
    file = (number                      ? fmt::format("run-{}", number)
            : folder.filename().empty() ? std::string("workspace")
                                        : folder.filename().string()) +
           ".wwb";
  const Result<store::BundleFacts> facts = store::export_bundle(folder, file, number, "warpwright " WW_VERSION);
  if (!facts)
    return facts.error().code == Code::not_found ? failed(common, facts.error(), Exit::environment)
                                                 : failed(common, facts.error());
  if (common.json)
    print_json(common, {{"file", file.string()}, {"bundle", bundle_json(*facts)}});
  else
    print_text(
        fmt::format("{}: {}\n'warpwright-cli bundle import' opens it anywhere.\n", file.string(), bundle_text(*facts)));
  return Exit::done;
}

int bundle_import(const Common& common, const std::filesystem::path& file) {
  const std::filesystem::path folder = common.workspace.empty() ? default_workspace() : common.workspace;
  const Result<store::Imported> imported = store::import_bundle(file, folder);
  if (!imported) return failed(common, imported.error());
  Json runs = Json::array();
  std::string text;
  for (const auto& [theirs, ours] : imported->runs) {
    runs.push_back({{"was", theirs}, {"is", ours}});
    text += fmt::format("  run {}{}\n", ours, theirs == ours ? "" : fmt::format(" (there {})", theirs));
  }
  if (common.json)
    print_json(common, {{"file", file.string()},
                        {"workspace", folder.string()},
                        {"bundle", bundle_json(imported->bundle)},
                        {"runs", runs}});
  else
    print_text(fmt::format("{} (by {}, {}) was added to {} as\n{}", bundle_text(imported->bundle),
                           safe(imported->bundle.program), safe(imported->bundle.created), folder.string(),
                           text.empty() ? "  no runs\n" : text));
  return Exit::done;
}

}  // namespace ww::cli
