// SPDX-License-Identifier: Apache-2.0
#include "op/gradient.h"
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>
#include "op/agreement.h"
#include "op/library_tensors.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "op/transform.h"
#include "op/work.h"

using namespace ww;
using namespace ww::op;

namespace {

using Values = std::vector<std::vector<double>>;  // of each input

Spec spec_from(const std::string& text) {
  auto out = parse_spec(text);
  if (!out) qFatal("%s", out.error().text().c_str());
  return std::move(*out);
}

// Nothing where evaluation fails.
std::optional<std::map<std::string, std::vector<double>>> results_of(const Spec& spec, const Binding& binding,
                                                                     const Values& values) {
  std::map<std::string, HostTensor> inputs;
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
    const Param& p = spec.inputs[i];
    inputs[p.name] = host_tensor(p.dtype, *shape_of(spec, p, binding), values[i]);
  }
  EvaluateOptions options;
  options.bounds = false;
  options.threads = 1;
  const auto out = evaluate(spec, binding, inputs, options);
  if (!out) return std::nullopt;
  std::map<std::string, std::vector<double>> read;
  for (const auto& [name, t] : *out) read[name] = t.value;
  return read;
}

// Compares a derived gradient with central differences of random functionals of the op's results.
class Difference {
 public:
  Difference(const Spec& forward, const Backward& derived, const Binding& binding, std::uint32_t seed)
      : forward_(forward), derived_(derived), backward_(derived.spec), binding_(binding), random_(seed) {}

  // Empty: none. `compared` counts directions in which the op is smooth.
  std::string find(int& compared) {
    draw(random_());
    const auto slopes = gradients();
    if (!slopes) return "the derived spec cannot be evaluated: " + problem_;
    for (const auto& [input, gradient] : derived_.outgoing) {
      for (int direction = 0; direction < 5; ++direction) {
        const std::string d = along(input_of(input), direction, slopes->at(gradient), compared);
        if (!d.empty()) return gradient + ": " + d;
      }
    }
    return {};
  }

 private:
  std::size_t input_of(const std::string& name) const {
    for (std::size_t i = 0; i < forward_.inputs.size(); ++i)
      if (forward_.inputs[i].name == name) return i;
    qFatal("no input %s", name.c_str());
  }

  void draw(std::uint64_t seed) {
    values_.clear();
    for (std::size_t i = 0; i < forward_.inputs.size(); ++i) {
      const Param& p = forward_.inputs[i];
      const auto shape = *shape_of(forward_, p, binding_);
      const std::int64_t count = element_count(shape);
      std::vector<std::byte> bytes(static_cast<std::size_t>(count) * dtype_size(p.dtype));
      const auto domain = domain_of(forward_, p, binding_);
      fill_input(Distribution::normal, seed, static_cast<int>(i), p.dtype, domain ? *domain : Domain{}, count,
                 bytes.data(), shape.empty() ? 1 : shape.back());
      std::vector<double> values;
      for (std::int64_t k = 0; k < count; ++k)
        values.push_back(load_f64(p.dtype, bytes.data() + static_cast<std::size_t>(k) * dtype_size(p.dtype)));
      values_.push_back(std::move(values));
    }
    weights_.clear();
    std::normal_distribution<double> normal;
    for (const Param& p : forward_.outputs)
      for (std::int64_t k = element_count(*shape_of(forward_, p, binding_)); k > 0; --k)
        weights_[p.name].push_back(normal(random_));
  }

  std::optional<std::map<std::string, std::vector<double>>> gradients() {
    std::map<std::string, std::vector<double>> known;
    for (std::size_t i = 0; i < forward_.inputs.size(); ++i) known[forward_.inputs[i].name] = values_[i];
    for (const auto& [output, gradient] : derived_.incoming) known[gradient] = weights_.at(output);
    std::map<std::string, HostTensor> inputs;
    for (const Param& p : backward_.inputs)
      inputs[p.name] = host_tensor(p.dtype, *shape_of(backward_, p, binding_of_backward()), known.at(p.name));
    EvaluateOptions options;
    options.bounds = false;
    options.threads = 1;
    const auto out = evaluate(backward_, binding_of_backward(), inputs, options);
    if (!out) {
      problem_ = out.error().text();
      return std::nullopt;
    }
    std::map<std::string, std::vector<double>> read;
    for (const auto& [name, t] : *out) read[name] = t.value;
    return read;
  }

