// SPDX-License-Identifier: Apache-2.0
#include "lesson/lesson.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>
#include "base/files.h"
#include "lesson/order.h"

namespace ww::lesson {
namespace fs = std::filesystem;
namespace {

// By the longest way to a lesson through those that it comes after, then by name.
class Order {
 public:
  explicit Order(std::map<std::string, Lesson> lessons) : lessons_(std::move(lessons)) {}

  Result<std::vector<Lesson>> take() {
    for (const auto& [name, lesson] : lessons_) WW_TRY(place(name, name));
    std::vector<Lesson> out;
    for (auto& [name, lesson] : lessons_) out.push_back(std::move(lesson));
    std::ranges::stable_sort(out, {}, [&](const Lesson& l) { return steps_.at(l.name); });
    return out;
  }

 private:
  Status place(const std::string& name, const std::string& from) {
    const auto at = lessons_.find(name);
    if (at == lessons_.end())
      return fail(Code::parse, "lesson '" + from + "' comes after '" + name + "', which does not exist");
    if (steps_.contains(name)) return {};
    if (std::ranges::find(open_, name) != open_.end())
      return fail(Code::parse, "lesson '" + name + "' comes after itself");
    open_.push_back(name);
    int steps = 0;
    for (const std::string& earlier : at->second.after) {
      WW_TRY(place(earlier, name));
      steps = std::max(steps, 1 + steps_.at(earlier));
    }
    steps_[name] = steps;
    open_.pop_back();
    return {};
  }

  std::map<std::string, Lesson> lessons_;
  std::vector<std::string> open_;
  std::map<std::string, int> steps_;  // of those placed
};

}  // namespace

fs::path lessons_folder() { return resources_dir() / "lessons"; }

bool holds(Goal::Relation relation, double reached, double limit) {
  switch (relation) {
    case Goal::Relation::at_most: return reached <= limit;
    case Goal::Relation::at_least: return reached >= limit;
    case Goal::Relation::equal: return reached == limit;
  }
  return false;
}

std::string goal_text(const Goal& goal) {
  std::string text = goal.counter;
  std::ranges::replace(text, '_', ' ');
  text += goal.relation == Goal::Relation::at_most    ? " at most "
          : goal.relation == Goal::Relation::at_least ? " at least "
                                                      : " exactly ";
  if (!goal.of_start) return text + fmt::format("{}", goal.value);
  return text + (goal.value == 1 ? "the starting code's" : fmt::format("{} of the starting code's", goal.value));
}

Result<std::vector<Lesson>> lessons_in(const fs::path& folder) { return lessons_in(std::vector{folder}); }

Result<std::vector<Lesson>> ordered(std::vector<Lesson> lessons) {
  std::map<std::string, Lesson> all;
  for (Lesson& l : lessons) {
    const std::string name = l.name;
    if (!all.emplace(name, std::move(l)).second) return fail(Code::parse, "there are two lessons '" + name + "'");
  }
  return Order(std::move(all)).take();
}

Result<std::vector<Lesson>> lessons_in(const std::vector<fs::path>& folders) {
  std::map<std::string, Lesson> all;
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
      if (file.path().extension() != ".md" || file.path().filename() == "README.md") continue;
      const std::string name = file.path().stem().string();
      if (all.contains(name)) return fail(Code::parse, "there are two lessons '" + name + "'", file.path().string());
      all.emplace(name, WW_TRY(read_lesson(WW_TRY(read_file(file.path(), std::size_t{1} << 20)), name)));
    }
    if (error) return fail(Code::not_found, "the lessons in '" + folder.string() + "' cannot be read", error.message());
  }
  return Order(std::move(all)).take();
}

}  // namespace ww::lesson
