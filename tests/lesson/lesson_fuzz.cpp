// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as a lesson, or behind a NUL byte as a student's progress. What is read is whole.
#include "base/described_json.h"
#include "lesson/lesson.h"
#include "lesson/progress.h"
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
