// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace of recorded runs and measurements (fixtures/ say where), and a panel of the profiler on it.
#pragma once
#include <QFile>
#include <QMainWindow>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QUndoStack>
#include <QtTest>
#include <nlohmann/json.hpp>
#include "evidence/verdict_json.h"
#include "generator/run_options.h"
#include "identity/titles.h"
#include "session/actions/registry.h"
#include "session/models/candidate_model.h"
#include "session/profile_loader.h"
#include "session/selection.h"
#include "session/services.h"
#include "session/session.h"

namespace ww::test::profiles {

using namespace ww::widgets;

inline QByteArray fixture(const char* name) {
  QFile file(QStringLiteral(WW_SOURCE_DIR "/tests/widgets/fixtures/") + name);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Runs, candidates and measurements of a small workspace; ids as the store gave them.
struct World {
  QTemporaryDir folder;
  std::vector<std::int64_t> gpu, simt;  // candidates judged on an H200, on the SIMT machine
  std::int64_t gpu_run = 0, simt_run = 0, queued = 0;
  bool make() {
    auto opened = store::Workspace::open(folder.path().toStdString());
    if (!opened) return false;
    store::Workspace& w = **opened;
    const auto j = nlohmann::ordered_json::parse(fixture("relu_verdicts.json").toStdString(), nullptr, false);
    if (j.is_discarded()) return false;
    const auto op = w.add_op("relu", j["op"]["text"], "");
    for (const auto& run : j["runs"]) {
      generator::RunOptions options;
      options.spec = j["op"]["text"];
      options.device = run["device"];
      options.architecture = run["architecture"];
      if (options.device != "simt") options.binding.symbols = {{"R", 8192}, {"C", 8192}};
      store::RunRecord record;
      record.op = *op;
      record.generator = "manual";
      record.device = options.device;
      record.architecture = options.architecture;
      record.options = generator::options_to_json(options);
      const auto id = w.add_run(record);
      (options.device == "simt" ? simt_run : gpu_run) = *id;
      for (const auto& c : run["candidates"]) {
        store::CandidateRecord candidate;
        candidate.run = *id;
        candidate.hash = c["hash"];
        candidate.title = c["title"];
        candidate.structure = c["structure"];
        candidate.text = c["text"];
        candidate.language = candidate::Language::cuda;
        if (const auto parsed = candidate::parse(candidate.text, candidate.language))
          candidate.tuning = identity::tuning_of(*parsed);
        candidate.generator = "manual";
        const auto added = w.add_candidate(candidate);
        const auto verdict = evidence::verdict_from_json(c["verdict"].dump());
        if (!added || !verdict) return false;
        if (!w.set_verdict(*added, *verdict, c["score"].get<double>(),
                           enum_or_unknown<Provenance>(c["provenance"].get<std::string>()), c["unit"]))
          return false;
        (options.device == "simt" ? simt : gpu).push_back(*added);
      }
    }
    // Measured by the command line, never judged.
    store::CandidateRecord measured;
    measured.run = gpu_run;
    measured.text =
        "//@ candidate relu\n//@ tune BLOCK = 256\n//@ launch relu grid(ceildiv(R*C, BLOCK)) block(BLOCK) args(x, y, "
        "R*C)\n"
        "extern \"C\" __global__ void relu(const float* x, float* y, int n) {\n  const int i = blockIdx.x * blockDim.x "
        "+ threadIdx.x;\n  if (i < n) y[i] = fmaxf(x[i], 0.0f);\n}\n";
    measured.hash = "22bd6a340761e2269668569ff2a84a00e8b7de52701c45b43a806600bdf4cd6c";
    measured.title = "One thread per element";
    measured.language = candidate::Language::cuda;
    const auto added = w.add_candidate(measured);
    if (!added) return false;
    queued = *added;
    return true;
  }
  bool measure(const char* file, profile::MeasurementKind kind, std::int64_t candidate) {
    return add_measurement(fixture(file).toStdString(), kind, candidate);
  }
  bool add_measurement(const std::string& json, profile::MeasurementKind kind, std::int64_t candidate) {
    auto opened = store::Workspace::open(folder.path().toStdString());
    if (!opened) return false;
    store::MeasurementRecord record;
    record.op = 1;
    record.candidate = candidate;
    record.kind = kind;
    record.device = "cuda:0";
    record.gpu = "NVIDIA H200";
    record.driver = "580.159.04";
    record.json = json;
    return (*opened)->add_measurement(record).has_value();
  }
};

// Panels with what a window gives them.
template <class Panel>
struct Bench {
  explicit Bench(const World& world, QSize size = {660, 400})
      : session(services), loader(services.profile, &session, &selection), registry(&window) {
    context = {services, &session, &selection, &candidates, &registry, &undo, nullptr, &loader};
    panel = new Panel(context);
    window.setCentralWidget(panel);
    window.resize(size);
    window.show();
    session.open_workspace(world.folder.path());
  }
  bool show(std::int64_t run, std::int64_t candidate, const QList<std::int64_t>& compared = {}) {
    if (!QTest::qWaitFor([&] { return session.ready(); }, 20000)) return false;
    session.show_run(run);
    selection.set_current(candidate);
    selection.set_places(compared);
    return QTest::qWaitFor(
        [&] {
          return !loader.busy() && static_cast<qsizetype>(panel->profiles().size()) == 1 + compared.size() &&
                 panel->profiles().front()->record.id == candidate;
        },
        20000);
  }
  QStringList column(int c) {
    panel->show_table(true);
    QStringList cells;
    auto* table = panel->template findChild<QTableWidget*>();
    for (int row = 0; row < table->rowCount(); ++row) cells.append(table->item(row, c)->text());
    return cells;
  }
  template <class W>
  W* child(const char* name) {
    return panel->template findChild<W*>(name);
  }
  Services services;
  Session session;
  Selection selection;
  ProfileLoader loader;
  QMainWindow window;
  Registry registry;
  QUndoStack undo;
  CandidateModel candidates;
  Context context;
  Panel* panel;
};

inline void picture(QWidget& w, const QString& name) {  // for a person who looks: only where a folder is named
  const QString folder = qEnvironmentVariable("WARPWRIGHT_PICTURES");
  if (folder.isEmpty()) return;
  QTest::qWait(50);
  w.grab().save(folder + "/" + name + ".png");
}

}  // namespace ww::test::profiles
