// SPDX-License-Identifier: Apache-2.0
// Mutants of specs as plain CUDA kernels through the real worker: those that differ from their spec are rejected.
// WW_MUTANTS_ALL=N: N mutants of every op of the library, on all threads; default: a few of a few ops.
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include "base/parallel.h"
#include "gate/mutants.h"
#include "op/mutate.h"
#include "oracle/oracle.h"
#include "rpc/supervisor.h"
#include "support/library_ops.h"

using namespace ww;

namespace {

struct Kernel {
  std::string op, spec, text, change;  // change: where it differs
  op::Mutant mutant;
};

struct Tally {
  int rejected = 0, not_judged = 0, accepted = 0;
  std::vector<std::string> escaped;  // accepted, and not among the survivors of their verdict
};

std::vector<Kernel> kernels_of(const op::Spec& spec, std::size_t most) {
  std::vector<Kernel> out;
  for (op::Mutant& m : op::mutants_of(spec, most)) {
    m.spec.text = op::print(m.spec);
    const auto text = oracle::naive_candidate(m.spec);
    if (!text) continue;
    out.push_back({spec.name, spec.text, *text, m.target + ": " + m.after + " for " + m.before, std::move(m)});
  }
  return out;
}

// Whether the verdict says that no input tells the mutant apart.
bool survives(const evidence::Verdict& v, const op::Mutant& m) {
  if (!v.proof.mutants) return false;
  return std::ranges::any_of(v.proof.mutants->survivors, [&](const evidence::Survivor& s) {
    return s.target == m.target && s.before == m.before && s.after == m.after;
  });
}

}  // namespace

class MutantKernelsTest : public QObject {
  Q_OBJECT

 private slots:
  void thoseThatDifferAreRejected() {
    const int each = qEnvironmentVariableIntValue("WW_MUTANTS_ALL");
    const std::set<std::string> some = {"softmax", "leaky_relu", "cumsum", "conv1d"};
    std::vector<Kernel> kernels;
    for (const auto& file : testing::library()) {
      if (each == 0 && !some.contains(file.stem().string())) continue;
      const op::Spec spec = testing::read_spec(read_file(file).value());
      for (Kernel& k : kernels_of(spec, each > 0 ? static_cast<std::size_t>(each) : 6)) kernels.push_back(std::move(k));
    }
    QVERIFY(kernels.size() >= 12);
    Tally tally;
    std::mutex mutex;
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      rpc::WorkerOptions options;
      options.threads = 1;
      rpc::Supervisor worker(options);
      for (std::size_t i = next++; i < kernels.size(); i = next++) {
        const Kernel& k = kernels[i];
        rpc::GateRequest r;
        r.spec = k.spec;
        r.candidate = k.text;
        const auto v = worker.gate(r);
        const std::lock_guard lock(mutex);
        if (!v) {
          tally.escaped.push_back(k.op + ": " + v.error().text());
          continue;
        }
        tally.accepted += v->accepted;
        tally.not_judged += v->ruling() == evidence::Ruling::not_judged;
        tally.rejected += v->ruling() == evidence::Ruling::rejected;
        if (v->accepted && !survives(*v, k.mutant))
          tally.escaped.push_back(k.op + ": " + k.change + ", secret " + v->proof.secret);
      }
    };
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < std::max(1, each > 0 ? hardware_threads() : 1); ++i) threads.emplace_back(work);
    }
    for (const std::string& one : tally.escaped) qInfo("accepted: %s", one.c_str());
    qInfo("%zu kernels of mutants: %d rejected, %d not judged, %d accepted, of which %zu differ", kernels.size(),
          tally.rejected, tally.not_judged, tally.accepted, tally.escaped.size());
    QVERIFY(static_cast<double>(tally.escaped.size()) <=
            0.02 * (tally.rejected + static_cast<double>(tally.escaped.size())));
  }
};

QTEST_APPLESS_MAIN(MutantKernelsTest)
#include "mutants_test.moc"
