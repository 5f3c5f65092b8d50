// SPDX-License-Identifier: Apache-2.0
// Stepping through jobs: where runs stop, forwards and back, and what a trace tells.
#include <QtTest>
#include <numeric>
#include <set>
#include "sim/stepper.h"
#include "sim/trace.h"

using namespace ww;
using namespace ww::sim;

namespace {

// Threads of two warps reverse 64 words in shared memory, with a barrier between, and loop as often as their index in
// the warp says. Lines of the source are given: 1 load, 2 store to shared, 3 barrier, 4 read and store, 5 the loop.
std::string reversing(bool barrier) {
  return std::string(".version 8.0\n.target sm_80\n.address_size 64\n") +
         ".visible .entry k(.param .u64 pin, .param .u64 pout)\n{\n"
         ".reg .pred %p<4>;\n.reg .b32 %r<12>;\n.reg .b64 %i, %o, %t;\n.shared .align 4 .b8 s[256];\n"
         ".loc 1 1 1\n"
         "ld.param.u64 %i, [pin];\nld.param.u64 %o, [pout];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %t, %r0, 4;\n"
         "add.s64 %i, %i, %t;\nadd.s64 %o, %o, %t;\nld.global.u32 %r1, [%i];\n"
         ".loc 1 2 1\nmov.u32 %r2, s;\nshl.b32 %r3, %r0, 2;\nadd.u32 %r4, %r2, %r3;\nst.shared.u32 [%r4], %r1;\n"
         ".loc 1 3 1\n" +
         (barrier ? "bar.sync 0;\n" : "") +
         ".loc 1 4 1\nxor.b32 %r5, %r3, 252;\nadd.u32 %r5, %r5, %r2;\nld.shared.u32 %r6, [%r5];\n"
         "st.global.u32 [%o], %r6;\n"
         ".loc 1 5 1\nand.b32 %r7, %r0, 31;\nLOOP:\nsetp.eq.u32 %p1, %r7, 0;\nsub.u32 %r7, %r7, 1;\n@!%p1 bra LOOP;\n"
         "ret;\n}\n.file 1 \"k.cu\"\n";
}

Job job_of(bool barrier = true) {
  Job job;
  job.code = reversing(barrier);
  job.block = {64, 1, 1};
  std::vector<Number> numbers;
  for (std::int64_t i = 0; i < 64; ++i) numbers.emplace_back(100 + i);
  JobBuffer in, out;
  in.name = "in";
  in.bytes = out.bytes = 256;
  in.content = to_hex(*bytes_of_numbers(numbers, DType::i32));
  in.type = out.type = "i32";
  out.name = "out";
  out.is_output = true;
  job.args.resize(2);
  job.args[0].buffer = in;
  job.args[1].buffer = out;
  return job;
}

std::unique_ptr<Stepper> stepper(bool barrier = true) {
  const Job job = job_of(barrier);
  auto s = Stepper::begin(job, job.code);
  if (!s) qWarning("%s", s.error().text().c_str());
  return s ? std::move(*s) : nullptr;
}

StopAt stop(StopKind kind) {
  StopAt at;
  at.kind = kind;
  return at;
}
StopAt line(int number) {
  StopAt at = stop(StopKind::line);
  at.line = number;
  return at;
}
StopAt element(StopKind kind, const std::string& buffer, std::int64_t index, int thread = -1) {
  StopAt at = stop(kind);
  at.buffer = buffer;
  at.index = index;
  at.thread = thread;
  return at;
}

}  // namespace

class StepperTest : public QObject {
  Q_OBJECT
 private slots:
  void cooperativeGridsAreRefused() {
    Job job = job_of();
    job.cooperative = true;
    const auto refused = Stepper::begin(job, job.code);
    QVERIFY(!refused && refused.error().code == Code::unsupported);
  }

