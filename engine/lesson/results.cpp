// SPDX-License-Identifier: Apache-2.0
#include "lesson/results.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include "base/ascii.h"
#include "lesson/judge.h"
#include "lesson/lesson.h"

namespace ww::lesson {
namespace fs = std::filesystem;
namespace {

const Lesson* lesson_of(const std::vector<Lesson>& lessons, const ResultRow& row) {
  const auto at = std::ranges::find(lessons, row.lesson, &Lesson::name);
  return at == lessons.end() ? nullptr : &*at;
}

void not_known(ResultRow& row, std::string why) {
  row.again = Again::unknown;
  row.why_not = std::move(why);
}

Status judge(ResultRow& row, const std::string& kernel, const std::vector<Lesson>& lessons, const op::Library& library,
             rpc::Supervisor& worker, const std::stop_token& stop) {
  const Lesson* of = lesson_of(lessons, row);
  const Task* task = of ? of->numbered<Task>(row.number) : nullptr;
  if (task == nullptr) return not_known(row, "there is no such task here"), Status();
  const auto judged = judge_task(*task, kernel, library, worker, stop);
  if (!judged && judged.error().code == Code::cancelled) return fail(judged.error());
  if (!judged) return not_known(row, "not judged: " + judged.error().text()), Status();
  row.again = !judged->passed()                            ? Again::does_not_pass
              : trimmed(kernel) == trimmed(task->solution) ? Again::shown_solution
                                                           : Again::passes;
  return {};
}

void compare(ResultRow& row, const Answered& a, const std::vector<Lesson>& lessons) {
  const Lesson* of = lesson_of(lessons, row);
  const Question* q = of ? of->numbered<Question>(row.number) : nullptr;
  if (q == nullptr || a.choice < 1 || a.choice > static_cast<int>(q->choices.size()))
    return not_known(row, "there is no such question here");
  const bool right = q->choices[static_cast<std::size_t>(a.choice) - 1].right;
  row.again = right == a.right ? Again::agrees : Again::does_not_agree;
}

std::vector<std::string> parts_of(const fs::path& file) {  // from the end
  std::vector<std::string> parts;
  for (const fs::path& part : fs::absolute(file).lexically_normal()) parts.insert(parts.begin(), part.string());
  return parts;
}

}  // namespace

std::string part_text(const ResultRow& row) {
  return fmt::format("{} {}", row.is_task ? "task" : "question", row.number);
}

std::string again_text(const ResultRow& row) {
  return row.again == Again::unknown ? row.why_not : std::string(enum_name(row.again));
}

bool holds_up(const ResultRow& row) {
  return row.again != Again::does_not_pass && row.again != Again::does_not_agree && row.again != Again::unknown;
}

json::Json records_of(const std::vector<ResultRow>& rows) {
  json::Json out = json::Json::array();
  for (const ResultRow& row : rows) {
    json::Json record;
    if (!row.student.empty()) record["student"] = row.student;
    record.update({{"lesson", row.lesson},
                   {"part", part_text(row)},
                   {"result", enum_name(row.done)},
                   {"time", row.time},
                   {"again", again_text(row)}});
    out.push_back(std::move(record));
  }
  return out;
}

std::vector<ResultRow> rows_of(const Progress& progress, const std::string& student) {
  std::vector<ResultRow> rows;
  for (const Passed& p : progress.passed)
    rows.push_back({student, p.lesson, true, p.task, Done::passed, p.time, Again::not_tried, {}});
  for (const Answered& a : progress.answered)
    rows.push_back(
        {student, a.lesson, false, a.question, a.right ? Done::right : Done::wrong_at_first, {}, Again::not_tried, {}});
  return rows;
}

Status judge_again(std::vector<ResultRow>& rows, const Progress& progress, const std::vector<Lesson>& lessons,
                   const op::Library& library, rpc::Supervisor& worker, const std::stop_token& stop,
                   const std::function<void(const ResultRow&)>& begun) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (begun) begun(rows[i]);
    if (i < progress.passed.size())
      WW_TRY(judge(rows[i], progress.passed[i].kernel, lessons, library, worker, stop));
    else
      compare(rows[i], progress.answered.at(i - progress.passed.size()), lessons);
  }
  return {};
}

std::vector<std::string> student_names(const std::vector<fs::path>& files) {
  if (files.size() < 2) return std::vector<std::string>(files.size());
  std::vector<std::vector<std::string>> parts;
  for (const fs::path& file : files) parts.push_back(parts_of(file));
  const auto part = [](const std::vector<std::string>& of, std::size_t i) { return i < of.size() ? of[i] : ""; };
  std::size_t same = 0;
  while (same < parts[0].size() &&
         std::ranges::all_of(parts, [&](const auto& p) { return part(p, same) == parts[0][same]; }))
    ++same;
  for (std::size_t taken = 1;; ++taken) {
    std::vector<std::string> names;
    for (const auto& p : parts) {
      std::string name = part(p, same);
      for (std::size_t i = same + 1; i < same + taken && i < p.size(); ++i) name = part(p, i) + '/' + name;
      names.push_back(name.empty() ? p.front() : std::move(name));
    }
    if (taken > parts[0].size() || std::set(names.begin(), names.end()).size() == names.size()) return names;
  }
}

}  // namespace ww::lesson
