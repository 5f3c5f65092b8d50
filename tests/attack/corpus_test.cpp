// SPDX-License-Identifier: Apache-2.0
// The hostile candidates, plans, PTX and op specs of hostile/, each on the way that any other takes: the parser, a real
// worker, what this process makes of the reply. None is accepted, none ends this process or takes 2 GB of it, each has
// an answer in words, and no file is touched. ctest runs each fifth case; with WARPWRIGHT_ATTACK=TABLE all of them run,
// with a line for each (seconds, MB of this process and of the worker) in the file TABLE.
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include "../explore/script.h"
#include "attack/hostile_cases.h"
#include "base/utf8.h"
#include "evidence/explain.h"
#include "evidence/verdict_json.h"
#include "identity/program.h"
#include "identity/structure.h"
#include "op/evaluate.h"
#include "rpc/supervisor.h"
#include "search/tuner.h"
#include "support/memory_peak.h"

using namespace ww;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr const char* secret = "tulip-4711-canary";
constexpr double most_of_this_process = 2048;  // MB

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

class CorpusTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  std::string canary_;
  std::unique_ptr<rpc::Supervisor> worker_;
  std::ofstream table_;
  struct Worst {
    int cases = 0;
    double seconds = 0, own = 0, worker = 0;
    std::string slowest, largest;
  };
  std::map<std::string, Worst> worst_;

  static std::vector<attack::Case> read(const std::string& kind) {
    return attack::cases_of(fs::path(WW_SOURCE_DIR) / "tests/attack/hostile" / (kind + ".txt"));
  }
  void rows(const std::vector<std::string>& kinds) const {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("number");
    for (const std::string& kind : kinds) {
      const std::vector<attack::Case> all = read(kind);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (table_.is_open() || (!all[i].slow && i % 5 == 0))
          QTest::addRow("%s: %s", kind.c_str(), all[i].name.c_str())
              << QString::fromStdString(kind) << static_cast<int>(i);
    }
  }

  // An answer in words: what a person reads of it, and nothing of a file.
  static bool clear(const std::string& text) {
    return !text.empty() && text.size() < 4096 && !bad_utf8(text) && text.find("std::") == text.npos &&
           text.find("bad_alloc") == text.npos && text.find(secret) == text.npos;
  }
  void tell(const std::string& kind, const std::string& name, const std::string& outcome, const std::string& words,
            double seconds, const support::MemoryPeak& peak) {
    Worst& w = worst_[kind];
    ++w.cases;
    if (seconds > w.seconds) w.seconds = seconds, w.slowest = name;
    if (peak.own_mb() > w.own) w.own = peak.own_mb(), w.largest = name;
    w.worker = std::max(w.worker, peak.worker_mb());
    if (!table_.is_open()) return;
    std::string line = words.substr(0, 160);
    std::replace(line.begin(), line.end(), '\n', ' ');
    table_ << kind << '\t' << name << '\t' << outcome << '\t' << std::fixed << std::setprecision(2) << seconds << '\t'
           << std::setprecision(0) << peak.own_mb() << '\t' << peak.worker_mb() << '\t' << line << std::endl;
    QVERIFY2(peak.own_mb() < most_of_this_process, name.c_str());
  }

 private slots:
  void initTestCase() {
    QVERIFY(dir_.isValid());
    if (const QByteArray table = qgetenv("WARPWRIGHT_ATTACK"); !table.isEmpty()) table_.open(table.toStdString());
    canary_ = dir_.filePath("canary.h").toStdString();
    std::ofstream(canary_) << "#define CANARY \"" << secret << "\"\n" << secret << "\n";
    QDir(dir_.path()).mkdir("here");
    QVERIFY(QDir::setCurrent(dir_.filePath("here")));
    rpc::WorkerOptions o;
    o.program = fs::path(WW_BINARY_DIR) / "bin/warpwright-worker";
    o.compile_cache = dir_.filePath("cache").toStdString();
    o.threads = 2;
    worker_ = std::make_unique<rpc::Supervisor>(o);
    const Status warm = worker_->warm_up();
    QVERIFY2(warm, warm ? "" : warm.error().text().c_str());
    rpc::GateRequest honest;
    honest.spec = script::spec;
    honest.candidate =
        "//@ candidate scale\n//@ launch k grid(1) block(64) args(x, y, N)\nextern \"C\" __global__ void k(const "
        "float* "
        "x, float* y, int n) { for (int i = threadIdx.x; i < n; i += 64) y[i] = 2 * x[i]; }\n";
    const auto v = worker_->gate(honest);
    QVERIFY2(v, v ? "" : v.error().text().c_str());
    QVERIFY2(v->accepted, v->summary().c_str());
  }
  void thereAreEnough() {
    std::size_t all = 0;
    for (const char* kind : {"candidates", "plans", "ptx", "specs"}) all += read(kind).size();
    QVERIFY2(all >= 400, std::to_string(all).c_str());
  }

  void kernelsAreContained_data() { rows({"candidates", "plans", "ptx"}); }
  void kernelsAreContained() {
    QFETCH(QString, kind);
    QFETCH(int, number);
    const attack::Case one = read(kind.toStdString()).at(static_cast<std::size_t>(number));
    rpc::GateRequest request;
    request.spec = script::spec;
    request.candidate = attack::text_of(one, canary_);
    request.language = kind == "ptx" ? candidate::Language::ptx : candidate::Language::cuda;
    request.deadline = table_.is_open() ? 20s : 5s;
    const int before = worker_->started();
    const support::MemoryPeak peak([this] { return worker_->process_id(); });
    const Clock::time_point begin = Clock::now();
    // As every command that takes a file begins.
    const auto parsed = candidate::parse(request.candidate, request.language);
    QVERIFY2(parsed || clear(parsed.error().message), parsed ? "" : parsed.error().text().c_str());
    const auto v = worker_->gate(request);
    QVERIFY2(v, v ? "" : v.error().text().c_str());
    QVERIFY2(!v->accepted, request.candidate.substr(0, 400).c_str());
    QVERIFY2(clear(v->summary()), v->summary().c_str());
    // What a run makes of it.
    const std::string stored = evidence::verdict_to_json(*v), failure = evidence::failure_text(*v);
    QVERIFY(stored.find(secret) == stored.npos && failure.find(secret) == failure.npos);
    QVERIFY(!bad_utf8(stored));
    (void)identity::shape_of(request.candidate, "");
    if (parsed)
      (void)identity::program_identity(*parsed, op::parse_spec(request.spec).value(), {{"default", {}}}, v->ptx);
    const double seconds = since(begin);
    const evidence::StageResult* last = v->last_stage();
    QVERIFY(last);
    std::string outcome = enum_string(v->ruling()) + " at " + enum_string(last->stage);
    if (outcome == "rejected at contract") outcome = "refused";
    if (one.refused) QCOMPARE(outcome, std::string("refused"));
    if (worker_->started() > before) outcome += ", new worker";
    tell(kind.toStdString(), one.name, outcome, v->summary(), seconds, peak);
  }

  void specsAreContained_data() { rows({"specs"}); }
  void specsAreContained() {
    QFETCH(QString, kind);
    QFETCH(int, number);
    const attack::Case one = read(kind.toStdString()).at(static_cast<std::size_t>(number));
    const std::string text = attack::text_of(one, canary_);
    const support::MemoryPeak peak([this] { return worker_->process_id(); });
    const Clock::time_point begin = Clock::now();
    const op::ParseOutcome parsed = op::parse(text);
    if (!parsed) {
      QVERIFY(!parsed.diagnostics.empty());
      for (const Diagnostic& d : parsed.diagnostics) QVERIFY2(clear(d.message), d.message.c_str());
      (void)render_all(parsed.diagnostics, text);
      return tell("specs", one.name, "refused", parsed.diagnostics.front().message, since(begin), peak);
    }
    QVERIFY(!one.refused);
    std::string outcome = "read", words = "an example";
    const auto example = op::worked_example(*parsed.spec);
    if (!example) words = example.error().message;
    QVERIFY2(example || clear(words), words.c_str());
    (void)op::work_of(*parsed.spec, {});
    // The search, as `explore` asks it, with a person who waits for two seconds.
    rpc::GateRequest request;
    std::stop_source stop;
    const support::Alarm patience(2s, [&] { stop.request_stop(); });
    auto tuner = search::Tuner::make(*parsed.spec, {}, stop.get_token());
    if (tuner) {
      const auto offers = tuner->next({}, 2, stop.get_token());
      if (!offers.empty()) request.candidate = offers.front().text;
      outcome += ", " + std::to_string(tuner->structures()) + " structures";
    } else {
      outcome += ", no search";
      words = tuner.error().message;
      QVERIFY2(clear(words), words.c_str());
    }
    if (request.candidate.empty()) {
      const std::string name = parsed.spec->name, output = parsed.spec->outputs[0].name;
      request.candidate = "//@ candidate " + name + "\n//@ launch k grid(1) block(1) args(" + output +
                          ")\nextern \"C\" __global__ void k(float* y) {}\n";
    }
    request.spec = text;
    request.deadline = table_.is_open() ? 20s : 5s;
    const auto v = worker_->gate(request);
    if (v) {
      QVERIFY2(clear(v->summary()), v->summary().c_str());
      outcome += ", kernel " + enum_string(v->ruling());
      if (!v->accepted) words = v->summary();
    } else {
      QVERIFY2(v.error().code != Code::internal && clear(v.error().message), v.error().text().c_str());
      outcome += ", not judged";
      words = v.error().message;
    }
    tell("specs", one.name, outcome, words, since(begin), peak);
  }

  void noFileWasTouched() {
    QVERIFY(QDir(dir_.filePath("here")).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
    for (const QString& name : QDir(dir_.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot))
      QVERIFY2((QStringList{"here", "cache", "canary.h"}.contains(name)), qPrintable(name));
    QVERIFY(read_file(canary_).value().find(secret) != std::string::npos);
  }
  void cleanupTestCase() {
    QDir::setCurrent("/");
    for (const auto& [kind, w] : worst_)
      qInfo("%-10s %4d cases; most: %.0f MB of this process (%s), %.0f MB of a worker, %.1f s (%s)", kind.c_str(),
            w.cases, w.own, w.largest.c_str(), w.worker, w.seconds, w.slowest.c_str());
    worker_.reset();
  }
};

QTEST_GUILESS_MAIN(CorpusTest)
#include "corpus_test.moc"
