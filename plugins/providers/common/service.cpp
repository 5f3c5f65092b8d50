// SPDX-License-Identifier: Apache-2.0
#include "providers/common/service.h"
#include "base/ascii.h"
#include "base/json_reader.h"
#include "base/url_text.h"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include "providers/common/batch.h"
#include "providers/common/fault.h"
#include "providers/common/tolerant_json.h"

namespace ww::providers {
namespace {

using Clock = std::chrono::steady_clock;
using llm::Delta;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string in_url(std::string_view text) {
  std::string out;
  for (const char c : text) append_in_url(out, c);
  return out;
}

std::string in_words(std::chrono::milliseconds t) {
  if (t >= std::chrono::hours(2)) return std::to_string((t.count() + 1800000) / 3600000) + " h";
  if (t >= std::chrono::minutes(2)) return std::to_string((t.count() + 30000) / 60000) + " min";
  if (t.count() >= 10000) return std::to_string((t.count() + 500) / 1000) + " s";
  if (t.count() >= 1000) return std::to_string(t.count() / 1000) + "." + std::to_string(t.count() % 1000 / 100) + " s";
  return std::to_string(t.count()) + " ms";
}

// A server may repeat the key (in its error, usually). It is taken out of the bytes before anything else sees them,
// wherever they are cut.
class KeyFilter {
 public:
  explicit KeyFilter(std::string_view key) : key_(key.size() >= 4 ? key : std::string_view()) {}
  std::string feed(std::string_view bytes) {
    if (key_.empty()) return std::string(bytes);
    const std::string all = held_ + std::string(bytes);
    std::string out;
    std::size_t at = 0;
    for (std::size_t hit; (hit = all.find(key_, at)) != std::string::npos; at = hit + key_.size())
      out.append(all, at, hit - at).append("[key]");
    std::size_t keep = std::min(key_.size() - 1, all.size() - at);  // the longest end of it that could begin the key
    while (keep > 0 && std::string_view(all).substr(all.size() - keep) != key_.substr(0, keep)) --keep;
    out.append(all, at, all.size() - keep - at);
    held_ = all.substr(all.size() - keep);
    return out;
  }
  std::string rest() { return std::exchange(held_, {}); }

 private:
  std::string_view key_;
  std::string held_;
};

class Service final : public llm::Provider {
 public:
  Service(const llm::Endpoint& endpoint, std::unique_ptr<Dialect> dialect, const http::RetryOptions& pace)
      : endpoint_(endpoint), dialect_(std::move(dialect)), pace_(pace) {
    (void)endpoint_.key.reveal();  // from now on this module's redact() knows it, and the others
    for (const Secret& secret : endpoint_.secrets) (void)secret.reveal();
    while (!endpoint_.base_url.empty() && endpoint_.base_url.back() == '/') endpoint_.base_url.pop_back();
    pace_.attempts = std::max(1, endpoint.attempts);
    pace_.busy_attempts = std::max(pace_.attempts, endpoint.busy_attempts);
    pace_.budget = endpoint.retry_budget;
  }

  Result<llm::Reply> complete(const llm::Request& request, llm::Observer& observer, std::stop_token stop) override;
  Result<std::vector<Result<llm::Reply>>> complete_all(const std::vector<llm::BatchItem>& items,
                                                       std::stop_token stop) override;
  Result<std::vector<std::string>> models(std::stop_token stop) override;

 private:
  // The body of a successful answer that is not streamed, after as many attempts as are allowed.
  enum class AfterTimeout : bool { fail, again };
  Result<std::string> call(const Sent& sent, std::chrono::milliseconds patience, AfterTimeout then,
                           const std::stop_token& stop, const std::string& model);
  struct Attempt {  // how one ended
    std::optional<Fault> fault;
    std::optional<Error> error;  // of the transfer; a reply can be complete anyway
    http::Headers headers;
    bool hopeless = false;  // retrying would give `error` again
  };
  http::Request http_request(const std::string& method, const std::string& path, std::string body,
                             const std::string& content_type = "application/json") const;
  http::RetryOptions pace() const {
    http::RetryOptions p = pace_;
    if (p.jitter_seed == 0) p.jitter_seed = std::random_device{}() | std::uint64_t{1} << 32;
    return p;
  }
  Attempt attempt(const http::Request& request, ReplyParser& parser, llm::Observer& observer,
                  const std::stop_token& stop);
  // Whether the observer lets it wait so long, second by second, and it did.
  static bool waits(std::chrono::milliseconds time, llm::Observer& observer, const std::stop_token& stop);
  Error cleaned(Error e) const {
    e.message = redact(e.message);
    e.cause = redact(e.cause);
    return e;
  }
  Error explained(const Fault& fault, const http::Headers& headers, const std::string& model, int attempts) const {
    const auto location =
        std::ranges::find(headers, std::string("location"), [](const auto& header) { return header.first; });
    const std::string target = location == headers.end() ? std::string() : host_of(location->second);
    Error e = explain(fault, {endpoint_.preset.empty() ? endpoint_.provider : endpoint_.preset,
                              host_of(endpoint_.base_url), model, !endpoint_.key.empty(), attempts, target});
    const auto id = std::find_if(headers.begin(), headers.end(), [](const auto& header) {
      const auto& [name, value] = header;  // needed by a service's support
      return (name == "x-request-id" || name == "request-id" || name == "apim-request-id") && !value.empty();
    });
    if (id != headers.end())
      e.cause += (e.cause.empty() ? "its request " : "; its request ") + cut_text(id->second, 80);
    return cleaned(std::move(e));
  }

