// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/actions/find_dialog.h"
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>
#include "session/models/log_model.h"
#include "session/session.h"
#include "parts/theme/controls.h"
#include "parts/theme/elide_label.h"

namespace ww::widgets {

FindDialog::FindDialog(const Context& context, const LogModel* log, QWidget* parent)
    : QDialog(parent), context_(context), log_(log) {
  setObjectName("find_everywhere");
  setWindowTitle(tr("Find everywhere"));
  resize(760, 480);
  auto* column = new QVBoxLayout(this);
  words_ = make_search(this, "find_words", tr("Words in candidates, notes, verdicts, ops, runs, exchanges and the log"),
                       tr("Words to find"));
  sentence_ = make_elided(this, "find_sentence", "muted");
  list_ = with_id(new QTreeWidget(this), "find_results");
  list_->setHeaderLabels({tr("What"), tr("Where"), tr("Text")});
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setAllColumnsShowFocus(true);
  list_->setColumnWidth(0, 220);
  list_->setColumnWidth(1, 90);
  name_it(list_, tr("Results"), tr("Return opens the result"));
  column->addWidget(words_);
  column->addWidget(sentence_);
  column->addWidget(list_, 1);
  delay_ = make_timer(this, 150, [this] { search(); });
  words_->installEventFilter(this);
  connect(words_, &QLineEdit::textChanged, delay_, qOverload<>(&QTimer::start));
  connect(words_, &QLineEdit::returnPressed, this, &FindDialog::go);
  connect(list_, &QTreeWidget::itemActivated, this, &FindDialog::go);
  search();
}

FindDialog::~FindDialog() { *stop_ = true; }

void FindDialog::focus_words() {
  words_->setFocus();
  words_->selectAll();
}

bool FindDialog::eventFilter(QObject* object, QEvent* event) {
  if (object == words_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Down || key == Qt::Key_Up) {
      const int row = list_->indexOfTopLevelItem(list_->currentItem()) + (key == Qt::Key_Down ? 1 : -1);
      if (QTreeWidgetItem* item = list_->topLevelItem(row)) list_->setCurrentItem(item);
      return true;
    }
  }
  return QDialog::eventFilter(object, event);
}

void FindDialog::search() {
  const QString words = words_->text().trimmed();
  *stop_ = true;
  stop_ = std::make_shared<std::atomic<bool>>(false);
  if (words.size() < 2) {
    job_.forget();
    show_result({}, words);
    return;
  }
  sentence_->set_text(tr("Looking for \"%1\"...").arg(words));
  job_.submit([this, words, stop = stop_, language = context_.services.language,
               workspace = context_.session->workspace()]() -> LatestJob::Deliver {
    auto result = std::make_shared<const FindResult>(find_in_workspace(*language, workspace.get(), words, *stop));
    return [this, result, words] { show_result(*result, words); };
  });
}

void FindDialog::show_result(const FindResult& result, const QString& words) {
  found_ = result.found;
  const QStringList parts = words.split(' ', Qt::SkipEmptyParts);
  for (int i = 0; words.size() >= 2 && log_ && i < log_->rowCount() && found_.size() < most_found; ++i) {
    const QString text = log_->index(i, 1).data().toString();
    if (has_words(text, parts)) {
      Found line;
      line.kind = Found::Kind::log;
      line.title = tr("Log");
      line.where = log_->index(i, 0).data().toString();
      line.excerpt = excerpt_of(text, parts);
      found_.push_back(line);
    }
  }
  list_->clear();
  QList<QTreeWidgetItem*> items;
  for (const Found& one : found_) {
    auto* item = new QTreeWidgetItem({one.title, one.where, one.excerpt});
    for (int i = 0; i < 3; ++i) item->setToolTip(i, item->text(i));
    items.append(item);
  }
  list_->addTopLevelItems(items);
  if (!items.isEmpty()) list_->setCurrentItem(items.first());
  if (!result.problem.isEmpty())
    sentence_->set_text(result.problem);
  else if (words.size() < 2)
    sentence_->set_text(tr("Type at least two letters. All words must occur on one line."));
  else if (found_.empty())
    sentence_->set_text(tr("No matches."));
  else
    sentence_->set_text(result.more ? tr("The first %1 matches. Add words to narrow the search.").arg(found_.size())
                                    : counted(static_cast<int>(found_.size()), tr("place"), tr("places")));
}

void FindDialog::go() {
  const int row = list_->indexOfTopLevelItem(list_->currentItem());
  if (row >= 0 && static_cast<std::size_t>(row) < found_.size()) emit chosen(found_[static_cast<std::size_t>(row)]);
}

}  // namespace ww::widgets
