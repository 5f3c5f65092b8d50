// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "base/files.h"
#include "commands.h"
#include "console.h"
#include "models.h"
#include "module.h"
#include "explore/formulation_check.h"
#include "importer/torch_module.h"
#include "importer/trust.h"
#include "op/doubts.h"
#include "op/evaluate.h"
#include "op/parse.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t max_source = std::size_t{1} << 20;

// A file is read; anything else is a sentence.
Result<explore::FormulationSource> source_of(const std::string& given) {
  if (given.find_first_not_of(" \t\n") == std::string::npos)
    return fail(Code::invalid_argument,
                "nothing to formulate; give a sentence, FILE.py with a PyTorch module, or FILE.cu with a naive kernel");
  const fs::path path(given);
  std::error_code ec;
  const bool named_as_file = given.find_first_of(" \t\n") == std::string::npos &&
                             (path.extension() == ".py" || path.extension() == ".cu" || path.extension() == ".c" ||
                              path.extension() == ".cpp" || path.extension() == ".txt");
  if (!named_as_file && !fs::exists(path, ec)) return explore::FormulationSource{llm::guess_source(given), given, {}};
  Result<std::string> text = read_file(path, max_source);
  if (!text) return fail(Code::invalid_argument, text.error().message, text.error().cause);
  const llm::Source source = path.extension() == ".py"   ? llm::Source::pytorch
                             : path.extension() == ".cu" ? llm::Source::kernel
                                                         : llm::guess_source(*text);
  return explore::FormulationSource{source, std::move(*text), {}};
}

const char* source_name(llm::Source s) {
  return s == llm::Source::pytorch ? "pytorch" : s == llm::Source::kernel ? "kernel" : "sentence";
}

// What PyTorch makes of the module in a file, which it runs.
Result<op::Spec> spec_of_module(const fs::path& file, bool yes, std::stop_token stop) {
  if (!yes && !on_terminal() && !importer::may_run(file, WW_TRY(importer::read_program(file))))
    return fail(Code::denied, "'" + file.string() + "' was not run; --yes runs it without asking");
  const auto torch = WW_TRY(importer::TorchModules::start(stop));
  WW_TRY(let_run(file, yes));
  importer::ModuleRequest request;
  request.file = file;
  const importer::Imported made = WW_TRY(importer::import_module(*torch, request, stop));
  if (made.comparison.sets == 0 || !made.comparison.difference.empty())
    return fail(Code::unsupported, "what PyTorch exports could not be shown to equal it");
  return made.module.spec;
}

struct FormulateArgs {
  std::string what;
  RunArgs run;
  fs::path file;
  bool yes = false;  // a module's file may be run
};

Result<int> formulate(const Common& common, const FormulateArgs& given) {
  const RunArgs& args = given.run;
  const fs::path& file = given.file;
  explore::FormulationSource source = WW_TRY(source_of(given.what));
  if (source.kind != llm::Source::sentence && !args.options.model.limits.sources)
    return failed(common, {Code::invalid_argument,
                           "--no-sources keeps code on this machine, but code is the only input here; describe the op "
                           "in a sentence instead",
                           {}});
  std::unique_ptr<Question> question = WW_TRY(Question::prepare(common, args, "formulator"));
  Question& q = *question;
  if (source.kind == llm::Source::pytorch && fs::path(given.what).extension() == ".py")
    source.module = spec_of_module(given.what, given.yes, q.token());
  const Result<llm::Formulation> written = llm::formulate(q.desk(), q.models(), source.kind, source.text, q.token());
  if (!written) return not_answered(common, written.error());
  const llm::Formulation& f = *written;
  const Result<std::string> example = op::worked_example(f.spec);
  const explore::FormulationCheck check = explore::check_formulation(q.desk(), q.models(), source, f, q.token());
  const std::vector<std::string> doubts = check.doubts();
  const std::string compared = safe_lines(check.report());

  std::string out;
  if (!f.explanation.empty()) out += safe_lines(f.explanation, "  ") + "\n\n";
  if (!f.assumptions.empty()) out += "Assumptions, where nothing was specified\n";
  for (const std::string& a : f.assumptions) out += "  - " + safe_lines(a, "    ") + '\n';
  if (!f.assumptions.empty()) out += '\n';
  out += safe_lines(f.text) + (f.text.ends_with('\n') ? "\n" : "\n\n");
  out += example ? "Worked example\n" + *example : "No worked example: " + example.error().text() + '\n';
  if (!doubts.empty()) out += '\n';
  for (const std::string& d : doubts) out += coloured(Colour::yellow, safe(d)) + '\n';
  if (!compared.empty()) out += '\n' + compared;
  std::optional<bool> confirmed;
  if (!common.json) {
    print_text(out);
    std::fflush(stdout);
    if (on_terminal()) confirmed = ask_person("A model wrote this spec. Is it what you want?");
  }
  using explore::Confirmation;
  const Confirmation by = confirmed == true ? Confirmation::person : check.confirmation();
  const std::string text =
      by != check.confirmation() ? op::marked_confirmed(f.text)
      : by != Confirmation::none
          ? f.text
          : op::marked_unconfirmed(f.text, "a model wrote this spec; remove this line if it is what you want");
  const bool write = !file.empty() && confirmed.value_or(true);
  if (write)
    if (Status s = write_file_atomic(file, text.ends_with('\n') ? text : text + '\n'); !s)
      return failed(common, s.error());
  if (common.json) {
    print_json(common, {{"source", source_name(source.kind)},
                        {"spec", spec_json(f.spec)},
                        {"text", text},
                        {"confirmed", enum_name(by)},
                        {"doubts", doubts},
                        {"compared", compared},
                        {"explanation", f.explanation},
                        {"assumptions", f.assumptions},
                        {"example", example ? Json(*example) : Json(nullptr)},
                        {"exchange", f.exchange},
                        {"file", write ? Json(file.string()) : Json(nullptr)},
                        {"spend", q.spend()}});
    return check.contradicted() ? Exit::negative : Exit::done;
  }
  if (confirmed == false)
    print_text("Not confirmed" + std::string(file.empty() ? "." : ": " + file.string() + " was not written.") +
               " Rephrase it, or edit the spec.\n");
  else if (write)
    print_text("Written to " + file.string() + ". 'warpwright-cli explore " + file.string() + "' explores it.\n" +
               (by == Confirmation::none ? "The spec is unconfirmed: nothing made for it can be signed until its line "
                                           "'//@ unconfirmed' is removed.\n"
                                         : ""));
  else
    print_text("With -o FILE.op it is written to a file, which 'explore' accepts.\n");
  return confirmed.value_or(!check.contradicted()) ? Exit::done : Exit::negative;
}

}  // namespace

void add_formulate(Commands& commands) {
  const auto args = std::make_shared<FormulateArgs>();
  CLI::App& app =
      commands.add("formulate", "asks a model for the op spec of a sentence, a PyTorch module or a naive kernel",
                   [args](const Common& common) { return formulate(common, *args); });
  app.add_option("WHAT", args->what, "a sentence, FILE.py or FILE.cu")->required();
  app.add_flag("--yes", args->yes, "runs FILE.py without asking, to compare the spec with its module");
  add_output(app, "-o,--output", args->file, "FILE.op to write");
  add_asking(app, args->run, "formulator", "send no code: then only a sentence can be formulated");
}

}  // namespace ww::cli
