// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <string>
#include "base/files.h"
#include "op/library_tensors.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "op/sentence/phrasebook_rank.h"
#include "op/phrasebook_sentences.h"
#include "op/sentence/phrasebook_words.h"
#include "op/transform.h"

using namespace ww;
using namespace ww::op;

namespace {

std::string tensors(const Spec& spec, const std::vector<Param>& list) {
  std::string out;
  for (const Param& p : list) {
    const auto shape = shape_of(spec, p, {});
    out += " " + p.name + ":" + std::string(dtype_name(p.dtype)) + "[";
    if (!shape) return out + "no shape]";
    for (std::size_t i = 0; i < shape->size(); ++i) out += (i ? "," : "") + std::to_string((*shape)[i]);
    out += "]";
  }
  return out;
}

std::string summary(const Understanding& u) {
  if (!u.spec) {
    std::string out = "not understood:";
    for (const std::string& q : u.questions) out += " " + q;
    return out;
  }
  std::string out = u.spec->name + tensors(*u.spec, u.spec->inputs) + " ->" + tensors(*u.spec, u.spec->outputs);
  for (const Constant& c : u.spec->constants) out += " " + c.name + "=" + print(*c.value);
  return out;
}

// Every byte of the sentence that is neither space nor punctuation lies in exactly one word, and the words stand in
// order.
void verify_covers(const Understanding& u, const std::string& sentence) {
  std::size_t at = 0;
  std::vector<bool> in(sentence.size(), false);
  for (const Word& w : u.words) {
    QVERIFY2(w.span.begin >= at && w.span.end > w.span.begin && w.span.end <= sentence.size(), sentence.c_str());
    QCOMPARE(w.text, sentence.substr(w.span.begin, w.span.end - w.span.begin));
    for (std::size_t i = w.span.begin; i < w.span.end; ++i) in[i] = true;
    at = w.span.end;
  }
  for (std::size_t i = 0; i < sentence.size(); ++i)
    if (std::isalnum(static_cast<unsigned char>(sentence[i]))) QVERIFY2(in[i], sentence.c_str());
}

const Word* word(const Understanding& u, const std::string& text) {
  for (const Word& w : u.words)
    if (w.text == text) return &w;
  return nullptr;
}

void verify_close(const std::vector<double>& got, const std::vector<double>& want, const char* what) {
  QCOMPARE(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    QVERIFY2(std::fabs(got[i] - want[i]) <= 1e-11 * std::max(1.0, std::fabs(want[i])),
             (std::string(what) + " element " + std::to_string(i)).c_str());
}

}  // namespace

class PhrasebookTest : public QObject {
  Q_OBJECT
  Library library_;

  Spec spec_of(const std::string& sentence) {
    Understanding u = understand(library_, sentence);
    if (!u.spec) qFatal("%s: %s", sentence.c_str(), summary(u).c_str());
    return *u.spec;
  }
  std::vector<double> run(const Spec& spec, const std::vector<std::vector<double>>& values) {
    auto out = evaluate_on(spec, {}, values);
    if (!out) qFatal("%s: %s", spec.name.c_str(), out.error().text().c_str());
    return *out;
  }
  std::vector<std::vector<double>> values_for(const Spec& spec) {
    std::vector<std::vector<double>> out;
    for (const Param& p : spec.inputs) {
      const auto shape = shape_of(spec, p, {});
      out.push_back(some_values(element_count(*shape), static_cast<std::uint32_t>(out.size() + 1)));
    }
    return out;
  }

 private slots:
  void initTestCase() {
    auto loaded = Library::load(std::filesystem::path(WW_SOURCE_DIR) / "resources/ops");
    QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    library_ = std::move(*loaded);
  }

