// SPDX-License-Identifier: Apache-2.0
// Stepping: the same state at the same position, however it is reached; what is seen there; what stops it.
#include <map>
#include "simt/elements.h"
#include "simt/journal.h"
#include "simt/module.h"
#include "simt/ptx.h"
#include "simt/race_shadow.h"
#include "simt/stepping.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

// One launch that is stepped through, with the memory of its own bed.
struct Case {
  explicit Case(const std::string& ptx) : bed(ptx) {}
  template <class... A>
  void with(const char* name, Dim3 grid, Dim3 block, const A&... args) {
    kernel = name;
    const KernelInfo* k = bed.program ? bed.program->kernel(name) : nullptr;
    if (k == nullptr) return;
    Arguments list(*k);
    (add(list, args), ...);
    config = {grid, block, bed.dynamic_shared, *list.bytes()};
  }
  std::unique_ptr<Stepping> step(const SteppingOptions& options = {}) {
    auto s = Stepping::begin(bed.program, kernel, config, bed.memory, options);
    if (!s) qWarning("%s", s.error().text().c_str());
    return s ? std::move(*s) : nullptr;
  }
  Bed bed;
  std::string kernel;
  LaunchConfig config;

 private:
  static void add(Arguments& list, std::uint64_t p) { list.add_pointer(p); }
  static void add(Arguments& list, int v) { list.add_i64(v); }
  static void add(Arguments& list, double v) { list.add_f64(v); }
};

std::unique_ptr<Case> named_case(const std::string& name) {
  Numbers random(7);
  if (name == "naive" || name == "tiled") {
    auto c = std::make_unique<Case>(fixture_of("00_bench4"));
    const int n = 16;
    const auto a = c->bed.put(random.reals(n * n, -1, 1)), b = c->bed.put(random.reals(n * n, -1, 1)),
               o = c->bed.room<float>(n * n);
    c->with(name == "naive" ? "mm_naive" : "mm_tiled", {1, 1}, {16, 16}, a, b, o, n);
    return c;
  }
  if (name == "shuffles") {
    auto c = std::make_unique<Case>(fixture_of("03_reduce_shfl"));
    const auto a = c->bed.put(random.reals(300, -1, 1)), o = c->bed.put(std::vector<float>{0});
    c->with("reduce", {2}, {128}, a, o, 300);
    return c;
  }
  if (name == "mma") {
    auto c = std::make_unique<Case>(fixture_of("08_wmma"));
    const auto a = c->bed.put(random.ints(256, 0x3c00, 0x3c80)), b = c->bed.put(random.ints(128, 0x3c00, 0x3c80)),
               o = c->bed.room<float>(128);
    c->with("mma16816", {1}, {32}, a, b, o);
    return c;
  }
  if (name == "calls") {  // divergent, recursive, with loops of different lengths
    auto c = std::make_unique<Case>(fixture_of("12_control"));
    const auto a = c->bed.put(random.ints(64, 0, 8)), o = c->bed.room<float>(64);
    c->with("sw", {2}, {32}, a, o, 6);
    return c;
  }
  if (name == "local") {
    auto c = std::make_unique<Case>(fixture_of("12_control"));
    const auto a = c->bed.put(random.ints(32 * 40 + 64, 0, 31)), o = c->bed.room<int>(64);
    c->with("loc", {1}, {40}, a, o, 40);
    return c;
  }
  if (name == "race") {
    auto c = std::make_unique<Case>(module_text(
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<4>;\n.shared .align 4 .b8 s[256];\n"
        "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d1, %d1, %d2;\n"
        "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r4, %r2, %r3;\nst.shared.u32 [%r4], %r1;\n"
        "xor.b32 %r5, %r3, 252;\nadd.u32 %r5, %r5, %r2;\nld.shared.u32 %r6, [%r5];\nst.global.u32 [%d1], %r6;\n"
        "ret;\n}\n"));
    c->with("k", {1}, {64}, c->bed.room<int>(64));
    return c;
  }
  return nullptr;
}

