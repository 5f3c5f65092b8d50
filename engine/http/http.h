// SPDX-License-Identifier: Apache-2.0
// HTTP with streamed replies over libcurl's multi interface: HTTP/1.1 and 2, TLS always verified, proxy variables
// honoured (http_proxy, https_proxy, no_proxy), compressed bodies decompressed. Linked by plugins only, so that no
// other program needs libcurl.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "base/host.h"
#include "base/result.h"
#include "base/secret.h"

namespace ww::http {

using Headers = std::vector<std::pair<std::string, std::string>>;  // names in lower case where received

struct Request {
  std::string method = "POST", url, body;
  Headers headers;
  std::string secret_header, secret_prefix;  // "authorization", "Bearer "
  Secret secret;                             // redirects are not followed, so it is never sent elsewhere
  // Timeouts: until the connection is established (name, TCP, TLS); from the call to the first byte of the body; then
  // between bytes of the body (excluding time in the sink).
  std::chrono::milliseconds connect_timeout{10000}, first_byte_timeout{300000}, idle_timeout{120000};
  std::filesystem::path
      ca_file;  // authorities to trust instead of the system's; empty: $SSL_CERT_FILE, else the system's
  bool http2_prior_knowledge =
      false;  // cleartext HTTP/2 (tests; a connection for each request); over TLS it is negotiated
};
struct Response {
  int status = 0;
  int version = 0;  // 11, 20
  Headers headers;
  std::string body;  // for a status other than 2xx (the first MiB), or without a sink (at most 64 MiB)
  double first_byte_seconds = 0, seconds = 0;
};
// Receives the body of a 2xx reply as it arrives, on the calling thread; returning false ends the transfer
// (Code::cancelled).
using Sink = std::function<bool(std::string_view bytes)>;

class Client {  // thread-safe; keeps connections. A dedicated thread drives all transfers
 public:
  Client();
  ~Client();  // ends all transfers
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  // Any status counts as success. Errors have a plain sentence, with libcurl's message as cause: unavailable (DNS,
  // refused, TLS, proxy), untrusted (certificates), timeout (which one), io (the stream broke: how much had arrived),
  // cancelled (within 200 ms; also by the sink), corrupt (not HTTP, broken compression), invalid_argument (URL,
  // headers; a key with a line break). If an error occurs after a status was received, `partial` (if given) holds the
  // response so far.
  Result<Response> send(const Request& request, const Sink& sink, std::stop_token stop, Response* partial = nullptr);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ww::http