  void breakpointsForwardsAndBack() {
    auto s = stepper();
    QVERIFY(s);
    QVERIFY(s->check(line(4)));
    QCOMPARE(s->run(line(2)), Arrival::there);  // warp 0 comes to it first
    const auto& m = s->machine();
    const std::uint64_t first = m.position(), print = m.fingerprint();
    QCOMPARE(m.place(m.next(first)->pc).line, 2);
    QCOMPARE(s->run(line(2)), Arrival::there);  // then warp 1
    QCOMPARE(m.next(m.position())->warp, std::uint16_t{1});
    QCOMPARE(s->back(line(2)), Arrival::there);
    QCOMPARE(m.position(), first);
    QCOMPARE(m.fingerprint(), print);
    QCOMPARE(s->back(line(2)), Arrival::ended);
    QCOMPARE(m.position(), std::uint64_t{0});
    StopAt other = line(2);
    other.warp = 1;
    QCOMPARE(s->run(other), Arrival::there);
    QVERIFY(m.position() > first);
  }

  void sourceLinesAndBarriers() {
    auto s = stepper();
    const auto& m = s->machine();
    StopAt next = stop(StopKind::source_line);
    next.warp = 0;
    std::vector<int> lines{m.place(m.next(0)->pc).line};
    while (lines.size() < 5 && s->run(next) == Arrival::there) lines.push_back(m.place(m.next(m.position())->pc).line);
    QCOMPARE(lines, (std::vector<int>{1, 2, 3, 4, 5}));
    for (int i = 3; i >= 0; --i) {
      QCOMPARE(s->back(next), Arrival::there);
      QCOMPARE(m.place(m.next(m.position())->pc).line, lines[static_cast<std::size_t>(i)]);
    }
    s->machine().jump(0);
    QCOMPARE(s->run(stop(StopKind::barrier)), Arrival::there);
    for (std::size_t w = 0; w < 2; ++w) {  // both have stored, and none has read
      const WarpFacts f = s->warp(w);
      QCOMPARE(f.groups.size(), std::size_t{1});
      QCOMPARE(f.groups[0].line, 4);
    }
    QCOMPARE(s->run(stop(StopKind::barrier)), Arrival::ended);
    QCOMPARE(s->back(stop(StopKind::barrier)), Arrival::there);
  }

  void watchpoints() {
    auto s = stepper();
    const auto& m = s->machine();
    QCOMPARE(s->run(element(StopKind::write, "out", 40)), Arrival::there);
    const StepFacts f = s->last_step();
    QCOMPARE(f.warp, 1u);
    QCOMPARE(f.line, 4);
    QCOMPARE(f.accesses.size(), std::size_t{1});
    QCOMPARE(f.accesses[0].lanes[8].buffer, std::string("out"));
    QCOMPARE(f.accesses[0].lanes[8].offset, std::int64_t{160});
    QCOMPARE(f.accesses[0].lanes[8].value, std::string("7b000000"));  // 100 + 63 - 40
    const std::uint64_t written = m.position();
    while (s->machine().forward()) {}
    QCOMPARE(s->back(element(StopKind::write, "out", 40)), Arrival::there);
    QCOMPARE(m.position(), written);
    // "Thread 5 reads s[58]": it does, no other thread does, and it reads nothing else there.
    QCOMPARE(s->back(element(StopKind::read, "shared", 58, 5)), Arrival::there);
    QCOMPARE(s->last_step().warp, 0u);
    s->machine().jump(0);
    QCOMPARE(s->run(element(StopKind::read, "shared", 58, 6)), Arrival::ended);
    s->machine().jump(0);
    QCOMPARE(s->run(element(StopKind::read, "shared", 58)), Arrival::there);
  }

  void unknownPlacesAreRefused() {
    auto s = stepper();
    for (const auto& [at, words] :
         {std::pair{element(StopKind::write, "other", 0), "there is no buffer 'other'"},
          std::pair{element(StopKind::write, "out", 64), "out has 64 elements, and no 64"},
          std::pair{element(StopKind::read, "out", 0, 64), "a block has 64 threads, and no thread 64"},
          std::pair{line(99), "line 99 of the source has no instruction"}}) {
      const Status status = s->check(at);
      QVERIFY(!status);
      QVERIFY2(status.error().message.find(words) != std::string::npos, status.error().message.c_str());
    }
    StopAt warp = stop(StopKind::instruction);
    warp.warp = 2;
    QVERIFY(!s->check(warp));
  }

