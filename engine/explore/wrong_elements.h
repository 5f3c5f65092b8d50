// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stop_token>
#include "base/result.h"
#include "evidence/wrong_map.h"
#include "rpc/supervisor.h"
#include "store/workspace.h"

namespace ww::explore {

// Maps the wrong elements of the output that a stored verdict rejects its candidate for: a separate worker repeats the
// judgement with the verdict's secret. Code::invalid_argument: the verdict names no wrong element, or not what it was
// drawn from; not_found: this time another one was found, or none.
Result<evidence::WrongMap> wrong_elements(store::Workspace& workspace, std::int64_t candidate,
                                          std::stop_token stop = {}, const rpc::ProgressHandler& progress = {});

}  // namespace ww::explore
