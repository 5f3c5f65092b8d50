// SPDX-License-Identifier: Apache-2.0
// Inside of the loopback server: what a connection's protocol is to its socket. Everything here runs on the server's
// thread unless it says otherwise.
#pragma once
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>
#include "support/loopback_server.h"

namespace ww::support {

using Clock = std::chrono::steady_clock;

// What all connections share; any thread may read it.
class Ledger {
 public:
  explicit Ledger(Handler handler) : handler_(std::move(handler)) {}
  Answer ask(
      Received request);  // numbers and keeps the request; the answer's pieces are compressed where it wants that
  void client_left();
  void connected();
  std::vector<Received> received() const;
  std::size_t connections() const;
  bool wait_for_leaver(std::chrono::milliseconds within) const;

 private:
  const Handler handler_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Received> received_;
  std::size_t connections_ = 0;
  bool left_ = false;
};

struct Playing {  // an answer on its way
  Answer answer;
  std::size_t next = 0;   // piece
  Clock::time_point due;  // of that piece
  bool said_all() const { return next == answer.pieces.size(); }
  const std::string* take_due(Clock::time_point now);  // null: none is due
};

class Protocol {
 public:
  enum class Finish : std::uint8_t { no, close, reset };
  virtual ~Protocol() = default;
  virtual void feed(std::string_view bytes) = 0;
  // Appends what is due now to `out`: at most one piece of each answer. Called again at once while it appends anything.
  virtual void play(Clock::time_point now, std::string& out) = 0;
  virtual Clock::time_point due() const = 0;  // of the next piece; max(): none
  virtual bool answering() const = 0;
  Finish finish = Finish::no;  // of the connection, when `out` is with the client
};

std::unique_ptr<Protocol> make_http1(Ledger& ledger);
std::unique_ptr<Protocol> make_http2(Ledger& ledger);

bool has_body(const std::string& method, int status);
// Ends before the head: hang, cut and reset of an answer without any piece.
bool is_silent(const Answer& answer);
// Of Content-Length: what is announced is more than comes where the answer ends early.
std::size_t announced_length(const Answer& answer);
std::string lower_case(std::string_view text);

}  // namespace ww::support
