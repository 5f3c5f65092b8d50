// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>
#include <QXmlStreamReader>
#include <QtTest>
#include "base/files.h"
#include "base/hash.h"
#include "appraisal/rank.h"
#include "report/report.h"
#include "report/html.h"
#include "identity/titles.h"
#include "op/doubts.h"
#include "explore/script.h"
#include "store/workspace.h"
#include "support/hostile_texts.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::appraisal;
using namespace ww::report;
namespace fs = std::filesystem;

namespace {

struct Page {
  QString text;  // character data outside of style
  QMap<QString, int> elements;
  QString error;
  QString outside;  // references to anything outside the file
};

Page read(const std::string& html) {
  Page page;
  QXmlStreamReader xml(QByteArray::fromStdString(html));
  bool style = false;
  while (!xml.atEnd()) {
    xml.readNext();
    if (xml.isStartElement()) {
      ++page.elements[xml.name().toString()];
      style = xml.name() == u"style";
      for (const QXmlStreamAttribute& a : xml.attributes())
        if (a.name() == u"href" || a.name() == u"src" || a.name().startsWith(u"on"))
          page.outside += a.value().toString() + ' ';
    }
    if (xml.isEndElement()) style = false;
    if (xml.isCharacters()) {
      if (!style)
        page.text += xml.text();
      else if (xml.text().contains(u"url(") || xml.text().contains(u"@import"))
        page.outside += "style ";
    }
  }
  if (xml.hasError()) page.error = QString("line %1: %2").arg(xml.lineNumber()).arg(xml.errorString());
  return page;
}

evidence::Verdict accepted(double integer) {
  evidence::Verdict v;
  v.accepted = true;
  v.device = "simt";
  v.resources = {{"k", 32, 1024, 0, 0, 0, 0, 1}};
  v.coverage = {{"default", {{{"N", 64}}, {}}, true, 5}};
  evidence::Metrics m;
  m.provenance = Provenance::simulated;
  const RankRules rules = RankRules::load().value();
  for (const RankRules::Term& t : rules.terms)
    m.values.emplace_back(t.metric, t.metric == "warp_instructions.integer" ? integer : 3);
  m.values.emplace_back("launches", 1);
  m.values.emplace_back("warps", 64);
  m.lines = {{5, 90, 2880, 0, 0, 0, 0}, {4, 10, 320, 0, 0, 0, 0}};
  v.metrics = m;
  return v;
}

evidence::Verdict rejected(const std::string& log) {
  evidence::Verdict v;
  v.device = "simt";
  evidence::StageResult s{evidence::Stage::compile, evidence::Outcome::failed, "the compiler refused it", log, {}, 0};
  v.stages = {s};
  return v;
}

}  // namespace

class ReportTest : public QObject, ww::support::WithWorkspace {
  Q_OBJECT

  std::int64_t add(const std::string& text, const std::string& title, const std::string& structure,
                   const std::string& parent = {}) {
    store::CandidateRecord c;
    c.run = run_;
    c.text = text;
    c.hash = hash_hex(text);
    c.title = title;
    c.structure = structure;
    c.parent = parent;
    c.language = candidate::Language::cuda;
    return workspace_->add_candidate(c).value();
  }
  void judge(std::int64_t id, const evidence::Verdict& v) {
    const RankRules rules = RankRules::load().value();
    const auto score = score_of(rules, v, "sm_80");
    QVERIFY(workspace_->set_verdict(id, v, score ? std::optional<double>(score->value) : std::nullopt,
                                    Provenance::simulated, rules.unit));
  }
  // A report in which the text is everywhere.
  Page page_with(const std::string& text) {
    init();
    const std::int64_t a = add(text, text, text, std::string(64, 'a'));
    const std::int64_t b = add(text + "2", text, text);
    judge(a, rejected(text));
    evidence::Verdict v = accepted(5);
    v.resources[0].kernel = text;
    v.coverage[0].case_name = text;
    judge(b, v);
    if (!workspace_->add_message(run_, store::MessageLevel::warning, text)) qFatal("no message");
    return read(html_report(*workspace_, run_).value());
  }

 private slots:
  void init() {
    renew();
    store::RunRecord r;
    r.op = workspace_->add_op("scale", script::spec, "twice <b>x</b> & \"more\"").value();
    r.generator = "search";
    r.device = "simt";
    r.architecture = "sm_80";
    run_ = workspace_->add_run(r).value();
  }

  void emptyRun() {
    const auto html = html_report(*workspace_, run_);
    QVERIFY2(html, html ? "" : html.error().text().c_str());
    const Page page = read(*html);
    QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
    QVERIFY(page.text.contains("No candidate was proposed"));
    QVERIFY(page.text.contains("twice <b>x</b> & \"more\""));  // as text
    QVERIFY(page.text.contains("y[i] = 2 * x[i]"));
    QVERIFY(page.text.contains("Worked example"));
    QCOMPARE(page.elements.value("b"), 7);  // four tiles and three words about numbers; none of the sentence
    QCOMPARE(page.elements.value("svg"), 0);
    QCOMPARE(html_report(*workspace_, 77).error().code, Code::not_found);
  }

