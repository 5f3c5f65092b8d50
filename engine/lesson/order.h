// SPDX-License-Identifier: Apache-2.0
// The order of a course.
#pragma once
#include <vector>
#include "lesson/lesson.h"

namespace ww::lesson {

// A lesson after those that it names, else by name. Errors: as lessons_in; two of one name.
Result<std::vector<Lesson>> ordered(std::vector<Lesson> lessons);

}  // namespace ww::lesson
