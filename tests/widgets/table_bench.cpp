// SPDX-License-Identifier: GPL-3.0-or-later
// The table of candidates with 100,000 rows (or as many as are named): opening, sorting, filtering, live changes,
// scrolling, memory. Times are of the GUI thread: of the clock, and with WARPWRIGHT_BENCH_CPU set of its processor
// alone, for a machine that others use at the same time.
#include <QApplication>
#include <QFile>
#include <QScrollBar>
#include <QTableView>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <malloc.h>
#include <string>
#include "base/hash.h"
#include "panels/candidates/candidate_panel.h"
#include "parts/theme/theme.h"

using namespace ww;
using namespace ww::widgets;

namespace {

double used_mib() {  // of the heap
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / 1048576;
}
double peak_mib() {  // of the process
  QFile file("/proc/self/status");
  if (!file.open(QIODevice::ReadOnly)) return 0;
  for (const QByteArray& line : file.readAll().split('\n'))
    if (line.startsWith("VmHWM:")) return line.mid(6).trimmed().split(' ').first().toDouble() / 1024;
  return 0;
}

explore::CandidateRow row_of(std::int64_t id, bool measured) {
  explore::CandidateRow r;
  const auto random = static_cast<std::uint64_t>(id) * 6364136223846793005ULL >> 33;
  static const char* kinds[] = {"row-thread", "row-warp", "row-block", "online", "tiled", "tiled-vector"};
  r.id = id;
  r.hash = hash_hex("candidate " + std::to_string(id));
  if (id > 8) r.parent = hash_hex("candidate " + std::to_string(id - 1 - static_cast<std::int64_t>(random % 7)));
  r.structure = kinds[random % 6];
  r.title = std::string(kinds[random % 6]) + ", one warp per row, BLOCK=" + std::to_string(32 << random % 6) +
            " UNROLL=" + std::to_string(random % 9);
  r.generator = random % 3 == 0 ? "model/refine" : "search";
  r.created = "2026-11-20T17:" + std::to_string(10 + id % 50) + ":00.000Z";
  if (random % 10 < 6) {
    r.state = store::CandidateState::accepted;
    const double value = 100 + static_cast<double>(random % 1000000) / 10;
    r.score = appraisal::Score{value, measured ? Provenance::measured : Provenance::simulated,
                               measured ? "\u00b5s" : "simulated issue slots"};
    if (measured) r.score->q1 = value * 0.996, r.score->q3 = value * (1.002 + static_cast<double>(random % 7) / 1000);
    r.verdict = "accepted: 6 cases x 5 seeds";
  } else {
    r.state = random % 10 < 9 ? store::CandidateState::rejected : store::CandidateState::queued;
    if (r.state == store::CandidateState::rejected)
      r.verdict = "rejected at smoke: the output y is wrong at [3, 17], expected 0.5 and found 0.03125";
  }
  if (r.state != store::CandidateState::queued)
    r.resources = {{"softmax_rows", static_cast<int>(16 + random % 200), 1024, 0, 0, 0, 0, 1}};
  return r;
}

double now_ms() {
  static const bool cpu = qEnvironmentVariableIsSet("WARPWRIGHT_BENCH_CPU");
  timespec t{};
  clock_gettime(cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

double best_of(int times, const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    const double begin = now_ms();
    work();
    best = std::min(best, now_ms() - begin);
  }
  return best;
}
double once(const std::function<void()>& work) { return best_of(1, work); }
void settle() {
  for (int i = 0; i < 20; ++i) QCoreApplication::processEvents();
}

std::vector<explore::CandidateRow> ranked_rows(int count) {
  std::vector<explore::CandidateRow> rows;
  rows.reserve(static_cast<std::size_t>(count));
  for (int i = 1; i <= count; ++i) rows.push_back(row_of(i, true));
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].score) ranked.emplace_back(rows[i].score->value, i);
  std::sort(ranked.begin(), ranked.end());
  for (std::size_t i = 0; i < ranked.size(); ++i) rows[ranked[i].second].rank = static_cast<int>(i) + 1;
  return rows;
}

