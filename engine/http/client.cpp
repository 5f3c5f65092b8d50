// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include "http/transfer.h"

namespace ww::http {
namespace {

constexpr std::size_t most_refusal = std::size_t{1} << 20, most_body = std::size_t{64} << 20;

bool is_token(std::string_view text) {  // RFC 9110 section 5.6.2
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || marks.find(c) != marks.npos;
  });
}
bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

Status check(const Request& r) {
  if (r.url.compare(0, 7, "http://") != 0 && r.url.compare(0, 8, "https://") != 0)
    return fail(Code::invalid_argument, "The address must begin with http:// or https://");
  if (host_of(r.url).empty() || !is_one_line(r.url)) return fail(Code::invalid_argument, "The address is not a URL");
  if (!is_token(r.method)) return fail(Code::invalid_argument, "'" + r.method + "' is not an HTTP method");
  for (const auto& [name, value] : r.headers)
    if (!is_token(name) || !is_one_line(value))
      return fail(Code::invalid_argument, "A header of the request is malformed", is_one_line(name) ? name : "");
  if (r.secret.empty()) return {};
  if (!is_token(r.secret_header) || !is_one_line(r.secret_prefix))
    return fail(Code::invalid_argument, "The header of the key is malformed");
  if (!is_one_line(r.secret.reveal()))
    return fail(Code::invalid_argument, "The key contains a line break: store it again without it");
  return {};
}

std::string in_words(std::chrono::milliseconds t) {
  return t.count() % 1000 == 0 ? std::to_string(t.count() / 1000) + " s" : std::to_string(t.count()) + " ms";
}
double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

struct Client::Impl {
  std::shared_ptr<Loop> loop = std::make_shared<Loop>();
};

Client::Client() : impl_(std::make_unique<Impl>()) {}
Client::~Client() { impl_->loop->stop(); }

Result<Response> Client::send(const Request& request, const Sink& sink, std::stop_token stop, Response* partial) {
  WW_TRY(check(request));
  if (stop.stop_requested()) return fail(Code::cancelled, "The request was cancelled");
  const std::shared_ptr<Loop> loop = impl_->loop;  // the client may go while this waits
  const auto t = std::make_shared<Transfer>(request);
  if (!t->easy) return fail(Code::internal, "There is not enough memory for a transfer");
  struct Ending {  // however this returns
    Loop& loop;
    std::shared_ptr<Transfer> transfer;
    ~Ending() { loop.drop(std::move(transfer)); }
  } ending{*loop, t};
  loop->start(t);

  std::string body, chunk;
  auto drained = t->began;
  bool enough = false;
  const auto respond = [&] {  // under the mutex
    Response r = t->head;
    r.body = std::move(body);
    r.seconds = seconds(Clock::now() - t->began);
    r.first_byte_seconds = t->first == Clock::time_point{} ? r.seconds : seconds(t->first - t->began);
    return r;
  };
  const auto give_up = [&](Error error) {
    const std::lock_guard lock(t->mutex);
    if (partial && t->head.status != 0) *partial = respond();
    return tl::make_unexpected(std::move(error));
  };
  for (;;) {
    bool was_paused = false, done = false;
    int status = 0;
    std::size_t so_far = 0;
    Clock::time_point limit;
    {
      std::unique_lock lock(t->mutex);
      limit = t->bytes == 0 ? t->began + request.first_byte_timeout
                            : std::max(t->last_received, drained) + request.idle_timeout;
      t->changed.wait_until(lock, stop, limit, [&] { return t->done || !t->pending.empty(); });
      chunk.clear();
      chunk.swap(t->pending);
      was_paused = std::exchange(t->paused, false);
      done = t->done;
      status = t->head.status;
      so_far = t->bytes;
    }
    if (stop.stop_requested()) return give_up({Code::cancelled, "The request was cancelled", {}});
    if (was_paused) loop->resume(t);
    if (!chunk.empty()) {
      const bool fine = status >= 200 && status < 300;
      if (fine && sink) {
        if (!sink(chunk)) return give_up({Code::cancelled, "The reply was no longer wanted", {}});
      } else {
        body.append(chunk, 0, (fine ? most_body : most_refusal) - body.size());
        if (fine && body.size() == most_body)
          return give_up({Code::io, "The reply of '" + t->host + "' is longer than 64 MiB", {}});
        enough = !fine && body.size() == most_refusal;
      }
      drained = Clock::now();
      if (enough) break;
      continue;
    }
    if (done) break;
    if (Clock::now() < limit) continue;
    if (so_far == 0)
      return give_up({Code::timeout,
                      "'" + t->host + "' did not begin its reply within " + in_words(request.first_byte_timeout),
                      {}});
    return give_up({Code::timeout,
                    "The reply of '" + t->host + "' stalled for " + in_words(request.idle_timeout) + " after " +
                        std::to_string(so_far) + " bytes",
                    {}});
  }
  std::unique_lock lock(t->mutex);
  if (!enough && t->result != CURLE_OK) {
    Error error = explain(*t, request);
    lock.unlock();
    return give_up(std::move(error));
  }
  return respond();
}

}  // namespace ww::http
