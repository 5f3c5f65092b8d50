// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "answer.h"
#include "commands.h"
#include "console.h"
#include "op/doubts.h"
#include "op/evaluate.h"
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
  if (op::is_unconfirmed(spec)) out.push_back("A model wrote this spec, and it is unconfirmed.");
  return out;
}

}  // namespace

Answer understood(const Subject& subject) {
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
            {"example", nullptr}};
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

void add_spec(Commands& commands) {
  const auto subject = std::make_shared<std::string>();
  CLI::App& app = commands.add(
      "spec", "shows how a sentence or an op file is understood",
      [subject](const Common& common) -> Result<int> {
        const op::Library library = WW_TRY(op_library());
        return print_answer(common, understood(WW_TRY(resolve_subject(library, *subject))));
      },
      Commands::Workspace::none);
  app.add_option("SUBJECT", *subject, "a sentence, FILE.op, or the name of an op in the library")->required();
}

}  // namespace ww::cli
