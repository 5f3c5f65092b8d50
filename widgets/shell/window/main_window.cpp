// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/main_window.h"
#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QMessageBox>
#include <QMimeData>
#include <QStatusBar>
#include <QTableView>
#include <QTimer>
#include <QUndoStack>
#include "base/time_left.h"
#include "generator/names.h"
#include "measure/subject.h"
#include "op/parse.h"
#include "session/actions/registry.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/code/open_tabs.h"
#include "shell/consent/consent.h"
#include "panels/conversation/conversation_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/tour/tour.h"
#include "panels/describe/run_form.h"
#include "panels/diff/diff_panel.h"
#include "panels/log/log_panel.h"
#include "panels/profile/occupancy_panel.h"
#include "panels/profile/profile_page.h"
#include "panels/runs/runs_panel.h"
#include "session/bundles.h"
#include "session/compared_names.h"
#include "session/edits.h"
#include "session/key_ring.h"
#include "session/measurer.h"
#include "session/profile_loader.h"
#include "session/recent_runs.h"
#include "session/reviewer.h"
#include "parts/theme/combo_popups.h"
#include "parts/theme/controls.h"
#include "parts/theme/dialogs.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/theme.h"
#include "parts/theme/wheel_guard.h"
#include "panels/verdict/verdict_panel.h"
#include "panels/verdict/tensor_pictures.h"
#include "panels/verdict/wrong_elements.h"
#include "parts/theme/text.h"
#include "shell/start/start_page.h"
#include "shell/window/crash_guard.h"
#include "shell/window/docks.h"
#include "shell/window/focus_keeper.h"
#include "shell/window/message_bar.h"
#include "shell/window/notice_list.h"
#include "shell/window/panels.h"
#include "shell/window/preferences.h"
#include "shell/window/status.h"
#include "shell/window/work_status.h"

