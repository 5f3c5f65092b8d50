// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/session.h"
#include <algorithm>
#include "generator/run_options.h"
#include "measure/keep.h"
#include "profile/statistics.h"
#include "store/owner.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

// The newest time that was measured of it, with a cold cache.
void annotate_time(Annotation& annotation, store::Workspace& workspace, const store::CandidateRecord& record) {
  const auto kept = measure::measurements_of(workspace, record.id);
  if (!kept) return;
  for (const measure::KeptMeasurement& m : *kept) {
    const profile::MeasuredSubject* subject = profile::subject_of(m.measurement, record.hash);
    const profile::SubjectTiming* timing = subject ? profile::timing_in(*subject, profile::Cache::cold) : nullptr;
    if (!timing) continue;
    annotation.time = profile::summarise(profile::times_of(*timing));
    annotation.timed_by =
        enum_string(m.record.kind) + ", " + m.record.gpu + ", " + when_text(m.record.created).toStdString();
    return;
  }
}

Annotation annotate(store::Workspace& workspace, const store::CandidateRecord& record, const std::string& spec,
                    const std::string& architecture) {
  Annotation annotation;
  annotation.candidate = record.id;
  annotate_time(annotation, workspace, record);
  if (record.resources.empty()) {
    annotation.why_not = "the candidate was not compiled";
    return annotation;
  }
  auto kernels = measure::occupancy_of(record, spec, architecture);
  if (kernels)
    annotation.kernels = std::move(*kernels);
  else
    annotation.why_not = kernels.error().message;
  return annotation;
}

QString taken_over_text(const store::TakenOver& taken) {
  const QString key = taken.key_made.empty()
                          ? Session::tr("There is no signing key on this machine.")
                          : Session::tr("This machine's key was created on %1.").arg(when_text(taken.key_made));
  return Session::tr(
             "The contents of this workspace as of %1 count as imported: they were sealed with another signing key, or "
             "the workspace is a copy. %2 Signing a candidate judges it again.")
      .arg(when_text(taken.when), key);
}

}  // namespace

Session::Session(Services services, QObject* parent) : QObject(parent), services_(std::move(services)) {
  connect(&batch_, &EventBatch::ready, this, &Session::on_batch);
  connect(services_.gpu.get(), &ModelledGpu::changed, this, &Session::gpu_changed);
  connect(&watch_, &StoreWatch::written, this, [this] {
    if (!running_) refresh_runs();  // a run of this window says itself what it does
  });
}

Session::~Session() {
  cancel_.request_stop();
  formulate_cancel_.request_stop();
  if (run_thread_.joinable()) run_thread_.join();
}

void Session::open_workspace(const QString& folder) {
  if (running_) {
    emit problem(tr("A run is in progress. Cancel it before you open another workspace."));
    return;
  }
  if (!busy_.isEmpty()) {
    emit problem(busy_ + tr(" Another workspace can be opened once that has ended."));
    return;
  }
  opening_ = folder;
  emit state_changed();
  opener_.submit([this, folder]() -> LatestJob::Deliver {
    const std::filesystem::path path(folder.toStdString());
    const auto taken_before = store::taken_over(path);
    auto opened = store::Workspace::open(path);
    const auto taken = store::taken_over(path);
    const bool just_taken = taken && taken != taken_before;
    std::shared_ptr<store::Workspace> workspace;
    QString why;
    if (opened)
      workspace = std::move(*opened);
    else
      why = qs(opened.error().text());
    return [this, workspace, folder, why, imported = taken ? taken_over_text(*taken) : QString(), just_taken] {
      opening_.clear();
      if (!workspace) {
        emit state_changed();
        emit workspace_failed(folder, why);
        return;
      }
      workspace_ = workspace;
      folder_ = folder;
      why_imported_ = imported;
      live_run_ = shown_run_ = 0;
      shower_.forget();  // a run of the workspace before
      shown_state_ = store::RunState::unknown;
      forget_candidate();
      emit run_shown(nullptr);
      emit state_changed();
      emit workspace_opened(folder);
      if (just_taken) emit taken_over(why_imported_);
      watch_.watch(folder);
      refresh_runs();
    };
  });
}

