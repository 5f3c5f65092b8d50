// SPDX-License-Identifier: Apache-2.0
// What a resumed run and a report must know of each attempt of a strategy stands at the end of the candidate's note and
// in the label of its exchanges, in a form that a person can read, too:
//   uses float4 loads [beam/2 #17: BLOCK = 128 | 256]
// strategy beam, lineage 2, task 17; the draft left BLOCK open and was pinned to its first value. The last such
// brackets of a text count.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "candidate/candidate.h"

namespace ww::explore {

struct TaskTag {
  std::string strategy, lineage;
  std::uint64_t number = 0;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> open;  // values of the axes that were open
};

std::string tagged(const std::string& text, const TaskTag& tag);
std::optional<TaskTag> tag_of(std::string_view text);
std::string without_tag(const std::string& text);

// The pinned candidate with these axes open again.
std::string reopened(const candidate::Candidate& pinned,
                     const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& axes);

}  // namespace ww::explore
