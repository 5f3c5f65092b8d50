// SPDX-License-Identifier: Apache-2.0
// Converts the SIMT machine's counters to the names common to all devices.
#pragma once
#include "device/device.h"
#include "simt/counters.h"
#include "simt/launch.h"
#include "simt/program.h"

namespace ww::device {

// Line numbers refer to the source; with `own_source` (a program without line information), to the PTX text of
// `kernel`, where bank conflicts and divergent branches are not counted per line and stay 0.
Counts counts_of(const simt::LaunchReport& report, const simt::LaunchConfig& config, const simt::Program* own_source,
                 std::string_view kernel);

// Whether counts_of has a value of this name.
bool is_simt_counter(std::string_view name);

}  // namespace ww::device
