// SPDX-License-Identifier: GPL-3.0-or-later
// What panels are made with, without the main window: a session with the scripted engine, the table of candidates that
// follows it, and a window to put panels into.
#pragma once
#include <QBoxLayout>
#include <QMainWindow>
#include <QTemporaryDir>
#include <QUndoStack>
#include <QtTest>
#include "session/actions/registry.h"
#include "session/context.h"
#include "session/models/candidate_model.h"
#include "session/selection.h"
#include "session/session.h"
#include "widgets/fake_engine.h"
#include "widgets/pictures.h"

namespace ww::test {

struct PanelFixture {
  explicit PanelFixture(std::shared_ptr<FakeEngine> with = std::make_shared<FakeEngine>())
      : PanelFixture(with, FakeEngine::services(with)) {}
  PanelFixture(std::shared_ptr<FakeEngine> with, const widgets::Services& services)
      : engine(std::move(with)), session(services), context{services, &session, &selection, &model, &registry, &undo} {
    auto* holder = new QWidget(&window);
    layout = new QVBoxLayout(holder);
    layout->setContentsMargins(0, 0, 0, 0);
    window.setCentralWidget(holder);
    window.resize(900, 560);
    QObject::connect(&session, &widgets::Session::run_shown, &model,
                     [this](const std::shared_ptr<const widgets::RunView>& run) {
                       selection.clear();
                       if (run)
                         model.reset(run->rows);
                       else
                         model.clear();
                     });
    QObject::connect(&session, &widgets::Session::events, &model,
                     [this](const std::vector<explore::Event>& batch, bool shown) {
                       if (shown) model.apply(batch);
                     });
    QObject::connect(&session, &widgets::Session::annotated, &model, &widgets::CandidateModel::annotate);
  }
  ~PanelFixture() { engine->release(); }
  template <class Panel>
  Panel* show(Panel* panel) {
    layout->addWidget(panel);
    window.show();
    if (!QTest::qWaitForWindowExposed(&window)) qFatal("no window");
    return panel;
  }
  bool open() {
    session.open_workspace(folder.filePath("workspace"));
    return QTest::qWaitFor([this] { return session.ready(); }, 20000);
  }
  static generator::RunOptions options(int candidates) {
    generator::RunOptions o;
    o.spec = FakeEngine::softmax();
    o.budget.candidates = candidates;
    return o;
  }
  bool run(int candidates = 6) {  // to its end
    engine->candidates = candidates;
    return session.explore(options(candidates)) &&
           QTest::qWaitFor([&] { return !session.running() && model.judged() == candidates; }, 20000);
  }
  template <class T>
  T* child(const char* name) {
    T* found = window.findChild<T*>(name);
    if (!found) qFatal("no child %s", name);
    return found;
  }
  void picture(const QString& name) { save_picture(window, name); }

  QTemporaryDir folder;
  std::shared_ptr<FakeEngine> engine;
  QMainWindow window;
  QVBoxLayout* layout;
  widgets::Session session;
  widgets::Selection selection;
  widgets::CandidateModel model;
  widgets::Registry registry{&window};
  QUndoStack undo;
  widgets::Context context;
};

}  // namespace ww::test
