// SPDX-License-Identifier: Apache-2.0
// What a worker answers to time, profile and device, on a device that behaves as hardware does; and the server
// that must leave.
#include <QtTest>
#include <cmath>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gate/fake_device.h"
#include "rpc/framing.h"
#include "rpc/messages.h"
#include "rpc/server.h"
#include "rpc/session.h"

using namespace ww;
using namespace ww::rpc;
using namespace ww::test;

namespace {

const char* scale_spec = "op scale(x: f32[N]; a = 2.5) -> y: f32[N]\n  default N = 4096\n{\n  y[i] = a * x[i]\n}\n";

std::string scale(const std::string& kernel) {
  return "//@ candidate scale\n//@ launch " + kernel +
         " grid(ceildiv(N, 128)) block(128) args(x, y, N, a)\nextern \"C\" __global__ void " + kernel +
         "(const float* x, float* y, int n, float a) {}\n";
}

// A device of its own for every opening; kernels "good", "wrong", "deadly".
std::unique_ptr<FakeDevice> hardware() {
  auto d = std::make_unique<FakeDevice>();
  d->be_hardware();
  FakeDevice* raw = d.get();
  d->kernels["good"] = good_scale;
  d->kernels["slow"] = good_scale;
  d->kernels["wrong"] = [](FakeExecution& e, const candidate::PlannedLaunch& l, const device::LaunchOptions& o) {
    const auto fault = good_scale(e, l, o);
    e.set("y", 7, std::nan(""));
    return fault;
  };
  d->kernels["deadly"] = [raw](FakeExecution&, const candidate::PlannedLaunch&, const device::LaunchOptions&) {
    raw->context = false;
    Fault f;
    f.kind = FaultKind::out_of_bounds;
    f.message = "an illegal memory access";
    return std::optional(f);
  };
  d->time_us = [](const std::string& name) { return name == "slow" ? 20.0 : 10.0; };
  return d;
}

}  // namespace

class SessionTest : public QObject {
  Q_OBJECT
  std::unique_ptr<Session> session_;

  FakeDevice& device() { return static_cast<FakeDevice&>(*session_->devices.at("fake:0").device); }
  static TimeRequest request(std::initializer_list<const char*> kernels) {
    TimeRequest r;
    r.spec = scale_spec;
    r.device = "fake:0";
    r.rounds = 2;
    r.samples = 3;
    for (const char* k : kernels) r.subjects.push_back({k, scale(k), candidate::Language::cuda, ""});
    return r;
  }

