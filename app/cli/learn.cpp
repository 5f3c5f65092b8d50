// SPDX-License-Identifier: Apache-2.0
// Lessons in a terminal: read one, answer its questions, write its tasks' kernels, and have them judged.
#include <algorithm>
#include <fmt/format.h>
#include "base/ascii.h"
#include "base/files.h"
#include "base/plural.h"
#include "base/utc.h"
#include "answer.h"
#include "commands.h"
#include "console.h"
#include "evidence/explain.h"
#include "interrupt.h"
#include "lesson/check.h"
#include "lesson/glossary.h"
#include "lesson/judge.h"
#include "lesson/package.h"
#include "lesson/picture.h"
#include "lesson/progress.h"
#include "lesson/results.h"
#include "output.h"
#include "sim.h"
#include "stepping/moment.h"
#include "subject.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

struct LearnArgs {
  std::string lesson, words, title;
  fs::path file;
  std::vector<fs::path> files;
  int task = 1, question = 1, choice = 0, hint = 1, picture = 1;
  bool judge_again = false;
};

Result<std::vector<lesson::Lesson>> lessons() {
  lesson::Course course = WW_TRY(lesson::course());
  if (!course.problem.empty()) put(Stream::error, safe(course.problem) + '\n');
  return std::move(course.lessons);
}

Result<lesson::Lesson> find_lesson(const std::string& name) {
  std::vector<lesson::Lesson> all = WW_TRY(lessons());
  for (lesson::Lesson& l : all)
    if (l.name == name) return std::move(l);
  std::string names;
  for (const lesson::Lesson& l : all) names += (names.empty() ? "" : ", ") + l.name;
  return fail(Code::not_found, "there is no lesson '" + name + "'; there are " + names);
}

template <class T>
Result<T> numbered(const lesson::Lesson& l, int number, const char* what) {
  if (const T* one = l.numbered<T>(number)) return *one;
  return fail(Code::not_found, fmt::format("the lesson '{}' has {}", l.name, plural(l.all<T>().size(), what)));
}

json::Json goals_json(const std::vector<lesson::Goal>& goals) {
  json::Json out = json::Json::array();
  for (const lesson::Goal& g : goals) out.push_back(lesson::goal_text(g));
  return out;
}

// How far the student is in a lesson: "1 of 1 task passed".
std::string done_text(const lesson::Lesson& l, const lesson::Progress& progress) {
  const std::size_t tasks = l.all<lesson::Task>().size();
  return tasks == 0 ? "" : fmt::format("{} of {} passed", progress.count_passed(l), plural(tasks, "task"));
}

Result<int> list(const Common& common, const LearnArgs&) {
  const std::vector<lesson::Lesson> all = WW_TRY(lessons());
  const lesson::Progress progress = WW_TRY(lesson::read_progress(lesson::progress_file()));
  std::vector<std::vector<std::string>> rows;
  json::Json records = json::Json::array();
  for (const lesson::Lesson& l : all) {
    rows.push_back({safe(l.name), safe(l.title), done_text(l, progress), safe(l.summary)});
    records.push_back({{"name", l.name},
                       {"title", l.title},
                       {"summary", l.summary},
                       {"after", l.after},
                       {"questions", l.all<lesson::Question>().size()},
                       {"tasks", l.all<lesson::Task>().size()},
                       {"passed", progress.count_passed(l)}});
  }
  const auto open = std::ranges::find_if(all, [&](const lesson::Lesson& l) {
    return progress.count_passed(l) < static_cast<int>(l.all<lesson::Task>().size());
  });
  const std::string text =
      table({"Lesson", "Title", "Done", "You learn to"}, rows) +
      (open == all.end() ? "\nYou have passed all tasks.\n" : "\nNext: warpwright-cli learn show " + open->name + '\n');
  return print_answer(common, {{{"lessons", records}}, text, Exit::done, records});
}

std::string question_text(const lesson::Lesson& l, const lesson::Question& q, int number) {
  std::string out = fmt::format("Question {}: {}\n", number, safe_lines(q.text, "  "));
  for (std::size_t i = 0; i < q.choices.size(); ++i) out += fmt::format("  {} {}\n", i + 1, safe(q.choices[i].text));
  return out + fmt::format("Answer with: warpwright-cli learn answer {} NUMBER{}\n", l.name,
                           number > 1 ? fmt::format(" --question {}", number) : "");
}

