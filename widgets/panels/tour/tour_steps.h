// SPDX-License-Identifier: GPL-3.0-or-later
// The tour as data: resources/tour/tour.json.
#pragma once
#include <QString>
#include <cstdint>
#include <vector>
#include "base/result.h"

namespace ww::widgets {

struct TourStep {
  QString title, text,
      exercise;          // text: {score HASH}, {name HASH} are replaced by the session's value for that candidate
  QString layout, dock;  // empty: unchanged
  std::int64_t run = 0;  // of the bundle; 0: unchanged
  QString candidate, baseline;  // hash prefixes; empty: unchanged
  QString line_with;            // the first line of the candidate's text that contains this
};
struct TourSteps {
  std::int64_t first_run = 1;
  std::vector<TourStep> steps;
};
Result<TourSteps> read_tour(const QByteArray& json);

}  // namespace ww::widgets
