// SPDX-License-Identifier: GPL-3.0-or-later
// The lessons: a list with what each teaches and how far the student is, and a page to read one, answer its questions
// and have its tasks' kernels judged.
#pragma once
#include <QHash>
#include <QWidget>
#include <array>
#include <functional>
#include "session/context.h"
#include "session/lessons.h"
#include "session/step_session.h"

class QLineEdit;
class QPushButton;
class QScrollArea;
class QStackedLayout;
class QToolButton;
class QVBoxLayout;

namespace ww::widgets {

class Label;
class ScrollAnchor;
class StepPicture;
class TaskView;
struct Passage;

class LessonsPanel : public QWidget {
  Q_OBJECT
 public:
  explicit LessonsPanel(const Context& context, QWidget* parent = nullptr);
  ~LessonsPanel() override;
  Lessons* lessons() const { return lessons_; }
  QString shown() const { return shown_; }  // the lesson's name; empty: the list
  void open(const QString& name);           // when the lessons are loaded
  void show_list();
  void show_glossary(const QString& term = {});  // at the term
  void show_advice(const QString& id);           // the page of a rule of the profiler
  // All three say what came of it above the list.
  void import_class(const QString& file);                       // a package
  void pack_class(const QString& folder, const QString& file);  // the lessons NAME.md there
  void export_results(const QString& file);                     // one's own: CSV, or JSON by the file's name

 signals:
  void step_wanted(const ww::stepping::SteppedLaunch& subject, const ww::widgets::StepStart& start,
                   const QString& title);
  void beside_wanted(const std::array<ww::stepping::SteppedLaunch, 2>& subjects, const std::array<QString, 2>& titles);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void keep_drafts();
  void fill_list();
  void fill_found(const QString& words);
  QVBoxLayout* begin_page(const QString& shown);
  static void fit(QWidget* page);
  void end_page();
  void follow(const QString& target);  // a link: ".../lessons/NAME.md", ".../advice/ID.md"
  QToolButton* make_class_menu(Registry* registry);
  void say(const QString& text, const char* role);  // "ok" or "error", above the list
  void on_loaded();
  void draw_again();
  void keep_place();
  void restore_place();
  void update_done();
  void add_passage(const Passage& passage);
  void draw_pictures(const lesson::Lesson& lesson);
  void add_part(const lesson::Lesson& lesson, const lesson::Part& part, int& questions, int& tasks);
  void step_through(const lesson::Task& task, const std::string& kernel, const QString& title);
  void step_beside_start(const lesson::Task& task, const std::string& kernel);
  void with_subject(const lesson::Task& task, const std::string& kernel, const op::Binding& sizes,
                    std::function<void(const stepping::SteppedLaunch&)> then);
  const lesson::Lesson* find(const QString& name) const;
  Lessons* lessons_;
  QStackedLayout* pages_;
  Label* problem_;
  QScrollArea *list_area_ = nullptr, *page_area_ = nullptr;
  QVBoxLayout *list_, *page_ = nullptr;
  QPushButton *back_, *next_;
  QHash<QString, Label*> done_;  // of the list, by lesson
  QHash<QString, QPushButton*> titles_;
  QHash<int, TaskView*> tasks_;   // of the shown lesson
  QList<StepPicture*> pictures_;  // likewise
  QString shown_, pending_;       // pending: to be opened when the lessons are loaded
  QString news_;                  // to be said then
  ScrollAnchor* anchor_ = nullptr;
  int wanted_place_ = 0;        // to be scrolled to once the page is long enough
  QHash<QString, int> places_;  // where each lesson was left, in pixels
  lesson::Lesson drawn_;        // as its page shows it
  QLineEdit* search_;
  bool asked_ = false;
  std::stop_source stop_;  // of the pictures' job
  std::shared_ptr<rpc::Supervisor> worker_;
  LatestJob drawer_, stepper_;  // last members: they end before the others are destroyed
};

}  // namespace ww::widgets