bool Session::explore(generator::RunOptions options) {
  if (running_ || judging_ || !workspace_ || !busy_.isEmpty()) return false;
  live_spec_ = options.spec;
  live_architecture_ = options.architecture;
  live_device_ = options.device;
  live_run_ = shown_run_ = 0;
  shower_.forget();
  to_annotate_.clear();
  forget_candidate();
  emit run_shown(nullptr);
  start([runs = services_.runs, options = std::move(options)](store::Workspace& workspace,
                                                              const explore::EventHandler& handler,
                                                              std::stop_token token, PauseToken pause) mutable {
    options.pause = std::move(pause);
    return runs->run(workspace, options, handler, token);
  });
  return true;
}

bool Session::resume(std::int64_t run, const generator::Budget& budget) {
  if (running_ || judging_ || !workspace_ || run == 0 || !busy_.isEmpty()) return false;
  live_spec_ = shown_spec_;
  live_architecture_ = shown_architecture_;
  live_device_ = shown_device_;
  start([runs = services_.runs, run, budget](store::Workspace& workspace, const explore::EventHandler& handler,
                                             std::stop_token token, PauseToken pause) {
    return runs->resume(workspace, run, budget, handler, token, std::move(pause));
  });
  live_run_ = run;
  return true;
}

void Session::start(Loop loop) {
  if (run_thread_.joinable()) run_thread_.join();  // it has ended: running_ is false
  cancel_ = std::stop_source();
  pause_ = PauseSwitch();
  running_ = true;
  emit state_changed();
  run_thread_ = std::thread([this, loop = std::move(loop), workspace = workspace_, token = cancel_.get_token(),
                             pause = pause_.token()]() mutable {
    bool ended = false, said = false;  // said: why it failed
    const auto result = loop(
        *workspace,
        [this, &ended, &said](const explore::Event& event) {
          if (const auto* end = std::get_if<explore::RunEnded>(&event))
            ended = true, said = end->state == store::RunState::failed;
          batch_.push(event);
        },
        token, pause);
    const QString error = result || said ? QString() : qs(result.error().text());
    QMetaObject::invokeMethod(
        this, [this, ended, error] { on_finished(ended, error); }, Qt::QueuedConnection);
  });
}

void Session::set_judging(bool judging) {
  judging_ = judging;
  emit state_changed();
}

void Session::cancel() {
  if (!running_) return;
  cancel_.request_stop();
  emit state_changed();
}

void Session::pause() {
  if (!running_ || pause_.paused()) return;
  pause_.pause();
  emit state_changed();
}

void Session::unpause() {
  if (!paused()) return;
  pause_.resume();
  emit state_changed();
}

bool Session::can_resume(int budget, int judged) const {
  return !running_ && !judging_ && workspace_ && shown_run_ != 0 && shown_state_ != store::RunState::unknown &&
         (shown_state_ != store::RunState::done || budget > judged);
}

void Session::on_batch(const std::vector<explore::Event>& batch) {
  bool changed = false, counts = false;
  const bool shown = shown_run_ == live_run_;
  for (const auto& event : batch) {
    if (const auto* started = std::get_if<explore::RunStarted>(&event)) {
      if (shown_run_ == live_run_) shown_run_ = started->run;  // no other run was opened meanwhile
      live_run_ = started->run;
      if (!started->architecture.empty()) live_architecture_ = started->architecture;
      if (shown_run_ == live_run_) {
        shown_state_ = store::RunState::running;
        shown_spec_ = live_spec_;
        shown_architecture_ = live_architecture_;
        shown_device_ = live_device_;
      }
      refresh_runs();
      changed = true;
    } else if (const auto* judged = std::get_if<explore::CandidateJudged>(&event)) {
      counts = true;
      if (shown_run_ == live_run_) to_annotate_.push_back(judged->row.id);
    } else if (const auto* ended = std::get_if<explore::RunEnded>(&event)) {
      if (shown_run_ == live_run_) shown_state_ = ended->state;
      changed = true;
    }
  }
  emit events(batch, shown);
  annotate_more();
  if (counts) count_live_run();
  if (changed) emit state_changed();
}

