// SPDX-License-Identifier: Apache-2.0
#include "llm/ask.h"
#include <fmt/format.h>
#include <algorithm>
#include "base/plural.h"
#include "llm/limited.h"
#include "llm/reply_text.h"
#include "llm/tool_text.h"
#include "llm/tools.h"
#include "llm/tokens.h"

namespace ww::llm {
namespace {

constexpr std::size_t max_reason = 6000;                           // bytes of the reason sent back about a reply
constexpr std::size_t max_result = 6000;                           // bytes of what a tool says
constexpr std::size_t max_tool_name = 64, least_arguments = 1000;  // bytes that go back where room is short

// A small context is halved between prompt and reply.
std::int64_t output_limit(const Settings& s) {
  std::int64_t most = s.output_tokens;
  if (s.effort == "max") most = std::max(most, s.model.facts.output);  // what it thinks counts, too
  for (const std::int64_t limit : {s.model.facts.output, s.model.facts.context / 2})
    if (limit > 0) most = std::min(most, limit);
  return std::max<std::int64_t>(most, 1);
}

std::int64_t prompt_limit(const Settings& s) {  // 0: none
  if (s.model.facts.context <= 0) return s.prompt_tokens;
  const std::int64_t room = std::max<std::int64_t>(s.model.facts.context - output_limit(s), 1);
  return s.prompt_tokens > 0 ? std::min(s.prompt_tokens, room) : room;
}

// How the model may call tools: as its service takes them, or by blocks in its text.
enum class Calls : std::uint8_t { none, native, text };
Calls calls_of(const Desk& desk, const Settings& s, const Question& q) {
  if (!q.tools || desk.tools == nullptr || desk.tool_calls <= 0 || !desk.limits.sources) return Calls::none;
  return s.model.endpoint.tools ? Calls::native : Calls::text;
}

Request request_of(const Settings& s, const std::optional<OutputSchema>& schema) {
  Request r;
  r.model = s.model.facts.name;
  r.max_output_tokens = output_limit(s);
  if (s.model.facts.temperature.value_or(true)) r.temperature = s.temperature;
  r.seed = s.seed;
  r.effort = s.effort;
  if (s.model.facts.schemas) r.schema = schema;
  return r;
}

std::int64_t size_of(const std::vector<Message>& messages, const std::optional<OutputSchema>& schema) {
  Request r;
  r.messages = messages;
  return estimate_tokens(r) + (schema ? estimate_tokens(schema->json) : 0);
}

// "writer 3 (1a2b3c4d5e6f), without attempts, moves"
std::string prompt_text(const Prompt& p) {
  std::string out = fmt::format("{} {} ({})", p.role, p.version, p.hash.substr(0, 12));
  for (std::size_t i = 0; i < p.dropped.size(); ++i) out += (i == 0 ? ", without " : ", ") + p.dropped[i];
  return out;
}

// The conversation, the reply, and what is wrong with it. A reply without text cannot be part of a conversation: what
// was asked is then asked again with the reason.
Result<std::vector<Message>> repair(const Desk& desk, const Settings& s, const Question& q, const Reply& reply,
                                    const Error& why, std::int64_t limit, std::string& made_from) {
  Sheet sheet{{"reason", why.message}, {"detail", why.cause.substr(0, max_reason)}};
  if (reply.stop == Stop::length) sheet["cut"] = fmt::format("{}", output_limit(s));
  if (!desk.limits.paths) sheet["detail"] = without_paths(sheet["detail"].whole);
  auto again = WW_TRY(desk.prompts.make("repair", sheet, 0));
  std::vector<Message> added;
  const bool said = !plain_text(reply.text()).empty();
  if (said) {
    Message m;
    m.role = Role::assistant;
    m.blocks = reply.blocks;
    std::erase_if(m.blocks, [](const Block& b) { return b.kind == Block::Kind::call; });  // they have no results
    added.push_back(std::move(m));
  }
  for (Message& m : again.messages)
    if (m.role == Role::user) added.push_back(std::move(m));
  const std::int64_t room = limit > 0 ? limit - size_of(added, request_of(s, q.schema).schema) : 0;
  if (limit > 0 && room <= 0) return fail(Code::invalid_argument, "the reply is too long to be sent back");
  std::vector<Message> out;
  if (q.earlier) {
    out = q.earlier->request.messages;
    made_from = prompt_text(again);
  } else {
    auto prompt = WW_TRY(desk.prompts.make(q.prompt, q.sheet, room));
    made_from = prompt_text(prompt) + "; " + prompt_text(again);
    out = std::move(prompt.messages);
  }
  if (!said && !out.empty() && out.back().role == Role::user) {
    out.back().blocks.push_back({Block::Kind::text, "\n\n" + added.back().text(), {}});
    return out;
  }
  for (Message& m : added) out.push_back(std::move(m));
  return out;
}

// The request with its prompt, which it gives, too.
Result<Prompt> fill(const Desk& desk, const Settings& settings, Question& question, Request& request) {
  const std::int64_t limit = prompt_limit(settings);
  request = request_of(settings, question.schema);
  if (const Calls calls = calls_of(desk, settings, question); calls != Calls::none) {
    const std::vector<Tool> tools = desk.tools->list();
    std::string names;
    for (const Tool& t : tools) names += (names.empty() ? "" : ", ") + t.name;
    if (calls == Calls::native)
      request.tools = tools;
    else
      question.sheet["tool_forms"] = tool_forms(tools);
    question.sheet["tools"] = names;
    question.sheet["tool_calls"] = std::to_string(desk.tool_calls);
  }
  const std::int64_t schema_size = estimate_tokens(request);  // and that of the tools
  if (limit > 0 && limit <= schema_size)
    return fail(Code::invalid_argument,
                fmt::format("the reply's schema alone takes {} tokens; {} are allowed", schema_size, limit));
  Prompt prompt =
      WW_TRY(desk.prompts.make(question.prompt, question.sheet, std::max<std::int64_t>(limit, 0), schema_size));
  request.messages = std::move(prompt.messages);
  return prompt;
}

bool has_results(const Message& m) {
  return std::ranges::any_of(m.blocks, [](const Block& b) { return b.kind == Block::Kind::result; });
}

// Whether it answers a reply that was no answer.
bool is_repair(const Request& request) {
  const std::vector<Message>& all = request.messages;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i - 1].role == Role::assistant && !has_results(all[i])) return true;
  return false;
}