// By name; -1: the function has none.
int register_index(const Function& f, std::string_view name) {
  for (std::size_t i = 0; i < f.registers.size(); ++i)
    if (f.registers[i].name == name) return static_cast<int>(i);
  return -1;
}

// A loop that runs once for lane 0, twice for lane 1 and so on.
std::string loops() {
  return module_text(
      ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %d<4>;\n"
      "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d1, %d1, %d2;\n"
      "mov.u32 %r2, 0;\nLOOP:\nadd.u32 %r2, %r2, 3;\nsetp.gt.u32 %p1, %r1, 0;\nsub.u32 %r1, %r1, 1;\n"
      "@%p1 bra LOOP;\nst.global.u32 [%d1], %r2;\nret;\n}\n");
}

}  // namespace

class SteppingTest : public QObject {
  Q_OBJECT
 private slots:
  void everyPositionIsReachedAgain_data() {
    QTest::addColumn<int>("jumps");
    for (const auto& [name, jumps] : {std::pair{"naive", 2000},
                                      {"tiled", 2000},
                                      {"shuffles", 2000},
                                      {"mma", 1000},
                                      {"calls", 2000},
                                      {"local", 500},
                                      {"race", 500}})
      QTest::newRow(name) << jumps;
  }
  void everyPositionIsReachedAgain() {
    QFETCH(int, jumps);
    const std::string name = QTest::currentDataTag();
    const auto fresh = named_case(name);
    auto once = fresh->step();
    QVERIFY(once);
    std::vector<std::uint64_t> prints{once->fingerprint()};
    while (once->forward()) prints.push_back(once->fingerprint());
    QVERIFY(prints.size() > 16);
    QCOMPARE(once->recorded(), prints.size() - 1);

    const auto c = named_case(name);
    SteppingOptions options;
    options.snapshot_steps = 37;
    auto s = c->step(options);
    Numbers random(11);
    const int last = static_cast<int>(prints.size()) - 1;
    for (int i = 0; i < jumps; ++i) {
      const auto to = static_cast<std::uint64_t>(random.between(0, i < 20 ? last * (i + 1) / 20 : last));
      s->jump(to);
      QCOMPARE(s->position(), to);
      QVERIFY2(s->fingerprint() == prints[to], ("position " + std::to_string(to)).c_str());
    }
    s->jump(static_cast<std::uint64_t>(last));
    QVERIFY(s->ended());
    QCOMPARE(s->hazards().size(), once->hazards().size());
    // One by one, to the beginning.
    for (int p = last; p-- > std::max(0, last - 300);) {
      s->jump(static_cast<std::uint64_t>(p));
      QCOMPARE(s->fingerprint(), prints[static_cast<std::size_t>(p)]);
    }
  }

  void fewSnapshotsAreEnough() {
    const auto c = named_case("tiled");
    SteppingOptions options;
    options.snapshot_steps = 8;
    options.snapshot_bytes = 400 << 10;
    auto s = c->step(options);
    std::vector<std::uint64_t> prints{s->fingerprint()};
    while (s->forward()) prints.push_back(s->fingerprint());
    QVERIFY(s->bytes() < (2 << 20));
    for (std::size_t p = 0; p < prints.size(); p += 97) {
      s->jump(p);
      QCOMPARE(s->fingerprint(), prints[p]);
    }
  }

