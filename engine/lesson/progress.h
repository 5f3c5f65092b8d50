// SPDX-License-Identifier: Apache-2.0
// What a student has done, in one file of his own: answers, and the kernels that passed, so that a lecturer judges them
// again in place of trusting the file.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "lesson/lesson.h"

namespace ww::lesson {

struct Passed {  // a task
  std::string lesson;
  int task = 1;
  std::string kernel, time;  // UTC, RFC 3339
  std::string of;            // hash_of the task; empty: not known
  WW_FIELDS(Passed, lesson, (task, "its number in the lesson, from 1"), (kernel, "the text that passed last"),
            (time, "when, UTC"), (of, "the task's hash: a pass holds for the task as it was", defaulted))
  bool operator==(const Passed&) const = default;
};
struct Answered {  // a question; the first answer counts
  std::string lesson;
  int question = 1;
  int choice = 1;
  bool right = false;
  WW_FIELDS(Answered, lesson, (question, "its number in the lesson, from 1"),
            (choice, "the first that was chosen, from 1"), right)
  bool operator==(const Answered&) const = default;
};
struct Draft {  // a kernel that is being written
  std::string lesson;
  int task = 1;
  std::string kernel;
  WW_FIELDS(Draft, lesson, (task, "its number in the lesson, from 1"), kernel)
  bool operator==(const Draft&) const = default;
};
struct Progress {
  std::vector<Passed> passed;
  std::vector<Answered> answered;
  std::vector<Draft> drafts;
  WW_FIELDS(Progress, (passed, defaulted), (answered, defaulted), (drafts, defaulted))
  bool operator==(const Progress&) const = default;
  const Passed* find_passed(const std::string& lesson, int task) const;  // also of the task as it was before
  bool has_passed(const Lesson& lesson, int task) const;                 // as it is now; tasks from 1
  int count_passed(const Lesson& lesson) const;                          // of its tasks
  const Draft* find_draft(const std::string& lesson, int task) const;
  void keep_draft(Draft one);  // an empty kernel: there is none
  void pass(Passed one);       // replaces what passed before, and the draft that passed
  void answer(Answered one);   // keeps the first
  void add(const Progress& later);
};

// The path, or with -2, -3 … behind it: the first where no file is.
std::filesystem::path free_path(const std::filesystem::path& wanted);
std::filesystem::path progress_file();                              // in data_dir()
std::filesystem::path unsaved_file();                               // beside it, for what could not be stored there
Result<Progress> read_progress(const std::filesystem::path& file);  // a missing file: nothing done yet
Status write_progress(const std::filesystem::path& file, const Progress& progress);
// Reads it, changes it and writes it, one program after the other. Errors: those of both; the file remains as it is.
Status change_progress(const std::filesystem::path& file, const std::function<void(Progress&)>& how);

}  // namespace ww::lesson
