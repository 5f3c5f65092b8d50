// SPDX-License-Identifier: Apache-2.0
#include "mcp/server.h"
#include <algorithm>
#include <array>
#include <exception>
#include "base/json_reader.h"
#include "console.h"
#include "mcp/prompts.h"

namespace ww::cli::mcp {
namespace {

constexpr const char* current = "2026-07-28";
constexpr std::array<const char*, 4> with_handshake = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr const char* version_key = "io.modelcontextprotocol/protocolVersion";
constexpr const char* capabilities_key = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* client_key = "io.modelcontextprotocol/clientInfo";
constexpr const char* server_key = "io.modelcontextprotocol/serverInfo";
constexpr std::size_t most_jobs = 16;

const char* const instructions =
    "Warpwright judges GPU kernels: it compiles a candidate, proves it against the op's spec in double precision on "
    "many shapes, and ranks it. Without a GPU, kernels run on its own SIMT machine, and costs are simulated "
    "issue slots, never times. A candidate is one text: directives that plan the launches, and CUDA or PTX; read "
    "warpwright://guide/candidate before you write one. Typical workflow: 'describe' the op, 'explore' it for a good "
    "starting point, 'show' the best, change it, 'check' the new text until it is proved, 'submit' it to the "
    "run, "
    "and 'advise' for the next step. A rejection states what is wrong and where. A proved candidate is right on "
    "the "
    "cases that its verdict lists, not signed: only a person signs, outside of these tools.";

Json server_info() { return {{"name", "warpwright"}, {"title", "Warpwright"}, {"version", WW_VERSION}}; }

Json capabilities() { return {{"tools", Json::object()}, {"resources", Json::object()}, {"prompts", Json::object()}}; }

std::string name_of(const Json& client) {  // "claude-code 2.1"
  const auto text = [&](const char* key) {
    return client.is_object() && client.contains(key) && client[key].is_string() ? client[key].get<std::string>() : "";
  };
  const std::string name = text("name"), version = text("version");
  return safe((name + (version.empty() ? "" : " ") + version).substr(0, 80));
}

const Json& meta_of(const Json& params) {
  static const Json none = Json::object();
  const auto at = params.find("_meta");
  return at != params.end() && at->is_object() ? *at : none;
}

Json text_block(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

// With a tool's own failure the model that called it can go on: it is a result, not an error of the protocol.
Json failure(const Tool& tool, const Error& error) {
  std::string text = error.text();
  if (!error.hint.empty()) text += "\n" + error.hint;
  return {{"content", Json::array({text_block(text)})},
          {"structuredContent", answer_json(tool.command, {{"error", error_json(error)}})},
          {"isError", true}};
}

}  // namespace

Server::Server(const Options& options, const op::Library& library, int in, int out)
    : options_(options), library_(library), tools_(tools_of(options)), in_(in), out_(out) {}

void Server::run() {
  std::string line;
  for (;;) {
    const Lines::Got got = in_.next(line);
    if (got == Lines::Got::end) break;
    forget_done();
    if (got == Lines::Got::too_long)
      out_.error(nullptr,
                 {not_json, "the message is longer than " + std::to_string(json::max_size) + " bytes", nullptr});
    else if (line.find_first_not_of(" \t\r") != std::string::npos)
      take(line);
  }
  std::list<Job> rest;  // joined without the lock, which they need
  const std::lock_guard lock(mutex_);
  for (Job& job : jobs_) job.stop.request_stop();
  rest.swap(jobs_);
}

void Server::take(const std::string& line) {
  Result<Json> message = json::parse(line);
  if (!message) return out_.error(nullptr, {not_json, message.error().message, nullptr});
  if (!message->is_object())
    return out_.error(nullptr, {invalid_request, "a message is one object; there are no batches", nullptr});
  Json& m = *message;
  const Json id = m.value("id", Json(nullptr));
  const bool named = m.contains("method") && m["method"].is_string();
  // a response, although nothing was requested
  if (!m.contains("method") && (m.contains("result") || m.contains("error"))) return;
  if (m.value("jsonrpc", Json()) != "2.0" || !named)
    return out_.error(
        id.is_string() || id.is_number_integer() ? id : Json(nullptr),
        {invalid_request, "this is not a JSON-RPC 2.0 message: it needs \"jsonrpc\": \"2.0\" and a method", nullptr});
  Json params = m.value("params", Json::object());
  const std::string method = m["method"];
  if (!m.contains("id")) {
    if (params.is_object()) notified(method, params);
    return;
  }
  if (!id.is_string() && !id.is_number_integer())
    return out_.error(nullptr, {invalid_request, "the id of a request must be a string or an integer", nullptr});
  if (!params.is_object()) return out_.error(id, {invalid_params, "params must be an object", nullptr});
  request({id, method, std::move(params), false, {}});
}

void Server::notified(const std::string& method, const Json& params) {
  if (method != "notifications/cancelled") return;
  const Json id = params.value("requestId", Json(nullptr));
  const std::lock_guard lock(mutex_);
  for (Job& job : jobs_)
    if (job.id == id) job.stop.request_stop();
}

Reply<bool> Server::modern(const Asked& asked) const {
  const Json& meta = meta_of(asked.params);
  if (!meta.contains(version_key)) {
    if (asked.method == "server/discover")
      return refuse(invalid_params, std::string("params._meta must have the member '") + version_key + "'");
    if (initialized_ || asked.method == "initialize" || asked.method == "ping") return false;
    return refuse(invalid_request,
                  std::string("begin with 'initialize', or give '") + version_key + "' in params._meta");
  }
  const Json& version = meta[version_key];
  if (!version.is_string()) return refuse(invalid_params, std::string("'") + version_key + "' must be a string");
  if (version != current)
    return refuse(unknown_version, "this protocol revision is not supported",
                  {{"supported", Json::array({current})}, {"requested", version}});
  if (!meta.contains(capabilities_key) || !meta[capabilities_key].is_object())
    return refuse(invalid_params, std::string("params._meta must have the member '") + capabilities_key + "'");
  return true;
}

void Server::request(Asked asked) {
  const Reply<bool> era = modern(asked);
  if (!era) return out_.error(asked.id, era.error());
  asked.modern = *era;
  asked.client = asked.modern ? name_of(meta_of(asked.params).value(client_key, Json())) : client_;
  if (const std::optional<Reply<Json>> reply = at_once(asked))
    send(asked, *reply);
  else
    start(std::move(asked));
}

std::optional<Reply<Json>> Server::at_once(const Asked& asked) {
  const std::string& method = asked.method;
  if (asked.modern && method == "server/discover")
    return Json{{"supportedVersions", Json::array({current})},
                {"capabilities", capabilities()},
                {"instructions", instructions}};
  if (!asked.modern && method == "initialize") return initialized(asked.params);
  if (!asked.modern && method == "ping") return Json(Json::object());
  if (method == "tools/list") {
    Json list = Json::array();
    for (const Tool& tool : tools_) list.push_back(tool_json(tool));
    return Json{{"tools", list}};
  }
  if (method == "resources/templates/list") return Json{{"resourceTemplates", resource_templates()}};
  if (method == "prompts/list") return Json{{"prompts", prompts_json()}};
  if (method == "prompts/get") return prompt(asked.params);
  for (const char* slow : {"tools/call", "resources/list", "resources/read"})
    if (method == slow) return std::nullopt;
  return refuse(no_method, "there is no method '" + method + "'");
}

Reply<Json> Server::initialized(const Json& params) {
  const Json asked = params.value("protocolVersion", Json());
  if (!asked.is_string()) return refuse(invalid_params, "'initialize' needs the member 'protocolVersion'");
  const bool known =
      std::find(with_handshake.begin(), with_handshake.end(), asked.get<std::string>()) != with_handshake.end();
  initialized_ = true;
  client_ = name_of(params.value("clientInfo", Json()));
  return Json{{"protocolVersion", known ? asked : Json(with_handshake.front())},
              {"capabilities", capabilities()},
              {"serverInfo", server_info()},
              {"instructions", instructions}};
}

void Server::start(Asked asked) {
  const std::lock_guard lock(mutex_);
  const auto twin = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& j) { return !j.done && j.id == asked.id; });
  if (twin != jobs_.end())
    return out_.error(asked.id, {invalid_request, "a request with this id is still running", nullptr});
  if (jobs_.size() >= most_jobs)
    return out_.error(asked.id,
                      {busy, std::to_string(most_jobs) + " requests are running; wait for one to finish", nullptr});
  Job& job = jobs_.emplace_back();
  job.id = asked.id;
  job.thread = std::jthread([this, &job, asked = std::move(asked)] {
    const Reply<Json> reply = work(asked, watch_of(asked, job.stop.get_token()));
    if (!job.stop.stop_requested()) send(asked, reply);
    const std::lock_guard done(mutex_);
    job.done = true;
  });
}

