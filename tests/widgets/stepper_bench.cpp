// SPDX-License-Identifier: GPL-3.0-or-later
// Prints how long a step, a step back and a jump take in the window until they are shown, in a launch of many steps,
// and the longest time that one event held the window's thread meanwhile.
#include <QElapsedTimer>
#include <QToolButton>
#include <algorithm>
#include <cstdio>
#include <random>
#include "base/files.h"
#include "op/sentence/phrasebook.h"
#include "panels/stepper/stepper_panel.h"
#include "parts/theme/theme.h"
#include "session/event_watchdog.h"
#include "stepping/stepped_kernels.h"
#include "widgets/bench_tools.h"
#include "widgets/panel_fixture.h"

using namespace ww;
using namespace ww::widgets;

namespace {

bool settled(StepperPanel* panel) {
  return test::wait_until([&] { return !panel->session()->busy() && panel->session()->at(); }, 600000);
}

void print(const char* what, std::vector<double> times) {
  std::ranges::sort(times);
  std::printf("%-12s %8.1f ms median, %8.1f ms longest of %zu\n", what, times[times.size() / 2], times.back(),
              times.size());
}

}  // namespace

int main(int argc, char** argv) {
  WatchdogApplication app(argc, argv);
  Theme::instance().apply("light");
  const Result<op::Library> library = op::Library::load(resources_dir() / "ops");
  if (!library) return 1;
  test::PanelFixture f;
  f.window.resize(1280, 800);
  auto* panel = f.show(new StepperPanel(f.context));
  const test::SteppedKernel& kernel = test::stepped_kernels()[1];  // the tiled product
  stepping::SteppedLaunch subject;
  subject.candidate = kernel.text;
  const op::LibraryOp* const op = library->find(candidate::named_op(kernel.text));
  subject.spec = read_file(op->file).value();
  subject.binding = stepping::sizes_of(kernel.large, op->spec).value();
  StepStart start;
  start.block.clear();
  QElapsedTimer clock;
  clock.start();
  app.reset_watch();
  panel->step_through(subject, start, "Tiled product");
  if (!settled(panel)) return 1;
  const std::int64_t recorded = panel->session()->at()->recorded;
  std::printf("opened       %8.0f ms, %lld steps recorded\n", clock.nsecsElapsed() / 1e6,
              static_cast<long long>(recorded));
  std::mt19937_64 random(7);
  std::vector<double> jumps, forwards, back;
  const auto timed = [&](std::vector<double>& to, auto&& act) {
    clock.restart();
    act();
    if (!settled(panel)) std::exit(1);
    to.push_back(clock.nsecsElapsed() / 1e6);
  };
  for (int i = 0; i < 100; ++i) {
    timed(jumps,
          [&] { panel->session()->go(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(recorded))); });
    timed(forwards, [&] { f.child<QToolButton>("step_forward")->click(); });
    timed(back, [&] { f.child<QToolButton>("step_back")->click(); });
  }
  print("jump", jumps);
  print("step", forwards);
  print("step back", back);
  std::printf("longest event on the GUI thread  %8.1f ms (%s), %d events over 50 ms\n", app.longest_ms(),
              qPrintable(app.longest_event()), app.over_50_ms());
  std::printf("most work in one event           %8.1f ms (%s)\n", app.most_work_ms(), qPrintable(app.hardest_event()));
  return 0;
}
