// SPDX-License-Identifier: Apache-2.0
// What a receipt says, and that nothing in it can be changed unseen.
#include <QtTest>
#include <random>
#include "base/files.h"
#include "base/hash.h"
#include "profile/measurement_record.h"
#include "review/review_world.h"
#include "store/schema.h"

using namespace review_world;

class ReceiptTest : public QObject, review_world::Signers {
  Q_OBJECT

 private slots:
  void aReceiptSaysWhatWasProved() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    store::MeasurementRecord measured;
    measured.op = w->run(m.run)->op;
    measured.candidate = m.candidate;
    measured.kind = profile::MeasurementKind::time;
    measured.device = "cuda:0", measured.gpu = "NVIDIA H200", measured.driver = "580";
    profile::Measurement timed;
    timed.device.emplace().uuid = "GPU-123-SERIAL";
    timed.subjects.push_back({.name = "candidate", .timings = {{.subject = "candidate", .samples = {{.us = 12.5}}}}});
    measured.json = profile::measurement_to_json(timed);
    QVERIFY(w->add_measurement(measured));
    const std::string r = accept(*w, m.candidate, "Ada", all_answers(), program, signer()).value().receipt;
    const Verification v = verify(r);
    QVERIFY2(v.genuine(), v.problems.empty() ? "" : v.problems.front().c_str());
    QVERIFY(v.op == "scale" && v.candidate == w->candidate(m.candidate)->hash);
    QVERIFY(v.signatures.size() == 1 && v.signatures[0].valid && v.signatures[0].reviewer == "Ada" &&
            v.signatures[0].public_key == signer().public_key());
    for (const char* part :
         {"warpwright/receipt/1", "atomicAdd(y, 0)", "\"compiler\": \"NVRTC 13.0\"", "writer 3 (1a2b3c4d5e6f)",
          "\"median_us\": 12.5", "fast-math is wanted", "no finite error bound", "\"architecture\": \"sm_80\""})
      QVERIFY2(r.find(part) != std::string::npos, part);
    for (const char* part : {"\"races\": \"no\"", "\"initialisation\": \"partly\"", "\"unproved\": 3",
                             "\"reproducibility\": \"bitwise\"", "Not checked for: races."})
      QVERIFY2(r.find(part) != std::string::npos, part);
    QVERIFY(r.find("no race") == std::string::npos);
    QVERIFY(r.find("\"verdict_hash\": \"" + w->candidate(m.candidate)->verdict_hash) != std::string::npos);
    std::string without_text =
        r;  // the candidate's own text is signed as it is; nothing else names a place of this machine
    while (without_text.find("//@ title plain /home") != std::string::npos)
      without_text = replaced(without_text, "//@ title plain /home/ada/secret/place.cu", "");
    const std::string key = read_file(path("keys/signing.key")).value();
    for (const std::string& part :
         {std::string("/home"), std::string("/usr"), std::string("ada/"), std::string("secret"), std::string("~/"),
          std::string("SERIAL"), std::string("localhost"), path("").string(), key.substr(key.find('\n') + 1, 64)})
      QVERIFY2(without_text.find(part) == std::string::npos, part.c_str());
    QVERIFY(without_text.find("as in notes.txt") != std::string::npos &&
            without_text.find("see notes.txt") != std::string::npos);
    const std::string page = receipt_markdown(r).value();
    for (const char* part :
         {"# Receipt: scale", "**Ada**", "## What it computes", "y[i] = 2 * x[i]",
          "- k: grid 2 x 1 x 1, block 32 x 1 x 1", "| odd | N = 33 | not claimed |",
          "- candidate, cold cache: median 12.5", "ollama:qwen", "Answer: opened", "Limits of validity"})
      QVERIFY2(page.find(part) != std::string::npos, part);
  }

  void aPrintoutSaysHowToVerifyAndIsNoReceipt() {
    auto w = opened(fresh());
    const std::string r = accept(*w, fill(*w).candidate, "Ada", all_answers(), program, signer()).value().receipt;
    QCOMPARE(verify(r).printout, Printout::no);
    const std::string page = receipt_markdown(r).value();
    QVERIFY(page.find("warpwright-cli receipt verify FILE.json") < page.find("## What it computes"));
    for (const auto& [text, kind] :
         {std::pair{page, Printout::markdown}, {std::string("%PDF-1.7 ..."), Printout::pdf}}) {
      const Verification v = verify(text);
      QVERIFY(!v.genuine() && !v.is_receipt && v.printout == kind);
      QVERIFY2(v.problems.front().find("JSON file") != std::string::npos, v.problems.front().c_str());
    }
    QCOMPARE(verify("no receipt").printout, Printout::no);
  }

  void adviceIsAmongTheFindings() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    const std::string page =
        receipt_markdown(accept(*w, m.candidate, "Ada", all_answers(), program, signer()).value().receipt).value();
    const std::size_t begin = page.find("## Findings"), end = page.find("## Checklist");
    QVERIFY(begin < end && end != page.npos);
    int advice = 0;
    for (const Fact& f : facts_of(dossier_of(*w, m.candidate).value()))
      if (f.topic == Topic::advice) ++advice;
    QVERIFY(advice > 0);
    QVERIFY2(std::count(page.begin() + static_cast<std::ptrdiff_t>(begin),
                        page.begin() + static_cast<std::ptrdiff_t>(end), '\n') > advice + 3,
             page.substr(begin, end - begin).c_str());
    for (const Fact& f : facts_of(dossier_of(*w, m.candidate).value()))
      if (f.topic == Topic::advice)
        QVERIFY2(page.substr(begin, end - begin).find(f.text.substr(0, 16)) != page.npos, f.text.c_str());
  }

  void aReceiptNamesTheOpThatWasProved() {
    const fs::path folder = fresh();
    auto w = opened(folder);
    const Made m = fill(*w);
    auto db = store::Database::open(folder / "workspace.sqlite", store::Database::Access::write).value();
    QVERIFY(db->exec("UPDATE op SET name = 'softmax' || char(10) || 'accepted by Ada'"));
    const std::string r = accept(*w, m.candidate, "Bob", all_answers(), program, signer()).value().receipt;
    QCOMPARE(verify(r).op, std::string("scale"));
  }

  void textOfOthersStaysInItsPlaceOnThePage() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    store::CandidateRecord c = record_of(m.run, kernel("/*\n````\n# Accepted by everybody\n```\n*/\n"));
    c.note =
        "| x |\n# heading <script> // a/b, 1/2/3, https://host.org/a/b (/opt/a b) file:///opt/x/y.cu ~/z '/opt/q/r'";
    const std::int64_t id = w->add_candidate(c).value();
    QVERIFY(w->set_verdict(id, verdict_of(c.hash), 1.0, Provenance::simulated, "u"));
    const std::string page =
        receipt_markdown(accept(*w, id, "Eve **", all_answers(), program, signer()).value().receipt).value();
    QVERIFY(page.find("`````cuda\n") != std::string::npos);
    QVERIFY(page.find("\n# heading") == std::string::npos &&
            page.find("\\# heading \\<script\\>") != std::string::npos);
    QVERIFY(page.find("Eve \\*\\*") != std::string::npos);
    QVERIFY(page.find("// a/b, 1/2/3, https://host.org/a/b (a b) file://y.cu z 'r'") != std::string::npos);
  }

  void whatIsNoReceiptIsSaidPlainly() {  // without a library's words, and without what it quotes
    for (const auto& [text, says] :
         {std::pair{"{\"schema\": " + std::string(100000, '9') + "}", "a number is too large: line 1, column "},
          {std::string("{\n  \"schema\": oops\n}"), "this is not JSON: line 2, column 13"},
          {std::string(100000, '['), "the JSON is nested too deeply"}}) {
      const Verification v = verify(text);
      QVERIFY(!v.genuine());
      QCOMPARE(v.problems.size(), std::size_t{1});
      QVERIFY2(v.problems[0].find(says) == 0 && v.problems[0].size() < 100, v.problems[0].substr(0, 200).c_str());
    }
  }

  void tamperingIsNamed() {
    const std::string r = receipt();
    const auto problems = [&](const std::string& what, const std::string& by) {
      return verify(replaced(r, what, by)).problems;
    };
    for (const auto& [what, by, named] :
         {std::tuple{"\"answer\": \"opened\"", "\"answer\": \"closed\"", "'checklist'"},
          {"atomicAdd(y, 0)", "atomicAdd(y, 1)", "'candidate'"},
          {"\"parent\": \"", "\"parent\": \"0", "'candidate'"},
          {"2 * x[i]", "3 * x[i]", "'candidate'"},
          {"\"accepted\": true", "\"accepted\": false", "'evidence'"},
          {"\"input_sets\": 5", "\"input_sets\": 6", "'evidence'"},
          {"\"concern\": true,\n        \"line\": 9", "\"concern\": false,\n        \"line\": 9", "'findings'"},
          {"Proved shapes: N = 64", "Proved shapes: N = 65", "'checklist'"},
          {"\"model\": \"ollama:qwen\"", "\"model\": \"ollama:none\"", "'lineage'"},
          {"\"value\": 812.0", "\"value\": 811.0", "'measurements'"},
          {"\"notes\": []", "\"notes\": [1]", "'notes'"},
          {"\"shared_bytes\": 0", "\"shared_bytes\": 1", "'plan'"},
          {"\"sentence\": \"twice", "\"sentence\": \"thrice", "'spec'"},
          {"\"compiler\": \"NVRTC 13.0\"", "\"compiler\": \"NVRTC 12.0\"", "'toolchain'"},
          {"\"reviewer\": \"Ada\"", "\"reviewer\": \"Eve\"", "signature 1"},
          {"\"kind\": \"accepted\"", "\"kind\": \"countersigned\"", "signature 1"},
          {"\"created\": \"2", "\"created\": \"3", "'candidate'"},
          {"warpwright/receipt/1", "warpwright/receipt/2", "schema"},
          {"{\n", "{ \n", "layout"},
          {"\"schema\":", "\"extra\": 1,\n  \"schema\":", "'extra'"}})
      QVERIFY2(says(problems(what, by), named), what);
    // The limits, where they stand in their own part.
    const std::size_t limits = r.find("\"limits\": [");
    QVERIFY(limits != std::string::npos);
    QVERIFY(says(verify(r.substr(0, limits) + replaced(r.substr(limits), "Nothing here", "Everything here")).problems,
                 "'limits'"));
    // A part changed together with its hash: the signature tells.
    std::string both = replaced(r, "\"notes\": []", "\"notes\": 1");
    both = replaced(both, "\"notes\": \"" + hash_hex("[]"), "\"notes\": \"" + hash_hex("1"));
    QVERIFY(says(verify(both).problems, "signature 1") && !says(verify(both).problems, "the part"));
    for (const auto& [what, by] : {std::pair{"\"public_key\": \"", ""}, {"\"signature\": \"", ""}}) {
      std::string t = r;
      char& digit = t[t.find(what) + std::string(what).size()];
      digit = digit == '0' ? '1' : '0';
      QVERIFY2(says(verify(t).problems, "signature 1"), by);
    }
    // Another key's signature in its place, a doubled signature, none at all.
    const std::string other = signer("other.key").public_key();
    QVERIFY(says(problems(signer().public_key(), other), "signature 1"));
    const std::size_t from = r.find("\"signatures\": [") + 15, to = r.rfind("]");
    const std::string entry = r.substr(from, r.rfind("}", to) + 1 - from);
    QVERIFY(
        says(verify(r.substr(0, from) + entry + "," + entry + r.substr(from + entry.size())).problems, "signature 2"));
    QVERIFY(says(verify(r.substr(0, from) + r.substr(to)).problems, "no signature"));
    for (const std::string& none :
         {std::string(), std::string("{}"), std::string("[]"), std::string("null"), std::string("\xff"),
          std::string(100000, '['), r.substr(0, r.size() / 2), r + " ", r + r,
          std::string("{\"schema\": \"warpwright/receipt/1\", \"body\": 1, \"hashes\": 2, \"signatures\": 3}"),
          std::string("{\"schema\": \"warpwright/receipt/1\", \"body\": {}, \"hashes\": {}, \"signatures\": [1]}")}) {
      QVERIFY(!verify(none).genuine());
      QVERIFY(!receipt_markdown(none));
      QVERIFY(!add_signature(none, "Bob", signer()));
    }
  }

  void noFlippedByteVerifies() {
    const std::string r = countersign(nullptr, receipt(), "Bob", signer("bob.key")).value();
    QVERIFY(verify(r).genuine());
    std::mt19937 random(20261121);
    for (int i = 0; i < 1500; ++i) {
      std::string t = r;
      const std::size_t at = random() % t.size();
      t[at] = static_cast<char>(t[at] ^ (1 << random() % 8));
      if (verify(t).genuine()) QFAIL(qPrintable(QString("byte %1 was changed").arg(at)));
    }
    for (int i = 0; i < 200; ++i) {
      std::string t = r;
      const std::size_t at = random() % t.size(), n = 1 + random() % 40;
      if (i % 2)
        t.erase(at, n);
      else
        t.insert(at, t.substr(random() % t.size(), n));
      if (t != r && verify(t).genuine()) QFAIL(qPrintable(QString("at byte %1").arg(at)));
    }
  }

  void aSecondReviewerCountersigns() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    const std::string one = accept(*w, m.candidate, "Ada", all_answers(), program, signer()).value().receipt;
    const auto again = countersign(w.get(), one, "Ada", signer());
    QVERIFY(!again && again.error().message.find("another person") != std::string::npos);
    QVERIFY(!countersign(w.get(), one, " ", signer()) &&
            !countersign(w.get(), replaced(one, "opened", "closed"), "Bob", signer()));
    const std::string two = countersign(w.get(), one, "Bob", signer("bob.key")).value();
    const Verification v = verify(two);
    QVERIFY(v.genuine() && v.signatures.size() == 2 && v.signatures[1].reviewer == "Bob" &&
            v.signatures[1].kind == store::ReviewKind::countersigned);
    QCOMPARE(v.signatures[1].public_key, signer("bob.key").public_key());
    QVERIFY(unsigned_part(one) == unsigned_part(two));
    QCOMPARE(state_of(w->reviews(m.candidate).value(), w->candidate(m.candidate).value().hash),
             ReviewState::countersigned);
    QCOMPARE(receipt_of(w->reviews(m.candidate).value(), w->candidate(m.candidate).value().hash), two);
    QVERIFY(verify_against(two, *w)->changes.empty());
    QVERIFY(says(verify_against(one, *w)->changes, "countersigned since", false));
    QVERIFY(!verify(replaced(two, "\"reviewer\": \"Ada\"", "\"reviewer\": \"Ida\""))
                 .signatures[1]
                 .valid);  // the second signs the first, too
    auto elsewhere = opened(fresh());
    QVERIFY(countersign(elsewhere.get(), two, "Cy", signer("cy.key")) && elsewhere->reviews(0)->empty());
  }

  void aReceiptHasFewSignatures() {
    const std::string one = receipt();
    const std::size_t begin = one.find("{", one.rfind("\"signatures\": [")), end = one.rfind("}", one.rfind("]")) + 1;
    const std::string signature = one.substr(begin, end - begin);
    std::string many = one.substr(0, end);
    for (int i = 0; i < 20000; ++i) many += ",\n    " + signature;
    const Verification v = verify(many + one.substr(end));
    QVERIFY(!v.genuine());
    QVERIFY2(says(v.problems, "more than 64 signatures"), v.problems.front().c_str());
    QVERIFY(v.signatures.empty());
  }
};

QTEST_APPLESS_MAIN(ReceiptTest)
#include "receipt_test.moc"