Reply<Json> Server::work(const Asked& asked, const Watch& watch) const try {
  if (asked.method == "tools/call") return call_tool(asked, watch);
  if (asked.method == "resources/list") return list_resources(options_, library_, asked.params);
  return read_resource(options_, library_, asked.params, asked.modern);
} catch (const std::exception& e) {  // memory, mostly
  return refuse(-32603, std::string("the request could not be completed: ") + e.what());
}

Reply<Json> Server::call_tool(const Asked& asked, const Watch& watch) const {
  const Json name = asked.params.value("name", Json());
  const auto tool = std::find_if(tools_.begin(), tools_.end(), [&](const Tool& t) { return name == t.name; });
  if (tool == tools_.end())
    return refuse(invalid_params, name.is_string() ? "there is no tool '" + name.get<std::string>() + "'"
                                                   : std::string("'tools/call' needs the name of a tool"));
  Json arguments = asked.params.value("arguments", Json());
  if (arguments.is_null()) arguments = Json::object();
  const Result<Answer> answer = tool->run(arguments, {options_, library_, watch, asked.client});
  if (!answer) return failure(*tool, answer.error());
  return Json{{"content", Json::array({text_block(answer->text)})},
              {"structuredContent", answer_json(tool->command, answer->json)},
              {"isError", false}};
}

