// SPDX-License-Identifier: Apache-2.0
// Before candidates could be not judged, those that ran out of time, budget or memory counted as rejected. Only the
// migration uses this.
#pragma once
#include "store/sqlite.h"

namespace ww::store {

Status mark_unjudged(Database& db);

}  // namespace ww::store
