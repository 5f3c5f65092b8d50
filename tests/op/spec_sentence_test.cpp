// SPDX-License-Identifier: Apache-2.0
// A spec in words is read back as the same spec: every op of the library, at other ranks, and pairs of them.
#include <QtTest>
#include <set>
#include "op/kept_sentences.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "op/sentence/phrasebook_rank.h"
#include "op/sentence/spec_sentence.h"
#include "op/transform.h"

using namespace ww;
using namespace ww::op;

class SpecSentenceTest : public QObject {
  Q_OBJECT
  Library library_;

  // Empty when the sentence and the formula of the spec are understood as that spec.
  std::string round_trip(Spec spec) {
    spec.directives.clear();
    for (const std::string& text : {spec_sentence(spec), formula_of(spec)}) {
      const Understanding u = understand(library_, text);
      if (!u.spec) return text + "\n  " + (u.questions.empty() ? "no question" : u.questions[0]);
      if (print(*u.spec) != print(spec)) return text + "\n  is read as\n" + print(*u.spec);
      spec.name = "formula";  // which has no name of its own
    }
    return {};
  }

 private slots:
  void initTestCase() {
    auto loaded = Library::load(std::filesystem::path(WW_SOURCE_DIR) / "resources/ops");
    QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    library_ = std::move(*loaded);
  }

  void everyOp() {
    int ranks = 0;
    for (const LibraryOp& op : library_.ops()) {
      const std::string problem = round_trip(op.spec);
      QVERIFY2(problem.empty(), problem.c_str());
      if (!phrases::spreads(op.spec)) continue;
      for (const std::vector<std::int64_t>& dims : {std::vector<std::int64_t>{64}, {4, 8, 16}, {2, 3, 4, 5}}) {
        const auto at = phrases::at_shape(op.spec, dims, std::nullopt);
        if (!at) continue;
        const std::string other = round_trip(*at);
        QVERIFY2(other.empty(), other.c_str());
        ++ranks;
      }
    }
    qInfo("%zu ops, %d of them at another rank", library_.ops().size(), ranks);
    QVERIFY(ranks > 100);
  }

  void fusedPairs() {
    int pairs = 0;
    for (const LibraryOp& first : library_.ops())
      for (const char* name : {"relu", "bias_add", "softmax", "sum", "layernorm", "matmul", "transpose", "mse_loss"}) {
        const auto both = compose(first.spec, library_.find(name)->spec);
        if (!both) continue;
        const std::string problem = round_trip(*both);
        QVERIFY2(problem.empty(), problem.c_str());
        ++pairs;
      }
    qInfo("%d pairs", pairs);
    QVERIFY(pairs > 300);
  }

  // What every third of the kept sentences is understood as.
  void readingsOfSentences() {
    std::set<std::string> tried;
    std::size_t count = 0;
    for (const KeptSentence& s : kept_sentences()) {
      if (++count % 3 != 0) continue;
      const Understanding u = understand(library_, s.text);
      if (!u.spec || !tried.insert(print(*u.spec)).second) continue;
      const std::string problem = round_trip(*u.spec);
      QVERIFY2(problem.empty(), (s.text + "\n  " + problem).c_str());
    }
    qInfo("%zu specs", tried.size());
    QVERIFY(tried.size() > 800);
  }

  void readsLikeASentence() {
    QCOMPARE(
        spec_sentence(library_.find("matvec")->spec),
        std::string("matvec takes a[M, K] of f32 and x[K] of f32 and gives y[M] of f32: for each i, y[i] is the sum "
                    "over k of a[i, k] * x[k]; by default, M is 512 and K is 1024."));
    QCOMPARE(formula_of(library_.find("bias_relu")->spec),
             std::string("t[r, c] = x[r, c] + bias[c]; y[r, c] = max(t[r, c], 0) where x: f32[R, C], bias: f32[C] -> "
                         "y: f32[R, C] at R = 512, C = 1024"));
  }

  void rulesOfInputs() {
    const Spec spec = *parse_spec(
        "op f(x: f32[N] positive, p: i32[N] permutation, e: i32[M] in 0..N monotone distinct) -> y: f32[M] "
        "{ y[i] = log(x[p[e[i]]]) }");
    QVERIFY(print(spec).find("op f(x: f32[N] positive, p: i32[N] permutation, e: i32[M] in 0..N sorted distinct)") ==
            0);
    const std::string problem = round_trip(spec);
    QVERIFY2(problem.empty(), problem.c_str());
  }

  void anEditedFormulaIsReadOrAskedAbout() {
    const Understanding typed = understand(library_, "y[i] = a * x[i] where x: f16[N] positive; a = 0.5 -> y: f32[N]");
    QVERIFY(typed.spec && typed.spec->defaults.empty() && typed.spec->inputs[0].rules.positive);
    const Understanding broken = understand(library_, "y[i] = a * x[i] where x: f32[N] -> y: f32[N]");
    QVERIFY(!broken.spec && broken.questions[0].find("'a'") != std::string::npos);
    for (const char* text : {"y = x where x -> y", "relu(x) where x: y", "a where b: c -> d = e"})
      QVERIFY2(!understand(library_, text).spec, text);
  }

  void anEditedSentenceIsReadOrAskedAbout() {
    const std::string sentence = "twice takes x[N] of f32 and gives y[N] of f32: for each i, y[i] is 2 * x[i]";
    const Understanding plain = understand(library_, sentence + ".");
    QVERIFY(plain.spec && plain.spec->name == "twice" && plain.spec->defaults.empty());
    QVERIFY(understand(library_, sentence + "; by default, N is 64.").spec->defaults.at("N") == 64);
    const Understanding broken = understand(library_, sentence + " + z[i].");
    QVERIFY(!broken.spec && broken.questions[0].find("z") != std::string::npos);
    for (const char* text : {"it takes x and gives y", "f takes x[N] and gives y[N]: hello", " takes  and gives : "})
      QVERIFY2(!understand(library_, text).spec, text);
  }
};

QTEST_GUILESS_MAIN(SpecSentenceTest)
#include "spec_sentence_test.moc"
