// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdio>
#include <string>

namespace ww {

inline std::string countdown(std::chrono::milliseconds left) {  // "1:02:03", in whole seconds, rounded up
  const long long seconds = (left.count() + 999) / 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60, seconds % 60);
  return text;
}

}  // namespace ww
