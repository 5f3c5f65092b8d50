// SPDX-License-Identifier: Apache-2.0
// Sentences made of all combinations of some words. None may be given another meaning: it is right or asked about.
#include <QtTest>
#include <tuple>
#include "op/kept_sentences.h"
#include "op/meaning.h"
#include "op/sentence/offers.h"

using namespace ww;
using namespace ww::op;

namespace {

struct Made {
  std::string text, want;
};

// A statistic or function of x[at] over `over`, which runs to `size`, as equations of t and y.
struct Formula {
  const char* words;
  const char* equations;  // $t the result, $x the operand, $i its index, $k the result's index, $N the size of $i
};

std::string put(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [name, value] : values)
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size(), value);
  return text;
}

const Formula statistics[] = {
    {"sum", "$t[$k] = sum($i) x[r, c];"},
    {"mean", "$t[$k] = (sum($i) x[r, c]) / $N;"},
    {"average", "$t[$k] = (sum($i) x[r, c]) / $N;"},
    {"maximum", "$t[$k] = max($i) x[r, c];"},
    {"maxima", "$t[$k] = max($i) x[r, c];"},
    {"minima", "$t[$k] = min($i) x[r, c];"},
    {"variance", "m[$k] = (sum($i) x[r, c]) / $N; $t[$k] = (sum($i) (x[r, c] - m[$k])^2) / ($N - 1);"},
    {"norm", "$t[$k] = sqrt(sum($i) x[r, c]^2);"},
};

const Formula functions[] = {
    {"sum", "y = sum($k) t[$k];"},
    {"mean", "y = (sum($k) t[$k]) / $K;"},
    {"average", "y = (sum($k) t[$k]) / $K;"},
    {"max", "y = max($k) t[$k];"},
    {"maximum", "y = max($k) t[$k];"},
    {"minimum", "y = min($k) t[$k];"},
    {"variance", "n = (sum($k) t[$k]) / $K; y = (sum($k) (t[$k] - n)^2) / ($K - 1);"},
    {"std", "n = (sum($k) t[$k]) / $K; y = sqrt((sum($k) (t[$k] - n)^2) / ($K - 1));"},
    {"norm", "y = sqrt(sum($k) t[$k]^2);"},
    {"abs", "y[$k] = abs(t[$k]);"},
    {"absolute value", "y[$k] = abs(t[$k]);"},
    {"sqrt", "y[$k] = sqrt(t[$k]);"},
    {"softmax", "n = max($k) t[$k]; e[$k] = exp(t[$k] - n); z = sum($k) e[$k]; y[$k] = e[$k] / z;"},
};

std::string plural(const std::string& word) {
  return word == "maxima" || word == "minima" ? word : word == "maximum" ? "maximums" : word + "s";
}

std::vector<Made> nested_statistics() {
  std::vector<Made> out;
  for (const Formula& outer : functions)
    for (const Formula& inner : statistics)
      for (const bool rows : {true, false}) {
        const std::string own = rows ? "row" : "column", k = rows ? "r" : "c", size = rows ? "R" : "C";
        const std::string body =
            put(std::string(inner.equations) + " " + outer.equations,
                {{"$t", "t"}, {"$k", k}, {"$i", rows ? "c" : "r"}, {"$N", rows ? "C" : "R"}, {"$K", size}});
        const bool kept = body.find("y[") != std::string::npos;
        const std::string want =
            "op f(x: f32[R, C]) -> y: f32" + (kept ? "[" + size + "]" : std::string()) + " { " + body + " }";
        for (const std::string& words : {"the " + own + " " + plural(inner.words), own + " " + plural(inner.words),
                                         own + "-wise " + plural(inner.words), "each " + own + "'s " + inner.words,
                                         "the " + own + " " + inner.words})
          for (const char* front : {"the ", "compute the "})
            out.push_back({front + std::string(outer.words) + " of " + words + " of a matrix", want});
      }
  return out;
}

