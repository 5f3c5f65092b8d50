// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include "commands.h"
#include "base/plural.h"
#include "base/fresh_file.h"
#include "base/json_reader.h"
#include "console.h"
#include "llm/message_json.h"
#include "llm/trajectories.h"
#include "models.h"
#include "store/paste.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

// "0": requests outside runs, by formulate and review.
Result<std::int64_t> transcript_of(store::Workspace& workspace, const std::string& run) {
  return run == "0" ? Result<std::int64_t>(0) : run_number(workspace, run);
}

std::string heading(const std::string& text) { return coloured(Colour::bold, "--- " + text) + '\n'; }

std::string blocks_text(const std::vector<llm::Block>& blocks) {
  std::string out;
  for (const llm::Block& b : blocks) {
    if (b.kind == llm::Block::Kind::thinking)
      out += coloured(Colour::dim, "[thinks]") + '\n' + safe_lines(b.text) + '\n' + coloured(Colour::dim, "[answers]") +
             '\n';
    else if (b.kind == llm::Block::Kind::opaque)
      out += coloured(Colour::dim, "[a block in the service's own format, not readable]") + '\n';
    else if (b.kind == llm::Block::Kind::call || b.kind == llm::Block::Kind::result)
      out += coloured(Colour::dim,
                      fmt::format("[{} {}]", b.kind == llm::Block::Kind::call ? "calls" : "result of", safe(b.tool))) +
             '\n' + safe_lines(b.text) + '\n';
    else
      out += safe_lines(b.text) + (b.text.ends_with('\n') ? "" : "\n");
  }
  return out;
}

Result<int> one(const Common& common, store::Workspace& workspace, std::int64_t run, const std::string& number) {
  if (number.empty() || number.size() > 18 ||
      !std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return failed(common, {Code::invalid_argument,
                           "'" + number + "' is not the number of an exchange; '" +
                               store::pasted(workspace.folder(), fmt::format("transcript {}", run)) + "' lists them",
                           {}});
  const store::ExchangeRecord e = WW_TRY(workspace.exchange(std::stoll(number)));
  if (e.run != run)
    return failed(common, {Code::not_found,
                           fmt::format("exchange {} belongs to {}, not to run {}", number,
                                       e.run ? "run " + std::to_string(e.run) : "no run", run),
                           {}});
  if (common.json) {
    const auto parsed = [](const std::string& text) { return text.empty() ? Json(nullptr) : json::json_or_null(text); };
    print_json(common, {{"exchange", json::of(e)},
                        {"request", parsed(e.request)},
                        {"reply", parsed(e.reply)},
                        {"raw", e.raw.empty() ? Json(nullptr) : Json(e.raw)}});
    return Exit::done;
  }
  std::string out =
      fmt::format("Exchange {} of {}: {}{}{}, {} at {}\n", e.id, e.run ? "run " + std::to_string(e.run) : "no run",
                  enum_string(e.role), e.label.empty() ? "" : ", ", safe(e.label), safe(e.model), safe(e.host));
  out += fmt::format(
      "{}{}{}; {}{} tokens read ({} of them cached), {} written ({} of them reasoning); {}; {}, {:.1f} s\n",
      enum_string(e.state), e.outcome == store::ExchangeOutcome::none ? "" : ", " + enum_string(e.outcome),
      e.candidate.empty() ? "" : " " + e.candidate.substr(0, 10), e.tokens_reported ? "" : "counted as about ",
      count_text(e.prompt_tokens), count_text(e.cached_tokens), count_text(e.completion_tokens),
      count_text(e.reasoning_tokens), e.money ? money_text(*e.money) : std::string("price unknown"),
      plural(e.attempts, "attempt"), e.seconds);
  if (!e.prompt.empty()) out += "Prompt files: " + safe(e.prompt) + '\n';
  const llm::Request request = WW_TRY(llm::request_from_json(e.request));
  out += '\n';
  for (const llm::Message& m : request.messages)
    out += heading(enum_string(m.role) + (m.cache ? " (marked for caching)" : "")) + blocks_text(m.blocks);
  for (const llm::Tool& t : request.tools)
    out += heading("may call " + safe(t.name)) + safe_lines(t.about + "\n" + t.parameters) + '\n';
  if (request.schema)
    out += heading("the answer must follow this schema (" + safe(request.schema->name) + ")") +
           safe_lines(request.schema->json) + '\n';
  if (!e.reply.empty()) {
    const llm::Reply reply = WW_TRY(llm::reply_from_json(e.reply));
    out += heading(fmt::format("reply of {} (ended by: {})", safe(reply.model), enum_name(reply.stop))) +
           blocks_text(reply.blocks);
  }
  if (!e.raw.empty()) out += heading("received, but it could not be parsed as a reply") + safe_lines(e.raw) + '\n';
  if (!e.why.empty()) out += heading("it failed") + safe_lines(e.why) + '\n';
  print_text(out);
  return Exit::done;
}

Result<int> transcript(const Common& common, const std::string& run, const std::string& exchange) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const std::int64_t number = WW_TRY(transcript_of(**workspace, run));
  if (!exchange.empty()) return one(common, **workspace, number, exchange);
  const std::vector<store::ExchangeRecord> all = WW_TRY((*workspace)->exchanges(number));
  const Json spend = WW_TRY(spend_of_run(**workspace, number));
  if (common.json) {
    print_json(common,
               {{"run", number ? Json(number) : Json(nullptr)}, {"exchanges", json::of(all)}, {"spend", spend}});
    return Exit::done;
  }
  if (all.empty()) {
    print_text(number ? fmt::format("Run {} made no requests to models.\n", number)
                      : std::string("No requests to models were made outside runs.\n"));
    return Exit::done;
  }
  std::vector<std::vector<std::string>> rows;
  for (const store::ExchangeRecord& e : all)
    rows.push_back({std::to_string(e.id), enum_string(e.role), safe(e.model), enum_string(e.state),
                    count_text(e.prompt_tokens), count_text(e.completion_tokens), e.money ? money_text(*e.money) : "?",
                    fmt::format("{:.1f}", e.seconds),
                    safe(enum_string(e.outcome) + (e.candidate.empty() ? "" : " " + e.candidate.substr(0, 10))),
                    safe(e.label + (e.why.empty() ? "" : ": " + e.why))});
  std::string out =
      table({"#No.", "Role", "Model", "State", "#Read", "#Written", "#Price", "#Seconds", "Outcome", "What for"}, rows);
  const Json& s = spend;
  const bool replayed =
      std::all_of(all.begin(), all.end(), [](const store::ExchangeRecord& e) { return e.provider == "replay"; });
  out += fmt::format("{} requests, {} tokens, {}{}{}.\n'{}' shows one as sent.\n", s["requests"].get<int>(),
                     count_text(s["prompt_tokens"].get<std::int64_t>() + s["completion_tokens"].get<std::int64_t>()),
                     money_text(s["money"].get<double>()),
                     s["money_known"].get<bool>() ? "" : " plus models without a known price",
                     replayed ? "; replayed, so nothing was spent again" : "",
                     store::pasted((*workspace)->folder(), fmt::format("transcript {} NUMBER", number)));
  print_text(out);
  return Exit::done;
}

