// SPDX-License-Identifier: Apache-2.0
// An output beside what it should be.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "sim/job.h"
#include "sim/outcome.h"

namespace ww::sim {

// `type` empty: bytes, in hex. Without a tolerance, and of integers, bits are compared; with one, NaN equals NaN and an
// infinity itself. The two are equally long.
std::optional<Difference> compare(std::string_view actual, std::string_view expected, std::optional<DType> type,
                                  const std::optional<Tolerance>& tolerance);
std::vector<std::string> first_elements(std::string_view bytes, std::optional<DType> type, std::size_t most);

}  // namespace ww::sim
