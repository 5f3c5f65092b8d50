// SPDX-License-Identifier: Apache-2.0
// Lessons as data: a file NAME.md is a lesson, so that a teacher writes one without C++. It is Markdown after a head
// between two lines "---" (title, summary, order, after, source, advice), with fenced blocks that the program acts on:
//
//   ```question       a text, choices "- [ ] …" and "- [x] …" (one of them right), and "why: …"
//   ```task           title, op (of the library), set ("R = 64, C = 32": the shape), and goals; then, for this task:
//   ```cuda start     the student's starting code, which the gate rejects or which misses a goal
//   ```hint           one step of help; several
//   ```cuda solution  passes
//   ```step           a picture of one step of a kernel of the lesson's task (picture.h): title, of ("start" or
//                     "solution"), at (a part of the source line, which no other line contains), show ("lanes",
//                     "sectors" or "banks"); optional: set, block ("1, 0, 0"), warp, visit (of the line, from 1),
//                     access ("read", "write" or "atomic"), nth (of the steps there that fit, from 1), expect (words
//                     that the step's description must contain: "ld.global", "8 sectors"; several)
//
// A goal compares a counter of the SIMT machine (device::Counts) with a number, or with what the starting code has:
// "goal: bank_conflicts = 0", "goal: global_sectors <= 0.25 start".
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "op/spec.h"
#include "simt/access_kind.h"

namespace ww::lesson {

struct Goal {
  enum class Relation : std::uint8_t { at_most, at_least, equal };
  std::string counter;
  Relation relation = Relation::at_most;
  double value = 0;
  bool of_start = false;  // a multiple of the starting code's
  bool operator==(const Goal&) const = default;
};
bool holds(Goal::Relation relation, double reached, double limit);
// "no bank conflicts", "global sectors: at most 0.25 × the starting code's"
std::string goal_text(const Goal& goal);

struct Choice {
  std::string text;
  bool right = false;
  bool operator==(const Choice&) const = default;
};
struct Question {
  std::string text, why;
  std::vector<Choice> choices;
  bool operator==(const Question&) const = default;
};
struct Task {
  std::string title, op;
  op::Binding binding;
  std::vector<Goal> goals;
  std::string start, solution;
  std::vector<std::string> hints;
  bool operator==(const Task&) const = default;
};
// Of what decides whether a kernel passes: op, sizes, goals, the starting code that goals refer to, and the claim that
// the solution makes. A pass holds for these.
std::string hash_of(const Task& task);

enum class Drawing : std::uint8_t { lanes, sectors, banks };
constexpr auto names_of(Drawing) {
  using enum Drawing;
  return std::to_array<Enumerator<Drawing>>({{lanes, "lanes"}, {sectors, "sectors"}, {banks, "banks"}});
}
struct Picture {
  std::string title, at;
  bool of_solution = false;  // else of the starting code
  Drawing drawing = Drawing::lanes;
  op::Binding binding;                     // empty: as stepping::SteppedLaunch chooses
  std::optional<simt::AccessKind> access;  // of `sectors` and `banks`; nothing: any
  std::vector<std::int64_t> block{0, 0, 0};
  int warp = 0, visit = 1, nth = 1;   // nth: of the steps that fit, from that visit on
  std::vector<std::string> expected;  // in the step's description (picture_text)
  bool operator==(const Picture&) const = default;
};
using Part = std::variant<std::string, Question, Task, Picture>;  // a string: Markdown

struct Lesson {
  std::string name, title, summary;
  int order = 1000;                         // its place in the course
  std::vector<std::string> after, sources;  // lessons that come before; where the facts are from
  std::vector<std::string> advice;          // rules of the profiler (resources/rules) that it explains
  std::vector<Part> parts;
  bool operator==(const Lesson&) const = default;

  template <class T>
  std::vector<const T*> all() const {
    std::vector<const T*> out;
    for (const Part& p : parts)
      if (const T* one = std::get_if<T>(&p)) out.push_back(one);
    return out;
  }
  template <class T>
  const T* numbered(int number) const {  // from 1; null: there is none
    const std::vector<const T*> of_kind = all<T>();
    const auto at = static_cast<std::size_t>(number) - 1;
    return number < 1 || at >= of_kind.size() ? nullptr : of_kind[at];
  }
};

std::filesystem::path lessons_folder();  // resources/lessons
// Errors (Code::parse) name the line.
Result<Lesson> read_lesson(std::string_view text, const std::string& name);
// Each NAME.md of the folder, but README.md, by name. Errors: Code::not_found.
Result<std::vector<std::filesystem::path>> lesson_files(const std::filesystem::path& folder);
// Each NAME.md of the folder by its order, but after the lessons that it names, else by name. Errors: a lesson that
// cannot be read, one after another that is not there or after itself.
Result<std::vector<Lesson>> lessons_in(const std::filesystem::path& folder);
Result<Lesson> lesson_in_file(const std::filesystem::path& file);

}  // namespace ww::lesson
