// SPDX-License-Identifier: Apache-2.0
// A device's largest work (gate::case_work) per case, by device name, so that the cases of a judgement are known before
// a device exists.
#pragma once
#include <string_view>
#include "base/device_name.h"

namespace ww::device {

struct WorkLimits {
  double default_case = 0;    // 0: none
  double further_case = 4e5;  // of the many others, which are also evaluated on the host
};

constexpr WorkLimits work_limits(std::string_view device) { return {.default_case = is_simt(device) ? 6e7 : 0}; }

}  // namespace ww::device
