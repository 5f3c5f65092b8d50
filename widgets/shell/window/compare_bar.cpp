// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/compare_bar.h"
#include <QEvent>
#include <QFileInfo>
#include <QMainWindow>
#include <QMimeData>
#include <QToolBar>
#include <QToolButton>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "session/actions/registry.h"
#include "session/compared_names.h"
#include "session/models/candidate_model.h"
#include "session/selection.h"
#include "session/session.h"

namespace ww::widgets {

namespace {
constexpr int chip_gap = 6;           // between chips
constexpr int least_chip_words = 24;  // of a name; with less room its number says more
}  // namespace

CompareBar::CompareBar(const Context& context, QMainWindow* window)
    : QObject(window), context_(context), window_(window) {
  window_->addToolBarBreak();
  bar_ = window_->addToolBar(tr("Comparison"));
  bar_->setObjectName("compare_bar");
  bar_->setMovable(false);
  bar_->toggleViewAction()->setVisible(false);
  make_content();
  bar_->installEventFilter(this);
  new DropTarget(bar_, {.takes = [](const QMimeData& data) { return data.hasFormat(CandidateModel::mime_type); },
                        .drop = [this](const QMimeData& data,
                                       const QPointF&) { return drop(data.data(CandidateModel::mime_type)); }});
  connect(context_.compared, &ComparedNames::changed, this, &CompareBar::update);
  connect(context_.session, &Session::run_shown, this, &CompareBar::update);
  connect(context_.session, &Session::state_changed, this, &CompareBar::settle);
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    for (CompareChip* chip : chips_) chip->restyle();
    one_row_ = 0;
    fit();
  });
  context_.registry->add("comparison.focus", tr("Comparison"), tr("&Go to the comparison"), {}, {},
                         tr("Move the focus to the bar of compared candidates"), [this] { focus(); });
  update();
}

void CompareBar::make_content() {
  auto* content = new QWidget(bar_);
  content->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  content->setAccessibleName(tr("Compared candidates"));
  auto* row = make_row(content, {grid::half, 0, grid::half, 0});
  auto* title = make_label(content, "compare_title", "muted");
  title->setText(tr("Comparing"));
  flow_ = with_id(new QWidget(content), "compare_flow");
  flow_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  new FlowLayout(flow_, chip_gap);
  flow_->installEventFilter(this);
  clear_ = make_tool(content, "compare_clear", tr("Clear"), tr("Clear the comparison"),
                     tr("Take all candidates out of the comparison"));
  clear_->setFocusPolicy(Qt::TabFocus);
  connect(clear_, &QToolButton::clicked, this, [this] {
    context_.selection->set_places({});
    context_.selection->set_baseline(0);  // else it would come back with the next one
  });
  row->addWidget(title, 0, Qt::AlignVCenter);
  row->addWidget(flow_, 1, Qt::AlignVCenter);
  none_ = make_label(content, "compare_none", "muted");
  none_->setText(tr("nothing yet: select a row and press Space, or drop rows here"));
  row->insertWidget(1, none_, 0, Qt::AlignVCenter);
  row->addWidget(clear_, 0, Qt::AlignVCenter);
  bar_->addWidget(content);
}

CompareChip* CompareBar::make_chip() {
  auto* chip = new CompareChip(flow_);
  flow_->layout()->addWidget(chip);
  const int at = static_cast<int>(chips_.size());
  connect(chip, &CompareChip::chosen, this, &CompareBar::choose);
  connect(chip, &CompareChip::compare_wanted, this, &CompareBar::compare);
  connect(chip, &CompareChip::step_wanted, this, [this, at](int by) { step(at, by); });
  connect(chip, &CompareChip::baseline_wanted, this,
          [this](std::int64_t id) { context_.selection->set_baseline(context_.selection->baseline() == id ? 0 : id); });
  connect(chip, &CompareChip::diff_wanted, this, [this](std::int64_t id) {
    context_.selection->set_baseline(id);
    context_.registry->trigger("diff.baseline");
  });
  return chip;
}

