// SPDX-License-Identifier: Apache-2.0
#include "rpc/messages.h"
#include "gate/verdict_json.h"

namespace ww::rpc {
namespace {

std::string dump(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json envelope(std::optional<std::int64_t> id) {
  Json j = {{"jsonrpc", "2.0"}};
  if (id) j["id"] = *id;
  return j;
}

// Reads with a default; a member of another type is an error.
template <class T> Status read(const Json& params, const char* name, T& into) {
  const auto at = params.find(name);
  if (at == params.end()) return {};
  bool fits = false;
  if constexpr (std::is_same_v<T, bool>) fits = at->is_boolean();
  else if constexpr (std::is_integral_v<T>) fits = at->is_number_integer();
  else if constexpr (std::is_floating_point_v<T>) fits = at->is_number();
  else fits = at->is_string();
  if (!fits) return fail(Code::invalid_argument, std::string("the parameter '") + name + "' has the wrong type");
  into = at->template get<T>();
  return {};
}

Status read_language(const Json& params, candidate::Language& into) {
  std::string name(candidate::language_name(into));
  if (Status s = read(params, "language", name); !s) return s;
  for (const candidate::Language l : {candidate::Language::cuda, candidate::Language::ptx})
    if (candidate::language_name(l) == name) {
      into = l;
      return {};
    }
  return fail(Code::invalid_argument, "there is no language '" + name + "': it is cuda or ptx");
}

}  // namespace

Result<Message> read_message(std::string_view body) {
  const auto corrupt = [](std::string why) { return fail(Code::corrupt, "what was received does not follow the protocol", std::move(why)); };
  try {
    Json j = Json::parse(body);
    if (!j.is_object()) return corrupt("not an object");
    if (!j.contains("jsonrpc") || j["jsonrpc"] != "2.0") return corrupt("not JSON-RPC 2.0");
    Message m;
    if (j.contains("id") && !j["id"].is_null()) {
      if (!j["id"].is_number_integer()) return corrupt("an id that is no integer");
      m.id = j["id"].get<std::int64_t>();
    }
    if (j.contains("method")) {
      if (!j["method"].is_string() || j["method"].get_ref<const std::string&>().empty()) return corrupt("a method that is no name");
      m.method = j["method"].get<std::string>();
      m.params = j.contains("params") ? std::move(j["params"]) : Json::object();
      if (!m.params.is_object()) return corrupt("params that are no object");
      return m;
    }
    if (j.contains("error")) {
      const Json& e = j["error"];
      if (!e.is_object() || !e.contains("message") || !e["message"].is_string()) return corrupt("an error without a message");
      Error error{Code::internal, e["message"].get<std::string>(), {}};
      if (e.contains("data") && e["data"].is_object()) {
        std::string code;
        if (!read(e["data"], "code", code) || !read(e["data"], "cause", error.cause)) return corrupt("an error with data of the wrong type");
        error.code = code_from_name(code);
      }
      m.error = std::move(error);
      return m;
    }
    if (!m.id || !j.contains("result")) return corrupt("neither a request nor a reply");
    m.result = std::move(j["result"]);
    return m;
  } catch (const std::exception& e) {
    return corrupt(e.what());
  }
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
  j["error"] = {{"code", rpc_code != 0 ? rpc_code : -32000}, {"message", error.message}, {"data", {{"code", code_name(error.code)}, {"cause", error.cause}}}};
  return dump(j);
}

Json gate_params(const GateRequest& r) {
  return {{"spec", r.spec},
          {"candidate", r.candidate},
          {"language", candidate::language_name(r.language)},
          {"device", r.device},
          {"architecture", r.architecture},
          {"binding", Json::parse(gate::binding_to_json(r.binding))},
          {"seeds", r.seeds},
          {"measure", r.measure}};
}

Result<gate::Request> gate_request(const Json& params) {
  gate::Request r;
  for (const Status& s : {read(params, "spec", r.spec), read(params, "candidate", r.candidate), read_language(params, r.language),
                          read(params, "architecture", r.architecture), read(params, "seeds", r.seeds), read(params, "measure", r.measure)})
    if (!s) return fail(s.error());
  if (r.seeds < 1 || r.seeds > 1000) return fail(Code::invalid_argument, "the number of seeds must lie between 1 and 1000");
  if (params.contains("binding")) {
    Result<op::Binding> b = gate::binding_from_json(dump(params["binding"]));
    if (!b) return fail(Code::invalid_argument, "the parameter 'binding' cannot be read", b.error().text());
    r.binding = std::move(*b);
  }
  return r;
}

std::string device_of(const Json& params) {
  std::string name = "simt";
  return read(params, "device", name) ? name : std::string();
}

Json compile_params(const CompileRequest& r) {
  return {{"candidate", r.candidate}, {"language", candidate::language_name(r.language)}, {"architecture", r.architecture}};
}

Result<CompileRequest> compile_request(const Json& params) {
  CompileRequest r;
  for (const Status& s : {read(params, "candidate", r.candidate), read_language(params, r.language), read(params, "architecture", r.architecture)})
    if (!s) return fail(s.error());
  return r;
}

Json compile_result(const compile::Output& o) {
  Json j = {{"ptx", o.ptx}, {"cubin", to_hex(o.cubin)}, {"resources", Json::array()}, {"log", o.log}, {"compiler", o.compiler}, {"seconds", o.seconds},
            {"from_cache", o.from_cache}};
  for (const compile::KernelResources& r : o.resources)
    j["resources"].push_back({{"kernel", r.kernel},
                              {"registers", r.registers},
                              {"static_shared", r.static_shared},
                              {"stack", r.stack},
                              {"spill_stores", r.spill_stores},
                              {"spill_loads", r.spill_loads},
                              {"constant", r.constant},
                              {"barriers", r.barriers}});
  return j;
}

Result<compile::Output> compile_output(const Json& j) {
  const auto corrupt = [](const Error& e) { return fail(Code::corrupt, "the reply to compile cannot be read", e.text()); };
  if (!j.is_object()) return corrupt({Code::corrupt, "it is no object", {}});
  compile::Output o;
  std::string cubin;
  for (const Status& s : {read(j, "ptx", o.ptx), read(j, "cubin", cubin), read(j, "log", o.log), read(j, "compiler", o.compiler),
                          read(j, "seconds", o.seconds), read(j, "from_cache", o.from_cache)})
    if (!s) return corrupt(s.error());
  Result<std::string> bytes = from_hex(cubin);
  if (!bytes) return corrupt(bytes.error());
  o.cubin = std::move(*bytes);
  const auto list = j.find("resources");
  if (list == j.end() || !list->is_array()) return corrupt({Code::corrupt, "it has no resources", {}});
  for (const Json& r : *list) {
    if (!r.is_object()) return corrupt({Code::corrupt, "its resources are no objects", {}});
    compile::KernelResources k;
    for (const Status& s : {read(r, "kernel", k.kernel), read(r, "registers", k.registers), read(r, "static_shared", k.static_shared),
                            read(r, "stack", k.stack), read(r, "spill_stores", k.spill_stores), read(r, "spill_loads", k.spill_loads),
                            read(r, "constant", k.constant), read(r, "barriers", k.barriers)})
      if (!s) return corrupt(s.error());
    o.resources.push_back(std::move(k));
  }
  return o;
}

std::string to_hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

Result<std::string> from_hex(std::string_view hex) {
  const auto value = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  if (hex.size() % 2 != 0) return fail(Code::corrupt, "an odd number of hex digits");
  std::string out;
  out.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    if (value(hex[i]) < 0 || value(hex[i + 1]) < 0) return fail(Code::corrupt, "a character that is no hex digit");
    out += static_cast<char>(value(hex[i]) << 4 | value(hex[i + 1]));
  }
  return out;
}

}  // namespace ww::rpc
