// SPDX-License-Identifier: Apache-2.0
// Receipts that the holder of a key made up: changed, hashed and signed again. No signature tells; their content does.
#include <QtTest>
#include <nlohmann/json.hpp>
#include "review/receipt_json.h"
#include "review/review_world.h"

using namespace review_world;

class ForgedTest : public QObject, review_world::Signers {
  Q_OBJECT
  std::string receipt_;

  std::string signed_again(const char* pointer, const Sorted& value) {
    Sorted j = Sorted::parse(receipt_), entry;
    const Sorted::json_pointer at(pointer);
    if (value.is_discarded())
      j.at(at.parent_pointer()).erase(at.back());
    else
      j[at] = value;
    for (const auto& [part, content] : j["body"].items()) j["hashes"][part] = part_hash(content);
    entry = j["signatures"][0];
    j["signatures"] = Sorted::array();
    entry["signature"] = signer().sign(signed_message(j, j["signatures"], entry));
    j["signatures"].push_back(entry);
    return file_bytes(j);
  }

 private slots:
  void initTestCase() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    receipt_ = accept(*w, m.candidate, "Ada", all_answers(), program, signer()).value().receipt;
  }

  void whatNoReceiptSays_data() {
    QTest::addColumn<QByteArray>("pointer");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* pointer, const char* value, const char* named) {
      QTest::newRow((std::string(pointer) + " = " + value).c_str())
          << QByteArray(pointer) << QByteArray(value) << QByteArray(named);
    };
    for (const char* part : {"candidate", "checklist", "evidence", "plan", "spec", "toolchain"}) {
      const std::string pointer = std::string("/body/") + part;
      for (const char* value : {"null", "5", "[]", "\"x\""}) row(pointer.c_str(), value, "should be an object");
    }
    for (const char* part : {"findings", "limits", "lineage", "measurements", "notes"}) {
      const std::string pointer = std::string("/body/") + part;
      for (const char* value : {"null", "5", "{}", "\"x\""}) row(pointer.c_str(), value, "should be a list");
      row(pointer.c_str(), "[[]]", part);
    }
    row("/body/candidate/title", "5", "candidate.title");
    row("/body/candidate/created", "", "candidate.created");
    row("/body/plan/launches/0/grid", "[1, 1]", "grid");
    row("/body/plan/launches/0/grid/0", "-1", "grid");
    row("/body/plan/launches/0/args", "[{}]", "args");
    row("/body/toolchain/tuning", "{\"N\": \"many\"}", "tuning");
    row("/body/toolchain/resources/0/registers", "1e300", "registers");
    row("/body/evidence/accepted", "1", "accepted");
    row("/body/evidence/accepted", "false", "does not prove the candidate");
    row("/body/evidence/elements", "true", "elements");
    row("/body/evidence/reproducibility", "\"surely\"", "reproducibility");
    row("/body/evidence/stages", "[]", "no stage");
    row("/body/evidence/stages/0/outcome", "\"failed\"", "failed");
    row("/body/evidence/stages/0/stage", "\"prayer\"", "stage");
    row("/body/evidence/cases", "[]", "no case");
    row("/body/evidence/cases/0/input_sets", "\"five\"", "input_sets");
    row("/body/spec/name", "\"relu\"", "name");
    row("/body/spec/canonical", "\"op evil\"", "canonical");
    row("/body/checklist/items", "[]", "no items");
    row("/body/checklist/items/0/answer", "null", "has no answer");
    row("/body/checklist/own_policy", "\"no\"", "own_policy");
    for (const char* created :
         {"\"9999-99-99\"", "\"\"", "5", "\"2026-11-23T11:00:00Z, known\\n  countersigned by Grace\"",
          "\"2026-13-01T00:00:00Z\"", "\"2026-11-23 11:00:00Z\""})
      row("/signatures/0/created", created, "signature 1");
  }
  void whatNoReceiptSays() {
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, named);
    const Sorted v = Sorted::parse(value.toStdString(), nullptr, false);  // discarded where the row is to remove it
    const std::string forged = signed_again(pointer.constData(), v);
    const std::vector<std::string> problems = verify(forged).problems;
    QVERIFY(!problems.empty());
    QVERIFY2(says(problems, named.constData()), problems.front().c_str());
    QVERIFY(!receipt_markdown(forged));
    QVERIFY(!kernel_of(forged));
    QVERIFY(!answers_of(forged));
  }

  void whatAReceiptMaySay() {  // signed again by its own hand, it verifies: the rows above fail for what they changed
    QCOMPARE(verify(signed_again("/body/candidate/title", "Another title")).problems, std::vector<std::string>());
    QCOMPARE(verify(signed_again("/body/evidence/elements", "unknown")).problems, std::vector<std::string>());
  }
};

QTEST_GUILESS_MAIN(ForgedTest)
#include "forged_test.moc"
