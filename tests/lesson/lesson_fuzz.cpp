// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as a lesson; behind a NUL byte as a student's progress, behind 1 as a class package, behind 2 as
// a moment. What is read is whole.
#include "base/described_json.h"
#include "lesson/lesson.h"
#include "lesson/package.h"
#include "lesson/progress.h"
#include "stepping/moment.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::lesson;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    fuzz::Seeds seeds;
    for (const auto& file : std::filesystem::directory_iterator(fuzz::source_dir() / "resources/lessons"))
      if (file.path().extension() == ".md") seeds.push_back(read_file(file.path()).value());
    Progress done;
    done.passed.push_back({"coalescing", 1, "__global__ void k() {}", "2026-01-01T00:00:00Z"});
    done.answered.push_back({"coalescing", 1, 2, false});
    seeds.push_back('\0' + json::text_of(done));
    Package package;
    package.title = "Class";
    package.lessons.push_back({"mine", "---\ntitle: T\nsummary: S\n---\nText\n"});
    seeds.push_back('\1' + json::text_of(package));
    stepping::Moment moment;
    moment.block = {0, 0, 0};
    moment.position = 7;
    seeds.push_back('\2' + json::text_of(moment));
    return seeds;
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::view(data, size);
  if (text.starts_with('\0')) {
    const std::filesystem::path file = fuzz::folder() / "progress.json";
    fuzz::write(file, text.substr(1));
    if (Result<Progress> read = read_progress(file)) {
      fuzz::require(write_progress(file, *read).has_value());
      const Result<Progress> again = read_progress(file);
      fuzz::require(again && json::text_of(*again) == json::text_of(*read));
    }
    return 0;
  }
  if (text.starts_with('\1')) {
    const std::filesystem::path file = fuzz::folder() / "class.json", into = fuzz::folder() / "imported";
    fuzz::write(file, text.substr(1));
    const Result<Package> package = read_package(file);
    std::error_code error;
    std::filesystem::remove_all(into, error);
    if (package && import_package(*package, into)) {
      const Result<Course> all = course(into);
      fuzz::require(all && all->problem.empty());
    }
    return 0;
  }
  if (text.starts_with('\2')) {
    const std::filesystem::path file = fuzz::folder() / "x.wwmoment";
    fuzz::write(file, text.substr(1));
    if (const auto moment = stepping::read_moment(file)) {
      fuzz::require(moment->position >= 0 && moment->lane >= 0 && moment->lane < 32);
      fuzz::require(stepping::write_moment(file, *moment).has_value() && stepping::read_moment(file).has_value());
    }
    return 0;
  }
  const Result<Lesson> lesson = read_lesson(text, "fuzzed");
  if (!lesson) return 0;
  fuzz::require(!lesson->title.empty());
  for (const Question* q : lesson->all<Question>())
    fuzz::require(std::count_if(q->choices.begin(), q->choices.end(), [](const Choice& c) { return c.right; }) == 1);
  for (const Task* t : lesson->all<Task>()) {
    fuzz::require(!t->op.empty() && !t->start.empty() && !t->solution.empty());
    for (const Goal& goal : t->goals) fuzz::require(!goal_text(goal).empty());
  }
  return 0;
}