void Session::count_live_run() {
  counter_.submit([this, workspace = workspace_, run = live_run_]() -> LatestJob::Deliver {
    auto record = workspace->run(run);
    if (!record) return {};  // deleted meanwhile: the list of runs says so
    return [this, workspace, record = std::move(*record)] {
      if (workspace == workspace_) emit run_counted(record);
    };
  });
}

void Session::on_finished(bool ended_event, const QString& error) {
  batch_.flush_all();
  counter_.forget();
  if (run_thread_.joinable()) run_thread_.join();
  running_ = false;
  if (shown_run_ == live_run_ && (shown_state_ == store::RunState::running || !ended_event))
    shown_state_ = cancel_.stop_requested() ? store::RunState::cancelled : store::RunState::failed;
  if (!error.isEmpty() && !cancel_.stop_requested()) emit problem(error);
  emit state_changed();
  refresh_runs();
}

void Session::refresh_runs() {
  if (!workspace_) return;
  lister_.submit([this, workspace = workspace_]() -> LatestJob::Deliver {
    auto runs = workspace->runs();
    if (!runs) return [this, why = qs(runs.error().text())] { emit problem(why); };
    std::vector<std::int64_t> live;
    for (const auto& run : *runs)
      if (run.state == store::RunState::running && explore::is_live(*workspace, run.id)) live.push_back(run.id);
    return [this, workspace, list = std::move(*runs), live] {
      if (workspace == workspace_) emit runs_listed(list, live);
    };
  });
}

void Session::show_run(std::int64_t run) {
  if (!workspace_ || run == 0) return;
  shower_.submit([this, workspace = workspace_, run]() -> LatestJob::Deliver {
    auto view = std::make_shared<RunView>();
    std::string why;
    bool gone = false;
    if (auto record = workspace->run(run)) {
      view->record = std::move(*record);
      if (auto op = workspace->op(view->record.op)) view->op = std::move(*op);
      if (auto rows = explore::rows_of(*workspace, run))
        view->rows = std::move(*rows);
      else
        why = rows.error().text();
      if (auto options = generator::options_from_json(view->record.options)) view->options = std::move(*options);
    } else {
      why = record.error().text();
      gone = record.error().code == Code::not_found;
    }
    return [this, run, view, why, gone] {
      if (gone) {
        emit run_missing(run);
        refresh_runs();
        return;
      }
      if (!why.empty()) {
        emit problem(qs(why));
        return;
      }
      shown_run_ = view->record.id;
      shown_state_ = view->record.state;
      shown_spec_ = view->op.text;
      shown_architecture_ = view->record.architecture;
      shown_device_ = view->record.device;
      forget_candidate();
      to_annotate_.clear();
      for (const auto& row : view->rows)
        if (!row.resources.empty()) to_annotate_.push_back(row.id);
      emit run_shown(view);
      emit state_changed();
      annotate_more();
    };
  });
}

void Session::close_run() {
  shower_.forget();
  shown_run_ = 0;
  shown_state_ = store::RunState::unknown;
  to_annotate_.clear();
  forget_candidate();
  emit run_shown(nullptr);
  emit state_changed();
}