// A judged candidate whose rank is in the middle: the ranks of all behind it move, too.
void apply_one(CandidatePanel& panel, const std::vector<explore::CandidateRow>& rows) {
  std::vector<explore::Event> batch;
  explore::CandidateRow fresh = row_of(static_cast<std::int64_t>(rows.size()) + 1, true);
  fresh.state = store::CandidateState::accepted;
  fresh.score = appraisal::Score{5000.05, Provenance::measured, "\u00b5s"};
  explore::CandidateRow queued = fresh;
  queued.state = store::CandidateState::queued;
  queued.score = {};
  batch.push_back(explore::CandidateProposed{queued});
  const double proposed = once([&] { panel.model()->apply(batch); });
  explore::RanksChanged ranks;
  std::vector<std::pair<double, std::int64_t>> scores{{5000.05, fresh.id}};
  for (const auto& r : rows)
    if (r.score) scores.emplace_back(r.score->value, r.id);
  std::sort(scores.begin(), scores.end());
  for (std::size_t i = 0; i < scores.size(); ++i) ranks.ranks.emplace_back(scores[i].second, static_cast<int>(i) + 1);
  batch = {explore::CandidateJudged{fresh}, ranks};
  const double judged = once([&] { panel.model()->apply(batch); });
  const double painted = once(settle);
  std::printf("live: one proposed %.1f ms, one judged with %zu new ranks %.1f ms, its painting %.1f ms\n", proposed,
              ranks.ranks.size(), judged, painted);
}

// Scrolling: by a row, by a page, by jumps; each frame is laid out and painted whole.
void scroll(CandidatePanel& panel) {
  QScrollBar* bar = panel.table()->verticalScrollBar();
  const auto frames = [&](const char* what, int step, int many) {
    std::vector<double> ms;
    for (int i = 0; i < many; ++i) {
      ms.push_back(once([&] {
        bar->setValue((bar->value() + step) % std::max(1, bar->maximum()));
        panel.table()->viewport()->repaint();
        QCoreApplication::processEvents();
      }));
    }
    std::sort(ms.begin(), ms.end());
    std::printf(
        "scroll by %-6s %5d frames: median %5.2f ms, 99th %5.2f ms, longest %5.2f ms = at least %.0f frames a second\n",
        what, many, ms[ms.size() / 2], ms[ms.size() * 99 / 100], ms.back(), 1000 / ms.back());
  };
  frames("row", panel.table()->rowHeight(0), 600);
  frames("page", bar->pageStep(), 600);
  frames("jump", bar->maximum() / 7, 200);
}

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  const int count = argc > 1 ? std::atoi(argv[1]) : 100000;
  Theme::instance().apply("light");
  const std::vector<explore::CandidateRow> rows = ranked_rows(count);
  CandidatePanel panel;
  panel.resize(1280, 800);
  panel.show();
  settle();
  const double before = used_mib();
  const double reset = once([&] { panel.model()->reset(rows); });
  const double shown = once([&] {
    settle();
    panel.grab();
  });
  std::printf(
      "%d candidates\nopen: model and order %7.1f ms, until painted %7.1f ms; memory %.1f MiB (%.0f bytes a "
      "candidate)\n",
      count, reset, reset + shown, used_mib() - before, (used_mib() - before) * 1048576 / count);
  for (const int column :
       {CandidateModel::Score, CandidateModel::Name, CandidateModel::Verdict, CandidateModel::Registers,
        CandidateModel::Parent, CandidateModel::Proposed, CandidateModel::Rank})
    std::printf("sort by %-12s %7.1f ms, the other way %7.1f ms\n",
                qPrintable(panel.model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()),
                once([&] { panel.table()->sortByColumn(column, Qt::AscendingOrder); }),
                once([&] { panel.table()->sortByColumn(column, Qt::DescendingOrder); }));
  panel.table()->sortByColumn(CandidateModel::Rank, Qt::AscendingOrder);
  for (const char* query :
       {"state:accepted regs<64", "tiled", "no such word anywhere", "name:tiled cost<1.2e4 OR verdict:\"output y\"",
        "parent:12", "-tiled regs:32..64 time<5ms", ""}) {
    const double ms = best_of(3, [&] { panel.filter()->set_words(query); });
    std::printf("filter %-45s %7.1f ms, %6d rows\n", query, ms, panel.filter()->rowCount());
  }
  settle();
  apply_one(panel, rows);
  scroll(panel);
  std::printf("the process at its peak, with the rows that the engine delivered: %.0f MiB\n", peak_mib());
  return 0;
}
