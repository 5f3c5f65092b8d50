// SPDX-License-Identifier: Apache-2.0
// Packages with a backward: which candidates may be one, what is written, and what is offered where there is none.
#include <QDir>
#include "exporter/backward.h"
#include "exporter/backward_choice.h"
#include "exporter/exported_runs.h"

using namespace ww;
using namespace ww::testing;
using exporter::NotBackward;

namespace {

const char* const scale =
    "op scale(x: f32[N], w: f32; k = 2.0) -> y: f32[N]\n  default N = 8\n{\n  y[i] = k * x[i] * w\n}\n";
const char* const scale_backward =
    "op scale_backward(x: f32[N], w: f32, dy: f32[N]; k = 2.0) -> dx: f32[N], dw: f32\n  default N = 8\n{\n"
    "  dx[i] = dy[i] * w * k\n  dw = sum(i) dy[i] * (k * x[i])\n}\n";

// The derived spec with `from` replaced.
QString derived_with(const char* from, const char* to) {
  const op::Gradient gradient = op::gradient_of(must(op::parse_spec(scale)));
  const QString text = QString::fromStdString(op::print(std::get<op::Backward>(gradient).spec));
  if (!text.contains(from)) qFatal("'%s' is not in\n%s", from, qPrintable(text));
  return QString(text).replace(from, to);
}

}  // namespace

class BackwardTest : public QObject, ExportedRuns {
  Q_OBJECT

  static void compare_refusal(const std::string& forward, const QString& backward, NotBackward::Reason reason,
                              const char* says) {
    const auto fit =
        exporter::fit_backward({must(op::parse_spec(forward)), {}}, {must(op::parse_spec(backward.toStdString())), {}});
    const auto* no = std::get_if<NotBackward>(&fit);
    QVERIFY(no);
    QCOMPARE(no->reason, reason);
    QVERIFY2(exporter::explain(*no).find(says) != std::string::npos, exporter::explain(*no).c_str());
  }

 private slots:
  void initTestCase() {
    QVERIFY(dir_.isValid());
    qputenv("WARPWRIGHT_CONFIG", dir_.filePath("config").toUtf8());
  }

  void theDerivedSpecFits() {
    const exporter::Asked forward{must(op::parse_spec(scale)), {}};
    for (const auto& [from, to] : {std::pair{"op scale_backward", "op scale_backward"},
                                   {"op scale_backward", "op other"},
                                   {"default N = 8", "default N = 100"}}) {
      const auto fit =
          exporter::fit_backward(forward, {must(op::parse_spec(derived_with(from, to).toStdString())), {}});
      const auto* backward = std::get_if<op::Backward>(&fit);
      QVERIFY2(backward, to);
      QCOMPARE(backward->incoming, (std::map<std::string, std::string>{{"y", "dy"}}));
      QCOMPARE(backward->outgoing, (std::map<std::string, std::string>{{"x", "dx"}, {"w", "dw"}}));
    }
  }

  void theGradientsOfSomeInputsFit() {
    const op::Spec spec = must(op::parse_spec(scale));
    const op::Gradient of_w = op::gradient_of(spec, {"w"});
    const auto fit = exporter::fit_backward({spec, {}}, {std::get<op::Backward>(of_w).spec, {}});
    QVERIFY(std::holds_alternative<op::Backward>(fit));
    QCOMPARE(std::get<op::Backward>(fit).outgoing, (std::map<std::string, std::string>{{"w", "dw"}}));
  }

  void otherSpecsAreNoBackward() {
    using Reason = NotBackward::Reason;
    compare_refusal(scale, scale, Reason::no_output, "none of the outputs dx, dw");
    compare_refusal(scale, derived_with("dy: f32[N]", "dz: f32[N]").replace("dy[", "dz["), Reason::missing_input,
                    "no input dy: f32[N]");
    compare_refusal(scale, derived_with("dy: f32[N]", "dy: f16[N]"), Reason::other_tensor,
                    "dy: f16[N] instead of dy: f32[N]");
    compare_refusal(scale, derived_with("dy: f32[N]", "dy: f32[N], z: f32"), Reason::extra_input, "input z");
    compare_refusal(scale, derived_with("dw: f32\n", "dw: f32, z: f32\n").replace("{\n", "{\n  z = w\n"),
                    Reason::extra_output, "z is not a gradient");
    compare_refusal(scale, derived_with("* w", "* w * 2"), Reason::equations, "equations");
    compare_refusal("op top(x: f32[N]) -> y: i64\n{\n  y = argmax(i) x[i]\n}\n", scale_backward, Reason::no_gradient,
                    "no output of 'top' holds reals");
  }