void CompareBar::update() {
  const Selection& s = *context_.selection;
  QList<std::int64_t> ids = s.compared();
  if (!ids.isEmpty())
    for (const std::int64_t id : {s.current(), s.baseline()})
      if (id != 0 && !ids.contains(id)) ids.append(id);
  while (chips_.size() > ids.size()) {
    CompareChip* last = chips_.takeLast();
    if (last->name()->hasFocus() && !chips_.isEmpty()) chips_.last()->name()->setFocus();
    last->hide();
    last->deleteLater();
  }
  while (chips_.size() < ids.size()) chips_.append(make_chip());
  const auto number_text = [&](std::int64_t id, const ComparedName& name) {
    const QString number = QStringLiteral("#%1").arg(number_of(id));
    const auto same = [id](std::int64_t other) { return other != id && number_of(other) == number_of(id); };
    return name.folder.isEmpty() || std::ranges::none_of(ids, same)
               ? number
               : QStringLiteral("%1 \u00b7 %2").arg(number, harmless(QFileInfo(name.folder).fileName()));
  };
  for (qsizetype i = 0; i < ids.size(); ++i) {
    const ComparedName name = context_.compared->of(ids[i]);
    chips_[i]->show_face({.candidate = ids[i],
                          .place = s.place(ids[i]),
                          .text = context_.compared->text(ids[i]),
                          .number = number_text(ids[i], name),
                          .words = name.words,
                          .tip = name.run == 0           ? name.title
                                 : name.folder.isEmpty() ? tr("%1\nRun %2").arg(name.title).arg(name.run)
                                                         : tr("%1\nRun %2 of %3\nPress to open that workspace")
                                                               .arg(name.title)
                                                               .arg(name.run)
                                                               .arg(harmless(name.folder)),
                          .current = ids[i] == s.current(),
                          .baseline = ids[i] == s.baseline()});
    chips_[i]->show();
  }
  settle();
  fit();
}

void CompareBar::settle() {
  if (!window_->toolBarBreak(bar_)) window_->insertToolBarBreak(bar_);
  const bool compares = !context_.selection->compared().isEmpty();
  none_->setVisible(!compares);
  clear_->setEnabled(compares);
  bar_->setVisible(compares || context_.session->shown_run() != 0 || context_.session->running());
}

// One row of chips, so that a chip that comes moves nothing below the bar: where they become too many, each says less.
void CompareBar::fit() {
  if (one_row_ == 0) {
    CompareChip chip(flow_);
    chip.show_face({.candidate = 1, .place = 0, .text = "#1", .number = "#1"});
    one_row_ = chip.sizeHint().height();
  }
  const auto height_at = [this](CompareChip::Density density, int room = 0) {
    for (CompareChip* chip : chips_) chip->set_density(density, room);
    flow_->layout()->invalidate();
    return flow_->layout()->heightForWidth(flow_->width());
  };
  using enum CompareChip::Density;
  int height = height_at(full);
  if (height > one_row_) {
    int widest = 0, left = flow_->width() + chip_gap;  // for the names
    for (const CompareChip* chip : chips_) {
      widest = std::max(widest, chip->name_width(full));
      left -= chip->sizeHint().width() - chip->name()->minimumWidth() + chip_gap;
    }
    const auto fits = [&](int room) {
      int sum = 0;
      for (const CompareChip* chip : chips_) sum += chip->name_width(elided, room);
      return sum <= left;
    };
    int room = widest;
    while (room > least_chip_words && !fits(room)) room -= 4;
    height = fits(room) ? height_at(elided, room) : height_at(number);
    if (height > one_row_) height = height_at(number);
    if (height > one_row_) height = height_at(bare);
  }
  flow_->setFixedHeight(std::max(one_row_, height));
}

void CompareBar::focus() {
  if (!chips_.isEmpty()) chips_.first()->name()->setFocus(Qt::ShortcutFocusReason);
}

void CompareBar::step(int from, int by) {
  const int to = from + by;
  if (to >= 0 && to < chips_.size()) chips_[to]->name()->setFocus(Qt::TabFocusReason);
}

void CompareBar::compare(std::int64_t candidate, bool on) {
  if (!context_.selection->compare(candidate, on))
    emit refused(tr("At most %1 candidates can be compared; remove one first.").arg(Selection::most_compared));
}

bool CompareBar::drop(const QByteArray& dragged) {
  for (const QByteArray& id : dragged.split('\n'))
    if (context_.candidates->row_of(id.toLongLong()) >= 0) compare(id.toLongLong(), true);
  return true;
}

void CompareBar::choose(std::int64_t candidate) {
  const ComparedName name = context_.compared->of(candidate);
  const std::int64_t run = name.run;
  if (context_.candidates->row_of(candidate) >= 0)
    context_.selection->set_current(candidate);
  else if (!name.folder.isEmpty())
    emit elsewhere_wanted(name.folder, run, number_of(candidate));
  else if (run != 0)
    emit candidate_wanted(run, candidate);
}

bool CompareBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched == flow_ && event->type() == QEvent::Resize) fit();
  if (watched == bar_ && event->type() == QEvent::StyleChange) {
    one_row_ = 0;
    fit();
  }
  if (watched == bar_ &&
      (event->type() == QEvent::Resize || event->type() == QEvent::Show || event->type() == QEvent::Hide))
    emit resized();
  return QObject::eventFilter(watched, event);
}

}  // namespace ww::widgets
