// SPDX-License-Identifier: Apache-2.0
// Reviews: policies, refusals, decisions, bundles, and the judgement that precedes a signature.
#include <QtTest>
#include <barrier>
#include <future>
#include "base/files.h"
#include "evidence/describe.h"
#include "review/review_world.h"
#include "rpc/second_judge.h"
#include "store/bundle.h"
#include "store/schema.h"
#include "store/workspace.h"

using namespace review_world;

class ReviewTest : public QObject, review_world::Signers {
  Q_OBJECT

 private slots:
  void policiesOfAWorkspace() {
    auto w = opened(fresh());
    const fs::path file = w->folder() / "review" / "policy.json";
    const std::string head =
        "{\n  \"schema\": \"warpwright/review-policy/1\",\n  \"items\": [\n    {\"id\": \"one\", \"sentence\": \"s\", "
        "\"why\": \"w\"}";
    QVERIFY(write_file_atomic(file, head + ",\n    {\"id\": \"two\", \"sentence\": \"s\", \"why\": \"w\", "
                                           "\"required\": false, \"facts\": [\"limits\"]}\n  ]\n}\n"));
    const Policy p = Policy::load(w->folder()).value();
    QVERIFY(p.own && p.items.size() == 2 && p.items[0].required && !p.items[1].required);
    const Made m = fill(*w);
    QVERIFY(accept(*w, m.candidate, "Ada", {{"one", "yes"}}, program, signer()));
    for (const auto& [rest, part] :
         {std::pair{",\n    {\"id\": \"one\", \"sentence\": \"s\", \"why\": \"w\"}]}", ":5: there are two items 'one'"},
          {",\n    {\"id\": \"two\", \"sentence\": \"s\"}]}", ":5: an item has no 'why'"},
          {",\n    {\"id\": \"two\", \"sentence\": \"s\", \"why\": \"w\", \"facts\": [\"stars\"]}]}",
           ":5: unknown facts 'stars'"},
          {",\n    {\"id\": \"two\", \"sentence\": \"s\", \"why\": \"w\", \"requird\": true}]}",
           ":5: unknown member 'requird' of an item"},
          {",\n    {\"id\": \"two\", \"sentence\": \"s\", \"why\": 3}]}", ":5: 'why'"},
          {"],\n  \"extra\": 1}", ":5: unknown member 'extra'"},
          {",\n  oops]}", ":5: it is not JSON"}}) {
      QVERIFY(write_file_atomic(file, head + rest));
      const Result<Policy> bad = Policy::load(w->folder());
      QVERIFY(!bad);
      QVERIFY2(bad.error().message.find("policy.json" + std::string(part)) != std::string::npos,
               bad.error().message.c_str());
      QVERIFY(!accept(*w, m.candidate, "Ada", {{"one", "yes"}}, program, signer()));
    }
    for (const char* bad : {"", "[]", "{}", "{\"schema\": \"warpwright/review-policy/1\"}",
                            "{\"schema\": \"warpwright/review-policy/1\", \"items\": []}", "{\"schema\": 1}",
                            "{\"schema\": \"warpwright/review-policy/1\", \"items\": [3]}"})
      QVERIFY(!Policy::parse(bad, "p"));
  }

  void everyRefusal() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    const auto refused = [&](std::int64_t id, const Answers& answers, const std::string& reviewer = "Ada") {
      const auto a = accept(*w, id, reviewer, answers, program, signer());
      return a ? std::string() : a.error().message;
    };
    QVERIFY(refused(m.candidate, {}).find("no answer: spec, evidence, findings, lines, diff, limits") !=
            std::string::npos);
    for (const auto& [id, text] : all_answers()) {
      Answers some = all_answers();
      some[id] = " \n";
      QVERIFY(refused(m.candidate, some).ends_with("no answer: " + id));
    }
    Answers more = all_answers();
    more["weather"] = "fine";
    QVERIFY(refused(m.candidate, more).find("no item 'weather'") != std::string::npos);
    QVERIFY(refused(m.candidate, all_answers(), " ").find("name") != std::string::npos);
    QVERIFY(refused(m.candidate, all_answers(), "Ada\nBob").find("one line") != std::string::npos);
    QVERIFY(refused(m.parent, all_answers()).find("did not pass the gate") != std::string::npos);
    QVERIFY(refused(99, all_answers()).find("no candidate 99") != std::string::npos);

