// SPDX-License-Identifier: GPL-3.0-or-later
// Hints on how the lines of a candidate's text access global memory, from counts by line.
#pragma once
#include <QHash>
#include <QString>
#include "evidence/verdict.h"

namespace ww::widgets {

struct AccessHint {
  enum class Pattern { unknown, coalesced, partly, strided, broadcast } pattern = Pattern::unknown;
  double sectors_per_request = 0;  // of 32 bytes; of a warp instruction
  QString word, tip;               // "strided 32"; a sentence with the numbers
};
QHash<int, AccessHint> access_hints(const evidence::Metrics& metrics);  // of lines with counted requests

}  // namespace ww::widgets
