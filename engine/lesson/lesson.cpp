// SPDX-License-Identifier: Apache-2.0
#include "lesson/lesson.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>
#include "base/files.h"
#include "base/hash.h"
#include "lesson/judge.h"
#include "lesson/order.h"

namespace ww::lesson {
namespace fs = std::filesystem;
namespace {

// By the order that lessons give, none before one that it comes after; then by the longest way to a lesson through
// those, then by name.
class Order {
 public:
  explicit Order(std::map<std::string, Lesson> lessons) : lessons_(std::move(lessons)) {}

  Result<std::vector<Lesson>> take() {
    for (const auto& [name, lesson] : lessons_) WW_TRY(place(name, name));
    std::vector<Lesson> out;
    for (auto& [name, lesson] : lessons_) out.push_back(std::move(lesson));
    std::ranges::stable_sort(out, {}, [&](const Lesson& l) { return places_.at(l.name); });
    return out;
  }

 private:
  Status place(const std::string& name, const std::string& from) {
    const auto at = lessons_.find(name);
    if (at == lessons_.end())
      return fail(Code::parse, "lesson '" + from + "' comes after '" + name + "', which does not exist");
    if (places_.contains(name)) return {};
    if (std::ranges::find(open_, name) != open_.end())
      return fail(Code::parse, "lesson '" + name + "' comes after itself");
    open_.push_back(name);
    std::pair<int, int> here{at->second.order, 0};
    for (const std::string& earlier : at->second.after) {
      WW_TRY(place(earlier, name));
      const auto& [order, steps] = places_.at(earlier);
      here = {std::max(here.first, order), std::max(here.second, 1 + steps)};
    }
    places_[name] = here;
    open_.pop_back();
    return {};
  }

  std::map<std::string, Lesson> lessons_;
  std::vector<std::string> open_;
  std::map<std::string, std::pair<int, int>> places_;  // order and steps of those placed
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
  std::string name = goal.counter;
  std::ranges::replace(name, '_', ' ');
  if (const std::size_t dot = name.find('.'); dot != std::string::npos)  // a part of the counter
    name = fmt::format("{} ({})", name.substr(0, dot), name.substr(dot + 1));
  if (goal.relation == Goal::Relation::equal && goal.value == 0) return "no " + name;
  const std::string limit = !goal.of_start    ? fmt::format("{}", goal.value)
                            : goal.value == 1 ? "the starting code's"
                                              : fmt::format("{} \u00d7 the starting code's", goal.value);
  return name +
         (goal.relation == Goal::Relation::at_most    ? ": at most "
          : goal.relation == Goal::Relation::at_least ? ": at least "
                                                      : ": ") +
         limit;
}

std::string hash_of(const Task& task) {
  Hasher hash;
  hash.field(task.op);
  for (const auto& [name, value] : task.binding.symbols) hash.field(name).field(std::to_string(value));
  for (const auto& [name, value] : task.binding.constants) hash.field(name).field(fmt::format("{}", value));
  bool of_start = false;
  for (const Goal& goal : task.goals) {
    hash.field(goal_text(goal));
    of_start = of_start || goal.of_start;
  }
  hash.field(of_start ? task.start : "").field(scope_text(task));
  return hash.hex();
}

Result<std::vector<Lesson>> ordered(std::vector<Lesson> lessons) {
  std::map<std::string, Lesson> all;
  for (Lesson& l : lessons) {
    const std::string name = l.name;
    if (!all.emplace(name, std::move(l)).second) return fail(Code::parse, "there are two lessons '" + name + "'");
  }
  return Order(std::move(all)).take();
}

Result<std::vector<fs::path>> lesson_files(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error))
    if (file.path().extension() == ".md" && file.path().filename() != "README.md") out.push_back(file.path());
  if (error) return fail(Code::not_found, "the lessons in '" + folder.string() + "' cannot be read", error.message());
  std::ranges::sort(out);
  return out;
}

Result<Lesson> lesson_in_file(const fs::path& file) {
  return read_lesson(WW_TRY(read_file(file, std::size_t{1} << 20)), file.stem().string());
}

Result<std::vector<Lesson>> lessons_in(const fs::path& folder) {
  std::vector<Lesson> all;
  for (const fs::path& file : WW_TRY(lesson_files(folder))) all.push_back(WW_TRY(lesson_in_file(file)));
  return ordered(std::move(all));
}

}  // namespace ww::lesson
