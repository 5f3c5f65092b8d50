// SPDX-License-Identifier: Apache-2.0
// What was decided and is taken back.
#include <QtTest>
#include "review/review_world.h"
#include "store/bundle.h"
#include "store/standing.h"

using namespace review_world;

class WithdrawTest : public QObject, review_world::Signers {
  Q_OBJECT

 private slots:
  void whatWasDecidedIsTakenBackByRows() {
    const fs::path folder = fresh();
    auto w = opened(folder);
    const Made m = fill(*w);
    const auto state = [&] {
      return state_of(w->reviews(m.candidate).value(), w->candidate(m.candidate).value().hash);
    };
    const std::int64_t remark = note(*w, m.candidate, 8, "why no float4?", "").value(),
                       request = request_changes(*w, m.candidate, "use float4", "").value();
    const std::int64_t rejected = reject(*w, m.candidate, "too slow", "Bob").value();
    const std::int64_t back = withdraw(*w, m.candidate, rejected, "Bob").value();
    QCOMPARE(state(), ReviewState::changes_requested);
    QVERIFY(withdraw(*w, m.candidate, back, "Ada"));  // the rejection stands again
    QCOMPARE(state(), ReviewState::rejected);
    const auto refused = [&](std::int64_t row, const char* name) {
      return withdraw(*w, m.candidate, row, name).error().message;
    };
    QVERIFY(refused(back, "Ada").find("already been withdrawn") != std::string::npos);
    QVERIFY(refused(rejected, " ").find("name") != std::string::npos);
    QVERIFY(refused(99, "Ada").find("no review 99") != std::string::npos);
    QVERIFY(!withdraw(*w, m.parent, rejected, "Ada"));  // of another candidate
    QVERIFY(withdraw(*w, m.candidate, rejected, "Bob") && withdraw(*w, m.candidate, request, ""));
    QCOMPARE(state(), ReviewState::open);
    QCOMPARE(requested_changes(*w, m.candidate).value(), std::string("Line 8: why no float4?\n"));
    QVERIFY(withdraw(*w, m.candidate, remark, ""));
    QVERIFY(requested_changes(*w, m.candidate)->empty());
    const auto facts = facts_of(dossier_of(*w, m.candidate).value());
    QVERIFY(std::none_of(facts.begin(), facts.end(), [](const Fact& f) { return f.topic == Topic::notes; }));

    const Accepted a = accept(*w, m.candidate, "Ada", all_answers(), program, signer()).value();
    QVERIFY(a.receipt.find("too slow") == std::string::npos);
    const std::string both = countersign(w.get(), a.receipt, "Grace", signer("second.key")).value();
    QCOMPARE(state(), ReviewState::countersigned);
    const std::int64_t second = w->reviews(m.candidate)->back().id;
    QVERIFY(withdraw(*w, m.candidate, second, "Grace"));
    QCOMPARE(state(), ReviewState::accepted);
    QCOMPARE(receipt_of(w->reviews(m.candidate).value(), w->candidate(m.candidate).value().hash), a.receipt);
    QVERIFY(says(verify_against(both, *w)->changes, "Grace withdrew the countersignature of Grace", true));
    QVERIFY(says(verify_against(a.receipt, *w)->changes, "Grace withdrew", false));
    const std::int64_t gone = withdraw(*w, m.candidate, a.review, "Ada").value();
    QCOMPARE(state(), ReviewState::open);
    QVERIFY(receipt_of(w->reviews(m.candidate).value(), w->candidate(m.candidate).value().hash).empty());
    QVERIFY(verify(a.receipt).genuine());  // the file is what it was
    QVERIFY(says(verify_against(a.receipt, *w)->changes, "Ada withdrew the signature", true));
    QVERIFY(withdraw(*w, m.candidate, gone, "Ada"));
    QCOMPARE(receipt_of(w->reviews(m.candidate).value(), w->candidate(m.candidate).value().hash), a.receipt);
    QVERIFY(!says(verify_against(a.receipt, *w)->changes, "withdrew the signature", true));
    // Rows name one another by what they hold: it is the same in a workspace into which they are brought.
    const fs::path bundle = folder.string() + ".wwb", other = fresh();
    QVERIFY(store::export_bundle(folder, bundle, 0, program));
    auto brought = opened(other);
    QVERIFY(note(*brought, fill(*brought).candidate, 0, "numbers differ here"));
    QVERIFY(store::import_bundle(bundle, other));
    const auto there = brought->find_candidate(std::to_string(4));
    QVERIFY(there);
    QCOMPARE(state_of(brought->reviews(there->id).value(), there->hash), ReviewState::open);
    QCOMPARE(imported_state_of(brought->reviews(there->id).value(), there->hash), ReviewState::accepted);
  }
};

QTEST_APPLESS_MAIN(WithdrawTest)
#include "withdraw_test.moc"
