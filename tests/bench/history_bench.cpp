// SPDX-License-Identifier: GPL-3.0-or-later
// What a long history costs: a stored run of many candidates opened by the window's session, and a person's edit (F5)
// judged in a run of 10,000 candidates and in an empty one. Everything is stored through store::Workspace, with
// verdicts of a real judgement. Usage: bench_history [CANDIDATES [FOLDER]].
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include "base/hash.h"
#include "explore/edit.h"
#include "session/models/candidate_model.h"
#include "session/session.h"

using namespace ww;
using namespace ww::widgets;

namespace {

constexpr const char* spec = "op scale(x: f32[N]) -> y: f32[N]\n  default N = 4096\n{\n  y[i] = 2 * x[i]\n}\n";
constexpr int edits = 15, long_run = 10000;

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().text().c_str());
    std::exit(1);
  }
  return std::move(*result);
}
void must(const Status& status) {
  if (!status) must(Result<int>(fail(status.error())));
}

double ms(const QElapsedTimer& timer) { return static_cast<double>(timer.nsecsElapsed()) / 1e6; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string kernel(int block, const std::string& comment) {
  return fmt::format(
      "//@ candidate scale\n//@ launch k grid(ceildiv(N, {})) block({}) args(x, y, N)\n"
      "extern \"C\" __global__ void k(const float* x, float* y, int N) {{\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < N) y[i] = 2.0f * x[i];\n}}  // {}\n",
      block, block, comment);
}

struct Made {
  std::int64_t run = 0;
  std::string first;  // hash
};

Made make_run(store::Workspace& workspace, std::int64_t op, int candidates, const evidence::Verdict& verdict) {
  generator::RunOptions options;
  options.spec = spec;
  options.generator = "manual";
  store::RunRecord record;
  record.op = op;
  record.generator = options.generator;
  record.device = options.device;
  record.architecture = options.architecture;
  record.options = generator::options_to_json(options);
  Made made;
  made.run = must(workspace.add_run(record));
  store::ExchangeRecord exchange;  // of a replay: what belongs to it is not flushed one by one
  exchange.run = made.run;
  exchange.provider = "replay";
  exchange.id = must(workspace.add_exchange(exchange));
  for (int i = 0; i < candidates; ++i) {
    store::CandidateRecord c;
    c.run = made.run;
    c.exchange = exchange.id;
    c.text = kernel(32 * (1 + i % 16), fmt::format("variant {} of run {}", i, made.run));
    c.hash = hash_hex(c.text);
    c.structure = fmt::format("structure {}", i % 12);
    c.title = fmt::format("one thread an element, variant {}", i);
    c.generator = "search";
    if (i > 0) c.parent = made.first;
    const std::int64_t id = must(workspace.add_candidate(c));
    if (i == 0) made.first = c.hash;
    must(workspace.set_verdict(id, verdict, 1000.0 + (i * 7919) % 100000, Provenance::simulated,
                               "simulated issue slots", hash_hex(fmt::format("program {}", i))));
  }
  must(workspace.set_run_state(made.run, store::RunState::done));
  return made;
}

double edit(store::Workspace& workspace, std::int64_t run, const std::string& parent, const std::string& text) {
  generator::Proposal proposal;
  proposal.text = text;
  proposal.parent = parent;
  QElapsedTimer timer;
  timer.start();
  must(explore::check_edit(workspace, run, proposal, [](const explore::Event&) {}));
  return ms(timer);
}

void open_in_session(const std::filesystem::path& folder, std::int64_t run) {
  Session session{Services()};
  CandidateModel model;
  QEventLoop loop;
  QElapsedTimer timer;
  double opened = 0, listed = 0, shown = 0, in_model = 0, annotated = 0;
  QObject::connect(&session, &Session::workspace_opened, [&] { opened = ms(timer); });
  QObject::connect(&session, &Session::runs_listed, [&] {
    if (listed == 0) listed = ms(timer), session.show_run(run);
  });
  QObject::connect(&session, &Session::run_shown, [&](const std::shared_ptr<const RunView>& view) {
    if (!view) return;
    shown = ms(timer);
    model.reset(view->rows);
    in_model = ms(timer);
  });
  QObject::connect(&session, &Session::annotated, [&] {
    annotated = ms(timer);
    loop.quit();
  });
  timer.start();
  session.open_workspace(QString::fromStdString(folder.string()));
  loop.exec();
  std::printf(
      "open: workspace %7.1f ms, runs listed %7.1f, rows read %8.1f, %zu rows in the table's model %8.1f, first "
      "occupancies and times %8.1f\n",
      opened, listed, shown, model.rows().size(), in_model, annotated);
}

}  // namespace

int main(int argc, char** argv) {
  const QCoreApplication app(argc, argv);
  const int candidates = argc > 1 ? std::atoi(argv[1]) : 100000;
  const std::filesystem::path folder =
      argc > 2 ? argv[2] : std::filesystem::temp_directory_path() / "warpwright-history-bench";
  std::filesystem::remove_all(folder);
  QElapsedTimer making;
  making.start();
  std::int64_t big = 0;
  Made long_history, empty, warm;
  {
    const auto workspace = must(store::Workspace::open(folder));
    const std::int64_t op = must(workspace->add_op("scale", spec, ""));
    warm = make_run(*workspace, op, 0, {});
    const explore::EditChecked real = [&] {  // a verdict to store with all of them
      generator::Proposal first;
      first.text = kernel(1024, "the first");
      return must(explore::check_edit(*workspace, warm.run, first, [](const explore::Event&) {}));
    }();
    const evidence::Verdict verdict = *must(workspace->candidate(real.candidate)).verdict;
    empty = make_run(*workspace, op, 0, {});
    long_history = make_run(*workspace, op, long_run, verdict);
    big = make_run(*workspace, op, candidates, verdict).run;
  }
  std::printf("%d candidates in one run, %d in another, stored in %.0f s\n", candidates, long_run, ms(making) / 1000);
  for (int i = 0; i < 5; ++i) open_in_session(folder, big);

  const auto workspace = must(store::Workspace::open(folder));
  std::vector<double> in_empty, in_long, extra;
  for (int i = 0; i < edits; ++i) {
    const std::string text = kernel(64 * (i + 1), "edited by hand");
    edit(*workspace, warm.run, {}, text);  // compiles it: the others find that in the cache
    const double before = edit(*workspace, empty.run, {}, text);
    const double after = edit(*workspace, long_history.run, long_history.first, text);
    in_empty.push_back(before);
    in_long.push_back(after);
    extra.push_back(after - before);
  }
  std::printf(
      "F5: in an empty run %.1f ms, in a run of %d candidates %.1f ms, difference of the pairs %.1f ms (medians of "
      "%d)\n",
      median(in_empty), long_run, median(in_long), median(extra), edits);
  std::filesystem::remove_all(folder);
}
