// SPDX-License-Identifier: Apache-2.0
// The few columns of a run's candidates that judging one more needs; reading whole rows would cost more as the run
// grows. Read through a connection of their own.
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>
#include "base/provenance.h"
#include "base/result.h"

namespace ww::store {

struct ScoreRecord {
  std::int64_t candidate = 0;
  double value = 0;
  Provenance provenance = Provenance::unknown;
};
struct RunScores {
  std::vector<ScoreRecord> scores;             // of accepted candidates, in the order of their verdicts
  std::vector<std::int64_t> without_identity;  // judged by an older version, which computed none
};
Result<RunScores> scores_of(const std::filesystem::path& workspace, std::int64_t run);

}  // namespace ww::store
