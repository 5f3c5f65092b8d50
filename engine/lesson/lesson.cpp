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