  Binding binding_of_backward() const {
    Binding out;
    for (const std::string& s : backward_.symbols) out.symbols[s] = binding_.symbols.at(s);
    return out;
  }

  std::optional<double> functional(const Values& values) const {
    const auto out = results_of(forward_, binding_, values);
    if (!out) return std::nullopt;
    double sum = 0;
    for (const auto& [name, results] : *out)
      for (std::size_t k = 0; k < results.size(); ++k) sum += results[k] * weights_.at(name)[k];
    return sum;
  }

  std::string along(std::size_t input, int direction, const std::vector<double>& slopes, int& compared) {
    std::vector<double> way(values_[input].size(), 0.0);
    if (way.empty()) return {};
    std::normal_distribution<double> normal;
    if (direction < 2)
      for (double& w : way) w = normal(random_);
    else
      way[random_() % way.size()] = 1;
    double expected = 0, size = 1;
    for (std::size_t k = 0; k < way.size(); ++k) {
      expected += way[k] * slopes[k];
      size += std::fabs(way[k] * slopes[k]);
    }
    const auto quotient = [&](double step) -> std::optional<double> {
      Values up = values_, down = values_;
      for (std::size_t k = 0; k < way.size(); ++k) {
        up[input][k] += step * way[k];
        down[input][k] -= step * way[k];
      }
      const auto a = functional(up), b = functional(down);
      if (!a || !b) return std::nullopt;
      return (*a - *b) / (2 * step);
    };
    const auto coarse = quotient(1e-5), fine = quotient(2e-6);
    const double tolerance = 1e-5 * size;
    if (!coarse || !fine || !std::isfinite(*fine)) return {};
    if (!(std::fabs(*coarse - *fine) <= tolerance)) return {};  // a kink between, or too steep to tell
    ++compared;
    if (std::fabs(expected - *fine) <= 3 * tolerance) return {};
    return "the slope is " + std::to_string(*fine) + ", and the gradient gives " + std::to_string(expected);
  }

  const Spec& forward_;
  const Backward& derived_;
  const Spec& backward_;
  Binding binding_;
  std::mt19937 random_;
  Values values_;
  std::map<std::string, std::vector<double>> weights_;
  std::string problem_;
};

// Small sizes at which an evaluation takes no more steps than `most_steps`: different ones for each symbol, or, where
// that takes too long, all the same.
std::vector<Binding> sizes_of(const Spec& spec, const Spec& backward, int count, double most_steps) {
  const auto possible = [&](const Binding& b) {
    Binding back;
    for (const std::string& s : backward.symbols) back.symbols[s] = b.symbols.at(s);
    const auto forth = steps_of(spec, b), behind = steps_of(backward, back);
    return shapes_at(spec, b) && has_elements(spec, b) && forth && *forth <= most_steps && behind &&
           *behind <= 10 * most_steps;
  };
  std::vector<Binding> out;
  for (int grown = 0; grown < count; ++grown) {
    Binding b = small_sizes(spec);
    for (auto& [name, size] : b.symbols) size += grown;
    if (!possible(b))
      for (auto& [name, size] : b.symbols) size = 2 + grown;
    if (possible(b)) out.push_back(b);
  }
  return out;
}

struct Tried {
  std::optional<NoGradient> refused;
  std::string wrong;
  int compared = 0;
};

