// SPDX-License-Identifier: Apache-2.0
// The largest work (gate::case_work) of the cases that a device runs, by its name: what a judgement will try is known
// before there is a device.
#pragma once
#include <string_view>

namespace ww::device {

struct WorkLimits {
  double default_case = 0;    // 0: none
  double further_case = 4e5;  // of the many others, which the host evaluates, too
};

constexpr WorkLimits work_limits(std::string_view device) { return {.default_case = device == "simt" ? 6e7 : 0}; }

}  // namespace ww::device
