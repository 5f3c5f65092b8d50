// SPDX-License-Identifier: Apache-2.0
#include "http/retry.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <mutex>

namespace ww::http {

namespace {

using std::chrono::milliseconds;
using Time = std::chrono::system_clock::time_point;

constexpr double most = 4e12;  // milliseconds, as an instant the year 2096: a server's value is capped at this

const std::string* find(const Headers& headers, std::string_view name) {
  for (const auto& [n, value] : headers)
    if (n == name) return &value;
  return nullptr;
}

std::optional<double> number(std::string_view text) {  // independent of the locale
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}
milliseconds in_ms(double value) {
  return milliseconds(static_cast<std::int64_t>(std::ceil(std::clamp(value, 0.0, most))));
}
milliseconds until(Time then, Time now) {
  return then <= now ? milliseconds(0) : std::min(std::chrono::ceil<milliseconds>(then - now), in_ms(most));
}

// "6m0s", "1.5s", "20ms", "1h2m3s".
std::optional<double> duration_ms(std::string_view text) {
  double total = 0;
  if (text.empty()) return {};
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto value = number(text.substr(0, digits));
    text.remove_prefix(digits);
    const std::size_t letters = std::min(text.find_first_of("0123456789."), text.size());
    const std::string_view unit = text.substr(0, letters);
    text.remove_prefix(letters);
    const double scale = unit == "ms"                          ? 1
                         : unit == "s"                         ? 1e3
                         : unit == "m"                         ? 6e4
                         : unit == "h"                         ? 3.6e6
                         : unit == "d"                         ? 8.64e7
                         : unit == "us" || unit == "\xC2\xB5s" ? 1e-3
                                                               : 0;
    if (!value || scale == 0) return {};
    total += *value * scale;
  }
  return total;
}

// Of RFC 9110 section 5.6.7 in its three forms, or RFC 3339.
std::optional<Time> date(const std::string& text) {
  std::tm t{};
  const auto at = [](std::tm& parts, double offset_seconds) -> Time {
    constexpr double ends = 9e9;  // seconds: the clock's nanoseconds reach to the year 2262
    const double seconds = std::clamp(static_cast<double>(timegm(&parts)) - offset_seconds, 0.0, ends);
    return Time(std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(seconds)));
  };
  for (const char* form : {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"}) {
    t = {};
    const char* end = strptime(text.c_str(), form, &t);
    if (end && *end == 0) return at(t, 0);
  }
  t = {};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &t);
  if (!end) return {};
  double fraction = 0;
  if (*end == '.') {
    const std::size_t digits = std::string_view(end + 1).find_first_not_of("0123456789");
    if (digits == std::string_view::npos) return {};
    fraction = number(std::string_view(end, digits + 1)).value_or(0);
    end += digits + 1;
  }
  if ((*end == 'Z' || *end == 'z') && end[1] == 0) return at(t, -fraction);
  int hours = 0, minutes = 0, used = 0;
  char sign = 0;
  if (std::sscanf(end, "%c%2d:%2d%n", &sign, &hours, &minutes, &used) != 3 || end[used] != 0 ||
      (sign != '+' && sign != '-'))
    return {};
  return at(t, (sign == '+' ? 1 : -1) * (hours * 3600.0 + minutes * 60.0) - fraction);
}

// How long a limit of the kind that the services count lasts: a duration, seconds, an instant in either form.
std::optional<milliseconds> reset_in(const std::string& text, Time now) {
  if (const auto value = number(text)) {
    if (*value > 1e11) return until(Time(in_ms(*value)), now);       // an instant in milliseconds
    if (*value > 1e8) return until(Time(in_ms(*value * 1e3)), now);  // in seconds
    return in_ms(*value * 1e3);
  }
  if (const auto value = duration_ms(text)) return in_ms(*value);
  if (const auto value = date(text)) return until(*value, now);
  return {};
}

// The delay that the server asks for. If it names none, the time until its used-up limits are renewed.
std::optional<milliseconds> asked(int status, const Headers& headers, Time now) {
  if (const std::string* said = find(headers, "date"))  // its clock may differ from ours
    if (const auto its = date(*said)) now = *its;
  if (const std::string* said = find(headers, "retry-after-ms"))
    if (const auto value = number(*said); value && *value >= 0) return in_ms(*value);
  if (const std::string* said = find(headers, "retry-after")) {
    if (const auto value = number(*said); value && *value >= 0) return in_ms(*value * 1e3);
    if (const auto value = date(*said)) return until(*value, now);
  }
  if (status != 429) return {};
  struct Limit {
    std::string_view remaining, reset;
  };
  constexpr std::array limits{
      Limit{"x-ratelimit-remaining", "x-ratelimit-reset"},
      Limit{"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"},
      Limit{"x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
      Limit{"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"},
      Limit{"anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"},
      Limit{"anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"},
      Limit{"anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"}};
  std::optional<milliseconds> longest;
  for (const Limit& l : limits) {
    const std::string* reset = find(headers, l.reset);
    const std::string* left = find(headers, l.remaining);
    const auto remaining = left ? number(*left) : std::nullopt;
    if (!reset || (remaining && *remaining > 0)) continue;
    const auto time = reset_in(*reset, now);
    if (time && (!longest || *time > *longest)) longest = time;
  }
  return longest;
}

bool is_worth_it(int status, const Headers& headers, const std::optional<Error>& error) {
  if (status == 0 || (status >= 200 && status < 300)) {  // no reply, or one that broke off
    if (!error) return false;
    return error->code == Code::io || error->code == Code::timeout || error->code == Code::unavailable;
  }
  if (const std::string* said = find(headers, "x-should-retry")) {
    if (*said == "true") return true;
    if (*said == "false") return false;
  }
  return status == 408 || status == 409 || status == 425 || status == 429 ||
         (status >= 500 && status != 501 && status != 505);
}

}  // namespace

Retry::Retry(RetryOptions options) : options_(options), state_(options.jitter_seed) {}

std::optional<Wait> Retry::next(int status, const Headers& headers, const std::optional<Error>& error,
                                std::chrono::system_clock::time_point now) {
  const bool busy = status == 429 || status == 503 || status == 529;
  if (++attempt_ >= (busy ? options_.busy_attempts : options_.attempts) || !is_worth_it(status, headers, error))
    return {};
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15;  // SplitMix64 (Steele, Lea, Flood 2014)
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  const double share = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;  // [0, 1)
  const double first = static_cast<double>(options_.first.count()),
               longest = static_cast<double>(options_.longest.count());
  const double cap = std::min(longest, first * std::exp2(std::min(attempt_ - 1, 60)));
  Wait wait{in_ms(share * cap), false};
  if (const auto time = asked(status, headers, now))
    wait = {*time + in_ms(share * std::min(first, longest)),
            true};  // clients with the same delay must not all retry at once
  if (wait.time > options_.budget - waited_) {
    if (wait.asked) beyond_ = wait.time;
    return {};
  }
  waited_ += wait.time;
  return wait;
}

bool wait_for(milliseconds time, std::stop_token stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  stopped.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace ww::http
