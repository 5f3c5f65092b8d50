// SPDX-License-Identifier: GPL-3.0-or-later
// The window: panels, the actions between them, and the state remembered between sessions.
#pragma once
#include <QPointer>
#include <QMainWindow>
#include <QSettings>
#include <memory>
#include <optional>
#include "session/context.h"
#include "explore/run_clock.h"
#include "session/selection.h"
#include "session/session.h"

class QActionGroup;
class QDockWidget;
class QMenu;
class QTimer;
class QUndoStack;

namespace ww::widgets {

class Bundles;
class CandidatePanel;
class CodePanel;
class CompareBar;
class ConsentFlow;
class ConversationPanel;
class CrashGuard;
class DescribePanel;
class DiffPanel;
class Docks;
class KeyRing;
class KeyStore;
class LogPanel;
class Navigator;
class NoticeBar;
class NoticeList;
class OccupancyPanel;
class ProfilePage;
class Preferences;
class Registry;
class RunNotifier;
class RunsPanel;
struct ReviewView;
class StartPage;
class StatusPart;
class UndoActions;
class Visited;
class VerdictPanel;

struct WindowOptions {
  QString settings_file;                     // empty: the user's
  QString workspace;                         // empty: the one of the last session, or the default
  QString input;                             // a sentence, or a .op, .cu or .ptx file
  bool explore = false;                      // as soon as workspace and spec are ready
  bool remember = true;                      // store the session in the settings
  std::shared_ptr<KeyStore> keys = nullptr;  // of services; null: the system's keychain
};

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(Services services, const WindowOptions& options);
  ~MainWindow() override;
  static QString remembered_theme(const QString& settings_file);  // before the window is created; default "system"

  Session* session() const { return session_; }
  Selection* selection() const { return selection_; }
  const Context& context() const { return context_; }
  Registry* actions_registry() const { return registry_; }
  DescribePanel* describe() const { return describe_; }
  CandidatePanel* candidates() const { return candidates_; }
  CodePanel* code() const { return code_; }
  VerdictPanel* verdict() const { return verdict_; }
  DiffPanel* diff() const { return diff_; }
  OccupancyPanel* occupancy() const { return occupancy_; }
  ProfilePage* profile() const { return profile_; }
  ConversationPanel* conversation() const { return conversation_; }
  LogPanel* log() const { return log_; }
  RunsPanel* runs() const { return runs_; }
  StatusPart* status_part() const { return status_; }
  NoticeBar* notice() const { return notice_; }
  NoticeList* notices() const { return notices_; }
  CompareBar* compare_bar() const { return compare_bar_; }
  StartPage* start_page() const { return start_; }
  RunNotifier* notifier() const { return notifier_; }
  Docks* docks() const { return docks_; }
  QDockWidget* dock(const QString& id) const;
  void fit_into(const QRect& available);  // a screen's: limits the window, including its title bar
  bool settled() const;                   // nothing is being opened, read or run
  void show_dock(const QString& id);
  void open_folder(const QString& folder);  // asks before a workspace is made among other files

 protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;  // what no panel took: Escape ends the presentation
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void make_status_bar();
  void make_docks();
  void make_actions();
  void make_file_actions();
  void make_run_actions();
  void make_go_actions();
  void make_code_actions();
  void make_view_actions();
  void make_edit_actions();
  void make_theme_actions();
  void make_layout_actions();
  void make_help_actions();  // window_actions.cpp
  void make_menus();
  void connect_session();
  void connect_panels();
  void explore();
  void resume();
  void connect_settings();
  void connect_review();
  void show_what_is_reviewed(const std::shared_ptr<const ReviewView>& review);
  void revise();          // resumes the run to process reviewers' requests
  void connect_models();  // window_models.cpp
  QWidget* make_models_page();
  QWidget* make_roles_page();
  void formulate(const QString& text);
  void with_consent(const generator::ModelOptions& models, std::function<void(const llm::Limits&)> then);
  void show_model_events(const std::vector<explore::Event>& batch, bool shown);
  void show_spend();
  void update_state();
  void on_events(const std::vector<explore::Event>& batch, bool shown);
  void on_run_shown(const std::shared_ptr<const RunView>& run);
  void report(store::MessageLevel level, const QString& text);    // to the log, and as a notice
  void announce(store::MessageLevel level, const QString& text);  // what the log has already
  void uncover();
  void show_time_left();
  void choose_workspace();
  void choose_file();
  void set_theme(const QString& id);
  void present();  // window_present.cpp: or as before
  void tell_how_to_leave();
  QList<QWidget*> bars() const;  // menus, tool bars, status bar
  void open_moment(const QString& file);
  void connect_classroom();
  void show_palette();
  void show_settings(const QString& page);
  void show_about();
  void make_places();  // window_places.cpp
  void connect_tour();
  void make_compare_bar();
  void make_run_deletion();
  void resume_shown();
  void show_quick_open();
  void show_find();
  void remember_workspace(const QString& folder);
  void fill_recent(QMenu* menu);
  void copy_code();
  void step_candidate(int step);
  void make_start();  // window_start.cpp
  void show_start();
  void present_start();
  void tour_left();
  void set_aside();  // the person's own work, for the tour
  void bring_back();
  void leave_start();
  void place_start();
  void update_start();
  void show_recent(const std::vector<store::RunRecord>& runs);
  void run_from_start();
  void begin_session(const WindowOptions& options);  // window_session.cpp
  void save_soon();
  void save();
  void restore_layout();
  void on_workspace_opened();
  void show_latest(const std::vector<store::RunRecord>& runs);
  void take_comparison(const QString& before);  // the workspace before; empty: none
  void restore_comparison();
  void save_comparison();
  void restore_tabs();
  void save_tabs();