  void constantsMustBeTheSame() {
    const op::Spec forward = must(op::parse_spec(scale));
    const op::Spec backward = must(op::parse_spec(derived_with("op", "op").toStdString()));
    const auto fit = [&](double mine, double theirs) {
      return exporter::fit_backward({forward, {{}, {{"k", mine}}}}, {backward, {{}, {{"k", theirs}}}});
    };
    QVERIFY(std::holds_alternative<op::Backward>(fit(3, 3)));
    const auto other = fit(3, 2);
    QVERIFY(std::holds_alternative<NotBackward>(other));
    QCOMPARE(exporter::explain(std::get<NotBackward>(other)), std::string("its k is 2 instead of 3"));
  }

  // From an op without a backward to a package with one, by what the export offers.
  void aBackwardIsOfferedAndRegistered() {
    const std::vector<store::CandidateRecord> forward =
        explored({"relu", "--set", "R=10", "--set", "C=100", "--budget", "1"});
    QCOMPARE(forward.size(), std::size_t(1));
    const QString id = QString::number(forward[0].id), folder = dir_.filePath("offered");
    const Outcome offered = call({"export", id, "-o", folder, "--unsigned", "--json"});
    QVERIFY2(offered.exit == 0, offered.err);
    QCOMPARE(offered.json()["gradients"].toString(), QString("derived"));
    QVERIFY(offered.json()["backward_candidates"].toArray().isEmpty());
    QVERIFY(read_file(folder + "/README.md").contains("`backward.op` is the spec of its gradients"));
    QStringList what;
    for (const QJsonValue& v : offered.json()["explore_backward"].toArray()) what += v.toString();
    QVERIFY2(what.contains("R=10") && what.contains("C=100"), qPrintable(what.join(' ')));
    const std::vector<store::CandidateRecord> backward = explored(what.mid(1) + QStringList{"--budget", "1"});
    QCOMPARE(backward.size(), std::size_t(1));

    const op::Library library = must(op::Library::load(WW_SOURCE_DIR "/resources/ops"));
    const exporter::BackwardChoice choice = must(exporter::backward_choice(*workspace(), library, forward[0]));
    QCOMPARE(choice.candidates.size(), std::size_t(1));
    QCOMPARE(choice.candidates[0].id, backward[0].id);
    QVERIFY(!choice.candidates[0].is_signed);
    const Outcome named = call({"export", id, "-o", dir_.filePath("named"), "--unsigned", "--json"});
    QCOMPARE(named.json()["backward_candidates"].toArray(), (QJsonArray{qint64(backward[0].id)}));
    const QString by = QString::number(backward[0].id), whole = dir_.filePath("registered");
    const Outcome made = call({"export", id, "--backward", by, "-o", whole, "--unsigned", "--json"});
    QVERIFY2(made.exit == 0, made.err);
    QCOMPARE(made.json()["gradients"].toString(), QString("registered"));
    QVERIFY(made.json()["explore_backward"].toArray().isEmpty());
    const QJsonObject plan = QJsonDocument::fromJson(read_file(whole + "/ww_relu/backward/plan.json")).object();
    QCOMPARE(plan["gradient_inputs"].toObject(), (QJsonObject{{"y", "dy"}}));
    QCOMPARE(plan["gradient_outputs"].toObject(), (QJsonObject{{"x", "dx"}}));
    QCOMPARE(read_file(whole + "/ww_relu/backward/kernel.ptx").toStdString(), backward[0].verdict->ptx);
    const QByteArray readme = read_file(whole + "/README.md");
    QVERIFY2(readme.contains("Autograd is registered") && readme.contains("proof of the backward covers"), readme);
    QVERIFY(!QFile::exists(whole + "/backward.op"));
    QCOMPARE(broken_file(whole, {"ww_relu/__init__.py", "ww_relu/custom_op.py", "test_kernel.py"}), QString());
    const Outcome kernels =
        call({"export", id, "--as", "kernels", "--backward", by, "-o", dir_.filePath("kernels"), "--unsigned"});
    QVERIFY2(kernels.exit == 0, kernels.err);
    QVERIFY(QFile::exists(dir_.filePath("kernels/build/torch-universal/backward/plan.json")));

    const Outcome wrong = call({"export", id, "--backward", id, "-o", dir_.filePath("wrong"), "--unsigned"});
    QCOMPARE(wrong.exit, 2);
    QVERIFY2(wrong.err.contains("is not a backward of candidate " + id.toUtf8() + ": its spec has none of the outputs"),
             wrong.err);
    const Outcome kind =
        call({"export", id, "--as", "cupy", "--backward", by, "-o", dir_.filePath("wrong"), "--unsigned"});
    QCOMPARE(kind.exit, 2);
    QVERIFY2(kind.err.contains("only the forms torch and kernels take a backward"), kind.err);
    const Outcome not_signed = call({"export", id, "--backward", by, "-o", dir_.filePath("wrong")});
    QCOMPARE(not_signed.exit, 2);
    QVERIFY2(not_signed.err.contains("is not signed"), not_signed.err);
    QVERIFY(!QDir(dir_.filePath("wrong")).exists());
  }

