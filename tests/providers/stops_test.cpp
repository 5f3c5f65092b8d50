// SPDX-License-Identifier: Apache-2.0
// Requests to providers that are stopped: before, between and within their attempts, by the caller or by who watches.
#include <QtTest>
#include <atomic>
#include <thread>
#include "stages.h"

using namespace ww;
using namespace ww::cases;

class StopsTest : public QObject, cases::Stages {
  Q_OBJECT

 private slots:
  void initTestCase() { open(); }

  void cancelled_data() {
    QTest::addColumn<QString>("dialect");
    QTest::addColumn<QString>("way");
    for (const char* d : {"chat", "responses", "messages"})
      for (const char* way : {"http1", "http2"}) QTest::addRow("%s in mid-stream, %s", d, way) << d << way;
  }
  void cancelled() {
    QFETCH(QString, dialect);
    QFETCH(QString, way);
    Stage& s = stage(way.toStdString());
    Answer a;
    a.pieces = {{cases::usual(dialect.toStdString(), false), 0ms}};
    a.end = Answer::End::hang;  // the timeouts are minutes: only the cancellation ends it
    s.play({a});
    const auto provider = provider_of(endpoint_of({{"attempts", 3}}, dialect.toStdString(), s.server));
    std::stop_source stop;
    Watcher w;
    std::thread canceller;
    std::chrono::steady_clock::time_point at;
    std::atomic<bool> begun{false};
    w.on_delta = [&](const Delta&) {
      if (begun.exchange(true)) return;
      canceller = std::thread([&] {
        std::this_thread::sleep_for(20ms);
        at = std::chrono::steady_clock::now();
        stop.request_stop();
      });
    };
    const auto reply = provider->complete(request_of(none), w, stop.get_token());
    const auto end = std::chrono::steady_clock::now();
    QVERIFY(begun);
    canceller.join();
    QVERIFY(!reply && reply.error().code == Code::cancelled);
    QCOMPARE(s.received().size(), std::size_t{1});
    QVERIFY(s.server.client_left(5s));
    qInfo("returned after %lld ms",
          static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(end - at).count()));
  }

  void cancelled_between_attempts() {
    Answer a;
    a.status = 429;
    a.headers.emplace_back("retry-after", "200");
    plain_->play({a});
    const auto provider = provider_of(endpoint_of({{"attempts", 3}}, "chat", plain_->server));
    std::stop_source stop;
    Watcher w;
    w.on_delta = [&](const Delta& d) {
      if (d.kind == Delta::Kind::wait) stop.request_stop();
    };
    const auto reply = provider->complete(request_of(none), w, stop.get_token());
    QVERIFY(!reply && reply.error().code == Code::cancelled);
    QVERIFY(w.waits.find("429: the service asks to wait 3 min") != std::string::npos);
    QCOMPARE(plain_->received().size(), std::size_t{1});
  }

  void a_long_wait_is_taken_where_the_observer_agrees() {
    Answer busy, good;
    busy.status = 429;
    busy.headers.emplace_back("retry-after-ms", "20");
    good.pieces = {{cases::usual("chat", true)}};
    llm::Endpoint endpoint = endpoint_of({{"attempts", 3}}, "chat", plain_->server);
    endpoint.retry_budget = 1ms;
    for (const bool patient : {true, false}) {
      plain_->play({busy, busy, good});
      Watcher w;
      w.patient = patient;
      const auto reply = provider_of(endpoint)->complete(request_of(none), w, {});
      QCOMPARE(reply.has_value(), patient);
      QCOMPARE(plain_->received().size(), std::size_t{patient ? 3U : 1U});
      QVERIFY(!w.awaited.empty() && w.awaited.front() >= 20ms);
      if (patient) {  // two waits, each to its end
        QCOMPARE(std::count(w.awaited.begin(), w.awaited.end(), 0ms), 2);
        QCOMPARE(reply->attempts, 3);
      } else {
        QCOMPARE(w.awaited.size(), std::size_t{1});
        QVERIFY(reply.error().code == Code::unavailable);
      }
    }
  }

  void long_waits_are_bounded() {  // a service could ask for another one for ever
    Answer busy;
    busy.status = 429;
    busy.headers.emplace_back("retry-after-ms", "20");
    llm::Endpoint endpoint = endpoint_of({{"attempts", 3}}, "chat", plain_->server);
    endpoint.retry_budget = 1ms;
    plain_->play({busy});
    Watcher w;
    w.patient = true;
    const auto reply = provider_of(endpoint)->complete(request_of(none), w, {});
    QVERIFY(!reply && reply.error().code == Code::unavailable);
    QCOMPARE(std::count(w.awaited.begin(), w.awaited.end(), 0ms), 3);
    QCOMPARE(plain_->received().size(), std::size_t{4});
  }

  void a_negative_wait_is_none() {
    Answer busy, good;
    busy.status = 429;
    busy.headers.emplace_back("retry-after", "-5");
    good.pieces = {{cases::usual("chat", true)}};
    plain_->play({busy, good});
    Watcher w;
    w.patient = true;
    const auto reply =
        provider_of(endpoint_of({{"attempts", 3}}, "chat", plain_->server))->complete(request_of(none), w, {});
    QVERIFY(reply.has_value() && w.awaited.empty());
    QVERIFY2(w.waits.find("asks to wait") == std::string::npos, w.waits.c_str());
  }

  void a_long_wait_is_cancelled() {
    Answer busy;
    busy.status = 429;
    busy.headers.emplace_back("retry-after", "4000");
    plain_->play({busy});
    std::stop_source stop;
    struct Stopping : Watcher {
      std::stop_source* stop = nullptr;
      bool awaits(std::chrono::milliseconds) override { return stop->request_stop(), true; }
    } w;
    w.stop = &stop;
    const auto reply = provider_of(endpoint_of({{"attempts", 3}}, "messages", plain_->server))
                           ->complete(request_of(none), w, stop.get_token());
    QVERIFY(!reply && reply.error().code == Code::cancelled);
    QCOMPARE(plain_->received().size(), std::size_t{1});
  }

  void cancelled_before() {
    plain_->play({Answer{}});
    const auto provider = provider_of(endpoint_of(none, "chat", plain_->server));
    std::stop_source stop;
    stop.request_stop();
    Watcher w;
    QVERIFY(provider->complete(request_of(none), w, stop.get_token()).error().code == Code::cancelled);
    QVERIFY(provider->models(stop.get_token()).error().code == Code::cancelled);
    QVERIFY(w.sent.empty());
    QVERIFY(plain_->received().empty());
  }

  void observer_stops() {  // before the first attempt, and before the second
    Answer a;
    a.status = 503;
    for (const int at : {1, 2}) {
      plain_->play({a});
      Watcher w;
      w.refuse_at = at;
      const auto reply =
          provider_of(endpoint_of({{"attempts", 5}}, "messages", plain_->server))->complete(request_of(none), w, {});
      QVERIFY(!reply);
      QCOMPARE(reply.error().message, std::string("the budget is used up"));
      QCOMPARE(plain_->received().size(), static_cast<std::size_t>(at - 1));
    }
  }
};

QTEST_GUILESS_MAIN(StopsTest)
#include "stops_test.moc"