  struct Presented {
    QString theme;
    Qt::WindowStates state;
    bool maximised = false;  // by it
    QList<QWidget*> bars;    // that it hides
  };
  std::optional<Presented> presented_;
  std::unique_ptr<QSettings> settings_;
  Session* session_;
  Selection* selection_;
  QUndoStack* undo_;
  UndoActions* edit_steps_ = nullptr;
  Bundles* bundles_;
  Preferences* preferences_;
  Registry* registry_;
  Docks* docks_;
  NoticeBar* notice_;
  NoticeList* notices_;
  CompareBar* compare_bar_ = nullptr;
  RunNotifier* notifier_;
  Navigator* navigator_;
  Visited* visited_;
  CrashGuard* guard_;
  LatestJob ops_job_;
  std::vector<OpSummary> ops_;  // once loaded
  std::int64_t resume_when_shown_ = 0;
  Context context_;
  DescribePanel* describe_;
  CandidatePanel* candidates_;
  CodePanel* code_;
  VerdictPanel* verdict_;
  DiffPanel* diff_;
  OccupancyPanel* occupancy_;
  ProfilePage* profile_;
  ConversationPanel* conversation_;
  KeyRing* keys_;
  ConsentFlow* consent_;
  LogPanel* log_;
  RunsPanel* runs_;
  StatusPart* status_;
  StartPage* start_ = nullptr;
  QActionGroup *theme_group_, *layout_group_;
  QTimer* save_timer_;
  int budget_ = 0;
  explore::RunClock clock_;                             // of the live run
  QString shown_why_;                                   // why the shown run ended
  std::optional<generator::RunOptions> shown_options_;  // of the run that is shown
  llm::Spend live_spend_;
  bool live_spends_ = false;                            // live_spend_ is of the shown run
  std::int64_t wanted_run_ = 0, wanted_candidate_ = 0;  // of the last session, until shown
  QPointer<QDockWidget> before_log_;                    // what the log covers since it said what failed
  QString brought_;                                     // the description of the run that was opened last
  std::int64_t wanted_baseline_ = 0;
  QString compared_in_;                 // the workspace in which the compared ids count
  std::int64_t select_when_shown_ = 0;  // once a run that is being read is shown
  bool explore_when_ready_ = false, restoring_ = false, remember_ = true;
  bool code_for_diff_ = false;    // in the workspace Review
  bool tour_from_start_ = false;  // where it returns to
  struct OwnWork {                // what the tour sets aside
    QString folder, filter, gpu;
    std::int64_t run = 0, candidate = 0, baseline = 0;
    QList<std::int64_t> compared;  // by place
    int states = 0;                // of the filter's list
    QList<bool> panes;             // of the code
  };
  std::optional<OwnWork> own_work_;
  bool new_last_run_ = false;   // the run that is shown, or that none is, goes into the settings
  bool latest_wanted_ = true;   // of an opened workspace, once its runs are listed
  std::int64_t quiet_run_ = 0;  // nobody asked for it just now: it does not close the start page
};

}  // namespace ww::widgets
