// SPDX-License-Identifier: Apache-2.0
// Requests to servers on loopback, which are of four ways: HTTP/1.1 and HTTP/2, each with and without TLS.
#pragma once
#include <QtTest>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>
#include "http/http.h"
#include "support/loopback_server.h"

namespace ww::http::test {
enum class Way { http1, http2, tls1, tls2 };
}
Q_DECLARE_METATYPE(ww::http::test::Way)

namespace ww::http::test {

using namespace ww::support;

inline ServerOptions served(Way way) {
  ServerOptions o;
  o.tls = way == Way::tls1 || way == Way::tls2;
  o.http2 = way == Way::http2 || way == Way::tls2;
  return o;
}
inline bool is_two(Way way) { return served(way).http2; }

inline Request request_to(const LoopbackServer& server, const std::string& path = "/", std::string body = "{}") {
  Request r;
  r.url = server.url() + path;
  r.body = std::move(body);
  r.ca_file = server.ca_file();
  return r;
}
inline Request request_to(const LoopbackServer& server, Way way, const std::string& path = "/",
                          std::string body = "{}") {
  Request r = request_to(server, path, std::move(body));
  r.http2_prior_knowledge = way == Way::http2;
  return r;
}

inline Answer answer(std::vector<Piece> pieces, Answer::End end = Answer::End::complete) {
  Answer a;
  a.pieces = std::move(pieces);
  a.end = end;
  return a;
}
inline Handler always(Answer a) {
  return [a](const Received&) { return a; };
}

// A loopback port without a server: once closed it refuses connections, while kept it never answers.
struct Port {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int number = 0;
  explicit Port(bool listens) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof a;
    if (::bind(fd, reinterpret_cast<sockaddr*>(&a), size) != 0 ||
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&a), &size) != 0)
      qFatal("no port");
    number = ntohs(a.sin_port);
    if (listens) ::listen(fd, 8);
  }
  ~Port() { ::close(fd); }
};

inline bool says(const Error& e, const char* words) {
  if (e.message.find(words) != e.message.npos) return true;
  qWarning("it says: %s", e.text().c_str());
  return false;
}

// For a test to run in each way: its data.
inline void ways() {
  QTest::addColumn<Way>("way");
  QTest::newRow("HTTP/1.1") << Way::http1;
  QTest::newRow("HTTP/2") << Way::http2;
  QTest::newRow("HTTP/1.1 over TLS") << Way::tls1;
  QTest::newRow("HTTP/2 over TLS") << Way::tls2;
}

// Of this machine, which would lead requests elsewhere.
inline void without_proxies() {
  for (const char* name :
       {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY", "SSL_CERT_FILE"})
    qunsetenv(name);
}

}  // namespace ww::http::test
