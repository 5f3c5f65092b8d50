// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "answer.h"
#include "base/described_json.h"
#include "base/files.h"
#include "base/plural.h"
#include "commands.h"
#include "console.h"
#include "model_loop/memory_file.h"
#include "models.h"
#include "output.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> memory_row(const model_loop::MemoryEntry& e, const std::string& when) {
  return {e.hash.substr(0, 10),
          safe(e.op),
          safe(e.structure),
          safe(e.device),
          fmt::format("{:.6g} {}", e.score, safe(e.unit)),
          when.substr(0, 10)};
}

std::string memory_table(const std::vector<std::vector<std::string>>& rows) {
  return table({"Hash", "Op", "Structure", "Device", "#Cost", "Imported"}, rows);
}

// What prompts may hold of it.
std::string memory_contents(const model_loop::MemoryEntry& e) {
  std::string out = fmt::format("\nKernel {}\n", e.hash.substr(0, 10));
  if (!e.move.empty()) out += "  note: " + safe_lines(e.move, "    ") + '\n';
  for (const auto& [what, text] : {std::pair("spec", &e.spec), std::pair("code", &e.code)})
    out += fmt::format("  {}:\n    {}\n", what, safe_lines(*text, "    "));
  return out;
}

Result<int> list_memory(const Common& common) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  std::vector<std::string> problems;
  const std::vector<model_loop::ImportedMemory> list = model_loop::imported_memory((*workspace)->folder(), &problems);
  if (common.json) {
    print_json(common, {{"kernels", json::of(list)}, {"problems", problems}});
    return Exit::done;
  }
  std::vector<std::vector<std::string>> rows;
  for (const model_loop::ImportedMemory& m : list) rows.push_back(memory_row(m.kernel, m.imported));
  std::string out = rows.empty() ? "No kernels were imported into this workspace.\n"
                                 : memory_table(rows) +
                                       "They were never judged here; their costs are what their files "
                                       "say.\n";
  for (const std::string& p : problems) out += "left out: " + safe(p) + '\n';
  print_text(out);
  return Exit::done;
}

Result<int> export_memory(const Common& common, const fs::path& file) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const model_loop::MemoryFile memory = WW_TRY(model_loop::exported_memory(**workspace));
  if (const Status s = write_file_atomic(file, model_loop::memory_to_json(memory)); !s)
    return failed(common, s.error());
  return print_answer(common,
                      {{{"kernels", memory.kernels.size()}, {"file", file.string()}},
                       plural(memory.kernels.size(), "kernel") + " written to " + file.string() +
                           ", with specs and code. 'warpwright-cli memory import' takes it into another workspace.\n"});
}

Result<int> import_memory(const Common& common, const fs::path& file, bool yes) {
  constexpr std::size_t most = std::size_t{64} << 20;
  const Result<std::string> text = read_file(file, most);
  if (!text) return failed(common, {Code::invalid_argument, text.error().message, text.error().cause});
  const model_loop::MemoryFile memory = WW_TRY(model_loop::memory_from_json(*text));
  std::vector<std::vector<std::string>> rows;
  for (const model_loop::MemoryEntry& e : memory.kernels) rows.push_back(memory_row(e, ""));
  std::string what = memory_table(rows);
  for (const model_loop::MemoryEntry& e : memory.kernels) what += memory_contents(e);
  what +=
      "\nModels of later runs in this workspace will be shown them, with note and code. Nothing that comes of them is "
      "believed without the gate.\n";
  if (!yes) {
    if (!on_terminal())
      return failed(common, {Code::unavailable,
                             "nothing was imported: there is no terminal to ask on; '--yes' agrees beforehand", what});
    put(Stream::error, what);
    if (!ask_person("Import " + plural(memory.kernels.size(), "kernel") + "?")) {
      print_text("Nothing was imported.\n");
      return Exit::negative;
    }
  }
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::create);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const int fresh = WW_TRY(model_loop::import_memory((*workspace)->folder(), memory));
  if (common.json)
    print_json(common, {{"kernels", memory.kernels.size()}, {"new", fresh}});
  else
    print_text(plural(fresh, "kernel") + " imported" +
               (static_cast<std::size_t>(fresh) < memory.kernels.size() ? "; the others were there already" : "") +
               ".\n");
  return Exit::done;
}

Result<int> forget_memory(const Common& common, const std::string& hash) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::write);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const int gone = WW_TRY(model_loop::forget_memory((*workspace)->folder(), hash));
  return print_answer(common,
                      {{{"forgotten", gone}},
                       gone == 0 ? "No imported kernel has this hash.\n" : plural(gone, "kernel") + " forgotten.\n",
                       gone == 0 ? Exit::negative : Exit::done});
}

}  // namespace

void add_memory(Commands& commands) {
  struct Args {
    fs::path file;
    std::string hash;
    bool yes = false;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& group = commands.add_group("memory", "proved kernels that models are told of, from workspace to workspace");
  commands.add_to(group, "list", "lists the kernels imported into this workspace", list_memory);
  CLI::App& out = commands.add_to(group, "export", "writes the best proved kernel of each run to a file",
                                  [args](const Common& common) { return export_memory(common, args->file); });
  out.add_option("FILE", args->file, "FILE.json to write")->required();
  CLI::App& in =
      commands.add_to(group, "import", "takes the kernels of such a file into this workspace, once you agree",
                      [args](const Common& common) { return import_memory(common, args->file, args->yes); });
  in.add_option("FILE", args->file, "a file that 'memory export' wrote")->required();
  in.add_flag("--yes", args->yes, "agree beforehand");
  CLI::App& forget = commands.add_to(group, "forget", "removes an imported kernel",
                                     [args](const Common& common) { return forget_memory(common, args->hash); });
  forget.add_option("HASH", args->hash, "the beginning of its hash, or all")->required();
}

}  // namespace ww::cli