  void theWayToABackwardIsNamed() {
    exporter::BackwardChoice choice{.op = "relu", .spec = must(op::parse_spec(scale)), .library_op = "relu"};
    choice.settings = {"--set", "R=10"};
    const std::string of_library = exporter::no_candidate_text(choice, "/tmp/w");
    QVERIFY2(of_library.find("'warpwright-cli spec relu --gradient -o relu_backward.op'") != std::string::npos &&
                 of_library.find("explore relu_backward.op --set R=10 --workspace /tmp/w'") != std::string::npos,
             of_library.c_str());
    choice.library_op.clear();
    const std::string own = exporter::no_candidate_text(choice, "/tmp/w");
    QVERIFY2(own.find("spec FILE.op --gradient") != std::string::npos, own.c_str());
    choice.spec.reset();
    choice.no_gradient = "no output of 'top' holds reals";
    QCOMPARE(exporter::no_candidate_text(choice, "/tmp/w"),
             std::string("There is no backward: no output of 'top' holds reals."));
  }

  // The backward of a candidate for other constants has them, too.
  void theOfferedBackwardHasTheConstants() {
    const std::vector<store::CandidateRecord> list =
        explored({"selu", "--set", "R=8", "--set", "C=16", "--set", "alpha=2", "--budget", "1"});
    QCOMPARE(list.size(), std::size_t(1));
    const Outcome o =
        call({"export", QString::number(list[0].id), "-o", dir_.filePath("selu"), "--unsigned", "--json"});
    QVERIFY2(o.exit == 0, o.err);
    QVERIFY(o.json()["explore_backward"].toArray().contains("alpha=2"));
  }

  void anOpWithoutGradientsSaysWhy() {
    const std::vector<store::CandidateRecord> list =
        explored({"argmax", "--set", "R=8", "--set", "C=16", "--budget", "1"});
    QCOMPARE(list.size(), std::size_t(1));
    const QString folder = dir_.filePath("argmax");
    const Outcome o = call({"export", QString::number(list[0].id), "-o", folder, "--unsigned", "--json"});
    QVERIFY2(o.exit == 0, o.err);
    QCOMPARE(o.json()["gradients"].toString(), QString("refused"));
    QVERIFY(o.json()["no_gradient"].toString().contains("holds reals"));
    QVERIFY(read_file(folder + "/README.md").contains("none can be derived"));
    QVERIFY(!QFile::exists(folder + "/backward.op"));
  }
};

QTEST_GUILESS_MAIN(BackwardTest)
#include "backward_test.moc"
