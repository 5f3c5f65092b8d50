// SPDX-License-Identifier: Apache-2.0
// Accepted kernels of this workspace's earlier runs that resemble a new run's op: in family, shape and types. Those of
// another workspace only if the user imported them (memory_file.h).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"
#include "llm/prompt.h"
#include "op/spec.h"
#include "store/workspace.h"

namespace ww::model_loop {

struct Remembered {
  std::int64_t candidate = 0, run = 0;    // an imported one: -1, -2, … and 0
  std::string op, hash, structure, move;  // move: the step that led to it
  std::string measured_at;                // sizes and architecture, without which scores do not compare; empty: unknown
  double score = 0;
  std::string unit;
  double gain = 0;  // the score of its run's first accepted candidate over its own: 2 is twice as fast; 0: not known
  int likeness = 0;
  bool same_op = false;  // the spec is the same, whatever its sizes
  std::string code;      // of an imported one
};

std::optional<Remembered> best_of_run(store::Workspace& workspace,
                                      const store::RunRecord& run);  // empty: none accepted
// Adds what was imported before `time` (ISO 8601), for the same device ("simt", or the GPU's name).
void add_imported(std::vector<Remembered>& list, store::Workspace& workspace, const op::Spec& spec,
                  const std::string& device, const std::string& time, std::size_t limit = 8);

// The best kernel of each earlier run whose op is of the family of `spec`, ranked on the same device, the most alike
// first; of one structure of one op only the best. `before`: only of runs with smaller numbers, that is begun earlier.
Result<std::vector<Remembered>> remembered_kernels(store::Workspace& workspace, const op::Spec& spec,
                                                   const std::string& device, std::int64_t before,
                                                   std::size_t limit = 8);
// "- candidate 12, softmax, warp-rows: 1200 simulated issue slots, 2.1 times faster than the first of its run"
// Of an imported one: "- imported kernel -1, …, says the file that it came with: it was never judged here". Notes are
// free text of the models that wrote the kernels, and may quote code.
enum class Notes : bool { without, with };
std::string remembered_lines(const std::vector<Remembered>& list, Notes notes);
Result<std::string> remembered_code(store::Workspace& workspace, const Remembered& kernel);
// For a prompt: the lines, and the code of the first one. Empty: nothing is remembered.
llm::SheetText remembered_text(store::Workspace& workspace, const std::vector<Remembered>& list);

}  // namespace ww::model_loop