Watch Server::watch_of(const Asked& asked, const std::stop_token& stop) {
  const Json token = meta_of(asked.params).value("progressToken", Json());
  if (!token.is_string() && !token.is_number_integer()) return {stop};
  // Each notification is of more progress than the one before.
  const auto progress = [this, token, stop, last = std::make_shared<double>(-1)](double fraction,
                                                                                 const std::string& text) {
    const double per_cent = std::min(100.0, std::max(0.0, 100 * fraction));
    if (stop.stop_requested() || !(per_cent >= *last + 0.01)) return;
    *last = per_cent;
    out_.notify("notifications/progress",
                {{"progressToken", token}, {"progress", per_cent}, {"total", 100}, {"message", text}});
  };
  return {stop, progress};
}

void Server::send(const Asked& asked, const Reply<Json>& reply) {
  if (!reply) return out_.error(asked.id, reply.error());
  if (!asked.modern) return out_.result(asked.id, *reply);
  Json result = *reply;
  result["resultType"] = "complete";
  result["_meta"] = {{server_key, server_info()}};
  const bool can_change = asked.method == "resources/list" || asked.method == "resources/read";
  if (asked.method != "tools/call" && asked.method != "prompts/get") {
    result["ttlMs"] = can_change ? 0 : 3600000;
    result["cacheScope"] = "private";
  }
  out_.result(asked.id, result);
}

void Server::forget_done() {
  std::list<Job> done;
  const std::lock_guard lock(mutex_);
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const auto next = std::next(job);
    if (job->done) done.splice(done.end(), jobs_, job);
    job = next;
  }
}  // their threads need the lock no more

}  // namespace ww::cli::mcp
