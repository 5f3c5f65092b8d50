// SPDX-License-Identifier: Apache-2.0
// Transfers that are ended from this side: cancelled, not wanted further, or waited for too long.
#include <QtTest>
#include <atomic>
#include <thread>
#include "http/loopback_requests.h"

using namespace ww;
using namespace ww::http;
using namespace ww::http::test;
using namespace ww::support;
using namespace std::chrono_literals;

class CancelTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { without_proxies(); }

  void cancels_data() { ways(); }
  void cancels() {
    QFETCH(Way, way);
    for (const bool silent : {false, true}) {
      LoopbackServer server(always(silent ? answer({}, Answer::End::hang) : answer({{"some"}}, Answer::End::hang)),
                            served(way));
      Client client;
      std::stop_source source;
      std::thread other;
      if (silent) {
        other = std::thread([&] {
          while (server.received().empty()) std::this_thread::yield();
          source.request_stop();
        });
      }
      Response partial;
      const auto response = client.send(
          request_to(server, way), [&](std::string_view) { return source.request_stop(), true; }, source.get_token(),
          &partial);
      if (other.joinable()) other.join();
      QVERIFY(!response.has_value());
      QCOMPARE(response.error().code, Code::cancelled);
      QCOMPARE(partial.status, silent ? 0 : 200);
      QVERIFY(server.client_left(10s));
    }
  }

  void cancelsOneOfTwo() {  // on one connection, where nothing else is to be written; the rest goes on
    LoopbackServer server(
        [](const Received& r) {
          return answer({{"some"}}, r.target == "/quick" ? Answer::End::complete : Answer::End::hang);
        },
        served(Way::tls2));
    Client client;
    std::stop_source source;
    std::atomic<bool> began{false};
    Result<Response> response;
    std::thread other([&] {
      response = client.send(
          request_to(server, "/other"), [&](std::string_view) { return began = true; }, source.get_token());
    });
    while (!began) std::this_thread::yield();
    const auto ended = client.send(request_to(server, "/hangs"), [](std::string_view) { return false; }, {});
    const bool left = server.client_left(10s);
    const auto quick = client.send(request_to(server, "/quick"), {}, {});
    source.request_stop();
    other.join();
    QVERIFY(!ended && ended.error().code == Code::cancelled);
    QVERIFY(left);
    QVERIFY(quick.has_value());
    QVERIFY(!response && response.error().code == Code::cancelled);
    QCOMPARE(server.connections(), std::size_t{1});
  }

  void sinkEnds_data() { ways(); }
  void sinkEnds() {
    QFETCH(Way, way);
    LoopbackServer server(always(answer({{"some"}, {"more", 50ms}}, Answer::End::hang)), served(way));
    Client client;
    int calls = 0;
    const auto response = client.send(request_to(server, way), [&](std::string_view) { return ++calls, false; }, {});
    QVERIFY(!response.has_value());
    QCOMPARE(response.error().code, Code::cancelled);
    QCOMPARE(calls, 1);
    QVERIFY(server.client_left(10s));
  }

  void clientGoes() {
    LoopbackServer server(always(answer({{"some"}}, Answer::End::hang)));
    auto client = std::make_unique<Client>();
    std::atomic<bool> began{false};
    Result<Response> response;
    std::thread other([&, c = client.get()] {
      response = c->send(request_to(server), [&](std::string_view) { return began = true; }, {});
    });
    while (!began) std::this_thread::yield();
    client.reset();
    other.join();
    QVERIFY(!response.has_value());
    QCOMPARE(response.error().code, Code::cancelled);
  }

  void standsStill() {
    LoopbackServer server([](const Received& r) {
      return r.target == "/silent" ? answer({}, Answer::End::hang)
                                   : answer({{r.target == "/head" ? "" : "some"}}, Answer::End::hang);
    });
    Client client;
    Request r = request_to(server, "/silent");
    r.first_byte_timeout = 120ms;
    r.idle_timeout = 1h;
    Response partial;
    const auto silent = client.send(r, {}, {}, &partial);
    QVERIFY(!silent && silent.error().code == Code::timeout &&
            says(silent.error(), "did not begin its reply within 120 ms"));
    QCOMPARE(partial.status, 0);
    r.url = server.url() + "/head";  // the head alone is no reply yet
    const auto head = client.send(r, {}, {}, &partial);
    QVERIFY(!head && head.error().code == Code::timeout && says(head.error(), "did not begin its reply"));
    QCOMPARE(partial.status, 200);
    r.url = server.url() + "/some";
    r.first_byte_timeout = 1h;
    r.idle_timeout = 120ms;
    partial = {};
    const auto idle = client.send(r, {}, {}, &partial);
    QVERIFY(!idle && idle.error().code == Code::timeout && says(idle.error(), "stalled for 120 ms after 4 bytes"));
    QCOMPARE(partial.status, 200);
    QCOMPARE(partial.body, std::string("some"));
    Port port(true);  // accepts, and never shakes hands
    r = {};
    r.url = "https://127.0.0.1:" + std::to_string(port.number);
    r.connect_timeout = 150ms;
    const auto connect = client.send(r, {}, {});
    QVERIFY(!connect && connect.error().code == Code::timeout && says(connect.error(), "No connection to"));
  }
};

QTEST_GUILESS_MAIN(CancelTest)
#include "cancel_test.moc"
