// SPDX-License-Identifier: Apache-2.0
// The HTTP client against servers of its own on loopback. Nothing here needs a network.
#include <QtTest>
#include <csignal>
#include <thread>
#include "base/hash.h"
#include "http/loopback_requests.h"

using namespace ww;
using namespace ww::http;
using namespace ww::http::test;
using namespace ww::support;
using namespace std::chrono_literals;

namespace {

struct Variable {  // of the environment, while it lives
  const char* name;
  Variable(const char* n, const std::string& value) : name(n) { qputenv(n, QByteArray::fromStdString(value)); }
  ~Variable() { qunsetenv(name); }
};

}  // namespace

class ClientTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { without_proxies(); }

  void asks_data() { ways(); }
  void asks() {
    QFETCH(Way, way);
    Answer a = answer({{"one "}, {"two"}});
    a.headers = {{"Content-Type", "text/plain"}, {"X-Twice", "a"}, {"x-twice", "b"}, {"x-empty", ""}};
    LoopbackServer server(always(a), served(way));
    Client client;
    Request r = request_to(server, way, "/v1/messages?x=1", "the body");
    r.headers = {{"Content-Type", "application/json"}, {"x-a", "1"}, {"x-none", ""}};
    std::string got;
    const auto response = client.send(r, [&](std::string_view bytes) { return got += bytes, true; }, {});
    QVERIFY2(response.has_value(), response ? "" : response.error().text().c_str());
    QCOMPARE(response->status, 200);
    QCOMPARE(response->version, is_two(way) ? 20 : 11);
    QCOMPARE(got, std::string("one two"));
    QVERIFY(response->body.empty());
    QVERIFY(response->first_byte_seconds > 0 && response->first_byte_seconds <= response->seconds);
    std::string twice;
    for (const auto& [name, value] : response->headers) {
      QCOMPARE(QString::fromStdString(name), QString::fromStdString(name).toLower());
      if (name == "x-twice") twice += value;
      if (name == "x-empty") QCOMPARE(value, std::string());
    }
    QCOMPARE(twice, std::string("ab"));
    const Received seen = server.received().at(0);
    QCOMPARE(seen.method, std::string("POST"));
    QCOMPARE(seen.target, std::string("/v1/messages?x=1"));
    QCOMPARE(seen.body, std::string("the body"));
    QCOMPARE(seen.version, is_two(way) ? 20 : 11);
    QCOMPARE(seen.header("content-type"), std::string("application/json"));
    QCOMPARE(seen.header("x-a"), std::string("1"));
    QVERIFY(seen.header("accept-encoding").find("gzip") != std::string::npos);
  }

  void methods() {
    LoopbackServer server([](const Received& r) { return answer({{r.method + " " + r.body}}); });
    Client client;
    for (const auto& [method, body] : std::initializer_list<std::pair<std::string, std::string>>{
             {"GET", ""}, {"POST", ""}, {"DELETE", ""}, {"PUT", "x"}, {"GET", "x"}}) {
      Request r = request_to(server, "/", body);
      r.method = method;
      const auto response = client.send(r, {}, {});
      QVERIFY(response.has_value());
      QCOMPARE(response->body, method + " " + body);
    }
    QCOMPARE(server.connections(), std::size_t{1});  // kept
    QVERIFY(server.received().at(1).header("content-type").empty());
  }

  void unpacks_data() { ways(); }
  void unpacks() {
    QFETCH(Way, way);
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "line " + std::to_string(i * 7919) + " \xE2\x82\xAC\n";
    for (const bool length : {false, true}) {
      Answer a;
      a.gzip = true;
      a.length = length;
      for (std::size_t at = 0; at < text.size(); at += 777) a.pieces.push_back({text.substr(at, 777)});
      LoopbackServer server(always(a), served(way));
      Client client;
      std::string got;
      const auto response =
          client.send(request_to(server, way), [&](std::string_view bytes) { return got += bytes, true; }, {});
      QVERIFY2(response.has_value(), response ? "" : response.error().text().c_str());
      QVERIFY(got == text);
    }
  }

  void streams_data() { ways(); }
  void streams() {  // what has come is handed over before the rest is there
    QFETCH(Way, way);
    for (const bool gzip : {false, true}) {
      Answer a = answer({{"first"}}, Answer::End::hang);
      a.gzip = gzip;
      LoopbackServer server(always(a), served(way));
      Client client;
      std::string got;
      const auto response =
          client.send(request_to(server, way), [&](std::string_view bytes) { return (got += bytes) != "first"; }, {});
      QVERIFY(!response && response.error().code == Code::cancelled);
      QCOMPARE(got, std::string("first"));
    }
  }

  void refusalsAreKept_data() { ways(); }
  void refusalsAreKept() {
    QFETCH(Way, way);
    Answer a = answer({{"{\"error\":"}, {"1}"}});
    a.status = 429;
    a.headers = {{"Retry-After", "3"}};
    LoopbackServer server(
        [&](const Received& r) {
          if (r.target == "/long")
            return [] {
              Answer l = answer({});
              l.status = 500;
              l.pieces.assign(300, {std::string(10000, 'x')});
              return l;
            }();
          return a;
        },
        served(way));
    Client client;
    bool called = false;
    const auto sink = [&](std::string_view) { return called = true; };
    const auto response = client.send(request_to(server, way), sink, {});
    QVERIFY(response.has_value());
    QCOMPARE(response->status, 429);
    QCOMPARE(response->body, std::string("{\"error\":1}"));
    QVERIFY(std::find(response->headers.begin(), response->headers.end(),
                      std::pair<std::string, std::string>("retry-after", "3")) != response->headers.end());
    const auto cut = client.send(request_to(server, way, "/long"), sink, {});
    QVERIFY(cut.has_value());
    QCOMPARE(cut->status, 500);
    QCOMPARE(cut->body.size(), std::size_t{1} << 20);
    QVERIFY(!called);
  }

  void breaks_data() { ways(); }
  void breaks() {
    QFETCH(Way, way);
    for (const auto end : {Answer::End::cut, Answer::End::reset})
      for (const bool length : {false, true})
        for (const bool gzip : {false, true}) {
          Answer a = answer({{"some "}, {"bytes"}}, end);
          a.length = length;
          a.gzip = gzip;
          LoopbackServer server(always(a), served(way));
          Client client;
          std::string got;
          Response partial;
          const auto response = client.send(
              request_to(server, way), [&](std::string_view bytes) { return got += bytes, true; }, {}, &partial);
          QVERIFY(!response.has_value());
          QCOMPARE(response.error().code, Code::io);
          QVERIFY(says(response.error(), ("broke off after " + std::to_string(got.size()) + " bytes").c_str()));
          QVERIFY(!response.error().cause.empty());
          if (is_two(way))
            QVERIFY(std::string("some bytes").compare(0, got.size(), got) ==
                    0);  // libcurl drops what it reads together with a reset of the stream
          else
            QCOMPARE(got, std::string("some bytes"));
          QCOMPARE(partial.status, 200);
          QVERIFY(!partial.headers.empty());
        }
  }

  void silentEnds_data() { ways(); }
  void silentEnds() {
    QFETCH(Way, way);
    for (const auto end : {Answer::End::cut, Answer::End::reset}) {
      LoopbackServer server(always(answer({}, end)), served(way));
      Client client;
      Response partial;
      const auto response = client.send(request_to(server, way), {}, {}, &partial);
      QVERIFY(!response.has_value());
      QCOMPARE(response.error().code, Code::io);
      QVERIFY(says(response.error(), "without a reply"));
      QCOMPARE(partial.status, 0);
    }
  }

  void garbage_data() { ways(); }
  void garbage() {
    QFETCH(Way, way);
    LoopbackServer server(
        always(answer({{std::string("\x00\xFF not HTTP at all, and long enough for a frame\r\n\r\n", 50)}},
                      Answer::End::garbage)),
        served(way));
    Client client;
    const auto response = client.send(request_to(server, way), {}, {});
    QVERIFY(!response.has_value());
    QVERIFY2(response.error().code == (is_two(way) ? Code::io : Code::corrupt), response.error().text().c_str());
  }

  void wrongCompression() {
    Answer a = answer({{"this is not compressed"}});
    a.headers.emplace_back("content-encoding", "gzip");
    LoopbackServer server(always(a));
    Client client;
    const auto response = client.send(request_to(server), {}, {});
    QVERIFY(!response.has_value());
    QCOMPARE(response.error().code, Code::corrupt);
  }

  void certificates() {
    ServerOptions o;
    o.tls = true;
    LoopbackServer good(always(answer({{"x"}})), o), another(always(answer({{"x"}})), o);
    o.certificate = ServerOptions::Certificate::expired;
    LoopbackServer expired(always(answer({{"x"}})), o);
    o.certificate = ServerOptions::Certificate::other_name;
    LoopbackServer other_name(always(answer({{"x"}})), o);
    Client client;
    QVERIFY(client.send(request_to(good), {}, {}).has_value());
    const auto refused = [&](const Request& r, const char* words) {
      const auto response = client.send(r, {}, {});
      return !response && response.error().code == Code::untrusted && !response.error().cause.empty() &&
             says(response.error(), words);
    };
    QVERIFY(refused(request_to(expired), "has expired"));
    QVERIFY(refused(request_to(other_name), "is for another name"));
    Request r = request_to(good);
    r.ca_file = another.ca_file();
    QVERIFY(refused(r, "authority that this machine does not know"));
    r.ca_file = "/nowhere/authorities.pem";
    QVERIFY(refused(r, "authorities cannot be read"));
    r = request_to(good);
    r.url.replace(r.url.find("localhost"), 9, "127.0.0.1");  // also a name of the certificate
    QVERIFY(client.send(r, {}, {}).has_value());
    r.ca_file.clear();
    {
      const Variable file("SSL_CERT_FILE", good.ca_file().string());
      QVERIFY(Client().send(r, {}, {}).has_value());
    }
    QVERIFY(expired.received().empty() && other_name.received().empty() && another.received().empty());
    QCOMPARE(good.received().size(), std::size_t{3});
  }

  void noServer() {
    Client client;
    Request r;
    {
      const Port port(false);
      r.url = "http://127.0.0.1:" + std::to_string(port.number) + "/";
      const auto refused = client.send(r, {}, {});
      QVERIFY(!refused && refused.error().code == Code::unavailable && says(refused.error(), "refuses connections"));
      QVERIFY(refused.error().cause.empty());  // the time that it took would make two of one fault
    }
    r.url = "https://" + std::string(70, 'a') + ".invalid/";  // no name can be that long: no server of names is asked
    const auto unknown = client.send(r, {}, {});
    QVERIFY(!unknown && unknown.error().code == Code::unavailable && says(unknown.error(), "is not known"));
    // What a host is called says nothing of what went wrong.
    r.url = "https://certificate-timeout-refused." + std::string(70, 'a') + ".invalid/";
    const auto misleading = client.send(r, {}, {});
    QVERIFY(!misleading && misleading.error().code == Code::unavailable && says(misleading.error(), "is not known"));
    LoopbackServer plain(always(answer({{"x"}})));
    r.url = "https://" + plain.url().substr(7);
    const auto tls = client.send(r, {}, {});
    QVERIFY(!tls && tls.error().code == Code::unavailable && says(tls.error(), "does it speak https"));
  }

  void badRequests() {
    LoopbackServer server(always(answer({{"x"}})));
    Client client;
    const auto refused = [&](const std::function<void(Request&)>& change) {
      Request r = request_to(server);
      change(r);
      const auto response = client.send(r, {}, {});
      if (response || response.error().code != Code::invalid_argument)
        return qWarning("%s", response ? "accepted" : response.error().text().c_str()), false;
      return response.error().text().find("sk-planted") == std::string::npos;
    };
    for (const char* url : {"", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "127.0.0.1",
                            "http://127.0.0.1:port/", "http://a b/"})
      QVERIFY2(refused([&](Request& r) { r.url = url; }), url);
    QVERIFY(refused([&](Request& r) { r.url.insert(7, "user:sk-planted@"); }));
    QVERIFY(refused([](Request& r) { r.headers = {{"x-a", "1\r\nx-b: 2"}}; }));
    QVERIFY(refused([](Request& r) { r.headers = {{"x-a: 1\r\nx-b", "2"}}; }));
    QVERIFY(refused([](Request& r) { r.method = "GET / HTTP/1.1\r\nx:"; }));
    QVERIFY(refused([](Request& r) { r.secret = Secret("sk-planted-key\n"), r.secret_header = "authorization"; }));
    QVERIFY(refused([](Request& r) { r.secret = Secret("sk-planted-key"), r.secret_header = ""; }));
    QVERIFY(server.received().empty());
  }

  void keyOnlyInItsHeader_data() { ways(); }
  void keyOnlyInItsHeader() {
    QFETCH(Way, way);
    LoopbackServer elsewhere(always(answer({{"x"}})));
    LoopbackServer server(
        [&](const Received&) {
          Answer a = answer({{"moved"}});
          a.status = 307;
          a.headers = {{"location", elsewhere.url() + "/stolen"}};
          return a;
        },
        served(way));
    Client client;
    Request r = request_to(server, way);
    r.secret = Secret("sk-planted-0123456789");
    r.secret_header = "authorization";
    r.secret_prefix = "Bearer ";
    for (int i = 0; i < 2; ++i) {
      const auto response = client.send(r, {}, {});
      QVERIFY(response.has_value());
      QCOMPARE(response->status, 307);  // nobody follows it
      QCOMPARE(response->body, std::string("moved"));
    }
    QVERIFY(elsewhere.received().empty());
    r.secret = {};
    QVERIFY(client.send(r, {}, {}).has_value());
    const auto seen = server.received();
    QCOMPARE(seen.size(), std::size_t{3});
    for (const Received& s : seen) {
      QCOMPARE(s.header("authorization"), s.number < 2 ? std::string("Bearer sk-planted-0123456789") : std::string());
      QVERIFY((s.target + s.body).find("planted") == std::string::npos);
      for (const auto& [name, value] : s.headers)
        QVERIFY(name == "authorization" || value.find("planted") == std::string::npos);
    }
  }

  void proxies() {
    LoopbackServer direct(always(answer({{"direct"}})));
    LoopbackServer proxy([](const Received& r) {
      Answer a = answer({{"by proxy"}});
      if (r.method == "CONNECT") a.status = 403;
      return a;
    });
    const Variable plain("http_proxy", proxy.url()), secure("https_proxy", proxy.url());
    Client client;
    Request r;
    r.url = "http://models.invalid/v1/x";
    const auto response = client.send(r, {}, {});
    QVERIFY2(response.has_value(), response ? "" : response.error().text().c_str());
    QCOMPARE(response->body, std::string("by proxy"));
    QCOMPARE(proxy.received().at(0).target, r.url);
    r.url = "https://models.invalid/v1/x";
    const auto refused = client.send(r, {}, {});
    QVERIFY(!refused && refused.error().code == Code::unavailable && says(refused.error(), "proxy did not connect") &&
            says(refused.error(), "403"));
    QCOMPARE(proxy.received().at(1).method, std::string("CONNECT"));
    const Variable all("all_proxy", proxy.url()), All("ALL_PROXY", proxy.url());
    for (const char* name : {"127.0.0.1", "localhost", "127.1", "0x7f000001"}) {  // this machine, without no_proxy
      r = request_to(direct);
      r.url.replace(r.url.find("127.0.0.1"), 9, name);
      const auto past = client.send(r, {}, {});
      QVERIFY2(past.has_value(), past ? "" : past.error().text().c_str());
      QCOMPARE(past->body, std::string("direct"));
    }
    QCOMPARE(proxy.received().size(), std::size_t{2});
  }

  void manyAtOnce_data() { ways(); }
  void manyAtOnce() {
    QFETCH(Way, way);
    constexpr int transfers = 24;
    LoopbackServer server(
        [](const Received& r) {
          return answer({{r.body}, {r.target, 60ms}, {r.body, 60ms}});
        },
        served(way));
    Client client;
    std::vector<std::thread> threads;
    std::vector<std::string> got(transfers);
    std::atomic<int> fine{0};
    for (int i = 0; i < transfers; ++i)
      threads.emplace_back([&, i] {
        const auto response = client.send(request_to(server, way, "/" + std::to_string(i), "body " + std::to_string(i)),
                                          [&](std::string_view bytes) { return got[i] += bytes, true; }, {});
        if (response)
          ++fine;
        else
          qWarning("%s", response.error().text().c_str());
      });
    for (auto& t : threads) t.join();
    QCOMPARE(fine.load(), transfers);
    for (int i = 0; i < transfers; ++i) {
      const std::string body = "body " + std::to_string(i);
      QCOMPARE(got[i], body + "/" + std::to_string(i) + body);
    }
    if (way == Way::tls2)
      QCOMPARE(server.connections(), std::size_t{1});
    else
      QVERIFY(server.connections() > 1 && server.connections() <= transfers);
  }

  void slowCaller_data() { ways(); }
  void slowCaller() {  // more than waits for it: the transfer pauses, and loses nothing
    QFETCH(Way, way);
    std::string text;
    for (int i = 0; i < 20000; ++i) text += hash_hex(std::to_string(i));
    for (int i = 0; i < 2; ++i) text += text;  // 5 MB
    for (const bool gzip : {false, true}) {
      Answer a;
      a.gzip = gzip;
      for (std::size_t at = 0; at < text.size(); at += 400000) a.pieces.push_back({text.substr(at, 400000)});
      LoopbackServer server(always(a), served(way));
      Client client;
      std::string got;
      std::size_t largest = 0;
      const auto response = client.send(request_to(server, way),
                                        [&](std::string_view bytes) {
                                          if (got.empty()) std::this_thread::sleep_for(100ms);
                                          largest = std::max(largest, bytes.size());
                                          got += bytes;
                                          return true;
                                        },
                                        {});
      QVERIFY2(response.has_value(), response ? "" : response.error().text().c_str());
      QVERIFY(got == text);
      QVERIFY2(largest < (std::size_t{2} << 20), qPrintable(QString::number(largest)));
    }
  }

  void longRequests_data() { ways(); }
  void longRequests() {
    QFETCH(Way, way);
    LoopbackServer server([](const Received& r) { return answer({{hash_hex(r.body)}}); }, served(way));
    Client client;
    std::string body(std::size_t{3} << 20, 'x');
    for (std::size_t i = 0; i < body.size(); i += 100) body[i] = static_cast<char>('a' + i % 26);
    const auto response = client.send(request_to(server, way, "/", body), {}, {});
    QVERIFY2(response.has_value(), response ? "" : response.error().text().c_str());
    QCOMPARE(response->body, hash_hex(body));
    QVERIFY(server.received().at(0).header("expect").empty());
  }

  void signalsAreOurs() {  // writing to a connection that has gone raises nothing
    std::signal(SIGPIPE, [](int) { qFatal("SIGPIPE"); });
    LoopbackServer server(always(answer({}, Answer::End::reset)));
    Client client;
    for (int i = 0; i < 3; ++i)
      QVERIFY(!client.send(request_to(server, "/", std::string(std::size_t{2} << 20, 'x')), {}, {}));
    std::signal(SIGPIPE, SIG_DFL);
  }
};

QTEST_GUILESS_MAIN(ClientTest)
#include "client_test.moc"
