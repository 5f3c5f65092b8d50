// SPDX-License-Identifier: Apache-2.0
// Time stamps of receipts on the command line.
#include <QtTest>
#include "support/cli_call.h"
#include "support/loopback_server.h"
#include "support/stamp_authority.h"

using namespace ww::testing;
using ww::support::Answer;
using ww::support::LoopbackServer;
using ww::support::Received;
using ww::support::StampAuthority;

class StampTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  StampAuthority authority_{"A clock"};
  QString receipt_, trusted_;

  static std::string other_digest(std::string request) {
    const std::size_t digest = request.find("\x04\x20");  // an octet string of 32 bytes
    if (digest != std::string::npos) request.at(digest + 2) ^= 1;
    return request;
  }
  Outcome call(const QStringList& arguments) const {
    return call_cli(
        CLI_PROGRAM, arguments,
        environment_with({{"WARPWRIGHT_PLUGINS", CLI_PLUGINS}, {"WARPWRIGHT_CONFIG", dir_.filePath("config")}}));
  }

 private slots:
  void initTestCase() {
    QFile fixture(WW_SOURCE_DIR "/tests/review/fixtures/receipt.json");
    QVERIFY(fixture.open(QIODevice::ReadOnly));
    receipt_ = write_file(dir_.filePath("receipt.json"), fixture.readAll());
    trusted_ = write_file(dir_.filePath("clock.pem"), QByteArray::fromStdString(authority_.certificate()));
  }
  void withoutAServiceNothingIsStamped() {
    const Outcome o = call({"receipt", "stamp", receipt_});
    QCOMPARE(o.exit, 2);
    QVERIFY(o.err.contains("--service"));
    QVERIFY(call({"receipt", "stamp", receipt_, "--service", "http://127.0.0.1:1/"}).exit != 0);
    QVERIFY(!QFile::exists(receipt_ + ".tsr"));
    QVERIFY(call({"receipt", "verify", receipt_, "--json"}).json()["stamp"].isNull());
  }
  void aStampIsWrittenAndRead() {
    LoopbackServer server([&](const Received& r) {
      Answer a;
      a.pieces = {{authority_.answer(r.body)}};
      return a;
    });
    const Outcome o = call({"receipt", "stamp", receipt_, "--service", QString::fromStdString(server.url())});
    QVERIFY2(o.exit == 0, o.err.constData());
    QVERIFY(o.out.contains("by CN=A clock, which is not trusted here"));
    const QJsonObject stamp =
        call({"receipt", "verify", receipt_, "--authorities", trusted_, "--json"}).json()["stamp"].toObject();
    QVERIFY(stamp["fits"].toBool() && stamp["trusted"].toBool());
    QCOMPARE(stamp["authority"].toString(), QString("CN=A clock"));
    QVERIFY(!call({"receipt", "verify", receipt_, "--authorities", trusted_}).out.contains("not trusted"));
    // A genuine receipt with the stamp of another one does not hold.
    const QByteArray own = read_file(receipt_ + ".tsr");
    const int before = call({"receipt", "verify", receipt_}).exit;
    write_file(receipt_ + ".tsr",
               QByteArray::fromStdString(authority_.answer(other_digest(server.received().at(0).body))));
    const Outcome not_of_it = call({"receipt", "verify", receipt_});
    QVERIFY2(not_of_it.out.contains("is unchanged since it was signed") && not_of_it.out.contains("of this file"),
             not_of_it.out);
    QVERIFY(before != 1 && not_of_it.exit == 1);
    write_file(receipt_ + ".tsr", own);
    // Of another file: said, and nothing else changes.
    const QString other = write_file(dir_.filePath("other.json"), "{}\n");
    QVERIFY(QFile::copy(receipt_ + ".tsr", other + ".tsr"));
    QVERIFY(call({"receipt", "verify", other, "--authorities", trusted_})
                .out.contains("of this file: the file was signed again or changed"));
    write_file(other + ".tsr", "no stamp");
    QVERIFY(call({"receipt", "verify", other}).out.contains("the time stamp cannot be read"));
    QCOMPARE(call({"receipt", "stamp", other, "--service", QString::fromStdString(server.url())}).exit,
             1);  // no receipt
  }
};

QTEST_GUILESS_MAIN(StampTest)
#include "stamp_test.moc"