  void sentencesAreUnderstood() {
    QVERIFY(std::size(understood) >= 60);
    for (const Understood& s : understood) {
      const Understanding u = understand(library_, s.sentence);
      QVERIFY2(summary(u) == s.spec, (std::string(s.sentence) + " -> " + summary(u)).c_str());
      QVERIFY(u.questions.empty());
      verify_covers(u, s.sentence);
      for (const Word& w : u.words) QVERIFY2(w.meaning != Meaning::unknown, s.sentence);
      const auto again = parse_spec(print(*u.spec));
      QVERIFY2(again && print(*again) == print(*u.spec), s.sentence);
    }
  }

  void unclearSentencesAreAskedAbout() {
    QVERIFY(std::size(unclear) >= 20);
    for (const Unclear& s : unclear) {
      const Understanding u = understand(library_, s.sentence);
      QVERIFY2(!u.spec, s.sentence);
      QVERIFY2(!u.questions.empty(), s.sentence);
      const bool asked = std::any_of(u.questions.begin(), u.questions.end(),
                                     [&](const std::string& q) { return q.find(s.asked) != std::string::npos; });
      QVERIFY2(asked, (std::string(s.sentence) + " -> " + summary(u)).c_str());
      for (const std::string& q : u.questions) QVERIFY2(q.back() == '.' || q.back() == '?', q.c_str());
      for (const std::string& n : u.nearest) QVERIFY(library_.find(n));
      verify_covers(u, s.sentence);
    }
  }

  void unknownWordsAreNamedAndTheNearestOpsOffered() {
    const Understanding u = understand(library_, "sfotmax over the rows of a 512x1024 matrix");
    QVERIFY(!u.spec);
    QCOMPARE(u.nearest.at(0), std::string("softmax"));
    QCOMPARE(word(u, "sfotmax")->meaning, Meaning::unknown);
    QCOMPARE(word(u, "over the rows")->meaning, Meaning::axis);
    QCOMPARE(understand(library_, "layernorn then relu").nearest.at(0), std::string("layernorm"));
  }

  // Shape and type stay as they were written.
  void whatIsNotKnownIsOfferedWithTheRestOfTheSentence_data() {
    QTest::addColumn<std::string>("sentence");
    QTest::addColumn<std::string>("offered");
    const auto row = [](const char* sentence, const char* offered) {
      QTest::newRow(sentence) << std::string(sentence) << std::string(offered);
    };
    row("layernrm followed by gleu over 64x128", "layernorm followed by gelu over 64x128");
    row("smooth normalizer of 512x1024 halfs", "l2_normalize of 512x1024 halfs");
    row("sofmax over the columns of 8x16", "softmax over the columns of 8x16");
  }
  void whatIsNotKnownIsOfferedWithTheRestOfTheSentence() {
    QFETCH(std::string, sentence);
    QFETCH(std::string, offered);
    const Understanding u = understand(library_, sentence);
    QVERIFY(!u.spec);
    const auto choice = std::ranges::find(u.choices, offered, &Choice::sentence);
    QVERIFY2(choice != u.choices.end(), u.choices.empty() ? "nothing offered" : u.choices[0].sentence.c_str());
    const Understanding again = understand(library_, offered);
    QVERIFY(again.spec);
    QCOMPARE(print(choice->spec), print(*again.spec));
  }

  void readingsSayWhatWasUnderstood() {
    const Understanding u = understand(library_, "softmax over the rows of a 512x1024 float matrix");
    QCOMPARE(word(u, "softmax")->meaning, Meaning::op);
    QCOMPARE(word(u, "over the rows")->reading, std::string("each row on its own: over dimension 1 of 1024"));
    QCOMPARE(word(u, "512x1024")->reading, std::string("x is 512 x 1024: R = 512, C = 1024"));
    QCOMPARE(word(u, "float")->reading, std::string("element type f32"));
    QCOMPARE(word(u, "matrix")->meaning, Meaning::filler);
    const Understanding sum = understand(library_, "sum over the rows of 4x8");
    QCOMPARE(word(sum, "over the rows")->reading, std::string("one result per row: over dimension 1 of 8"));
    const Understanding chain = understand(library_, "gelu after layernorm");
    QCOMPARE(word(chain, "after")->meaning, Meaning::composition);
    QCOMPARE(word(chain, "after")->reading, std::string("first layernorm, then gelu"));
    const Understanding k = understand(library_, "relu on 64k elements");
    QVERIFY(word(k, "64k")->reading.find("64k = 65536") == 0);
    const Understanding eps = understand(library_, "layernorm with eps 1e-3");
    QCOMPARE(word(eps, "eps")->meaning, Meaning::constant);
    const Understanding plain = understand(library_, "512x256 matmul");
    QVERIFY(word(plain, "matmul")->reading.find("N = 256 by default") != std::string::npos);
    QCOMPARE(meaning_name(Meaning::composition), std::string_view("composition"));
  }

