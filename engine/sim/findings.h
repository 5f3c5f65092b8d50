// SPDX-License-Identifier: Apache-2.0
// What the machine reports, as this library's outcomes name it.
#pragma once
#include <string>
#include <vector>
#include "sim/job.h"
#include "sim/outcome.h"
#include "simt/launch.h"

namespace ww::sim {

// A launch with these checks that goes on after what it finds, and refuses an instruction only where it comes to it.
simt::LaunchOptions options_for(const std::vector<Check>& checks);
Finding finding_of(const simt::MachineFault& f, bool ended);  // ended: it stopped the launch
// The name in C++ without its parameters: "ns::scale" of "_ZN2ns5scaleEPf"; else the name itself.
std::string plain_name(const std::string& name);

}  // namespace ww::sim