std::vector<Made> fractions_of_factors() {
  std::vector<Made> out;
  for (const auto& [fraction, value] :
       {std::pair("1/2", "1.0/2"), std::pair("2/3", "2.0/3"), std::pair("9/5", "9.0/5"), std::pair("-1/6", "-1.0/6"),
        std::pair("1/sqrt(2)", "1.0/sqrt(2)"), std::pair("1/√2", "1.0/sqrt(2)"), std::pair("π/4", "3.14159265358979/4"),
        std::pair("1/(2 pi)", "1.0/(2*3.14159265358979)")})
    for (const auto& [factor, own] : {std::pair("x", "x"), std::pair("x^2", "x^2"), std::pair("(x + 1)", "(x + 1)"),
                                      std::pair("sin(x)", "sin(x)"), std::pair("exp(-x)", "exp(-x)"),
                                      std::pair("x (1 + x)", "x*(1 + x)"), std::pair("pi x", "3.14159265358979*x")})
      for (const char* end : {"", " + 32"})
        out.push_back(
            {std::string("y = ") + fraction + " " + factor + end, std::string("map (") + value + ")*" + own + end});
  return out;
}

}  // namespace

class SentenceClassesTest : public QObject {
  Q_OBJECT
  Library library_;

  // How many are understood; adds those with another meaning.
  std::size_t right_of(const std::vector<Made>& made, std::string& wrong) const {
    std::size_t right = 0;
    for (const Made& m : made) {
      const Understanding u = understand_alone(library_, m.text);
      if (!u.spec) {
        if (u.questions.empty()) wrong += "\n  no question: " + m.text;
        continue;
      }
      const Intended want = intended_of(library_, m.want);
      const std::string differs = want.problem.empty() ? difference(want, *u.spec) : want.problem;
      if (differs.empty())
        ++right;
      else
        wrong += "\n  " + m.text + ": " + differs;
    }
    return right;
  }

 private slots:
  void initTestCase() {
    auto loaded = Library::load(std::filesystem::path(WW_SOURCE_DIR) / "resources/ops");
    QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    library_ = std::move(*loaded);
  }

  void theInnerStatisticComesFirst() {
    const std::vector<Made> made = nested_statistics();
    std::string wrong;
    const std::size_t right = right_of(made, wrong);
    qInfo("%zu of %zu", right, made.size());
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY(right * 10 >= made.size() * 8);
  }

  void aFractionStandsInFrontOfItsFactor() {
    const std::vector<Made> made = fractions_of_factors();
    std::string wrong;
    const std::size_t right = right_of(made, wrong);
    qInfo("%zu of %zu", right, made.size());
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY(right * 10 >= made.size() * 9);
  }

  void aFactorGluedToADivisorIsAskedAbout() {
    for (const std::string fraction : {"1/2", "2/3", "9/5"})
      for (const std::string factor : {"x", "x^2", "(x + 1)"})
        for (const std::string& text :
             {"y = " + fraction + factor, "y = " + put(fraction, {{"/", " / "}}) + " " + factor}) {
          const Understanding u = understand(library_, text);
          QVERIFY2(!u.spec && u.choices.size() == 2, text.c_str());
          const std::string& value = put(fraction, {{"/", ".0/"}});
          const Intended times = intended_of(library_, "map (" + value + ")*" + factor),
                         below = intended_of(library_, "map (" + value + ")/" + factor);
          QVERIFY2(difference(times, u.choices[0].spec).empty(), text.c_str());
          QVERIFY2(difference(below, u.choices[1].spec).empty(), text.c_str());
        }
  }

  void aDivisorInBracketsIsWhole() {
    for (const std::string text : {"y = x/(2 pi)", "y = x/(4 pi)", "y = exp(-x^2/2)/(2 pi)"})
      QVERIFY2(understand(library_, text).spec, text.c_str());
    const Intended whole = intended_of(library_, "map x/(2*3.141592653589793)");
    QVERIFY(difference(whole, *understand(library_, "y = x/(2 pi)").spec).empty());
  }
  // The time does not double with each division.
  void divisionsMayBeNested() {
    std::string text = "x";
    for (int i = 0; i < 40; ++i) text = "1/(1+" + text + ")";
    QVERIFY(understand(library_, "y = " + text).spec);
  }

