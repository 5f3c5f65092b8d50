// SPDX-License-Identifier: Apache-2.0
// A provider that answers from a run's stored exchanges, with no network: the n-th request with the same content gets the n-th stored reply to it. A request that
// was never recorded is Code::not_found and says what differs from the nearest one.
#pragma once
#include <cstdint>
#include <memory>
#include "base/result.h"
#include "llm/provider.h"

namespace ww::store { class Workspace; }

namespace ww::llm {

// Reads replies from the store one by one as they are asked for; memory does not grow with the transcript beyond an index. The workspace outlives it.
Result<std::shared_ptr<Provider>> make_replay(store::Workspace& workspace, std::int64_t run);

}  // namespace ww::llm
