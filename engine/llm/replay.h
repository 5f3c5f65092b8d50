// SPDX-License-Identifier: Apache-2.0
// A provider that answers from a run's stored exchanges, without a network: the n-th request with the same content gets
// the n-th stored reply to it, byte for byte. A request that was never recorded is Code::not_found, with the difference
// from the nearest one. A recorded failure is repeated, after the part that had arrived. The content is the whole
// request; max_output_tokens and what tools said are ignored if no recorded request has the same: the one depends on
// the remaining budget, and tools run again. Interrupted requests (the run was stopped, or died) are used only if no
// other request has the same content, and give Code::cancelled.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include "base/result.h"
#include "llm/provider.h"

namespace ww::store {
class Workspace;
}

namespace ww::llm {

// Reads replies from the store one at a time; apart from an index, memory does not grow with the transcript. The
// workspace must outlive it.
Result<std::shared_ptr<Provider>> make_replay(store::Workspace& workspace, std::int64_t run);
bool is_replay(const Provider& provider);
// Whether each recorded exchange that came to an end was repeated.
bool is_at_end(const Provider& replay);

// An observer that also derives from it receives what the recorded exchange cost.
class ReplayCost {
 public:
  virtual ~ReplayCost() = default;
  virtual void spent(const Usage& usage, const std::optional<double>& money, int attempts) = 0;
};

}  // namespace ww::llm
