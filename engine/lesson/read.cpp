// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <fmt/format.h>
#include "base/ascii.h"
#include "base/lines.h"
#include "corpus/kernels.h"
#include "device/simt_counts.h"
#include "lesson/lesson.h"

namespace ww::lesson {
namespace {

struct Entry {  // "key: value"
  std::string key, value;
};
Entry entry_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  return {std::string(trimmed(line.substr(0, colon))), std::string(trimmed(line.substr(colon + 1)))};
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> out;
  for (const std::string& one : corpus::split(list, ',')) out.emplace_back(trimmed(one));
  return out;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : lines_(split_lines(text)) { out_.name = name; }

  Result<Lesson> read() {
    WW_TRY(head());
    while (at_ < lines_.size()) {
      const std::string_view line = lines_[at_];
      if (!line.starts_with("```")) {
        prose_ += std::string(line) + '\n';
        ++at_;
        continue;
      }
      const std::string kind(trimmed(line.substr(3)));
      const std::size_t begin = at_;
      const std::vector<std::string_view> body = WW_TRY(fenced());
      if (kind == "question") {
        WW_TRY(question(body));
      } else if (kind == "task") {
        WW_TRY(task(body));
      } else if (kind == "step") {
        WW_TRY(picture(body));
      } else if (kind == "hint" || kind == "cuda start" || kind == "cuda solution") {
        WW_TRY(of_task(kind, body));
      } else {
        for (std::size_t i = begin; i < at_; ++i) prose_ += std::string(lines_[i]) + '\n';
      }
    }
    end_prose();
    if (!out_.all<Picture>().empty() && out_.all<Task>().empty())
      return error("a step is of a task's kernel, and there is no task");
    for (const Task* t : out_.all<Task>())
      if (t->start.empty() || t->solution.empty())
        return error("the task '" + t->title + "' lacks its starting code or its solution");
    return std::move(out_);
  }

 private:
  tl::unexpected<Error> error(const std::string& what) const {
    return fail(Code::parse,
                fmt::format("lesson '{}', line {}: {}", out_.name, std::min(at_ + 1, lines_.size()), what));
  }

  Status head() {
    if (lines_.empty() || trimmed(lines_[0]) != "---")
      return error("a lesson begins with a head between two lines ---");
    for (at_ = 1; at_ < lines_.size() && trimmed(lines_[at_]) != "---"; ++at_) {
      const Entry e = entry_of(lines_[at_]);
      if (e.key == "title")
        out_.title = e.value;
      else if (e.key == "summary")
        out_.summary = e.value;
      else if (e.key == "order")
        out_.order = WW_TRY(number(e.value, 1));
      else if (e.key == "after")
        out_.after = names_in(e.value);
      else if (e.key == "source")
        out_.sources.push_back(e.value);
      else if (e.key == "advice")
        out_.advice = names_in(e.value);
      else
        return error("a head has title, summary, order, after, source and advice");
    }
    if (at_ == lines_.size()) return error("the head has no end");
    ++at_;
    if (out_.title.empty() || out_.summary.empty()) return error("the head lacks its title or its summary");
    return {};
  }

  // The lines of the block that begins here; steps behind it.
  Result<std::vector<std::string_view>> fenced() {
    std::vector<std::string_view> body;
    for (std::size_t i = at_ + 1; i < lines_.size(); ++i) {
      if (trimmed(lines_[i]) == "```") {
        at_ = i + 1;
        return body;
      }
      body.push_back(lines_[i]);
    }
    return error("the block has no end");
  }

  void end_prose() {
    if (!trimmed(prose_).empty()) out_.parts.emplace_back(std::string(trimmed(prose_)) + '\n');
    prose_.clear();
  }

  Status question(const std::vector<std::string_view>& body) {
    end_prose();
    Question q;
    int right = 0;
    for (const std::string_view line : body) {
      const bool yes = line.starts_with("- [x] ");
      if (yes || line.starts_with("- [ ] ")) {
        q.choices.push_back({std::string(trimmed(line.substr(6))), yes});
        right += yes ? 1 : 0;
        continue;
      }
      std::string& into = line.starts_with("why:") || !q.why.empty() ? q.why : q.text;
      into += (into.empty() ? "" : "\n") + std::string(trimmed(line.starts_with("why:") ? line.substr(4) : line));
    }
    if (q.text.empty() || q.why.empty() || q.choices.size() < 2 || right != 1)
      return error("a question has a text, two or more choices, one of them right, and 'why:'");
    out_.parts.emplace_back(std::move(q));
    return {};
  }

