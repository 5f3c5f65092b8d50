// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stop_token>
#include "base/result.h"
#include "evidence/wrong_map.h"
#include "rpc/supervisor.h"
#include "store/workspace.h"

namespace ww::generator {

// Maps the wrong elements of the output for which a stored verdict rejects its candidate: a separate worker repeats the
// judgement with the verdict's secret. Code::invalid_argument: the verdict has no wrong element, or no secret;
// not_found: the repetition found another one, or none.
Result<evidence::WrongMap> wrong_elements(store::Workspace& workspace, std::int64_t candidate,
                                          std::stop_token stop = {}, const rpc::ProgressHandler& progress = {});

}  // namespace ww::generator
