// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the scripted engine that speaks of language models: services, consent, exchanges, a formulator.
#include <algorithm>
#include <chrono>
#include "llm/message_json.h"
#include "widgets/fake_engine.h"

namespace ww::test {

using widgets::KeyFrom;
using widgets::ModelHost;
using widgets::ModelList;
using widgets::Service;

namespace {

constexpr const char* long_name =
    "remote:a-model-with-a-name-that-is-far-longer-than-any-column-or-box-of-the-window-could-show-at-once-20261120";

Service service(std::string name, std::string title, std::string host, std::string variable) {
  Service s;
  s.name = std::move(name);
  s.title = std::move(title);
  s.host = std::move(host);
  s.base_url = "https://" + s.host + "/v1";
  s.key_variable = std::move(variable);
  return s;
}

std::string request_of(const std::string& model, int number) {
  llm::Request request;
  request.model = model;
  std::string system = "You write CUDA kernels. The contract of a candidate:\n";
  for (int i = 1; i <= 60; ++i)
    system += "rule " + std::to_string(i) +
              ": a candidate is device code and a plan, and nothing else of it is ever executed on the host.\n";
  request.messages = {
      {llm::Role::system, {{llm::Block::Kind::text, system, ""}}, true},
      {llm::Role::user,
       {{llm::Block::Kind::text,
         "op softmax(x: f32[R, C]) -> y: f32[R, C]\nWrite request " + std::to_string(number) + ".\n", ""}},
       false}};
  return llm::request_to_json(request);
}

std::string reply_text(int number) {
  return "Here is attempt " + std::to_string(number) + ".\n```cuda\n//@ candidate softmax\n```\n";
}

std::string reply_of(int number) {
  llm::Reply reply;
  reply.blocks = {{llm::Block::Kind::thinking, "Rows are independent. One warp each.", ""},
                  {llm::Block::Kind::text, reply_text(number), ""}};
  return llm::reply_to_json(reply);
}

}  // namespace

std::optional<Secret> FakeEngine::key_of(const std::string& service, widgets::KeyFrom* from) {
  std::lock_guard lock(mutex_);
  for (const Reader& reader : readers_)
    if (auto key = reader.key(service); key && !key->empty()) {
      if (from) *from = reader.from;
      return key;
    }
  return std::nullopt;
}

ModelList FakeEngine::list_models(bool ask) {
  ModelList list;
  list.asked = ask;
  list.own_file = "/nowhere/warpwright/models.json";
  if (ask) ++asked_servers;
  Service remote = service("remote", "Remote", "api.remote.example", "REMOTE_API_KEY");
  remote.about = "a service with prices";
  remote.key = KeyFrom::environment;
  if (no_models) remote.key = KeyFrom::nowhere;
  Service keyless = service("keyless", "Keyless", "api.keyless.example", "KEYLESS_API_KEY");
  key_of("keyless", &keyless.key);
  for (Service* s : {&remote, &keyless})
    if (s->key == KeyFrom::nowhere) {
      s->reach = widgets::Reach::no_key;
      s->why_not = s->title + " needs a key: set one in Settings, or start Warpwright with " + s->key_variable + ".";
    }
  Service local = service("local", "Local", "127.0.0.1:11434", "");
  local.key_needed = false;
  local.this_machine = true;
  if (ask) local.reach = no_models ? widgets::Reach::silent : widgets::Reach::answers;
  if (ask && no_models) local.why_not = "Local does not answer at 127.0.0.1:11434: start it, or choose another model.";
  {
    std::lock_guard lock(mutex_);
    for (Service* s : {&remote, &keyless})
      s->asks_first = std::ranges::none_of(consents_, [&](const llm::Consent& c) { return c.host == s->host; });
  }
  {
    std::lock_guard lock(mutex_);
    list.roles = roles;
  }
  list.services = {remote, keyless, local};
  list.models = {{"remote", "writer-1", "$2 / $10 per million tokens", 200000},
                 {"remote", "unpriced", "", 0},
                 {"remote", std::string(long_name).substr(7), "$1 / $2 per million tokens", 8192},
                 {"keyless", "big", "$5 / $25 per million tokens", 1000000},
                 {"local", "*", "free", 0}};
  if (ask && !no_models) list.models.push_back({"local", "coder:30b", "free", 0});
  return list;
}

widgets::Models::Check FakeEngine::ask_service(const std::string& service, std::stop_token) {
  ++asked_for_lists;
  if (refuses_keys) return fail(Code::denied, "'remote' does not accept the key (401): give a valid one");
  if (service == "remote")
    return std::vector<widgets::ModelEntry>{
        {service, "unpriced", "", 0}, {service, "writer-1", "", 0}, {service, "new-2", "", 0}};
  if (service == "keyless" && !key_of("keyless")) return fail(Code::unavailable, "Keyless needs a key.");
  return fail(Code::unavailable, "Nobody answers at " + service + ".");
}

void FakeEngine::add_key_reader(std::function<std::optional<Secret>(const std::string& service)> reader, KeyFrom from) {
  std::lock_guard lock(mutex_);
  readers_.push_back({std::move(reader), from});
}

Result<std::vector<ModelHost>> FakeEngine::hosts(const std::vector<std::string>& ids) {
  const ModelList list = models(false);
  std::lock_guard lock(mutex_);
  std::vector<ModelHost> hosts;
  for (const std::string& id : ids) {
    if (id.empty() || id == "none") continue;
    const Service* s = widgets::service_of(list, id);
    if (!s) return fail(Code::not_found, "there is no service for " + id);
    if (std::any_of(hosts.begin(), hosts.end(), [&](const ModelHost& h) { return h.host == s->host; })) continue;
    ModelHost h{s->host, s->title, s->this_machine, std::nullopt};
    for (const llm::Consent& c : consents_)
      if (c.host == h.host) h.allowed = c.limits;
    hosts.push_back(h);
  }
  return hosts;
}

Status FakeEngine::allow(const std::string& host, const llm::Limits& limits) {
  std::lock_guard lock(mutex_);
  std::erase_if(consents_, [&](const llm::Consent& c) { return c.host == host; });
  consents_.push_back({host, "2026-11-20", limits});
  return {};
}

Status FakeEngine::forget(const std::string& host) {
  std::lock_guard lock(mutex_);
  if (std::erase_if(consents_, [&](const llm::Consent& c) { return c.host == host; }) == 0)
    return fail(Code::not_found, "'" + host + "' was not allowed");
  return {};
}

Result<std::vector<llm::Consent>> FakeEngine::consents() {
  std::lock_guard lock(mutex_);
  return consents_;
}

void FakeEngine::release_reply() {
  {
    std::lock_guard lock(mutex_);
    reply_at_ = -1;
  }
  wake_.notify_all();
}

// One exchange for each candidate; that of the fourth fails. Each was stored before it is reported.
void FakeEngine::exchange(store::Workspace& workspace, std::int64_t run, int number, const std::string& candidate,
                          const explore::EventHandler& handler, std::stop_token cancel) {
  const auto say = [&](llm::ModelEvent event) { handler(explore::Event(std::move(event))); };
  store::ExchangeRecord e;
  e.run = run;
  e.role = store::AgentRole::writer;
  e.label = number == 0 ? "fresh attempt 1"
                        : "improvement of candidate " + std::to_string(number) +
                              " after an analysis whose label is longer than the column";
  e.model = options_.model.writer;
  e.provider = "openai";
  e.host = "api.remote.example";
  e.prompt = "writer 3 (1a2b3c4d5e6f)";
  e.request = request_of(e.model, number);
  e.state = store::ExchangeState::sent;
  e.id = *workspace.add_exchange(e);
  say(llm::ExchangeStarted{e.id, e.role, e.label, e.model, e.host});
  if (number == 1) say(llm::Streaming{e.id, {llm::Delta::Kind::wait, "429: the service asks to wait 12 s"}});
  say(llm::Streaming{e.id, {llm::Delta::Kind::thinking, "Rows are independent. "}});
  const std::string text = reply_text(number);
  say(llm::Streaming{e.id, {llm::Delta::Kind::text, text.substr(0, 10)}});
  {
    std::unique_lock lock(mutex_);
    while (reply_at_ == number && !cancel.stop_requested()) wake_.wait_for(lock, std::chrono::milliseconds(5));
  }
  say(llm::Streaming{e.id, {llm::Delta::Kind::text, text.substr(10)}});
  const bool priced = e.model != "remote:unpriced";
  const bool failed = number == 3;
  e.state = failed ? store::ExchangeState::failed : store::ExchangeState::replied;
  e.reply = failed ? "" : reply_of(number);
  e.why = failed ? "Remote did not answer in time (504). Try again, or choose another model." : "";
  e.code = failed ? "timeout" : "";
  e.prompt_tokens = 4000;
  e.cached_tokens = number == 0 ? 0 : 3000;
  e.completion_tokens = 1000;
  e.reasoning_tokens = 250;
  e.tokens_reported = true;
  if (priced) e.money = 0.018;
  e.attempts = 1;
  e.first_token_seconds = 0.8;
  e.seconds = 6.25;
  workspace.end_exchange(e);
  llm::Spend spend;
  {
    std::lock_guard lock(mutex_);
    spend_.usage.prompt += e.prompt_tokens;
    spend_.usage.cached += e.cached_tokens;
    spend_.usage.completion += e.completion_tokens;
    spend_.usage.reasoning += e.reasoning_tokens;
    spend_.usage.reported = true;
    spend_.money += e.money.value_or(0);
    spend_.money_known = spend_.money_known && priced;
    ++spend_.requests;
    spend_.failed += failed;
    spend = spend_;
  }
  say(llm::ExchangeEnded{e.id,
                         e.state,
                         e.why,
                         {e.prompt_tokens, e.cached_tokens, 0, e.completion_tokens, e.reasoning_tokens, true},
                         e.money,
                         e.seconds});
  say(llm::SpendChanged{spend});
  workspace.set_outcome(e.id, failed ? store::ExchangeOutcome::none : store::ExchangeOutcome::candidate,
                        failed ? "" : candidate);
}

Status FakeEngine::set_roles(const std::vector<llm::RoleSettings>& wanted) {
  if (!roles_error.empty()) return fail(Code::io, roles_error);
  std::lock_guard lock(mutex_);
  roles = wanted;
  return {};
}

Result<widgets::Formulated> FakeEngine::formulate(store::Workspace& workspace, const std::string& model,
                                                  const std::string& text, const llm::Limits&, std::stop_token cancel) {
  formulated_of = text;
  formulated_by = model;
  {
    std::unique_lock lock(mutex_);
    while (hold_formulate && !cancel.stop_requested()) wake_.wait_for(lock, std::chrono::milliseconds(5));
  }
  if (cancel.stop_requested()) return fail(Code::cancelled, "the request was cancelled");
  if (!formulate_error.empty()) return fail(Code::parse, formulate_error);
  store::ExchangeRecord e;
  e.role = store::AgentRole::formulator;
  e.label = "a sentence";
  e.model = model;
  e.host = "api.remote.example";
  e.request = request_of(model, 7);
  e.outcome = store::ExchangeOutcome::spec;
  e.prompt_tokens = 900;
  e.completion_tokens = 120;
  e.money = 0.003;
  widgets::Formulated made;
  e.id = made.exchange = *workspace.add_exchange(e);
  e.reply = reply_of(7);
  e.state = store::ExchangeState::replied;
  (void)workspace.end_exchange(e);
  (void)workspace.set_outcome(e.id, store::ExchangeOutcome::spec, "");
  made.text = "op scale(x: f32[N]) -> y: f32[N]\n  default N = 1024\n{\n  y[i] = 2 * x[i]\n}\n";
  made.explanation = "\u201cfrobnicate\u201d was read as doubling each element.";
  made.assumptions = {"The elements are f32.", "The factor is 2."};
  made.compared = "A second formulation by the model does NOT compute the same, on normal inputs: y[0] is 2, not 4:\n";
  made.doubts = {"the model formulated it twice, and the two compute different results"};
  return made;
}

}  // namespace ww::test
