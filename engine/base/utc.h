// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ctime>
#include <string>

namespace ww {

// A time in UTC, in a strftime(3) format of at most 63 characters. Thread-safe.
inline std::string utc_text(std::time_t time, const char* form) {
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  char text[64];
  return std::string(text, std::strftime(text, sizeof text, form, &utc));
}
inline std::string utc_now(const char* form) { return utc_text(std::time(nullptr), form); }

}  // namespace ww