    const std::int64_t queued = w->add_candidate(record_of(m.run, kernel("// queued\n"))).value();
    QVERIFY(refused(queued, all_answers()).find("not been judged") != std::string::npos);
    const std::int64_t twin = w->add_candidate(record_of(m.run, kernel("// twin\n"))).value();
    QVERIFY(w->set_duplicate(twin, w->candidate(m.candidate)->hash));
    QVERIFY(refused(twin, all_answers()).find("same program") != std::string::npos);
    const std::int64_t broken = w->add_candidate(record_of(m.run, kernel("// broken\n"))).value();
    QVERIFY(w->set_not_judged(broken, "the worker died"));
    QVERIFY(refused(broken, all_answers()).find("the worker died") != std::string::npos);
    const std::int64_t other = w->add_candidate(record_of(m.run, kernel("// other\n"))).value();
    QVERIFY(w->set_verdict(other, verdict_of(w->candidate(m.candidate)->hash), 1.0, Provenance::simulated, "u"));
    QVERIFY(refused(other, all_answers()).find("belongs to another text") != std::string::npos);
    store::CandidateRecord lying = record_of(m.run, kernel("// lying\n"));
    lying.hash = std::string(64, 'b');
    const std::int64_t forged = w->add_candidate(lying).value();
    QVERIFY(w->set_verdict(forged, verdict_of(lying.hash), 1.0, Provenance::simulated, "u"));
    QVERIFY(refused(forged, all_answers()).find("does not match its hash") != std::string::npos);