// At up to `sizes` small sizes at which an evaluation takes no more steps than `most_steps`.
Tried tried(const Spec& op, int sizes, double most_steps) {
  Tried out;
  const Spec spec = *with_dtype(op, DType::f64);
  const Gradient gradient = gradient_of(spec);
  if (const auto* no = std::get_if<NoGradient>(&gradient)) {
    out.refused = *no;
    return out;
  }
  const Backward& backward = std::get<Backward>(gradient);
  if (print(spec_from(print(backward.spec))) != print(backward.spec)) out.wrong = "does not print as it parses";
  std::uint32_t seed = 1;
  for (const Binding& b : sizes_of(spec, backward.spec, sizes, most_steps)) {
    if (out.wrong.empty()) out.wrong = Difference(spec, backward, b, seed++).find(out.compared);
  }
  return out;
}

// Of specs with the same names.
Agreement agreement_at_size_2(const Spec& a, const Spec& b) {
  Binding two;
  for (const std::string& s : a.symbols) two.symbols[s] = 2;
  std::vector<std::size_t> order;
  for (const Param& p : a.inputs)
    for (std::size_t i = 0; i < b.inputs.size(); ++i)
      if (b.inputs[i].name == p.name) order.push_back(i);
  if (order.size() != b.inputs.size()) return Agreement::unknown;
  const bool same = result_difference(a, two, b, two, order, Distribution::normal).empty() &&
                    result_difference(a, two, b, two, order, Distribution::positive).empty();
  return same ? Agreement::same : Agreement::different;
}

}  // namespace

class GradientTest : public QObject {
  Q_OBJECT
  Library library_;

  const Spec& op(const char* name) const {
    const LibraryOp* found = library_.find(name);
    if (!found) qFatal("no op %s", name);
    return found->spec;
  }
  static Spec derived(const Spec& spec, const std::vector<std::string>& inputs = {}) {
    Gradient out = gradient_of(spec, inputs);
    if (const auto* no = std::get_if<NoGradient>(&out)) qFatal("%s", explain(*no, spec).c_str());
    return std::get<Backward>(std::move(out)).spec;
  }

 private slots:
  void initTestCase() {
    auto loaded = Library::load(std::filesystem::path(WW_SOURCE_DIR) / "resources/ops");
    QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    library_ = std::move(*loaded);
  }