Result<int> trajectories(const Common& common, const std::string& run, const fs::path& file) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const std::int64_t number = WW_TRY(transcript_of(**workspace, run));
  FreshFile out = WW_TRY(FreshFile::beside(file));
  const Result<std::int64_t> written = llm::export_trajectories(
      **workspace, number, [&](std::string_view line) { return out.write(std::string(line) + '\n'); });
  if (!written) return failed(common, written.error());
  if (const Status whole = out.rename_to(file); !whole) return failed(common, whole.error());
  if (common.json)
    print_json(common,
               {{"run", number ? Json(number) : Json(nullptr)}, {"file", file.string()}, {"trajectories", *written}});
  else
    print_text(fmt::format("{} of run {}: {}\n", plural(*written, "exchange"), number, file.string()));
  return Exit::done;
}

}  // namespace

void add_transcript(Commands& commands) {
  struct Args {
    std::string run, exchange;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app = commands.add("transcript", "prints a run's requests to models, and their replies",
                               [args](const Common& common) { return transcript(common, args->run, args->exchange); });
  app.add_option("RUN", args->run, "its number, or last; 0: requests by formulate and review")->required();
  app.add_option("EXCHANGE", args->exchange,
                 "number of an exchange, to show its prompt exactly as sent, and the reply");
}

void add_trajectories(Commands& commands) {
  struct Args {
    std::string run;
    fs::path file;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app = commands.add(
      "trajectories", "writes a run's exchanges as JSONL, with verdict and speed as reward, ready for fine-tuning",
      [args](const Common& common) { return trajectories(common, args->run, args->file); });
  app.add_option("RUN", args->run, a_run)->required();
  add_output(app, "-o,--output", args->file, "file to write")->required();
}

}  // namespace ww::cli