  void whatAStepWroteIsTold() {
    auto s = stepper();
    StopAt at = stop(StopKind::instruction);
    std::set<std::string> seen;
    while (s->run(at) == Arrival::there) {
      const StepFacts f = s->last_step();
      if (f.instruction == "shl.b32 %r3, %r0, 2" && f.warp == 1) {
        QCOMPARE(f.registers.size(), std::size_t{1});
        QCOMPARE(f.registers[0].name, std::string("%r3"));
        QCOMPARE(f.registers[0].type, std::string("b32"));
        QCOMPARE(f.registers[0].values[2], std::string("0x88"));  // thread 34
        QCOMPARE(f.active, std::string("0xffffffff"));
        seen.insert("register");
      }
      if (f.instruction == "ld.global.u32 %r1, [%i]" && f.warp == 0) {
        QCOMPARE(f.registers[0].type, std::string("u32"));
        QCOMPARE(f.registers[0].values[31], std::string("131"));
        QCOMPARE(f.accesses[0].sectors, std::int64_t{4});
        QCOMPARE(f.accesses[0].lines, std::int64_t{1});
        QCOMPARE(f.accesses[0].wasted, std::int64_t{0});
        seen.insert("global");
      }
      if (f.instruction.starts_with("setp") && f.mask != f.active) seen.insert("guarded");
      if (f.instruction.starts_with("@!%p1 bra")) {
        QVERIFY(f.registers.empty());
        if (f.active != f.mask) seen.insert("divergence");
      }
    }
    QCOMPARE(seen, (std::set<std::string>{"register", "global", "divergence"}));
  }

  void aLensCountsWhatEachElementSaw() {
    auto s = stepper();
    while (s->machine().forward()) {}
    const std::uint64_t print = s->machine().fingerprint();
    Result<Lens> in = s->lens("in"), out = s->lens("out"), shared = s->lens("shared");
    QVERIFY(in && out && shared);
    QCOMPARE(s->machine().fingerprint(), print);
    const std::vector<std::int64_t> once(64, 1), never(64, 0);
    QCOMPARE(in->reads, once);
    QCOMPARE(in->writes, never);
    QCOMPARE(in->threads[3], std::int64_t{-1});
    QCOMPARE(out->reads, never);
    QCOMPARE(out->writes, once);
    QCOMPARE(out->type, std::string("i32"));
    for (std::size_t i = 0; i < 64; ++i) {
      QCOMPARE(out->threads[i], static_cast<std::int64_t>(i));
      QCOMPARE(out->blocks[i], std::int64_t{0});
      QCOMPARE(out->lines[i], 4);
    }
    QCOMPARE(shared->reads, once);
    QCOMPARE(shared->writes, once);
    QCOMPARE(shared->lines[9], 2);
    QVERIFY(!s->lens("other"));
  }

  void aLensShowsTheWayThere() {
    auto s = stepper();
    while (s->machine().forward()) {}
    const auto none = s->lens("out"), lens = s->lens("out", 8);
    QVERIFY(none && lens);
    QVERIFY(none->frames.empty() && !none->given);
    QCOMPARE(lens->frames.size(), std::size_t{8});
    QCOMPARE(lens->frames.back().position, static_cast<std::int64_t>(s->machine().recorded()));
    QCOMPARE(lens->frames.back().content, lens->content);
    QCOMPARE(lens->frames.back().writes, lens->writes);
    for (std::size_t f = 1; f < 8; ++f)
      for (std::size_t i = 0; i < 64; ++i) QVERIFY(lens->frames[f].writes[i] >= lens->frames[f - 1].writes[i]);
    QVERIFY(lens->frames.front().writes != lens->writes);  // warp 1 has not written yet
    // 256 bytes in 8 sectors, each moved once by one warp, whole.
    QCOMPARE(lens->sector_moves, std::vector<std::int64_t>(8, 1));
    QCOMPARE(lens->sector_bytes, std::vector<std::int64_t>(8, 32));
    for (std::size_t i = 0; i < 64; ++i) {
      s->machine().jump(static_cast<std::uint64_t>(lens->write_steps[i]) + 1);
      QCOMPARE(s->last_step().instruction, std::string("st.global.u32 [%o], %r6"));
    }
    QVERIFY(s->lens("in")->given);
    const auto shared = s->lens("s");  // by the array's name
    QVERIFY(shared && shared->sector_moves.empty());
    QVERIFY(!s->lens("out", most_frame_elements));
  }

