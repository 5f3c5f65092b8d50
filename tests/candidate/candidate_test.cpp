// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <random>
#include <set>
#include "candidate/candidate.h"
#include "candidate/directives.h"

using namespace ww;
using namespace ww::candidate;

namespace {

const std::string example =
    "//@ candidate layernorm\n"
    "//@ title Two passes, one block per row\n"
    "//@ structure two-pass\n"
    "//@ tune   BLOCK = 128 | 256 |512\n"
    "//@ tune   VEC = 4\n"
    "//@ temp   stats: f32[R, 2]\n"
    "//@ temp   count: i32\n"
    "//@ zero   count\n"
    "//@ launch row_stats grid(R) block(BLOCK) args(x, stats, R, C)\n"
    "//@ launch apply grid(ceildiv(R*C, VEC*BLOCK), 1, 2) block(BLOCK / 2, 2) shared(4 * BLOCK) cluster(1) cooperative "
    "args(x, stats, gamma, beta, y, R, C + 1, eps)\n"
    "//@ require C % 4 == 0\n"
    "//@ option fast-math\n"
    "//@ option maxrregcount=64\n"
    "extern \"C\" __global__ void row_stats(const float* x, float* stats, int R, int C) {}\n"
    "extern \"C\" __global__ void apply(const float* x) {}\n";

const std::string head = "//@ candidate op\n//@ launch k grid(1) block(1) args(x)\n";
const std::string body = "extern \"C\" __global__ void k(float* x) {}\n";

}  // namespace

