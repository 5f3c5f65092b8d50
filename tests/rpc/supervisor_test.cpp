// SPDX-License-Identifier: Apache-2.0
// The supervisor against a stand-in that misbehaves on purpose.
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include "../explore/script.h"
#include "base/cuda_folder.h"
#include "rpc/process.h"
#include "rpc/second_judge.h"
#include "rpc/supervisor.h"
#include "support/text_rows.h"

using namespace ww;
using namespace ww::rpc;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class SupervisorTest : public QObject {
  Q_OBJECT
  static WorkerOptions standin(const std::string& how) {
    WorkerOptions o;
    o.program = std::filesystem::path(WW_BINARY_DIR) / "bin/rpc_standin";
    o.arguments = {how};
    return o;
  }
  static GateRequest request(std::chrono::milliseconds deadline = 20s) {
    GateRequest r;
    r.spec = script::spec;
    r.candidate = script::candidate("one", "accepted");
    r.deadline = deadline;
    return r;
  }
  // The first worker finds a file, which the next one does not.
  static WorkerOptions once(const char* how, const QTemporaryDir& folder) {
    QFile first(folder.filePath("first"));
    if (!first.open(QIODevice::WriteOnly)) qFatal("no file");
    WorkerOptions o = standin(how);
    o.arguments.push_back(first.fileName().toStdString());
    return o;
  }
  static WorkerOptions on_a_gpu(WorkerOptions o) {
    o.profile = WorkerProfile::cuda;
    o.use_cache = false;  // its ceilings are not measured first
    return o;
  }
  static GateRequest gpu_request() {
    GateRequest r = request();
    r.device = "cuda:0";
    r.architecture = "sm_90";
    return r;
  }
  static int open_files() {
    int count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
  }
  static bool gone(int pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }  // a zombie would still be there
  static const evidence::StageResult* failed(const evidence::Verdict& v) { return v.last_stage(); }

 private slots:
  void cleanup() {
    int status = 0;
    QCOMPARE(::waitpid(-1, &status, WNOHANG), -1);  // no child of any kind is left
    QCOMPARE(errno, ECHILD);
  }
  void theChosenToolkitIsPassedOn() {
    const auto told = [] {
      const auto child = Process::start("/bin/sh", {"-c", "echo \"[$WARPWRIGHT_CUDA]\" >&2"});
      if (!child) return std::string("not started");
      while ((*child)->pump(1000ms)) {}
      (*child)->wait(20s);
      return (*child)->errors();
    };
    qputenv("WARPWRIGHT_CUDA", "/inherited");
    QCOMPARE(told(), std::string("[/inherited]\n"));
    choose_cuda_folder("/chosen");
    QCOMPARE(told(), std::string("[/chosen]\n"));
    QCOMPARE(named_cuda_folders().front().folder, std::filesystem::path("/chosen"));
    choose_cuda_folder({});
    qunsetenv("WARPWRIGHT_CUDA");
    QCOMPARE(told(), std::string("[]\n"));
  }
  void goodWorkerIsReused() {
    int pid = 0;
    {
      Supervisor s(standin("good"));
      QCOMPARE(s.process_id(), 0);
      std::vector<Progress> seen;
      for (int i = 0; i < 3; ++i) {
        const auto v = s.gate(request(), {}, [&](const Progress& p) { seen.push_back(p); });
        QVERIFY(v.has_value());
        QVERIFY(v->accepted);
      }
      QCOMPARE(s.started(), 1);
      QCOMPARE(seen.size(), std::size_t{3});
      QCOMPARE(seen[0].stage, std::string("cases"));
      QCOMPARE(seen[0].fraction, 0.5);
      pid = s.process_id();
      QVERIFY(pid > 0);
    }
    QVERIFY(gone(pid));
  }
  void whatAWorkerMadeIsKeptForItsCandidateAlone() {
    const QTemporaryDir folder;
    WorkerOptions o = standin("keep");
    o.compile_cache = folder.path().toStdString();
    const auto handed = [](Supervisor& s, const GateRequest& r) {
      std::string names;
      const auto v = s.gate(r, {}, [&](const Progress& p) { names = p.message; });
      return v && v->accepted ? names : "no verdict";
    };
    GateRequest other = request();
    other.candidate = script::candidate("two", "accepted");
    {
      Supervisor s(o);
      QCOMPARE(handed(s, request()), std::string());
      QCOMPARE(handed(s, request()), std::string("compiled=gate "));
      QCOMPARE(handed(s, other), std::string());
    }
    Supervisor later(o);
    QCOMPARE(handed(later, request()), std::string("compiled=gate "));
    o.use_cache = false;
    Supervisor alone(o);
    QCOMPARE(handed(alone, request()), std::string());
  }
  void onlyAWorkerThatSawNoCandidateMayKeepCeilings() {
    const QTemporaryDir folder;
    WorkerOptions o = standin("keep");
    o.compile_cache = folder.path().toStdString();
    Supervisor seen(o);
    QVERIFY(seen.gate(request()).has_value());
    QVERIFY(seen.device({}).has_value());
    QVERIFY(!seen.keeps_ceilings("cuda:0"));
    Supervisor fresh(o);
    QVERIFY(fresh.device({}).has_value());
    QVERIFY(fresh.keeps_ceilings("cuda:0"));
    QVERIFY(!fresh.keeps_ceilings("cuda:1"));
  }
  void errorsOfTheEnvironmentAreErrors() {
    Supervisor s(standin("refuse"));
    const auto v = s.gate(request());
    QVERIFY(!v);
    QCOMPARE(v.error().code, Code::unavailable);
    QCOMPARE(v.error().cause, std::string("none"));
    QCOMPARE(s.started(), 1);
  }
  void misbehaviourIsAnOutcome_data() {
    support::text_rows(
        {"how", "sentence", "kind"},
        {{"garbage", "garbage",
          "the worker's reply does not follow the protocol while running case odd, inputs 3 of 5 (ramp)",
          "corrupt reply"},
         {"not json", "not-json", "does not follow the protocol", "corrupt reply"},
         {"no verdict", "no-verdict", "does not follow the protocol", "corrupt reply"},
         {"more kept than a message may have", "keep-too-much", "does not follow the protocol", "corrupt reply"},
         {"kept results that are no digits", "keep-nonsense", "does not follow the protocol", "corrupt reply"},
         {"another's verdict", "another", "the worker's verdict does not match its request while running case odd",
          "corrupt reply"},
         {"wrong id", "wrong-id", "does not follow the protocol", "corrupt reply"},
         {"huge", "huge", "does not follow the protocol", "corrupt reply"},
         {"abort", "abort", "the worker was killed by signal 6 (Aborted) while running case odd, inputs 3 of 5 (ramp)",
          "crash"},
         {"exit", "exit", "the worker exited with status 3 while running case odd", "crash"},
         {"closed", "close", "the worker was killed by signal 9", "crash"}});
  }
  void misbehaviourIsAnOutcome() {
    QFETCH(QString, how);
    QFETCH(QString, sentence);
    QFETCH(QString, kind);
    Supervisor s(standin(how.toStdString()));
    for (int round = 1; round <= 2; ++round) {
      const auto v = s.gate(request());
      QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
      QVERIFY(!v->accepted);
      QVERIFY(!v->candidate.empty());
      QCOMPARE(v->stages.size(), std::size_t{6});
      const auto* f = failed(*v);
      QVERIFY(f != nullptr);
      QCOMPARE(f->stage, evidence::Stage::cases);
      QVERIFY2(QString::fromStdString(f->message).contains(sentence), f->message.c_str());
      QCOMPARE(QString::fromStdString(enum_string(f->failure->fault->kind)), kind);
      QCOMPARE(v->stages[1].outcome, evidence::Outcome::passed);
      QCOMPARE(v->stages[4].outcome, evidence::Outcome::skipped);
      QCOMPARE(s.started(), round);  // a fresh one each time
      QCOMPARE(s.process_id(), 0);
      QVERIFY(QString::fromStdString(v->summary()).startsWith("rejected at cases: the worker"));
    }
  }
  void deathBeforeTheFirstProgress() {
    Supervisor s(standin("early-death"));
    const auto v = s.gate(request());
    QVERIFY(v.has_value());
    QCOMPARE(failed(*v)->stage, evidence::Stage::contract);
    QCOMPARE(failed(*v)->message, std::string("the worker exited with status 4 before it began"));
  }
  void itsLastWordsAreKept() {
    Supervisor s(standin("shout"));
    const auto v = s.gate(request());
    QVERIFY(v.has_value());
    const std::string& detail = failed(*v)->detail;
    QVERIFY(detail.find("the last words") != std::string::npos);
    QVERIFY(detail.size() < 8192);
  }
  void deadlineEndsASilentWorker() {
    for (const char* how : {"silent", "stubborn", "flood"}) {
      Supervisor s(standin(how));
      QVERIFY(s.warm_up());
      const int pid = s.process_id();
      const auto v = s.gate(request(150ms));
      QVERIFY(v.has_value());
      QCOMPARE(failed(*v)->failure->fault->kind, FaultKind::timeout);
      QCOMPARE(v->ruling(), evidence::Ruling::not_judged);
      QVERIFY(failed(*v)->message.find("the deadline of 0.15 s passed while running case odd") == 0);
      QVERIFY(gone(pid));
    }
  }
  void cancelAnswersAtOnce() {
    for (const char* how : {"silent", "stubborn", "flood"}) {
      Supervisor s(standin(how));
      std::stop_source source;
      Clock::time_point asked;
      const int before = s.started();
      const auto v = s.gate(request(), source.get_token(), [&](const Progress&) {
        if (source.stop_requested()) return;
        asked = Clock::now();
        source.request_stop();
      });
      const auto latency = Clock::now() - asked;
      QVERIFY(!v);
      QCOMPARE(v.error().code, Code::cancelled);
      QVERIFY2(latency < 5s, how);  // against 20 s that the request might take; the figure itself is printed
      qInfo("%s: cancelled after %.1f ms", how, std::chrono::duration<double, std::milli>(latency).count());
      QCOMPARE(s.started(), before + 1);
    }
  }
  void aWorkerThatHeedsCancellationIsKept() {
    Supervisor s(standin("obedient"));
    for (int i = 0; i < 2; ++i) {
      std::stop_source source;
      const auto v = s.gate(request(), source.get_token(), [&](const Progress&) { source.request_stop(); });
      QVERIFY(!v);
      QCOMPARE(v.error().code, Code::cancelled);
    }
    QCOMPARE(s.started(), 1);
  }
  void aStubbornOneIsReplaced() {
    Supervisor s(standin("stubborn"));
    for (int i = 1; i <= 2; ++i) {
      std::stop_source source;
      int messages = 0;
      // The second message comes after the worker began to ignore SIGTERM.
      const auto v = s.gate(request(), source.get_token(), [&](const Progress&) {
        if (++messages == 2) source.request_stop();
      });
      QCOMPARE(v.error().code, Code::cancelled);
      QCOMPARE(s.started(), i);
    }
  }
  void cancelledBeforehandStartsNothing() {
    Supervisor s(standin("good"));
    std::stop_source source;
    source.request_stop();
    QCOMPARE(s.gate(request(), source.get_token()).error().code, Code::cancelled);
    QCOMPARE(s.started(), 0);
  }
  void killedFromOutsideIsFresh() {
    Supervisor s(standin("silent"));
    for (int round = 1; round <= 2; ++round) {
      const auto v = s.gate(request(), {}, [&](const Progress&) { ::kill(s.process_id(), SIGKILL); });
      QVERIFY2(v, v ? "" : v.error().text().c_str());
      QCOMPARE(v->ruling(), evidence::Ruling::not_judged);
      QCOMPARE(v->last_fault(), FaultKind::killed);
      QVERIFY2(v->summary().find("was killed by signal 9 (Killed) twice, while running") != std::string::npos,
               v->summary().c_str());
      QCOMPARE(s.started(), 2 * round);
    }
  }
  void killedWhileItStartsIsStartedAgain() {
    QTemporaryDir folder;
    Supervisor s(once("killed-once", folder));
    const Status started = s.warm_up();
    QVERIFY2(started, started ? "" : started.error().text().c_str());
    QCOMPARE(s.started(), 2);
  }
  void aLostGpuIsJudgedOnceMore() {
    QTemporaryDir folder;
    Supervisor s(on_a_gpu(once("lose-device-once", folder)));
    const auto v = s.gate(gpu_request());
    QVERIFY2(v, v ? "" : v.error().text().c_str());
    QVERIFY2(v->accepted, v->summary().c_str());
    QCOMPARE(s.started(), 2);
  }
  void aGpuThatStaysLostJudgesNothing() {
    Supervisor s(on_a_gpu(standin("lose-device")));
    const auto v = s.gate(gpu_request());
    QVERIFY2(v, v ? "" : v.error().text().c_str());
    QCOMPARE(v->ruling(), evidence::Ruling::not_judged);
    QCOMPARE(v->last_fault(), FaultKind::device_lost);
    QCOMPARE(s.started(), 2);
  }
  void deathBetweenRequestsIsNoticed() {
    Supervisor s(standin("good"));
    QVERIFY(s.gate(request()).has_value());
    ::kill(s.process_id(), SIGKILL);
    while (true) {  // until the kernel has closed its socket
      siginfo_t info{};
      if (::waitid(P_PID, static_cast<id_t>(s.process_id()), &info, WEXITED | WNOWAIT) == 0) break;
    }
    const auto v = s.gate(request());
    QVERIFY(v.has_value());
    QVERIFY(v->accepted);
    QCOMPARE(s.started(), 2);
  }
  void aWorkerThatLeavesIsReplacedAndItsReplyCounts() {
    for (const char* how : {"leaving", "leaving-stuck"}) {
      std::vector<int> pids;
      {
        Supervisor s(standin(how));
        for (int i = 1; i <= 3; ++i) {
          const auto v = s.gate(request(), {}, [&](const Progress&) { pids.push_back(s.process_id()); });
          QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
          QVERIFY(v->accepted);  // its successor is not blamed, and neither is it
          QCOMPARE(s.started(), i);
          QCOMPARE(s.process_id(), 0);
        }
      }
      QCOMPARE(pids.size(), std::size_t{3});
      for (const int pid : pids) QVERIFY(gone(pid));
    }
  }
  void subjectsBesideADeadlyOneAreTimedByTheNextWorker() {
    Supervisor s(standin("good"));
    TimeRequest r;
    r.spec = "op nothing";
    for (const char* name : {"a", "deadly", "b"}) r.subjects.push_back({name, "text", candidate::Language::cuda, ""});
    const auto t = s.time(r);
    QVERIFY2(t.has_value(), t ? "" : t.error().text().c_str());
    QCOMPARE(s.started(), 2);
    QCOMPARE(t->subjects.size(), std::size_t{3});
    QCOMPARE(t->subjects[0].name, std::string("a"));
    QCOMPARE(t->subjects[0].timings.at(0).samples.at(0).us, 5.0);
    QCOMPARE(t->subjects[1].error, std::string("it took the device with it"));
    QCOMPARE(t->subjects[2].name, std::string("b"));
    QVERIFY(!t->subjects[2].timings.empty());
  }
  void repliesToMeasurementsMustFollowTheProtocol() {
    TimeRequest r;
    r.spec = "op nothing";
    r.subjects = {{"a", "text", candidate::Language::cuda, ""}};
    Supervisor lazy(standin("lazy"));
    QCOMPARE(lazy.time(r).error().code, Code::corrupt);  // neither a time nor an error
    QCOMPARE(lazy.process_id(), 0);
    Supervisor s(standin("good"));  // a verdict answers everything else
    QCOMPARE(s.count({}).error().code, Code::corrupt);
    QCOMPARE(s.device({}).error().code, Code::corrupt);
    QCOMPARE(s.started(), 2);
    Supervisor dying(standin("abort"));
    QCOMPARE(dying.time(r).error().code, Code::crashed);
    const auto count = dying.count({});
    QCOMPARE(count.error().code, Code::crashed);
    QVERIFY2(count.error().message.find("while counting") != std::string::npos, count.error().message.c_str());
    DeviceRequest late;
    late.deadline = 100ms;
    QCOMPARE(Supervisor(standin("silent")).device(late).error().code, Code::timeout);
    std::stop_source source;
    source.request_stop();
    QCOMPARE(s.device({}, source.get_token()).error().code, Code::cancelled);
  }
  // On a processor that it shares with seven others, half a second takes it four.
  void deadlinesDoNotCountWaitingForAProcessor() {
    if (!QFile::exists("/proc/self/schedstat")) QSKIP("not on this kernel: it does not say how long threads wait");
    cpu_set_t own, one;
    QCOMPARE(::sched_getaffinity(0, sizeof own, &own), 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
      if (CPU_ISSET(cpu, &own)) CPU_SET(cpu, &one);
    QCOMPARE(::sched_setaffinity(0, sizeof one, &one), 0);
    std::vector<pid_t> others;
    for (int i = 0; i < 7; ++i)
      if (const pid_t pid = ::fork(); pid == 0)
        for (volatile unsigned n = 0;;) n = n + 1;
      else
        others.push_back(pid);
    GateRequest r = request();
    r.deadline = 1500ms;
    const auto v = Supervisor(standin("spin")).gate(r);
    for (const pid_t pid : others) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    QCOMPARE(::sched_setaffinity(0, sizeof own, &own), 0);
    QVERIFY2(v && v->accepted, v ? v->summary().c_str() : v.error().text().c_str());
  }
  void startFailuresAreErrors() {
    WorkerOptions none = standin("good");
    none.program = "/nonexistent/worker";
    QCOMPARE(Supervisor(none).warm_up().error().code, Code::unavailable);
    const Status dead = Supervisor(standin("dead-on-arrival")).warm_up();
    QCOMPARE(dead.error().code, Code::crashed);
    QVERIFY(dead.error().text().find("cannot load libsomething") != std::string::npos);
    WorkerOptions mute = standin("mute");
    mute.start_deadline = 100ms;
    QCOMPARE(Supervisor(mute).warm_up().error().code, Code::timeout);
  }
  // On its way to the worker such a byte would become U+FFFD, and another text would be judged.
  void whatIsNotUtf8IsSentToNoWorker() {
    Supervisor s(standin("good"));
    GateRequest r = request();
    r.candidate += "// \xff";
    const auto v = s.gate(r);
    QVERIFY(v.has_value() && !v->accepted && v->stages.size() == 6);
    QVERIFY2(failed(*v)->message.starts_with("byte ") && failed(*v)->message.ends_with("is not UTF-8 text"),
             failed(*v)->message.c_str());
    r = request();
    r.spec += "// \xc0\xaf";
    const auto spec = s.gate(r);
    QCOMPARE(spec.error().code, Code::invalid_argument);
    QVERIFY2(spec.error().message.find("of 'spec' is not UTF-8 text") != std::string::npos,
             spec.error().message.c_str());
    CompileRequest c;
    c.candidate = "\xff";
    QCOMPARE(s.compile(c).error().message, std::string("byte 1 of 'candidate' is not UTF-8 text"));
    TimeRequest t;
    t.subjects = {{"a", "x\xff", candidate::Language::cuda, ""}};
    QCOMPARE(s.time(t).error().message, std::string("byte 2 of 'candidate' is not UTF-8 text"));
    QCOMPARE(s.started(), 0);
  }
  void compileReportsDeathAsAnError() {
    Supervisor s(standin("abort"));
    const auto out = s.compile({});
    QVERIFY(!out);
    QCOMPARE(out.error().code, Code::crashed);
    QVERIFY(out.error().text().find("something terrible") != std::string::npos);
  }
  void aWorkerThatIgnoresShutdownIsEnded() {
    int pid = 0;
    {
      Supervisor s(standin("clinging"));
      QVERIFY(s.warm_up());
      pid = s.process_id();
    }
    QVERIFY(gone(pid));
  }
  void noFileIsLeftOpen() {
    const int before = open_files();
    for (const char* how : {"good", "abort", "garbage"}) {
      Supervisor s(standin(how));
      for (int i = 0; i < 3; ++i) QVERIFY(s.gate(request()).has_value());
    }
    QCOMPARE(open_files(), before);
  }
  void twoJudgesWorkAtTheSameTime() {
    QTemporaryDir dir;
    const std::string pipe = dir.filePath("pipe").toStdString();
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    WorkerOptions how = standin("meet");
    how.arguments.push_back(pipe);
    const GateRequest asked = gpu_request();
    Supervisor gpu(how);
    const auto verdict = SecondJudge(how).judge_beside(gpu, asked);
    QVERIFY2(verdict, verdict ? "" : verdict.error().text().c_str());
    QVERIFY(verdict->accepted && verdict->proof.also);
    QCOMPARE(verdict->proof.also->ruling, evidence::Ruling::accepted);
    QCOMPARE(verdict->proof.also->secret, verdict->proof.secret);
  }
  void theSecondJudgeIsNotWaitedForWhereTheFirstRejects() {
    const GateRequest asked = gpu_request();
    Supervisor gpu(standin("refuse-at-once"));
    const auto verdict = SecondJudge(standin("refuse-at-once")).judge_beside(gpu, asked);
    QVERIFY2(verdict, verdict ? "" : verdict.error().text().c_str());
    QVERIFY(verdict->ruling() == evidence::Ruling::rejected && !verdict->proof.also);
  }
  void twoJudgesAreStoppedTogether() {
    std::stop_source stop;
    const GateRequest asked = gpu_request();
    Supervisor gpu(standin("stubborn"));
    const auto verdict =
        SecondJudge(standin("stubborn")).judge_beside(gpu, asked, stop.get_token(), [&](const Progress&) {
          stop.request_stop();
        });
    QVERIFY(!verdict && verdict.error().code == Code::cancelled);
  }
  void manySupervisorsInManyThreads() {
    std::atomic<int> accepted{0}, crashed{0};
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
          Supervisor s(standin(t % 2 ? "abort" : "good"));
          for (int i = 0; i < 5; ++i) {
            const auto v = s.gate(request());
            if (v && v->accepted) ++accepted;
            if (v && !v->accepted) ++crashed;
          }
        });
    }
    QCOMPARE(accepted.load(), 10);
    QCOMPARE(crashed.load(), 10);
  }
};

QTEST_GUILESS_MAIN(SupervisorTest)
#include "supervisor_test.moc"
