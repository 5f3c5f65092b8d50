// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0 over two descriptors: one message per line.
#pragma once
#include <mutex>
#include <string>
#include <tl/expected.hpp>
#include "base/described_json.h"

namespace ww::cli::mcp {

using json::Json;

enum Rpc : int {
  not_json = -32700,
  invalid_request = -32600,
  no_method = -32601,
  invalid_params = -32602,
  busy = -32000,             // our own: too many requests in progress
  no_resource = -32002,      // until 2025-11-25
  unknown_version = -32022,  // from 2026-07-28
};
struct RpcError {
  int code = invalid_request;
  std::string message;
  Json data;  // null: none
};
template <class T>
using Reply = tl::expected<T, RpcError>;
inline tl::unexpected<RpcError> refuse(int code, std::string message, Json data = nullptr) {
  return tl::make_unexpected(RpcError{code, std::move(message), std::move(data)});
}

class Lines {  // input
 public:
  explicit Lines(int fd) : fd_(fd) {}
  enum class Got { line, too_long, end };
  Got next(std::string& line);  // too_long: a line of more than json::max_size bytes was skipped; `line` is empty

 private:
  int fd_;
  std::string buffer_;
};

class Output {  // output; thread-safe
 public:
  explicit Output(int fd) : fd_(fd) {}
  void result(const Json& id, const Json& result) { send({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}}); }
  void error(const Json& id, const RpcError& error);
  void notify(const std::string& method, const Json& params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
  }

 private:
  void send(const Json& message);  // a whole line; dropped if it cannot be written
  const int fd_;
  std::mutex mutex_;
};

}  // namespace ww::cli::mcp