    QVERIFY(w->reviews(0)->empty());  // nothing of all this was stored
    QVERIFY(!note(*w, m.candidate, 0, "  ") && !note(*w, m.candidate, 11, "x") && !note(*w, m.candidate, -1, "x") &&
            note(*w, m.candidate, 10, "x"));
    QVERIFY(!request_changes(*w, m.candidate, "") && !reject(*w, m.candidate, "", "Ada") &&
            !reject(*w, m.candidate, "slow", ""));
    QVERIFY(!note(*w, 99, 0, "x") && !request_changes(*w, 99, "x") && !reject(*w, 99, "x", "y"));
    QVERIFY(!note(*w, m.candidate, 0, std::string((1 << 20) + 1, 'x')));
  }

  void decisionsFollowOneAnother() {
    const fs::path folder = fresh();
    auto w = opened(folder);
    const Made m = fill(*w);
    const auto state = [&] {
      return state_of(w->reviews(m.candidate).value(), w->candidate(m.candidate).value().hash);
    };
    QCOMPARE(state(), ReviewState::open);
    QVERIFY(note(*w, m.candidate, 8, "why no float4?", "Ada"));
    QCOMPARE(state(), ReviewState::open);
    QVERIFY(request_changes(*w, m.candidate, "use float4", "Ada"));
    QCOMPARE(state(), ReviewState::changes_requested);
    QCOMPARE(requested_changes(*w, m.candidate).value(), std::string("Line 8: why no float4?\nuse float4\n"));
    QVERIFY(requested_changes(*w, m.parent)->empty());
    QVERIFY(reject(*w, m.candidate, "too slow", "Bob"));
    QCOMPARE(state(), ReviewState::rejected);
    QVERIFY(receipt_of(w->reviews(m.candidate).value(), w->candidate(m.candidate).value().hash).empty());
    const Accepted a = accept(*w, m.candidate, "Ada", all_answers(), program, signer()).value();
    QCOMPARE(state(), ReviewState::accepted);
    QVERIFY(requested_changes(*w, m.candidate)->empty());
    QCOMPARE(receipt_of(w->reviews(m.candidate).value(), w->candidate(m.candidate).value().hash), a.receipt);
    const auto list = opened(folder)->reviews(m.candidate).value();
    QCOMPARE(list.size(), std::size_t{4});
    QCOMPARE(list[0].line, 8);
    QVERIFY(list[3].id == a.review && list[3].kind == store::ReviewKind::accepted && list[3].reviewer == "Ada" &&
            answers_from_json(list[3].answers).value() == all_answers());
    QVERIFY(a.receipt.find("why no float4?") != std::string::npos &&
            a.receipt.find("too slow") != std::string::npos);  // what was said before stands in it
    QVERIFY(!answers_from_json("[1]"));
    auto db = store::Database::open(folder / "workspace.sqlite", store::Database::Access::write).value();
    QVERIFY(!db->exec("UPDATE review SET text = 'fine'"));
    QVERIFY(!db->exec("DELETE FROM review"));
    QCOMPARE(db->integer("SELECT count(*) FROM review WHERE text = 'too slow'").value(), std::int64_t{1});
  }

  void whatIsWrittenMeanwhileIsNotSignedOver() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    const auto meanwhile = [&](auto&& write) {
      return review::accept(*w, m.candidate, "Bob", all_answers(), program, signer(),
                            [&](const Dossier& d) -> Result<evidence::Verdict> {
                              write();
                              return *d.candidate.verdict;
                            });
    };
    const auto rejected = meanwhile([&] { QVERIFY(reject(*w, m.candidate, "a race", "Eve")); });
    QVERIFY(!rejected && rejected.error().message.find("Eve refused it") != std::string::npos);
    QVERIFY(meanwhile([&] { QVERIFY(note(*w, m.candidate, 0, "fine", "Eve")); }));
  }

  void whatChangedSince() {
    const fs::path folder = fresh();
    auto w = opened(folder);
    const Made m = fill(*w);
    const std::string r = accept(*w, m.candidate, "Ada", all_answers(), program, signer()).value().receipt;
    const auto changes = [&] { return verify_against(r, *w).value().changes; };
    QVERIFY(changes().empty());
    QVERIFY(note(*w, m.candidate, 0, "still fine", "Cy"));
    QVERIFY(says(changes(), "still fine", false));
    store::MeasurementRecord measured;
    measured.op = w->run(m.run)->op;
    measured.candidate = m.candidate;
    measured.kind = profile::MeasurementKind::time;
    measured.gpu = "NVIDIA H200";
    measured.json = "{}";
    QVERIFY(w->add_measurement(measured));
    QVERIFY(says(changes(), "measured since: time on NVIDIA H200", false));
    QVERIFY(write_file_atomic(folder / "review/policy.json",
                              "{\"schema\": \"warpwright/review-policy/1\", \"items\": [{\"id\": \"a\", \"sentence\": "
                              "\"b\", \"why\": \"c\"}]}"));
    QVERIFY(says(changes(), "checklist has changed", false));
    QVERIFY(write_file_atomic(folder / "review/policy.json", "{"));
    QVERIFY(says(changes(), "checklist cannot be read", false));
    evidence::Verdict v = verdict_of(w->candidate(m.candidate)->hash);
    v.seconds = 9;
    QVERIFY(w->set_verdict(m.candidate, v, 812.0, Provenance::simulated, "u"));
    QVERIFY(says(changes(), "judged again", false));
    v.coverage[0].seeds = 1;
    QVERIFY(w->set_verdict(m.candidate, v, 812.0, Provenance::simulated, "u"));
    QVERIFY(says(changes(), "judged again", true));
    QVERIFY(reject(*w, m.candidate, "found a bug", "Bob"));
    QVERIFY(says(changes(), "Bob refused it since: found a bug", true));
    QVERIFY(
        w->set_verdict(m.candidate, verdict_of(w->candidate(m.candidate)->hash, false), {}, Provenance::unknown, ""));
    QVERIFY(says(changes(), "no longer proves", true));
    auto db = store::Database::open(folder / "workspace.sqlite", store::Database::Access::write).value();
    QVERIFY(w->set_verdict(
        m.candidate,
        [&] {
          evidence::Verdict other = verdict_of(w->candidate(m.candidate)->hash);
          other.ptx += "// more";
          return other;
        }(),
        812.0, Provenance::simulated, "u"));
    QVERIFY(says(changes(), "compiled PTX has changed", true));
    QVERIFY(db->exec("UPDATE op SET text = replace(text, '2 * x', '3 * x')"));
    QVERIFY(says(changes(), "op spec has changed", true));
    QVERIFY(db->exec("UPDATE source SET text = text || '// more'"));
    QVERIFY(says(changes(), "text has changed", true));

    auto empty = opened(fresh());
    const Verification nowhere = verify_against(r, *empty).value();
    QVERIFY(nowhere.genuine() && says(nowhere.changes, "has no candidate", true));
    auto same = opened(fresh());
    const Made again = fill(*same);
    QVERIFY(says(verify_against(r, *same)->changes, "does not hold the receipt", false));
    QVERIFY(accept(*same, again.candidate, "Eve", all_answers(), program, signer("eve.key")));
    QVERIFY(
        says(verify_against(r, *same)->changes, "has another receipt", true));  // whoever has a key can sign anything
    QVERIFY(!verify_against(replaced(r, "opened", "closed"), *w)->genuine());
  }

  // Several processes may decide at once: of two that judge at the same time one signs.
  void onlyOneOfTwoSigns() {
    const fs::path folder = fresh();
    std::int64_t candidate = 0;
    {
      auto w = opened(folder);
      candidate = fill(*w).candidate;
    }
    std::barrier both(2);
    const auto sign = [&](const char* name) {
      auto w = opened(folder);
      return review::accept(*w, candidate, name, all_answers(), program, signer(),
                            [&](const Dossier& d) -> Result<evidence::Verdict> {
                              both.arrive_and_wait();  // neither has signed yet
                              return *d.candidate.verdict;
                            });
    };
    auto other = std::async(std::launch::async, [&] { return sign("Bob").has_value(); });
    const bool first = sign("Ada").has_value(), second = other.get();
    QVERIFY(first != second);
    const auto reviews = opened(folder)->reviews(candidate).value();
    QCOMPARE(std::count_if(reviews.begin(), reviews.end(),
                           [](const auto& r) { return r.kind == store::ReviewKind::accepted; }),
             std::ptrdiff_t{1});
  }

  void aRowWithoutItsReceiptIsNoAcceptance() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    const std::string hash = w->candidate(m.candidate).value().hash;
    const auto state = [&] { return state_of(w->reviews(m.candidate).value(), hash); };
    const auto add = [&](const std::string& receipt) {
      return w->add_review({0, m.candidate, store::ReviewKind::accepted, "Ada", 0, "", "{}", receipt, ""});
    };
    QVERIFY(add("") && add("{}"));
    QCOMPARE(state(), ReviewState::open);
    const std::string genuine = receipt();  // of the same text: the world is the same
    std::string changed = genuine;
    changed.replace(changed.find("twice"), 5, "thric");
    QVERIFY(add(changed));
    QCOMPARE(state(), ReviewState::open);
    QVERIFY(receipt_of(w->reviews(m.candidate).value(), hash).empty());
    QVERIFY(add(genuine));
    QCOMPARE(state(), ReviewState::accepted);
    QCOMPARE(state_of(w->reviews(m.candidate).value(), "of another candidate"), ReviewState::open);
    QVERIFY(receipt_of(w->reviews(m.candidate).value(), "of another candidate").empty());
  }

  void aWorkspaceOfTheThirdVersionIsBroughtOn() {
    const fs::path folder = fresh();
    support::write_old(folder, 3);
    auto w = opened(folder);
    QVERIFY(w->reviews(1)->empty());
    QVERIFY(note(*w, 1, 1, "hello") && w->reviews(1)->at(0).text == "hello" && w->reviews(0)->size() == 1);
  }

  void bundlesCarryReviews() {
    const fs::path folder = fresh(), target = fresh(), file = fresh(), one_run = fresh();
    std::string two;
    Made m;
    {
      auto w = opened(folder);
      m = fill(*w);
      QVERIFY(note(*w, m.candidate, 7, "a note", "Ada"));
      two = countersign(w.get(), accept(*w, m.candidate, "Ada", all_answers(), program, signer()).value().receipt,
                        "Bob", signer("bob.key"))
                .value();
      const std::int64_t other = w->add_run(run_record(*w)).value();
      const std::int64_t c = w->add_candidate(record_of(other, kernel("// of another run\n"))).value();
      QVERIFY(note(*w, c, 0, "of another run"));
    }
    QVERIFY(store::export_bundle(folder, file, 0, program));
    auto to = opened(target);
    fill(*to);  // so that numbers differ
    const auto imported = store::import_bundle(file, target);
    QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
    const auto all = to->reviews(0).value();
    QCOMPARE(all.size(), std::size_t{4});
    QVERIFY(all[0].text == "a note" && all[0].line == 7 && all[0].candidate != m.candidate && all[2].receipt == two &&
            all[3].text == "of another run");
    const Verification v = verify_against(two, *to).value();
    QVERIFY(v.genuine());
    QVERIFY2(v.changes.empty(), v.changes.empty() ? "" : v.changes.front().text.c_str());
    auto db = store::Database::open(target / "workspace.sqlite", store::Database::Access::write).value();
    QVERIFY(!db->exec("DELETE FROM review"));
    QVERIFY(store::export_bundle(folder, one_run, m.run, program));
    const fs::path small = fresh();
    QVERIFY(store::import_bundle(one_run, small));
    QCOMPARE(opened(small)->reviews(0)->size(), std::size_t{3});
  }

  // What a GPU accepts, the SIMT machine may still reject: races and orders show there.
  void theSimtMachineJudgesWhatAGpuAccepted() {
    using namespace evidence;
    Verdict gpu = verdict_of("abc");
    gpu.device = "cuda:0";
    Verdict simt = verdict_of("abc");
    simt.proof.secret = "0123456789abcdef";
    const Verdict both = rpc::judged_by_both(gpu, simt);
    QVERIFY(both.accepted && both.device == "cuda:0" && both.proof.also);
    QCOMPARE(both.proof.also->ruling, Ruling::accepted);
    QCOMPARE(both.proof.also->secret, std::string("0123456789abcdef"));

    Verdict racy = verdict_of("abc", false);
    racy.stages[2].message = "a race in line 7";
    const Verdict rejected = rpc::judged_by_both(gpu, racy);
    QCOMPARE(rejected.ruling(), Ruling::rejected);
    QCOMPARE(rejected.last_stage()->stage, Stage::smoke);
    QVERIFY(rejected.last_stage()->message.find("on the SIMT machine, a race in line 7") != std::string::npos);
    QCOMPARE(rejected.stages.back().outcome, Outcome::skipped);
    QVERIFY(!rejected.metrics && rejected.stages.size() == gpu.stages.size());

    Verdict unknown = verdict_of("abc", false);
    unknown.stages[2].outcome = Outcome::not_judged;
    unknown.stages[2].message = "unsupported: wgmma";
    Verdict endless = verdict_of("abc", false);  // in the GPU's stage `smoke`
    endless.stages[2].outcome = Outcome::not_judged;
    endless.stages[2].failure = Failure{};
    endless.stages[2].failure->fault = Fault{};
    endless.stages[2].failure->fault->kind = FaultKind::budget_exceeded;
    QCOMPARE(rpc::judged_by_both(endless, racy).ruling(), Ruling::rejected);
    QCOMPARE(rpc::judged_by_both(endless, simt).ruling(), Ruling::not_judged);
    QVERIFY(!rpc::judged_by_both(endless, simt).proof.also);

    for (const Result<Verdict>& silent :
         {Result<Verdict>(unknown), Result<Verdict>(fail(Code::crashed, "no worker"))}) {
      const Verdict v = rpc::judged_by_both(gpu, silent);
      QVERIFY(v.accepted && v.proof.also);
      QCOMPARE(v.proof.also->ruling, Ruling::not_judged);
      QVERIFY(also_text(*v.proof.also).find("not checked there") != std::string::npos);
    }
  }

  // A receipt says what was varied and what was not, and which other device judged.
  void aReceiptNamesItsSurroundings() {
    const fs::path folder = fresh();
    auto w = opened(folder);
    const Made m = fill(*w);
    evidence::Verdict verdict = verdict_of(w->candidate(m.candidate)->hash);
    verdict.proof.surroundings = evidence::Surroundings{148, evidence::Varied::yes, evidence::Varied::no};
    verdict.proof.unchecked = {{"y", 3, 640, {"prime"}, {{"prime", op::Distribution::large, 3, 3}}, 2}};
    verdict.proof.tried = evidence::Tried{61, 40, {{"N", 1, 65537, 44}}};
    verdict.proof.losses = {{"y", 12, 18.5}};
    verdict.proof.mutants = evidence::MutantCounts{
        50, 41, 2, 3, 1, 3, {{op::Mutation::moved, evidence::Survival::not_tried, "y", "2", "3"}}};
    verdict.proof.also = evidence::AlsoJudged{"simt", evidence::Ruling::not_judged, "no such instruction", "", {}, {}};
    const Judge judge = [&](const Dossier&) -> Result<evidence::Verdict> { return verdict; };
    const auto accepted = review::accept(*w, m.candidate, "Ada", all_answers(), program, signer(), judge);
    QVERIFY2(accepted.has_value(), accepted ? "" : accepted.error().text().c_str());
    for (const char* part :
         {"\"runs\": 148", "\"addresses\": \"yes\"", "\"contents\": \"no\"", "\"ruling\": \"not judged\"",
          "Varied in 148 runs: addresses of tensors", "Not varied: initial contents of outputs"})
      QVERIFY2(accepted->receipt.find(part) != std::string::npos, part);
    QVERIFY(verify(accepted->receipt).genuine());
    const auto page = receipt_markdown(accepted->receipt);
    QVERIFY2(page.has_value(), page ? "" : page.error().text().c_str());
    for (const char* part :
         {"Claimed only where:\n\n- N % 4 == 0", "61 shapes were right", "N from 1 to 65537 (44 values)",
          "by case: prime with large inputs (3 of 3), 2 more; no element is checked in the case: prime",
          "y: up to 18.5 ulps are lost, in 12 elements", "41 of 50 mutants of the spec killed", "survives: y: 3 for 2",
          "8 more survive that are not listed"})
      QVERIFY2(page->find(part) != std::string::npos, (*page + part).c_str());
    for (const char* part : {"\"not_tried\": 3", "\"unlisted\": 8", "\"ulps\": 18.5", "\"claimed\": ["})
      QVERIFY2(accepted->receipt.find(part) != std::string::npos, part);
  }

  // Signing must not repeat inputs that whoever wrote the candidate may know from the stored verdict.
  void signingDrawsASecretOfItsOwn() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    store::CandidateRecord c =
        record_of(m.run,
                  "//@ candidate scale\n//@ launch k grid(ceildiv(N, 32)) block(32) args(x, y, N)\n"
                  "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
                  "  int i = blockIdx.x * 32 + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n");
    const std::int64_t id = w->add_candidate(c).value();
    evidence::Verdict stored = verdict_of(c.hash);
    stored.proof.secret = "5eed5eed5eed5eed";
    QVERIFY(w->set_verdict(id, stored, 812.0, Provenance::simulated, "simulated issue slots"));
    Answers answers = all_answers();
    const auto accepted = review::accept(*w, id, "Ada", answers, program, signer(), judge_again);
    QVERIFY2(accepted.has_value(), accepted ? "" : accepted.error().text().c_str());
    const std::string secret = w->candidate(id)->verdict->proof.secret;
    QCOMPARE(secret.size(), stored.proof.secret.size());
    QVERIFY(secret != stored.proof.secret);
  }

  // Whatever the workspace holds, and wherever it came from: what is signed was judged here, a moment ago.
  void acceptingJudgesAnew() {
    const fs::path source = fresh(), file = fs::path(source).replace_extension(".wwb"), folder = fresh();
    const Made m = fill(*opened(source));
    QVERIFY(store::export_bundle(source, file, 0, program));
    QVERIFY(store::import_bundle(file, folder));
    auto w = opened(folder);
    QVERIFY(w->candidate(m.candidate)->imported);
    const Checklist list = checklist_of(Policy::load({}).value(), dossier_of(*w, m.candidate).value());
    QVERIFY(!make_receipt(dossier_of(*w, m.candidate).value(), list, all_answers(), "Ada", program, signer()));
    int judged = 0;
    const auto accept_with = [&](const Result<evidence::Verdict>& verdict) {
      const Judge judge = [&](const Dossier&) -> Result<evidence::Verdict> {
        ++judged;
        return verdict;
      };
      return review::accept(*w, m.candidate, "Ada", all_answers(), program, signer(), judge);
    };
    const auto unavailable = accept_with(fail(Code::unavailable, "no worker"));
    QCOMPARE(unavailable.error().code, Code::unavailable);
    QVERIFY(w->candidate(m.candidate)->imported && w->reviews(m.candidate)->empty());
    const std::string hash = w->candidate(m.candidate)->hash;
    const auto good = accept_with(verdict_of(hash));
    QVERIFY2(good.has_value(), good ? "" : good.error().text().c_str());
    QVERIFY(!w->candidate(m.candidate)->imported);
    const auto twice = accept_with(verdict_of(hash));  // it is signed once
    QVERIFY(!twice && twice.error().message.find("is signed") != std::string::npos);
    QCOMPARE(judged, 2);
    QCOMPARE(w->reviews(m.candidate)->size(), std::size_t{1});
    QVERIFY(withdraw(*w, m.candidate, good->review, "Ada"));
    evidence::Verdict late = verdict_of(hash, false);
    late.stages[2].outcome = evidence::Outcome::not_judged;
    late.stages[2].failure.emplace().fault.emplace().kind = FaultKind::timeout;
    const auto unjudged = accept_with(late);  // nothing against the verdict that is there, and nothing to sign
    QVERIFY(!unjudged && unjudged.error().message.find("was not judged again") != std::string::npos);
    QCOMPARE(w->candidate(m.candidate)->state, store::CandidateState::accepted);
    QCOMPARE(w->reviews(m.candidate)->size(), std::size_t{2});
    const auto wrong = accept_with(verdict_of(hash, false));
    QCOMPARE(wrong.error().code, Code::invalid_argument);
    QVERIFY2(wrong.error().message.find("judged again") != std::string::npos, wrong.error().text().c_str());
    QCOMPARE(w->candidate(m.candidate)->state, store::CandidateState::rejected);
    QCOMPARE(w->reviews(m.candidate)->size(), std::size_t{2});
    QCOMPARE(judged, 4);
    QVERIFY(!accept_with(verdict_of(hash)));  // what was rejected here is not judged again for a signature
    QCOMPARE(judged, 4);
  }
};

QTEST_APPLESS_MAIN(ReviewTest)
#include "review_test.moc"
