// SPDX-License-Identifier: Apache-2.0
#include "support/loopback_server.h"
#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <netinet/tcp.h>
#include <optional>
#include <openssl/err.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <linux/sockios.h>
#include <zlib.h>
#include "support/loopback_parts.h"
#include "support/loopback_tls.h"

namespace ww::support {

std::string Received::header(const std::string& name) const {
  for (const auto& [n, value] : headers)
    if (n == name) return value;
  return {};
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}
bool has_body(const std::string& method, int status) { return method != "HEAD" && status != 204 && status != 304; }
bool is_silent(const Answer& a) {
  return a.pieces.empty() && (a.end == Answer::End::hang || a.end == Answer::End::cut || a.end == Answer::End::reset);
}
std::size_t announced_length(const Answer& a) {
  std::size_t n = a.end == Answer::End::complete ? 0 : 100;
  for (const Piece& p : a.pieces) n += p.bytes.size();
  return n;
}

const std::string* Playing::take_due(Clock::time_point now) {
  if (said_all() || now < due) return nullptr;
  const std::string* piece = &answer.pieces[next].bytes;
  if (++next < answer.pieces.size()) due = now + answer.pieces[next].before;
  return piece;
}

namespace {

// Each piece becomes the compressed bytes that its flush gives; the last holds the stream's end where the answer is
// complete.
void compress(Answer& a) {
  z_stream z{};
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  const bool whole = a.end == Answer::End::complete;
  if (a.pieces.empty() && whole) a.pieces.emplace_back();
  for (std::size_t i = 0; i < a.pieces.size(); ++i) {
    std::string& bytes = a.pieces[i].bytes;
    std::string out;
    char buffer[4096];
    z.next_in = reinterpret_cast<Bytef*>(bytes.data());
    z.avail_in = static_cast<uInt>(bytes.size());
    do {
      z.next_out = reinterpret_cast<Bytef*>(buffer);
      z.avail_out = sizeof buffer;
      deflate(&z, whole && i + 1 == a.pieces.size() ? Z_FINISH : Z_SYNC_FLUSH);
      out.append(buffer, sizeof buffer - z.avail_out);
    } while (z.avail_out == 0);
    bytes = std::move(out);
  }
  deflateEnd(&z);
  a.headers.emplace_back("content-encoding", "gzip");
}

}  // namespace

Answer Ledger::ask(Received request) {
  {
    const std::lock_guard lock(mutex_);
    request.number = received_.size();
    received_.push_back(request);
  }
  Answer a = handler_(request);
  if (a.gzip) compress(a);
  // A client may drop what it finds together with a reset, and then tests would depend on when it looked.
  if (a.end == Answer::End::reset && !a.pieces.empty()) a.pieces.push_back({"", std::chrono::milliseconds(30)});
  return a;
}
void Ledger::client_left() {
  const std::lock_guard lock(mutex_);
  left_ = true;
  changed_.notify_all();
}
void Ledger::connected() {
  const std::lock_guard lock(mutex_);
  ++connections_;
}
std::vector<Received> Ledger::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}
std::size_t Ledger::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}
bool Ledger::wait_for_leaver(std::chrono::milliseconds within) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, within, [this] { return left_; });
}

