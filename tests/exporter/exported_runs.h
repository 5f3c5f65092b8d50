// SPDX-License-Identifier: Apache-2.0
// Runs of the command line in a folder of a test's own, and their candidates' plans beside those that exported projects
// work out.
#pragma once
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>
#include "base/described_json.h"
#include "candidate/candidate.h"
#include "device/entries.h"
#include "evidence/long_tensors.h"
#include "exporter/package.h"
#include "op/parse.h"
#include "store/workspace.h"
#include "support/cli_call.h"

namespace ww::testing {

template <class T>
T must(Result<T> r) {
  if (!r) qFatal("%s", r.error().text().c_str());
  return std::move(*r);
}

class ExportedRuns {
 protected:
  QTemporaryDir dir_;

  QProcessEnvironment environment() const {
    return environment_with({{"WARPWRIGHT_WORKER", REAL_WORKER},
                             {"WARPWRIGHT_PLUGINS", CLI_PLUGINS},
                             {"WARPWRIGHT_WORKSPACE", dir_.filePath("workspace")},
                             {"WARPWRIGHT_CACHE", dir_.filePath("cache")},
                             {"WARPWRIGHT_CONFIG", dir_.filePath("config")}});
  }
  Outcome call(const QStringList& arguments) { return call_cli(CLI_PROGRAM, arguments, environment()); }
  Outcome python(const QStringList& arguments) {
    return call_cli("python3", QStringList{"-B"} + arguments, environment());
  }
  std::unique_ptr<store::Workspace> workspace() {
    return must(store::Workspace::open(dir_.filePath("workspace").toStdString()));
  }
  // The accepted candidates of a run over `what`.
  std::vector<store::CandidateRecord> explored(const QStringList& what) {
    const Outcome o = call(QStringList{"explore"} + what + QStringList{"--workers", "1", "--json"});
    if (o.exit != 0) qWarning("%s", o.err.constData());
    std::vector<store::CandidateRecord> out;
    const auto w = workspace();
    const std::int64_t run = must(w->runs()).front().id;
    for (const store::CandidateRecord& c : must(w->candidates(run)))
      if (c.state == store::CandidateState::accepted) out.push_back(must(w->candidate(c.id)));
    return out;
  }
  // The first of the folder's files that is empty, has an open place of a template, or is no Python; empty: none.
  QString broken_file(const QString& folder, const QStringList& files) {
    for (const QString& name : files) {
      const QString file = folder + "/" + name;
      const QByteArray text = read_file(file);
      if (text.isEmpty() || text.contains("{{")) return name + " is empty or has an open place";
      if (!name.endsWith(".py")) continue;
      const Outcome o = python({"-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", file});
      if (o.exit != 0) return name + ": " + o.err;
    }
    return {};
  }
  static QStringList files_of(const Outcome& made) {
    QStringList files;
    for (const QJsonValue& v : made.json()["files"].toArray()) files.push_back(v.toString());
    return files;
  }
  static op::Binding changed(const op::Spec& spec, int by) {
    op::Binding b;
    for (const std::string& s : spec.symbols) b.symbols[s] = std::max<std::int64_t>(1, spec.defaults.at(s) + by);
    return b;
  }

  // Whether the verdict holds for tensors of these lengths.
  static bool held(const store::CandidateRecord& c, const op::Spec& spec, const op::Binding& binding) {
    const auto most = evidence::most_elements(c.verdict->proof.long_tensors);
    for (const auto* list : {&spec.inputs, &spec.outputs})
      for (const op::Param& p : *list)
        if (most && op::element_count(must(op::shape_of(spec, p, binding))) > *most) return false;
    return true;
  }

  // Whether `answer`, of an exported project, has what the engine plans. `same_tensor(got, wanted)` compares names.
  template <class Same>
  static void compare_plan(const QJsonObject& answer, const store::CandidateRecord& c, const op::Spec& spec,
                           const op::Binding& binding, const Same& same_tensor) {
    const candidate::Candidate parsed = must(candidate::parse(c.text, c.language));
    const auto entries = must(device::read_entries(c.verdict->ptx));
    const auto tuning = candidate::first_tuning(parsed);
    if (!held(c, spec, binding)) {
      QVERIFY(!answer["claimed"].toBool());
      return;
    }
    QCOMPARE(answer["claimed"].toBool(), must(candidate::claims(parsed, spec, binding, tuning)));
    const auto plan = candidate::plan(parsed, spec, binding, tuning);
    if (!plan) return;  // larger than a device may be
    const QJsonArray launches = answer["launches"].toArray();
    QCOMPARE(launches.size(), qsizetype(plan->launches.size()));
    for (qsizetype i = 0; i < launches.size(); ++i) {
      const candidate::PlannedLaunch& wanted = plan->launches[static_cast<std::size_t>(i)];
      const QJsonObject got = launches[i].toObject();
      for (int axis = 0; axis < 3; ++axis) {
        const auto at = static_cast<std::size_t>(axis);
        QCOMPARE(got["grid"][axis].toInteger(), qint64(wanted.grid[at]));
        QCOMPARE(got["block"][axis].toInteger(), qint64(wanted.block[at]));
        QCOMPARE(got["cluster"][axis].toInteger(), qint64(wanted.cluster[at]));
      }
      QCOMPARE(got["shared"].toInteger(), qint64(wanted.shared_bytes));
      QCOMPARE(got["carveout"].toInteger(), qint64(wanted.carveout));
      const auto entry =
          std::find_if(entries.begin(), entries.end(), [&](const device::Entry& e) { return e.name == wanted.kernel; });
      QVERIFY(entry != entries.end());
      const auto block = must(device::marshal(wanted, entry->parameters, entry->bytes));
      const QJsonArray passed = got["arguments"].toArray();
      QCOMPARE(passed.size(), qsizetype(entry->parameters.size()));
      for (qsizetype a = 0; a < passed.size(); ++a) {
        const device::Parameter& p = entry->parameters[static_cast<std::size_t>(a)];
        if (passed[a].isString()) {
          same_tensor(passed[a].toString().toStdString(), wanted.args[static_cast<std::size_t>(a)].tensor);
          continue;
        }
        QCOMPARE(passed[a].toArray().size(), qsizetype(p.size));
        for (std::size_t b = 0; b < p.size; ++b)
          QCOMPARE(passed[a][qsizetype(b)].toInt(), std::to_integer<int>(block[p.offset + b]));
      }
    }
  }
};

}  // namespace ww::testing