class CandidateTest : public QObject {
  Q_OBJECT
 private slots:
  void readsEveryDirective() {
    const auto c = parse(example, Language::cuda);
    QVERIFY2(c.has_value(), c ? "" : c.error().cause.c_str());
    QCOMPARE(c->op, std::string("layernorm"));
    QCOMPARE(c->title, std::string("Two passes, one block per row"));
    QCOMPARE(c->structure, std::string("two-pass"));
    QCOMPARE(c->tune.size(), std::size_t{2});
    QCOMPARE(c->tune[0].values, (std::vector<std::int64_t>{128, 256, 512}));
    QCOMPARE(example.substr(c->tune[0].span.begin, c->tune[0].span.end - c->tune[0].span.begin),
             std::string("128 | 256 |512"));
    QCOMPARE(c->temps.size(), std::size_t{2});
    QCOMPARE(c->temps[0].shape.size(), std::size_t{2});
    QVERIFY(c->temps[1].dtype == DType::i32 && c->temps[1].shape.empty());
    QCOMPARE(c->zeroed, std::vector<std::string>{"count"});
    QCOMPARE(c->launches.size(), std::size_t{2});
    const Launch& apply = c->launches[1];
    QVERIFY(apply.kernel == "apply" && apply.cooperative && apply.shared && apply.cluster[0] && !apply.cluster[1]);
    QVERIFY(apply.grid[0] && apply.grid[1] && apply.grid[2] && apply.block[0] && apply.block[1] && !apply.block[2]);
    QCOMPARE(apply.args.size(), std::size_t{8});
    QCOMPARE(c->requires_.size(), std::size_t{1});
    QCOMPARE(c->options, (std::vector<std::string>{"fast-math", "maxrregcount=64"}));
    QCOMPARE(c->text, example);
    QCOMPARE(c->hash.size(), std::size_t{64});
    QVERIFY(parse(example + "\n", Language::cuda)->hash != c->hash);
  }
  void ptxIsToldByItsFirstWords() {
    for (const char* ptx : {".version 8.0", "\t.target sm_80\r\n", "//@ candidate relu\n  .version 9.0\n"})
      QVERIFY2(language_of(ptx) == Language::ptx, ptx);
    for (const char* cuda : {"", ".", "a.version(1);", ".versions 8", "// .version 8.0", "x\n.entry k()"})
      QVERIFY2(language_of(cuda) == Language::cuda, cuda);
  }
  void everySpellingOfADirectiveIsRead_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("op");
    QTest::newRow("usual") << QByteArray("//@ candidate softmax") << QByteArray("softmax");
    QTest::newRow("no blank") << QByteArray("//@candidate softmax") << QByteArray("softmax");
    QTest::newRow("more blanks") << QByteArray(" \t//@  candidate \t softmax  \r") << QByteArray("softmax");
    QTest::newRow("in a comment's words") << QByteArray("// see //@ candidate softmax") << QByteArray();
    QTest::newRow("in a string") << QByteArray("const char* s = \"//@ candidate softmax\";") << QByteArray();
    QTest::newRow("another word") << QByteArray("//@ candidates softmax") << QByteArray();
  }
  void everySpellingOfADirectiveIsRead() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, op);
    const std::string text =
        "// a kernel of mine\n" + line.toStdString() + "\n//@launch k grid(1) block(1) args(x)\n" + body;
    QCOMPARE(named_op(text), op.toStdString());
    const auto c = parse(text, Language::cuda);
    QCOMPARE(c.has_value(), !op.isEmpty());
    if (c) QCOMPARE(c->op, op.toStdString());
    const auto launch = first_directive(text, "launch");
    QVERIFY(launch && launch->rest == "k grid(1) block(1) args(x)");
    QVERIFY(text.substr(launch->span.begin).starts_with("//@launch") && text[launch->line.end - 1] == '\n');
  }
  void aTextMayEndInADirective() {
    for (const char* text : {"//@", "//@ ", "//@ zero", "x\n//@ zero\r"}) {
      const auto d = next_directive(text);
      QVERIFY2(d && !next_directive(text, d->line.end), text);
    }
    QVERIFY(!next_directive("") && !next_directive("\n\n") && !next_directive("/ /@ zero"));
  }

  void windowsLineEnds() {
    std::string text;
    for (char ch : example) text += ch == '\n' ? "\r\n" : std::string(1, ch);
    const auto c = parse(text, Language::cuda);
    QVERIFY2(c.has_value(), c ? "" : c.error().cause.c_str());
    QCOMPARE(c->title, std::string("Two passes, one block per row"));
    QCOMPARE(c->structure, std::string("two-pass"));
    QCOMPARE(c->tune[1].values, std::vector<std::int64_t>{4});
  }
  void ptxHasTheSameHeader() {
    const std::string ptx = head + ".version 8.0\n.target sm_80\n.visible .entry k() { ret; }\n";
    const auto c = parse(ptx, Language::ptx);
    QVERIFY2(c.has_value(), c ? "" : c.error().cause.c_str());
    QVERIFY(c->hash != parse(ptx, Language::cuda)->hash);
  }

  void refuses_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    QTest::addColumn<int>("line");
    const auto row = [](const char* name, const std::string& text, const char* message, int line) {
      QTest::newRow(name) << QString::fromStdString(text) << message << line;
    };
    row("nothing", "", "no \"//@ candidate OP\" line", 1);
    row("no directives", body, "no \"//@ candidate OP\" line", 1);
    row("no launch", "//@ candidate op\n" + body, "launches nothing", 1);
    row("not first", "//@ tune AA = 1\n" + head + body, "must be \"//@ candidate OP\"", 1);
    row("two candidates", head + "//@ candidate op\n" + body, "second \"candidate\"", 3);
    row("no name", "//@ candidate\n" + body, "name is missing", 1);
    row("words after", "//@ candidate op extra\n" + body, "unexpected 'extra'", 1);
    row("unknown directive", head + "//@ lanch k\n" + body, "unknown directive 'lanch'", 3);
    row("empty directive", head + "//@\n" + body, "directive's name is missing", 3);
    row("directive with a splice", head + "//@ title a \\\n" + body, "backslash", 3);
    row("tune real", head + "//@ tune AA = 1.5\n" + body, "not an integer", 3);
    row("tune word", head + "//@ tune AA = big\n" + body, "not an integer", 3);
    row("tune expression", head + "//@ tune AA = 2*3\n" + body, "unexpected '*'", 3);
    row("tune huge", head + "//@ tune AA = 99999999999999999999\n" + body, "not an integer", 3);
    row("tune empty", head + "//@ tune AA =\n" + body, "not an integer", 3);
    row("tune bar at the end", head + "//@ tune AA = 1 |\n" + body, "not an integer", 3);
    row("tune no equals", head + "//@ tune AA 1\n" + body, "'=' expected", 3);
    row("tune twice", head + "//@ tune AA = 1\n//@ tune AA = 2\n" + body, "declared twice", 4);
    row("tune same value", head + "//@ tune AA = 1 | 2 | 1\n" + body, "is given twice", 3);
    row("tune one letter", head + "//@ tune T = 1\n" + body, "too short", 3);
    row("tune keyword", head + "//@ tune float = 1\n" + body, "is a keyword", 3);
    row("tune reserved", head + "//@ tune __CUDA_ARCH__ = 1\n" + body, "reserved for the compiler", 3);
    row("temp twice", head + "//@ temp t: f32\n//@ temp t: f32\n" + body, "declared twice", 4);
    row("temp and tune", head + "//@ tune tt = 1\n//@ temp tt: f32\n" + body, "declared twice", 4);
    row("temp dtype", head + "//@ temp t: f33[2]\n" + body, "'f33' is not a dtype", 3);
    row("temp colon", head + "//@ temp t f32\n" + body, "':'", 3);
    row("temp open", head + "//@ temp t: f32[2\n" + body, "needs brackets", 3);
    row("temp no dimension", head + "//@ temp t: f32[]\n" + body, "1 to 8 dimensions", 3);
    row("temp empty dimension", head + "//@ temp t: f32[2,,3]\n" + body, "is empty", 3);
    row("zero twice", head + "//@ zero t\n//@ zero t\n" + body, "zeroed twice", 4);
    row("option unknown", head + "//@ option O3\n" + body, "unknown option 'O3'", 3);
    row("option path", head + "//@ option -I/etc\n" + body, "unknown option", 3);
    row("option number", head + "//@ option maxrregcount=9999\n" + body, "16 to 255", 3);
    row("option twice", head + "//@ option maxrregcount=32\n//@ option maxrregcount=64\n" + body, "given twice", 4);
    row("require nonsense", head + "//@ require C %% 4\n" + body, "not an integer expression", 3);
    row("require empty", head + "//@ require\n" + body, "is empty", 3);
    row("structure two words", head + "//@ structure a b\n" + body, "unexpected 'b'", 3);
    const auto launch = [&](const std::string& l) { return "//@ candidate op\n//@ launch " + l + "\n" + body; };
    row("launch without a name", launch(""), "kernel's name is missing", 2);
    row("launch without grid", launch("k block(1) args(x)"), "no grid", 2);
    row("launch without block", launch("k grid(1) args(x)"), "no block", 2);
    row("launch without args", launch("k grid(1) block(1)"), "no args", 2);
    row("launch empty grid", launch("k grid() block(1) args(x)"), "1 to 3 numbers, not 0", 2);
    row("launch four", launch("k grid(1,2,3,4) block(1) args(x)"), "1 to 3 numbers, not 4", 2);
    row("launch open tuple", launch("k grid(1, 2 block(1) args(x)"), "closed list", 2);
    row("launch bracket", launch("k grid[1] block(1) args(x)"), "closed list", 2);
    row("launch two grids", launch("k grid(1) grid(2) block(1) args(x)"), "given twice", 2);
    row("launch unknown part", launch("k grd(1) block(1) args(x)"), "unknown part 'grd'", 2);
    row("launch function", launch("k grid(1, cdiv(C, 2)) block(1) args(x)"),
        ":2:22: grid is not an integer expression: 'cdiv' is not an integer function", 2);
    row("launch bad expression", launch("k grid(1 +) block(1) args(x)"), "not an integer expression", 2);
    row("launch missing argument", launch("k grid(1) block(1) args(x, , x)"), "is empty", 2);
    row("launch shared", launch("k grid(1) block(1) shared(1, 2) args(x)"), "one number", 2);
    row("launch carveout", launch("k grid(1) block(1) carveout(1, 2) args(x)"), "one number", 2);
    row("launch unknown kernel", launch("other grid(1) block(1) args(x)"), "no kernel 'other'", 2);
    row("kernel only in a comment", "//@ candidate op\n//@ launch ghost grid(1) block(1) args(x)\n// ghost(x)\n" + body,
        "no kernel 'ghost'", 2);
  }
  void refuses() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    QFETCH(int, line);
    const auto c = parse(text.toStdString(), Language::cuda, "file.cu");
    QVERIFY(!c.has_value());
    QCOMPARE(c.error().code, Code::parse);
    QVERIFY2(c.error().message.find(message.toStdString()) != std::string::npos, c.error().message.c_str());
    QVERIFY2(c.error().message.starts_with("file.cu:" + std::to_string(line) + ":"), c.error().message.c_str());
    QVERIFY2(c.error().cause.find("^") != std::string::npos, c.error().cause.c_str());
  }
  void caretStandsUnderTheFault() {
    const auto c = parse("//@ candidate op\n//@ tune AA = 1 | x\n//@ launch k grid(1) block(1) args(x)\n" + body,
                         Language::cuda, "f");
    QVERIFY(!c.has_value());
    QCOMPARE(c.error().cause,
             std::string(
                 "f:2:19: error: a value of 'AA' is not an integer\n  //@ tune AA = 1 | x\n                    ^\n"));
  }
  void everyFaultIsReported() {
    const auto c = parse("//@ candidate op\n//@ tune AA = x\n//@ temp t: f99\n//@ nonsense\n" + body, Language::cuda);
    QVERIFY(!c.has_value());
    for (const char* part : {"'AA' is not an integer", "'f99'", "'nonsense'"})
      QVERIFY(c.error().cause.find(part) != std::string::npos);
  }
  void endlessTokens() {
    const std::string long_name(40000, 'a'), splice = long_name.substr(0, 20000) + "\\\n" + long_name.substr(0, 20000);
    for (const std::string& bad :
         {"int " + long_name + ";", "#pragma unroll " + long_name, "// \"" + std::string(40000, ' ') + "\"",
          "const char* s = \"" + std::string(17000, '\\') + std::string(17000, 'n') + "\";", "int " + splice + ";",
          "double d = 1." + std::string(2000, '3') + ";"}) {
      QCOMPARE(parse(head + body + bad, Language::cuda).error().code, Code::parse);
      QCOMPARE(parse(head + body + bad, Language::ptx).error().code, Code::parse);
    }
    QVERIFY(parse(head + body + "int " + std::string(1000, 'a') + "; // \"" + std::string(30000, ' '), Language::cuda));
  }
  void hostileBytes() {
    QVERIFY(parse(head + body + std::string(1, '\0'), Language::cuda).error().message.find("NUL") != std::string::npos);
    for (const char* bad : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
      QVERIFY2(parse(head + body + "// " + bad, Language::cuda)
                       .error()
                       .message.find("of the candidate, in line 4, is not UTF-8") != std::string::npos,
               bad);
    QVERIFY(parse(head + body + "// \xe2\x82\xac \xf0\x9f\x99\x82", Language::cuda).has_value());
    QVERIFY(parse(std::string(max_text + 1, ' '), Language::cuda).error().code == Code::parse);
    std::string many = "//@ candidate op\n";
    for (int i = 0; i < 3000; ++i) many += "//@ launch k grid(((((((((((1 block(1) args(x)\n";
    QVERIFY(parse(many, Language::cuda).error().cause.size() < 20000);
    QVERIFY(!parse("//@ candidate op\n//@ launch k grid(" + std::string(3000, '(') + ") block(1) args(x)\n" + body,
                   Language::cuda)
                 .has_value());
    QVERIFY(
        !parse("//@ candidate op\n//@ require " + std::string(5000, '-') + "1\n" + body, Language::cuda).has_value());
  }

  void tuningsAreEnumerated() {
    const auto c = parse(
        "//@ candidate op\n//@ tune AA = 1 | 2 | 3\n//@ tune BB = 10 | 20\n//@ launch k grid(1) block(1) args(x)\n" +
            body,
        Language::cuda);
    QVERIFY(c.has_value());
    QCOMPARE(first_tuning(*c), (Tuning{{"AA", 1}, {"BB", 10}}));
    const auto all = tunings(*c, 100);
    QCOMPARE(all.size(), std::size_t{6});
    QCOMPARE(std::set<Tuning>(all.begin(), all.end()).size(), std::size_t{6});
    QCOMPARE(all[0], first_tuning(*c));
    const auto some = tunings(*c, 4);
    QCOMPARE(std::set<Tuning>(some.begin(), some.end()).size(), std::size_t{4});
    QCOMPARE(some[0], first_tuning(*c));
    QCOMPARE(some[3].at("AA"), std::int64_t{3});  // spread over the whole set
    QVERIFY(tunings(*c, 0).empty());
    QCOMPARE(tunings(*parse(head + body, Language::cuda), 5), std::vector<Tuning>{Tuning{}});
  }
  void tuningsOfAnEnormousSet() {
    std::string text = "//@ candidate op\n";
    for (int a = 0; a < 30; ++a) {
      text += "//@ tune A" + std::to_string(a) + " = 0";
      for (int v = 1; v < 200; ++v) text += " | " + std::to_string(v);
      text += "\n";
    }
    const auto c = parse(text + "//@ launch k grid(1) block(1) args(x)\n" + body, Language::cuda);
    QVERIFY2(c.has_value(), c ? "" : c.error().cause.c_str());
    const auto some = tunings(*c, 50);
    QCOMPARE(std::set<Tuning>(some.begin(), some.end()).size(), std::size_t{50});
  }
  void pinningTouchesTuneLinesAlone() {
    const auto c = parse(example, Language::cuda);
    const auto p = pin(*c, {{"BLOCK", 512}, {"VEC", 4}});
    QVERIFY2(p.has_value(), p ? "" : p.error().text().c_str());
    std::string expected = example;
    expected.replace(expected.find("128 | 256 |512"), 14, "512");
    QCOMPARE(p->text, expected);
    QVERIFY(p->hash != c->hash);
    QCOMPARE(tunings(*p, 10).size(), std::size_t{1});
    QCOMPARE(pin(*p, {{"BLOCK", 512}, {"VEC", 4}})->hash, p->hash);
    QCOMPARE(pin(*c, {{"BLOCK", 512}}).error().code, Code::invalid_argument);
    QCOMPARE(pin(*c, {{"BLOCK", 64}, {"VEC", 4}}).error().code, Code::invalid_argument);
    QCOMPARE(pin(*c, {{"BLOCK", 128}, {"VEC", 4}, {"X", 1}}).error().code, Code::invalid_argument);
  }
  // Cut, doubled and damaged in every way: never a crash, and what parses can be pinned and parsed again.
  void survivesMutations() {
    std::mt19937 random(11);
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    int parsed = 0;
    for (int round = 0; round < 6000; ++round) {
      std::string t = example;
      for (std::size_t k = pick(3); k <= 3 && !t.empty(); ++k) {
        const std::size_t at = pick(t.size());
        switch (pick(5)) {
          case 0: t.erase(at, 1 + pick(6)); break;
          case 1: t.insert(at, t.substr(pick(t.size()), 1 + pick(20))); break;
          case 2: t[at] = static_cast<char>(random()); break;
          case 3: t[at] = "()[],|=:@/\\\n\r -"[pick(15)]; break;
          default: t.resize(at); break;
        }
      }
      const auto c = parse(t, Language::cuda);
      if (!c) {
        QVERIFY(!c.error().message.empty());
        continue;
      }
      ++parsed;
      const auto p = pin(*c, first_tuning(*c));
      QVERIFY2(p.has_value(), p ? "" : p.error().text().c_str());
      QVERIFY(first_tuning(*p) == first_tuning(*c));
    }
    QVERIFY(parsed > 100);
  }
};

QTEST_APPLESS_MAIN(CandidateTest)
#include "candidate_test.moc"
