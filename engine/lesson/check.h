// SPDX-License-Identifier: Apache-2.0
// What a lesson's author wants to know before students see it: whether each task can be failed and passed, and each
// picture be drawn.
#pragma once
#include <functional>
#include <stop_token>
#include <string>
#include <vector>
#include "lesson/lesson.h"

namespace ww::op {
class Library;
}
namespace ww::rpc {
class Supervisor;
}

namespace ww::lesson {

struct Finding {
  std::string part;  // "task 1", "picture 2"; empty: of the lesson as a whole
  std::string text;  // what is wrong, as a sentence
};
// `begun` is told of each part before it is tried, which takes seconds. Empty: nothing is wrong. Errors: it was
// cancelled, or the worker cannot run.
Result<std::vector<Finding>> check_lesson(const Lesson& lesson, const op::Library& library, rpc::Supervisor& worker,
                                          const std::stop_token& stop = {},
                                          const std::function<void(const std::string& part)>& begun = {});

}  // namespace ww::lesson