  llm::Endpoint endpoint_;
  std::unique_ptr<Dialect> dialect_;
  http::RetryOptions pace_;
  http::Client client_;
};

http::Request Service::http_request(const std::string& method, const std::string& path, std::string body,
                                    const std::string& content_type) const {
  http::Request r;
  r.method = method;
  r.url = endpoint_.base_url + path;
  for (const auto& [name, value] : endpoint_.query)
    r.url += (r.url.find('?') == std::string::npos ? "?" : "&") + in_url(name) + "=" + in_url(value);
  r.body = std::move(body);
  if (method == "POST") r.headers.emplace_back("content-type", content_type);
  for (auto& h : dialect_->headers()) r.headers.push_back(std::move(h));
  for (const auto& h : endpoint_.headers) r.headers.push_back(h);
  if (!endpoint_.key.empty()) {
    std::tie(r.secret_header, r.secret_prefix) = dialect_->key_header();
    if (!endpoint_.key_header.empty()) {
      r.secret_header = ascii_lower(endpoint_.key_header);
      r.secret_prefix = r.secret_header == "authorization" ? "Bearer " : "";
    }
    r.secret = endpoint_.key;
  }
  r.connect_timeout = endpoint_.connect_timeout;
  r.first_byte_timeout = endpoint_.first_byte_timeout;
  r.idle_timeout = endpoint_.idle_timeout;
  r.ca_file = endpoint_.ca_file;
  return r;
}

Service::Attempt Service::attempt(const http::Request& request, ReplyParser& parser, llm::Observer& observer,
                                  const std::stop_token& stop) {
  Attempt a;
  KeyFilter filter(endpoint_.key.reveal());
  Status read;
  const auto take = [&](const std::string& bytes) {
    if (bytes.empty() || !read || parser.finished()) return;
    observer.received(bytes);
    read = parser.feed(bytes);
  };
  http::Response response;
  auto progress_at = Clock::now();
  std::size_t progress = parser.progress();
  bool mute = false;  // a stream of comments would never end
  auto sent = client_.send(
      request,
      [&](std::string_view bytes) {
        take(filter.feed(bytes));
        if (std::exchange(progress, parser.progress()) != parser.progress()) progress_at = Clock::now();
        mute = Clock::now() - progress_at > request.first_byte_timeout;
        return !mute && read.has_value() && !parser.finished() && !stop.stop_requested();
      },
      stop, &response);
  if (sent) response = std::move(*sent);
  a.headers = std::move(response.headers);
  if (stop.stop_requested()) {
    a.error = Error{Code::cancelled, "The request was cancelled", {}};
    a.hopeless = true;
    return a;
  }
  if (response.status != 0 && (response.status < 200 || response.status > 299)) {  // its body may have broken off
    const std::string body = filter.feed(response.body) + filter.rest();
    if (!body.empty()) observer.received(body);
    a.fault = read_fault(response.status, body);
    return a;
  }
  take(filter.rest());
  if (read) read = parser.end();
  if (!read) {
    a.error = read.error();
    a.hopeless = true;
  } else if (parser.fault()) {
    a.fault = parser.fault();
  } else if (!parser.complete()) {
    if (mute)
      a.error = Error{Code::timeout,
                      "'" + host_of(request.url) + "' kept the line open, but sent nothing of its reply for " +
                          in_words(request.first_byte_timeout),
                      {}};
    else if (!sent && sent.error().code != Code::cancelled)
      a.error = sent.error();
    else
      a.error = Error{Code::io, "The service's reply ended before it was complete", {}};
  }
  return a;
}

bool Service::waits(std::chrono::milliseconds time, llm::Observer& observer, const std::stop_token& stop) {
  const auto end = Clock::now() + time;
  for (;;) {
    const auto left =
        std::max(std::chrono::milliseconds(0), std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()));
    if (!observer.awaits(left)) return false;
    if (left.count() == 0) return true;
    if (!http::wait_for(std::min(left, std::chrono::milliseconds(1000)), stop)) return false;
  }
}

Result<llm::Reply> Service::complete(const llm::Request& request, llm::Observer& observer, std::stop_token stop) try {
  const auto start = Clock::now();
  llm::Request sent = request;  // without parameters that the service refused
  std::string body = WW_TRY(dialect_->body(sent));
  http::Retry retry(pace());
  double first = -1;
  bool shown = false;
  const auto deliver = [&](Delta::Kind kind, std::string_view text) {
    if (first < 0) first = seconds_since(start);
    shown = true;
    observer.delta({kind, std::string(text)});
  };
  std::unique_ptr<ReplyParser> parser = dialect_->parser(sent, deliver);
  std::string resume;
  int pauses = 0;  // as long as the service asked: bounded, or a service could ask for ever
  for (int number = 1;; ++number) {
    if (stop.stop_requested()) return fail(Code::cancelled, "The request was cancelled");
    const http::Request r =
        resume.empty() ? http_request("POST", dialect_->path(), body) : http_request("GET", resume, {});
    WW_TRY(observer.sending({r.method, r.url, host_of(r.url), r.body, number}));
    const Attempt a = attempt(r, *parser, observer, stop);
    if (!a.fault && !a.error) {
      llm::Reply reply = parser->take();
      reply.attempts = number;
      reply.seconds = seconds_since(start);
      reply.first_token_seconds = first < 0 ? reply.seconds : first;
      return reply;
    }
    if (const std::string name = a.fault ? leave_out(*a.fault, sent) : std::string(); !name.empty()) {
      body = WW_TRY(dialect_->body(sent));
      parser = dialect_->parser(sent, deliver);
      observer.delta({Delta::Kind::wait, "it does not take '" + name + "': asking again without it"});
      continue;
    }
    const bool lost = !resume.empty() && a.fault && a.fault->status < 500 &&
                      a.fault->status != 429;  // the service no longer has the response
    Error error = a.fault ? explained(*a.fault, a.headers, request.model, number) : cleaned(*a.error);
    const bool asked_to_retry =
        a.fault && !is_out_of_quota(*a.fault) &&
        std::find(a.headers.begin(), a.headers.end(), std::pair<std::string, std::string>("x-should-retry", "true")) !=
            a.headers.end();
    if (a.hopeless || (a.fault && !is_transient(*a.fault) && !lost && !asked_to_retry)) return fail(std::move(error));
    auto wait = a.fault && !lost
                    ? retry.next(a.fault->status, a.headers, std::nullopt, std::chrono::system_clock::now())
                    : retry.next(0, a.headers, lost ? Error{Code::io, "The reply could not be resumed", {}} : error,
                                 std::chrono::system_clock::now());
    bool waited = false;
    if (const auto asked = retry.beyond_budget();
        !wait && asked && pauses < pace_.attempts && waits(*asked, observer, stop)) {
      waited = true;
      ++pauses;
      retry = http::Retry(pace());
      wait = http::Wait{};
    }
    if (stop.stop_requested()) return fail(Code::cancelled, "The request was cancelled");
    if (!wait) {
      if (const auto asked = retry.beyond_budget())
        error.message += "; it asks to wait " + in_words(*asked) + ", and " + in_words(pace_.budget) +
                         " is the longest wait: resume the run later";
      if (number > 1 && a.error) error.message += " (attempt " + std::to_string(number) + ", the last)";
      return fail(std::move(error));
    }
    resume = a.error && endpoint_.resumable ? parser->resume_path() : std::string();
    if (resume.empty()) {
      if (shown)
        observer.delta({Delta::Kind::restart, a.fault ? "the service broke off (" + std::to_string(a.fault->status) +
                                                            "): the request is repeated"
                                                      : "the stream broke: the request is repeated"});
      shown = false;
      first = -1;
      parser = dialect_->parser(sent, deliver);
    } else {
      parser->reconnect();
    }
    const std::string why = a.fault                              ? std::to_string(a.fault->status)
                            : a.error->code == Code::timeout     ? "no answer in time"
                            : a.error->code == Code::unavailable ? "not reached"
                                                                 : "the connection broke";
    if (waited) continue;
    observer.delta({Delta::Kind::wait,
                    why + (wait->asked ? ": the service asks to wait " : ": trying again in ") + in_words(wait->time)});
    if (!http::wait_for(wait->time, stop)) return fail(Code::cancelled, "The request was cancelled");
  }
} catch (const std::exception& e) {
  return fail(Code::internal, "The request to the model failed because of an internal error", e.what());
}

Result<std::string> Service::call(const Sent& sent, std::chrono::milliseconds patience, AfterTimeout then,
                                  const std::stop_token& stop, const std::string& model) {
  http::Retry retry(pace());
  for (;;) {
    http::Request r = http_request(sent.method, sent.path, sent.body, sent.content_type);
    r.first_byte_timeout = std::min(r.first_byte_timeout, patience);
    const auto got = client_.send(r, {}, stop);
    if (got && got->status >= 200 && got->status < 300) {
      KeyFilter filter(endpoint_.key.reveal());
      std::string body = filter.feed(got->body);
      return body + filter.rest();
    }
    std::optional<Fault> fault;
    if (got) fault = read_fault(got->status, got->body);
    Error error = fault ? explained(*fault, got->headers, model, 1) : cleaned(got.error());
    if (fault && fault->status == 404) error.code = Code::invalid_argument;  // what is asked for is gone for good
    if (error.code == Code::cancelled || (fault && !is_transient(*fault)) ||
        (error.code == Code::timeout && then == AfterTimeout::fail))
      return fail(std::move(error));
    const auto wait = fault ? retry.next(fault->status, got->headers, std::nullopt, std::chrono::system_clock::now())
                            : retry.next(0, {}, error, std::chrono::system_clock::now());
    if (!wait) return fail(std::move(error));
    if (!http::wait_for(wait->time, stop)) return fail(Code::cancelled, "The request was cancelled");
  }
}

Result<std::vector<Result<llm::Reply>>> Service::complete_all(const std::vector<llm::BatchItem>& items,
                                                              std::stop_token stop) try {
  if (!endpoint_.batches || dialect_->batch_form() == BatchForm::none)
    return fail(Code::unsupported, "'" + endpoint_.preset + "' takes no batches");
  const std::string model = items.empty() ? std::string() : items.front().request->model;
  BatchWire wire;
  wire.call = [&](const Sent& sent, const std::stop_token& token) {
    return call(sent, endpoint_.first_byte_timeout, AfterTimeout::again, token, model);
  };
  wire.give_up = [&](const Sent& sent) {
    constexpr std::chrono::milliseconds quick{1000};
    http::Request r = http_request(sent.method, sent.path, sent.body, sent.content_type);
    r.connect_timeout = r.first_byte_timeout = r.idle_timeout = quick;
    (void)client_.send(r, {}, {});
  };
  wire.explained = [&](const Fault& fault, const std::string& of) { return explained(fault, {}, of, 1); };
  wire.url = [&](const std::string& path) { return http_request("POST", path, {}).url; };
  return run_batch(items, *dialect_, endpoint_, wire, stop);
} catch (const std::exception& e) {
  return fail(Code::internal, "The batch failed because of an internal error", e.what());
}

Result<std::vector<std::string>> Service::models(std::stop_token stop) try {
  std::set<std::string> names;
  const std::string first = dialect_->models_path();
  std::string path = first;
  for (int page = 0; page < 100;) {
    const std::string body = WW_TRY(call({"GET", path, {}}, llm::longest_list, AfterTimeout::fail, stop, {}));
    const Json j = json::json_or_null(body);
    const Json& list = j.is_array() ? j : find(j, "data") ? child(j, "data") : child(j, "models");
    if (!list.is_array() && !(list.is_null() && (j.contains("data") || j.contains("models"))))
      return fail(Code::corrupt,
                  "'" + endpoint_.preset + "' does not list its models in a form that is known: check the base URL");
    std::string last;
    for (const Json& m : list) {
      for (const char* member : {"id", "name", "model"})
        if (last = text_at(m, member); !last.empty()) break;
      if (!last.empty()) names.insert(redact(last));
    }
    if (const Json* more = find(j, "has_more"); !more || !more->is_boolean() || !more->get<bool>() || last.empty())
      break;
    if (!text_at(j, "last_id").empty()) last = text_at(j, "last_id");
    const std::string next = first + (first.find('?') == std::string::npos ? "?" : "&") + "after_id=" + in_url(last);
    if (next == path) break;
    path = next;
    ++page;
  }
  return std::vector<std::string>(names.begin(), names.end());
} catch (const std::exception& e) {
  return fail(Code::internal, "Listing the models failed because of an internal error", e.what());
}

}  // namespace

std::unique_ptr<llm::Provider> make_service(const llm::Endpoint& endpoint, std::unique_ptr<Dialect> dialect,
                                            const http::RetryOptions& pace) {
  return std::make_unique<Service>(endpoint, std::move(dialect), pace);
}

}  // namespace ww::providers
