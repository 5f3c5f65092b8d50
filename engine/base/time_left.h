// SPDX-License-Identifier: Apache-2.0
// How long work still takes at its pace so far. Empty: too little is done to tell.
#pragma once
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

namespace ww {

using Minutes = std::chrono::duration<double, std::ratio<60>>;

inline std::optional<double> minutes_left(double fraction, double minutes) {  // fraction: done after `minutes`
  if (!(fraction >= 0.1 && fraction < 1)) return {};
  return minutes / fraction * (1 - fraction);
}

// Of `more` items after `done` took `minutes`.
inline std::optional<double> minutes_left(int done, int more, double minutes) {
  if (done < 3 || more <= 0) return {};
  return minutes / done * more;
}

inline std::string left_text(double minutes) {  // "about 2 min left"
  if (minutes < 1) return "less than a minute left";
  char text[48];
  if (minutes < 120)
    std::snprintf(text, sizeof text, "about %.0f min left", std::ceil(minutes));
  else
    std::snprintf(text, sizeof text, "about %.0f h left", std::ceil(minutes / 60));
  return text;
}

}  // namespace ww
