// SPDX-License-Identifier: Apache-2.0
// Judges a student's kernel: the gate proves it for the task's op, then the goals are compared with its counters in the
// task's shape. Both kernels run on the SIMT machine, so that every machine gives the same answer.
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
  std::string spec;            // the text that was judged
  bool passed() const;
};

// Errors: an op that the library lacks, a starting code that the gate rejects although a goal needs its counters, a
// counter that the machine does not have, those of Supervisor::gate.
Result<Judged> judge_task(const Task& task, const std::string& kernel, const op::Library& library,
                          rpc::Supervisor& worker, const std::stop_token& stop = {},
                          const rpc::ProgressHandler& progress = {});

}  // namespace ww::lesson