void Session::annotate_more() {
  if (annotating_ || to_annotate_.empty() || !workspace_) return;
  std::vector<std::int64_t> some;
  const std::size_t n = std::min<std::size_t>(8, to_annotate_.size());
  some.assign(to_annotate_.begin(), to_annotate_.begin() + static_cast<std::ptrdiff_t>(n));
  to_annotate_.erase(to_annotate_.begin(), to_annotate_.begin() + static_cast<std::ptrdiff_t>(n));
  annotating_ = true;
  annotator_.submit(
      [this, some, workspace = workspace_, spec = shown_spec_,
       architecture = services_.gpu->limits_of(shown_architecture_, shown_device_)]() -> LatestJob::Deliver {
        std::vector<Annotation> annotations;
        for (const std::int64_t id : some)
          if (auto record = workspace->candidate_row(id))
            annotations.push_back(annotate(*workspace, *record, spec, architecture));
        return [this, annotations = std::move(annotations)] {
          annotating_ = false;
          emit annotated(annotations);
          annotate_more();
        };
      });
}

void Session::annotate_again(const QList<std::int64_t>& candidates) {
  to_annotate_.insert(to_annotate_.begin(), candidates.begin(), candidates.end());
  annotate_more();
}

void Session::set_busy(const QString& why) {
  busy_ = why;
  emit state_changed();
}

void Session::load_candidate(std::int64_t candidate) {
  if (!workspace_ || candidate == 0) return;
  loader_.submit([this, candidate, workspace = workspace_, spec = shown_spec_,
                  architecture = services_.gpu->limits_of(shown_architecture_, shown_device_)]() -> LatestJob::Deliver {
    auto record = workspace->candidate(candidate);
    if (!record)
      return [this, why = qs(record.error().text()), gone = record.error().code == Code::not_found] {
        gone ? refresh_runs() : emit problem(why);  // its run was deleted: the list of runs says so
      };
    auto view = std::make_shared<CandidateView>();
    view->record = std::move(*record);
    view->annotation = annotate(*workspace, view->record, spec, architecture);
    if (view->record.state == store::CandidateState::duplicate)
      if (const auto judged = workspace->candidate_of(view->record.run, view->record.duplicate_of))
        view->same_as = judged->id;
    std::shared_ptr<const CandidateView> done = std::move(view);
    return [this, done] { emit candidate_loaded(done); };
  });
}

void Session::list_exchanges(std::int64_t run) {
  if (!workspace_) return;
  exchanges_.submit([this, run, workspace = workspace_]() -> LatestJob::Deliver {
    auto list = workspace->exchanges(run);
    if (!list) return [this, why = qs(list.error().text())] { emit problem(why); };
    return [this, run, list = std::move(*list)] { emit exchanges_listed(run, list); };
  });
}

void Session::load_exchange(std::int64_t exchange) {
  if (!workspace_ || exchange == 0) return;
  exchange_.submit([this, exchange, workspace = workspace_]() -> LatestJob::Deliver {
    auto record = workspace->exchange(exchange);
    if (!record) return [this, why = qs(record.error().text())] { emit problem(why); };
    std::shared_ptr<const ExchangeView> view = std::make_shared<ExchangeView>(read_exchange(std::move(*record)));
    return [this, view] { emit exchange_loaded(view); };
  });
}

void Session::formulate(const QString& text, const std::string& model, const llm::Limits& limits) {
  if (!workspace_) return;
  formulate_cancel_.request_stop();
  formulate_cancel_ = std::stop_source();
  formulating_ = true;
  emit state_changed();
  formulator_.submit([this, text, model, limits, service = services_.models, workspace = workspace_,
                      token = formulate_cancel_.get_token()]() -> LatestJob::Deliver {
    auto result = service->formulate(*workspace, model, text.toStdString(), limits, token);
    std::shared_ptr<const Formulated> made;
    QString error;
    if (result)
      made = std::make_shared<Formulated>(std::move(*result));
    else if (!token.stop_requested())
      error = qs(result.error().text());
    return [this, made, error] {
      formulating_ = false;
      emit state_changed();
      emit formulated(made, error);
    };
  });
}

void Session::stop_formulating() { formulate_cancel_.request_stop(); }

void Session::forget_candidate() {
  loader_.forget();
  emit candidate_loaded(nullptr);
}

}  // namespace ww::widgets