  // Asked about, or read as without what is denied; no offer has it.
  void whatIsDeniedIsNotRead() {
    std::string wrong;
    std::size_t asked = 0;
    const auto says = [](const std::string& text, const std::string& word) {
      return text.find(word) != std::string::npos;
    };
    for (const auto& [op, feature, mark] :
         {std::tuple("attention", "causal mask", "causal"), std::tuple("attention", "causal masking", "causal"),
          std::tuple("attention", "ALiBi bias", "slope"), std::tuple("attention", "additive mask", "bias"),
          std::tuple("attention", "rotary embedding", "rotary"), std::tuple("attention", "softcap", "cap"),
          std::tuple("attention", "local window", "window"), std::tuple("attention", "grouped queries", "/ G"),
          std::tuple("linear", "bias", "bias"), std::tuple("conv2d", "bias", "bias"),
          std::tuple("sum of each row", "keepdim", "one in"), std::tuple("linear", "relu", "max(")})
      for (const std::string& text :
           {std::string(op) + " with no " + feature, std::string(op) + " without " + feature,
            std::string(op) + " without a " + feature, std::string(op) + ", no " + feature,
            std::string(op) + " lacking " + feature, std::string(op) + ", " + feature + " disabled",
            std::string(op) + ", " + feature + " off"}) {
        const Understanding u = understand(library_, text);
        if (u.spec && says(print(*u.spec), mark)) wrong += "\n  " + text + ": " + print(*u.spec);
        for (const Choice& c : u.choices)
          if (says(print(c.spec), mark)) wrong += "\n  " + text + " offers " + c.sentence;
        asked += !u.spec;
      }
    for (const char* text : {"non-causal attention", "not causal attention", "no causal attention",
                             "causal attention without a mask", "attention, causal=False", "anti-causal attention",
                             "adam without bias", "cross entropy without mean reduction"}) {
      const Understanding u = understand(library_, text);
      if (u.spec && (says(print(*u.spec), "causal") || says(u.spec->name, "adam") || says(u.spec->name, "cross")))
        wrong += std::string("\n  ") + text + ": " + print(*u.spec);
    }
    qInfo("%zu asked about", asked);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }

  void anElementwiseMatrixProductIsOfElements() {
    for (const char* sign : {"elementwise", "element-wise", "pointwise", "Hadamard", "entrywise"}) {
      for (const char* product : {"matrix product", "matrix multiplication", "matrix multiply"}) {
        const Understanding u = understand(library_, std::string(sign) + " " + product + " 64x48");
        const Intended want = intended_of(library_, "map a * b @ 64,48");
        QVERIFY2(u.spec ? difference(want, *u.spec).empty() : !u.questions.empty(), product);
      }
      for (const char* op : {"matmul", "softmax", "attention", "gemm", "layernorm"}) {
        const Understanding u = understand(library_, std::string(sign) + " " + op);
        QVERIFY2(!u.spec && !u.questions.empty(), op);
      }
    }
  }

  void aNumberBehindAFunctionsNameIsAskedAbout() {
    for (const char* function : {"sin", "cos", "tan", "sinh", "tanh", "log", "exp"})
      for (const char* number : {"-1", "-2", "-10"})
        for (const char* end : {"(x)", " of x", " (x)"})
          QVERIFY2(!understand(library_, std::string(function) + number + end).spec, function);
    for (const char* norm : {"0-norm", "1-norm", "2-norm", "3-norm", "p-norm", "inf-norm"})
      QVERIFY2(!understand(library_, std::string("the ") + norm + " of a 64x128 matrix").spec, norm);
    const Understanding u = understand(library_, "the 2-norm of a vector of 1000 elements");
    QVERIFY(u.spec && u.spec->outputs[0].shape.empty());
  }