  void anUnconfirmedSpecIsMarkedAtItsHead() {
    QVERIFY(!read(html_report(*workspace_, run_).value()).text.contains("it is unconfirmed"));
    store::RunRecord r = workspace_->run(run_).value();
    r.op = workspace_->add_op("scale", op::marked_unconfirmed(script::spec, "a model wrote it"), "").value();
    const Page page = read(html_report(*workspace_, workspace_->add_run(r).value()).value());
    QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
    const qsizetype mark = page.text.indexOf("A model wrote the spec of this op, and it is unconfirmed");
    QVERIFY(mark > 0 && mark < page.text.indexOf("What it computes"));
  }

  void oneCandidate() {
    const std::int64_t id = add(script::candidate("first", "accepted"), "first", "row-warp");
    judge(id, accepted(100));
    const Page page = read(html_report(*workspace_, run_).value());
    QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
    QVERIFY(page.text.contains("Best candidate: #1 first"));
    QVERIFY(page.text.contains("90.0 %"));  // the share of line 5
    QVERIFY(page.text.contains("simulated issue slots"));
    QVERIFY(page.elements.value("svg") >= 4);
  }

  void aWholeRun() {
    const std::string base = script::candidate("first", "accepted");
    const std::int64_t a = add(base, "first", "row-warp");
    const std::int64_t b = add(base + "// faster\n", "second", "row-block", hash_hex(base));
    const std::int64_t c = add("third", "", "row-warp");
    add("fourth", "", "");
    evidence::Verdict endless = rejected("");
    endless.stages[0] = {evidence::Stage::smoke, evidence::Outcome::not_judged, "the kernel used up its budget"};
    endless.stages[0].failure.emplace().fault.emplace().kind = FaultKind::budget_exceeded;
    judge(add("fifth", "", "endless"), endless);
    judge(a, accepted(1000));
    judge(b, accepted(10));
    judge(c, rejected("candidate.cu(3): error: expected a ;"));
    QVERIFY(workspace_->add_message(run_, store::MessageLevel::info, "a message"));
    QVERIFY(workspace_->add_message(run_, store::MessageLevel::environment, "{\"compiler\": {\"version\": \"13.0\"}}"));
    QVERIFY(workspace_->set_run_state(run_, store::RunState::done));
    const std::string html = html_report(*workspace_, run_).value();
    QVERIFY(html.find("<span class=\"unjudged\">not judged at smoke") != std::string::npos);
    const Page page = read(html);
    QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
    QVERIFY(page.text.contains("It may loop forever. Try a larger launch budget."));
    QVERIFY(page.text.contains("Best candidate: #2 second"));
    QVERIFY(page.text.contains("+// faster"));
    QVERIFY(page.text.contains("Changes from its parent, candidate 1"));
    QVERIFY(page.text.contains("expected a ;"));
    QVERIFY(page.text.contains("Not proved (2)"));
    QVERIFY(page.text.contains("a message"));
    QVERIFY(page.text.contains("compiler, version") && page.text.contains("13.0"));
    for (const char* share : {"1 of 2 proved", "1 of 1 proved", "0 of 1 proved"})  // by structure
      QVERIFY2(page.text.contains(share), share);
    QVERIFY(page.outside.isEmpty());
  }

  void longTitlesKeepTheirTuning() {
    std::string text = script::candidate(std::string(300, 't'), "accepted");
    text.insert(text.find("//@ launch"), "//@ tune BLOCK = 128\n//@ tune UNROLL = 4\n");
    const auto parsed = candidate::parse(text, candidate::Language::cuda);
    QVERIFY2(parsed, parsed ? "" : parsed.error().text().c_str());
    judge(add(text, identity::title_of(*parsed), "row-warp"), accepted(10));
    const Page page = read(html_report(*workspace_, run_).value());
    QVERIFY(page.text.contains("…" + QString(41, 't') + " (BLOCK 128, UNROLL 4)"));
  }

  void lineNumbersDoNotWrap() {
    const std::string html = html_report(*workspace_, run_).value();
    const std::size_t rule = html.find(".listing .n {");
    QVERIFY(rule != std::string::npos);
    const std::string body = html.substr(rule, html.find('}', rule) - rule);
    QVERIFY2(body.find("white-space: nowrap") != std::string::npos, body.c_str());
    QVERIFY(html.find(".listing { white-space") == std::string::npos);  // nor on paper, where cells would inherit it
  }

  void hostileTextsAreText_data() {
    QTest::addColumn<QByteArray>("text");
    for (const support::HostileText& t : support::hostile_texts())
      QTest::newRow(t.name.c_str()) << QByteArray::fromStdString(t.text);
  }
  void hostileTextsAreText() {
    QFETCH(QByteArray, text);
    const QMap<QString, int> plain = page_with("plain").elements;
    const Page page = page_with(text.toStdString());
    QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
    QVERIFY2(page.outside.isEmpty(), qPrintable(page.outside));
    for (const QString& element : page.elements.keys()) QVERIFY2(plain.contains(element), qPrintable(element));
    if (support::is_utf8(text.toStdString()) && visible(text.toStdString()) == text.toStdString() && text.size() < 40)
      QVERIFY(page.text.contains(QString::fromUtf8(text)));
  }

