// SPDX-License-Identifier: GPL-3.0-or-later
// The panels Review and Receipt with what a window gives them, and how a person answers the checklist.
#pragma once
#include <QCheckBox>
#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTemporaryDir>
#include <QToolButton>
#include <QUndoStack>
#include <QtTest>
#include "panels/review/question_box.h"
#include "panels/review/receipt_panel.h"
#include "panels/review/review_panel.h"
#include "parts/theme/facts_view.h"
#include "parts/theme/theme.h"
#include "review/review_world.h"
#include "session/actions/registry.h"
#include "session/models/candidate_model.h"
#include "session/reviewer.h"
#include "session/selection.h"
#include "session/services.h"
#include "session/session.h"

namespace ww::test {

using namespace widgets;

// Workspaces with a run each, and a folder of one's own for the signing key.
struct ReviewFolders {
  QTemporaryDir dir_;
  int folders_ = 0;
  review_world::Made made_;
  QString fresh() {
    const QString folder = dir_.filePath("w" + QString::number(++folders_));
    auto w = review_world::opened(folder.toStdString());
    made_ = review_world::fill(*w);
    return folder;
  }
  bool begin() {
    qputenv("WARPWRIGHT_CONFIG", dir_.filePath("config").toUtf8());
    return Theme::instance().apply("light");
  }
};

// The two panels with what a window gives them.
struct Bench {
  explicit Bench(const QString& folder, QSize size = {900, 760}) : session(services), registry(&window) {
    context = {services, &session, &selection, &candidates, &registry, &undo};
    auto* split = new QSplitter(&window);
    review = new ReviewPanel(context, split);
    receipt = new ReceiptPanel(context, split);
    review->reviewer()->set_judge(
        [](const review::Dossier& d) -> Result<evidence::Verdict> { return *d.candidate.verdict; });
    window.setCentralWidget(split);
    window.resize(size);
    split->setSizes({size.width() / 2, size.width() / 2});
    session.open_workspace(folder);
    window.show();
  }
  bool ready(std::int64_t run, std::int64_t candidate) {
    if (!QTest::qWaitFor([&] { return session.ready(); }, 10000)) return false;
    session.show_run(run);
    if (!QTest::qWaitFor([&] { return session.shown_run() == run; }, 10000)) return false;
    selection.set_current(candidate);
    return shows(candidate);
  }
  bool shows(std::int64_t candidate) {
    return QTest::qWaitFor(
        [&] {
          return review->reviewer()->view() && review->reviewer()->view()->candidate == candidate &&
                 !review->reviewer()->busy();
        },
        10000);
  }
  template <class T>
  T* find(const char* name) {
    return window.findChild<T*>(name);
  }
  QString state() { return find<QLabel>("review_state")->text(); }
  bool becomes(const QString& wanted) {
    return QTest::qWaitFor([&] { return state() == wanted && !review->reviewer()->busy(); }, 10000);
  }
  QString history() { return find<FactsView>("review_history")->toPlainText(); }
  bool history_says(const QString& part) {
    return QTest::qWaitFor([&] { return history().contains(part); }, 10000);
  }
  void click(const char* button) { QTest::mouseClick(find<QPushButton>(button), Qt::LeftButton); }
  void type(const char* field, const QString& text) {
    auto* edit = find<QWidget>(field);
    edit->setFocus();
    QTest::keyClicks(edit, text);
  }

  Services services;
  QMainWindow window;
  Session session;
  Selection selection;
  CandidateModel candidates;
  Registry registry;
  QUndoStack undo;
  Context context;
  ReviewPanel* review;
  ReceiptPanel* receipt;
};

// As a person: on the words of the link.
inline bool click_link(FactsView* view, const QString& words) {
  const QTextCursor found = view->document()->find(words);
  if (found.isNull()) return false;
  QTextCursor begin(view->document());
  begin.setPosition(found.selectionStart() + 1);
  if (auto* area = view->window()->findChild<QScrollArea*>("review_scroll"); area && area->isAncestorOf(view)) {
    const QPoint at = view->mapTo(area->widget(), view->cursorRect(begin).center());
    area->ensureVisible(at.x(), at.y());
  }
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->cursorRect(begin).center() + QPoint(3, 0));
  return true;
}

inline void open_question(Bench& b, const QString& item) {
  QuestionBox* box = b.review->box(item);
  if (!box->open()) QTest::mouseClick(box->opener(), Qt::LeftButton);
  QTest::qWait(0);
}

// Reads a question to the end of its facts, opens what it asks for, and answers it.
inline bool answer_question(Bench& b, const QString& item, const QString& words = {}) {
  open_question(b, item);
  QuestionBox* box = b.review->box(item);
  for (int stage = 0; stage < 20 && click_link(box->facts(), "Open the evidence"); ++stage) QTest::qWait(0);
  auto* bar = b.find<QScrollArea>("review_scroll")->verticalScrollBar();
  if (!QTest::qWaitFor(
          [&] {
            if (!box->tick()->isEnabled()) bar->setValue(std::min(bar->value() + 40, bar->maximum()));
            return box->tick()->isEnabled();
          },
          5000))
    return false;
  if (!words.isEmpty()) QTest::keyClicks(box->words(), words);
  if (box->answered()) return false;  // words alone may be a denial
  QTest::mouseClick(box->tick(), Qt::LeftButton, {}, QPoint(8, box->tick()->height() / 2));
  return box->answered();
}

inline bool answer_all(Bench& b) {
  for (const char* item : {"spec", "evidence", "findings", "lines", "diff", "limits"})
    if (b.review->box(item) &&
        !answer_question(b, item, QLatin1String(item) == "findings" ? "fast-math is wanted" : QString()))
      return false;
  return true;
}

}  // namespace ww::test