namespace {

class Connection {
 public:
  Connection(int fd, Ledger& ledger, SSL_CTX* tls) : fd_(fd), ledger_(ledger) {
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (!tls) return;
    ssl_ = SSL_new(tls);
    SSL_set_bio(ssl_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(ssl_);
  }
  ~Connection() {
    SSL_free(ssl_);
    ::close(fd_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  short events() const { return static_cast<short>(POLLIN | (out_.empty() ? 0 : POLLOUT)); }
  Clock::time_point due() const {
    if (ended_) return Clock::now() + std::chrono::milliseconds(1);
    return protocol_ ? protocol_->due() : Clock::time_point::max();
  }

  // False: it is over, and to be closed.
  bool serve(Clock::time_point now) {
    if (!receive()) {
      if (protocol_ && protocol_->answering()) ledger_.client_left();
      return false;
    }
    while (protocol_) {
      std::string plain;
      protocol_->play(now, plain);
      if (plain.empty()) break;
      if (!write(plain) || !flush()) return gone();
    }
    if (!flush()) return gone();
    if (!protocol_ || protocol_->finish == Protocol::Finish::no || !out_.empty()) return true;
    int unsent = 0;  // what was written is to reach the client before the connection ends
    ended_ = true;
    if (ioctl(fd_, SIOCOUTQ, &unsent) == 0 && unsent > 0) return true;
    if (protocol_->finish == Protocol::Finish::reset) {
      const linger now_and_hard{1, 0};
      setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now_and_hard, sizeof now_and_hard);
    }
    return false;
  }

 private:
  bool gone() {
    if (protocol_ && protocol_->answering()) ledger_.client_left();
    return false;
  }
  bool receive() {
    char buffer[16384];
    for (;;) {
      const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
      if (n <= 0) return false;
      if (!ssl_) {
        take({buffer, static_cast<std::size_t>(n)});
        continue;
      }
      BIO_write(SSL_get_rbio(ssl_), buffer, static_cast<int>(n));
      for (;;) {
        ERR_clear_error();
        const int got = SSL_read(ssl_, buffer, sizeof buffer);
        if (got > 0) {
          take({buffer, static_cast<std::size_t>(got)});
          continue;
        }
        if (SSL_get_error(ssl_, got) != SSL_ERROR_WANT_READ) return false;  // refused, closed or broken
        break;
      }
      collect();
    }
  }
  void take(std::string_view bytes) {
    if (!protocol_) {
      constexpr std::string_view preface = "PRI * HTTP/2.0";
      early_ += bytes;
      if (early_.size() < preface.size() && preface.substr(0, early_.size()) == early_) return;
      protocol_ = early_.compare(0, preface.size(), preface) == 0 ? make_http2(ledger_) : make_http1(ledger_);
      protocol_->feed(early_);
      return;
    }
    protocol_->feed(bytes);
  }
  bool write(const std::string& plain) {
    if (!ssl_) {
      out_ += plain;
      return true;
    }
    const bool ok = SSL_write(ssl_, plain.data(), static_cast<int>(plain.size())) == static_cast<int>(plain.size());
    collect();
    return ok;
  }
  void collect() {
    char buffer[16384];
    for (int n; (n = BIO_read(SSL_get_wbio(ssl_), buffer, sizeof buffer)) > 0;)
      out_.append(buffer, static_cast<std::size_t>(n));
  }
  bool flush() {
    while (!out_.empty()) {
      const ssize_t n = ::send(fd_, out_.data(), out_.size(), MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
      out_.erase(0, static_cast<std::size_t>(n));
    }
    return true;
  }

  int fd_;
  Ledger& ledger_;
  SSL* ssl_ = nullptr;
  std::string early_, out_;
  std::unique_ptr<Protocol> protocol_;
  bool ended_ = false;
};

int must(int value, const char* what) {
  if (value >= 0) return value;
  std::perror(what);
  std::abort();
}

}  // namespace

struct LoopbackServer::Impl {
  Ledger ledger;
  ServerOptions options;
  SSL_CTX* tls = nullptr;
  std::filesystem::path folder;
  int listening = -1, wake = -1, port = 0;
  std::atomic<bool> stop{false};
  std::thread thread;

  Impl(Handler handler, ServerOptions o) : ledger(std::move(handler)), options(o) {
    if (options.tls) {
      std::string name = (std::filesystem::temp_directory_path() / "loopback-XXXXXX").string();
      if (!mkdtemp(name.data())) must(-1, "mkdtemp");
      folder = name;
      tls = make_tls_context(options.certificate, options.http2, folder / "authority.pem");
    }
    listening = must(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    must(::bind(listening, reinterpret_cast<sockaddr*>(&address), size), "bind");
    must(::listen(listening, 256), "listen");
    must(::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
    port = ntohs(address.sin_port);
    wake = must(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
    thread = std::thread([this] { run(); });
  }
  ~Impl() {
    stop = true;
    const std::uint64_t one = 1;
    if (::write(wake, &one, sizeof one) < 0) std::perror("eventfd");
    thread.join();
    ::close(listening);
    ::close(wake);
    SSL_CTX_free(tls);
    std::error_code ignored;
    if (!folder.empty()) std::filesystem::remove_all(folder, ignored);
  }

  void run() {
    std::list<Connection> connections;
    while (!stop) {
      std::vector<pollfd> fds = {{wake, POLLIN, 0}, {listening, POLLIN, 0}};
      auto next = Clock::now() + std::chrono::hours(1);
      for (const Connection& c : connections) {
        fds.push_back({c.fd(), c.events(), 0});
        next = std::min(next, c.due());
      }
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
      ::poll(fds.data(), fds.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
      for (int fd; (fd = ::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
        ledger.connected();
        connections.emplace_back(fd, ledger, tls);
      }
      const auto now = Clock::now();
      connections.remove_if([&](Connection& c) { return !c.serve(now); });
    }
    ::shutdown(listening, SHUT_RDWR);  // later clients are refused
  }
};

LoopbackServer::LoopbackServer(Handler handler, ServerOptions options)
    : impl_(std::make_unique<Impl>(std::move(handler), options)) {}
LoopbackServer::~LoopbackServer() = default;
std::string LoopbackServer::url() const {
  return (impl_->tls ? "https://localhost:" : "http://127.0.0.1:") + std::to_string(impl_->port);
}
std::filesystem::path LoopbackServer::ca_file() const {
  return impl_->folder.empty() ? std::filesystem::path() : impl_->folder / "authority.pem";
}
std::vector<Received> LoopbackServer::received() const { return impl_->ledger.received(); }
std::size_t LoopbackServer::connections() const { return impl_->ledger.connections(); }
bool LoopbackServer::client_left(std::chrono::milliseconds within) const {
  return impl_->ledger.wait_for_leaver(within);
}

}  // namespace ww::support
