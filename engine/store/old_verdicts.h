// SPDX-License-Identifier: Apache-2.0
// Before a candidate could be not judged, one that ran out of time, budget or memory counted as rejected. Only the
// migration reads that.
#pragma once
#include "store/sqlite.h"

namespace ww::store {

Status free_the_unjudged(Database& db);

}  // namespace ww::store