namespace ww::widgets {

namespace {
// "Run 3: softmax, R = 512, C = 1024": its op at the case that its candidates are worked at.
QString run_title(std::int64_t run, const std::string& op_name, const std::optional<generator::RunOptions>& options) {
  QString what = qs(op_name);
  if (options)
    if (const Result<op::Spec> spec = op::parse_spec(options->spec))
      what = qs(measure::case_text({*spec, options->spec, options->binding}));
  const QString number = MainWindow::tr("Run %1").arg(run);
  return what.isEmpty() ? number : MainWindow::tr("%1: %2").arg(number, what);
}
}  // namespace

MainWindow::MainWindow(Services services, const WindowOptions& options) {
  const StyledOnce once;
  settings_ = options.settings_file.isEmpty()
                  ? std::make_unique<QSettings>()
                  : std::make_unique<QSettings>(options.settings_file, QSettings::IniFormat);
  preferences_ = new Preferences(this, settings_.get());
  setWindowTitle(tr("Warpwright"));
  setObjectName("main_window");
  new DropTarget(this, {.takes = [](const QMimeData& data) { return data.hasUrls(); },
                        .drop =
                            [this](const QMimeData& data, const QPointF&) {
                              for (const QString& file : DropTarget::local_files(data)) describe_->open_file(file);
                              return true;
                            }});
  guard_against_wheel(this);
  new DialogKeys(this);
  widen_combo_popups(this);
  session_ = new Session(services, this);
  selection_ = new Selection(this);
  undo_ = new QUndoStack(this);
  registry_ = new Registry(this);
  docks_ = new Docks(this);
  new FocusKeeper(this);
  describe_ = new DescribePanel(services);
  candidates_ = new CandidatePanel(this);
  context_ = {services, session_, selection_, candidates_->model(), registry_, undo_};
  context_.compared = new ComparedNames(session_, selection_, candidates_->model(), this);
  context_.profiles = new ProfileLoader(services.profile, session_, selection_, this);
  context_.measurer = new Measurer(context_, this);
  candidates_->connect_to(context_);
  bundles_ = new Bundles(context_, this);
  code_ = new CodePanel(context_);
  verdict_ = new VerdictPanel;
  diff_ = new DiffPanel(context_);
  occupancy_ = new OccupancyPanel(context_);
  profile_ = new ProfilePage(context_);
  connect(profile_, &ProfilePage::panel_wanted, this, &MainWindow::show_dock);
  connect(profile_, &ProfilePage::sections_changed, this, &MainWindow::save_soon);
  conversation_ = new ConversationPanel;
  keys_ = new KeyRing(options.keys ? options.keys : make_system_key_store(), this);
  consent_ = new ConsentFlow(services.models, this);
  log_ = new LogPanel;
  runs_ = new RunsPanel;
  status_ = new StatusPart(this);
  make_status_bar();
  save_timer_ = make_timer(this, 1000, [this] { save(); });
  make_docks();
  make_places();
  make_actions();
  make_menus();
  make_compare_bar();
  make_run_deletion();
  make_start();
  connect_session();
  connect_panels();
  connect_models();
  connect_settings();
  begin_session(options);
  update_state();
}

void MainWindow::make_status_bar() {
  setStatusBar(new MessageBar(this));
  notices_ = new NoticeList(this);
  statusBar()->addPermanentWidget(notices_);
  connect(notices_, &NoticeList::log_wanted, this, [this] { show_dock("log"); });
  auto* work = new WorkStatus(this);
  work->follow(context_.measurer);
  work->follow(session_);
  work->follow(Reviewer::of(context_));
  work->follow(bundles_);
  connect(work, &WorkStatus::changed, status_, &StatusPart::fit);
  statusBar()->addPermanentWidget(work);
  statusBar()->addPermanentWidget(status_);
  connect(notices_, &NoticeList::changed, status_, &StatusPart::fit);
  connect(notices_, &NoticeList::changed, this, &MainWindow::save_soon);
  connect(status_, &StatusPart::protections_wanted, this, [this](const QString& list) {
    auto* box = with_id(
        new QMessageBox(QMessageBox::Information, tr("The worker's protections"), list, QMessageBox::Close, this),
        "protections");
    box->setInformativeText(
        tr("As reported by the worker of the shown run. \u201cwarpwright-cli doctor\u201d lists what this machine "
           "lacks."));
    open_once(box);
  });
  statusBar()->setSizeGripEnabled(false);
}

MainWindow::~MainWindow() {
  guard_->closed();
  docks_->let_go();
  for (QObject* child : findChildren<QObject*>())
    child->disconnect(this);  // panels still speak while they are taken apart
  delete session_;            // before the panels: it cancels the run and waits
}

// layouts.h says where they are placed.
void MainWindow::make_docks() {
  docks_->add("describe", tr("Describe"), describe_);
  candidates_->setFocusProxy(candidates_->table());
  docks_->add("candidates", tr("Candidates"), candidates_);
  docks_->add("code", tr("Code"), code_);
  docks_->add("diff", tr("Diff"), diff_);
  docks_->add("verdict", tr("Verdict"), verdict_);
  docks_->add("profile", tr("Profile"), profile_);
  docks_->add("occupancy", tr("Occupancy"), occupancy_);
  docks_->add("conversation", tr("Conversation"), conversation_);
  for (const PanelEntry& entry : make_panels(context_)) docks_->add(entry.id, entry.title, entry.panel);
  docks_->add("runs", tr("Runs"), runs_);
  docks_->add("log", tr("Log"), log_);
  auto* recent = new RecentRuns(session_, candidates_->model(), this);
  for (const QDockWidget* dock : docks_->all()) {
    if (dock == docks_->find("log") || dock == docks_->find("runs")) continue;
    auto* once = dock->findChild<LinkList*>("recent_runs");  // for all pages of the panel
    if (once) recent->offer_on(once);
    for (EmptyPage* page : once ? QList<EmptyPage*>() : dock->findChildren<EmptyPage*>()) recent->offer_on(page);
  }
  connect(docks_, &Docks::rearranged, this, &MainWindow::save_soon);
  connect(docks_, &Docks::layout_changed, this, [this](const QString& id) {
    if (QAction* action = registry_->action("layout." + id)) action->setChecked(true);
    diff_->set_reviewing(id == "review");
  });
  resize(1280, 800);
}

void MainWindow::fit_into(const QRect& available) {
  const int title = style()->pixelMetric(QStyle::PM_TitleBarHeight, nullptr, this);
  resize(size().boundedTo(available.size() - QSize(0, title)));
}

QDockWidget* MainWindow::dock(const QString& id) const { return docks_->find(id); }
void MainWindow::show_dock(const QString& id) {
  leave_start();
  docks_->show(id);
}

void MainWindow::connect_session() {
  connect(session_, &Session::state_changed, this, &MainWindow::update_state);
  connect(session_, &Session::problem, this, [this](const QString& text) {
    wanted_run_ = 0;
    report(store::MessageLevel::error, text);
  });
  connect(session_, &Session::workspace_opened, this, &MainWindow::on_workspace_opened);
  connect(session_, &Session::workspace_opened, this, [this, first = true]() mutable {
    if (!std::exchange(first, false)) latest_wanted_ = true;
  });
  connect(session_, &Session::workspace_failed, this, [this](const QString& folder, const QString& why) {
    report(store::MessageLevel::error, tr("The workspace %1 cannot be opened: %2").arg(folder, why));
    explore_when_ready_ = false;
    wanted_run_ = wanted_candidate_ = 0;
  });
  connect(session_, &Session::runs_listed, this,
          [this](const std::vector<store::RunRecord>& runs, const std::vector<std::int64_t>& live) {
            runs_->set_runs(runs, live);
            runs_->set_shown(session_->shown_run());
            show_latest(runs);
          });
  connect(session_, &Session::run_counted, runs_->model(), &RunModel::set_run);
  connect(context_.measurer, &Measurer::problem, this,
          [this](const QString& text) { report(store::MessageLevel::error, text); });
  connect(context_.measurer, &Measurer::measured, this, [this](const QString& summary, const QStringList& failures) {
    for (const QString& failure : failures) report(store::MessageLevel::warning, failure);
    report(store::MessageLevel::info, summary);
  });
  connect(session_, &Session::run_shown, this, &MainWindow::on_run_shown);
  connect(session_, &Session::run_missing, this, [this](std::int64_t run) {
    wanted_run_ = 0;
    new_last_run_ = true;
    if (runs_->model()->row_of(run) < 0)  // else it leaves the list, with a sentence of its own
      report(store::MessageLevel::info, tr("Run %1 is no longer in the workspace.").arg(run));
  });
  connect(session_, &Session::events, this, &MainWindow::on_events);
  connect(session_, &Session::annotated, candidates_->model(), &CandidateModel::annotate);
  connect(session_, &Session::candidate_loaded, this,
          [this](const std::shared_ptr<const CandidateView>& candidate) { verdict_->show_candidate(candidate); });
}

void MainWindow::connect_settings() {
  connect(preferences_, &Preferences::changed, this, [this, before = preferences_->budget()]() mutable {
    if (preferences_->budget() != before) describe_->form()->set_candidates(before = preferences_->budget());
  });
  connect(session_, &Session::gpu_changed, this, [this] {
    const ModelledGpu& gpu = *context_.services.gpu;
    describe_->form()->set_gpu(qs(gpu.chosen()), gpu.own_architecture());
    QList<std::int64_t> all;
    for (const CandidateModel::Row& row : candidates_->model()->rows())
      if (!row.data.resources.empty()) all.append(row.data.id);
    session_->annotate_again(all);
    session_->load_candidate(candidates_->selected());
    save_soon();
  });
}

void MainWindow::connect_review() {
  Reviewer* reviewer = Reviewer::of(context_);
  reviewer->set_name(settings_->value("review/reviewer").toString());
  verdict_->follow(reviewer);
  connect(reviewer, &Reviewer::problem, this,
          [this](const QString& text) { report(store::MessageLevel::error, text); });
  connect(reviewer, &Reviewer::key_made, this,
          [this](const QString& text) { report(store::MessageLevel::info, text); });
  connect(reviewer, &Reviewer::name_changed, this, &MainWindow::save_soon);
  connect(reviewer, &Reviewer::revision_wanted, this, &MainWindow::revise);
  connect(reviewer, &Reviewer::review_loaded, this, &MainWindow::show_what_is_reviewed);
}

// A candidate that nothing is compared with is read as a whole: its code stands where the diff would be empty.
void MainWindow::show_what_is_reviewed(const std::shared_ptr<const ReviewView>& review) {
  if (!review || docks_->current() != "review") return;
  QDockWidget *diff = docks_->find("diff"), *code = docks_->find("code");
  const bool compared = review->parent != 0 || selection_->baseline() != 0;
  if (!compared && Docks::panel_of(diff)->isVisible()) {
    code_for_diff_ = true;
    code->raise();
  } else if (compared && std::exchange(code_for_diff_, false) && Docks::panel_of(code)->isVisible()) {
    diff->raise();
  }
}

void MainWindow::connect_panels() {
  connect(code_->edits(), &Edits::kept_beside, this,
          [this](const QString& text) { report(store::MessageLevel::warning, text); });
  connect(session_, &Session::taken_over, this,
          [this](const QString& why) { report(store::MessageLevel::warning, why); });
  connect_review();
  connect(verdict_, &VerdictPanel::wrong_wanted, this,
          [this](std::int64_t candidate) { WrongElements::open(context_, candidate, this); });
  connect(verdict_, &VerdictPanel::step_wanted, this, [this] { registry_->trigger("stepper.wrong"); });
  connect(verdict_, &VerdictPanel::pictures_wanted, this,
          [this](const std::shared_ptr<const CandidateView>& candidate) {
            if (session_->workspace()) (new TensorPictures(session_->workspace(), candidate, this))->show();
          });
  connect(describe_, &DescribePanel::explore_requested, this, &MainWindow::explore);
  connect(describe_, &DescribePanel::cancel_requested, session_, &Session::cancel);
  connect(describe_, &DescribePanel::resume_requested, this, &MainWindow::resume);
  connect(describe_, &DescribePanel::readiness_changed, this, &MainWindow::update_state);
  connect(describe_, &DescribePanel::problem, this,
          [this](const QString& text) { report(store::MessageLevel::error, text); });
  connect(describe_, &DescribePanel::bundle_given, bundles_, &Bundles::import_file);
  connect(describe_, &DescribePanel::moment_given, this, &MainWindow::open_moment);
  connect_classroom();
  connect(bundles_, &Bundles::problem, this, [this](const QString& text) { report(store::MessageLevel::error, text); });
  connect(bundles_, &Bundles::done, this, [this](const QString& text) { report(store::MessageLevel::info, text); });
  connect(describe_, &DescribePanel::text_changed, this, &MainWindow::save_soon);
  connect(describe_->form(), &RunForm::changed, this, &MainWindow::update_state);
  connect(candidates_, &CandidatePanel::candidate_selected, this, [this](std::int64_t id) {
    selection_->set_current(id);
    const bool live = session_->running() && candidates_->shows_best();  // then the conversation stays at its newest
    if (const int row = candidates_->model()->row_of(id); row >= 0 && !live)
      conversation_->select_candidate(candidates_->model()->rows()[static_cast<std::size_t>(row)].data.hash);
    if (id != 0)
      session_->load_candidate(id);
    else
      session_->forget_candidate();
    save_soon();
  });
  connect(selection_, &Selection::current_changed, candidates_, [this](std::int64_t id) {
    if (id != 0) candidates_->select(id);
  });
  connect(selection_, &Selection::line_chosen, this, [this] { show_dock("code"); });
  const auto describe = [this] { registry_->trigger("go.describe"); };
  connect(candidates_, &CandidatePanel::describe_wanted, this, describe);
  connect(runs_, &RunsPanel::describe_wanted, this, describe);
  connect(log_, &LogPanel::describe_wanted, this, describe);
  connect(conversation_, &ConversationPanel::describe_wanted, this, describe);
  connect(verdict_, &VerdictPanel::candidates_wanted, this, [this] { registry_->trigger("go.candidates"); });
  connect(candidates_, &CandidatePanel::columns_reset, this,
          [this] { preferences_->columns_reset(*candidates_->table()); });
  connect(candidates_, &CandidatePanel::progress_wanted, this, [this] { show_dock("progress"); });
  connect(candidates_, &CandidatePanel::candidate_opened, this, [this](std::int64_t id) {
    code_->tabs()->keep(id);
    show_dock("code");
  });
  connect(candidates_, &CandidatePanel::keep_wanted, this, [this](const QList<std::int64_t>& ids) {
    for (const std::int64_t id : ids) code_->tabs()->keep(id);
  });
  for (const auto changed : {&OpenTabs::changed, &OpenTabs::moved})
    connect(code_->tabs(), changed, this, &MainWindow::save_soon);
  connect(code_, &CodePanel::verdict_wanted, this, [this] { show_dock("verdict"); });
  connect(verdict_, &VerdictPanel::line_chosen, selection_, &Selection::choose_line);
  connect(runs_, &RunsPanel::run_chosen, session_, &Session::show_run);
}

void MainWindow::report(store::MessageLevel level, const QString& text) {
  log_->add(level, text);
  announce(level, text);
}

void MainWindow::announce(store::MessageLevel level, const QString& text) {
  notices_->add(level, harmless(text));
  statusBar()->showMessage(harmless(text), level == store::MessageLevel::error ? 0 : 8000);
  if (level != store::MessageLevel::error || (start_ && !start_->isHidden()))
    return;  // the start page has the window to itself
  QDockWidget* log = dock("log");
  const QList<QDockWidget*> beside = tabifiedDockWidgets(log);
  // What is being typed there goes on; the status bar and the notices say the error too.
  const QWidget* focus = QApplication::focusWidget();
  if (focus && focus->testAttribute(Qt::WA_InputMethodEnabled))
    for (const QDockWidget* dock : beside)
      if (dock->isAncestorOf(focus)) return;
  if (log->visibleRegion().isEmpty())
    for (QDockWidget* dock : beside)
      if (!dock->isHidden() && !dock->visibleRegion().isEmpty()) before_log_ = dock;
  log->show();
  log->raise();
}

// What the log covered when it said what failed, at the next run.
void MainWindow::uncover() {
  const QPointer<QDockWidget> before = std::exchange(before_log_, nullptr);
  if (before && !before->isHidden() && tabifiedDockWidgets(dock("log")).contains(before) &&
      !dock("log")->visibleRegion().isEmpty())
    before->raise();
}

void MainWindow::update_state() {
  const bool ready = session_->ready() && !session_->judging();
  const int judged = candidates_->model()->judged();
  const bool can_resume =
      session_->can_resume(describe_->form()->candidates(), judged) && !Tour::owns(session_->folder());
  const QString why_not = session_->opening()   ? tr("The workspace is being opened.")
                          : session_->judging() ? tr("An edit is being judged. A run can start once that has ended.")
                                                : tr("To run, open a workspace: File, Open workspace.");
  describe_->show_state(ready, session_->running(), can_resume, why_not);
  // While the last words are being read the command waits for them. The start page runs what is typed there.
  status_->leave_out_run(!start_->isHidden() && !session_->running());
  const bool empty_page = !start_->isHidden() && start_->text().trimmed().isEmpty();
  registry_->action("run.explore")
      ->setEnabled(!empty_page &&
                   (describe_->can_explore() || (describe_->pending() && ready && !session_->running())));
  registry_->action("run.cancel")->setEnabled(session_->running());
  registry_->action("run.resume")->setEnabled(can_resume && start_->isHidden());  // it is of the run in sight
  registry_->action("run.cancel_measuring")->setEnabled(context_.measurer->measuring());
  candidates_->show_empty(session_->running() && session_->shown_run() == session_->live_run()
                              ? tr("Running. The first proposals will appear here shortly.")
                          : session_->shown_run() != 0
                              ? (shown_why_.isEmpty() ? tr("This run has no candidates.")
                                                      : tr("This run has no candidates: %1.").arg(shown_why_))
                          : !runs_->model()->runs().empty() ? tr("No run is shown. Choose one in Runs, or describe an "
                                                                 "operation and press Run.")
                                                            : tr("No candidates yet. Describe an operation, then press "
                                                                 "Run: proposals appear here while they are judged."));
  candidates_->model()->set_live((session_->running() && session_->shown_run() == session_->live_run()) ||
                                 session_->judging());
  if (session_->shown_run() == 0 && !session_->running())
    status_->show_none();
  else
    status_->show_run(session_->running() && session_->shown_run() == session_->live_run(),
                      {.judged = judged,
                       .budget = budget_,
                       .accepted = candidates_->model()->accepted(),
                       .smaller = candidates_->model()->smaller(),
                       .structures = candidates_->model()->structures(),
                       .imported = candidates_->model()->imported()});
  show_time_left();
  if (explore_when_ready_ && describe_->can_explore()) {
    explore_when_ready_ = false;
    QTimer::singleShot(0, this, &MainWindow::explore);
  } else if (describe_->nothing_to_run()) {
    explore_when_ready_ = false;
  }
}

void MainWindow::show_time_left() {
  const bool live = session_->running() && session_->shown_run() == session_->live_run();
  generator::Budget budget = shown_options_ ? shown_options_->budget : generator::Budget{};
  budget.candidates = budget_;
  const auto left = live ? clock_.minutes_left(budget, candidates_->model()->judged()) : std::nullopt;
  status_->show_left(left ? qs(left_text(*left)) : QString());
}

void MainWindow::on_events(const std::vector<explore::Event>& batch, bool shown) {
  if (shown) candidates_->model()->apply(batch);
  QList<LogModel::Line> lines;
  const QTime now = QTime::currentTime();
  const std::int64_t selected = candidates_->selected();
  bool reload = false, ended = false;
  std::vector<std::int64_t> own;  // judged, and not an edit, which the code panel shows
  for (const auto& event : batch) {
    clock_.take(event);
    if (const auto* started = std::get_if<explore::RunStarted>(&event)) {
      lines.append({now, store::MessageLevel::info, tr("Run %1 is in progress.").arg(started->run)});
      if (shown) candidates_->show_title(run_title(started->run, {}, shown_options_));
      uncover();
      statusBar()->showMessage(lines.last().text, 8000);  // what it said of the run before is over
    } else if (const auto* judged = std::get_if<explore::CandidateJudged>(&event)) {
      const auto level = judged->row.state == store::CandidateState::not_judged ? store::MessageLevel::warning
                                                                                : store::MessageLevel::info;
      lines.append({now, level,
                    tr("#%1 %2: %3")
                        .arg(judged->row.id)
                        .arg(CandidateModel::name_of(judged->row), CandidateModel::judgement_of(judged->row))});
      reload |= judged->row.id == selected;
      if (session_->running() && generator::is_manual(judged->row.generator)) own.push_back(judged->row.id);
    } else if (const auto* message = std::get_if<explore::RunMessage>(&event)) {
      lines.append({now, message->level, qs(message->text)});
      if (message->level == store::MessageLevel::error) statusBar()->showMessage(qs(message->text));
      if (message->level == store::MessageLevel::error || message->level == store::MessageLevel::warning)
        notices_->add(message->level, harmless(qs(message->text)));
    } else if (const auto* end = std::get_if<explore::RunEnded>(&event)) {
      const bool nothing = end->state == store::RunState::done && end->proposed == 0;
      if (shown) shown_why_ = qs(end->why);
      lines.append({now,
                    end->state == store::RunState::failed ? store::MessageLevel::error
                    : nothing                             ? store::MessageLevel::warning
                                                          : store::MessageLevel::info,
                    nothing
                        ? tr("Run %1 has no candidates: %2.").arg(end->run).arg(qs(end->why))
                        : tr("Run %1 %2 (%3 proposed, %4 proved, %5)")
                              .arg(end->run)
                              .arg(end->why == enum_string(end->state) ? qs(end->why)
                                                                       : enum_text(end->state) + ": " + qs(end->why))
                              .arg(end->proposed)
                              .arg(end->accepted)
                              .arg(counted(end->structures, tr("structure"), tr("structures")))});
      if (end->state == store::RunState::failed)
        announce(store::MessageLevel::error, lines.last().text);
      else
        statusBar()->showMessage(lines.last().text, 10000);
      ended = true;
    }
  }
  log_->model()->add(lines);
  show_model_events(batch, shown);
  if (shown && reload) session_->load_candidate(selected);
  for (const std::int64_t id : own)
    if (shown) candidates_->show_own(id);
  // Whoever reviews a candidate keeps it, even one that was selected for being the best.
  const bool moves = ended && docks_->current() != "review";
  if (shown && (moves || selected == 0)) candidates_->show_best();
  update_state();
}

void MainWindow::on_run_shown(const std::shared_ptr<const RunView>& run) {
  selection_->leave_run();
  shown_why_ = run ? qs(run->record.why) : QString();
  if (!run) {
    candidates_->model()->clear();
    candidates_->show_title({});
    runs_->set_shown(0);
    conversation_->show_run(0);
    live_spends_ = false;
    show_spend();
    update_state();
    return;
  }
  candidates_->model()->reset(run->rows);
  candidates_->show_title(run_title(run->record.id, run->record.op_name, run->options));
  runs_->set_shown(run->record.id);
  budget_ = run->options ? run->options->budget.candidates : 0;
  shown_options_ = run->options;
  live_spends_ = false;
  conversation_->show_run(run->record.id);
  const bool leaving = session_->opening();  // what is wanted is of the workspace that comes
  const bool same_run = !leaving && run->record.id == wanted_run_;
  // A run that the person opens brings its op; a restored session has its own text already, and the tour's recorded
  // session leaves the person's text and form alone.
  if (!same_run && !Tour::owns(session_->folder())) {
    describe_->form()->set_sizes({});
    const QString typed = describe_->sentence();
    describe_->restore(exact(run->op.sentence), exact(run->op.text));
    if (!typed.isEmpty() && typed != brought_ && typed != describe_->sentence())
      statusBar()->showMessage(tr("Describe shows this run's text now. Ctrl+Z there brings yours back."), 10000);
    brought_ = describe_->sentence();
    if (run->options) describe_->form()->show_options(*run->options);
  }
  if (same_run && candidates_->model()->row_of(wanted_baseline_) >= 0) selection_->set_baseline(wanted_baseline_);
  if (const std::int64_t id = std::exchange(select_when_shown_, 0); candidates_->model()->row_of(id) >= 0)
    candidates_->select(id);
  else if (same_run && wanted_candidate_ != 0 && candidates_->model()->row_of(wanted_candidate_) >= 0)
    candidates_->select(wanted_candidate_);
  else
    candidates_->show_best();
  if (!leaving) wanted_run_ = wanted_candidate_ = wanted_baseline_ = quiet_run_ = 0;
  update_state();
  save_soon();
}

bool MainWindow::settled() const {
  return session_->ready() && !session_->running() && !explore_when_ready_ && wanted_run_ == 0;
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  place_start();
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  place_start();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (session_->running()) {
    const auto answer =
        QMessageBox::question(this, tr("A run is in progress"),
                              tr("End the run and close? Judged candidates are kept, and the run can be resumed."));
    if (answer != QMessageBox::Yes) {
      event->ignore();
      return;
    }
    session_->cancel();
  }
  save();
  event->accept();
}

}  // namespace ww::widgets