  Result<Goal> goal(const std::string& text) const {
    const std::vector<std::string> words = corpus::split(text, ' ');
    Goal g;
    if (words.size() < 3 || words.size() > 4 || (words.size() == 4 && words[3] != "start"))
      return error("a goal reads 'COUNTER <= NUMBER' or 'COUNTER <= NUMBER start'");
    g.counter = words[0];
    if (!device::is_simt_counter(g.counter)) return error("the SIMT machine has no counter '" + g.counter + "'");
    g.of_start = words.size() == 4;
    if (words[1] == "<=")
      g.relation = Goal::Relation::at_most;
    else if (words[1] == ">=")
      g.relation = Goal::Relation::at_least;
    else if (words[1] == "=")
      g.relation = Goal::Relation::equal;
    else
      return error("a goal compares by <=, >= or =");
    const std::string& number = words[2];
    const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), g.value);
    if (status != std::errc() || end != number.data() + number.size() || !(g.value >= 0 && g.value <= 1e15))
      return error("'" + number + "' is not a number from 0 to 1e15");
    return g;
  }

  Result<op::Binding> binding(const std::string& text) const {
    Result<op::Binding> read = corpus::binding_of(text);
    if (!read) return error("'set: " + text + "': " + read.error().message);
    return read;
  }

  Status task(const std::vector<std::string_view>& body) {
    end_prose();
    Task t;
    for (const std::string_view line : body) {
      const Entry e = entry_of(line);
      if (e.key == "title")
        t.title = e.value;
      else if (e.key == "op")
        t.op = e.value;
      else if (e.key == "set")
        t.binding = WW_TRY(binding(e.value));
      else if (e.key == "goal")
        t.goals.push_back(WW_TRY(goal(e.value)));
      else
        return error("a task has title, op, set and goals");
    }
    if (t.title.empty() || t.op.empty()) return error("the task lacks its title or its op");
    out_.parts.emplace_back(std::move(t));
    return {};
  }

  Result<int> number(const std::string& text, int least) const {
    int n = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (status != std::errc() || end != text.data() + text.size() || n < least)
      return error("'" + text + "' is not a whole number from " + std::to_string(least));
    return n;
  }

  Status picture(const std::vector<std::string_view>& body) {
    end_prose();
    Picture p;
    bool drawn = false;
    for (const std::string_view line : body) {
      const Entry e = entry_of(line);
      if (e.key == "title") {
        p.title = e.value;
      } else if (e.key == "at") {
        p.at = e.value;
      } else if (e.key == "of" && (e.value == "start" || e.value == "solution")) {
        p.of_solution = e.value == "solution";
      } else if (const auto drawing = enum_from_name<Drawing>(e.value); e.key == "show" && drawing) {
        p.drawing = *drawing;
        drawn = true;
      } else if (e.key == "set") {
        p.binding = WW_TRY(binding(e.value));
      } else if (e.key == "block") {
        p.block.clear();
        for (const std::string& index : names_in(e.value)) p.block.push_back(WW_TRY(number(index, 0)));
      } else if (e.key == "warp") {
        p.warp = WW_TRY(number(e.value, 0));
      } else if (e.key == "visit") {
        p.visit = WW_TRY(number(e.value, 1));
      } else if (e.key == "nth") {
        p.nth = WW_TRY(number(e.value, 1));
      } else if (e.key == "access" && enum_from_name<simt::AccessKind>(e.value)) {
        p.access = enum_from_name<simt::AccessKind>(e.value);
      } else if (e.key == "expect" && !e.value.empty()) {
        p.expected.push_back(e.value);
      } else {
        return error("a step has title, of, at, show, set, block, warp, visit, nth, access and expect");
      }
    }
    if (p.title.empty() || p.at.empty() || !drawn) return error("the step lacks its title, its line or what it shows");
    out_.parts.emplace_back(std::move(p));
    return {};
  }

  Status of_task(const std::string& kind, const std::vector<std::string_view>& body) {
    Task* const t = out_.parts.empty() || !trimmed(prose_).empty() ? nullptr : std::get_if<Task>(&out_.parts.back());
    if (t == nullptr) return error("'" + kind + "' belongs directly below a task");
    std::string text;
    for (const std::string_view line : body) text += std::string(line) + '\n';
    if (kind == "hint")
      t->hints.push_back(std::move(text));
    else if (std::string& code = kind == "cuda start" ? t->start : t->solution; code.empty())
      code = std::move(text);
    else
      return error("the task has two blocks '" + kind + "'");
    return {};
  }

  const std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::string prose_;
  Lesson out_;
};

}  // namespace

Result<Lesson> read_lesson(std::string_view text, const std::string& name) { return Reader(text, name).read(); }

}  // namespace ww::lesson
