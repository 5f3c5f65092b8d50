// SPDX-License-Identifier: Apache-2.0
// The SIMT machine's counters under the names that every device uses.
#pragma once
#include "device/device.h"
#include "simt/counters.h"
#include "simt/launch.h"

namespace ww::device {

Counts counts_of(const simt::Counters& counters, const simt::LaunchConfig& config);

}  // namespace ww::device
