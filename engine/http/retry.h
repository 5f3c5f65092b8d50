// SPDX-License-Identifier: Apache-2.0
// Decides when a request is retried: exponential backoff with full jitter, never sooner than the server requests
// (Retry-After in seconds or as a date, retry-after-ms, x-ratelimit-reset-*, anthropic-ratelimit-*-reset,
// x-should-retry), within a total waiting budget. RFC 9110 section 10.2.3.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include "base/result.h"
#include "http/http.h"

namespace ww::http {

struct RetryOptions {
  int attempts = 5, busy_attempts = 5;  // busy_attempts: if the server is busy (429, 503, 529)
  std::chrono::milliseconds first{500}, longest{60000}, budget{300000};
  std::uint64_t jitter_seed = 0;
};
struct Wait {
  std::chrono::milliseconds time{0};
  bool asked = false;  // by the server's request
};

class Retry {  // of one call
 public:
  explicit Retry(RetryOptions options);
  // After a failed attempt (status 0: no reply, see `error`). Empty: do not retry (kind of error, attempts or budget).
  std::optional<Wait> next(int status, const Headers& headers, const std::optional<Error>& error,
                           std::chrono::system_clock::time_point now);
  // The server's requested delay, if it exceeded the budget and the last next() was empty for that reason.
  std::optional<std::chrono::milliseconds> beyond_budget() const { return beyond_; }

 private:
  RetryOptions options_;
  int attempt_ = 0;
  std::chrono::milliseconds waited_{0};
  std::optional<std::chrono::milliseconds> beyond_;
  std::uint64_t state_ = 0;
};

// Waits; false if cancelled (within 50 ms).
bool wait_for(std::chrono::milliseconds time, std::stop_token stop);

}  // namespace ww::http
