// SPDX-License-Identifier: Apache-2.0
// Judges a student's kernel: the gate proves it for the task's op, at every shape that the task's solution claims; then
// the goals are compared with its counters in the task's shape. Both kernels run on the SIMT machine, so that every
// machine gives the same answer.
#pragma once
#include <stop_token>
#include "evidence/verdict.h"
#include "lesson/lesson.h"
#include "rpc/supervisor.h"

namespace ww::op {
class Library;
}

namespace ww::lesson {

struct Reached {
  Goal goal;
  double reached = 0, limit = 0;
  bool met = false;
};
struct Judged {
  evidence::Verdict verdict;
  std::vector<Reached> goals;  // empty unless the verdict accepts
  // Cases of an accepted kernel whose "require" lines exclude them, although the solution claims them.
  std::vector<std::string> left_out;
  std::string spec;  // the text that was judged
  bool passed() const;
};

// Where the gate proves a kernel of the task: "at every shape", "at every shape with N % 4 == 0".
std::string scope_text(const Task& task);
// What keeps an accepted kernel from passing, as a sentence; empty: it leaves no case out.
std::string left_out_text(const Judged& judged);

// Errors: an op that the library lacks, a starting code that the gate rejects although a goal needs its counters, a
// counter that the machine does not have, a solution that cannot be read, those of Supervisor::gate.
Result<Judged> judge_task(const Task& task, const std::string& kernel, const op::Library& library,
                          rpc::Supervisor& worker, const std::stop_token& stop = {},
                          const rpc::ProgressHandler& progress = {});

}  // namespace ww::lesson
