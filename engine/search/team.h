// SPDX-License-Identifier: Apache-2.0
// The threads that work together on one row, and the device functions that combine their partial results.
#pragma once
#include <string>
#include "search/emit.h"

namespace ww::search {

enum class Team : std::uint8_t { thread, warp, block };

// A statement that sets `accumulator` to the whole team's result, in every thread. `block` is the macro of the block
// size; `tree` combines a block through a tree in shared memory instead of warp shuffles. Block reductions contain
// barriers: all threads must execute them.
void join_team(Emitter& emitter, Team team, const Accumulator& accumulator, const std::string& block = {},
               bool tree = false);

// Helpers for state of several fields: `combine` is code that merges other_<field> into <field>.
struct Field {
  std::string type, name, identity;
};
void join_fields(Source& source, Team team, const std::string& name, const std::string& about,
                 const std::vector<Field>& fields, const std::string& combine);

// Every thread's lane index in its warp.
inline constexpr const char* full_mask = "0xffffffffu";

}  // namespace ww::search
