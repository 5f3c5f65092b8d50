// SPDX-License-Identifier: Apache-2.0
#include "module.h"
#include <fmt/format.h>
#include "console.h"
#include "evidence/explain.h"
#include "importer/trust.h"
#include "interrupt.h"
#include "models.h"
#include "op/parse.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

Json module_json(const importer::Imported& made) {
  const importer::Comparison& comparison = made.comparison;
  return {{"python", made.python},
          {"torch", made.torch},
          {"inputs", json::of(made.module.inputs)},
          {"sizes", made.module.sizes},
          {"notes", made.module.notes},
          {"equal", comparison.difference.empty() && comparison.sets > 0},
          {"difference", comparison.difference},
          {"sets", comparison.sets},
          {"double", comparison.exact},
          {"compared_at", comparison.sizes},
          {"seed", comparison.seed}};
}

std::string comparison_text(const importer::Comparison& c) {
  if (!c.difference.empty())
    return coloured(Colour::red, "The spec is NOT equal to the module: " + safe(c.difference)) + '\n';
  if (c.sets == 0)
    return coloured(Colour::yellow, "Not compared with the module: its results are not finite on random inputs.") +
           '\n';
  return fmt::format("Equal to the module on {} random input sets, computed in {}. At the largest: {}.\n", c.sets,
                     c.exact ? "double precision"
                             : "the module's own precision, within the bound of its rounding errors",
                     evidence::binding_text({c.sizes.back(), {}}));
}

}  // namespace

Status let_run(const fs::path& file, bool yes) {
  Result<std::string> text = importer::read_program(file);
  if (!text) return fail(Code::invalid_argument, text.error().message, text.error().cause);
  if (importer::may_run(file, *text)) return {};
  const std::string what =
      "'" + file.string() +
      "' is a program. To import its module, Python runs it, and what it imports, under your account, outside any "
      "sandbox: it can read and change your files.\n";
  if (!yes) {
    if (!on_terminal())
      return fail({Code::denied,
                   "'" + file.string() + "' was not run",
                   {},
                   {},
                   "Read the file first; --yes then runs it without asking."});
    if (!ask_person(safe_lines(what) + "Run it, now and until it changes?"))
      return fail(Code::denied, "'" + file.string() + "' was not run");
  }
  return importer::let_run(file, *text);
}

Result<Answer> imported(const Common& common, importer::ModuleRequest request, const ImportArgs& args) {
  request.inputs = args.inputs;
  request.evaluation = args.evaluation;
  const Interrupt interrupt("\nStopping.\n");
  LiveLine live;
  live.show(common.json ? "" : "Looking for a Python with PyTorch …");
  const auto torch = WW_TRY(importer::TorchModules::start(interrupt.token()));  // without it, nothing need be asked
  live.clear();
  WW_TRY(let_run(request.file, args.yes));
  live.show(common.json ? "" : "Python runs the file …");
  const importer::Imported made = WW_TRY(importer::import_module(*torch, request, interrupt.token()));
  const importer::Module& module = made.module;
  live.clear();
  CommandSubject subject;
  subject.kind = CommandSubject::Kind::op_file;
  subject.given = request.file.string();
  subject.text = module.text;
  subject.spec = module.spec;
  Answer answer = understood(subject);
  answer.json["module"] = module_json(made);
  answer.text += '\n' + comparison_text(made.comparison);
  for (const std::string& note : module.notes) answer.text += safe(note) + '\n';
  answer.text += "The file's own sizes: " + evidence::binding_text({module.sizes, {}}) + ".\n";
  if (!made.comparison.difference.empty()) answer.exit = Exit::negative;
  return answer;
}

}  // namespace ww::cli
