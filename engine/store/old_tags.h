// SPDX-License-Identifier: Apache-2.0
// Before attempts had columns, a strategy's task was appended in brackets to the candidate's note and the exchange's
// label: "uses float4 loads [beam/2 #17: BLOCK = 128 | 256]". Only the migration parses that.
#pragma once
#include "store/sqlite.h"

namespace ww::store {

Status fill_origins(Database& db);

}  // namespace ww::store
