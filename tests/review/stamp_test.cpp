// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "base/files.h"
#include "stamps/rfc3161/rfc3161.h"
#include "support/loopback_server.h"
#include "support/stamp_authority.h"

using namespace ww;
using support::Answer;
using support::LoopbackServer;
using support::Received;
using support::StampAuthority;

class StampTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  StampAuthority authority_{"Time of Ørsted"};
  std::unique_ptr<review::StampService> service_ = stamps::make_rfc3161();
  std::filesystem::path trusted_;

  static Answer with(std::string body, int status = 200) {
    Answer a;
    a.status = status;
    a.headers = {{"content-type", "application/timestamp-reply"}};
    a.pieces = {{std::move(body)}};
    return a;
  }
  std::filesystem::path file(const char* name, const std::string& content) {
    const std::filesystem::path path = dir_.filePath(name).toStdString();
    return write_file_atomic(path, content) ? path : std::filesystem::path();
  }

 private slots:
  void initTestCase() { trusted_ = file("authority.pem", authority_.certificate()); }

  void aStampSaysWhenAndByWhom() {
    LoopbackServer server([&](const Received& r) { return with(authority_.answer(r.body)); });
    const std::string receipt = "{\"a\": \"receipt\"}\n";
    const auto stamp = service_->ask(server.url(), receipt, {});
    QVERIFY2(stamp, stamp ? "" : stamp.error().text().c_str());
    const Received asked = server.received().at(0);
    QCOMPARE(asked.header("content-type"), std::string("application/timestamp-query"));
    QVERIFY(asked.body.find("receipt") == std::string::npos);  // its hash alone
    const auto read = service_->read(*stamp, receipt, trusted_);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QVERIFY2(read->fits && read->trusted, read->why_not.c_str());
    QCOMPARE(read->authority, std::string("CN=Time of Ørsted"));
    const QDateTime created = QDateTime::fromString(QString::fromStdString(read->created), Qt::ISODate);
    QVERIFY(std::abs(created.secsTo(QDateTime::currentDateTimeUtc())) < 600);
    const auto other = service_->read(*stamp, receipt + " ", trusted_);
    QVERIFY(other && !other->fits && !other->trusted);
  }
  void anUnknownAuthorityIsNotTrusted() {
    LoopbackServer server([&](const Received& r) { return with(authority_.answer(r.body)); });
    const auto stamp = service_->ask(server.url(), "bytes", {});
    QVERIFY(stamp.has_value());
    const StampAuthority stranger("Time of Ørsted");  // the same name, another key
    const auto read = service_->read(*stamp, "bytes", file("stranger.pem", stranger.certificate()));
    QVERIFY(read && read->fits && !read->trusted && !read->why_not.empty());
    const auto by_system = service_->read(*stamp, "bytes", {});
    QVERIFY(by_system && !by_system->trusted);
    QCOMPARE(service_->read(*stamp, "bytes", "/no/such.pem").error().code, Code::io);
  }
  // An authority's name in a stamp is checked with its signature. The certificate must have been valid at the stamp's
  // time, whatever it is today; a time that has not come proves nothing.
  void namesAndTimesOfStamps() {
    const auto stamped = [&](StampAuthority& by) {
      LoopbackServer server([&](const Received& r) { return with(by.answer(r.body)); });
      const auto stamp = service_->ask(server.url(), "bytes", {});
      if (!stamp) qWarning("%s", stamp.error().text().c_str());
      const auto read = service_->read(stamp.value_or(""), "bytes", file("by.pem", by.certificate()));
      return read.value_or(review::Stamp{});
    };
    StampAuthority named("Named", true), old("Old", false, -7200), future("Future", false, 1800),
        later("Later", false, 7200);
    QVERIFY2(stamped(named).trusted, stamped(named).why_not.c_str());
    for (StampAuthority* by : {&old, &future, &later}) {
      const review::Stamp s = stamped(*by);
      QVERIFY(s.fits && !s.trusted && !s.why_not.empty());
    }
    QCOMPARE(stamped(future).why_not, std::string("its time is in the future"));
  }
  void aChangedStampIsNotTrusted() {
    LoopbackServer server([&](const Received& r) { return with(authority_.answer(r.body)); });
    const std::string stamp = service_->ask(server.url(), "bytes", {}).value_or("");
    QVERIFY(service_->read(stamp, "bytes", trusted_)->trusted);
    for (std::size_t at = 0; at < stamp.size(); at += 3) {
      std::string changed = stamp;
      changed[at] ^= 0x01;
      const auto read = service_->read(changed, "bytes", trusted_);
      if (!read) continue;
      const bool same_facts = read->authority == "CN=Time of Ørsted" && read->fits;
      if (read->trusted)  // a bit that no signature covers, such as the status' text
        QVERIFY2(same_facts, std::to_string(at).c_str());
    }
    for (std::size_t size = 0; size < stamp.size(); size += 7)
      QCOMPARE(service_->read(stamp.substr(0, size), "bytes", trusted_).error().code, Code::corrupt);
    QCOMPARE(service_->read(stamp + "x", "bytes", trusted_).error().code, Code::corrupt);
  }
  void anAnswerToAnotherRequestIsRefused() {
    std::string first;
    LoopbackServer server([&](const Received& r) {
      if (first.empty()) first = authority_.answer(r.body);
      return with(first);
    });
    QVERIFY(service_->ask(server.url(), "bytes", {}).has_value());
    const auto again = service_->ask(server.url(), "bytes", {});  // the same bytes, another nonce
    QVERIFY(!again);
    QCOMPARE(again.error().code, Code::corrupt);
  }
  void otherAnswersAreErrors() {
    LoopbackServer refuses([&](const Received&) { return with("no", 403); });
    QVERIFY(service_->ask(refuses.url(), "bytes", {}).error().message.find("403") != std::string::npos);
    LoopbackServer talks([&](const Received&) { return with("<html>a portal</html>"); });
    QCOMPARE(service_->ask(talks.url(), "bytes", {}).error().code, Code::corrupt);
    LoopbackServer confused([&](const Received&) { return with(authority_.answer("not a request")); });
    QCOMPARE(service_->ask(confused.url(), "bytes", {}).error().code, Code::unavailable);
    QVERIFY(!service_->ask("ftp://127.0.0.1/", "bytes", {}));
  }
};

QTEST_GUILESS_MAIN(StampTest)
#include "stamp_test.moc"
