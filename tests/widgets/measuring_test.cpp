// SPDX-License-Identifier: GPL-3.0-or-later
// Measure, Profile and Compare with baselines in the window: with the engine itself where there is no GPU, and with a
// measuring service of the test's own for progress, cancelling, errors and results.
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <condition_variable>
#include "panels/candidates/candidate_actions.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/log/log_panel.h"
#include "parts/theme/theme.h"
#include "session/actions/palette.h"
#include "session/actions/registry.h"
#include "session/measurer.h"
#include "session/profile_loader.h"
#include "session/selection.h"
#include "shell/window/main_window.h"
#include "shell/window/work_status.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;

namespace {

constexpr const char* ids[] = {"candidates.measure", "candidates.profile", "candidates.baselines"};

// Answers when it is released, as told; every call keeps a time of its first candidate in the workspace, as the engine
// does.
struct HeldService {
  std::mutex mutex;
  std::condition_variable_any wake;
  bool held = false;
  std::optional<Error> error;
  std::vector<measure::NotMeasured> failed;
  std::vector<measure::Request> requests;

  void release() {
    const std::lock_guard lock(mutex);
    held = false;
    wake.notify_all();
  }
  std::size_t calls() {
    const std::lock_guard lock(mutex);
    return requests.size();
  }
  Result<measure::Done> measure(store::Workspace& workspace, const measure::Request& request,
                                const std::stop_token& stop, const measure::ProgressHandler& progress) {
    std::unique_lock lock(mutex);
    requests.push_back(request);
    progress({0.25, "round 1 of 4"});
    wake.wait(lock, stop, [this] { return !held; });
    if (stop.stop_requested()) return fail(Code::cancelled, "measuring was cancelled");
    if (error) return fail(*error);
    measure::Done done;
    done.failed = failed;
    const measure::Stored stored =
        WW_TRY(measure::stored_subject(workspace, WW_TRY(workspace.candidate(request.candidates.front()))));
    profile::Measurement m;
    m.op = stored.what.spec.name;
    m.binding = measure::full_binding(stored.what);
    m.device.emplace().gpu = "Test GPU";
    m.subjects.push_back({.name = stored.subject.label,
                          .hash = stored.subject.hash,
                          .timings = {{.subject = stored.subject.label, .samples = {{.us = 12.5}, {.us = 12.5}}}}});
    done.kept = WW_TRY(measure::keep(workspace, stored.what, {stored.subject}, m, "test"));
    return done;
  }
};

}  // namespace

class MeasuringTest : public QObject, test::WindowFixture {
  Q_OBJECT
  std::shared_ptr<HeldService> service_;

  // A window with a run of six candidates that was judged on `device`.
  std::unique_ptr<MainWindow> open(const std::string& device) {
    Services services = test::FakeEngine::services(engine_);
    if (device != "simt")
      services.measure = [service = service_](store::Workspace& w, const measure::Request& r, const std::stop_token& s,
                                              const measure::ProgressHandler& p) {
        return service->measure(w, r, s, p);
      };
    auto w = open_with(services);
    if (!QTest::qWaitFor([&] { return w->session()->ready(); }, 20000)) qFatal("no workspace");
    generator::RunOptions options;
    options.spec = test::FakeEngine::softmax();
    options.device = device;
    options.budget.candidates = 6;
    if (!w->session()->explore(options) ||
        !QTest::qWaitFor([&] { return !w->session()->running() && w->candidates()->selected() != 0; }, 20000))
      qFatal("no run");
    return w;
  }
  static QString measured(MainWindow& w, std::int64_t id) {
    CandidateModel* model = w.candidates()->model();
    return model->index(model->row_of(id), CandidateModel::Timed).data().toString();
  }

 private slots:
  void init() {
    set_up();
    service_ = std::make_shared<HeldService>();
  }
  void cleanup() {
    service_->release();
    engine_->release();
  }

  void onTheSimtMachineTheActionsSayThatTheyNeedAGpu() {
    auto w = open("simt");
    QMenu* menu = w->candidates()->findChild<CandidateActions*>()->menu();
    for (const char* id : ids) {
      QVERIFY2(!action(*w, id)->isEnabled(), id);
      QVERIFY2(action(*w, id)->statusTip().contains("needs a GPU"), qPrintable(action(*w, id)->statusTip()));
      QVERIFY2(action(*w, id)->toolTip().contains("needs a GPU"), id);
      const auto entries = menu->actions();
      const auto at = std::find_if(entries.begin(), entries.end(), [&](QAction* a) { return a->objectName() == id; });
      QVERIFY2(at != entries.end() && !(*at)->isEnabled(), id);
    }
    menu->close();
    bool listed = false;
    for (const Pick& pick : picks_of_actions(*w->actions_registry(), "Compare with baselines"))
      listed |= pick.text.contains("Compare with baselines") && !pick.enabled;
    QVERIFY(listed);
    // Asked for all the same, nothing begins.
    w->context().measurer->start(Measurer::Kind::time, {1});
    QVERIFY(!w->context().measurer->measuring());
    QVERIFY(w->log()->as_text().contains("needs a GPU"));
  }