  // Writes of any length at any place, some of them repeated after going back.
  void theJournalGoesWhereverItWas() {
    constexpr std::size_t size = 300;
    std::vector<std::byte> data(size);
    std::vector<std::uint8_t> init(size);
    BufferView view;
    view.size = size;
    view.data = data.data();
    view.init = init.data();
    WriteJournal journal;
    struct State {
      WriteJournal::Cursor cursor;
      std::vector<std::byte> data;
      std::vector<std::uint8_t> init;
    };
    struct Write {
      std::uint64_t at;
      std::size_t bytes;
      std::byte value;
    };
    std::vector<State> states{{journal.seal(), data, init}};
    std::vector<Write> writes;
    Numbers random(5);
    const auto run = [&](const Write& w) {
      journal.keep(view, w.at, w.bytes);
      std::fill_n(data.begin() + static_cast<std::ptrdiff_t>(w.at), w.bytes, w.value);
      std::fill_n(init.begin() + static_cast<std::ptrdiff_t>(w.at), w.bytes, std::uint8_t{1});
    };
    for (int i = 0; i < 400; ++i) {
      const int bytes = random.between(1, 33);
      writes.push_back({static_cast<std::uint64_t>(random.between(0, static_cast<int>(size) - bytes)),
                        static_cast<std::size_t>(bytes), static_cast<std::byte>(random.between(0, 255))});
      run(writes.back());
      states.push_back({journal.seal(), data, init});
    }
    for (int i = 0; i < 2000; ++i) {
      const auto to = static_cast<std::size_t>(random.between(0, 400));
      journal.move_to(states[to].cursor);
      QVERIFY(data == states[to].data && init == states[to].init);
      for (std::size_t w = to; w < std::min<std::size_t>(400, to + static_cast<std::size_t>(i % 4)); ++w) {
        run(writes[w]);
        QVERIFY(data == states[w + 1].data && init == states[w + 1].init);
      }
    }
  }

