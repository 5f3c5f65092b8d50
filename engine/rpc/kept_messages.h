// SPDX-License-Identifier: Apache-2.0
// Cached results on their way between a supervisor and its worker: a member "kept" beside "params" or "result", an
// object of names and hex digits. For the .cpp files of engine/rpc alone.
#pragma once
#include "rpc/handed_kept.h"
#include "rpc/messages.h"

namespace ww::rpc {

// Empty where the member is absent; Code::corrupt: it is no such object, or it has more than a message may have.
Result<KeptEntries> read_kept(const Json& message);
Json kept_json(const KeptEntries& entries);
std::string with_kept(std::string message, const KeptEntries& entries);  // the text of a message, with the member

}  // namespace ww::rpc
