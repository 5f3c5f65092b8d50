// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "candidate/claim.h"

using namespace ww::candidate;

class ClaimTest : public QObject {
  Q_OBJECT

  static std::vector<Claim> claims(const QString& condition) {
    const std::string text = "//@ candidate scale\n//@ tune BLOCK = 128 | 256\n//@ require " + condition.toStdString() +
                             "\n//@ launch k grid(1) block(BLOCK) args(x)\n__global__ void k(float* x) {}\n";
    const auto c = parse(text, Language::cuda);
    if (!c) qFatal("%s", c.error().text().c_str());
    return claims_of(*c);
  }

 private slots:
  void kinds_data() {
    QTest::addColumn<QString>("condition");
    QTest::addColumn<QStringList>("expected");
    const auto row = [](const char* condition, const QStringList& expected) {
      QTest::newRow(condition) << condition << expected;
    };
    row("N <= 65536", {"limit: N > 65536"});
    row("8 < N", {"limit: 8 >= N"});
    row("N == 256", {"limit: N != 256"});
    row("M * N <= 1048576", {"limit: M * N > 1048576"});
    row("K <= N", {"limit: K > N"});
    row("K <= 32 * BLOCK", {"limit: K > 32 * BLOCK"});
    row("(N - 1) * K + 1 <= 40960", {"limit: (N - 1) * K + 1 > 40960"});
    row("ceildiv(N, 4) <= 65535 && C % 4 == 0", {"limit: ceildiv(N, 4) > 65535", "alignment: C % 4 != 0"});
    row("C % (4 * BLOCK) == 0", {"alignment: C % (4 * BLOCK) != 0"});
    row("N % K == 0", {"alignment: N % K != 0"});
    row("BLOCK % 32 == 0", {});
    row("N != 4096", {"hole: N == 4096"});
    row("N % 4096 != 0", {"hole: N % 4096 == 0"});
    row("N % 2 == 1", {"hole: N % 2 != 1"});
    row("N <= 300 || N > 1000000", {"hole: N > 300 && N <= 1000000"});
    row("!(N > 300 && N < 400)", {"hole: N > 300 && N < 400"});
    row("!(N > 8192)", {"limit: N > 8192"});
    row("!(N > 8192 || N % 4 != 0)", {"limit: N > 8192", "alignment: N % 4 != 0"});
    row("N % 4096 >= 1", {"hole: N % 4096 < 1"});
    row("N / 4096 != 1", {"hole: N / 4096 == 1"});
    row("(N - 4096) * (N - 4096) > 0", {"hole: (N - 4096) * (N - 4096) <= 0"});
    row("N * N + 16 > 10 * N", {"hole: N * N + 16 <= 10 * N"});
    row("if(N == 4096, 0, 1) > 0", {"hole: if(N == 4096, 0, 1) <= 0"});
    row("N <= 8192 && N != 4096", {"limit: N > 8192", "hole: N == 4096"});
  }
  void kinds() {
    QFETCH(QString, condition);
    QFETCH(QStringList, expected);
    QStringList found;
    for (const Claim& c : claims(condition))
      found << QString("%1: %2").arg(ww::enum_name(c.kind).data(), c.not_claimed.c_str());
    QCOMPARE(found, expected);
  }

  void onlyHolesBlock() {
    const auto c = parse(
        "//@ candidate scale\n//@ require N % 4 == 0\n//@ require N != 4096\n//@ launch k grid(1) "
        "block(1) args(x)\n__global__ void k(float* x) {}\n",
        Language::cuda);
    QCOMPARE(holes_of(*c), std::vector<std::string>{"N == 4096"});
    QCOMPARE(claims_of(*c)[1].condition, std::string("N != 4096"));
  }
};

QTEST_APPLESS_MAIN(ClaimTest)
#include "claim_test.moc"