  void aKernelsSizeIsNoPadding() {
    for (const char* setting : {"padding", "zero padding", "stride", "dilation"})
      for (const char* op : {"conv2d", "depthwise conv"})
        for (const char* size : {"3x3", "5x5", "3x3 kernel"}) {
          const std::string text = std::string(op) + " with " + setting + " " + size + " 32x32 image";
          QVERIFY2(!understand(library_, text).spec, text.c_str());
        }
    QVERIFY(understand(library_, "conv2d 5x5, stride 2x2, padding 1x1").spec);
  }

  void aWordOfArithmeticIsNoTitle() {
    const Intended alone = intended_of(library_, "map 1 + x^2");
    for (const std::string word :
         {"times", "multiplied by", "divided by", "minus", "plus", "over", "to the power", "modulo", "added to"}) {
      const std::string text = "x " + word + " (1 + x^2)";
      const Understanding u = understand(library_, text);
      QVERIFY2(!u.spec || !difference(alone, *u.spec).empty(), text.c_str());
    }
  }

  void aReductionBesideAnOpIsAskedAbout() {
    for (const char* reduction : {"sum", "mean", "average", "max", "maximum", "min", "variance"})
      for (const char* op : {"softmax", "matmul", "relu", "maximum", "mean", "sigmoid"}) {
        if (std::string_view(reduction) == op) continue;
        const std::string text = std::string(reduction) + " " + op + " 64x128";
        QVERIFY2(!understand(library_, text).spec, text.c_str());
      }
  }

  void aColourImageHasThreeChannels() {
    for (const char* text :
         {"relu on an RGB image 32x48", "max pool 2x2 on an RGB image 32x48", "transpose an RGB image 32x48",
          "box blur 3x3 of an RGB image 32x48", "conv2d with 16 filters of 5x5 on an RGB image 32x48"}) {
      const Understanding u = understand(library_, text);
      QVERIFY2(!u.spec || std::any_of(u.spec->defaults.begin(), u.spec->defaults.end(),
                                      [](const auto& d) { return d.second == 3; }),
               text);
    }
  }

  void causalityThatTheWordsDoNotSayIsShown() {
    for (const char* text : {"attention with ALiBi bias", "sliding window attention with window 16"}) {
      const Understanding u = understand(library_, text);
      QVERIFY2(u.spec && std::any_of(u.words.begin(), u.words.end(),
                                     [](const Word& w) { return w.reading.find("causal") != std::string::npos; }),
               text);
    }
  }

  void lettersBehindNumbersAreUnits() {
    for (const auto& [text, size] :
         {std::pair("relu of 4k elements", 4096), std::pair("relu of 64k elements", 65536),
          std::pair("relu of 100k elements", 100000), std::pair("relu of 1.5M elements", 1500000),
          std::pair("relu of 1M elements", 1048576)}) {
      const Understanding u = understand(library_, text);
      QVERIFY2(u.spec && u.spec->defaults.begin()->second == size, text);
    }
  }

  // "take the column sums" is no gather of columns.
  void verbsInFrontOfAStatisticAreReadWithIt() {
    for (const char* statistic : {"sums", "means", "maxima"}) {
      const Understanding taken = understand(library_, std::string("take the column ") + statistic);
      const Understanding plain = understand(library_, std::string("column ") + statistic);
      QVERIFY2(taken.spec && plain.spec && print(*taken.spec) == print(*plain.spec), statistic);
      for (const char* verb : {"flip", "reverse", "gather", "roll", "scale", "shift"}) {
        const Understanding u = understand(library_, std::string(verb) + " the column " + statistic + " 64x128");
        QVERIFY2(!u.spec || u.spec->outputs[0].shape.size() == 1, verb);
      }
    }
  }

