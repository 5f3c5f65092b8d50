// SPDX-License-Identifier: Apache-2.0
#include "rpc/messages.h"
#include "base/describe.h"
#include "rpc/framing.h"
#include "base/utf8.h"
#include "base/json_reader.h"
#include "rpc/cache_messages.h"

namespace ww::rpc {
namespace {

using json::dump;

struct ErrorData {  // of a JSON-RPC error
  std::string code, cause;
  WW_FIELDS(ErrorData, (code, defaulted), (cause, defaulted))
};

Json envelope(std::optional<std::int64_t> id) {
  Json j = {{"jsonrpc", "2.0"}};
  if (id) j["id"] = *id;
  return j;
}

}  // namespace

Status check_utf8(const Json& params, const std::string& name) {
  if (params.is_string()) {
    const auto bad = bad_utf8(params.get_ref<const std::string&>());
    if (!bad) return {};
    return fail(Code::invalid_argument, "byte " + std::to_string(*bad + 1) + " of '" + name + "' is not UTF-8 text");
  }
  if (!params.is_structured()) return {};
  for (const auto& [key, member] : params.items()) WW_TRY(check_utf8(member, params.is_object() ? key : name));
  return {};
}

Result<Message> read_message(std::string_view body) {
  const auto corrupt = [](std::string why) {
    return fail(Code::corrupt, "what was received does not follow the protocol", std::move(why));
  };
  try {
    Result<Json> parsed = json::read_json<Json>(body, max_request);  // each side's frames have their own limit
    if (!parsed) return corrupt(parsed.error().message);
    Json& j = *parsed;
    if (!j.is_object()) return corrupt("not an object");
    if (!j.contains("jsonrpc") || j["jsonrpc"] != "2.0") return corrupt("not JSON-RPC 2.0");
    Message m;
    Result<CacheEntries> kept = read_cache(j);
    if (!kept) return corrupt(kept.error().message);
    m.kept = std::move(*kept);
    if (j.contains("id") && !j["id"].is_null()) {
      if (!j["id"].is_number_integer()) return corrupt("an id that is not an integer");
      m.id = j["id"].get<std::int64_t>();
    }
    if (j.contains("method")) {
      if (!j["method"].is_string() || j["method"].get_ref<const std::string&>().empty())
        return corrupt("an invalid method name");
      m.method = j["method"].get<std::string>();
      m.params = j.contains("params") ? std::move(j["params"]) : Json::object();
      if (!m.params.is_object()) return corrupt("params that are not an object");
      return m;
    }
    if (j.contains("error")) {
      const Json& e = j["error"];
      if (!e.is_object() || !e.contains("message") || !e["message"].is_string())
        return corrupt("an error without a message");
      Error error{Code::internal, e["message"].get<std::string>(), {}};
      if (e.contains("data") && e["data"].is_object()) {
        const Result<ErrorData> data = json::read<ErrorData>(e["data"], "the data of the error cannot be read");
        if (!data) return corrupt(data.error().text());
        error.code = code_from_name(data->code);
        error.cause = data->cause;
      }
      m.error = std::move(error);
      return m;
    }
    if (!m.id || !j.contains("result")) return corrupt("neither a request nor a reply");
    m.result = std::move(j["result"]);
    return m;
  } catch (const std::exception& e) { return corrupt(json::explain_exception(e)); }
}

std::string request_text(std::int64_t id, std::string_view method, const Json& params) {
  Json j = envelope(id);
  j["method"] = method;
  j["params"] = params;
  return dump(j);
}

std::string notification_text(std::string_view method, const Json& params) {
  Json j = envelope({});
  j["method"] = method;
  j["params"] = params;
  return dump(j);
}

std::string result_text(std::int64_t id, const Json& result) { return result_text_of(id, dump(result)); }

std::string result_text_of(std::int64_t id, std::string_view result_json) {
  return "{\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + ",\"result\":" + std::string(result_json) + "}";
}

std::string error_text(std::optional<std::int64_t> id, const Error& error, int rpc_code) {
  Json j = envelope({});
  j["id"] = id ? Json(*id) : Json(nullptr);
  j["error"] = {{"code", rpc_code != 0 ? rpc_code : -32000},
                {"message", error.message},
                {"data", json::of(ErrorData{std::string(code_name(error.code)), error.cause})}};
  return dump(j);
}

Result<std::string> from_hex(std::string_view hex) {
  const auto value = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  if (hex.size() % 2 != 0) return fail(Code::corrupt, "an odd number of hex digits");
  std::string out;
  out.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    if (value(hex[i]) < 0 || value(hex[i + 1]) < 0) return fail(Code::corrupt, "a character that is not a hex digit");
    out += static_cast<char>(value(hex[i]) << 4 | value(hex[i + 1]));
  }
  return out;
}

}  // namespace ww::rpc
