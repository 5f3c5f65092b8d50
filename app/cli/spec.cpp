// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <optional>
#include <sstream>
#include "answer.h"
#include "commands.h"
#include "base/files.h"
#include "console.h"
#include "module.h"
#include "op/doubts.h"
#include "op/evaluate.h"
#include "op/gradient.h"
#include "op/parse.h"
#include "op/sentence/spec_sentence.h"
#include "output.h"
#include "subject.h"

namespace ww::cli {
namespace {

Json words_json(const op::Understanding& u) {
  Json words = Json::array();
  for (const op::Word& w : u.words)
    words.push_back({{"text", w.text},
                     {"meaning", std::string(op::meaning_name(w.meaning))},
                     {"reading", w.reading},
                     {"begin", w.span.begin},
                     {"end", w.span.end}});
  return words;
}

std::vector<std::string> doubts_of(const op::Spec& spec) {
  std::vector<std::string> out = op::doubts(spec);
  if (const std::string mark = op::unconfirmed_text(spec, op::Audience::reader); !mark.empty())
    out.push_back(mark + '.');
  return out;
}

}  // namespace

Answer understood(const CommandSubject& subject) {
  std::string example;
  std::string example_error;
  if (subject.spec) {
    const Result<std::string> e = op::worked_example(*subject.spec);
    if (e)
      example = *e;
    else
      example_error = e.error().text();
  }
  const int exit_code = subject.spec ? Exit::done : Exit::negative;
  Json j = {{"understood", subject.spec.has_value()},
            {"sentence", subject.understanding ? Json(subject.given) : Json(nullptr)},
            {"words", Json::array()},
            {"questions", Json::array()},
            {"choices", Json::array()},
            {"warnings", Json::array()},
            {"nearest", Json::array()},
            {"spec", nullptr},
            {"said", nullptr},
            {"formula", nullptr},
            {"doubts", Json::array()},
            {"example", nullptr},
            {"module", nullptr}};
  if (subject.understanding) {
    j["words"] = words_json(*subject.understanding);
    j["questions"] = subject.understanding->questions;
    for (const op::Choice& c : subject.understanding->choices)
      j["choices"].push_back({{"sentence", c.sentence}, {"difference", c.difference}, {"spec", spec_json(c.spec)}});
    j["warnings"] = subject.understanding->warnings;
    j["nearest"] = subject.understanding->nearest;
  }
  if (subject.spec) {
    j["spec"] = spec_json(*subject.spec);
    j["said"] = op::spec_sentence(*subject.spec);
    j["formula"] = op::formula_of(*subject.spec);
  }
  if (!example.empty()) j["example"] = example;
  if (subject.spec) j["doubts"] = doubts_of(*subject.spec);
  std::string out;
  if (subject.understanding) {
    std::vector<std::vector<std::string>> rows;
    for (const op::Word& w : subject.understanding->words)
      rows.push_back({safe(w.text), std::string(op::meaning_name(w.meaning)), safe(w.reading)});
    out += table({"Word", "Kind", "Understood as"}, rows) + '\n';
  }
  if (subject.spec) {
    if (subject.understanding)
      for (const std::string& w : subject.understanding->warnings) out += coloured(Colour::yellow, safe(w)) + '\n';
    out += "In words:  " + safe(op::spec_sentence(*subject.spec)) + '\n';
    out += "Formula:   " + safe_lines(op::formula_of(*subject.spec), std::string(11, ' ')) + "\n\n";
    out += safe_lines(subject.text) + (subject.text.ends_with('\n') ? "\n" : "\n\n");
    for (const std::string& d : doubts_of(*subject.spec)) out += coloured(Colour::yellow, safe(d)) + "\n\n";
    out += example.empty() ? "No worked example: " + example_error + '\n' : "Worked example\n" + example;
  } else {
    out += coloured(Colour::yellow, "Not understood.") + '\n' + safe_lines(unclear_text(*subject.understanding));
  }
  return {std::move(j), std::move(out), exit_code};
}

namespace {

struct SpecArgs {
  std::string subject;
  ImportArgs import;
  std::filesystem::path file;
  std::optional<std::string> gradient;  // the inputs to differentiate by; empty: all
};

// The backward spec alone, so that it can go into a file or another command.
Answer gradient_answer(const op::Spec& spec, const std::string& inputs) {
  std::vector<std::string> by;
  std::stringstream list(inputs);
  for (std::string name; std::getline(list, name, ',');)
    if (!name.empty()) by.push_back(name);
  const op::Gradient gradient = op::gradient_of(spec, by);
  Json j = {{"of", spec.name}, {"spec", nullptr}, {"incoming", nullptr}, {"outgoing", nullptr}, {"refusal", nullptr}};
  if (const auto* no = std::get_if<op::NoGradient>(&gradient)) {
    const std::string why = op::explain(*no, spec);
    j["refusal"] = {{"reason", enum_string(no->reason)}, {"tensor", no->tensor}, {"sentence", why}};
    return {std::move(j), "No gradient: " + safe(why) + ".\n", Exit::negative};
  }
  const op::Backward& backward = std::get<op::Backward>(gradient);
  j["spec"] = spec_json(backward.spec);
  j["incoming"] = backward.incoming;
  j["outgoing"] = backward.outgoing;
  return {std::move(j), safe_lines(op::print(backward.spec)), Exit::done};
}

Result<int> spec(const Common& common, const SpecArgs& args) {
  const op::Library library = WW_TRY(op_library());
  std::optional<importer::ModuleRequest> module = importer::module_named(args.subject);
  if (!module && (!args.import.inputs.empty() || args.import.evaluation))
    return fail(Code::invalid_argument, "--input and --eval describe a PyTorch module: give FILE.py or FILE.py:CLASS");
  Answer answer = module ? WW_TRY(imported(common, std::move(*module), args.import))
                         : understood(WW_TRY(resolve_subject(library, args.subject)));
  if (args.gradient && answer.exit == Exit::done) {
    const op::Spec forward = WW_TRY(op::parse_spec(answer.json["spec"]["text"].get<std::string>()));
    answer = gradient_answer(forward, *args.gradient);
  }
  if (!args.file.empty() && answer.exit == Exit::done) {
    const std::string text = answer.json["spec"]["text"].get<std::string>();
    WW_TRY(write_file_atomic(args.file, text.ends_with('\n') ? text : text + '\n'));
    answer.text += "\nWritten to " + safe(args.file.string()) + ".\n";
  }
  return print_answer(common, std::move(answer));
}

}  // namespace

void add_spec(Commands& commands) {
  const auto args = std::make_shared<SpecArgs>();
  CLI::App& app = commands.add(
      "spec", "shows how a sentence, an op file or a PyTorch module is understood",
      [args](const Common& common) { return spec(common, *args); }, Commands::Workspace::none);
  app.add_option(
         "SUBJECT", args->subject,
         "a sentence, FILE.op, FILE.py or FILE.py:CLASS with a PyTorch module, or the name of an op in the library")
      ->required();
  app.add_option("--input", args->import.inputs,
                 "of a module without get_inputs(): an argument, e.g. --input 'f32[512, 1024]' (may be repeated)");
  app.add_flag("--eval", args->import.evaluation, "takes the module in evaluation mode, not as the file leaves it");
  app.add_flag("--yes", args->import.yes, "runs the Python file without asking");
  app.add_option_function<std::string>(
         "--gradient", [args](const std::string& inputs) { args->gradient = inputs; },
         "prints the spec of the gradients instead: of the real inputs, or of these (x,w)")
      ->expected(0, 1)
      ->type_name("INPUT,...");
  add_output(app, "-o,--output", args->file, "FILE.op to write");
}

}  // namespace ww::cli
