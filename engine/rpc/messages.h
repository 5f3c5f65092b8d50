// SPDX-License-Identifier: Apache-2.0
// The worker's protocol: JSON-RPC 2.0. For the .cpp files of engine/rpc only: it includes nlohmann's header. Methods,
// parameters and results: docs/json.md, "The worker's protocol".
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include "base/described_json.h"
#include "base/hex.h"
#include "base/result.h"
#include "compile/compile.h"
#include "gate/gate.h"
#include "rpc/worker_cache.h"
#include "rpc/supervisor.h"

namespace ww::rpc {

struct FurtherTraceRequest;  // rpc/simulate.h

using Json = nlohmann::ordered_json;
inline constexpr int protocol_version = 2;

struct Message {  // a request, a notification (no id) or a reply (no method)
  std::optional<std::int64_t> id;
  std::string method;
  Json params;
  std::optional<Json> result;
  std::optional<Error> error;
  CacheEntries kept;
  bool is_reply() const { return method.empty(); }
};

// Rejects a request with a text that is not UTF-8 (it would change in transit), naming the text and the byte.
Status check_utf8(const Json& params, const std::string& name = {});  // Code::invalid_argument
Result<Message> read_message(std::string_view body);                  // Code::corrupt
std::string request_text(std::int64_t id, std::string_view method, const Json& params);
std::string notification_text(std::string_view method, const Json& params);
std::string result_text(std::int64_t id, const Json& result);
std::string result_text_of(std::int64_t id, std::string_view result_json);  // already JSON
// rpc_code: 0 for an engine error (-32000 with its code as data).
std::string error_text(std::optional<std::int64_t> id, const Error& error, int rpc_code = 0);

// Requests and replies are described beside their structs (supervisor.h); the functions here handle the rest.
// Code::invalid_argument names the invalid parameter.
Status accept(GateRequest& request);
Status accept(ReproduceRequest& request);
Status accept(CompileRequest& request);
Status accept(TimeRequest& request);
Status accept(CountRequest& request);
Status accept(DeviceRequest& request);
Status accept(SimulateRequest& request);
Status accept(TraceRequest& request);
Status accept(FurtherTraceRequest& request);
template <class T>
Result<T> request_of(const Json& params) {
  T request = WW_TRY(json::read<T>(params, "the parameters cannot be read", Code::invalid_argument));
  WW_TRY(accept(request));
  return request;
}
template <class T>
Result<T> reply_of(const Json& result) {
  return json::read<T>(result, "the worker's reply cannot be read");
}
Json compile_result(const compile::Output& output);  // with the cubin in hex
Result<compile::Output> compile_output(const Json& result);

Result<std::string> from_hex(std::string_view hex);

}  // namespace ww::rpc
