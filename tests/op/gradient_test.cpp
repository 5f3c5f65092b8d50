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
  Difference(const Spec& forward, const Spec& backward, const Binding& binding, std::uint32_t seed)
      : forward_(forward), backward_(backward), binding_(binding), random_(seed) {}

  // Empty: none. `compared` counts directions in which the op is smooth.
  std::string find(int& compared) {
    draw(random_());
    const auto slopes = gradients();
    if (!slopes) return "the derived spec cannot be evaluated: " + problem_;
    for (const Param& p : backward_.outputs) {
      const std::size_t input = input_of(p.name.substr(1));
      for (int direction = 0; direction < 5; ++direction) {
        const std::string d = along(input, direction, slopes->at(p.name), compared);
        if (!d.empty()) return p.name + ": " + d;
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
    Values values;
    for (const Param& p : backward_.inputs) {
      const auto own = std::find_if(forward_.inputs.begin(), forward_.inputs.end(),
                                    [&](const Param& x) { return x.name == p.name; });
      values.push_back(own != forward_.inputs.end() ? values_[static_cast<std::size_t>(own - forward_.inputs.begin())]
                                                    : weights_.at(p.name.substr(1)));
    }
    std::map<std::string, HostTensor> inputs;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Param& p = backward_.inputs[i];
      inputs[p.name] = host_tensor(p.dtype, *shape_of(backward_, p, binding_of_backward()), values[i]);
    }
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
  const Spec& backward_;
  Binding binding_;
  std::mt19937 random_;
  Values values_;
  std::map<std::string, std::vector<double>> weights_;
  std::string problem_;
};

std::vector<Binding> sizes_of(const Spec& spec, int count) {
  std::vector<Binding> out;
  for (int grown = 0; grown < count; ++grown) {
    Binding b = small_sizes(spec);
    for (auto& [name, size] : b.symbols) size += grown;
    if (shapes_at(spec, b) && has_elements(spec, b)) out.push_back(b);
  }
  return out;
}

constexpr double most_steps = 4e6;

struct Tried {
  std::optional<NoGradient> refused;
  std::string wrong;
  int compared = 0;
};

Tried tried(const Spec& op, const std::vector<std::string>& inputs, int sizes) {
  Tried out;
  const Spec spec = *with_dtype(op, DType::f64);
  const Gradient gradient = gradient_of(spec, inputs);
  if (const auto* no = std::get_if<NoGradient>(&gradient)) {
    out.refused = *no;
    return out;
  }
  const Spec& backward = std::get<Spec>(gradient);
  if (print(spec_from(print(backward))) != print(backward)) out.wrong = "does not print as it parses";
  std::uint32_t seed = 1;
  for (const Binding& b : sizes_of(spec, sizes)) {
    const auto forth = steps_of(spec, b);
    if (!forth || *forth > most_steps) continue;
    if (out.wrong.empty()) out.wrong = Difference(spec, backward, b, seed++).find(out.compared);
  }
  return out;
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
    return std::get<Spec>(std::move(out));
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
                             "bmm",
                             "attention",
                             "causal_attention",
                             "conv1d",
                             "conv2d",
                             "conv2d_grouped",
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
    const Tried t = tried(found->spec, {}, 3);
    QVERIFY2(!t.refused, t.refused ? explain(*t.refused, found->spec).c_str() : "");
    QVERIFY2(t.wrong.empty(), t.wrong.c_str());
    QVERIFY(t.compared > 5);
  }

  void noGradientOfTheLibraryIsWrong() {
    int derived_count = 0, compared_count = 0;
    std::map<int, int> reasons;
    std::string wrong, unprintable;
    for (const LibraryOp& one : library_.ops()) {
      const Tried t = tried(one.spec, {}, 1);
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
    for (const auto& [reason, count] : reasons) qInfo("reason %d: %d", reason, count);
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY2(unprintable.empty(), unprintable.c_str());
  }
};

QTEST_GUILESS_MAIN(GradientTest)
#include "gradient_test.moc"