// Of a call that the model made, what its service needs with the result.
void shorten_call(Block& call) {
  if (call.tool.size() > max_tool_name) call.tool = plain_text(call.tool.substr(0, max_tool_name));
  if (call.text.size() <= least_arguments && call.raw.size() <= least_arguments) return;
  call.text = fmt::format(R"({{"left_out":"{} bytes of arguments"}})", call.text.size());
  call.raw.clear();
}

// Calls and their results within `limit` tokens of the request. False: there is no room, not even for one of them.
bool fit_results(Request& request, std::int64_t limit) {
  const auto fits = [&] { return limit <= 0 || estimate_tokens(request) <= limit; };
  if (fits()) return true;
  std::vector<Block>& said = request.messages[request.messages.size() - 2].blocks;
  std::vector<Block>& results = request.messages.back().blocks;
  for (Block& b : said)
    if (b.kind == Block::Kind::call) shorten_call(b);
  for (Block& r : results)
    if (r.tool.size() > max_tool_name) r.tool = plain_text(r.tool.substr(0, max_tool_name));
  while (!fits() && results.size() > 1) {
    const std::string id = results.back().id;
    const bool native = results.back().kind == Block::Kind::result && !id.empty();
    results.pop_back();
    if (native) std::erase_if(said, [&](const Block& b) { return b.kind == Block::Kind::call && b.id == id; });
  }
  return fits();
}

// A conversation in which the model may call tools before it answers.
class Talk {
 public:
  Talk(const Desk& desk, const Settings& settings, Calls how, std::stop_token stop, const Earlier* earlier)
      : desk_(desk), settings_(settings), how_(how), stop_(std::move(stop)), left_(desk.tool_calls) {
    if (!earlier) return;
    for (const Message& m : earlier->request.messages)
      left_ -= static_cast<int>(
          std::ranges::count_if(m.blocks, [](const Block& b) { return b.kind == Block::Kind::result; }));
  }

  bool only_called() const { return only_called_; }

  // The first reply that is no call.
  Result<Exchange> ask(Request request, Purpose purpose) {
    const std::string what = purpose.label.text;
    request.no_calls = left_ <= 0 && !request.tools.empty();
    for (;;) {
      Exchange e = WW_TRY(desk_.client.ask(settings_.model, request, purpose, stop_));
      purpose.taken_up = 0;
      const std::vector<Block> calls = calls_in(e.reply);
      if (calls.empty()) return e;
      WW_TRY(desk_.client.outcome(e.id, store::ExchangeOutcome::called, {}));
      if (request.no_calls) {
        only_called_ = true;
        return fail(Code::parse, "the model only called tools, and still did when no calls were left");
      }
      add_results(request, std::move(e.reply), calls);
      if (stop_.stop_requested()) return fail(Code::cancelled, "cancelled");
      purpose.label.text = fmt::format("{}{}after {}", what, what.empty() ? "" : ", ",
                                       plural(desk_.tool_calls - std::max(left_, 0), "call"));
    }
  }

 private:
  std::vector<Block> calls_in(const Reply& reply) const {
    if (how_ == Calls::text && reply.stop == Stop::end) return llm::calls_in(reply.text(), desk_.tools->list());
    std::vector<Block> calls;
    if (how_ == Calls::native && reply.stop == Stop::calls)
      for (const Block& b : reply.blocks)
        if (b.kind == Block::Kind::call) calls.push_back(b);
    return calls;
  }