  void resultsAreStoredAndShown() {
    auto w = open("cuda:0");
    const std::int64_t id = w->candidates()->selected();
    service_->held = true;
    QVERIFY(action(*w, "candidates.measure")->isEnabled());
    w->candidates()->table()->selectAll();
    action(*w, "candidates.measure")->trigger();
    // Progress comes while the service works; the window lives.
    auto* status = w->findChild<WorkStatus*>();
    QTRY_VERIFY(status->isVisible() && status->text() == "round 1 of 4 · less than a minute left");
    QCOMPARE(status->findChild<QProgressBar*>()->value(), 250);
    for (const char* name : ids) QVERIFY(!action(*w, name)->isEnabled());
    QVERIFY(action(*w, "run.cancel_measuring")->isEnabled());
    QVERIFY(!w->session()->explore({}));  // nothing may disturb the times
    QCOMPARE(measured(*w, id), QString("\u2014"));
    service_->release();
    QTRY_VERIFY(!w->context().measurer->measuring());
    QVERIFY(!status->isVisible());
    const measure::Request request = service_->requests.front();
    QCOMPARE(request.candidates.size(), std::size_t{6});
    QVERIFY(request.kind == profile::MeasurementKind::time && request.setup.device == "cuda:0");
    const std::int64_t first = request.candidates.front();
    QTRY_COMPARE(measured(*w, first), QString("12.5"));
    QVERIFY(!w->candidates()->table()->isColumnHidden(CandidateModel::Timed));
    QVERIFY(w->log()->as_text().contains("Measured 1 candidate on cuda:0."));
    w->candidates()->select(first);
    QTRY_VERIFY(!w->context().profiles->profiles().empty() &&
                w->context().profiles->profiles().front()->record.id == first &&
                w->context().profiles->profiles().front()->cold);
    QCOMPARE(w->context().profiles->profiles().front()->cold->median, 12.5);
    QVERIFY(action(*w, "candidates.measure")->isEnabled());
  }

  void whatWasMeasuredIsThereInTheNextWindow() {
    std::int64_t id = 0;
    {
      auto w = open("cuda:0");
      id = w->candidates()->selected();
      action(*w, "candidates.baselines")->trigger();
      QTRY_VERIFY(service_->calls() == 1 && !w->context().measurer->measuring());
      QVERIFY(service_->requests[0].kind == profile::MeasurementKind::baseline);
      w->close();  // settings are saved
    }
    auto w = WindowFixture::open();
    QTRY_VERIFY(w->session()->shown_run() != 0 && w->candidates()->model()->row_of(id) >= 0);
    QTRY_COMPARE(measured(*w, id), QString("12.5"));
  }

  void aMeasurementIsCancelled() {
    auto w = open("cuda:0");
    const std::int64_t id = w->candidates()->selected();
    service_->held = true;
    action(*w, "candidates.profile")->trigger();
    auto* status = w->findChild<WorkStatus*>();
    QTRY_VERIFY(status->isVisible());
    QTRY_COMPARE(service_->calls(), std::size_t{1});
    QVERIFY(service_->requests[0].kind == profile::MeasurementKind::counters);
    QTest::mouseClick(status->findChild<QToolButton*>("work_cancel"), Qt::LeftButton);
    QTRY_VERIFY(!w->context().measurer->measuring());
    QVERIFY(w->log()->as_text().contains("cancelled"));
    QCOMPARE(measured(*w, id), QString("\u2014"));
    QVERIFY(action(*w, "candidates.profile")->isEnabled());
  }

  void whatWentWrongIsSaid() {
    auto w = open("cuda:0");
    const std::int64_t id = w->candidates()->selected();
    service_->error = Error{Code::unavailable, "there is no CUDA device 'cuda:0'", ""};
    action(*w, "candidates.measure")->trigger();
    QTRY_VERIFY(w->log()->as_text().contains("there is no CUDA device"));
    QVERIFY(!w->context().measurer->measuring());
    service_->error.reset();
    service_->failed = {{id, "it writes out of bounds"}};
    action(*w, "candidates.measure")->trigger();
    QTRY_VERIFY(w->log()->as_text().contains(QString("#%1 was not measured: it writes out of bounds").arg(id)));
  }

  // A window that is closed while a service works does not wait for its end by itself.
  void closingCancels() {
    auto w = open("cuda:0");
    service_->held = true;
    action(*w, "candidates.measure")->trigger();
    QTRY_COMPARE(service_->calls(), std::size_t{1});
    w.reset();
    QVERIFY(service_->held);  // it was never released: the stop token ended it
  }
};

QTEST_MAIN(MeasuringTest)
#include "measuring_test.moc"
