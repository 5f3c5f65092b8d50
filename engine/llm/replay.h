// SPDX-License-Identifier: Apache-2.0
// A provider that answers from a run's stored exchanges, with no network: the n-th request with the same content gets
// the n-th stored reply to it, byte for byte. A request that was never recorded is Code::not_found and says what
// differs from the nearest one. A recorded failure fails again, after the part that had come. The content is all of the
// request but max_output_tokens where no recorded one has the same: what was left of a budget is no part of the
// question. Requests that were interrupted (the run was stopped, or died) answer only where no other has their content:
// with Code::cancelled.
#pragma once
#include <cstdint>
#include <memory>
#include "base/result.h"
#include "llm/provider.h"

namespace ww::store {
class Workspace;
}

namespace ww::llm {

// Reads replies from the store one by one as they are asked for; memory does not grow with the transcript beyond an
// index. The workspace outlives it.
Result<std::shared_ptr<Provider>> make_replay(store::Workspace& workspace, std::int64_t run);
bool is_replay(const Provider& provider);

class Bill {  // an observer that is one, too, hears what a recorded failure had cost: an error cannot say it
 public:
  virtual ~Bill() = default;
  virtual void spent(const Usage& usage, int attempts) = 0;
};

}  // namespace ww::llm