  void nothingThatIsShownIsExecuted() {
    const std::string evil =
        "</script><script>alert(1)</script><img src=x onerror=alert(1)> \" onload='x' ]]> <!-- &lt; \x01\x1b[31m "
        "\xff\xfe";
    const std::int64_t a = add(evil, evil, evil, std::string(64, 'a'));
    const std::int64_t b = add(evil + "2", std::string(5000, 'n') + evil, std::string(3000, 's'));
    judge(a, rejected(evil));
    evidence::Verdict v = accepted(5);
    v.resources[0].kernel = evil;
    v.coverage[0].case_name = evil;
    judge(b, v);
    QVERIFY(workspace_->add_message(run_, store::MessageLevel::warning, evil));
    QVERIFY(workspace_->add_message(run_, store::MessageLevel::environment, evil));
    const std::string html = html_report(*workspace_, run_).value();
    const Page page = read(html);
    QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
    QCOMPARE(page.elements.value("script"), 0);
    QCOMPARE(page.elements.value("img"), 0);
    QVERIFY(page.outside.isEmpty());
    QVERIFY(page.text.contains("</script><script>alert(1)</script>"));
    QVERIFY(html.find("default-src 'none'") != std::string::npos);
    for (const char c : html) QVERIFY(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t' || c == '\r');
  }

  void escaping() {
    QCOMPARE(html::escape("<a & \"b'>"), std::string("&lt;a &amp; &quot;b&#39;&gt;"));
    const std::string bad = "\xEF\xBF\xBD";
    QCOMPARE(html::escape("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), std::string("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
    QCOMPARE(html::escape("a\u200bb\u202ec\u009b"), std::string("a\\u{200b}b\\u{202e}c\\u{9b}"));
    QCOMPARE(html::escape("a\rb\nc"), std::string("a\u240Db\nc"));  // a browser would begin a line at each
    QCOMPARE(html::escape("\xC3"), bad);
    QCOMPARE(html::escape("\xED\xA0\x80"), bad + bad + bad);  // a surrogate
    QCOMPARE(html::escape("\xC0\xAF"), bad + bad);            // an overlong slash
    QCOMPARE(html::escape("\xEF\xBF\xBF"), bad + bad + bad);  // U+FFFF
    QCOMPARE(html::escape(std::string_view("\0", 1)), bad);
    QCOMPARE(html::shorten("abcdefgh", 5), std::string("ab…gh"));
    QCOMPARE(html::shorten("ééééé", 5), std::string("ééééé"));
    QCOMPARE(html::number(1234567), std::string("1\u202F234\u202F567"));
    QCOMPARE(html::number(1234), std::string("1234"));
    QCOMPARE(html::number(-12345), std::string("-12\u202F345"));
    QCOMPARE(html::number(0), std::string("0"));
  }

  void chartsOfOddData() {
    QVERIFY(html::bars("t", {"a"}, {}, "u").empty());
    QVERIFY(html::bars("t", {"a"}, {{"zero", {0}, {}}}, "u").empty());
    QVERIFY(html::dots("t", {}, "x", "y").empty());
    for (const double odd :
         {5e-324, 1e-310, 1e308, -1e308, double(INFINITY), -double(INFINITY), double(NAN)}) {  // they end, too
      QVERIFY(html::bars("t", {"a"}, {{"odd", {odd}, {}}, {"one", {1}, {}}}, "u").size() < 100000);
      QVERIFY(html::dots("t", {{1, odd, "", false}, {2, 1, "", false}}, "x", "y").size() < 100000);
      QVERIFY(html::dots("t", {{1, odd, "", false}, {2, odd, "", false}}, "x", "y").size() < 100000);
    }
    for (const std::vector<html::Dot>& dots :
         {std::vector<html::Dot>{{1, 5, "one", true}},
          {{1, 0, "zero", true}, {2, 0, "zero", false}},
          {{1, 1e12, "big", true}, {2, 1e-3, "small", true}, {3, 7, "back", false}}}) {
      const std::string svg = html::dots("t<", dots, "x", "y");
      QVERIFY(svg.find("nan") == std::string::npos && svg.find("inf") == std::string::npos);
      QVERIFY2(read(svg).error.isEmpty(), svg.c_str());
      QCOMPARE(read(svg).elements.value("circle"), static_cast<int>(dots.size()));
    }
    const std::string svg =
        html::bars("t", {"a", "b", "never"}, {{"x", {1, 2, 0}, {}}, {"y", {0, 1e9, 0}, "note"}}, "u");
    QVERIFY(read(svg).error.isEmpty() == false || svg.find("<figure>") == 0);
    QVERIFY(svg.find("never") == std::string::npos);
    QVERIFY(svg.find("note") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(ReportTest)
#include "report_test.moc"
