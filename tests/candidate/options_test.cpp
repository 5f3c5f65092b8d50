// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "candidate/candidate.h"
#include "candidate/options.h"

using namespace ww;
using namespace ww::candidate;

class CandidateOptionsTest : public QObject {
  Q_OBJECT
 private slots:
  void optionsAreWrittenIntoTheTextAndReadBack() {
    const std::string text =
        "//@ candidate relu\n//@ launch k grid(1) block(32) args(x, y)\nextern \"C\" __global__ void k() {}\n";
    QCOMPARE(options_of(text), CompilerOptions{});
    const std::string fast = with_options(text, {true, 64});
    QCOMPARE(fast, std::string("//@ candidate relu\n//@ launch k grid(1) block(32) args(x, y)\n//@ option fast-math\n"
                               "//@ option maxrregcount=64\nextern \"C\" __global__ void k() {}\n"));
    const auto parsed = parse(fast, Language::cuda);
    QVERIFY(parsed);
    QCOMPARE(parsed->options, (std::vector<std::string>{"fast-math", "maxrregcount=64"}));
    QCOMPARE(options_of(fast), (CompilerOptions{true, 64}));
    // Changed in its place, and removed again.
    QCOMPARE(with_options(fast, {true, 128}).find("maxrregcount=128"), fast.find("maxrregcount=64"));
    QCOMPARE(with_options(fast, {}), text);
  }

  void unusualTextsStayAsTheyAre() {
    // Lines that are no options, and options that are wrong, are not touched by another one.
    const std::string odd =
        "//@ candidate relu\r\n//@ option maxrregcount=many\n//@ option nothing\n// option fast-math\n";
    QCOMPARE(options_of(odd), CompilerOptions{});
    const std::string fast = with_options(odd, {true, 0});
    QVERIFY(fast.starts_with(odd.substr(0, odd.find("//@ option nothing"))) || fast.find("nothing") != fast.npos);
    QVERIFY(options_of(fast).fast_math);
    QCOMPARE(with_options("", {true, 0}), std::string("//@ option fast-math\n"));
    QCOMPARE(with_options("//@ candidate x", {false, 32}),
             std::string("//@ candidate x\n//@ option maxrregcount=32\n"));
    // Given twice: the reader refuses it; choosing mends it.
    QCOMPARE(with_options("//@ option fast-math\n//@ option fast-math\nx", {true, 16}),
             std::string("//@ option fast-math\n//@ option maxrregcount=16\nx"));
  }
};

QTEST_GUILESS_MAIN(CandidateOptionsTest)
#include "options_test.moc"