  void emptyLongAndForeignTexts() {
    for (const std::string& text : {std::string(), std::string("   \n\t "), std::string("?!,.()")}) {
      const Understanding u = understand(library_, text);
      QVERIFY(!u.spec);
      QCOMPARE(u.questions.size(), std::size_t{1});
    }
    std::string relus, words;
    while (relus.size() < 10000) relus += "relu ";
    while (words.size() < 10000) words += "w" + std::to_string(words.size()) + " ";
    std::string noise;
    for (int i = 0; i < 10000; ++i) noise += static_cast<char>(1 + (i * 97) % 255);
    for (const std::string& text : {relus, words, noise, std::string(10000, 'a'), std::string(10000, '('),
                                    std::string(10000, '1'), std::string(10000, '\xE2')}) {
      const Understanding u = understand(library_, text);
      QVERIFY(!u.spec);
      QVERIFY(!u.questions.empty() && u.questions.size() < 20);
    }
    QCOMPARE(summary(understand(library_,
                                "soft\xC2\xA0max \xE2\x80\x9C"
                                "64\xC3\x97"
                                "32\xE2\x80\x9D")),
             std::string("softmax x:f32[64,32] -> y:f32[64,32]"));
  }

  void numbersAreRead() {
    const auto value = [](const char* text) { return phrases::tokenise(text).at(0).number; };
    QCOMPARE(value("1,048,576"), 1048576.0);
    QCOMPARE(value("2^20"), 1048576.0);
    QCOMPARE(value("2**10"), 1024.0);
    QCOMPARE(value("4k"), 4096.0);
    QCOMPARE(value("1e-5"), 1e-5);
    QCOMPARE(value("-0.5"), -0.5);
    QCOMPARE(value(".5"), 0.5);
    QCOMPARE(phrases::tokenise("512x1024x3").size(), std::size_t{5});
    QCOMPARE(phrases::tokenise("2-D").at(0).text, std::string("2d"));
    QCOMPARE(phrases::tokenise("1024-element").at(0).number, 1024.0);
    QCOMPARE(phrases::tokenise("8heads").at(0).kind, phrases::Token::Kind::word);
    for (const char* beyond : {"9e999", "10^400", "1e-400"})  // no f64
      QCOMPARE(phrases::tokenise(beyond).at(0).kind, phrases::Token::Kind::word);
    QCOMPARE(phrases::fold("Matrices"), phrases::fold("matrice"));
    QCOMPARE(phrases::fold("LOSS"), std::string("loss"));
    QCOMPARE(phrases::fold("entries"), std::string("entry"));
  }

  // Subnormal ones, too, which the C library calls out of range.
  void tinyNumbersAreScaled() {
    const auto formula = [&](const char* sentence) { return understand(library_, sentence).words.at(0).reading; };
    QCOMPARE(formula("twice half 1e-308 plus x"), std::string("the formula 1e-308 + x"));
    QCOMPARE(formula("half of 1e-320 plus x"), std::string("the formula 5e-321 + x"));
  }