  void gradientsAreSlopes_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"relu",
                             "gelu",
                             "gelu_tanh",
                             "silu",
                             "softplus",
                             "mish",
                             "elu",
                             "tanh",
                             "sigmoid",
                             "prelu",
                             "add",
                             "multiply",
                             "sum",
                             "mean",
                             "var",
                             "std",
                             "max",
                             "min",
                             "logsumexp",
                             "l2_norm",
                             "softmax",
                             "log_softmax",
                             "layernorm",
                             "rmsnorm",
                             "groupnorm",
                             "l2_normalize",
                             "batchnorm_train",
                             "mse_loss",
                             "cross_entropy",
                             "kl_div",
                             "huber_loss",
                             "matmul",
                             "linear",
                             "batched_matmul",
                             "attention",
                             "causal_attention",
                             "conv1d",
                             "conv2d",
                             "conv1d_grouped",
                             "conv_transpose2d",
                             "avg_pool1d",
                             "avg_pool2d",
                             "max_pool2d",
                             "upsample_nearest",
                             "upsample_bilinear",
                             "pixel_shuffle",
                             "cumsum",
                             "concat_columns",
                             "im2col",
                             "split_heads"})
      QTest::newRow(name) << QString(name);
  }
  void gradientsAreSlopes() {
    QFETCH(QString, name);
    const LibraryOp* found = library_.find(name.toStdString());
    if (!found) QFAIL("there is no such op");
    const Tried t = tried(found->spec, 2, 8e6);
    QVERIFY2(!t.refused, t.refused ? explain(*t.refused, found->spec).c_str() : "");
    QVERIFY2(t.wrong.empty(), t.wrong.c_str());
    QVERIFY(t.compared >= 5);
  }

  void noGradientOfTheLibraryIsWrong() {
    int derived_count = 0, compared_count = 0;
    std::map<int, int> reasons;
    std::string wrong, unprintable;
    for (const LibraryOp& one : library_.ops()) {
      const Tried t = tried(one.spec, 1, 2e6);
      if (t.refused) {
        ++reasons[static_cast<int>(t.refused->reason)];
        if (t.refused->reason == NoGradient::Reason::unprintable)
          unprintable += one.spec.name + ": " + t.refused->read + "\n";
        continue;
      }
      ++derived_count;
      if (t.compared > 0) ++compared_count;
      if (t.compared == 0) qInfo("%s: nothing compared", one.spec.name.c_str());
      if (!t.wrong.empty()) wrong += one.spec.name + ": " + t.wrong + "\n";
    }
    qInfo("of %d ops %d have a gradient, of which %d are compared", static_cast<int>(library_.ops().size()),
          derived_count, compared_count);
    for (const auto& [reason, count] : reasons)
      qInfo("%s: %d", enum_string(static_cast<NoGradient::Reason>(reason)).c_str(), count);
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY2(unprintable.empty(), unprintable.c_str());
    QVERIFY(derived_count >= 486);
    QVERIFY(compared_count >= 482);
  }

  // The library's own gradients, of the op and by the input named; those that start from the op's result come after it.
  void theLibrarysGradientsAreTheDerivedOnes_data() {
    QTest::addColumn<QString>("forward");
    QTest::addColumn<QString>("by");
    QTest::addColumn<QString>("fed");
    const char* const rows[][4] = {{"relu_backward", "relu", "x", ""},
                                   {"leaky_relu_backward", "leaky_relu", "x", ""},
                                   {"gelu_backward", "gelu", "x", ""},
                                   {"silu_backward", "silu", "x", ""},
                                   {"softplus_backward", "softplus", "x", ""},
                                   {"sigmoid_backward", "sigmoid", "x", "y"},
                                   {"tanh_backward", "tanh", "x", "y"},
                                   {"swiglu_backward", "silu_multiply", "", ""},
                                   {"softmax_backward", "softmax", "x", "y"},
                                   {"log_softmax_backward", "log_softmax", "x", "y"},
                                   {"layernorm_backward", "layernorm", "x", ""},
                                   {"layernorm_backward_weights", "layernorm", "gamma,beta", ""},
                                   {"rmsnorm_backward", "rmsnorm", "x", ""},
                                   {"groupnorm_backward", "groupnorm", "x", ""},
                                   {"batchnorm_backward", "batchnorm_train", "x", ""}};
    for (const auto& row : rows) QTest::newRow(row[0]) << QString(row[1]) << QString(row[2]) << QString(row[3]);
  }
  void theLibrarysGradientsAreTheDerivedOnes() {
    QFETCH(QString, forward);
    QFETCH(QString, by);
    QFETCH(QString, fed);
    std::vector<std::string> inputs;
    for (const QString& name : by.split(',', Qt::SkipEmptyParts)) inputs.push_back(name.toStdString());
    const Spec& first = op(forward.toUtf8().constData());
    const Spec mine = derived(first, inputs);
    Spec theirs = op(QTest::currentDataTag());
    if (!fed.isEmpty()) {
      const auto whole = compose(first, theirs, fed.toStdString());
      QVERIFY2(whole, whole ? "" : whole.error().text().c_str());
      theirs = *whole;
    }
    Agreement found = agreement(mine, theirs);
    if (found == Agreement::untried || found == Agreement::unknown) found = agreement_at_size_2(mine, theirs);
    QVERIFY2(found == Agreement::same, (print(mine) + print(theirs)).c_str());
  }

  void crossEntropysGradientIsTheLibrarysTimesTheIncomingOne() {
    const Spec theirs = spec_from(
        "op g(logits: f32[N, C], target: i32[N] in 0..C, dloss: f32) -> dx: f32[N, C] { top[n] = max(c) logits[n, c] "
        "z[n] = sum(c) exp(logits[n, c] - top[n]) "
        "dx[n, c] = dloss * (exp(logits[n, c] - top[n]) / z[n] - if(c == target[n], 1.0, 0.0)) / N }");
    const Spec mine = derived(op("cross_entropy"));
    QVERIFY2(agreement(mine, theirs) == Agreement::same, print(mine).c_str());
  }

  void tiesGoAsInPyTorch_data() {
    QTest::addColumn<QString>("formula");
    QTest::addColumn<double>("at");
    QTest::addColumn<double>("slope");
    QTest::newRow("abs") << "abs(x[n])" << 0.0 << 0.0;
    QTest::newRow("relu") << "max(x[n], 0)" << 0.0 << 0.0;
    QTest::newRow("minimum of 0") << "min(x[n], 0)" << 0.0 << 0.0;
    QTest::newRow("softplus") << "max(x[n], 0) + log1p(exp(-abs(x[n])))" << 0.0 << 0.5;
    QTest::newRow("limit") << "max(x[n], 2)" << 2.0 << 1.0;
    QTest::newRow("clamp") << "clamp(x[n], -1, 1)" << 1.0 << 1.0;
    QTest::newRow("beyond clamp") << "clamp(x[n], -1, 1)" << 1.5 << 0.0;
    QTest::newRow("equal operands") << "max(x[n], x[n] * 3)" << 0.0 << 2.0;
    QTest::newRow("branch") << "if(x[n] > 0, x[n] * 5, x[n] * 7)" << 0.0 << 7.0;
    QTest::newRow("floor") << "floor(x[n])" << 1.0 << 0.0;
  }
  void tiesGoAsInPyTorch() {
    QFETCH(QString, formula);
    QFETCH(double, at);
    QFETCH(double, slope);
    const Spec spec = spec_from("op f(x: f64[N]) -> y: f64[N] { y[n] = " + formula.toStdString() + " }");
    const Spec backward = derived(spec);
    Values values;
    for (const Param& p : backward.inputs) values.push_back({p.name == "x" ? at : 1.0});
    Binding one;
    for (const std::string& s : backward.symbols) one.symbols[s] = 1;
    const auto got = evaluate_on(backward, one, values);
    QVERIFY2(got, got ? "" : got.error().text().c_str());
    QCOMPARE(got->at(0), slope);
  }

  void equalExtremesShare() {
    const Spec backward = derived(spec_from("op f(x: f64[C]) -> y: f64 { y = max(c) x[c] }"));
    QCOMPARE(*evaluate_on(backward, {{{"C", 4}}, {}}, {{1, 3, 2, 3}, {1}}), (std::vector<double>{0, 0.5, 0, 0.5}));
  }

  void whatHasNoGradientIsRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("by");
    QTest::addColumn<int>("reason");
    QTest::addColumn<QString>("tensor");
    using Reason = NoGradient::Reason;
    const auto row = [](const char* name, const char* text, const char* by, Reason reason, const char* tensor) {
      QTest::newRow(name) << QString(text) << QString(by) << static_cast<int>(reason) << QString(tensor);
    };
    const char* const twice = "op f(x: f32[N]) -> y: f32[N] { y[n] = 2 * x[n] }";
    row("unknown", twice, "z", Reason::unknown_input, "z");
    row("integers", "op f(x: f32[N], k: i32[N]) -> y: f32[N] { y[n] = k[n] * x[n] }", "k", Reason::whole_input, "k");
    row("no reals", "op f(k: i32[N]) -> y: f32[N] { y[n] = k[n] }", "", Reason::no_input, "");
    row("no result", "op f(x: f32[N]) -> y: i64 { y = argmax(n) x[n] }", "", Reason::no_output, "");
    row("recurrence", "op f(x: f32[T]) -> y: f32[T] { y[t] = 0.5 * pad(y[t - 1], 0) + x[t] }", "", Reason::recurrence,
        "y");
    row("scatter", "op f(t: f32[V, D], k: i32[N] in 0..V) -> y: f32[N, D] { y[n, d] = t[k[n], d] }", "",
        Reason::scatter, "y");
    row("argmax", "op f(x: f32[N]) -> y: f32 { a = argmax(n) x[n] y = a * 0.5 }", "", Reason::argmax, "a");
    row("product", "op f(x: f32[N]) -> y: f32 { y = prod(n) x[n] }", "", Reason::product, "y");
    row("cast", "op f(x: f32[N]) -> y: f32[N] { y[n] = f32(i32(x[n])) }", "", Reason::rounding, "y");
  }
  void whatHasNoGradientIsRefused() {
    QFETCH(QString, text);
    QFETCH(QString, by);
    QFETCH(int, reason);
    QFETCH(QString, tensor);
    const Spec spec = spec_from(text.toStdString());
    const Gradient out = gradient_of(spec, by.isEmpty() ? std::vector<std::string>() : std::vector{by.toStdString()});
    const auto* no = std::get_if<NoGradient>(&out);
    QVERIFY(no);
    QCOMPARE(static_cast<int>(no->reason), reason);
    QCOMPARE(QString::fromStdString(no->tensor), tensor);
    QVERIFY(QString::fromStdString(explain(*no, spec)).contains(tensor));
  }

  void whatIsReadAtKnownPositionsIsNoScatter() {
    const Spec backward =
        derived(spec_from("op f(x: f32[N, C], k: i32[N] in 0..C) -> y: f32[N] { y[n] = x[n, k[n]] }"));
    QCOMPARE(*evaluate_on(backward, {{{"N", 2}, {"C", 3}}, {}}, {{2, 0}, {5, 7}}),
             (std::vector<double>{0, 0, 5, 7, 0, 0}));
  }

  void indexArithmeticIsInverted_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("window") << "op f(x: f64[N + K - 1], w: f64[K]) -> y: f64[N] { y[n] = sum(k) x[n + k] * w[k] }";
    QTest::newRow("reversed") << "op f(x: f64[N]) -> y: f64[N] { y[n] = x[N - 1 - n]^3 }";
    QTest::newRow("every second") << "op f(x: f64[2*N]) -> y: f64[N] { y[n] = x[2*n + 1] * x[2*n] }";
    QTest::newRow("dilated") << "op f(x: f64[N], w: f64[K]) -> y: f64[N] { y[n] = sum(k) pad(x[n - 2*k], 0) * w[k] }";
    QTest::newRow("radix") << "op f(x: f64[A*B*C]) -> y: f64[C, A, B] { y[c, a, b] = sin(x[(a*B + b)*C + c]) }";
    QTest::newRow("flattened") << "op f(x: f64[A, B]) -> y: f64[A*B] { y[i] = x[i / B, i % B]^2 }";
    QTest::newRow("repeated") << "op f(x: f64[N]) -> y: f64[3*N] { y[i] = x[i % N] * i }";
    QTest::newRow("rotated") << "op f(x: f64[N]) -> y: f64[N] { y[i] = x[(i + 2) % N] * i }";
    QTest::newRow("rotated back") << "op f(x: f64[N]) -> y: f64[N] { y[i] = x[(2 - i) % N] * i }";
    QTest::newRow("diagonal") << "op f(x: f64[N, N]) -> y: f64[N] { y[i] = x[i, i] * x[i, 0] }";
    QTest::newRow("one element") << "op f(x: f64[N]) -> y: f64[N] { y[i] = x[0] * x[i] }";
    QTest::newRow("triangle") << "op f(x: f64[N, N]) -> y: f64[N] { y[i] = sum(j in i..N) x[i, j] * x[j, i] }";
    QTest::newRow("padding") << "op f(x: f64[N], e: f64) -> y: f64[N] { y[i] = pad(x[i - 1], e) * pad(x[i + 2], e) }";
    QTest::newRow("same index twice") << "op f(x: f64[N]) -> y: f64 { y = (sum(n) x[n]) * (sum(n) x[n]^2) }";
    QTest::newRow("inner sum") << "op f(x: f64[R, C]) -> y: f64[R] { y[r] = log(1 + (sum(c) x[r, c])^2) }";
    QTest::newRow("guarded sum") << "op f(x: f64[R, C]) -> y: f64[R] "
                                    "{ y[r] = if(r + 1 < R, exp(sum(c) x[r + 1, c]), x[r, 0]) }";
    QTest::newRow("sum of a sum")
        << "op f(x: f64[N]) -> y: f64[N] { y[i] = sum(j in 0..i + 1) exp(sum(k in 0..j) x[k]) }";
    QTest::newRow("conditions") << "op f(x: f64[R, C]) -> y: f64[R] { y[r] = sum(c : (c + r) % 2 == 0) x[r, c]^2 }";
    QTest::newRow("max of products") << "op f(a: f64[M, K], b: f64[K, N]) -> y: f64[M, N] "
                                        "{ y[m, n] = 1 + max(k) (a[m, k] + b[k, n]) * 2 }";
    QTest::newRow("powers") << "op f(x: f64[N] in 0.5..2.0, p: f64[N]) -> y: f64[N] "
                               "{ y[n] = x[n]^p[n] + x[n]^0.5 + x[n]^(-2) + atan2(x[n], p[n]) }";
    QTest::newRow("functions") << "op f(x: f64[N] in 0.2..0.9) -> y: f64[N] { y[n] = exp2(x[n]) + expm1(x[n]) * "
                                  "log2(x[n]) + log10(x[n]) / log1p(x[n]) + sqrt(x[n]) * tan(x[n]) + rsqrt(x[n]) + "
                                  "atan(x[n]) * sinh(x[n]) - cosh(x[n]) * erf(x[n]) + cos(x[n]) * sin(x[n]) }";
    QTest::newRow("names") << "op f(x: f64[N], dy: f64[N]) -> y: f64[N], dx: f64[N] "
                              "{ y[n] = x[n] * dy[n] dx[n] = x[n]^2 * y[n] }";
    QTest::newRow("results that are read")
        << "op f(x: f64[N]) -> y: f64[N], z: f64 { y[n] = x[n]^2 z = sum(n) y[n]^2 }";
  }
  void indexArithmeticIsInverted() {
    QFETCH(QString, text);
    const Spec spec = spec_from(text.toStdString());
    const Tried t = tried(spec, 4, 8e6);
    QVERIFY2(!t.refused, t.refused ? explain(*t.refused, spec).c_str() : "");
    QVERIFY2(t.wrong.empty(), (t.wrong + "\n" + print(derived(spec))).c_str());
    QVERIFY(t.compared >= 5);
  }

  void whatIsNotNeededIsLeftOut() {
    QCOMPARE(QString::fromStdString(print(derived(op("transpose")))),
             "op transpose_backward(dy: f32[C, R]) -> dx: f32[R, C]\n  default C = 1024, R = 512\n{\n  dx[r, c] = "
             "dy[c, r]\n}\n");
    const Spec weights = derived(op("layernorm"), {"beta"});
    QCOMPARE(static_cast<int>(weights.inputs.size()), 1);
    QVERIFY(weights.constants.empty());
    QCOMPARE(static_cast<int>(weights.equations.size()), 1);
    // The maximum that keeps a softmax in range adds nothing.
    QVERIFY(print(derived(op("softmax"))).find("ties") == std::string::npos);
    const Spec sized = derived(spec_from("op f(a: f32[N], b: f32[M]) -> y: f32[M] { y[m] = b[m] * N }"), {"b"});
    QVERIFY(sized.inputs.size() == 2);
  }
};

QTEST_GUILESS_MAIN(GradientTest)
#include "gradient_test.moc"
