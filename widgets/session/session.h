// SPDX-License-Identifier: GPL-3.0-or-later
// The window's one link to workspace and runs. Lives on the GUI thread; all work is done on threads of its own, answers
// come as signals.
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <thread>
#include <vector>
#include "explore/run.h"
#include "session/engine.h"
#include "session/event_batch.h"
#include "session/latest_job.h"

namespace ww::widgets {

struct RunView {  // a stored run, as opened
  store::RunRecord record;
  store::OpRecord op;
  std::vector<explore::CandidateRow> rows;
  std::optional<explore::RunOptions> options;  // that it was given, where they can be read
};
struct Annotation {  // what a table shows beyond explore::CandidateRow
  std::int64_t candidate = 0;
  std::vector<KernelOccupancy> kernels;
  std::string why_not;  // no occupancy, and the reason
};
struct CandidateView {
  store::CandidateRecord record;
  Annotation annotation;
};

class Session : public QObject {
  Q_OBJECT
 public:
  explicit Session(std::shared_ptr<Engine> engine, QObject* parent = nullptr);
  ~Session() override;  // cancels a run in progress and waits for it

  void open_workspace(const QString& folder);
  QString folder() const { return folder_; }
  bool ready() const { return workspace_ != nullptr; }
  bool opening() const { return opening_; }
  // For loaders of panels, which read on threads of their own (LatestJob); null before a workspace is open.
  std::shared_ptr<store::Workspace> workspace() const { return workspace_; }
  const std::string& shown_spec() const { return shown_spec_; }  // text of the shown run's op
  const std::string& shown_architecture() const { return shown_architecture_; }

  bool explore(explore::RunOptions options);  // false: a run is in progress or there is no workspace
  bool resume(std::int64_t run, const explore::Budget& budget);
  void cancel();
  void pause();  // the run in progress; what is in work is brought to its end
  void go_on();
  bool paused() const { return running_ && pause_.paused(); }
  bool running() const { return running_; }
  std::int64_t live_run() const { return live_run_; }    // 0: none yet
  std::int64_t shown_run() const { return shown_run_; }  // whose candidates the table shows; 0: none
  // The shown run was not finished, or was and the budget in candidates has grown beyond those that are judged.
  bool can_resume(int budget, int judged) const;

  void show_run(std::int64_t run);
  void refresh_runs();
  void load_candidate(std::int64_t candidate);  // the selected one
  void forget_candidate();
  void list_exchanges(std::int64_t run);  // 0: those outside of runs
  void load_exchange(std::int64_t exchange);
  // A sentence, module or kernel becomes a spec; needs a workspace, where the exchange is kept. The latest request
  // wins.
  void formulate(const QString& text, const std::string& model, const llm::Limits& limits);
  void stop_formulating();
  bool formulating() const { return formulating_; }

 signals:
  void workspace_opened(const QString& folder);
  void workspace_failed(const QString& folder, const QString& why);
  void runs_listed(const std::vector<ww::store::RunRecord>& runs, const std::vector<std::int64_t>& live);
  void run_shown(
      const std::shared_ptr<const ww::widgets::RunView>& run);  // null: a new run begins, nothing to show yet
  // A batch of the live run; shown: its candidates belong in the table.
  void events(const std::vector<ww::explore::Event>& batch, bool shown);
  void annotated(const std::vector<ww::widgets::Annotation>& annotations);
  void candidate_loaded(const std::shared_ptr<const ww::widgets::CandidateView>& candidate);
  void exchanges_listed(std::int64_t run, const std::vector<ww::store::ExchangeRecord>& exchanges);
  void exchange_loaded(const std::shared_ptr<const ww::widgets::ExchangeView>& exchange);
  void formulated(const std::shared_ptr<const ww::widgets::Formulated>& made,
                  const QString& error);  // null: not, and why; empty: stopped
  void state_changed();
  void problem(const QString& text);

 private:
  using Loop = std::function<Result<explore::RunEnded>(store::Workspace&, const explore::EventHandler&, CancelToken,
                                                       PauseToken)>;
  void start(Loop loop);
  void on_batch(const std::vector<explore::Event>& batch);
  void on_finished(bool ended_event, const QString& error);
  void annotate_more();

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<store::Workspace> workspace_;
  QString folder_;
  EventBatch batch_;
  LatestJob opener_, lister_, shower_, loader_, annotator_, exchanges_, exchange_, formulator_;
  std::thread run_thread_;
  CancelSource cancel_, formulate_cancel_;
  PauseSwitch pause_;
  bool running_ = false, opening_ = false, annotating_ = false, formulating_ = false;
  std::int64_t live_run_ = 0, shown_run_ = 0;
  std::string shown_state_, shown_spec_, shown_architecture_;
  std::string live_spec_, live_architecture_;
  std::vector<std::int64_t> to_annotate_;
};

}  // namespace ww::widgets