// `file`: with the starting code; empty: there is none yet.
std::string task_text(const lesson::Lesson& l, const lesson::Task& t, int number, const fs::path& file = {}) {
  const std::string which = number > 1 ? fmt::format(" --task {}", number) : "";
  std::string out = fmt::format("Task {}: {} (op {}", number, safe(t.title), safe(t.op));
  for (const auto& [symbol, value] : t.binding.symbols) out += fmt::format(", {} = {}", safe(symbol), value);
  out += fmt::format(")\n  the gate proves the kernel {}\n", safe(lesson::scope_text(t)));
  for (const lesson::Goal& g : t.goals) out += "  " + safe(lesson::goal_text(g)) + '\n';
  const std::string name = file.empty() ? l.name + ".cu" : safe(file.string());
  if (file.empty())
    out += fmt::format("Begin with: warpwright-cli learn begin {} -o {}{}\nThen edit", l.name, name, which);
  else
    out += "Edit";
  return out + fmt::format(" the file, and: warpwright-cli learn judge {} {}{}\n", l.name, name, which);
}

Result<int> show(const Common& common, const LearnArgs& args) {
  const lesson::Lesson l = WW_TRY(find_lesson(args.lesson));
  std::string text = fmt::format("{}\n{}\n", safe(l.title), std::string(l.title.size(), '='));
  json::Json parts = json::Json::array();
  int questions = 0, tasks = 0, pictures = 0;
  for (const lesson::Part& part : l.parts) {
    text += '\n';
    if (const auto* prose = std::get_if<std::string>(&part)) {
      text += safe_lines(*prose);
      parts.push_back({{"markdown", *prose}});
    } else if (const auto* q = std::get_if<lesson::Question>(&part)) {
      text += question_text(l, *q, ++questions);
      json::Json choices = json::Json::array();
      for (const lesson::Choice& c : q->choices) choices.push_back(c.text);
      parts.push_back({{"question", q->text}, {"choices", choices}});
    } else if (const auto* t = std::get_if<lesson::Task>(&part)) {
      text += task_text(l, *t, ++tasks);
      parts.push_back({{"task", t->title},
                       {"op", t->op},
                       {"binding", json::of(t->binding)},
                       {"goals", goals_json(t->goals)},
                       {"start", t->start},
                       {"hints", t->hints.size()}});
    } else if (const auto* p = std::get_if<lesson::Picture>(&part)) {
      ++pictures;
      text += fmt::format("Picture {}: {}\nDraw it with: warpwright-cli learn picture {}{}\n", pictures, safe(p->title),
                          l.name, pictures > 1 ? fmt::format(" --picture {}", pictures) : "");
      parts.push_back({{"picture", p->title}, {"at", p->at}, {"show", enum_name(p->drawing)}});
    }
  }
  if (!l.advice.empty()) text += fmt::format("\nAdvice that it explains: {}\n", fmt::join(l.advice, ", "));
  if (!l.sources.empty()) text += "\nSources\n";
  for (const std::string& s : l.sources) text += "  " + safe(s) + '\n';
  return print_answer(
      common,
      {{{"name", l.name}, {"title", l.title}, {"parts", parts}, {"sources", l.sources}, {"advice", l.advice}}, text});
}

Result<int> picture(const Common& common, const LearnArgs& args) {
  const lesson::Lesson l = WW_TRY(find_lesson(args.lesson));
  const auto p = WW_TRY(numbered<lesson::Picture>(l, args.picture, "picture"));
  const op::Library library = WW_TRY(op_library());
  const Interrupt interrupt(stopping);
  rpc::Supervisor worker{rpc::WorkerOptions{}};
  const lesson::Pictured drawn = WW_TRY(lesson::pictured(l, p, library, worker, interrupt.token()));
  json::Json answer{{"title", p.title}, {"step", json::of(drawn.step)}};
  std::string text = safe_lines(lesson::picture_text(p, drawn));
  if (!args.file.empty()) {
    stepping::Moment moment;
    moment.title = p.title;
    moment.set_subject(drawn.subject);
    moment.block = drawn.block;
    moment.position = drawn.position;
    moment.warp = p.warp;
    WW_TRY(stepping::write_moment(args.file, moment));
    answer["file"] = args.file.string();
    text += "The moment is in " + safe(args.file.string()) + '\n';
  }
  return print_answer(common, {answer, text});
}

