// SPDX-License-Identifier: Apache-2.0
// Runs a kernel of a lesson as far as a picture asks for.
#pragma once
#include <cstdint>
#include <stop_token>
#include "lesson/lesson.h"
#include "sim/step_facts.h"
#include "stepping/subject.h"

namespace ww::op {
class Library;
}
namespace ww::rpc {
class Supervisor;
}

namespace ww::lesson {

struct Pictured {
  stepping::SteppedLaunch subject;
  std::vector<std::int64_t> block;
  std::int64_t position = 0;  // after the step, of that block
  sim::StepFacts step;
  std::vector<sim::WarpFacts> warps;  // where every thread is then
};

// A kernel for a task, to be stepped through at these sizes; without any at small ones.
Result<stepping::SteppedLaunch> subject_of(const Task& task, const std::string& kernel, const op::Library& library,
                                           const op::Binding& set = {});

// What the picture draws: from a visit of its warp to its line on, the nth step there that accesses global (sectors) or
// shared memory (banks), or that writes a register with a real number (lanes). Errors: the line, or such a step, does
// not exist; as stepping::prepare.
Result<Pictured> pictured(const Lesson& lesson, const Picture& picture, const op::Library& library,
                          rpc::Supervisor& worker, const std::stop_token& stop = {});

// In letters, below the picture's title: the step, a row of 32 lanes, sectors or banks, and what it costs.
std::string picture_text(const Picture& picture, const Pictured& what);
std::string step_text(Drawing drawing, const sim::StepFacts& step);  // without a title

}  // namespace ww::lesson