  // A chain computes what its ops compute one after another.
  void chainsComputeWhatTheirOpsDo() {
    struct Chain {
      const char* sentence;
      std::vector<const char*> ops;
    };
    const Chain chains[] = {
        {"LayerNorm of 5x12 followed by GELU", {"layernorm of 5x12", "gelu of 5x12"}},
        {"gelu after layernorm of 5x12", {"layernorm of 5x12", "gelu of 5x12"}},
        {"fused bias, GELU and residual of 3x4", {"bias of 3x4", "gelu of 3x4", "residual of 3x4"}},
        {"matmul of 4x5 and 5x6 then softmax over the columns then sum",
         {"matmul of 4x5 and 5x6", "softmax over the columns of 4x6", "sum of 4x6"}},
        {"conv2d on 2 images of 5x5 with 3 channels and 4 filters then batchnorm then relu",
         {"conv2d on 2 images of 5x5 with 3 channels and 4 filters", "batchnorm of 2x4x3x3", "relu of 2x4x3x3"}},
        {"softmax of 6x8 then matmul", {"softmax of 6x8", "matmul of 6x8"}},
        {"relu of 2x3x4 then softmax along dim 1", {"relu of 2x3x4", "softmax along dim 1 of 2x3x4"}},
        {"add of 7x3 then scale by 2 then log softmax", {"add of 7x3", "scale by 2 of 7x3", "log softmax of 7x3"}},
    };
    for (const Chain& c : chains) {
      const Spec whole = spec_of(c.sentence);
      auto values = values_for(whole);
      for (std::size_t i = 0; i < whole.inputs.size(); ++i)
        if (whole.inputs[i].lo)
          for (double& v : values[i]) v = 0.5 + std::fabs(v) / 4;
      const std::vector<double> got = run(whole, values);
      std::size_t used = 0;
      std::vector<double> now;
      for (std::size_t k = 0; k < c.ops.size(); ++k) {
        const Spec one = spec_of(c.ops[k]);
        std::vector<std::vector<double>> inputs;
        if (k > 0) inputs.push_back(now);
        while (inputs.size() < one.inputs.size()) inputs.push_back(values.at(used++));
        // The value between two ops is not rounded in the chain.
        now = run(*with_dtype(one, DType::f64), inputs);
      }
      QCOMPARE(used, values.size());
      verify_close(got, now, c.sentence);
    }
  }

  // An op moved to another dimension or rank against the op as its file has it, on transposed data.
  void otherDimensionsAndRanks() {
    const std::int64_t A = 3, B = 5, C = 4;
    const std::vector<double> x = some_values(A * B * C, 7);
    for (const char* name : {"softmax", "log_softmax", "cumsum", "cumsum_exclusive", "cumsum_reverse", "cumprod", "sum",
                             "mean", "max", "argmin", "var", "l2_norm", "logsumexp", "l2_normalize"}) {
      const LibraryOp* op = library_.find(name);
      const std::int64_t shape[] = {A, B, C};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto moved = phrases::at_shape(op->spec, {A, B, C}, axis);
        QVERIFY2(moved, name);
        QCOMPARE(moved->name, axis == 2 ? std::string(name) : name + ("_axis" + std::to_string(axis)));
        const std::int64_t length = shape[axis],
                           stride = axis == 2   ? 1
                                    : axis == 1 ? C
                                                : B * C,
                           rest = A * B * C / length;
        const bool reduces = moved->outputs[0].shape.size() == 2;
        // Rows of the matrix: all lines along the axis, in the order of the remaining dimensions.
        std::vector<double> rows;
        std::vector<std::int64_t> places;
        for (std::int64_t i = 0; i < A * B * C; ++i)
          if ((i / stride) % length == 0) places.push_back(i);
        for (std::int64_t p : places)
          for (std::int64_t k = 0; k < length; ++k) rows.push_back(x[static_cast<std::size_t>(p + k * stride)]);
        Binding matrix;
        matrix.symbols = {{"R", rest}, {"C", length}};
        const auto want = evaluate_on(op->spec, matrix, {rows});
        QVERIFY2(want, name);
        const std::vector<double> got = run(*moved, {x});
        for (std::size_t r = 0; r < places.size(); ++r) {
          for (std::int64_t k = 0; k < (reduces ? 1 : length); ++k) {
            const double g = reduces ? got[r] : got[static_cast<std::size_t>(places[r] + k * stride)];
            const double w =
                reduces ? (*want)[r] : (*want)[r * static_cast<std::size_t>(length) + static_cast<std::size_t>(k)];
            QVERIFY2(std::fabs(g - w) <= 1e-12 * std::max(1.0, std::fabs(w)),
                     (std::string(name) + " along " + std::to_string(axis)).c_str());
          }
        }
      }
    }
  }