  // A word that is hit by very many instructions keeps what it must of them, and the rest is forgotten.
  void whatNoWordSawIsForgotten() {
    races::Shadow shadow;
    races::Seen first;
    races::Instant now;
    now.pc = 7;
    first.instant = shadow.number_of(now) & 0x7ffffff;
    first.bytes = 15;
    first.lanes = 1;
    shadow.at(1000).push_back(first);
    races::Shadow::Number most = 0;
    for (std::uint32_t clock = 1; clock < 1'000'000; ++clock) {
      now.clock = clock;
      races::Seen seen;
      seen.instant = shadow.number_of(now) & 0x7ffffff;
      most = std::max<races::Shadow::Number>(most, seen.instant);
      seen.bytes = 15;
      seen.lanes = 2;
      races::Shadow::Records records = shadow.at(2000 + clock % 100);
      if (records.size() == 3) records.erase(0);
      records.push_back(seen);
    }
    QVERIFY2(most < 200'000, std::to_string(most).c_str());
    QCOMPARE(shadow.at(1000).size(), std::size_t{1});
    QCOMPARE(shadow.instant(shadow.at(1000)[0]).clock, 0u);
    QCOMPARE(shadow.instant(shadow.at(1000)[0]).pc, 7u);
    for (std::uint32_t k = 0; k < 100; ++k) {
      races::Shadow::Records records = shadow.at(2000 + k);
      QCOMPARE(records.size(), std::size_t{3});
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t clock = shadow.instant(records[i]).clock;
        QVERIFY(clock % 100 == k && clock >= 999'600);
      }
      records.replace_by_last(0);
      QVERIFY(records.size() == 2 && shadow.instant(records[0]).clock > shadow.instant(records[1]).clock);
      records.replace_by_last(0);
      records.replace_by_last(0);
      QCOMPARE(records.size(), std::size_t{0});
    }
  }

  void memoryEndsAsAfterAnOrdinaryLaunch() {
    for (const char* name : {"naive", "tiled", "shuffles", "mma", "calls", "local"}) {
      const auto a = named_case(name), b = named_case(name);
      auto s = a->step();
      while (s->forward()) {}
      s->jump(s->recorded() / 3);
      s->jump(s->recorded());
      s.reset();
      LaunchOptions options;
      options.checks = Checks::bounds;
      options.threads = 1;
      const auto r = simt::launch(*b->bed.program, b->kernel, b->config, b->bed.memory, options);
      QVERIFY(r);
      QVERIFY2(!r->fault, r->fault ? r->fault->message.c_str() : "");
      for (const BufferInfo& i : b->bed.memory.buffers())
        QVERIFY2(a->bed.get<std::byte>(i.address, i.size) == b->bed.get<std::byte>(i.address, i.size), name);
    }
  }

  void costsAreThoseOfTheCounters() {
    for (const char* name : {"naive", "tiled", "shuffles"}) {
      const auto c = named_case(name), d = named_case(name);
      auto s = c->step();
      std::uint64_t sectors = 0, wavefronts = 0, conflicts = 0;
      while (s->forward()) {
        const bool atomic =
            std::ranges::any_of(s->accesses(), [](const auto& a) { return a.kind == AccessKind::atomic; });
        if (atomic) continue;  // the counters have no sectors of these
        sectors += cost_of(s->accesses(), Space::global).sectors;
        const AccessCost shared = cost_of(s->accesses(), Space::shared);
        wavefronts += shared.wavefronts;
        conflicts += shared.conflicts;
      }
      LaunchOptions options;
      options.threads = 1;
      const auto r = simt::launch(*d->bed.program, d->kernel, d->config, d->bed.memory, options);
      QVERIFY(r);
      const Tally& t = r->counters.total;
      QCOMPARE(sectors, t.global_load_sectors + t.global_store_sectors);
      QCOMPARE(wavefronts, t.shared_load_wavefronts + t.shared_store_wavefronts);
      QCOMPARE(conflicts, t.shared_load_conflicts + t.shared_store_conflicts);
      QVERIFY(s->recorded() >= t.warp_instructions);
    }
  }

  void aDivergentLoopIsSeen() {
    Case c(loops());
    const auto out = c.bed.room<int>(32);
    c.with("k", {1}, {32}, out);
    auto s = c.step();
    std::uint64_t widest = 0;
    while (s->forward()) {
      if (s->ended()) break;
      const StepWarp w = s->warp(0);
      QCOMPARE(w.frames.size(), std::size_t{1});
      std::uint32_t all = 0;
      for (const LaneGroup& g : w.frames[0].groups) {
        QCOMPARE(all & g.mask, 0u);  // a lane is in one group
        all |= g.mask;
      }
      QCOMPARE(all, w.live);
      widest = std::max<std::uint64_t>(widest, w.frames[0].groups.size());
    }
    QCOMPARE(widest, std::uint64_t{2});  // those in the loop, and those that have left it
    const auto at_end = c.bed.get<int>(out, 32);
    for (int i = 0; i < 32; ++i) QCOMPARE(at_end[static_cast<std::size_t>(i)], 3 * (i + 1));
    // The loop's counter by name: lane 5 has come round as often as the others, or as often as it may.
    s->jump(0);
    const Function* const f = s->warp(0).frames[0].function;
    const int r2 = register_index(*f, "%r2"), p1 = register_index(*f, "%p1");
    QVERIFY(r2 >= 0 && p1 >= 0);
    std::uint64_t adds = 0;
    while (s->forward()) {
      const StepPlace at = s->place(s->record(s->position() - 1).pc);
      if (!at.instruction || at.instruction->opcode() != "add.u32") continue;
      ++adds;
      QCOMPARE(s->lane_value(0, 0, static_cast<std::size_t>(r2), 5), std::min<std::uint64_t>(adds, 6) * 3);
    }
    QCOMPARE(adds, std::uint64_t{32});
  }

  void accessesAreOfTheLastStep() {
    const auto c = named_case("race");
    auto s = c->step();
    while (s->forward()) {}
    for (std::uint64_t p = 1; p <= s->recorded(); ++p) {
      s->jump(p);
      const StepPlace at = s->place(s->record(p - 1).pc);
      QVERIFY(at.instruction != nullptr);
      const std::string& op = at.instruction->opcode();
      const bool moves = op == "st.shared.u32" || op == "ld.shared.u32" || op == "st.global.u32";
      QCOMPARE(s->accesses().size(), moves ? std::size_t{32} : std::size_t{0});
      if (!moves) continue;
      const StepAccess& a = s->accesses()[3];
      QCOMPARE(a.kind, op[0] == 's' ? AccessKind::write : AccessKind::read);
      QCOMPARE(a.bytes, 4u);
      QCOMPARE(static_cast<unsigned>(a.lane), 3u);
      const std::uint32_t thread = 3u + 32u * s->record(p - 1).warp;
      if (op == "st.shared.u32") QCOMPARE(std::uint32_t(a.value[0]), thread);
      if (op == "st.shared.u32") QCOMPARE(a.address, std::uint64_t{4} * thread);
    }
  }

  void aRaceIsFoundAtItsStep() {
    const auto c = named_case("race");
    auto s = c->step();
    while (s->forward()) {}
    const auto race =
        std::ranges::find_if(s->hazards(), [](const StepHazard& h) { return h.fault.kind == FaultKind::race; });
    QVERIFY(race != s->hazards().end());
    const StepHazard first = *race;
    QVERIFY(!first.ended);
    QVERIFY(first.fault.other.has_value());
    const StepPlace at = s->place(s->record(first.position - 1).pc);
    QCOMPARE(at.ptx_line, first.fault.ptx_line);
    const std::size_t count = s->hazards().size();
    s->jump(0);  // to run a step again finds nothing new
    s->jump(s->recorded());
    QCOMPARE(s->hazards().size(), count);
  }

  void faultsEndIt_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("ends");
    QTest::newRow("out of bounds") << "add.s64 %d1, %d1, 128;\nst.global.u32 [%d1], %r1;"
                                   << static_cast<int>(FaultKind::out_of_bounds) << true;
    QTest::newRow("uninitialised") << "ld.global.u32 %r2, [%d1];" << static_cast<int>(FaultKind::uninitialised_read)
                                   << false;
    QTest::newRow("stuck") << "setp.eq.u32 %p1, %r1, 3;\n@%p1 bar.sync 1, 64;" << static_cast<int>(FaultKind::deadlock)
                           << true;
    QTest::newRow("trap") << "setp.eq.u32 %p1, %r1, 3;\n@%p1 trap;" << static_cast<int>(FaultKind::trap) << true;
  }
  void faultsEndIt() {
    QFETCH(QString, body);
    QFETCH(int, kind);
    QFETCH(bool, ends);
    Case c(module_text(
        ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %d<4>;\n"
        "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d1, %d1, %d2;\n" +
        body.toStdString() + "\nret;\n}\n"));
    c.with("k", {1}, {32}, c.bed.room<int>(32));
    auto s = c.step();
    QVERIFY(s);
    while (s->forward()) {}
    const auto found =
        std::ranges::find_if(s->hazards(), [&](const StepHazard& h) { return static_cast<int>(h.fault.kind) == kind; });
    QVERIFY(found != s->hazards().end());
    QCOMPARE(found->ended, ends);
    QVERIFY(found->position <= s->recorded());
    const std::uint64_t end = s->recorded(), print = s->fingerprint();
    const std::size_t count = s->hazards().size();
    for (const std::uint64_t p : {std::uint64_t{0}, end - 1, end}) s->jump(p);
    QVERIFY(s->ended());
    QCOMPARE(s->fingerprint(), print);
    QCOMPARE(s->hazards().size(), count);
  }

  void oneBlockOfMany() {
    const auto c = named_case("shuffles");
    auto all = c->step();
    while (all->forward()) {}
    std::uint64_t begins = 0;
    while (all->block_at(begins) == Dim3{0, 0, 0}) ++begins;
    all->jump(all->recorded());
    const std::uint64_t steps = all->recorded() - begins;
    all.reset();
    const auto d = named_case("shuffles");
    SteppingOptions options;
    options.block = Dim3{1, 0, 0};
    auto one = d->step(options);
    QVERIFY(one);
    QCOMPARE(one->block(), (Dim3{1, 0, 0}));
    while (one->forward()) {}
    QCOMPARE(one->recorded(), steps);
    one.reset();
    for (const BufferInfo& i : d->bed.memory.buffers())  // the block before it has added its part
      QVERIFY(c->bed.get<std::byte>(i.address, i.size) == d->bed.get<std::byte>(i.address, i.size));
    options.block = Dim3{2, 0, 0};
    QVERIFY(!Stepping::begin(d->bed.program, d->kernel, d->config, d->bed.memory, options));
  }
};

QTEST_GUILESS_MAIN(SteppingTest)
#include "stepping_test.moc"
