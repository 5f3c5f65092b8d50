// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of candidates in a window of its own, with an engine that follows a script.
#pragma once
#include <QTableView>
#include <QTemporaryDir>
#include <QUndoStack>
#include <QVBoxLayout>
#include <QtTest>
#include "panels/candidates/candidate_panel.h"
#include "session/actions/registry.h"
#include "session/marks.h"
#include "session/selection.h"
#include "widgets/fake_engine.h"

namespace ww::test {

// A session with a scripted engine, and the panel in a window of its own.
struct CandidatesBench {
  QTemporaryDir folder;
  std::shared_ptr<FakeEngine> engine = std::make_shared<FakeEngine>();
  std::string spec = FakeEngine::softmax();  // that run() explores
  QWidget window;
  widgets::Session* session = new widgets::Session(FakeEngine::services(engine), &window);
  widgets::Selection* selection = new widgets::Selection(&window);
  QUndoStack* undo = new QUndoStack(&window);
  widgets::Registry* registry = new widgets::Registry(&window);
  widgets::CandidatePanel* panel = new widgets::CandidatePanel(&window);
  widgets::Context context{FakeEngine::services(engine), session, selection, panel->model(), registry, undo};

  CandidatesBench() {
    (new QVBoxLayout(&window))->addWidget(panel);
    panel->connect_to(context);
    QObject::connect(session, &widgets::Session::run_shown, panel,
                     [this](const std::shared_ptr<const widgets::RunView>& run) {
                       selection->clear();
                       if (run)
                         panel->model()->reset(run->rows);
                       else
                         panel->model()->clear();
                     });
    QObject::connect(session, &widgets::Session::events, panel,
                     [this](const std::vector<explore::Event>& batch, bool shown) {
                       if (shown) panel->model()->apply(batch);
                     });
    QObject::connect(session, &widgets::Session::annotated, panel->model(), &widgets::CandidateModel::annotate);
    QObject::connect(panel, &widgets::CandidatePanel::candidate_selected, selection, &widgets::Selection::set_current);
    QObject::connect(selection, &widgets::Selection::current_changed, panel, [this](std::int64_t id) {
      if (id != 0) panel->select(id);
    });
    window.resize(1280, 500);
    window.show();
    session->open_workspace(folder.filePath("workspace"));
  }
  ~CandidatesBench() {
    panel->disconnect();
    delete panel;  // marks are written before the session goes
    delete session;
  }
  void run(int candidates) {
    QTRY_VERIFY(session->ready());
    generator::RunOptions options;
    options.spec = spec;
    options.generator = "search";
    options.device = "simt";
    options.budget.candidates = candidates;
    engine->candidates = candidates;
    QVERIFY(session->explore(options));
    QTRY_VERIFY(!session->running() && panel->model()->judged() == candidates);
  }
  QList<std::int64_t> ids() const {
    QList<std::int64_t> list;
    for (int i = 0; i < panel->filter()->rowCount(); ++i)
      list.append(panel->filter()->index(i, 0).data(widgets::CandidateModel::IdRole).toLongLong());
    return list;
  }
  QString cell(std::int64_t id, int column) const {
    return panel->model()->index(panel->model()->row_of(id), column).data().toString();
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    window.activateWindow();
    panel->table()->setFocus();
    QVERIFY(QTest::qWaitFor([this] {  // a window that was just activated gives the focus back to who had it
      panel->table()->setFocus();
      return panel->table()->hasFocus();
    }));
    QTest::keyClick(panel->table(), key, modifiers);
  }
  std::vector<store::MarkRecord> stored(std::int64_t run) { return session->workspace()->marks(run).value(); }
  void picture(const QString& name) {
    QDir().mkpath(WW_BINARY_DIR "/screenshots");
    QTest::qWait(50);
    QVERIFY(window.grab().save(WW_BINARY_DIR "/screenshots/" + name + ".png"));
  }
  template <class T>
  T* child(const char* name) {
    return window.findChild<T*>(name);
  }
};

}  // namespace ww::test