  void ranksOfEveryOpThatSpreads() {
    for (const LibraryOp& op : library_.ops()) {
      if (!phrases::spreads(op.spec)) {
        QVERIFY(!phrases::at_shape(op.spec, {4, 4}));
        continue;
      }
      // As one row of 24, as a matrix, and with more dimensions: the same elements, the same last dimension.
      const auto matrix = phrases::at_shape(op.spec, {6, 4});
      const auto deep = phrases::at_shape(op.spec, {1, 3, 2, 4});
      const auto vector = phrases::at_shape(op.spec, {4});
      QVERIFY2(matrix && deep && vector, op.spec.name.c_str());
      QCOMPARE(deep->inputs[0].shape.size(), std::size_t{4});
      QCOMPARE(vector->inputs[0].shape.size(), std::size_t{1});
      const auto inside = [&](const Spec& spec) {
        auto values = values_for(spec);
        for (std::size_t i = 0; i < values.size(); ++i)
          for (double& v : values[i])
            if (spec.inputs[i].dtype == DType::boolean || spec.inputs[i].lo) v = v > 0 ? 0.75 : 0.5;
        return values;
      };
      auto values = inside(*matrix);
      verify_close(run(*deep, values), run(*matrix, values), op.spec.name.c_str());
      const auto row = phrases::at_shape(op.spec, {1, 4});
      auto first = inside(*row);
      verify_close(run(*vector, first), run(*row, first), op.spec.name.c_str());
      QVERIFY(!phrases::at_shape(op.spec, {}));
      QVERIFY(!phrases::at_shape(op.spec, {2, 3}, 2));
      if (!phrases::has_axis(op.spec)) QVERIFY(!phrases::at_shape(op.spec, {2, 3}, 0));
    }
  }

  // Words beside a call give the sizes that it leaves open, and none of those that it gives.
  void wordsBesideACallGiveItsSizes() {
    const Understanding u = understand(library_, "nn.Linear(512, 10), batch 64");
    QVERIFY(u.spec);
    QCOMPARE(u.spec->name, std::string("linear"));
    QVERIFY(u.spec->defaults == (std::map<std::string, std::int64_t>{{"M", 64}, {"K", 512}, {"N", 10}}));
    QVERIFY(!understand(library_, "nn.Linear(512, 10) with 300 input features").spec);
    QVERIFY(!understand(library_, "relu(x) with 300 rows of q").spec);
  }

  void groupsOfChannelsAreMultiplied() {
    const Understanding u = understand(library_, "groupnorm, 4 groups of 8 channels");
    QVERIFY(u.spec && u.spec->defaults.at("G") == 4 && u.spec->defaults.at("CG") == 8);
  }

  void theOrderOfWordsDoesNotHideSizes() {
    // Whatever number a sentence names must be in the spec, or be asked about.
    for (const char* sentence :
         {"relu 77x33 in half", "softmax over the rows, 77 rows, 33 columns", "77x33 layernorm with eps 0.5",
          "matmul M=77 N=33 K=11", "batched matmul batch 77, 33x11 matrices"}) {
      const Understanding u = understand(library_, sentence);
      if (!u.spec) {
        QVERIFY(!u.questions.empty());
        continue;
      }
      const std::string text = print(*u.spec);
      QVERIFY2(text.find("77") != std::string::npos && text.find("33") != std::string::npos, text.c_str());
    }
  }
};

QTEST_GUILESS_MAIN(PhrasebookTest)
#include "phrasebook_test.moc"
