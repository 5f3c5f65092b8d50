// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/worker_facts.h"
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include "session/session.h"
#include "parts/theme/text.h"

namespace ww::widgets {

WorkerFacts read_facts(const QString& environment, const QString& device) {
  const auto tr = [](const char* text) { return WorkerFactsLoader::tr(text); };
  WorkerFacts facts;
  facts.device = device.isEmpty() ? tr("device not known") : device;
  const QJsonObject root = QJsonDocument::fromJson(environment.toUtf8()).object();
  if (root.isEmpty()) {
    facts.device_tip = tr("The worker of this run has not reported yet.");
    facts.worker = tr("worker not known");
    facts.counters = tr("counters not known");
    facts.worker_tip = facts.counters_tip = facts.device_tip;
    return facts;
  }
  for (const QJsonValue& one : root["devices"].toArray())
    if (one["name"].toString() == device) {
      const QString about = one["description"].toString();
      facts.device_tip = about + ", " + one["provenance"].toString();
      if (device != "simt" && !about.isEmpty()) facts.device = device + ", " + about.section(',', 0, 0);
    }
  int active = 0;
  QStringList tips;
  const QJsonObject protections = root["worker"]["protections"].toObject();
  for (auto it = protections.begin(); it != protections.end(); ++it) {
    const QJsonObject one = it.value().toObject();
    active += one["active"].toBool();
    tips += one["active"].toBool() ? tr("on: %1 (blocks %2)").arg(it.key(), one["effect"].toString())
                                   : tr("OFF: %1 (%2)").arg(it.key(), one["detail"].toString());
  }
  facts.worker = protections.isEmpty() ? tr("worker: protection not known")
                 : active == protections.size()
                     ? tr("worker sandboxed")
                     : tr("worker: %1 of %2 protections").arg(active).arg(protections.size());
  facts.worker_tip = tips.join('\n');
  const QJsonObject counters = root["counters"].toObject();
  const bool allowed = counters["available"].toBool();
  facts.counters = counters.isEmpty() ? tr("counters not known")
                   : allowed          ? tr("counters allowed")
                   : device == "simt" ? tr("counters simulated")
                                      : tr("no counters");
  facts.counters_tip = allowed ? tr("The GPU's counters may be read.")
                       : counters["error"].toString().isEmpty()
                           ? tr("It is unknown whether the GPU's counters may be read.")
                           : counters["error"].toString();
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
    QString environment, device;
    if (auto run = workspace->run(id)) device = qs(run->device);
    if (auto messages = workspace->messages(id))
      for (const store::MessageRecord& m : *messages)
        if (m.level == store::MessageLevel::environment) environment = qs(m.text);
    return [this, facts = read_facts(environment, device), known = !environment.isEmpty()] {
      known_ = known;
      emit loaded(facts);
    };
  });
}

}  // namespace ww::widgets
