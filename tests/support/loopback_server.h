// SPDX-License-Identifier: Apache-2.0
// An HTTP server on 127.0.0.1 for tests: answers as it is told, also wrongly. HTTP/1.1 and 2 (nghttp2; cleartext with
// prior knowledge, or over TLS with ALPN), TLS with a certificate made when it starts (OpenSSL). Serves several
// connections at a time on a thread of its own, until it is destroyed or its program ends. As a plain proxy it receives
// whole URLs as targets. Requests have a Content-Length or no body.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ww::support {

struct Received {
  std::string method, target, body;
  int version = 11;                                          // 11, 20
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string header(const std::string& name) const;         // empty: absent
  std::size_t number = 0;                                    // from 0, over all connections
};
struct Piece {
  std::string bytes;
  std::chrono::milliseconds before{0};  // a pause before it
};
struct Answer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {{"content-type", "text/event-stream"}};
  // Written (and flushed) one by one: each is one chunk, or one DATA frame. The head goes at once; but without any
  // piece hang, cut and reset come before it (one empty piece: after it).
  std::vector<Piece> pieces;
  bool gzip = false;    // the body is compressed as one stream, flushed after each piece
  bool length = false;  // Content-Length (instead of chunks); of an answer that ends early 100 bytes more than come
  enum class End : std::uint8_t {
    complete,
    cut,      // closed in the middle: no last chunk; over HTTP/2 GOAWAY and close
    reset,    // TCP RST; over HTTP/2 RST_STREAM; 30 ms after the last piece
    hang,     // silent until the client goes
    garbage,  // bytes that are not HTTP instead of an answer (of `pieces`, at once), then closed
  } end = End::complete;
};
using Handler = std::function<Answer(const Received&)>;  // one call at a time

struct ServerOptions {
  bool tls = false, http2 = false;
  enum class Certificate : std::uint8_t { good, expired, other_name } certificate = Certificate::good;
};

class LoopbackServer {
 public:
  explicit LoopbackServer(Handler handler, ServerOptions options = {});
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;
  std::string url() const;                // "http://127.0.0.1:PORT", "https://localhost:PORT"
  std::filesystem::path ca_file() const;  // the authority that signed its certificate, PEM; empty without TLS
  std::vector<Received> received() const;
  std::size_t connections() const;  // so far
  bool client_left(std::chrono::milliseconds within)
      const;  // the client closed (or reset) a connection or stream that was being answered

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ww::support