Result<int> answer(const Common& common, const LearnArgs& args) {
  const lesson::Lesson l = WW_TRY(find_lesson(args.lesson));
  const auto q = WW_TRY(numbered<lesson::Question>(l, args.question, "question"));
  if (args.choice < 1 || args.choice > static_cast<int>(q.choices.size()))
    return failed(common,
                  {Code::invalid_argument, fmt::format("the question has choices 1 to {}", q.choices.size()), {}});
  const bool right = q.choices[static_cast<std::size_t>(args.choice) - 1].right;
  WW_TRY(lesson::change_progress(lesson::progress_file(), [&](lesson::Progress& progress) {
    progress.answer({l.name, args.question, args.choice, right});
  }));
  const std::string text = right
                               ? coloured(Colour::green, "Right") + ". " + safe_lines(q.why) + '\n'
                               : coloured(Colour::red, "No") + ". Read the passage again, and choose another answer.\n";
  return print_answer(common,
                      {{{"right", right}, {"why", right ? q.why : ""}}, text, right ? Exit::done : Exit::negative});
}

Result<int> begin(const Common& common, const LearnArgs& args) {
  const lesson::Lesson l = WW_TRY(find_lesson(args.lesson));
  const auto t = WW_TRY(numbered<lesson::Task>(l, args.task, "task"));
  std::error_code error;
  if (fs::exists(args.file, error))
    return failed(common, {Code::invalid_argument, "'" + args.file.string() + "' exists; it may hold your work", {}});
  WW_TRY(write_file_atomic(args.file, t.start));
  const std::string text =
      fmt::format("The starting code is in {}\n{}", safe(args.file.string()), task_text(l, t, args.task, args.file));
  return print_answer(common, {{{"file", args.file.string()}, {"goals", goals_json(t.goals)}}, text});
}

std::string judged_text(const lesson::Judged& judged) {
  std::string out =
      coloured(judged.passed() ? Colour::green : Colour::red, judged.passed() ? "Passed" : "Not yet") + '\n';
  out += "  " + safe_lines(judged.verdict.summary(), "  ") + '\n';
  if (const std::string left_out = lesson::left_out_text(judged); !left_out.empty()) out += "  " + left_out + '\n';
  for (const lesson::Reached& r : judged.goals)
    out += fmt::format("  {} {}: {}{}\n", r.met ? "ok  " : "miss", safe(lesson::goal_text(r.goal)), r.reached,
                       r.goal.of_start ? fmt::format(" (limit {:.0f})", r.limit) : "");
  return out;
}

json::Json judged_json(const lesson::Judged& judged) {
  json::Json goals = json::Json::array();
  for (const lesson::Reached& r : judged.goals)
    goals.push_back({{"goal", lesson::goal_text(r.goal)}, {"reached", r.reached}, {"limit", r.limit}, {"met", r.met}});
  return {{"passed", judged.passed()},
          {"left_out", judged.left_out},
          {"goals", goals},
          {"verdict", verdict_json(judged.verdict, false)}};
}

Result<int> judge(const Common& common, const LearnArgs& args) {
  const lesson::Lesson l = WW_TRY(find_lesson(args.lesson));
  const auto t = WW_TRY(numbered<lesson::Task>(l, args.task, "task"));
  const std::string kernel = WW_TRY(of_argument(read_file(args.file, std::size_t{1} << 22)));
  const op::Library library = WW_TRY(op_library());
  LiveLine live;
  const Watch watch = shown_live(live);
  rpc::Supervisor worker{rpc::WorkerOptions{}};
  const Result<lesson::Judged> judged =
      lesson::judge_task(t, kernel, library, worker, watch.stop, [&](const rpc::Progress& p) {
        watch.progress(p.fraction, fmt::format("{}: {}", p.stage, p.message));
      });
  live.clear();
  if (!judged) return failed(common, judged.error());
  if (judged->passed())
    WW_TRY(lesson::change_progress(lesson::progress_file(), [&](lesson::Progress& progress) {
      progress.pass({l.name, args.task, kernel, utc_now("%Y-%m-%dT%H:%M:%SZ"), lesson::hash_of(t)});
    }));
  const bool open = judged->verdict.ruling() == evidence::Ruling::not_judged;
  return print_answer(common, {judged_json(*judged), judged_text(*judged),
                               judged->passed() ? Exit::done
                               : open           ? Exit::not_judged
                                                : Exit::negative});
}

