// SPDX-License-Identifier: Apache-2.0
// Before tunings had a column, they stood behind the title alone: "One warp per row (WARPS 4, UNROLL 2)". Only the
// migration parses that.
#pragma once
#include "store/sqlite.h"

namespace ww::store {

Status fill_tunings(Database& db);

}  // namespace ww::store