  void liveRegistersAreThoseReadLater() {
    auto s = stepper();
    const auto live_at = [&](const std::string& instruction) {
      s->machine().jump(0);
      StopAt at = stop(StopKind::instruction);
      at.warp = 0;
      while (s->warp(0).groups.front().instruction != instruction && s->run(at) == Arrival::there) {}
      const auto live = s->live(0);
      return live ? std::set<std::string>(live->registers.begin(), live->registers.end()) : std::set<std::string>();
    };
    using Names = std::set<std::string>;
    QCOMPARE(live_at("st.shared.u32 [%r4], %r1"), (Names{"%r0", "%r1", "%r2", "%r3", "%r4", "%o"}));
    QCOMPARE(live_at("and.b32 %r7, %r0, 31"), Names{"%r0"});
    QCOMPARE(live_at("sub.u32 %r7, %r7, 1"), (Names{"%p1", "%r7"}));
    const auto live = s->live(0);
    QCOMPARE(live->words, std::int64_t{1});        // the predicate takes none
    QVERIFY(live->most_words >= std::int64_t{7});  // five of 32 bits, and an address
    while (s->machine().forward()) {}
    QVERIFY(!s->live(0));
  }

  void totalsAreThoseOfTheSteps() {
    auto s = stepper();
    StepTotals expected;
    while (s->machine().forward()) {
      const StepFacts f = s->last_step();
      ++expected.steps;
      for (const SpaceAccess& a : f.accesses) {
        expected.sectors += a.sectors;
        expected.wavefronts += a.wavefronts;
        expected.conflicts += a.conflicts;
        if (a.space == AccessedSpace::global) expected.bytes += a.bytes;
      }
      expected.barriers += f.released ? 1 : 0;
    }
    const StepTotals all = s->totals();
    QCOMPARE(all.steps, expected.steps);
    QCOMPARE(all.sectors, std::int64_t{16});  // 64 words in, 64 out
    QCOMPARE(all.sectors, expected.sectors);
    QCOMPARE(all.bytes, std::int64_t{512});
    QCOMPARE(all.bytes, expected.bytes);
    QCOMPARE(all.wavefronts, std::int64_t{4});
    QCOMPARE(all.wavefronts, expected.wavefronts);
    QCOMPARE(all.conflicts, expected.conflicts);
    QCOMPARE(all.barriers, std::int64_t{1});
    QVERIFY(all.partial > 0 && all.lanes < 32 * all.steps);
    s->machine().jump(0);
    QCOMPARE(s->totals().steps, std::int64_t{0});
    // Here and there, as one that has come from the beginning counts them.
    for (const std::uint64_t to : {40u, 7u, 90u, 41u, 0u, 63u}) {
      s->machine().jump(to);
      auto fresh = stepper();
      fresh->machine().jump(to);
      const StepTotals here = s->totals(), there = fresh->totals();
      QCOMPARE(here.steps, there.steps);
      QCOMPARE(here.lanes, there.lanes);
      QCOMPARE(here.bytes, there.bytes);
      QCOMPARE(here.wavefronts, there.wavefronts);
      QCOMPARE(here.barriers, there.barriers);
      QCOMPARE(here.partial, there.partial);
    }
  }

