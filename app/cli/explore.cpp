// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>
#include "command.h"
#include "console.h"
#include "explore/explain.h"
#include "output.h"
#include "report.h"
#include "subject.h"

namespace ww::cli {
namespace {

CancelSource* interrupted = nullptr;   // what the first interrupt cancels; set before the handler is

extern "C" void on_interrupt(int) {
  static volatile std::sig_atomic_t count = 0;
  count = count + 1;
  if (count > 1) ::_exit(130);
  interrupted->cancel();               // an atomic store
  constexpr char text[] = "\nStopping: what is being judged is ended and stays queued. Once more ends at once.\n";
  (void)!::write(STDERR_FILENO, text, sizeof text - 1);
}

class Watcher {                        // of one run; called by one thread at a time
 public:
  explicit Watcher(int budget) : budget_(budget) {}

  void operator()(const explore::Event& event) {
    std::visit([this](const auto& e) { on(e); }, event);
  }

 private:
  void on(const explore::RunStarted& e) { line(fmt::format("run {}", e.run)); }
  void on(const explore::CandidateProposed&) { ++proposed_; }
  void on(const explore::CandidateProgress& e) {
    live_.show(fmt::format("[{}{}] {} accepted{}, candidate {} {}: {}", judged_, budget_ > 0 ? "/" + std::to_string(budget_) : "", accepted_, best_, e.candidate, e.progress.stage,
                           e.progress.message));
  }
  void on(const explore::CandidateJudged& e) {
    ++judged_;
    if (e.row.state == "accepted") ++accepted_;
    std::string text = fmt::format("{:>5}  {:<9} {:<20} ", e.row.id, e.row.state, e.row.structure.empty() ? "-" : e.row.structure);
    if (e.row.score) {
      text += score_text(*e.row.score) + explore::spread_text(*e.row.score);
      if (e.row.rank == 1) {
        text += ", the best so far";
        best_ = fmt::format(", best {} ({})", score_text(*e.row.score), e.row.structure);
      }
    } else {
      text += e.row.verdict;
    }
    line(text);
  }
  void on(const explore::RanksChanged&) {}
  void on(const explore::RunMessage& e) { line(e.level + ": " + e.text); }
  void on(const explore::RunEnded&) { live_.clear(); }
  void on(const llm::ModelEvent&) {}

  void line(const std::string& text) {
    live_.clear();
    std::string one = safe(text.substr(0, text.find('\n')));
    std::fputs((one + '\n').c_str(), stderr);
  }

  const int budget_;
  int proposed_ = 0, judged_ = 0, accepted_ = 0;
  std::string best_;
  LiveLine live_;
};

int not_understood(const Common& common, const Subject& subject) {
  const op::Understanding& u = *subject.understanding;
  if (common.json) {
    Json j = {{"understood", false}, {"sentence", subject.given}, {"questions", u.questions}, {"nearest", u.nearest}};
    print_json(common, std::move(j));
  } else {
    std::fputs(safe("warpwright-cli: the sentence was not understood, so nothing was explored\n" + unclear_text(u) +
                    "'warpwright-cli spec' shows what is made of each word.\n").c_str(), stderr);
  }
  return Exit::negative;
}

}  // namespace

int explore(const Common& common, const ExploreArgs& args) {
  if (args.subject.empty() == args.resume.empty())
    return failed(common, {Code::invalid_argument, "name what to explore, or --resume a run; not both", {}});
  const Result<op::Library> library = op_library();
  if (!library) return failed(common, library.error());
  std::optional<Subject> subject;
  explore::RunOptions options;
  if (args.resume.empty()) {
    Result<Subject> resolved = resolve_subject(*library, args.subject);
    if (!resolved) return failed(common, resolved.error());
    subject = std::move(*resolved);
    if (!subject->spec) return not_understood(common, *subject);
    Result<op::Binding> binding = binding_of(*subject->spec, args.judging.set);
    if (!binding) return failed(common, binding.error());
    options.spec = subject->text;
    options.binding = std::move(*binding);
    if (subject->understanding) options.sentence = subject->given;
    if (subject->candidate) options.given.push_back(*subject->candidate);
    options.generator = args.generator;
    options.device = args.judging.device;
    options.architecture = architecture_for(args.judging.architecture, args.judging.device);
    options.seeds = args.judging.seeds;
    options.workers = args.workers;
    options.budget = {args.budget, args.minutes};
  }
  Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, args.resume.empty());
  if (!workspace) return failed(common, workspace.error(), Exit::environment);

  CancelSource cancel;
  interrupted = &cancel;
  std::signal(SIGINT, on_interrupt);
  std::int64_t run = 0;
  Watcher watcher(args.budget);
  const explore::EventHandler handler = [&](const explore::Event& e) {
    if (const auto* started = std::get_if<explore::RunStarted>(&e)) run = started->run;
    watcher(e);
  };
  Result<explore::RunEnded> ended = fail(Code::internal, "");
  if (args.resume.empty()) {
    ended = explore::run(**workspace, options, handler, cancel.token());
  } else {
    const Result<std::int64_t> number = run_number(**workspace, args.resume);
    if (!number) return failed(common, number.error());
    std::optional<explore::Budget> budget;
    if (args.budget_given || args.minutes_given) budget = explore::Budget{args.budget, args.minutes};
    ended = explore::resume(**workspace, *number, handler, cancel.token(), budget);
  }
  std::signal(SIGINT, SIG_DFL);
  if (!ended) return failed(common, ended.error(), Exit::environment);

  const Result<std::vector<explore::CandidateRow>> rows = explore::rows_of(**workspace, run);
  if (!rows) return failed(common, rows.error());
  Status reported;
  if (!args.report.empty()) reported = write_report(**workspace, *library, run, args.report);
  if (common.json) {
    const Result<store::RunRecord> record = (*workspace)->run(run);
    if (!record) return failed(common, record.error());
    Json list = Json::array();
    for (const explore::CandidateRow& row : *rows) list.push_back(row_json(row));
    Json j = {{"run", run_json(**workspace, *record)}, {"why", ended->why}, {"structures", ended->structures}, {"candidates", list}};
    if (!args.report.empty()) j["report"] = reported ? Json(args.report.string()) : Json(nullptr);
    print_json(common, std::move(j));
  } else {
    std::string out = rows->empty() ? std::string() : "\n" + ranked_text(*rows);
    out += fmt::format("\nRun {} is {}: {}. {} proposed, {} accepted, of {} structures.\n", run, ended->state, safe(ended->why), ended->proposed, ended->accepted, ended->structures);
    if (ended->state == "cancelled") out += fmt::format("'warpwright-cli explore --resume {}' goes on with it.\n", run);
    if (!args.report.empty() && reported) out += "Report: " + args.report.string() + '\n';
    print_text(out);
  }
  if (!reported) {
    std::fputs(("warpwright-cli: the report was not written: " + safe(reported.error().text()) + '\n').c_str(), stderr);
    return Exit::environment;
  }
  return ended->state == "done" && ended->accepted > 0 ? Exit::done : Exit::negative;
}

}  // namespace ww::cli
