// SPDX-License-Identifier: Apache-2.0
// What students' progress files say, as rows for a lecturer, and whether the kernels in them pass when they are judged
// again: what a file claims is not believed.
#pragma once
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/described_json.h"
#include "lesson/progress.h"

namespace ww::op {
class Library;
}
namespace ww::rpc {
class Supervisor;
}

namespace ww::lesson {

struct Lesson;

enum class Done : std::uint8_t { passed, right, wrong_at_first };
constexpr auto names_of(Done) {
  using enum Done;
  return std::to_array<Enumerator<Done>>({{passed, "passed"}, {right, "right"}, {wrong_at_first, "wrong at first"}});
}
enum class Again : std::uint8_t {
  not_tried,
  passes,
  shown_solution,  // it passes, and is the lesson's own solution
  does_not_pass,
  agrees,
  does_not_agree,
  unknown,  // ResultRow::why_not
};
constexpr auto names_of(Again) {
  using enum Again;
  return std::to_array<Enumerator<Again>>({{not_tried, ""},
                                           {passes, "passes"},
                                           {shown_solution, "passes: the lesson's own solution"},
                                           {does_not_pass, "does not pass"},
                                           {agrees, "agrees"},
                                           {does_not_agree, "does not agree"},
                                           {unknown, "unknown"}});
}

struct ResultRow {
  std::string student, lesson;
  bool is_task = true;  // else a question
  int number = 1;       // of the task or question in the lesson
  Done done = Done::passed;
  std::string time;  // when the task was passed, UTC
  Again again = Again::not_tried;
  std::string why_not;
};
std::string part_text(const ResultRow& row);   // "task 1"
std::string again_text(const ResultRow& row);  // "" if it was not tried
bool holds_up(const ResultRow& row);           // false: what the file claims is not so, or cannot be known
// Objects of lesson, part, result, time and again, with `student` where it is not empty.
json::Json records_of(const std::vector<ResultRow>& rows);

std::vector<ResultRow> rows_of(const Progress& progress, const std::string& student);
// Fills `again` of each row from the progress that it was made of. Errors: it was cancelled.
Status judge_again(std::vector<ResultRow>& rows, const Progress& progress, const std::vector<Lesson>& lessons,
                   const op::Library& library, rpc::Supervisor& worker, const std::stop_token& stop = {},
                   const std::function<void(const ResultRow&)>& begun = {});

// One per file: the shortest end of its path that tells it from the others, without what all have in common at the end
// ("ada" and "bob" of ada/lessons.json and bob/lessons.json). One file: empty.
std::vector<std::string> student_names(const std::vector<std::filesystem::path>& files);

}  // namespace ww::lesson