  // A recording that has become large ends, and what is recorded can be gone through.
  void anEndlessKernelStopsBeingRecorded() {
    Job job = job_of();
    job.code = std::string(".version 8.0\n.target sm_80\n.address_size 64\n") +
               ".visible .entry k(.param .u64 pin, .param .u64 pout)\n{\n.reg .b64 %o;\nld.param.u64 %o, [pout];\n" +
               "LOOP:\nst.global.v4.u32 [%o], {1, 2, 3, 4};\nbra LOOP;\n}\n";
    job.block = {32, 1, 1};
    auto s = Stepper::begin(job, job.code);
    QVERIFY2(s, s ? "" : s.error().text().c_str());
    QCOMPARE((*s)->run(stop(StopKind::end)), Arrival::limit);
    const std::uint64_t recorded = (*s)->machine().recorded();
    QVERIFY(recorded > 100'000 && recorded < Stepper::most_steps);
    QVERIFY((*s)->machine().bytes() <= Stepper::most_bytes);
    QCOMPARE((*s)->run(stop(StopKind::end)), Arrival::limit);
    QCOMPARE((*s)->machine().recorded(), recorded);
    QCOMPARE((*s)->back(stop(StopKind::instruction)), Arrival::there);
    QCOMPARE((*s)->machine().position(), recorded - 1);
    QCOMPARE((*s)->go(recorded + 1), Arrival::limit);
    QCOMPARE((*s)->go(1000), Arrival::there);
  }

  // From the step in which all its threads have arrived at a barrier to the one that lets them go on.
  void aTimeLineSaysWhoWaits() {
    auto s = stepper();
    simt::Stepping& m = s->machine();
    std::vector<std::int64_t> waits(2);
    std::int64_t barriers = 0;
    do {
      for (std::size_t w = 0; w < 2; ++w) waits[w] += s->warp(w).state == WarpState::waiting;
      barriers += m.position() > 0 && m.record(m.position() - 1).released;
    } while (m.forward());
    QVERIFY2(waits[0] > 3 && waits[1] == 0 && barriers == 1,  // warp 0 arrives first
             qPrintable(QString("%1 %2 %3").arg(waits[0]).arg(waits[1]).arg(barriers)));
    for (const std::size_t parts : {1, 3, 7, 40, 1000}) {
      const Timeline& t = s->timeline(parts);
      for (std::size_t w = 0; w < 2; ++w) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < t.warps[w].waits.size(); ++i) {
          sum += t.warps[w].waits[i];
          if (parts == 1000) QVERIFY(t.warps[w].waits[i] == 0 || t.warps[w].steps[i] == 0);
        }
        QCOMPARE(sum, waits[w]);
      }
    }
  }

  // Where barriers have numbers, one that lets a warp go on leaves another waiting.
  void aNamedBarrierLeavesOthersWaiting() {
    Job job = job_of();
    job.code = std::string(".version 8.0\n.target sm_80\n.address_size 64\n") +
               ".visible .entry k(.param .u64 pin, .param .u64 pout)\n{\n.reg .b32 %r<4>;\n.reg .pred %p<3>;\n"
               "mov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 5;\nsetp.eq.u32 %p0, %r1, 0;\nsetp.eq.u32 %p1, %r1, 3;\n"
               "@%p0 bra FIRST;\n@%p1 bra LAST;\nbar.sync 2, 64;\nadd.u32 %r0, %r0, 1;\nret;\n"
               "FIRST:\nbar.sync 1, 64;\nret;\nLAST:\nadd.u32 %r0, %r0, 2;\nbar.sync 1, 64;\nret;\n}\n";
    job.block = {128, 1, 1};
    auto s = Stepper::begin(job, job.code);
    QVERIFY2(s, s ? "" : s.error().text().c_str());
    simt::Stepping& m = (*s)->machine();
    std::vector<std::int64_t> waits(4);
    do
      for (std::size_t w = 0; w < 4; ++w) waits[w] += (*s)->warp(w).state == WarpState::waiting;
    while (m.forward());
    QVERIFY(waits[0] > waits[1] && waits[1] > 0);
    const Timeline& t = (*s)->timeline(2000);
    QCOMPARE(t.releases.size(), std::size_t{2});
    for (std::size_t w = 0; w < 4; ++w)
      QCOMPARE(std::accumulate(t.warps[w].waits.begin(), t.warps[w].waits.end(), std::int64_t{0}), waits[w]);
  }

  // Back to what a check found before, then to the beginning; breakpoints on the way stop it, too.
  void runsGoBackToWhatStoppedThem() {
    auto s = stepper(false);
    std::vector<std::uint64_t> found;
    while (s->run(stop(StopKind::end)) == Arrival::found) found.push_back(s->machine().position());
    QVERIFY(found.size() >= 2);
    const std::uint64_t print = s->machine().fingerprint(), end = s->machine().position();
    for (std::size_t i = found.size(); i-- > 0;) {
      QCOMPARE(s->back(stop(StopKind::end)), Arrival::found);
      QCOMPARE(s->machine().position(), found[i]);
    }
    QCOMPARE(s->back(stop(StopKind::end)), Arrival::there);
    QCOMPARE(s->machine().position(), std::uint64_t{0});
    s->machine().jump(end);
    QCOMPARE(s->machine().fingerprint(), print);
    const StopAt both[] = {stop(StopKind::end), line(5)};
    std::vector<std::uint64_t> stops;
    while (s->back(both) != Arrival::there || s->machine().position() > 0) {
      stops.push_back(s->machine().position());
      const bool begins = s->machine().place(s->machine().next(stops.back())->pc).line == 5;
      QVERIFY(begins || std::ranges::count(found, stops.back()) == 1);
    }
    QVERIFY(stops.size() >= found.size() + 2);  // both warps come to line 5
    // The same with a place that only a step's own accesses tell.
    s->machine().jump(end);
    const StopAt write[] = {stop(StopKind::end), element(StopKind::write, "out", 40)};
    std::size_t all = 0, writes = 0;
    while (s->back(write) != Arrival::there || s->machine().position() > 0) {
      ++all;
      writes += std::ranges::count(found, s->machine().position()) == 0;
    }
    QCOMPARE(writes, std::size_t{1});
    QCOMPARE(all, found.size() + 1);
    s->machine().jump(end);
    QCOMPARE(s->back(element(StopKind::write, "out", 40)), Arrival::there);  // findings do not stop this
    QCOMPARE(s->back(element(StopKind::write, "out", 40)), Arrival::ended);
  }

  void whoWritesTooLateIsNamed() {
    TraceQuery q;
    q.until = stop(StopKind::end);
    q.most = 1;
    const Result<Trace> t = trace(job_of(false), q, nullptr);  // without the barrier
    QVERIFY2(t, t ? "" : t.error().text().c_str());
    QCOMPARE(t->arrival, Arrival::found);
    const StepFinding* read = nullptr;
    for (const StepFinding& f : t->findings)
      if (f.step == t->position - 1 && f.finding.kind == FaultKind::uninitialised_read) read = &f;
    QVERIFY(read && read->unwritten && read->unwritten->writer);
    const Unwritten& u = *read->unwritten;
    // Thread i reads word 63 - i, which thread 63 - i stores in line 2.
    QCOMPARE(u.writer->line, 2);
    QCOMPARE(u.writer->instruction, std::string("st.shared.u32"));
    QCOMPARE(u.writer->thread, (std::vector<std::uint32_t>{63 - read->finding.site.thread[0], 0, 0}));
    QCOMPARE(u.barrier, std::int64_t{-1});
    QVERIFY(u.step > read->step && u.looked == u.step - read->step && !u.whole);
    TraceQuery at;
    at.from = u.step;
    at.to = u.step + 1;
    const Result<Trace> then = trace(job_of(false), at, nullptr);
    QVERIFY(then && then->steps.size() == 1);
    QCOMPARE(then->steps[0].line, 2);
    for (const StepFinding& f : then->findings) QVERIFY(f.step == then->position - 1 || !f.unwritten);
  }

  void whatNobodyWritesIsSaid() {
    Job job = job_of();
    const std::string store = "st.shared.u32 [%r4], %r1;\n";
    job.code.erase(job.code.find(store), store.size());
    TraceQuery q;
    q.until = stop(StopKind::end);
    const Result<Trace> t = trace(job, q, nullptr);
    QVERIFY2(t, t ? "" : t.error().text().c_str());
    QCOMPARE(t->arrival, Arrival::found);
    const auto here = std::ranges::find(t->findings, t->position - 1, &StepFinding::step);
    QVERIFY(here != t->findings.end() && here->unwritten && !here->unwritten->writer);
    QVERIFY(here->unwritten->whole && here->unwritten->step == -1);
    QVERIFY(here->unwritten->barrier >= 0 && here->unwritten->barrier < here->step);  // there is one, in line 3
  }

  void whatAnAccessMissesIsSaid() {
    Job job = job_of();
    job.block = {96, 1, 1};
    TraceQuery q;
    q.until = stop(StopKind::end);
    const Result<Trace> t = trace(job, q, nullptr);
    QVERIFY2(t, t ? "" : t.error().text().c_str());
    QCOMPARE(t->arrival, Arrival::found);
    const auto missed =
        std::ranges::find(t->findings, FaultKind::out_of_bounds, [](const StepFinding& f) { return f.finding.kind; });
    QVERIFY(missed != t->findings.end() && missed->extent);
    QCOMPARE(missed->extent->buffer, std::string("in"));
    QCOMPARE(missed->extent->type, std::string("i32"));
    QCOMPARE(missed->extent->bytes, std::int64_t{256});
    QCOMPARE(missed->extent->elements, std::int64_t{64});
    QCOMPARE(missed->finding.offset, std::int64_t{256});
    QVERIFY(!missed->unwritten);
  }

  // However much a block's state takes: 16 warps with local and shared memory, all of it written again and again.
  void aRecordingKeepsItsLimit() {
    static_assert(Stepper::most_bytes <= 300'000'000);
    Job job = job_of();
    job.code = std::string(".version 8.0\n.target sm_80\n.address_size 64\n") +
               ".visible .entry k(.param .u64 pin, .param .u64 pout)\n{\n.reg .b64 %o, %a;\n.reg .b32 %r<5>;\n"
               ".local .align 4 .b8 own[4096];\n.shared .align 4 .b8 s[32768];\nld.param.u64 %o, [pout];\n"
               "mov.u32 %r0, 0;\nmov.u64 %a, own;\nmov.u32 %r1, s;\n"
               "LOOP:\nst.local.u32 [%a], %r0;\nst.shared.u32 [%r1], %r0;\nst.global.v4.u32 [%o], {1, 2, 3, 4};\n"
               "add.u32 %r0, %r0, 4;\nand.b32 %r2, %r0, 4095;\ncvt.u64.u32 %a, %r2;\nand.b32 %r3, %r0, 32767;\n"
               "mov.u32 %r1, s;\nadd.u32 %r1, %r1, %r3;\nmov.u64 %o, own;\nadd.u64 %a, %a, %o;\n"
               "ld.param.u64 %o, [pout];\nbra LOOP;\n}\n";
    job.block = {512, 1, 1};
    job.checks = {Check::memory};
    std::uint64_t before = 0;
    for (const std::size_t limit : {std::size_t{40'000'000}, std::size_t{60'000'000}}) {
      auto s = Stepper::begin(job, job.code, {}, limit);
      QVERIFY2(s, s ? "" : s.error().text().c_str());
      simt::Stepping& m = (*s)->machine();
      while (!m.full()) {
        QVERIFY(m.forward());
        QVERIFY2(m.bytes() <= limit, std::to_string(m.bytes()).c_str());
      }
      QVERIFY(m.bytes() > limit / 4);  // it is used
      QVERIFY(m.recorded() > before);
      before = m.recorded();
      QCOMPARE((*s)->run(stop(StopKind::end)), Arrival::limit);
      QCOMPARE(m.recorded(), before);
      const std::uint64_t end = m.fingerprint();
      m.jump(1);
      m.jump(before);
      QCOMPARE(m.fingerprint(), end);
    }
  }

  void aKnownTimeLineIsNotToldAgain() {
    sim::Tracing tracing;
    TraceQuery q;
    q.to = 20;
    q.timeline = 10;
    const Result<Trace> first = tracing.trace(job_of(), q, nullptr);
    QVERIFY(first && first->timeline);
    QCOMPARE(first->timeline->end, std::int64_t{20});
    q.timeline_known = {first->timeline->first, first->timeline->end};
    q.to = 10;
    const Result<Trace> back = tracing.trace(job_of(), q, nullptr);
    QVERIFY(back && !back->timeline);
    q.to = 21;  // the block has run on
    const Result<Trace> on = tracing.trace(job_of(), q, nullptr);
    QVERIFY(on && on->timeline);
    QCOMPARE(on->timeline->end, std::int64_t{21});
    q.timeline = 5;
    q.timeline_known.clear();
    const Result<Trace> coarse = tracing.trace(job_of(), q, nullptr);
    QVERIFY(coarse && coarse->timeline);
    QCOMPARE(coarse->timeline->warps.front().steps.size(), std::size_t{5});
  }

  void theNextWriteOfAThreadIsFound() {
    auto s = stepper();
    while (s->machine().forward()) {}
    QVERIFY(!s->next_write(40));
    s->machine().jump(0);
    const std::uint64_t print = s->machine().fingerprint();
    const auto next = s->next_write(40);
    QVERIFY(next);
    QCOMPARE(next->buffer, std::string("out"));
    QCOMPARE(next->index, std::int64_t{40});
    QCOMPARE(s->machine().fingerprint(), print);
    s->machine().jump(static_cast<std::uint64_t>(next->step));
    QVERIFY(s->next_write(40));
    s->machine().jump(static_cast<std::uint64_t>(next->step) + 1);
    QVERIFY(!s->next_write(40));
  }

  void valuesAreWatched() {
    auto s = stepper();
    StopAt at = stop(StopKind::changes);
    at.variable = "%r7";
    at.thread = 5;
    QVERIFY(s->check(at));
    QCOMPARE(s->run(at), Arrival::there);  // the remainder
    QCOMPARE(s->last_step().instruction, std::string("and.b32 %r7, %r0, 31"));
    const std::uint64_t first = s->machine().position();
    QCOMPARE(s->run(at), Arrival::there);
    QCOMPARE(s->last_step().instruction, std::string("sub.u32 %r7, %r7, 1"));
    QCOMPARE(s->back(at), Arrival::there);
    QCOMPARE(s->machine().position(), first);
    at.kind = StopKind::holds;
    at.relation = Relation::less;
    at.number = 2;
    QCOMPARE(s->run(at), Arrival::there);  // 5, 4, 3, 2, then 1
    const auto now = s->registers(0);
    const auto r7 = std::ranges::find(now, std::string("%r7"), &WrittenRegister::name);
    QCOMPARE(r7->values[5], std::string("0x1"));
    at.variable = "%nothing";
    QVERIFY(!s->check(at));
  }

  void aRaceStopsTheRun() {
    auto s = stepper(false);
    Arrival arrival = s->run(line(5));
    QCOMPARE(arrival, Arrival::found);  // before warp 0 comes to line 5
    std::set<std::string> checks;
    while (arrival == Arrival::found) {
      for (const StepFinding& f : s->findings()) checks.insert(f.finding.check);
      arrival = s->run(line(99));
    }
    QVERIFY(checks.contains("races"));
    for (const StepFinding& f : s->findings()) {
      s->machine().jump(static_cast<std::uint64_t>(f.step) + 1);
      QCOMPARE(s->last_step().ptx_line, f.finding.site.ptx_line);
      if (f.finding.check == "races") QVERIFY(f.finding.other.has_value());
    }
  }

  void tracesAreBounded() {
    TraceQuery q;
    q.most = 5;
    Result<Trace> t = trace(job_of(), q, nullptr);
    QVERIFY(t);
    QCOMPARE(t->steps.size(), std::size_t{5});
    QCOMPARE(t->steps[4].step, std::int64_t{4});
    QCOMPARE(t->position, std::int64_t{5});
    QVERIFY(!t->ended);
    QCOMPARE(t->warps.size(), std::size_t{2});
    q.until = element(StopKind::write, "out", 40);
    t = trace(job_of(), q, nullptr);
    QVERIFY(t);
    QCOMPARE(t->arrival, Arrival::there);
    QCOMPARE(t->steps.size(), std::size_t{5});  // the last ones before it
    QCOMPARE(t->steps.back().step + 1, t->position);
    QCOMPARE(t->left_out, t->position - 5);
    q.back = 2;
    const Result<Trace> before = trace(job_of(), q, nullptr);
    QVERIFY(before);
    QCOMPARE(before->position, t->position - 2);
    q = {};
    q.warp = 1;
    q.from = 3;
    t = trace(job_of(), q, nullptr);
    QVERIFY(t);
    QVERIFY(std::ranges::all_of(t->steps, [](const StepFacts& f) { return f.warp == 1 && f.step >= 3; }));
    q = {};
    q.until = element(StopKind::write, "out", 0);
    q.last = true;
    t = trace(job_of(), q, nullptr);
    QVERIFY(t);
    QCOMPARE(t->arrival, Arrival::there);
  }

  void unusableQueriesAreRefused() {
    const auto refused = [](const TraceQuery& q) {
      const Result<Trace> t = trace(job_of(), q, nullptr);
      return !t && t.error().code == Code::invalid_argument;
    };
    TraceQuery q;
    q.from = 1000000;
    QVERIFY(refused(q));
    q = {};
    q.from = 5;
    q.to = 4;
    QVERIFY(refused(q));
    q = {};
    q.block = {1};
    QVERIFY(refused(q));
    q = {};
    q.warp = 2;
    QVERIFY(refused(q));
    q = {};
    q.most = 0;
    QVERIFY(refused(q));
    q = {};
    q.last = true;
    QVERIFY(refused(q));
  }
};

QTEST_GUILESS_MAIN(StepperTest)
#include "stepper_test.moc"
