// SPDX-License-Identifier: Apache-2.0
// Server-sent events, and when a request is tried again.
#include <QtTest>
#include <set>
#include "http/http.h"
#include "http/retry.h"
#include "http/sse.h"

using namespace ww;
using namespace ww::http;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

std::string written(const ServerEvent& e) { return "[" + e.event + "|" + e.data + "|" + e.id + "]"; }

struct Read {
  std::string events;
  bool unfinished = false;
};
Read read_in(const std::vector<std::string_view>& pieces) {
  EventParser parser;
  Read r;
  for (const auto piece : pieces)
    if (!parser.feed(piece, [&](const ServerEvent& e) { return r.events += written(e), true; })) r.events += "(error)";
  r.unfinished = parser.unfinished();
  return r;
}

using When = std::chrono::system_clock::time_point;
const When now{seconds(1784563200)};  // Mon, 20 Jul 2026 16:00:00 GMT

RetryOptions options() {
  RetryOptions o;
  o.jitter_seed = 7;
  return o;
}
std::optional<Wait> first_wait(int status, const Headers& headers, const std::optional<Error>& error = {},
                               RetryOptions o = options()) {
  return Retry(o).next(status, headers, error, now);
}

}  // namespace

class StreamTest : public QObject {
  Q_OBJECT
 private slots:
  void events_data() {
    QTest::addColumn<QByteArray>("stream");
    QTest::addColumn<QByteArray>("events");
    QTest::addColumn<bool>("unfinished");
    const auto row = [](const char* name, const QByteArray& stream, const QByteArray& events, bool unfinished = false) {
      QTest::newRow(name) << stream << events << unfinished;
    };
    row("one", "data: {\"a\":1}\n\n", "[|{\"a\":1}|]");
    row("crlf", "event: delta\r\ndata: a\r\n\r\nevent: delta\r\ndata: b\r\n\r\n", "[delta|a|][delta|b|]");
    row("cr alone", "data: a\r\rdata: b\r\r", "[|a|][|b|]");
    row("mixed ends", "data: a\r\n\ndata: b\n\rdata: c\r\r\n", "[|a|][|b|][|c|]");
    row("several lines", "data: a\ndata:\ndata: b\n\n", "[|a\n\nb|]");
    row("one space is dropped", "data:a\n\ndata:  a\n\n", "[|a|][| a|]");
    row("no colon", "data\n\ndata\ndata\n\n", "[||][|\n|]");
    row("empty data", "data:\n\n", "[||]");
    row("no data is no event", "event: ping\n\nid: 3\n\n\n\ndata: x\n\n", "[|x|3]");
    row("comments", ": keep-alive\n\n:\ndata: x\n:data: y\n\n", "[|x|]");
    row("id stays", "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", "[|a|7][|b|7][|c|]");
    row("id with a zero", QByteArray("id: 7\ndata: a\n\nid: a\0b\ndata: b\n\n", 32), "[|a|7][|b|7]");
    row("unknown fields", "retry: 10\nfoo: bar\nDATA: x\ndata : y\ndata: z\n\n", "[|z|]");
    row("mark at the start",
        "\xEF\xBB\xBF"
        "data: a\n\n\xEF\xBB\xBF"
        "data: b\n\n",
        "[|a|]");
    row("utf-8", "data: \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\x8D\xF0\x9F\x8C\x8D\n\n",
        "[|\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\x8D\xF0\x9F\x8C\x8D|]");
    row("bytes that are no utf-8", "data: \xFF\xC3\x28\n\n", "[|\xFF\xC3\x28|]");
    row("colons in the value", "data: a: b:c\n\n", "[|a: b:c|]");
    row("unfinished event", "data: a\n\ndata: b\n", "[|a|]", true);
    row("unfinished line", "data: a\n\ndat", "[|a|]", true);
    row("unfinished comment", "data: a\n\n: kee", "[|a|]");
    row("event without an end", "event: x\n", "", true);
    row("nothing", "", "");
  }
  void events() {  // however the stream is cut into pieces
    QFETCH(QByteArray, stream);
    QFETCH(QByteArray, events);
    QFETCH(bool, unfinished);
    const std::string_view all(stream.constData(), static_cast<std::size_t>(stream.size()));
    for (std::size_t i = 0; i <= all.size(); ++i)
      for (std::size_t j = i; j <= all.size(); ++j) {
        const Read r = read_in({all.substr(0, i), all.substr(i, j - i), all.substr(j)});
        QCOMPARE(QByteArray::fromStdString(r.events), events);
        QCOMPARE(r.unfinished, unfinished);
      }
    std::vector<std::string_view> single;
    for (std::size_t i = 0; i < all.size(); ++i) single.push_back(all.substr(i, 1));
    QCOMPARE(QByteArray::fromStdString(read_in(single).events), events);
  }
  void eventsStop() {
    EventParser parser;
    int calls = 0;
    const auto on = [&](const ServerEvent&) { return ++calls < 2; };
    QVERIFY(parser.feed("data: a\n\ndata: b\n\ndata: c\n\n", on).has_value());
    QVERIFY(parser.feed("data: d\n\ndata: e", on).has_value());
    QCOMPARE(calls, 2);
    QVERIFY(!parser.unfinished());
  }
  void hugeEvents() {
    const std::string most(EventParser::max_event - 100, 'x');
    QCOMPARE(read_in({"data: ", most, "\n\ndata: y\n\n"}).events.size(), most.size() + 4 + 5);
    EventParser line, lines;
    const auto on = [](const ServerEvent&) { return true; };
    QVERIFY(line.feed("data: " + most, on).has_value());
    const Status refused = line.feed(std::string(200, 'x'), on);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, Code::corrupt);
    Status status;
    const std::string part = "data: " + std::string(std::size_t{1} << 20, 'x') + "\n";
    int parts = 0;
    for (; status && parts < 40; ++parts) status = lines.feed(part, on);
    QVERIFY(!status);
    QCOMPARE(parts, 16);
  }

  void whatIsTriedAgain() {
    for (const int status : {408, 409, 425, 429, 500, 502, 503, 504, 520, 529})
      QVERIFY2(first_wait(status, {}), qPrintable(QString::number(status)));
    for (const int status : {200, 301, 302, 400, 401, 403, 404, 413, 422, 501, 505})
      QVERIFY2(!first_wait(status, {}), qPrintable(QString::number(status)));
    for (const Code code : {Code::io, Code::timeout, Code::unavailable}) {
      QVERIFY(first_wait(0, {}, Error{code, "gone", {}}));
      QVERIFY(first_wait(200, {}, Error{code, "gone in the middle", {}}));
      QVERIFY(!first_wait(401, {}, Error{code, "gone in the middle", {}}));
    }
    for (const Code code : {Code::cancelled, Code::invalid_argument, Code::corrupt, Code::untrusted, Code::internal})
      QVERIFY(!first_wait(0, {}, Error{code, "no", {}}));
    QVERIFY(first_wait(0, {}, Error{Code::unavailable, "'certificates.example' refuses connections", {}}));
    QVERIFY(!first_wait(0, {}));
    QVERIFY(first_wait(400, {{"x-should-retry", "true"}}));
    QVERIFY(!first_wait(500, {{"x-should-retry", "false"}}));
  }
  void waitsGrowWithJitter() {
    RetryOptions o = options();
    o.busy_attempts = 12;
    o.budget = std::chrono::hours(1);
    std::set<std::int64_t> different;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      o.jitter_seed = seed;
      Retry retry(o), again(o);
      double cap = 500;
      int waits = 0;
      while (const auto w = retry.next(503, {}, {}, now)) {
        QVERIFY(!w->asked);
        QVERIFY(w->time >= milliseconds(0) && static_cast<double>(w->time.count()) <= std::min(cap, 60000.0));
        QCOMPARE(again.next(503, {}, {}, now)->time, w->time);  // the same seed, the same waits
        different.insert(w->time.count());
        cap *= 2;
        ++waits;
      }
      QCOMPARE(waits, 11);
    }
    QVERIFY(different.size() > 300);
  }
  void serverIsHeard_data() {
    QTest::addColumn<Headers>("headers");
    QTest::addColumn<int>("least");  // ms
    const auto row = [](const char* name, Headers headers, int least) {
      QTest::newRow(name) << std::move(headers) << least;
    };
    row("seconds", {{"retry-after", "7"}}, 7000);
    row("fraction", {{"retry-after", "0.25"}}, 250);
    row("zero", {{"retry-after", "0"}}, 0);
    row("milliseconds first", {{"retry-after", "7"}, {"retry-after-ms", "1500"}}, 1500);
    row("date", {{"retry-after", "Mon, 20 Jul 2026 16:00:20 GMT"}}, 20000);
    row("date of RFC 850", {{"retry-after", "Monday, 20-Jul-26 16:00:20 GMT"}}, 20000);
    row("date of asctime", {{"retry-after", "Mon Jul 20 16:00:20 2026"}}, 20000);
    row("date by its own clock",
        {{"retry-after", "Mon, 20 Jul 2026 17:00:20 GMT"}, {"date", "Mon, 20 Jul 2026 17:00:00 GMT"}}, 20000);
    row("date gone by", {{"retry-after", "Mon, 20 Jul 2026 15:00:00 GMT"}}, 0);
    row("limit of tokens", {{"x-ratelimit-reset-requests", "2s"}, {"x-ratelimit-reset-tokens", "1m30.5s"}}, 90500);
    row("only what is used up",
        {{"x-ratelimit-remaining-requests", "0"},
         {"x-ratelimit-reset-requests", "20ms"},
         {"x-ratelimit-remaining-tokens", "100"},
         {"x-ratelimit-reset-tokens", "6m0s"}},
        20);
    row("instant in ms", {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1784563205000"}}, 5000);
    row("instant in s", {{"x-ratelimit-reset", "1784563205"}}, 5000);
    row("seconds of a limit", {{"x-ratelimit-reset", "4"}}, 4000);
    row("instant of RFC 3339",
        {{"anthropic-ratelimit-input-tokens-remaining", "0"},
         {"anthropic-ratelimit-input-tokens-reset", "2026-07-20T16:00:12Z"}},
        12000);
    row("with a zone", {{"anthropic-ratelimit-requests-reset", "2026-07-20T18:00:12.5+02:00"}}, 12500);
    row("outright before limits",
        {{"retry-after", "1"}, {"anthropic-ratelimit-requests-reset", "2026-07-20T16:00:30Z"}}, 1000);
  }
  void serverIsHeard() {
    QFETCH(Headers, headers);
    QFETCH(int, least);
    const auto w = first_wait(429, headers);
    QVERIFY(w.has_value());
    QVERIFY(w->asked);
    QVERIFY2(w->time >= milliseconds(least) && w->time <= milliseconds(least + 500),
             qPrintable(QString::number(w->time.count())));
  }
  void nonsenseIsNotHeard() {
    for (const char* text : {"", "soon", "1e999", "nan", "7 seconds", "Mon, 99 Jul 2026", "0x10", "1,5"}) {
      const auto w = first_wait(
          429, {{"retry-after", text}, {"x-ratelimit-reset-tokens", text}, {"anthropic-ratelimit-tokens-reset", text}});
      QVERIFY2(w && !w->asked, text);
    }
    for (const char* name : {"retry-after", "retry-after-ms"}) QVERIFY(!first_wait(429, {{name, "-5"}})->asked);
    QVERIFY(!first_wait(503, {{"x-ratelimit-reset-tokens", "2s"}})->asked);  // a limit explains no fault
  }
  void budgetAndAttempts() {
    QVERIFY(!first_wait(429, {{"retry-after", "301"}}));
    QVERIFY(!first_wait(429, {{"retry-after", "99999999999999999999"}}));
    QVERIFY(first_wait(429, {{"retry-after", "290"}}));  // longer than the longest of our own
    Retry storm(options());
    int waits = 0;
    while (storm.next(429, {{"retry-after", "100"}}, {}, now)) ++waits;
    QCOMPARE(waits, 2);
    RetryOptions once = options();
    once.attempts = once.busy_attempts = 1;
    QVERIFY(!first_wait(429, {}, {}, once));
    // A server that is busy is waited for longer than one that fails.
    RetryOptions patient = options();
    patient.busy_attempts = 15;
    const auto waits_for = [&](int status) {
      Retry retry(patient);
      int n = 0;
      while (retry.next(status, {}, {}, now)) ++n;
      return n;
    };
    QVERIFY(waits_for(529) > 4 && waits_for(503) > 4 && waits_for(429) > 4);
    QCOMPARE(waits_for(500), 4);
  }
  void aWaitBeyondTheBudgetIsTold() {
    Retry day(options()), soon(options());
    QVERIFY(!day.next(429, {{"retry-after", "86400"}}, {}, now));
    QVERIFY(day.beyond_budget() && *day.beyond_budget() >= std::chrono::hours(24));
    QVERIFY(soon.next(429, {{"retry-after", "1"}}, {}, now) && !soon.beyond_budget());
  }
  void waiting() {
    std::stop_source source;
    QVERIFY(wait_for(milliseconds(1), source.get_token()));
    source.request_stop();
    QVERIFY(!wait_for(std::chrono::hours(1), source.get_token()));
  }
  void hosts() {
    for (const auto& [url, host] : std::initializer_list<std::pair<const char*, const char*>>{
             {"https://API.example.com/v1/x?y", "api.example.com"},
             {"http://127.0.0.1:8080", "127.0.0.1:8080"},
             {"http://[::1]:80/a", "[::1]"},
             {"https://user:word@host/a@b", "host"},
             {"https://host?a=http://other", "host"},
             {"https://a\\b", ""},
             {"host/a", ""},
             {"https://", ""},
             {"http:///a", ""},
             {"", ""}})
      QCOMPARE(host_of(url), std::string(host));
  }
};

QTEST_GUILESS_MAIN(StreamTest)
#include "stream_test.moc"