Result<int> hint(const Common& common, const LearnArgs& args) {
  const lesson::Lesson l = WW_TRY(find_lesson(args.lesson));
  const auto t = WW_TRY(numbered<lesson::Task>(l, args.task, "task"));
  if (args.hint > static_cast<int>(t.hints.size()))
    return failed(common, {Code::not_found, fmt::format("the task has {}", plural(t.hints.size(), "hint")), {}});
  const std::string& text = t.hints[static_cast<std::size_t>(args.hint) - 1];
  std::string out = safe_lines(text) + '\n';
  if (args.hint < static_cast<int>(t.hints.size()))
    out += fmt::format("Hint {} of {}; --number {} shows the next.\n", args.hint, t.hints.size(), args.hint + 1);
  return print_answer(common, {{{"hint", text}, {"of", t.hints.size()}}, out});
}

Result<int> solution(const Common& common, const LearnArgs& args) {
  const lesson::Lesson l = WW_TRY(find_lesson(args.lesson));
  const auto t = WW_TRY(numbered<lesson::Task>(l, args.task, "task"));
  return print_answer(common, {{{"solution", t.solution}}, safe_lines(t.solution)});
}

std::vector<std::string> cells_of(const lesson::ResultRow& row) {
  std::vector<std::string> cells{safe(row.lesson), lesson::part_text(row), enum_string(row.done), safe(row.time),
                                 safe(lesson::again_text(row))};
  if (!row.student.empty()) cells.insert(cells.begin(), safe(row.student));
  return cells;
}

Result<int> results(const Common& common, const LearnArgs& args) {
  std::error_code error;
  for (const fs::path& file : args.files)
    if (!fs::exists(file, error))
      return failed(common, {Code::not_found, "there is no file '" + file.string() + "'", {}});
  const std::vector<fs::path> files = args.files.empty() ? std::vector{lesson::progress_file()} : args.files;
  const std::vector<std::string> students = lesson::student_names(files);
  const std::vector<lesson::Lesson> all = WW_TRY(lessons());
  const op::Library library = WW_TRY(op_library());
  LiveLine live;
  const Watch watch = shown_live(live);
  rpc::Supervisor worker{rpc::WorkerOptions{}};
  std::vector<lesson::ResultRow> rows;
  bool all_read = true;
  json::Json names = json::Json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Result<lesson::Progress> progress = lesson::read_progress(files[i]);
    if (!progress && files.size() == 1) {
      live.clear();
      const Result<int> why = fail(progress.error());
      return args.files.empty() ? why : of_argument(why);
    }
    if (!progress) {  // the others count all the same
      live.clear();
      put(Stream::error, safe(progress.error().text()) + '\n');
      all_read = false;
      continue;
    }
    std::vector<lesson::ResultRow> own = lesson::rows_of(*progress, students[i]);
    if (args.judge_again)
      WW_TRY(lesson::judge_again(own, *progress, all, library, worker, watch.stop, [&](const lesson::ResultRow& row) {
        watch.progress(0, row.student.empty() ? row.lesson : row.student + ": " + row.lesson);
      }));
    rows.insert(rows.end(), own.begin(), own.end());
    names.push_back(files[i].string());
  }
  live.clear();
  std::vector<std::string> head{"Lesson", "Part", "Result", "Time (UTC)", "Judged again"};
  if (files.size() > 1) head.insert(head.begin(), "Student");
  std::vector<std::vector<std::string>> cells;
  for (const lesson::ResultRow& row : rows) cells.push_back(cells_of(row));
  const std::string text =
      rows.empty() ? "Nothing done yet: start with warpwright-cli learn list\n" : table(head, cells);
  const json::Json records = lesson::records_of(rows);
  json::Json answer{{"results", records}};
  if (files.size() == 1)
    answer["file"] = names[0];
  else
    answer["files"] = names;
  return print_answer(
      common,
      {answer, text, all_read && std::ranges::all_of(rows, lesson::holds_up) ? Exit::done : Exit::negative, records});
}

