// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/measurer.h"
#include "parts/theme/text.h"
#include "session/profile_loader.h"
#include "session/session.h"

namespace ww::widgets {

Measurer::Measurer(const Context& context, QObject* parent) : QObject(parent), context_(context) {
  connect(context.session, &Session::state_changed, this, &Measurer::state_changed);
}

Measurer::~Measurer() { cancel_.request_stop(); }  // job_ waits

QString Measurer::why_not() const {
  const Session* session = context_.session;
  if (measuring_) return tr("Measuring candidates…");
  if (!session->ready()) return tr("There is no workspace.");
  if (session->shown_run() == 0) return tr("Open a run first: its candidates are measured on its device.");
  if (!measure::why_not_measurable(session->shown_device()).empty())
    return tr("It needs a GPU: this run was judged on the SIMT machine, which counts work but has no clock.");
  if (session->running())
    return tr("A run is in progress: measure once it has ended, so that timings are not disturbed.");
  if (session->judging()) return tr("An edit is being judged: wait for its verdict before measuring.");
  return session->busy();
}

QString Measurer::short_why_not() const {
  const Session* session = context_.session;
  if (measuring_) return tr("measuring");
  if (!session->ready() || session->shown_run() == 0) return tr("needs an open run");
  if (!measure::why_not_measurable(session->shown_device()).empty()) return tr("needs a run on a GPU");
  if (session->running()) return tr("once the run has ended");
  return why_not().isEmpty() ? QString() : tr("not now");
}

void Measurer::start(Kind kind, const QList<std::int64_t>& candidates) {
  if (const QString why = candidates.isEmpty() ? tr("Select candidates first.") : why_not(); !why.isEmpty()) {
    emit problem(why);
    return;
  }
  cancel_ = std::stop_source();
  measuring_ = true;
  context_.session->set_busy(tr("Measuring candidates…"));
  measure::Request request;
  request.kind = kind;
  request.candidates.assign(candidates.begin(), candidates.end());
  request.setup.device = context_.session->shown_device();
  if (context_.session->shown_architecture() != rpc::native_architecture)
    request.setup.architecture = context_.session->shown_architecture();
  emit progressed(0, tr("starting a worker"));
  job_.submit([this, request = std::move(request), run = context_.services.measure,
               workspace = context_.session->workspace(), token = cancel_.get_token()]() -> LatestJob::Deliver {
    const auto progress = [this](const measure::Progress& p) {
      QMetaObject::invokeMethod(
          this,
          [this, p] {
            if (measuring_) emit progressed(p.fraction, qs(p.text));
          },
          Qt::QueuedConnection);
    };
    Result<measure::Done> done = run(*workspace, request, token, progress);
    return [this, done = std::move(done)] { finish(done); };
  });
}

void Measurer::finish(const Result<measure::Done>& done) {
  measuring_ = false;
  context_.session->set_busy({});
  if (context_.profiles) context_.profiles->reload();  // results stored before an error are shown, too
  if (!done) {
    if (done.error().code == Code::cancelled)
      emit measured(tr("Measuring was cancelled; earlier measurements are kept."), {});
    else
      emit problem(tr("Nothing more was measured: %1").arg(qs(done.error().text())));
    return;
  }
  QList<std::int64_t> ids;
  for (const measure::MeasurementIds& kept : done->kept) ids += kept.candidate;
  context_.session->annotate_again(ids);
  QStringList failures;
  for (const measure::NotMeasured& f : done->failed)
    failures += tr("#%1 was not measured: %2").arg(f.candidate).arg(qs(f.why));
  emit measured(tr("Measured %1 on %2.")
                    .arg(counted(static_cast<int>(ids.size()), tr("candidate"), tr("candidates")),
                         qs(context_.session->shown_device())),
                failures);
}

void Measurer::cancel() { cancel_.request_stop(); }

}  // namespace ww::widgets
