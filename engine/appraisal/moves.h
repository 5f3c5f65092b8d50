// SPDX-License-Identifier: Apache-2.0
// The memory of what worked: the effect on the score of each step from a ranked candidate to its ranked child. Kept in
// the workspace and given to models as text. Scores of two provenances are never compared, and a measured effect
// without its spread is not kept.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "base/provenance.h"
#include "op/spec.h"
#include "store/workspace.h"

namespace ww::appraisal {

struct MoveSide {  // one end of a step
  std::string hash, structure;
  Provenance provenance = Provenance::unknown;
  std::string gpu;  // of a measurement, its name
  double score = 0;
  double error = 0;  // standard error of it, relative; 0 where it is simulated, unknown (NaN) where quartiles or sample
                     // count are missing
};
MoveSide move_side(const std::string& hash, const std::string& structure, double score, Provenance provenance,
                   const store::Spread& spread);

// Ops whose memories can teach one another: "family" of the spec's directives, else what its equations look like, in
// the library's words: "contraction" (sums of products of two tensors), "scan", "window", "reduction" (to a scalar),
// "row-reduction", "normalization" (reductions whose results go back to every element), "gather", "map".
std::string family_of(const op::Spec& spec);
// The name of a change, for whoever reads a note that a model or an agent wrote: its part before the first colon, at
// most 80 bytes.
std::string move_name(const std::string& note);
// Nothing where the two cannot be compared. `device`: the run's; a measured move is filed under the GPU's name.
std::optional<store::MoveRecord> move_between(std::int64_t run, const std::string& family, const std::string& device,
                                              const MoveSide& from, const MoveSide& to, const std::string& name);

// For a prompt: at most `limit` lines, the most certain first; moves of one name are one line. Empty when nothing is
// known of this family on this device.
//   - vectorise loads: 1.31 times faster (simulated; 3a9f01c2 -> 77bcd0e4)
//   - unroll by 8: 0.84 times as fast, so slower (measured, 95 % interval 0.81 to 0.87; 2 steps, the surest 0d… -> 1f…)
std::string moves_text(const std::vector<store::MoveRecord>& moves, std::size_t limit = 12);

}  // namespace ww::appraisal