Result<int> glossary(const Common& common, const LearnArgs& args) {
  const std::vector<lesson::Term> terms = WW_TRY(lesson::glossary_in(lesson::glossary_folder()));
  std::string text;
  json::Json records = json::Json::array();
  for (const lesson::Term& t : terms) {
    if (!args.words.empty() && ascii_lower(t.name) != ascii_lower(args.words)) continue;
    if (args.words.empty())
      text += safe(t.name) + '\n';
    else
      text += fmt::format("{}\n{}\nLessons: {}\n", safe(t.name), safe_lines(t.text), fmt::join(t.lessons, ", "));
    records.push_back({{"term", t.name}, {"markdown", t.text}, {"lessons", t.lessons}});
  }
  if (records.empty())
    return failed(common,
                  {Code::not_found, "the glossary has no term '" + args.words + "'; without one, all are listed", {}});
  return print_answer(common, {{{"terms", records}}, text, Exit::done, records});
}

Result<int> find(const Common& common, const LearnArgs& args) {
  const std::vector<lesson::Lesson> all = WW_TRY(lessons());
  const std::vector<lesson::Term> terms = WW_TRY(lesson::glossary_in(lesson::glossary_folder()));
  std::vector<std::vector<std::string>> rows;
  json::Json records = json::Json::array();
  for (const lesson::Hit& h : lesson::find_words(args.words, all, terms)) {
    rows.push_back({h.term.empty() ? "lesson" : "glossary", safe(h.term.empty() ? h.lesson : h.term), safe(h.line)});
    records.push_back({{"lesson", h.lesson}, {"term", h.term}, {"line", h.line}});
  }
  const std::string text =
      rows.empty() ? "No lesson and no term of the glossary has these words.\n" : table({"In", "Name", "Line"}, rows);
  return print_answer(common, {{{"found", records}}, text, rows.empty() ? Exit::negative : Exit::done, records});
}

struct Checked {
  json::Json records = json::Json::array();
  std::string text;
};

// What check_lesson finds in each.
Result<Checked> check_all(const std::vector<lesson::Lesson>& lessons) {
  const op::Library library = WW_TRY(op_library());
  LiveLine live;
  const Watch watch = shown_live(live);
  rpc::Supervisor worker{rpc::WorkerOptions{}};
  Checked out;
  for (const lesson::Lesson& l : lessons) {
    const auto findings = lesson::check_lesson(
        l, library, worker, watch.stop, [&](const std::string& part) { watch.progress(0, l.name + ": " + part); });
    live.clear();
    for (const lesson::Finding& f : WW_TRY(findings)) {
      out.text +=
          fmt::format("{}{}: {}\n", safe(l.name), f.part.empty() ? "" : ", " + f.part, safe_lines(f.text, "  "));
      out.records.push_back({{"lesson", l.name}, {"part", f.part}, {"problem", f.text}});
    }
  }
  return out;
}

Result<int> check(const Common& common, const LearnArgs& args) {
  const std::vector<lesson::PackedLesson> files = WW_TRY(lesson::read_files(args.files));
  std::vector<lesson::Lesson> all;
  for (const lesson::PackedLesson& l : files) all.push_back(WW_TRY(lesson::read_lesson(l.text, l.name)));
  Checked found = WW_TRY(check_all(all));
  const bool good = found.records.empty();
  if (good)
    found.text = all.size() == 1
                     ? "The lesson can be taught: its tasks can be failed and passed.\n"
                     : fmt::format("The {} lessons can be taught: their tasks can be failed and passed.\n", all.size());
  return print_answer(common,
                      {{{"findings", found.records}}, found.text, good ? Exit::done : Exit::negative, found.records});
}

Result<int> remove(const Common& common, const LearnArgs& args) {
  const Status removed = lesson::remove_imported(args.lesson);
  if (!removed) return failed(common, removed.error());
  return print_answer(common,
                      {{{"lesson", args.lesson}}, "The imported lesson '" + safe(args.lesson) + "' is removed.\n"});
}

Result<int> pack(const Common& common, const LearnArgs& args) {
  const lesson::Package package = WW_TRY(lesson::pack(args.title, args.files));
  WW_TRY(lesson::write_package(args.file, package));
  return print_answer(common,
                      {{{"file", args.file.string()}, {"lessons", package.lessons.size()}},
                       fmt::format("{}: {}\nWhether they can be passed: warpwright-cli learn check LESSON.md \u2026\n",
                                   safe(args.file.string()), plural(package.lessons.size(), "lesson"))});
}

