// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "answer.h"
#include "commands.h"
#include "console.h"
#include "exporter/package.h"
#include "output.h"
#include "subject.h"

namespace ww::cli {
namespace {

std::vector<std::int64_t> ids_of(const std::vector<store::CandidateRecord>& list) {
  std::vector<std::int64_t> ids;
  for (const store::CandidateRecord& c : list) ids.push_back(c.id);
  return ids;
}

}  // namespace

Result<Answer> exported(store::Workspace& workspace, const ExportArgs& wanted) {
  const std::optional<exporter::Kind> kind = enum_from_name<exporter::Kind>(wanted.as);
  if (!kind)
    return fail(Code::invalid_argument, "--as: '" + wanted.as + "' is not one of " + enum_names<exporter::Kind>());
  const op::Library library = WW_TRY(op_library());
  std::vector<store::CandidateRecord> all;
  for (const std::string& candidate : wanted.candidates) all.push_back(WW_TRY(workspace.find_candidate(candidate)));
  const store::CandidateRecord& c = all.front();
  exporter::Request request{.kind = *kind,
                            .folder = wanted.folder,
                            .unsigned_too = wanted.unsigned_too,
                            .backward = std::nullopt,
                            .others = {all.begin() + 1, all.end()},
                            .program = "Warpwright " WW_VERSION};
  if (!wanted.backward.empty()) request.backward = WW_TRY(workspace.find_candidate(wanted.backward));
  const exporter::Exported made = WW_TRY(exporter::export_candidate(workspace, library, c, request));
  std::string out =
      all.size() == 1 ? fmt::format("Candidate {} is in {}:\n", c.id, wanted.folder.string())
                      : fmt::format("Candidates {} are in {}:\n", fmt::join(ids_of(all), ", "), wanted.folder.string());
  for (const std::string& file : made.files) out += "  " + file + '\n';
  if (!made.is_signed) out += "It does not count as signed: see its README for the reason.\n";
  out += exporter::next_step(*kind, made) + '\n';
  if (const std::string step = exporter::backward_step(made, workspace.folder(), ids_of(all)); !step.empty())
    out += step + '\n';
  return Answer{{{"candidate", c.id},
                 {"candidates", ids_of(all)},
                 {"folder", wanted.folder.string()},
                 {"package", made.name},
                 {"function", made.function},
                 {"signed", made.is_signed},
                 {"files", made.files},
                 {"gradients", enum_string(made.gradients)},
                 {"no_gradient", made.no_gradient.empty() ? Json() : Json(made.no_gradient)},
                 {"explore_backward", made.explore_backward},
                 {"backward_candidates", made.backward_candidates}},
                std::move(out)};
}

void add_export(Commands& commands) {
  const auto args = std::make_shared<ExportArgs>();
  CLI::App& app =
      commands.add("export", "exports proved candidates as a standalone project, such as a PyTorch operator",
                   [args](const Common& common) -> Result<int> {
                     const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
                     if (!workspace) return failed(common, workspace.error(), Exit::environment);
                     return print_answer(common, WW_TRY(exported(**workspace, *args)));
                   });
  app.add_option("CANDIDATE", args->candidates,
                 "its number or hash prefix; several of one op, explored at other sizes, are chosen among by shape "
                 "(torch, kernels, cupy)")
      ->required();
  app.add_option("--as", args->as,
                 "torch: a Python package with a PyTorch operator; kernels: the same for Hugging Face's kernels; cupy: "
                 "a Python package for CuPy; cpp: a C++ header over the CUDA driver; ptx: PTX and launch plan")
      ->capture_default_str();
  app.add_option("-o,--output", args->folder, "folder to write: a new or an empty one")->required();
  app.add_option("--backward", args->backward,
                 "of the forms for PyTorch: the number or hash of a proved candidate for the op's gradients ('spec OP "
                 "--gradient'), which autograd uses");
  app.add_flag("--unsigned", args->unsigned_too, "also exports unsigned candidates");
}

}  // namespace ww::cli
