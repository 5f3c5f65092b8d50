// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/worker_facts.h"
#include "base/device_name.h"
#include "rpc/worker_report.h"
#include "session/session.h"
#include "parts/theme/text.h"

namespace ww::widgets {

WorkerFacts read_facts(const std::string& worker, const QString& device) {
  const auto tr = [](const char* text) { return WorkerFactsLoader::tr(text); };
  WorkerFacts facts;
  const bool simt = is_simt(device.toStdString());
  facts.device = device.isEmpty() ? tr("device not known") : simt ? tr("SIMT machine on the CPU") : device;
  const std::optional<rpc::WorkerReport> report = rpc::worker_report(worker);
  if (!report) {
    facts.device_tip = tr("The worker of this run has not reported yet.");
    facts.worker = tr("worker not known");
    facts.counters = simt ? tr("counters simulated") : tr("GPU counters: not known yet");
    facts.worker_tip = facts.counters_tip = facts.device_tip;
    return facts;
  }
  for (const rpc::WorkerDevice& d : report->devices)
    if (qs(d.name) == device) {
      facts.device_tip = qs(d.description) + ", " + qs(enum_string(d.provenance));
      if (!d.gpu.empty()) facts.device = facts.device + ", " + qs(d.gpu);
    }
  qsizetype active = 0;
  QStringList tips;
  for (const Protection& p : report->protections) {
    active += p.active;
    tips += p.active ? tr("on: %1 (blocks %2)").arg(qs(p.name), qs(p.effect))
                     : tr("OFF: %1 (%2)").arg(qs(p.name), qs(p.detail));
  }
  facts.worker = tips.isEmpty()          ? tr("worker: protection not known")
                 : active == tips.size() ? tr("worker sandboxed")
                                         : tr("worker: %1 of %2 protections").arg(active).arg(tips.size());
  facts.worker_tip = tips.isEmpty() ? tr("The worker has not reported its sandbox protections.") : tips.join('\n');
  const bool allowed = report->counters && report->counters->available;
  facts.counters = simt                ? tr("counters simulated")
                   : !report->counters ? tr("GPU counters: not known yet")
                   : allowed           ? tr("GPU counters can be read")
                                       : tr("GPU counters cannot be read");
  facts.counters_tip = simt      ? tr("The SIMT machine counts what it executes; no GPU is involved.")
                       : allowed ? tr("The GPU's counters may be read.")
                       : !report->counters || report->counters->error.empty()
                           ? tr("It is unknown whether the GPU's counters may be read.")
                           : qs(report->counters->error);
  return facts;
}

WorkerFactsLoader::WorkerFactsLoader(const Context& context, QObject* parent) : QObject(parent), context_(context) {
  connect(context_.session, &Session::run_shown, this, [this](const std::shared_ptr<const RunView>& run) {
    run_ = run ? run->record.id : 0;
    known_ = false;
    load();
  });
  connect(context_.session, &Session::events, this, [this](const std::vector<explore::Event>& batch, bool shown) {
    if (!shown) return;
    bool ask = false;
    for (const explore::Event& event : batch) {
      if (const auto* started = std::get_if<explore::RunStarted>(&event)) {
        run_ = started->run;
        known_ = false;
      }
      ask |= std::holds_alternative<explore::CandidateJudged>(event);
    }
    if (ask && !known_) load();  // by then the worker has said what it is
  });
}

void WorkerFactsLoader::load() {
  const auto workspace = context_.session->workspace();
  if (!workspace || run_ == 0) {
    job_.forget();
    emit loaded({});
    return;
  }
  job_.submit([this, workspace, id = run_]() -> LatestJob::Deliver {
    const Result<store::RunRecord> run = workspace->run(id);
    const std::string worker = workspace->latest_worker(id).value_or("");
    WorkerFacts facts = read_facts(worker, run ? qs(run->device) : QString());
    if (run && run->imported && run->judged == 0) {  // nothing of it says what this machine has or may do
      facts.device = tr("recorded on %1").arg(facts.device);
      facts.worker.clear();
      facts.counters.clear();
    }
    return [this, facts = std::move(facts), known = !worker.empty()] {
      known_ = known;
      emit loaded(facts);
    };
  });
}

}  // namespace ww::widgets
