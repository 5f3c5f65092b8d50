// SPDX-License-Identifier: Apache-2.0
// Where a stored candidate's output is wrong, with a scripted worker.
#include <QtTest>
#include "generator/wrong_elements.h"
#include "generator/run_options.h"
#include "script.h"
#include "support/genuine_verdict.h"
#include "support/workspaces.h"

using namespace ww;

class WrongElementsTest : public QObject, support::Folders {
  Q_OBJECT

  // A candidate that was rejected for y[3] in the case odd.
  static std::int64_t stored(store::Workspace& w, const std::string& text, const std::string& secret) {
    generator::RunOptions options;
    options.spec = script::spec;
    store::RunRecord run;
    run.op = w.add_op("scale", script::spec, "").value();
    run.generator = "manual";
    run.device = "simt";
    run.architecture = "sm_80";
    run.options = generator::options_to_json(options);
    store::CandidateRecord c;
    c.run = w.add_run(run).value();
    c.text = text;
    c.hash = hash_hex(text);
    const std::int64_t id = w.add_candidate(c).value();
    rpc::GateRequest request;
    request.spec = script::spec;
    request.candidate = text;
    evidence::Verdict v = support::genuine_rejection(request, evidence::Stage::cases);
    v.proof.secret = secret;
    evidence::Failure& f = v.stages[3].failure.emplace();
    f.case_name = "odd";
    f.element = evidence::FailingElement{"y", {3}, 6, 7, 1e-6, 4, 1, 33};
    if (!w.set_verdict(id, v, std::nullopt, Provenance::unknown, "", "")) qFatal("verdict");
    return id;
  }

 private slots:
  void initTestCase() { qputenv("WARPWRIGHT_WORKER", SCRIPTED_WORKER); }

  void theJudgementIsRepeated() {
    auto w = support::opened(fresh());
    const std::string text = script::candidate("bad", "rejected"), secret = "0123456789abcdef";
    const auto map = generator::wrong_elements(*w, stored(*w, text, secret));
    QVERIFY2(map.has_value(), map ? "" : map.error().text().c_str());
    QCOMPARE(map->maps.at(0).first, std::int64_t{3});
    QCOMPARE(evidence::wrong_text(*map), std::string("1 of 33 elements is wrong."));

    const auto another = generator::wrong_elements(*w, stored(*w, text + "// of another case\n", secret));
    QVERIFY(!another && another.error().code == Code::not_found);
    const auto forged = generator::wrong_elements(*w, stored(*w, text + "// forges its map\n", secret));
    QVERIFY(!forged && forged.error().code == Code::corrupt);
    const auto unknown = generator::wrong_elements(*w, stored(*w, text + "// x\n", ""));  // what it was drawn from
    QVERIFY(!unknown && unknown.error().code == Code::invalid_argument);
    QVERIFY(!generator::wrong_elements(*w, 99));
  }
};

QTEST_GUILESS_MAIN(WrongElementsTest)
#include "wrong_elements_test.moc"
