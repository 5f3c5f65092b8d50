// SPDX-License-Identifier: Apache-2.0
// Statistics in a formula that do not say what they are of: "x - min", "(x - mean) / sqrt(var + eps)".
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ww::op {

struct OpenStatistics {
  std::string question;
  struct Answer {
    std::string sentence, difference;
  };
  std::vector<Answer> answers;
};
std::optional<OpenStatistics> open_statistics(std::string_view sentence);

}  // namespace ww::op
