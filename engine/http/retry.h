// SPDX-License-Identifier: Apache-2.0
// Decides when a request is retried: exponential with full jitter, never sooner than the server asks (Retry-After in
// seconds or as a date, retry-after-ms, x-ratelimit-reset-*, anthropic-ratelimit-*-reset, x-should-retry), within a
// budget of waiting. RFC 9110 section 10.2.3.
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
  int attempts = 5, busy_attempts = 5;  // the latter where the server says that it is busy: 429, 503, 529
  std::chrono::milliseconds first{500}, longest{60000}, budget{300000};
  std::uint64_t jitter_seed = 0;
};
struct Wait {
  std::chrono::milliseconds time{0};
  bool asked = false;  // by the server
};

class Retry {  // of one call
 public:
  explicit Retry(RetryOptions options);
  // After an attempt that failed (status 0: no reply came, `error` says why). Empty: not to be repeated (its kind, the
  // attempts or the budget).
  std::optional<Wait> next(int status, const Headers& headers, const std::optional<Error>& error,
                           std::chrono::system_clock::time_point now);
  // What the server asked for, where that was more than the budget and the last next() is empty for it.
  std::optional<std::chrono::milliseconds> beyond_budget() const { return beyond_; }

 private:
  RetryOptions options_;
  int attempt_ = 0;
  std::chrono::milliseconds waited_{0};
  std::optional<std::chrono::milliseconds> beyond_;
  std::uint64_t state_ = 0;
};

// Waits; false when cancelled (within 50 ms).
bool wait_for(std::chrono::milliseconds time, std::stop_token stop);

}  // namespace ww::http
