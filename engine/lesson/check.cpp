// SPDX-License-Identifier: Apache-2.0
#include "lesson/check.h"
#include <fmt/format.h>
#include "lesson/judge.h"
#include "lesson/picture.h"

namespace ww::lesson {
namespace {

bool ends_it(const Error& error) { return error.code == Code::cancelled || error.code == Code::unavailable; }

std::string missed_text(const Judged& judged) {
  if (!judged.verdict.accepted) return judged.verdict.summary();
  if (!judged.left_out.empty()) return left_out_text(judged);
  for (const Reached& r : judged.goals)
    if (!r.met) return fmt::format("{}: it is {}", goal_text(r.goal), r.reached);
  return {};
}

class Check {
 public:
  Check(const Lesson& lesson, const op::Library& library, rpc::Supervisor& worker, std::stop_token stop,
        const std::function<void(const std::string&)>& begun)
      : lesson_(lesson), library_(library), worker_(worker), stop_(std::move(stop)), begun_(begun) {}

  Result<std::vector<Finding>> run() {
    if (lesson_.sources.empty()) found({}, "It names no source.");
    if (lesson_.all<Question>().empty()) found({}, "It asks no question.");
    if (lesson_.all<Task>().empty()) found({}, "It has no task.");
    int number = 0;
    for (const Task* t : lesson_.all<Task>()) WW_TRY(task(*t, fmt::format("task {}", ++number)));
    number = 0;
    for (const Picture* p : lesson_.all<Picture>()) WW_TRY(picture(*p, fmt::format("picture {}", ++number)));
    return std::move(findings_);
  }

 private:
  void found(const std::string& part, std::string text) { findings_.push_back({part, std::move(text)}); }

  Status task(const Task& t, const std::string& part) {
    if (begun_) begun_(part);
    if (t.hints.empty()) found(part, "It has no hint.");
    const auto start = judge_task(t, t.start, library_, worker_, stop_);
    if (!start && ends_it(start.error())) return fail(start.error());
    if (!start) {
      found(part, "The starting code: " + start.error().text());
      return {};
    }
    if (start->verdict.ruling() == evidence::Ruling::not_judged)
      found(part, "The starting code: " + start->verdict.summary());
    else if (start->passed())
      found(part, "The starting code passes already.");
    const auto solution = judge_task(t, t.solution, library_, worker_, stop_);
    if (!solution && ends_it(solution.error())) return fail(solution.error());
    if (!solution)
      found(part, "The solution: " + solution.error().text());
    else if (!solution->passed())
      found(part, "The solution does not pass: " + missed_text(*solution));
    return {};
  }

  Status picture(const Picture& p, const std::string& part) {
    if (begun_) begun_(part);
    const auto drawn = pictured(lesson_, p, library_, worker_, stop_);
    if (!drawn && ends_it(drawn.error())) return fail(drawn.error());
    if (!drawn) {
      found(part, drawn.error().text());
      return {};
    }
    const std::string step = step_text(p.drawing, drawn->step);
    if (p.expected.empty()) found(part, "It does not say what it expects to show; the step is:\n" + step);
    for (const std::string& words : p.expected)
      if (step.find(words) == std::string::npos) found(part, "It does not show '" + words + "'; the step is:\n" + step);
    return {};
  }

  const Lesson& lesson_;
  const op::Library& library_;
  rpc::Supervisor& worker_;
  const std::stop_token stop_;
  const std::function<void(const std::string&)>& begun_;
  std::vector<Finding> findings_;
};

}  // namespace

Result<std::vector<Finding>> check_lesson(const Lesson& lesson, const op::Library& library, rpc::Supervisor& worker,
                                          const std::stop_token& stop,
                                          const std::function<void(const std::string& part)>& begun) {
  return Check(lesson, library, worker, stop, begun).run();
}

}  // namespace ww::lesson