Result<int> import(const Common& common, const LearnArgs& args) {
  const lesson::Package package = WW_TRY(lesson::read_package(args.file));
  const std::vector<std::string> imported = WW_TRY(lesson::import_package(package));
  std::string text = fmt::format("{}: {}\n", safe(package.title.empty() ? "Imported" : package.title),
                                 plural(package.lessons.size(), "lesson"));
  json::Json names = json::Json::array();
  for (const lesson::PackedLesson& l : package.lessons) {
    names.push_back(l.name);
    text += "  warpwright-cli learn show " + safe(l.name) + '\n';
  }
  if (!imported.empty()) text += safe(lesson::replaced_text(imported)) + '\n';
  return print_answer(common, {{{"title", package.title}, {"lessons", names}, {"replaced", imported}}, text});
}

}  // namespace

void add_learn(Commands& commands) {
  const auto args = std::make_shared<LearnArgs>();
  const auto none = Commands::Workspace::none;
  using Run = Result<int> (*)(const Common&, const LearnArgs&);
  CLI::App& learn = commands.add_group("learn", "teaches GPU programming: lessons with tasks that the gate judges");
  const auto add = [&](const char* name, const char* help, Run run) -> CLI::App& {
    return commands.add_to(
        learn, name, help, [args, run](const Common& c) { return run(c, *args); }, none);
  };
  const auto of_lesson = [&](CLI::App& app) {
    app.add_option("LESSON", args->lesson, "its name, as 'learn list' shows it")->required();
  };
  const auto of_task = [&](CLI::App& app) {
    of_lesson(app);
    app.add_option("--task", args->task, "its number in the lesson")->check(CLI::Range(1, 1000));
  };
  CLI::App& listed = add("list", "lists the lessons, and what you have passed", list);
  commands.add_format(listed);
  of_lesson(add("show", "prints a lesson", show));
  CLI::App& drawing = add("picture", "runs a kernel of a lesson to one of its pictures, and draws that step", picture);
  of_lesson(drawing);
  drawing.add_option("--picture", args->picture, "its number in the lesson")->check(CLI::Range(1, 1000));
  add_output(drawing, "--save", args->file, "this step as a moment, FILE.wwmoment, for 'sim moment'");
  CLI::App& answering = add("answer", "answers a question of a lesson", answer);
  of_lesson(answering);
  answering.add_option("CHOICE", args->choice, "the number of your choice")->required();
  answering.add_option("--question", args->question, "its number in the lesson")->check(CLI::Range(1, 1000));
  CLI::App& beginning = add("begin", "writes the starting code of a task", begin);
  of_task(beginning);
  add_output(beginning, "-o,--output", args->file, "the file to write; it must not exist yet")->required();
  CLI::App& judging = add("judge", "judges your kernel: the gate, then the goals of the task", judge);
  of_task(judging);
  judging.add_option("FILE", args->file, "your kernel, FILE.cu")->required();
  CLI::App& hints = add("hint", "prints a hint for a task", hint);
  of_task(hints);
  hints.add_option("--number", args->hint, "the step, from 1")->check(CLI::Range(1, 1000));
  of_task(add("solution", "prints a solution to a task", solution));
  CLI::App& done = add("results", "lists what a student has passed and answered", results);
  done.add_option("FILES", args->files, "students' lessons.json files; default: your own");
  done.add_flag("--judge-again", args->judge_again, "judge the kernels again, in place of trusting the file");
  commands.add_format(done);
  CLI::App& terms = add("glossary", "lists the glossary, or explains a term", glossary);
  terms.add_option("TERM", args->words, "\"bank conflict\"");
  commands.add_format(terms);
  CLI::App& search = add("find", "finds words in the lessons and the glossary", find);
  search.add_option("WORDS", args->words, "all of them, in any order, within one line")->required();
  commands.add_format(search);
  CLI::App& checking = add("check", "tries lessons of your own: each task's code and each picture", check);
  checking.add_option("LESSONS", args->files, "NAME.md (docs/lessons.md)")->required();
  commands.add_format(checking);
  CLI::App& packing = add("pack", "writes lessons of your own as a class package, one file", pack);
  packing.add_option("LESSONS", args->files, "NAME.md (docs/lessons.md)")->required();
  packing.add_option("--title", args->title, "of the class");
  add_output(packing, "-o,--output", args->file, "the package, FILE.json")->required();
  CLI::App& importing = add("import", "adds a class package's lessons to yours", import);
  importing.add_option("FILE", args->file, "the package")->required();
  of_lesson(add("remove", "removes an imported lesson", remove));
}

}  // namespace ww::cli
