// SPDX-License-Identifier: Apache-2.0
// Cached results exchanged between a supervisor and its worker: a member "kept" beside "params" or "result", an object
// of names and hex digits. For the .cpp files of engine/rpc only.
#pragma once
#include "rpc/worker_cache.h"
#include "rpc/messages.h"

namespace ww::rpc {

// Empty if the member is absent; Code::corrupt: not such an object, or larger than a message may be.
Result<CacheEntries> read_cache(const Json& message);
Json cache_json(const CacheEntries& entries);
std::string with_cache(std::string message, const CacheEntries& entries);  // the message's text with the member added

}  // namespace ww::rpc
