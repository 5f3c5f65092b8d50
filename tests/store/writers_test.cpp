// SPDX-License-Identifier: Apache-2.0
// A workspace that several programs or threads use at once, and one whose writer is killed.
#include <QtTest>
#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include "store/records.h"

using namespace ww;
using namespace ww::store;
using ww::support::new_run;
using ww::support::opened;
namespace fs = std::filesystem;

namespace {

// In a child process: candidates with verdicts as fast as possible; each id is reported once its verdict is stored.
[[noreturn]] void write_forever(const fs::path& folder, std::int64_t run, int pipe, int first, int count) {
  auto w = Workspace::open(folder);
  if (!w) _exit(3);
  for (int i = first; count < 0 || i < first + count; ++i) {
    const auto id = (*w)->add_candidate(candidate_of(run, "text " + std::to_string(i)));
    if (!id || !(*w)->set_verdict(*id, verdict_of(true, "ptx " + std::to_string(i)), i, Provenance::simulated, "slots"))
      _exit(4);
    if (::write(pipe, &*id, sizeof *id) != sizeof *id) _exit(5);
  }
  _exit(0);
}

std::vector<std::int64_t> read_ids(int pipe) {
  std::vector<std::int64_t> ids;
  std::int64_t id;
  while (::read(pipe, &id, sizeof id) == sizeof id) ids.push_back(id);
  return ids;
}

}  // namespace

class WritersTest : public QObject, support::Folders {
  Q_OBJECT

 private slots:
  void survivesTheDeathOfItsWriter() {
    const fs::path folder = fresh();
    std::int64_t run = 0;
    {
      auto w = opened(folder);
      run = new_run(*w);
    }
    std::size_t reported_in_all = 0;
    for (int round = 0; round < 6; ++round) {
      int ends[2];
      QVERIFY(::pipe(ends) == 0);
      const pid_t child = ::fork();
      if (child == 0) {
        ::close(ends[0]);
        write_forever(folder, run, ends[1], round * 100000, -1);
      }
      ::close(ends[1]);
      std::vector<std::int64_t> reported;
      std::int64_t id = 0;
      // Killed after a different number of reports each time, and a different while after the last.
      for (int i = 0; i < 2 + 3 * round && ::read(ends[0], &id, sizeof id) == sizeof id; ++i) reported.push_back(id);
      for (std::atomic<int> spin = 0; spin < round * 150000; ++spin) {}
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      QVERIFY(WIFSIGNALED(status));
      for (const std::int64_t more : read_ids(ends[0])) reported.push_back(more);
      ::close(ends[0]);
      auto w = opened(folder);
      for (const std::int64_t r : reported) {
        const auto c = w->candidate(r);
        QVERIFY2(c, c ? "" : c.error().text().c_str());
        QVERIFY(c->verdict && c->verdict->accepted);
        QCOMPARE("text " + c->verdict->ptx.substr(4), c->text);
      }
      reported_in_all += reported.size();
      QCOMPARE(w->runs()->size(), std::size_t{1});
    }
    QVERIFY(reported_in_all >= 6 * 2);
  }

  void twoProgramsAtOnce() {
    const fs::path folder = fresh();
    constexpr int each = 25;
    int ends[2][2];
    pid_t children[2];
    std::int64_t run = 0;
    {
      auto w = opened(folder);
      run = new_run(*w);
    }
    for (int p = 0; p < 2; ++p) {
      QVERIFY(::pipe(ends[p]) == 0);
      children[p] = ::fork();
      if (children[p] == 0) write_forever(folder, run, ends[p][1], p * 1000, each);
      ::close(ends[p][1]);
    }
    auto w = opened(folder);  // and a third that reads
    while (w->candidates(run)->size() < 10) {}
    for (int p = 0; p < 2; ++p) {
      QCOMPARE(read_ids(ends[p][0]).size(), std::size_t{each});
      ::close(ends[p][0]);
      int status = -1;
      ::waitpid(children[p], &status, 0);
      QCOMPARE(status, 0);
    }
    QCOMPARE(w->run(run)->accepted, 2 * each);
  }

  void createdByTwoProgramsAtOnce() {
    const fs::path folder = fresh();
    std::vector<pid_t> children;
    for (int p = 0; p < 4; ++p) {
      const pid_t child = ::fork();
      if (child == 0) {
        auto w = Workspace::open(folder);
        if (!w) std::fprintf(stderr, "%s\n", w.error().text().c_str());
        _exit(w && (*w)->add_op("o" + std::to_string(p), "t", "s") ? 0 : 1);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = -1;
      ::waitpid(child, &status, 0);
      QCOMPARE(status, 0);
    }
  }

  void manyThreads() {
    auto w = opened(fresh());
    const std::int64_t run = new_run(*w);
    std::vector<std::thread> threads;
    std::atomic<int> failures{0};
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 6; ++i) {
          const auto id = w->add_candidate(candidate_of(run, std::to_string(t) + "/" + std::to_string(i)));
          if (!id || !w->set_verdict(*id, verdict_of(true, "the same PTX"), 1.0, Provenance::simulated, "slots") ||
              !w->candidate(*id))
            ++failures;
        }
      });
    for (std::thread& t : threads) t.join();
    QCOMPARE(failures.load(), 0);
    QCOMPARE(w->run(run)->accepted, 24);
  }

  // What reads sees one moment and neither waits for what writes nor holds it up, also on the same thread.
  void readingWhileWriting() {
    auto w = opened(fresh());
    const std::int64_t run = new_run(*w);
    for (const char* text : {"a", "b", "c"}) w->add_candidate(candidate_of(run, text)).value();
    int seen = 0;
    QVERIFY(w->each_candidate(run, [&](const CandidateRecord& c) -> Status {
      ++seen;
      WW_TRY(w->add_candidate(candidate_of(run, "more " + std::to_string(seen))));
      WW_TRY(w->set_verdict(c.id, verdict_of(true, "ptx"), 1.0, Provenance::simulated, "slots"));
      return WW_TRY(w->candidate(c.id)).verdict ? Status() : fail(Code::internal, "the verdict was not seen");
    }));
    QCOMPARE(seen, 3);
    QCOMPARE(w->candidates(run)->size(), std::size_t{6});
  }
};

QTEST_GUILESS_MAIN(WritersTest)
#include "writers_test.moc"
