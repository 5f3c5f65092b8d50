// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "commands.h"
#include "console.h"
#include "model_loop/prompt_facts.h"
#include "generator/run_options.h"
#include "models.h"
#include "op/parse.h"
#include "store/words.h"

namespace ww::cli {
namespace {

Result<appraisal::RunContext> context_of(store::Workspace& workspace, const store::RunRecord& run) {
  const Result<store::OpRecord> op = workspace.op(run.op);
  WW_CHECK(op);
  op::Spec spec = WW_TRY(op::parse_spec(op->text, op->name));
  appraisal::RankRules rules = WW_TRY(appraisal::RankRules::load());
  appraisal::RunContext g;
  if (const Result<generator::RunOptions> options = generator::options_from_json(
          run.options)) {  // a candidate that was only measured belongs to a run without any
    g.binding = options->binding;
    g.sentence = options->sentence;
  }
  g.spec = std::move(spec);
  for (const auto& [symbol, value] : g.spec.defaults) g.binding.symbols.emplace(symbol, value);
  g.device = run.device;
  g.architecture = run.architecture;
  g.rules = std::move(rules);
  return g;
}

Result<int> review(const Common& common, const std::string& candidate, const RunArgs& args) {
  if (!args.options.model.limits.sources)
    return failed(common, {Code::invalid_argument,
                           "--no-sources keeps code on this machine, but the reviewing model reads nothing else",
                           {}});
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::write);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const store::CandidateRecord c = WW_TRY((*workspace)->find_candidate(candidate));
  if (c.state != store::CandidateState::accepted)
    return failed(
        common,
        {Code::invalid_argument,
         fmt::format(
             "candidate {} is not proved ({}): the reviewing model reads proved candidates, before a person signs",
             c.id, store::word_of(c.state)),
         c.summary});
  const store::RunRecord run = WW_TRY((*workspace)->run(c.run));
  const appraisal::RunContext context = WW_TRY(context_of(**workspace, run));
  std::unique_ptr<Question> question = WW_TRY(Question::prepare(common, args, "reviewer"));
  Question& q = *question;

  llm::Sheet sheet = model_loop::context_sheet(context);
  sheet["candidate"] = c.text;
  sheet["verdict"] = model_loop::verdict_text(c).whole + model_loop::checked_text(c);
  sheet["numbers"] = model_loop::numbers_text(context, c);
  const Result<llm::ReviewNotes> read =
      llm::review(q.desk(), q.models(), sheet, fmt::format("candidate {}", c.id), q.token());
  if (!read) return not_answered(common, read.error());
  const llm::ReviewNotes& notes = *read;

  if (common.json) {
    Json list = Json::array();
    for (const llm::ReviewNote& n : notes.notes)
      list.push_back(
          {{"line", n.line > 0 ? Json(n.line) : Json(nullptr)}, {"severity", enum_name(n.severity)}, {"text", n.text}});
    print_json(common, {{"candidate", {{"id", c.id}, {"hash", c.hash}}},
                        {"summary", notes.summary},
                        {"notes", list},
                        {"exchange", notes.exchange},
                        {"spend", q.spend()}});
    return Exit::done;
  }
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= c.text.size();) {
    const std::size_t end = std::min(c.text.find('\n', begin), c.text.size());
    lines.push_back(c.text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::string out =
      fmt::format("Notes by {} on candidate {} ({}). They are not a judgement: a person reviews and signs.\n\n{}\n",
                  safe(llm::name_of(q.models().now())), c.id, c.hash.substr(0, 10), safe(notes.summary));
  for (const llm::ReviewNote& n : notes.notes) {
    const Colour colour = n.severity == llm::Severity::concern    ? Colour::red
                          : n.severity == llm::Severity::question ? Colour::yellow
                                                                  : Colour::dim;
    out += fmt::format("\n{}{}: {}\n", coloured(colour, enum_string(n.severity)),
                       n.line > 0 ? fmt::format(", line {}", n.line) : std::string(), safe_lines(n.text, "    "));
    if (n.line > 0 && static_cast<std::size_t>(n.line) <= lines.size())
      out +=
          coloured(Colour::dim, fmt::format("{:>6} | ", n.line) + safe(lines[static_cast<std::size_t>(n.line) - 1])) +
          '\n';
  }
  print_text(out);
  return Exit::done;
}

}  // namespace

void add_review(Commands& commands) {
  struct Args {
    std::string candidate;
    RunArgs run;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app = commands.add("review", "asks a model for notes on a proved candidate, for its reviewer",
                               [args](const Common& common) { return review(common, args->candidate, args->run); });
  app.add_option("CANDIDATE", args->candidate, a_stored)->required();
  add_asking(app, args->run, "reviewer", "send no code: then there is nothing to read, and nothing is sent");
}

}  // namespace ww::cli
