// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/query_edit.h"
#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QScrollBar>
#include <QStringListModel>
#include <QTimer>
#include "parts/theme/controls.h"

namespace ww::widgets {

QueryEdit::QueryEdit(QWidget* parent)
    : QLineEdit(parent),
      completer_(new QCompleter(this)),
      words_(new QStringListModel(this)),
      wait_(new QTimer(this)),
      patience_(new QTimer(this)) {
  setClearButtonEnabled(true);
  setPlaceholderText(tr("Filter: state:proved regs<64 tiled"));
  name_it(this, tr("Filter candidates"), query_help());
  completer_->setModel(words_);
  completer_->setWidget(this);
  completer_->setCompletionMode(QCompleter::UnfilteredPopupCompletion);  // offer() filters
  completer_->popup()->setAccessibleName(tr("Completions of the filter"));
  connect(completer_, QOverload<const QString&>::of(&QCompleter::activated), this, &QueryEdit::complete);
  for (QTimer* timer : {wait_, patience_}) timer->setSingleShot(true);
  patience_->setInterval(600);
  connect(wait_, &QTimer::timeout, this, &QueryEdit::read);
  connect(patience_, &QTimer::timeout, this, [this] { say(pending_); });
  connect(this, &QLineEdit::textChanged, this, [this] {
    if (delay_ == 0)
      read();
    else
      wait_->start(delay_);
  });
  connect(this, &QLineEdit::textEdited, this, &QueryEdit::offer);
}

void QueryEdit::read() {
  const ParsedQuery query = parse_query(text());
  patience_->stop();
  pending_.clear();
  if (query.error.isEmpty()) {
    say({});
    emit query_changed(query);
    return;
  }
  // What stands before the wrong term holds ("regs", "regs<"), and not what the beginning of that term meant as a word.
  int begin = query.at;
  while (begin > 0 && !text()[begin - 1].isSpace()) --begin;
  pending_ = tr("At character %1: %2").arg(query.at + 1).arg(query.error);
  if (const ParsedQuery rest = parse_query(text().left(begin)); rest.error.isEmpty()) {
    emit query_changed(rest);
    if (!rest.empty) pending_ += tr(" The table is filtered by “%1”.").arg(text().left(begin).trimmed());
  }
  if (!problem_.isEmpty())
    say(pending_);
  else
    patience_->start();
}

void QueryEdit::say(const QString& sentence) {
  if (sentence == problem_) return;
  problem_ = sentence;
  emit problem_changed(sentence);
}

int QueryEdit::word_begin() const {
  int begin = cursorPosition();
  while (begin > 0 && !text()[begin - 1].isSpace() && text()[begin - 1] != '(') --begin;
  while (begin < cursorPosition() && (text()[begin] == '-' || text()[begin] == '!')) ++begin;
  return begin;
}

void QueryEdit::offer() {
  const int begin = word_begin();
  const QString word = text().mid(begin, cursorPosition() - begin);
  QStringList list;
  const qsizetype colon = word.indexOf(':');
  for (const QueryKey& key : query_keys()) {
    const QString name = QLatin1String(key.key);
    if (colon < 0) {
      list += key.number ? name + "<" : name + ":";
    } else if (word.left(colon).compare(name, Qt::CaseInsensitive) == 0) {
      for (const QString& value : key.values) list += name + ":" + value;
      if (key.field == QueryField::tag && tags_)
        for (const QString& tag : tags_()) list += name + ":" + (tag.contains(' ') ? "\"" + tag + "\"" : tag);
    }
  }
  QStringList fitting;
  for (const QString& entry : list)
    if (QString(entry).remove('"').startsWith(QString(word).remove('"'), Qt::CaseInsensitive) &&
        entry.compare(word, Qt::CaseInsensitive) != 0)
      fitting += entry;
  if (word.isEmpty() || fitting.isEmpty()) {
    completer_->popup()->hide();
    return;
  }
  words_->setStringList(fitting);
  completer_->setCompletionPrefix({});
  QRect at = cursorRect();
  at.setWidth(completer_->popup()->sizeHintForColumn(0) + completer_->popup()->verticalScrollBar()->sizeHint().width() +
              24);
  completer_->complete(at);
}

void QueryEdit::complete(const QString& word) {
  const int begin = word_begin();
  QString whole = text();
  whole.replace(begin, cursorPosition() - begin, word);
  setText(whole);
  setCursorPosition(begin + static_cast<int>(word.size()));
  completer_->popup()->hide();
}

void QueryEdit::keyPressEvent(QKeyEvent* event) {
  if (completer_->popup()->isVisible()) {
    switch (event->key()) {
      case Qt::Key_Tab:
      case Qt::Key_Return:
      case Qt::Key_Enter:
        if (completer_->popup()->currentIndex().isValid()) {
          event->ignore();  // handled by the popup
          return;
        }
        completer_->popup()->hide();
        break;
      case Qt::Key_Escape: completer_->popup()->hide(); return;
      default: break;
    }
  } else if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier) {
    offer();
    return;
  } else if (event->key() == Qt::Key_Escape && !text().isEmpty()) {
    clear();
    return;
  }
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    wait_->stop();
    read();
    if (!pending_.isEmpty()) say(pending_);
  }
  QLineEdit::keyPressEvent(event);
}

}  // namespace ww::widgets