  void add_results(Request& request, Reply reply, const std::vector<Block>& calls) {
    Message said, results;
    said.role = Role::assistant;
    said.blocks = std::move(reply.blocks);
    results.role = Role::user;
    for (const Block& b : calls)
      results.blocks.push_back(
          how_ == Calls::text ? text_result(b.tool, result_of(b))
                              : Block{.kind = Block::Kind::result, .text = result_of(b), .id = b.id, .tool = b.tool});
    request.messages.push_back(std::move(said));
    request.messages.push_back(std::move(results));
    if (!fit_results(request, prompt_limit(settings_))) {  // it answers without them
      request.messages.resize(request.messages.size() - 2);
      left_ = 0;
    }
    request.no_calls = left_ <= 0;
  }

  std::string result_of(const Block& call) {
    if (--left_ < 0) return "No calls are left: answer now.";
    std::string text = desk_.tools->call(call.tool, call.text, stop_);
    if (!desk_.limits.paths) text = without_paths(text);
    if (!desk_.limits.device_name) text = without_device_names(text);
    if (text.size() > max_result) text = plain_text(text.substr(0, max_result)) + "\n(the rest is cut off)";
    return plain_text(text) + (left_ == 0 ? "\n(That was the last call: answer now.)" : "");
  }

  const Desk& desk_;
  const Settings& settings_;
  const Calls how_;
  const std::stop_token stop_;
  int left_;  // calls
  bool only_called_ = false;
};

// As it was sent; where it is sent anew, to the model that has the role now.
Request earlier_request(const Settings& settings, const Earlier& earlier) {
  if (earlier.exchange != 0) return earlier.request;
  Request r = request_of(settings, earlier.request.schema);
  r.messages = earlier.request.messages;
  if (settings.model.endpoint.tools) r.tools = earlier.request.tools;
  return r;
}

}  // namespace

Result<std::int64_t> prompt_tokens(const Desk& desk, const Settings& settings, Question question) {
  question.sheet = limited(question.sheet, desk.limits);
  Request request;
  WW_TRY(fill(desk, settings, question, request));
  return estimate_tokens(request);
}

Result<Answered> ask(const Desk& desk, const Settings& settings, Question question, const Reader& reader,
                     std::stop_token stop) {
  question.sheet = limited(question.sheet, desk.limits);
  const std::int64_t limit = prompt_limit(settings);
  Request request;
  Purpose purpose{question.role, question.label, {}, settings.patient};
  if (question.earlier) {
    request = earlier_request(settings, *question.earlier);
    purpose.taken_up = question.earlier->exchange;
  } else {
    purpose.prompt = prompt_text(WW_TRY(fill(desk, settings, question, request)));
  }
  Talk talk(desk, settings, calls_of(desk, settings, question), stop, question.earlier);
  const Result<Exchange> answer = talk.ask(request, purpose);
  if (question.only_called) *question.only_called = talk.only_called();
  const Exchange first = WW_TRY(answer);

  const auto read = [&](const Exchange& e) -> Result<Made> {
    auto made = reader(e.reply);
    if (made) {
      WW_TRY(desk.client.outcome(e.id, made->outcome, made->candidate));
      return made;
    }
    if (made.error().code != Code::parse) return fail(made.error());
    const bool refused = e.reply.stop == Stop::refusal;
    if (e.reply.stop == Stop::length && plain_text(e.reply.text()).empty())
      made = fail(Code::parse, fmt::format("the reply is empty: thinking took all of its {} tokens; '--output-tokens' "
                                           "allows more, '--effort low' makes it think less",
                                           output_limit(settings)));
    WW_TRY(
        desk.client.outcome(e.id, refused ? store::ExchangeOutcome::refused : store::ExchangeOutcome::unparsable, {}));
    if (refused) return fail(Code::parse, "the model declined to answer", made.error().message);
    return fail(made.error());
  };
  auto made = read(first);
  if (made) return Answered{first.id, false};
  if (made.error().code != Code::parse || first.reply.stop == Stop::refusal) return fail(made.error());
  if (question.earlier && is_repair(question.earlier->request))
    return fail(Code::parse, "the reply did not parse, nor did its repair: " + made.error().message,
                made.error().cause);
  if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");

  const Error why = made.error();
  auto messages = repair(desk, settings, question, first.reply, why, limit, purpose.prompt);
  if (!messages)
    return fail(Code::parse, "the reply did not parse and could not be sent back: " + why.message,
                messages.error().message);
  request.messages = std::move(*messages);
  purpose.label.text += purpose.label.text.empty() ? "repair" : ", repair";
  auto second = WW_TRY(talk.ask(request, purpose));
  made = read(second);
  if (!made && made.error().code == Code::parse)
    return fail(Code::parse,
                second.reply.stop == Stop::refusal
                    ? made.error().message
                    : "the reply did not parse, nor did its repair: " + made.error().message,
                made.error().cause);
  WW_CHECK(made);
  WW_TRY(desk.client.outcome(first.id, store::ExchangeOutcome::repaired, {}));
  return Answered{second.id, true};
}

}  // namespace ww::llm
