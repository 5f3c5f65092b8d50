// SPDX-License-Identifier: GPL-3.0-or-later
// The open workspace, the shown run and the running one. On the GUI thread; all work runs on background threads, and
// answers arrive as signals.
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <thread>
#include <vector>
#include "explore/run.h"
#include "measure/occupancy.h"
#include "profile/statistics.h"
#include "session/services.h"
#include "session/event_batch.h"
#include "session/guests.h"
#include "session/latest_job.h"
#include "session/store_watch.h"

namespace ww::widgets {

struct RunView {  // a stored run, as opened
  store::RunRecord record;
  store::OpRecord op;
  std::vector<explore::CandidateRow> rows;
  std::optional<generator::RunOptions> options;  // its options, if they can be read
};
struct Annotation {  // table data beyond explore::CandidateRow
  std::int64_t candidate = 0;
  std::vector<measure::KernelOccupancy> kernels;
  std::string why_not;    // the reason if there is no occupancy
  profile::Summary time;  // *measured* outside the run: microseconds with a cold cache; count 0: not measured
  std::string timed_by;   // "compare, NVIDIA H200, 2026-11-20T22:38:38Z"
};
struct CandidateView {
  store::CandidateRecord record;
  Annotation annotation;
  std::int64_t same_as = 0;  // of a duplicate: the candidate that was judged, whose verdict it has; 0: none, or unknown
};

class Session : public QObject {
  Q_OBJECT
 public:
  explicit Session(Services services, QObject* parent = nullptr);
  ~Session() override;  // cancels a run in progress and waits for it

  void open_workspace(const QString& folder);
  QString folder() const { return folder_; }
  bool ready() const { return workspace_ != nullptr; }
  bool opening() const { return !opening_.isEmpty(); }
  const QString& opening_folder() const { return opening_; }  // empty: none is being opened
  // Why what is in the workspace counts as imported though no bundle brought it; empty: it does not.
  const QString& why_imported() const { return why_imported_; }
  // The workspace for panels' loaders, which read on their own threads (LatestJob); null before a workspace is open.
  std::shared_ptr<store::Workspace> workspace() const { return workspace_; }
  // The same, with the workspaces of compared candidates that are not in it.
  Stores stores() const { return {workspace_, guests_}; }
  Guests& guests() const { return *guests_; }
  const std::string& shown_spec() const { return shown_spec_; }  // text of the shown run's op spec
  const std::string& shown_architecture() const { return shown_architecture_; }
  const std::string& shown_device() const { return shown_device_; }  // where the shown run judges: "simt", "cuda:0"
  // While it is not empty, no run starts and no other workspace is opened; one sentence with the reason.
  const QString& busy() const { return busy_; }
  void set_busy(const QString& why);

  // Both false: a run is in progress, something is being judged, or there is no workspace.
  bool explore(generator::RunOptions options);
  bool resume(std::int64_t run, const generator::Budget& budget);
  void cancel();
  void pause();  // pauses the run in progress; work in progress is finished
  void unpause();
  bool paused() const { return running_ && pause_.paused(); }
  bool running() const { return running_; }
  // While something outside a run (an edit) is judged, no run starts: each would disturb the other's times.
  void set_judging(bool judging);
  bool judging() const { return judging_; }
  std::int64_t live_run() const { return live_run_; }    // 0: none yet
  std::int64_t shown_run() const { return shown_run_; }  // in the table; 0: none
  // The shown run was not finished, or its budget in candidates was raised since.
  bool can_resume(int budget, int judged) const;

  void show_run(std::int64_t run);
  void close_run();  // shows no run
  void refresh_runs();
  void load_candidate(std::int64_t candidate);  // the selected one
  void forget_candidate();
  void annotate_again(const QList<std::int64_t>& candidates);  // after new measurements of them
  void list_exchanges(std::int64_t run);                       // 0: those outside runs
  void load_exchange(std::int64_t exchange);
  // Turns a sentence, module or kernel into a spec; needs a workspace, where the exchange is stored. The latest request
  // wins.
  void formulate(const QString& text, const std::string& model, const llm::Limits& limits);
  void stop_formulating();
  bool formulating() const { return formulating_; }

 signals:
  void workspace_opened(const QString& folder);
  void taken_over(const QString& why);  // while it was opened: why_imported()
  void workspace_failed(const QString& folder, const QString& why);
  void runs_listed(const std::vector<ww::store::RunRecord>& runs, const std::vector<std::int64_t>& live);
  void run_counted(const ww::store::RunRecord& run);  // the live one, as its candidates come and are judged
  void run_missing(std::int64_t run);                 // requested, but no longer in the workspace
  void run_shown(
      const std::shared_ptr<const ww::widgets::RunView>& run);  // null: a new run starts, nothing to show yet
  // A batch of the live run; shown: its candidates belong in the table.
  void events(const std::vector<ww::explore::Event>& batch, bool shown);
  void annotated(const std::vector<ww::widgets::Annotation>& annotations);
  void candidate_loaded(const std::shared_ptr<const ww::widgets::CandidateView>& candidate);
  void exchanges_listed(std::int64_t run, const std::vector<ww::store::ExchangeRecord>& exchanges);
  void exchange_loaded(const std::shared_ptr<const ww::widgets::ExchangeView>& exchange);
  void formulated(const std::shared_ptr<const ww::widgets::Formulated>& made,
                  const QString& error);  // null: with the reason; empty: stopped
  void state_changed();
  void gpu_changed();  // the modelled GPU has changed: ModelledGpu
  void problem(const QString& text);

 private:
  using Loop = std::function<Result<explore::RunEnded>(store::Workspace&, const explore::EventHandler&, std::stop_token,
                                                       PauseToken)>;
  void start(Loop loop);
  void on_batch(const std::vector<explore::Event>& batch);
  void on_finished(bool ended_event, const QString& error);
  void annotate_more();
  void count_live_run();

  Services services_;
  std::shared_ptr<store::Workspace> workspace_;
  std::shared_ptr<Guests> guests_ = std::make_shared<Guests>();
  QString folder_;
  EventBatch batch_;
  StoreWatch watch_;
  LatestJob opener_, lister_, counter_, shower_, loader_, annotator_, exchanges_, exchange_, formulator_;
  std::thread run_thread_;
  std::stop_source cancel_, formulate_cancel_;
  PauseSwitch pause_;
  bool running_ = false, judging_ = false, annotating_ = false, formulating_ = false;
  QString opening_;  // a folder
  std::int64_t live_run_ = 0, shown_run_ = 0;
  QString busy_, why_imported_;
  store::RunState shown_state_ = store::RunState::unknown;  // unknown: none is shown
  std::string shown_spec_, shown_architecture_, shown_device_;
  std::string live_spec_, live_architecture_, live_device_;
  std::vector<std::int64_t> to_annotate_;
};

}  // namespace ww::widgets
