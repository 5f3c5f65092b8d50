// SPDX-License-Identifier: Apache-2.0
#include "profile/measurement.h"

namespace ww::profile {

std::string_view cache_name(Cache cache) { return cache == Cache::cold ? "cold" : "warm"; }

}  // namespace ww::profile
