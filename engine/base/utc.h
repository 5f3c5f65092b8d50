// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ctime>
#include <string>

namespace ww {

// The current time in UTC, in a strftime(3) format of at most 63 characters. Thread-safe.
inline std::string utc_now(const char* form) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[64];
  return std::string(text, std::strftime(text, sizeof text, form, &utc));
}

}  // namespace ww
