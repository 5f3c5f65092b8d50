// SPDX-License-Identifier: GPL-3.0-or-later
// The window's actions, menus and toolbar.
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileInfo>
#include <QHeaderView>
#include <QMenuBar>
#include <QMessageBox>
#include <QStatusBar>
#include <QTableView>
#include <QToolBar>
#include <QToolButton>
#include <QUndoStack>
#include "session/actions/keys_page.h"
#include "session/actions/registry.h"
#include "session/file_dialogs.h"
#include "session/folder_dialog.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/diff/diff_panel.h"
#include "parts/editor/code_editor.h"
#include "shell/settings/general_page.h"
#include "shell/window/gpu_choice.h"
#include "shell/settings/settings_dialog.h"
#include "session/bundles.h"
#include "session/measurer.h"
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"
#include "shell/window/docks.h"
#include "shell/window/undo_actions.h"
#include "shell/window/visited.h"
#include "shell/window/main_window.h"
#include "shell/window/notice_list.h"
#include "shell/window/preferences.h"

namespace ww::widgets {

namespace {
QKeySequence key(const char* text) { return QKeySequence(QString::fromLatin1(text)); }
}  // namespace

void MainWindow::make_actions() {
  make_file_actions();
  make_run_actions();
  make_go_actions();
  make_code_actions();
  make_view_actions();
  make_edit_actions();
  make_theme_actions();
  make_layout_actions();
  make_help_actions();
}

void MainWindow::make_file_actions() {
  Registry& r = *registry_;
  r.add("file.open_workspace", tr("File"), tr("Open &workspace..."), key("Ctrl+O"), "open",
        tr("Open or create a workspace folder"), [this] { choose_workspace(); });
  r.add("file.open_file", tr("File"), tr("Open op or &kernel..."), key("Ctrl+Shift+O"), "file",
        tr("Open an op spec (.op), your own kernel (.cu, .ptx), a PyTorch module (.py), a workspace bundle (.wwb) or a "
           "moment (.wwmoment)"),
        [this] { choose_file(); });
  r.add("file.import_bundle", tr("File"), tr("&Import a bundle..."), {}, {},
        tr("Add the runs of a workspace bundle (.wwb) to this workspace"), [this] { bundles_->choose_import(this); });
  r.add("file.export_bundle", tr("File"), tr("E&xport a bundle..."), {}, {},
        tr("Write this workspace as one file that opens on any machine"), [this] { bundles_->choose_export(this); });
  r.add("candidates.export", tr("Candidates"), tr("&Export..."), {}, {},
        tr("Write the selected candidate as a project of its own: for PyTorch, Hugging Face, CuPy, C++, or PTX"),
        [this] { bundles_->choose_candidate_export(this, context_.selection->current()); });
  r.add("file.settings", tr("File"), tr("&Settings..."), key("Ctrl+,"), {},
        tr("Theme, zoom, keys, models and other options"), [this] { show_settings("general"); });
  r.add("file.models", tr("File"), tr("Settings: &models..."), {}, {}, tr("Services, their keys, and allowed hosts"),
        [this] { show_settings("models"); });
  r.add("file.quit", tr("File"), tr("&Quit"), key("Ctrl+Q"), {}, tr("Close the window"), [this] { close(); });
}

void MainWindow::make_run_actions() {
  Registry& r = *registry_;
  r.add("run.explore", tr("Run"), tr("&Run"), key("Ctrl+Return"), "run", tr("Propose, judge and rank candidates"),
        [this] { explore(); });
  r.add("run.cancel", tr("Run"), tr("&Cancel"), key("Ctrl+."), "stop",
        tr("Stop the run now; candidates already judged are kept"), [this] { session_->cancel(); });
  r.add("run.cancel_measuring", tr("Run"), tr("Cancel measurin&g"), {}, {},
        tr("End the measurement now; results so far are kept"), [this] { context_.measurer->cancel(); });
  r.add("run.resume", tr("Run"), tr("&Resume"), key("Ctrl+Shift+Return"), "resume", tr("Resume the shown run"),
        [this] { resume(); });
}

void MainWindow::make_go_actions() {
  Registry& r = *registry_;
  r.add("go.describe", tr("Go"), tr("&Describe the operation"), key("Ctrl+L"), {},
        tr("Move the cursor to the description box"), [this] {
          show_dock("describe");
          describe_->focus_sentence();
        });
  const QStringList by_number = {"candidates", "code", "diff", "verdict", "conversation", "log", "runs"};
  for (const QDockWidget* d : docks_->all()) {
    const QString id = d->objectName();
    if (id == "describe") continue;
    const qsizetype at = by_number.indexOf(id);
    r.add("go." + id, tr("Go"), d->windowTitle(),
          at < 0 ? QKeySequence() : key(qPrintable(QString("Alt+%1").arg(at + 1))), {},
          tr("Show the panel %1").arg(d->windowTitle()), [this, id] { show_dock(id); });
  }
  r.add("go.start", tr("Go"), tr("&Start page"), key("Alt+Home"), {}, tr("Describe an operation on a separate page"),
        [this] { show_start(); });
  r.add("go.quick_open", tr("Go"), tr("&Quick open..."), key("Ctrl+K"), "search",
        tr("Open a run, a candidate, an op, a panel or a setting by its name"), [this] { show_quick_open(); });
  r.add("go.find", tr("Go"), tr("&Find everywhere..."), key("Ctrl+Alt+F"), {},
        tr("Find words in candidates, notes, verdicts, ops, runs, exchanges and the log"), [this] { show_find(); });
  r.add("go.back", tr("Go"), tr("&Back"), key("Ctrl+["), "previous",
        tr("Go back to the candidate or line that was shown before"), [this] { visited_->go(-1); });
  r.add("go.forward", tr("Go"), tr("For&ward"), key("Ctrl+]"), "next",
        tr("Return to the candidate or line that you left with Back"), [this] { visited_->go(1); });
  const auto enable = [this] {
    registry_->action("go.back")->setEnabled(visited_->can_go(-1));
    registry_->action("go.forward")->setEnabled(visited_->can_go(1));
  };
  connect(visited_, &Visited::changed, this, enable);
  enable();
  r.add("go.next", tr("Go"), tr("&Next candidate"), key("Ctrl+Down"), {}, tr("Select the next candidate in the table"),
        [this] { step_candidate(1); });
  r.add("go.previous", tr("Go"), tr("&Previous candidate"), key("Ctrl+Up"), {},
        tr("Select the previous candidate in the table"), [this] { step_candidate(-1); });
}

void MainWindow::make_code_actions() {
  Registry& r = *registry_;
  r.add("code.find", tr("Code"), tr("&Find in code"), key("Ctrl+F"), "search",
        tr("Search the code, listing or comparison that has the focus"), [this] {
          if (SearchHost* host = search_host_of(QApplication::focusWidget())) return host->open_search();
          show_dock("code");
          code_->open_search();
        });
  r.add("code.filter", tr("Code"), tr("Filter c&andidates"), key("Ctrl+Shift+F"), {}, tr("Filter the table by words"),
        [this] { candidates_->focus_filter(); });
  r.add("code.ptx", tr("Code"), tr("Show &PTX"), key("Ctrl+Shift+X"), {}, tr("Show the PTX of the candidate"), [this] {
    show_dock("code");
    code_->show_listing(CodePanel::ptx_listing);
  });
  r.add("code.sass", tr("Code"), tr("Show &machine code"), key("Ctrl+Shift+M"), {},
        tr("Show the machine code (SASS) of the candidate"), [this] {
          show_dock("code");
          code_->show_listing(CodePanel::sass_listing);
        });
  r.add("code.cuda", tr("Code"), tr("Show &CUDA"), key("Ctrl+Shift+C"), {}, tr("Show the candidate's text"), [this] {
    show_dock("code");
    code_->show_listing(CodePanel::cuda);
  });
  r.add("code.copy", tr("Code"), tr("Copy the candidate's &text"), {}, {},
        tr("Copy the whole candidate file to the clipboard"), [this] { copy_code(); });
  r.add("code.next_change", tr("Code"), tr("Next c&hange"), key("F7"), "next", tr("Go to the next change of the diff"),
        [this] {
          show_dock("diff");
          diff_->step(true);
        });
  r.add("code.previous_change", tr("Code"), tr("Previous chan&ge"), key("Shift+F7"), "previous",
        tr("Go to the previous change"), [this] {
          show_dock("diff");
          diff_->step(false);
        });
}

void MainWindow::make_view_actions() {
  Registry& r = *registry_;
  r.add("view.zoom_in", tr("View"), tr("Zoom &in"), key("Ctrl+="), {}, tr("Enlarge all text, including editors"),
        [this] { preferences_->set_zoom(preferences_->zoom() + 10); });
  r.add("view.zoom_out", tr("View"), tr("Zoom &out"), key("Ctrl+-"), {}, tr("Shrink all text, including editors"),
        [this] { preferences_->set_zoom(preferences_->zoom() - 10); });
  r.add("view.zoom_reset", tr("View"), tr("&Normal size"), key("Ctrl+0"), {}, tr("Show all text in its normal size"),
        [this] { preferences_->set_zoom(100); });
  r.add("view.present", tr("View"), tr("&Present"), key("Shift+F11"), {},
        tr("For a class room: the panel with the focus alone, in large type and high contrast; or as before"),
        [this] { present(); });
  r.add("view.full_screen", tr("View"), tr("&Full screen"), key("F11"), {}, tr("Toggle full screen"),
        [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
}

void MainWindow::make_edit_actions() {
  Registry& r = *registry_;
  edit_steps_ = new UndoActions(undo_, this);
  edit_steps_->undo()->setShortcut(QKeySequence::Undo);
  edit_steps_->redo()->setShortcut(key("Ctrl+Shift+Z"));
  r.adopt("edit.undo", tr("Edit"), edit_steps_->undo());
  r.adopt("edit.redo", tr("Edit"), edit_steps_->redo());
}

void MainWindow::make_theme_actions() {
  Registry& r = *registry_;
  theme_group_ = new QActionGroup(this);
  for (const QString& id : Theme::ids()) {
    auto* action = new QAction(Theme::title(id), this);
    action->setCheckable(true);
    action->setData(id);
    action->setStatusTip(tr("Use this theme"));
    theme_group_->addAction(action);
    connect(action, &QAction::triggered, this, [this, id] { set_theme(id); });
    r.adopt("view.theme." + id, tr("Theme"), action);
  }
  r.add("view.next_theme", tr("View"), tr("Next &theme"), key("Ctrl+Shift+T"), "theme",
        tr("Cycle through light, dark and high contrast"), [this] {
          const QStringList ids = {"light", "dark", "high-contrast"};
          set_theme(ids[(ids.indexOf(Theme::instance().current()) + 1) % ids.size()]);
        });
}

void MainWindow::make_layout_actions() {
  Registry& r = *registry_;
  layout_group_ = new QActionGroup(this);
  layout_group_->setExclusionPolicy(QActionGroup::ExclusionPolicy::ExclusiveOptional);  // on the start page: none
  for (std::size_t i = 0; i < layouts().size(); ++i) {
    const Layout& layout = layouts()[i];
    QAction* action = r.add("layout." + layout.id, tr("Workspace"), layout.title,
                            key(qPrintable(QString("Ctrl+%1").arg(i + 1))), {}, layout.summary, [this, id = layout.id] {
                              docks_->choose(id);
                              if (id == "profile")
                                docks_->find("profile")->raise();  // the page, where other tabs hide it
                            });
    action->setCheckable(true);
    layout_group_->addAction(action);
  }
  r.add("view.reset", tr("View"), tr("&Restore the default layout"), {}, {},
        tr("Restore this workspace's default layout"), [this] { docks_->reset(); });
  r.add("view.detach", tr("View"), tr("&Detach or attach the panel"), key("Ctrl+Shift+D"), {},
        tr("Move the focused panel into its own window, or back"), [this] {
          if (!docks_->detach_focused()) statusBar()->showMessage(tr("Click the panel to detach first."), 8000);
        });
  r.add("view.maximise", tr("View"), tr("&Maximise or restore the panel"), key("Ctrl+F11"), {},
        tr("Give the focused panel the whole window, or show the others again; so does a double click on its title"),
        [this] {
          if (!docks_->maximise_focused()) statusBar()->showMessage(tr("Click the panel to maximise first."), 8000);
        });
  r.add("view.notices", tr("View"), tr("&Notices"), {}, "info", tr("Show earlier notices again"),
        [this] { notices_->open(); });
  for (QDockWidget* d : docks_->all()) {
    QAction* toggle = d->toggleViewAction();
    toggle->setStatusTip(tr("Show or hide the panel"));
    r.adopt("view.panel." + d->objectName(), tr("Panels"), toggle);
  }
}

void MainWindow::make_help_actions() {
  Registry& r = *registry_;
  r.add("help.palette", tr("Help"), tr("&Commands..."), key("Ctrl+Shift+P"), "palette",
        tr("Find and run any command by name"), [this] { show_palette(); });
  r.add("help.shortcuts", tr("Help"), tr("&Keyboard shortcuts"), key("F1"), {}, tr("All actions and their keys"),
        [this] { show_settings("keyboard"); });
  r.add("help.about", tr("Help"), tr("&About Warpwright"), {}, {}, tr("Version and licences"),
        [this] { show_about(); });
}

void MainWindow::make_menus() {
  const Registry& r = *registry_;
  const auto menu = [&](const QString& title, const QStringList& ids) {
    QMenu* m = menuBar()->addMenu(title);
    r.fill(m, ids);
    return m;
  };
  QMenu* file = menu(tr("&File"), {"file.open_workspace"});
  QMenu* recent = file->addMenu(tr("&Recent workspaces"));
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { fill_recent(recent); });
  r.fill(file, {"file.open_file", "-", "file.import_bundle", "file.export_bundle", "candidates.export", "-",
                "file.settings", "-", "file.quit"});
  QMenu* edit = menu(tr("&Edit"), {"edit.undo", "edit.redo", "-", "code.find", "code.filter", "code.copy"});
  connect(edit, &QMenu::aboutToShow, edit_steps_, &UndoActions::refresh);
  menu(tr("&Run"), {"run.explore", "run.pause", "run.cancel", "run.resume", "-", "candidates.measure",
                    "candidates.profile", "candidates.baselines", "run.cancel_measuring"});
  QStringList places = {"go.start", "go.describe"};
  for (const QDockWidget* d : docks_->all()) places += "go." + d->objectName();
  places.removeAt(places.indexOf("go.describe", 2));
  menu(tr("&Go"), QStringList{"go.quick_open", "go.find", "-"} + places +
                      QStringList{"-", "go.back", "go.forward", "go.next", "go.previous"});
  menu(tr("&Code"),
       {"code.find", "code.filter", "-", "code.cuda", "code.ptx", "code.copy", "-", "code.keep_tab", "code.close_tab",
        "code.next_tab", "code.previous_tab", "code.beside", "-", "code.next_change", "code.previous_change"});
  QMenu* view = menu(tr("&View"), {});
  view->addActions(layout_group_->actions());
  view->addSeparator();
  QMenu* themes = view->addMenu(tr("&Theme"));
  themes->addActions(theme_group_->actions());
  QMenu* panels = view->addMenu(tr("&Panels"));
  for (QDockWidget* d : docks_->all()) panels->addAction(d->toggleViewAction());
  view->addSeparator();
  r.fill(view, {"view.zoom_in", "view.zoom_out", "view.zoom_reset", "view.full_screen", "view.present", "-",
                "view.next_theme", "view.maximise", "view.detach", "view.reset", "-", "view.notices"});
  menu(tr("&Help"), {"tour.start", "tour.next", "tour.back", "tour.skip", "-", "go.lessons", "-", "help.palette",
                     "help.shortcuts", "-", "help.about"});

  QToolBar* bar = addToolBar(tr("Main toolbar"));
  bar->setObjectName("toolbar");
  bar->setMovable(false);
  bar->setIconSize({16, 16});
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  for (QAction* action : layout_group_->actions()) {
    auto* segment = new QToolButton(bar);
    segment->setDefaultAction(action);
    segment->setProperty("role", "segment");
    segment->setFocusPolicy(Qt::TabFocus);
    name_it(segment, tr("Workspace %1").arg(action->text()), action->toolTip());
    bar->addWidget(segment);
  }
  for (const char* id :
       {"", "run.explore", "run.cancel", "run.resume", "", "file.open_workspace", "", "go.quick_open"}) {
    if (*id)
      bar->addAction(r.action(id));
    else
      bar->addSeparator();
  }
  auto* space = new QWidget(bar);
  space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(space);
  bar->addWidget(make_gpu_button(context_.services.gpu, bar));
  r.action("file.open_workspace")->setIconText(tr("Workspace"));
  for (const char* id : {"help.palette", "view.next_theme"}) {
    r.action(id)->setPriority(QAction::LowPriority);  // an icon alone: the bar fits a window of 1000 points
    bar->addAction(r.action(id));
  }
}

void MainWindow::choose_workspace() {
  const QFileInfo now(session_->folder());
  FolderDialog dialog(this, tr("Open or create a workspace"), now.absolutePath());
  if (dialog.exec() == QDialog::Accepted) open_folder(dialog.chosen());
}

void MainWindow::choose_file() {
  const QString path = FileDialogs::instance().open(
      this, FileKind::input, tr("Open an op spec, a kernel, a module or a bundle"),
      tr("Op specs, kernels, modules, bundles, moments (*.op *.cu *.ptx *.py *.wwb *.wwmoment)"));
  if (!path.isEmpty()) describe_->open_file(path);
}

void MainWindow::set_theme(const QString& id) {
  if (!Theme::instance().apply(id)) report(store::MessageLevel::error, tr("The theme %1 cannot be read.").arg(id));
  for (QAction* action : theme_group_->actions())
    action->setChecked(action->data().toString() == Theme::instance().chosen());
  save_soon();
}

void MainWindow::show_settings(const QString& page) {
  SettingsDialog* dialog = nullptr;
  for (SettingsDialog* one : findChildren<SettingsDialog*>())
    if (one->isVisible()) dialog = one;  // one that was closed is deleted later
  if (!dialog) {
    dialog = new SettingsDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->add_page(
        "general", tr("General"),
        [this] {
          auto* general = new GeneralPage(preferences_, context_.services.gpu);
          connect(general, &GeneralPage::theme_wanted, this, &MainWindow::set_theme);
          return general;
        },
        tr("theme light dark high contrast system zoom text code font size notifications run ended restore session "
           "start modelled target GPU device default budget candidates"));
    dialog->add_page(
        "keyboard", tr("Keyboard"),
        [this] {
          connect(registry_, &Registry::keys_changed, this, &MainWindow::save_soon, Qt::UniqueConnection);
          return new KeysPage(registry_);
        },
        tr("keyboard shortcuts keys actions commands"));
    dialog->add_page(
        "models", tr("Models"), [this] { return make_models_page(); },
        tr("models services keys keychain this session only hosts consent prices OpenAI Anthropic"));
    dialog->add_page(
        "roles", tr("Model roles"), [this] { return make_roles_page(); },
        tr("roles writer fixer analyst formulator reviewer effort temperature fallback tokens models.json"));
  }
  dialog->show_page(page);
  dialog->open();
}

void MainWindow::copy_code() {
  QApplication::clipboard()->setText(code_->source()->text());
  statusBar()->showMessage(tr("The candidate's text is on the clipboard."), 4000);
}

void MainWindow::step_candidate(int step) {
  QTableView* table = candidates_->table();
  const int rows = table->model()->rowCount();
  if (rows == 0) return;
  const int row = table->currentIndex().isValid() ? qBound(0, table->currentIndex().row() + step, rows - 1) : 0;
  table->selectRow(row);
  table->scrollTo(table->model()->index(row, 0));
}

}  // namespace ww::widgets
