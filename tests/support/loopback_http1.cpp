// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <optional>
#include "support/loopback_parts.h"

namespace ww::support {
namespace {

class Http1 : public Protocol {
 public:
  explicit Http1(Ledger& ledger) : ledger_(ledger) {}

  void feed(std::string_view bytes) override { in_ += bytes; }
  bool answering() const override { return reply_.has_value(); }
  Clock::time_point due() const override {
    return reply_ && !reply_->said_all() ? reply_->due : Clock::time_point::max();
  }

  void play(Clock::time_point now, std::string& out) override {
    if (finish != Finish::no) return;
    if (!reply_ && !begin(now, out)) return;
    if (!reply_) return;
    const Answer& a = reply_->answer;
    if (a.end == Answer::End::garbage) {
      for (const Piece& p : a.pieces) out += p.bytes;
      return end(Finish::close);
    }
    if (const std::string* piece = reply_->take_due(now)) write(*piece, out);
    if (!reply_->said_all() || a.end == Answer::End::hang) return;
    if (a.end == Answer::End::cut) return end(Finish::close);
    if (a.end == Answer::End::reset) return end(Finish::reset);
    if (body_ && !a.length) out += "0\r\n\r\n";
    end(close_ ? Finish::close : Finish::no);
  }

 private:
  void end(Finish how) {
    finish = how;
    reply_.reset();
  }
  void write(const std::string& piece, std::string& out) const {
    if (!body_ || piece.empty()) return;
    if (reply_->answer.length) {
      out += piece;
      return;
    }
    char size[24];
    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
    out += size + piece + "\r\n";
  }

  void refuse(std::string& out) {
    out += "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    finish = Finish::close;
  }

  // Reads the next request and writes the head of its answer. False: it is not there yet, or was refused.
  bool begin(Clock::time_point now, std::string& out) {
    if (!in_.empty() && (in_[0] < 'A' || in_[0] > 'Z')) return refuse(out), false;  // no method: perhaps TLS
    const std::size_t head = in_.find("\r\n\r\n");
    if (head == in_.npos) {
      if (in_.size() > (std::size_t{1} << 20)) refuse(out);
      return false;
    }
    Received request;
    std::size_t at = in_.find("\r\n");
    const std::string line = in_.substr(0, at);
    const std::size_t first = line.find(' '), last = line.rfind(' ');
    if (first == line.npos || last <= first || line.compare(last + 1, 7, "HTTP/1.") != 0) return refuse(out), false;
    request.method = line.substr(0, first);
    request.target = line.substr(first + 1, last - first - 1);
    while (at < head) {
      const std::size_t begin = at + 2, end = in_.find("\r\n", begin), colon = in_.find(':', begin);
      if (colon >= end) return refuse(out), false;
      const std::size_t value = in_.find_first_not_of(" \t", colon + 1);
      request.headers.emplace_back(lower_case(std::string_view(in_).substr(begin, colon - begin)),
                                   in_.substr(value, end - std::min(value, end)));
      at = end;
    }
    if (!request.header("transfer-encoding").empty()) return refuse(out), false;
    const std::size_t length = std::strtoull(request.header("content-length").c_str(), nullptr, 10);
    if (in_.size() < head + 4 + length) {
      if (!continued_ && lower_case(request.header("expect")) == "100-continue")
        out += "HTTP/1.1 100 Continue\r\n\r\n", continued_ = true;
      return false;
    }
    request.body = in_.substr(head + 4, length);
    in_.erase(0, head + 4 + length);
    continued_ = false;
    const std::string method = request.method;
    const bool asked_to_close = lower_case(request.header("connection")) == "close";
    reply_ = Playing{ledger_.ask(std::move(request)), 0, {}};
    const Answer& a = reply_->answer;
    reply_->due = now + (a.pieces.empty() ? std::chrono::milliseconds(0) : a.pieces[0].before);
    body_ = has_body(method, a.status);
    close_ = asked_to_close;
    if (a.end == Answer::End::garbage || is_silent(a)) return true;
    out += "HTTP/1.1 " + std::to_string(a.status) + " " + (a.status < 300 ? "OK" : "Status") + "\r\n";
    for (const auto& [name, value] : a.headers) {
      out += name + ": " + value + "\r\n";
      if (lower_case(name) == "connection" && lower_case(value) == "close") close_ = true;
    }
    if (body_ && a.length)
      out += "content-length: " + std::to_string(announced_length(a)) + "\r\n";
    else if (body_)
      out += "transfer-encoding: chunked\r\n";
    out += "\r\n";
    return true;
  }

  Ledger& ledger_;
  std::string in_;
  std::optional<Playing> reply_;
  bool body_ = false, close_ = false, continued_ = false;
};

}  // namespace

std::unique_ptr<Protocol> make_http1(Ledger& ledger) { return std::make_unique<Http1>(ledger); }

}  // namespace ww::support