  // A number whose noun says nothing is offered as a size; none is lost in the answers.
  void numbersWithoutAPlaceAreOfferedAsSizes() {
    const auto offered = [&](const char* sentence, const char* intended) {
      const Understanding u = understand(library_, sentence);
      const Intended want = intended_of(library_, intended);
      return !u.spec && std::any_of(u.choices.begin(), u.choices.end(),
                                    [&](const Choice& c) { return difference(want, c.spec).empty(); });
    };
    for (const auto& [sentence, intended] :
         {std::pair("gather rows of a 5000x64 table by 200 indices", "@embedding V=5000 D=64 N=200"),
          std::pair("huber loss with delta 1.0 over 4096 predictions", "@huber_loss C=4096"),
          std::pair("inner product of u and v, each 2^12 long", "@dot N=4096"),
          std::pair("sparse matrix-vector product in CSR format, 1000 rows, 5000 nonzeros",
                    "@csr_matvec M=1000 E=5000")})
      QVERIFY2(offered(sentence, intended), sentence);
  }

  void conversionsAreReadInAnyOrderOfWords() {
    for (const char* text :
         {"convert a float32 image to half precision, 10 x 20", "convert 10x20 fp32 matrix to fp16",
          "convert to fp16 from fp32, 10x20", "cast x to half, 10x20", "a kernel to cast f32 into f16 of 10x20"}) {
      const Understanding u = understand(library_, text);
      QVERIFY2(u.spec && u.spec->inputs[0].dtype == DType::f32 && u.spec->outputs[0].dtype == DType::f16, text);
      QVERIFY2(u.spec->defaults.at("R") == 10 && u.spec->defaults.at("C") == 20, text);
    }
    for (const char* text : {"convert float to int8", "cast f32 to f16 to bf16", "convert to half precision to float"})
      QVERIFY2(!understand(library_, text).spec, text);
  }

  // "two" of "the rows of two 500x64 matrices" is no number of columns.
  void tensorsAreCountedNotMeasured() {
    const Understanding plain = understand(library_, "cosine similarity of two 500x64 matrices");
    const Understanding rows = understand(library_, "cosine similarity between the rows of two 500x64 matrices");
    QVERIFY(plain.spec && rows.spec && print(*plain.spec) == print(*rows.spec));
    QVERIFY(!understand(library_, "softmax over the rows of 200 vectors").spec);
  }

  // Ops are found by what their summaries say too.
  void opsAreFoundByTheirWords() {
    const auto first = [&](const char* words) {
      const auto found = library_.about(words, 1);
      return found.empty() ? std::string() : found[0]->spec.name;
    };
    QCOMPARE(first("triple matrix product"), std::string("matmul_chain"));
    QCOMPARE(first("turned with the clock"), std::string("rotate270"));
    QCOMPARE(first("rotated hologram"), std::string());
    QCOMPARE(first(""), std::string());
  }

  // A shape put into words for a matrix is the matrix's.
  void aShapeInAPhraseIsKept() {
    std::string lost;
    std::size_t kept = 0;
    for (const KeptSentence& s : kept_sentences()) {
      if (s.text.find_first_of("0123456789") != std::string::npos) continue;
      for (const std::string noun : {" a matrix", " the matrix", " each matrix"}) {
        const std::size_t at = s.text.find(noun);
        if (at == std::string::npos || s.text.find("matri", at + noun.size()) != std::string::npos) continue;
        const std::string text = put(s.text, {{noun, noun.substr(0, noun.size() - 6) + "96x160 matrix"}});
        const Understanding u = understand_alone(library_, text);
        if (!u.spec) continue;
        const auto has = [&](std::int64_t size) {
          return std::any_of(u.spec->defaults.begin(), u.spec->defaults.end(),
                             [&](const auto& d) { return d.second == size; });
        };
        if (has(96) && has(160))
          ++kept;
        else
          lost += "\n  " + text + "\n" + print(*u.spec);
      }
    }
    qInfo("%zu keep their shape", kept);
    QVERIFY2(lost.empty(), lost.c_str());
    QVERIFY(kept >= 40);
  }
};

QTEST_GUILESS_MAIN(SentenceClassesTest)
#include "sentence_classes_test.moc"
