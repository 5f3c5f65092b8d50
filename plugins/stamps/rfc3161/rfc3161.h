// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "review/stamp.h"

namespace ww::stamps {

std::unique_ptr<review::StampService> make_rfc3161();

}  // namespace ww::stamps
