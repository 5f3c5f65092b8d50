// SPDX-License-Identifier: Apache-2.0
// explore --sweep: a run for each of several sizes, and the export that chooses among the best of each.
#pragma once
#include "command.h"

namespace ww::cli {

Result<int> sweep(const Common& common, const ExploreArgs& args);

}  // namespace ww::cli
