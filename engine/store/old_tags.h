// SPDX-License-Identifier: Apache-2.0
// Before attempts had columns, a strategy's task was written in brackets at the end of the candidate's note and of the
// exchange's label: "uses float4 loads [beam/2 #17: BLOCK = 128 | 256]". Only the migration reads that.
#pragma once
#include "store/sqlite.h"

namespace ww::store {

Status fill_origins(Database& db);

}  // namespace ww::store