 private slots:
  void initTestCase() {
    device::add_kind("fake", [](std::string_view) -> Result<std::unique_ptr<device::Device>> { return hardware(); });
  }
  void init() {
    session_ = std::make_unique<Session>();
    session_->compiler = std::make_unique<FakeCompiler>();
    session_->threads = 1;
  }
  void subjectsAreTimedAndVerified() {
    const auto r = time(*session_, request({"good", "slow"}), {}, {});
    QVERIFY2(r.has_value(), r ? "" : r.error().text().c_str());
    QCOMPARE(r->device.gpu, std::string("Fake GPU"));
    QCOMPARE(r->subjects.size(), std::size_t{2});
    for (const TimedOutcome& o : r->subjects) {
      QCOMPARE(o.error, std::string());
      QVERIFY(o.verified);
      QCOMPARE(o.note, std::string("outputs verified after 2 rounds"));
      QCOMPARE(o.timings.size(), std::size_t{2});
      QCOMPARE(o.timings[0].samples.size(), std::size_t{6});
    }
    QCOMPARE(r->subjects[1].timings[0].samples[0].us, 20.0);
    QVERIFY(!session_->lost());
  }
  void roundsCanBeContinued() {
    TimeRequest q = request({"good"});
    q.round_offset = 5;
    q.warm = false;
    const auto r = time(*session_, q, {}, {});
    QCOMPARE(r->subjects[0].timings.size(), std::size_t{1});
    QCOMPARE(r->subjects[0].timings[0].samples.front().round, 5);
    QCOMPARE(r->subjects[0].timings[0].samples.back().round, 6);
  }
  void aWrongSubjectIsNotTimed() {
    TimeRequest q = request({"wrong", "good"});
    q.subjects.push_back({"absent", scale("missing"), candidate::Language::cuda, ""});
    q.subjects.push_back({"library", "", candidate::Language::cuda, "cublas"});
    const auto r = time(*session_, q, {}, {});
    QVERIFY(r.has_value());
    QVERIFY2(r->subjects[0].error.find("y[7] is nan") == 0, r->subjects[0].error.c_str());
    QVERIFY(r->subjects[0].timings.empty());
    QVERIFY(r->subjects[1].verified);
    QVERIFY(r->subjects[2].error.find("no kernel missing") != std::string::npos);
    QVERIFY(r->subjects[3].error.find("without baselines") != std::string::npos);
  }
  void verifyingCanBeLeftOut() {
    TimeRequest q = request({"wrong"});
    q.verify = false;
    const auto r = time(*session_, q, {}, {});
    QCOMPARE(r->subjects[0].error, std::string());
    QVERIFY(!r->subjects[0].verified);
    QCOMPARE(r->subjects[0].note, std::string("outputs not verified: not asked for"));
    QVERIFY(!r->subjects[0].timings.empty());
  }
  void aDeadlySubjectLeavesTheOthersUntimed() {
    const auto r = time(*session_, request({"good", "deadly", "slow"}), {}, {});
    QVERIFY(r.has_value());
    QCOMPARE(r->subjects[1].error, std::string("an illegal memory access"));
    for (const int other : {0, 2}) {
      QCOMPARE(r->subjects[static_cast<std::size_t>(other)].error, std::string());
      QVERIFY(r->subjects[static_cast<std::size_t>(other)].timings.empty());
    }
    QCOMPARE(session_->lost().value_or(""), std::string("fake:0"));
  }
  void theSimtMachineDoesNotTime() {
    TimeRequest q = request({"good"});
    q.device = "simt";
    QCOMPARE(time(*session_, q, {}, {}).error().code, Code::unsupported);
    q.device = "quantum";
    QCOMPARE(time(*session_, q, {}, {}).error().code, Code::unavailable);
    q = request({"good"});
    q.spec = "op";
    QCOMPARE(time(*session_, q, {}, {}).error().code, Code::parse);
    session_->compiler.reset();
    session_->compiler_error = {Code::unavailable, "no compiler", {}};
    QCOMPARE(time(*session_, request({"good"}), {}, {}).error().message, std::string("no compiler"));
  }
  void countersOfOneCandidate() {
    CountRequest q;
    q.spec = scale_spec;
    q.device = "fake:0";
    q.candidate = scale("good");
    auto r = count(*session_, q, {});
    QVERIFY2(r.has_value(), r ? "" : r.error().text().c_str());
    QCOMPARE(r->set, std::string("small"));
    QCOMPARE(r->kernels.at(0).kernel, std::string("good"));
    q.device = "simt";
    QCOMPARE(count(*session_, q, {}).error().code, Code::unsupported);
    q.device = "fake:0";
    q.candidate = scale("deadly");
    QCOMPARE(count(*session_, q, {}).error().message, std::string("an illegal memory access"));
    QVERIFY(session_->lost().has_value());
  }
  void factsOfTheDevice() {
    auto r = device_facts(*session_, {"fake:0", false}, {});
    QCOMPARE(r->details.gpu, std::string("Fake GPU"));
    QVERIFY(!r->ceilings);
    r = device_facts(*session_, {"fake:0", true}, {});
    QCOMPARE(r->ceilings->copy_bandwidth, 8e9);
    QCOMPARE(device_facts(*session_, {"simt", false}, {}).error().code, Code::unsupported);
  }
  // The server in a process of its own, without a compiler's need: it answers, says that it leaves, and ends.
  void theServerLeavesAfterALostContext() {
    int pair[2];
    QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::close(pair[0]);
      ::_exit(serve(pair[1], pair[1], {}));
    }
    ::close(pair[1]);
    const auto send = [&](const std::string& body) {
      const std::string bytes = frame(body);
      QCOMPARE(::write(pair[0], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    };
    FrameReader frames;
    const auto receive = [&]() -> std::optional<Message> {
      for (;;) {
        auto body = frames.next();
        if (body && *body) {
          auto m = read_message(**body);
          return m ? std::optional(std::move(*m)) : std::nullopt;
        }
        char buffer[1 << 16];
        const ssize_t n = ::read(pair[0], buffer, sizeof buffer);
        if (!body || n <= 0) return std::nullopt;
        frames.feed({buffer, static_cast<std::size_t>(n)});
      }
    };
    send(request_text(1, "initialize", {{"version", protocol_version}, {"threads", 1}}));
    const auto first = receive();
    QVERIFY(first && first->result);
    QVERIFY2(!(*first->result)["compiler"].contains("error"), (*first->result)["compiler"].dump().c_str());
    CountRequest q;
    q.spec = scale_spec;
    q.device = "fake:0";
    q.candidate = scale("good");
    send(request_text(2, "profile", json::of(q)));
    const auto good = receive();
    QVERIFY(good && good->result);
    send(request_text(3, "step", Json::object()));
    QCOMPARE(receive()->error->code, Code::invalid_argument);
    send(request_text(4, "time", {{"subjects", 3}}));
    QCOMPARE(receive()->error->code, Code::invalid_argument);
    q.candidate = scale("deadly");
    send(request_text(5, "profile", json::of(q)));
    const auto leaving = receive();
    QVERIFY(leaving.has_value());
    QCOMPARE(leaving->method, std::string("leaving"));
    QCOMPARE(leaving->params["id"].get<int>(), 5);
    const auto last = receive();
    QVERIFY(last && last->error);
    QCOMPARE(last->error->message, std::string("an illegal memory access"));
    QVERIFY(!receive());
    int status = 0;
    QCOMPARE(::waitpid(pid, &status, 0), pid);
    QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ::close(pair[0]);
  }
};

QTEST_GUILESS_MAIN(SessionTest)
#include "session_test.moc"
