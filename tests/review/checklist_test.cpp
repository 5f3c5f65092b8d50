// SPDX-License-Identifier: Apache-2.0
// The facts of the checklist: what is known of a candidate, and what is not.
#include <QtTest>
#include "evidence/describe.h"
#include "review/review_world.h"

using namespace review_world;

class ChecklistTest : public QObject, review_world::Signers {
  Q_OBJECT

 private slots:
  void theChecklistIsFilledFromTheStore() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    const Dossier s = dossier_of(*w, m.candidate).value();
    const Policy policy = Policy::load(w->folder()).value();
    QVERIFY(!policy.own);
    const Checklist list = checklist_of(policy, s);
    QVERIFY(list.refusal.empty());
    QCOMPARE(list.questions.size(), policy.items.size());
    const auto fact = [&](const std::string& item, const std::string& part) -> const Fact* {
      for (const Question& q : list.questions)
        if (q.item.id == item)
          for (const Fact& f : q.facts)
            if (f.text.find(part) != std::string::npos) return &f;
      return nullptr;
    };
    for (const auto& [item, part] : {std::pair{"spec", "twice the input"},
                                     {"spec", "y[i] = 2 * x[i]"},
                                     {"spec", "Worked example"},
                                     {"evidence", "cases: passed"},
                                     {"evidence", "case default (N = 64): 5 input sets"},
                                     {"findings", "atomics"},
                                     {"findings", "inline PTX"},
                                     {"findings", "fast-math"},
                                     {"findings", "N % 4 == 0"},
                                     {"findings", "model ollama:qwen as writer, prompt writer 3 (1a2b3c4d5e6f)"},
                                     {"diff", "1 removed"},
                                     {"diff", "(rejected)"},
                                     {"limits", "sm_80, compiled by NVRTC 13.0"},
                                     {"limits", "Shapes without a result: N = 33"},
                                     {"limits", "Cost 812 simulated issue slots, lower is better."}})
      QVERIFY2(fact(item, part), part);
    QVERIFY(fact("evidence", "not claimed")->concern);
    const std::vector<Fact> facts = facts_of(s);
    const auto unproved =
        std::find_if(facts.begin(), facts.end(), [](const Fact& f) { return f.topic == Topic::unproved; });
    QVERIFY(unproved != facts.end() && unproved->concern);
    QCOMPARE(unproved->text, std::string("3 of 640 elements have no finite error bound and are not checked"));
    QCOMPARE(fact("findings", "atomics")->line, 9);
    QCOMPARE(fact("findings", "inline PTX")->line, 8);
    QCOMPARE(unexecuted_lines(s).lines, std::vector<int>{9});
    QVERIFY(fact("lines", "line 9 was not executed in the counted case default (simulated):   else atomicAdd(y, 0);"));
  }

  void linesThatNoCaseExecuted() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    evidence::Verdict v = verdict_of(w->candidate(m.candidate)->hash);
    const auto lines = [&](std::optional<evidence::Reached> reach) {
      v.proof.reach = std::move(reach);
      if (!w->set_verdict(m.candidate, v, {}, Provenance::unknown, "")) qFatal("verdict");
      std::string all;
      for (const Fact& f : facts_of(dossier_of(*w, m.candidate).value()))
        if (f.topic == Topic::lines) all += (f.concern ? "! " : "  ") + f.text + '\n';
      return all;
    };
    QCOMPARE(lines(evidence::Reached{}),
             std::string("  Every line with machine code was executed in some case (simulated).\n"));
    QCOMPARE(
        lines(evidence::Reached{{{ptx::Miss::one_way, 8}, {ptx::Miss::line, 9}}}),
        std::string("! line 9 was not executed in any case (simulated):   else atomicAdd(y, 0);\n"
                    "! a condition in line 8 had the same value in every case (simulated):   if (i < n) y[i] = 2 * "
                    "x[i];\n"));
    QVERIFY(lines({}).find("counted case default") != std::string::npos);
  }

  void holesInTheClaimNeedConsent() {
    auto w = opened(fresh());
    const std::int64_t run = w->add_run(run_record(*w)).value();
    const std::string text = replaced(kernel(), "N % 4 == 0", "N % 4 == 0 && N != 4096");
    const std::int64_t id = w->add_candidate(record_of(run, text)).value();
    QVERIFY(w->set_verdict(id, verdict_of(record_of(run, text).hash), 1.0, Provenance::simulated, "u"));
    const std::vector<Fact> facts = facts_of(dossier_of(*w, id).value());
    QVERIFY(std::any_of(facts.begin(), facts.end(), [](const Fact& f) {
      return f.topic == Topic::findings && f.concern && f.text.find("not claimed: N == 4096") != std::string::npos;
    }));
    const Checklist list = checklist_of(Policy::load(w->folder()).value(), dossier_of(*w, id).value());
    QCOMPARE(list.holes, std::vector<std::string>{"N == 4096"});
    QVERIFY(refusal(list, all_answers()).find("not claimed: N == 4096") != std::string::npos);
    QCOMPARE(refusal(list, all_answers(), {true, false}), std::string());
    const auto judge = [](const Dossier& d) -> Result<evidence::Verdict> { return *d.candidate.verdict; };
    const auto without = review::accept(*w, id, "Ada", all_answers(), program, signer(), judge);
    QVERIFY(!without && without.error().message.find("holes") != std::string::npos);
    const auto with = review::accept(*w, id, "Ada", all_answers(), program, signer(), judge, {true, false});
    QVERIFY2(with.has_value(), with ? "" : with.error().text().c_str());
    QVERIFY(verify(with->receipt).genuine());
    QVERIFY(with->receipt.find("\"agreed\": true") != std::string::npos);
    QVERIFY(receipt_markdown(with->receipt).value().find("Not claimed, as the reviewer agreed:\n\n- N == 4096\n") !=
            std::string::npos);
    // Without holes there is nothing to agree to.
    const Made m = fill(*w);
    QVERIFY(accept(*w, m.candidate, "Ada", all_answers(), program, signer())->receipt.find("agreed") ==
            std::string::npos);
  }

  void changesAreAskedOnlyAgainstAParent() {
    auto w = opened(fresh());
    const std::int64_t run = w->add_run(run_record(*w)).value();
    const std::int64_t id = w->add_candidate(record_of(run, kernel())).value();
    QVERIFY(w->set_verdict(id, verdict_of(record_of(run, kernel()).hash), 2565413.0, Provenance::simulated, "u"));
    const Policy policy = Policy::load(w->folder()).value();
    const auto asked = [&](std::int64_t candidate) {
      const Checklist list = checklist_of(policy, dossier_of(*w, candidate).value());
      return std::ranges::any_of(list.questions, [](const Question& q) { return q.item.id == "diff"; });
    };
    QVERIFY(policy.item("diff")->required);
    QVERIFY(!asked(id));
    Answers answers = all_answers();
    answers.erase("diff");
    const auto judge = [](const Dossier& d) -> Result<evidence::Verdict> { return *d.candidate.verdict; };
    const auto accepted = review::accept(*w, id, "Ada", answers, program, signer(), judge);
    QVERIFY2(accepted.has_value(), accepted ? "" : accepted.error().text().c_str());
    QVERIFY(verify(accepted->receipt).genuine());
    QVERIFY(accepted->receipt.find("against the parent") == std::string::npos);
    QVERIFY2(receipt_markdown(accepted->receipt)->find("2\u202F565\u202F413") != std::string::npos,
             receipt_markdown(accepted->receipt)->c_str());
    // What others wrote about it is still to be read, with the findings.
    QVERIFY(note(*w, id, 0, "look at line 3", "Bob"));
    QVERIFY(!asked(id));
    const Checklist noted = checklist_of(policy, dossier_of(*w, id).value());
    const auto findings = std::ranges::find(noted.questions, "findings", [](const Question& q) { return q.item.id; });
    QVERIFY(std::ranges::any_of(findings->facts, [](const Fact& f) { return f.text.ends_with("look at line 3"); }));
    Policy alone = policy;  // a list that has nothing else is asked
    std::erase_if(alone.items, [](const Item& i) { return i.id != "diff"; });
    QCOMPARE(checklist_of(alone, dossier_of(*w, id).value()).questions.size(), std::size_t{1});
    // Of a candidate with a parent it is asked.
    QVERIFY(asked(fill(*w).candidate));
    // Whoever answers it all the same, as a script may, finds the answer in the receipt.
    answers["diff"] = "New text, read in full";
    const auto taken = withdraw(*w, id, accepted->review, "Ada");
    QVERIFY2(taken.has_value(), taken ? "" : taken.error().text().c_str());
    const auto more = review::accept(*w, id, "Bob", answers, program, signer(), judge);
    QVERIFY2(more.has_value(), more ? "" : more.error().text().c_str());
    QVERIFY(verify(more->receipt).genuine());
    QCOMPARE(answers_of(more->receipt)->at("diff"), std::string("New text, read in full"));
  }

  void keptVariablesNeedConsent() {
    auto w = opened(fresh());
    const std::int64_t run = w->add_run(run_record(*w)).value();
    const std::int64_t id = w->add_candidate(record_of(run, kernel())).value();
    evidence::Verdict v = verdict_of(record_of(run, kernel()).hash);
    v.ptx =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u32 calls;\n.visible .entry k()\n{\n"
        ".reg .b32 %r<2>;\natom.global.add.u32 %r1, [calls], 1;\nret;\n}\n";
    QVERIFY(w->set_verdict(id, v, 1.0, Provenance::simulated, "u"));
    const Checklist list = checklist_of(Policy::load(w->folder()).value(), dossier_of(*w, id).value());
    QCOMPARE(list.kept, std::vector<std::string>{"calls"});
    QVERIFY(refusal(list, all_answers(), {true, false}).find("did not agree to them: calls") != std::string::npos);
    QCOMPARE(refusal(list, all_answers(), {false, true}), std::string());
    const auto judge = [](const Dossier& d) -> Result<evidence::Verdict> { return *d.candidate.verdict; };
    QVERIFY(!review::accept(*w, id, "Ada", all_answers(), program, signer(), judge));
    const auto with = review::accept(*w, id, "Ada", all_answers(), program, signer(), judge, {false, true});
    QVERIFY2(with.has_value(), with ? "" : with.error().text().c_str());
    QVERIFY(verify(with->receipt).genuine());
    QVERIFY(
        receipt_markdown(with->receipt).value().find("Kept from call to call, as the reviewer agreed:\n\n- calls") !=
        std::string::npos);
  }

  void whatWasNotTriedNeedsConsent() {
    auto w = opened(fresh());
    const std::int64_t run = w->add_run(run_record(*w)).value();
    const std::int64_t id = w->add_candidate(record_of(run, kernel())).value();
    evidence::Verdict v = verdict_of(record_of(run, kernel()).hash);
    v.proof.branches = evidence::SizeBranches{3, {7}};
    v.proof.mutants = evidence::MutantCounts{12, 0, 12, 0, 0, {}};
    QVERIFY(w->set_verdict(id, v, 1.0, Provenance::simulated, "u"));
    const Checklist list = checklist_of(Policy::load(w->folder()).value(), dossier_of(*w, id).value());
    QCOMPARE(list.untried.size(), std::size_t{2});
    QVERIFY(refusal(list, all_answers(), {true, true, false}).find("line 7 came out the same") != std::string::npos);
    QCOMPARE(refusal(list, all_answers(), {false, false, true}), std::string());
    const auto judge = [](const Dossier& d) -> Result<evidence::Verdict> { return *d.candidate.verdict; };
    QVERIFY(!review::accept(*w, id, "Ada", all_answers(), program, signer(), judge));
    const auto with = review::accept(*w, id, "Ada", all_answers(), program, signer(), judge, {false, false, true});
    QVERIFY2(with.has_value(), with ? "" : with.error().text().c_str());
    QVERIFY(verify(with->receipt).genuine());
    QVERIFY(receipt_markdown(with->receipt).value().find("Not tried, as the reviewer agreed:\n\n- a condition") !=
            std::string::npos);
  }

  void aGpuThatHasNotRunItNeedsConsent() {
    auto w = opened(fresh());
    store::RunRecord on_gpu = run_record(*w);
    on_gpu.device = "cuda:0";
    const auto list_of = [&](const store::RunRecord& record, bool gpu_here) {
      const std::int64_t run = w->add_run(record).value();
      const std::int64_t id = w->add_candidate(record_of(run, kernel())).value();
      if (!w->set_verdict(id, verdict_of(record_of(run, kernel()).hash), 1.0, Provenance::simulated, "u"))
        qFatal("verdict");
      Dossier dossier = dossier_of(*w, id).value();
      dossier.gpu_here = gpu_here;
      return checklist_of(Policy::load(w->folder()).value(), dossier);
    };
    const Checklist list = list_of(run_record(*w), true);
    QCOMPARE(list.untried, std::vector<std::string>{"this machine's GPU: only the SIMT machine has run it"});
    QVERIFY(refusal(list, all_answers(), {true, true, false}).find("this machine's GPU") != std::string::npos);
    QCOMPARE(refusal(list, all_answers(), {false, false, true}), std::string());
    QVERIFY(list_of(run_record(*w), false).untried.empty());
    QVERIFY(list_of(on_gpu, true).untried.empty());
  }

  void theCaseThatFailedIsNotCalledProved() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    evidence::Verdict v = verdict_of(w->candidate(m.candidate)->hash, false);
    v.stages[2].outcome = evidence::Outcome::passed;
    v.coverage = {{"default", {{{"N", 64}}, {}}, true, 5},
                  {"odd", {{{"N", 4097}}, {}}, true, 4},
                  {"prime", {{{"N", 31}}, {}}, true, 0}};
    evidence::Failure failure;
    failure.case_name = "odd";
    const auto facts = [&](evidence::Outcome outcome) {
      v.stages[3].outcome = outcome;
      v.stages[3].failure = failure;
      if (!w->set_verdict(m.candidate, v, {}, Provenance::unknown, "")) qFatal("verdict");
      std::string all;
      for (const Fact& f : facts_of(dossier_of(*w, m.candidate).value()))
        if (f.topic == Topic::limits || f.topic == Topic::coverage) all += (f.concern ? "! " : "  ") + f.text + '\n';
      return all;
    };
    const std::string failed = facts(evidence::Outcome::failed);
    for (const char* part : {"  Proved shapes: N = 64.\n", "! Failed shapes: N = 4097.\n",
                             "! Shapes without a result: N = 31.\n", "  case default (N = 64): 5 input sets proved\n",
                             "! case odd (N = 4097): failed, after 4 input sets that agreed\n",
                             "! case prime (N = 31): claimed, but not proved\n"})
      QVERIFY2(failed.find(part) != std::string::npos, (part + failed).c_str());
    QVERIFY(failed.find("Judged on the device simt") != std::string::npos &&
            failed.find("Proved on") == std::string::npos);
    const std::string cut = facts(evidence::Outcome::not_judged);
    for (const char* part : {"  Proved shapes: N = 64.\n", "! Shapes without a result: N = 4097; N = 31.",
                             "! case odd (N = 4097): not judged to the end, after 4 input sets that agreed\n"})
      QVERIFY2(cut.find(part) != std::string::npos, (part + cut).c_str());
    // The default case is repeated: when that failed, what agreed before proves nothing of it.
    failure.case_name = "default";
    v.stages[4].outcome = evidence::Outcome::failed, v.stages[4].failure = failure;
    failure.case_name.clear();
    QVERIFY(facts(evidence::Outcome::passed).find("Failed shapes: N = 64.") != std::string::npos);
  }

  void whatWasNotJudgedIsNotCalledProved() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    const std::int64_t id = w->add_candidate(record_of(m.run, kernel() + "// not judged\n")).value();
    std::string limits;
    for (const Fact& f : facts_of(dossier_of(*w, id).value()))
      if (f.topic == Topic::limits) limits += f.text + '\n';
    QVERIFY2(limits.starts_with("Not judged yet; the run's device is simt"), limits.c_str());
  }

  void theFavourableAnswerIsNeverTheDefault() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    evidence::Verdict v = verdict_of(w->candidate(m.candidate)->hash);
    v.stages[3].message = v.stages[4].message = "anything, in other words";
    const auto concerns = [&](const evidence::Proof& proof) {
      v.proof = proof;
      if (!w->set_verdict(m.candidate, v, {}, Provenance::unknown, "")) qFatal("verdict");
      std::string all;
      for (const Fact& f : facts_of(dossier_of(*w, m.candidate).value()))
        if (f.concern && (f.topic == Topic::unproved || f.topic == Topic::findings || f.topic == Topic::limits))
          all += f.text + '\n';
      return all;
    };
    const std::string unknown = concerns({});
    for (const char* part :
         {"how many output elements were compared", "offsets are right in tensors of more than 2147483647 elements",
          "bitwise reproducibility: unknown",
          "Unknown whether it was checked for: accesses out of bounds, misaligned accesses, reads of uninitialised "
          "memory, races."})
      QVERIFY2(unknown.find(part) != std::string::npos, (unknown + part).c_str());
    evidence::Proof whole = verdict_of("").proof;
    whole.elements = evidence::ElementCounts{640, 0, 0};
    whole.long_tensors.emplace().outcome = evidence::LongOutcome::right;
    whole.mutants = evidence::MutantCounts{50, 48, 2, 0, 0, 0, {}};
    const std::string known = concerns(whole);
    QVERIFY2(known.find("unknown") == std::string::npos && known.find("bitwise") == std::string::npos, known.c_str());
    QVERIFY2(known.find("Not checked for: races.") != std::string::npos, known.c_str());
    QVERIFY(known.find("mutants") == std::string::npos);
    whole.mutants = evidence::MutantCounts{50, 41, 2, 3, 1, 3, {}};
    whole.losses = {{"y", 12, 18.5}};
    const std::string lost = concerns(whole);
    for (const char* part : {"41 of 50 mutants of the spec killed, 2 equivalent to it, 3 different only within "
                             "the error bounds, 1 without values, 3 not tried on all inputs",
                             "Precision: y: up to 18.5 ulps are lost, in 12 elements"})
      QVERIFY2(lost.find(part) != std::string::npos, (lost + part).c_str());
    whole.losses.clear();
    whole.reproducibility = evidence::Reproducibility::not_compared;
    QVERIFY(concerns(whole).find("too large to compare bit by bit") != std::string::npos);
    whole.reproducibility = evidence::Reproducibility::within_bound;
    whole.varying = {{"y", 5, 64}};
    QVERIFY(concerns(whole).find("5 of 64 elements of y differed when repeated") != std::string::npos);
    whole.varying.clear();  // never as if it were bitwise the same
    QVERIFY(concerns(whole).find("varying outputs not recorded") != std::string::npos);
    // Once, of the output; long sizes that are wrong are no part of what is claimed.
    whole.elements->unproved = 3;
    whole.unchecked = {{"y", 3, 643, {}, {}}};
    whole.long_tensors->outcome = evidence::LongOutcome::wrong;
    const std::string once = concerns(whole);
    QVERIFY2(once.find("3 of 643 elements of y have no finite error bound") != std::string::npos &&
                 once.find("3 of 643 elements have no finite") == std::string::npos &&
                 once.find("such sizes are not claimed, and an export refuses them") != std::string::npos,
             once.c_str());
    whole.elements->unproved = 0;
    whole.unchecked.clear();
    whole.elements->not_compared = 7;
    QVERIFY(concerns(whole).find("7 of 647 elements were not compared") != std::string::npos);
  }

  void whatIsNotKnownIsSaid() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    evidence::Verdict v = verdict_of(w->candidate(m.candidate)->hash);
    v.metrics->provenance = Provenance::measured;
    v.metrics->lines.clear();
    QVERIFY(w->set_verdict(m.candidate, v, {}, Provenance::unknown, ""));
    QVERIFY(unexecuted_lines(dossier_of(*w, m.candidate).value()).why_not.find("hardware") != std::string::npos);
    v.metrics->lines = {{7, 1, 1, 0, 0, 0, 0}};
    v.ptx = "no PTX";
    QVERIFY(w->set_verdict(m.candidate, v, {}, Provenance::unknown, ""));
    const Dossier s = dossier_of(*w, m.candidate).value();
    QVERIFY(!unexecuted_lines(s).why_not.empty());
    const std::vector<Fact> facts = facts_of(s);
    QVERIFY(std::any_of(facts.begin(), facts.end(), [](const Fact& f) {
      return f.topic == Topic::findings && f.concern && f.text.find("could not be read") != std::string::npos;
    }));
    QVERIFY(std::any_of(facts.begin(), facts.end(), [](const Fact& f) {
      return f.topic == Topic::lines && f.concern && f.text.find("are unknown") != std::string::npos;
    }));
  }

  void aPtxCandidateIsItsOwnSource() {
    auto w = opened(fresh());
    const std::int64_t run = w->add_run(run_record(*w)).value();
    const std::string head = "//@ candidate scale\n//@ launch k grid(1) block(32) args(x, y)\n",
                      text = head + replaced(review_world::ptx, ".file 1 \"candidate.cu\"\n", "");
    store::CandidateRecord c = record_of(run, text);
    c.language = candidate::Language::ptx;
    c.hash = Hasher().field("ptx").field(text).hex();
    const std::int64_t id = w->add_candidate(c).value();
    evidence::Verdict v = verdict_of(c.hash);
    v.proof.compiler = "nvJitLink 13.1";
    v.ptx = text;
    v.metrics->lines = {
        {11, 1, 32, 0, 0, 0, 0}, {14, 1, 32, 0, 0, 0, 0}, {17, 1, 32, 0, 0, 0, 0}, {19, 1, 32, 0, 0, 0, 0}};
    QVERIFY(w->set_verdict(id, v, 1.0, Provenance::simulated, "u"));
    const Dossier s = dossier_of(*w, id).value();
    QCOMPARE(s.compiler, std::string("nvJitLink 13.1"));
    QCOMPARE(unexecuted_lines(s).lines, std::vector<int>{18});
    const std::vector<Fact> facts = facts_of(s);
    QVERIFY(std::any_of(facts.begin(), facts.end(), [](const Fact& f) {
      return f.topic == Topic::findings && f.line == 18 && f.text.find("atomics") != std::string::npos;
    }));
    QVERIFY(std::none_of(facts.begin(), facts.end(), [](const Fact& f) {
      return f.text.find("inline PTX, its own") != std::string::npos;
    }));  // all of it is PTX
    QVERIFY(verify(accept(*w, id, "Ada", all_answers(), program, signer()).value().receipt).genuine());
  }
};

QTEST_APPLESS_MAIN(ChecklistTest)
#include "checklist_test.moc"
