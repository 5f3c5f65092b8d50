// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/advice/advice_panel.h"
#include <qcustomplot.h>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <utility>
#include "session/actions/registry.h"
#include "panels/advice/advice_card.h"
#include "panels/profile/series_style.h"
#include "session/baseline_profile.h"
#include "session/models/candidate_model.h"
#include "session/reviewer.h"
#include "session/selection.h"
#include "session/session.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {
namespace {

// The card already has the page's title; headings are no larger than the text around them.
QString page_text(const QString& markdown) {
  QStringList out;
  bool code = false;
  for (const QString& line : markdown.split('\n')) {
    if (line.startsWith("```")) code = !code;
    if (!code && (line.startsWith("# ") || line.startsWith("<!--"))) continue;
    out.append(!code && line.startsWith("## ") ? "**" + line.mid(3) + "**" : line);
  }
  return out.join('\n').trimmed();
}

QString titles_of(const QList<profile::Advice>& list) {
  QStringList titles;
  for (const profile::Advice& a : list) titles.append(qs(a.title));
  return titles.join("; ");
}

}  // namespace

AdvicePanel::AdvicePanel(const Context& context)
    : ProfilePanel(context, "advice_panel", tr("Advice"), tr("Select a candidate to see advice based on its numbers.")),
      reviewer_(Reviewer::of(context)),
      baseline_(new BaselineProfile(context, this)) {
  area_ = make_scroll_area(page());
  area_->setFocusPolicy(Qt::StrongFocus);
  column_ = new QWidget(area_);
  auto* outer = make_column(column_, {0, 0, grid::step, 0});
  handed_ = with_id(new QWidget(column_), "advice_handed");
  auto* said = make_column(handed_, {grid::half, grid::half, grid::half, grid::half});
  handed_text_ = make_paragraph(handed_, {});
  said->addWidget(handed_text_);
  auto* row_holder = new QWidget(handed_);
  auto* row = new FlowLayout(row_holder, grid::half);
  ask_now_ = make_button(row_holder, "advice_ask_now", tr("Ask a model now…"));
  name_it(ask_now_, tr("Ask a model now"), tr("Prepares a model run from this candidate; press Run to begin"));
  row->addWidget(ask_now_);
  said->addWidget(row_holder);
  handed_->hide();
  outer->addWidget(handed_);
  list_ = new QVBoxLayout;
  list_->setSpacing(grid::step);
  outer->addLayout(list_);
  outer->addStretch(1);
  area_->setWidget(column_);
  set_chart(area_);
  connect(ask_now_, &QPushButton::clicked, this, [this] { emit reviewer_->revision_wanted(handed_of_); });
  connect(baseline_, &BaselineProfile::changed, this, &AdvicePanel::refresh);
  connect(context.selection, &Selection::baseline_changed, this, [this] {
    if (isVisible()) baseline_->find(profiles());
  });
  connect(reviewer_, &Reviewer::decided, this, [this](std::int64_t candidate, store::ReviewKind kind) {
    if (kind == store::ReviewKind::changes && candidate == handed_of_) {
      asking_ = false;
      say_asked();
    }
    if (kind == store::ReviewKind::withdrawn &&
        asked_.remove(candidate) > 0) {  // which of them is unknown: all may be requested again
      if (candidate == handed_of_) handed_of_ = 0;
      refresh();
    }
  });
  connect(reviewer_, &Reviewer::problem, this, [this] {
    if (!std::exchange(asking_, false)) return;
    asked_.remove(handed_of_);
    handed_of_ = 0;
    refresh();
  });
  if (context.registry && !context.registry->action("advice.ask"))
    context.registry->add("advice.ask", tr("Profile"), tr("&Ask for the First Advice"), {}, "ask",
                          tr("Request the change with the largest possible gain for the current candidate"), [this] {
                            if (!profiles().empty() && !profiles().front()->advice.empty())
                              ask_for(profiles().front()->advice.front());
                          });
}

QString AdvicePanel::why_no_data() const {
  for (const auto& view : profiles())
    if (!view->advice.empty()) return {};
  if (baseline() && !baseline()->advice.empty()) return {};
  const ProfileView& view = *profiles().front();
  return tr("There is no advice. %1")
      .arg(view.advice_why_not.empty() ? tr("No rule applies to its numbers.") : qs(view.advice_why_not));
}

QString AdvicePanel::summary() const {
  const ProfileView& view = *profiles().front();
  QString text;
  if (view.advice.empty())
    text = tr("There is no advice on %1. %2").arg(short_name(view), qs(view.advice_why_not));
  else
    text = (view.advice.size() == 1 ? tr("One piece of advice.")
                                    : tr("%1 pieces of advice, the largest known gain first.").arg(view.advice.size()));
  if (!baseline()) return baseline_->foreign().isEmpty() ? text : text + " " + baseline_->foreign();
  const AdviceDiff diff = advice_diff(*baseline(), view);
  return text + tr(" Against %1: %2 new, %3 gone, %4 kept.")
                    .arg(short_name(*baseline()))
                    .arg(diff.fresh.size())
                    .arg(diff.gone.size())
                    .arg(diff.kept.size());
}

ProfileTable AdvicePanel::table() const {
  ProfileTable t;
  t.columns = {tr("Candidate"), tr("Advice"), tr("Bound (modelled)"),    tr("Line"),
               tr("Evidence"),  tr("Source"), tr("Against the baseline")};
  const ProfileView* base = baseline();
  for (const auto& view : profiles()) {
    const AdviceDiff diff = base && base->record.id != view->record.id ? advice_diff(*base, *view) : AdviceDiff();
    for (const profile::Advice& a : view->advice) {
      const auto among = [&](const QList<profile::Advice>& list) {
        return std::any_of(list.begin(), list.end(), [&](const profile::Advice& o) { return o.id == a.id; });
      };
      t.rows.append({qs(view->name), qs(a.title),
                     a.gain > 1 ? tr("on its own at most %1").arg(a.gain, 0, 'f', 2) : tr("not known"),
                     a.line > 0 ? QString::number(a.line) : dash(), qs(a.evidence), enum_text(a.provenance),
                     among(diff.fresh)  ? tr("new")
                     : among(diff.kept) ? tr("kept")
                                        : dash()});
    }
    for (const profile::Advice& a : diff.gone)
      t.rows.append({qs(view->name), qs(a.title), dash(), dash(), qs(a.evidence), enum_text(a.provenance), tr("gone")});
  }
  t.numbers = {2, 3};
  return t;
}

void AdvicePanel::showEvent(QShowEvent* event) {
  ProfilePanel::showEvent(event);
  baseline_->find(profiles());
}

const ProfileView* AdvicePanel::baseline() const { return baseline_->view().get(); }

QString AdvicePanel::standing_of(const profile::Advice& advice) const {
  if (!baseline()) return {};
  const bool there = std::any_of(baseline()->advice.begin(), baseline()->advice.end(),
                                 [&](const profile::Advice& o) { return o.id == advice.id; });
  return there ? tr("also applies to %1").arg(short_name(*baseline()))
               : tr("new since %1").arg(short_name(*baseline()));
}

void AdvicePanel::add_card(const profile::Advice& advice, int number) {
  const qint64 id = profiles().front()->record.id;
  auto* card = new AdviceCard(number, advice, standing_of(advice), context().candidates->cost_ratio(id), column_);
  if (asked_.value(id).contains(qs(advice.id))) card->set_asked();
  connect(card, &AdviceCard::line_wanted, this, [this](int line) { context().selection->choose_line(line); });
  connect(card, &AdviceCard::lesson_wanted, this, &AdvicePanel::lesson_wanted);
  connect(card, &AdviceCard::page_wanted, this, [this, card](const QString& rule) { load_page(card, rule); });
  connect(card, &AdviceCard::asked, this, [this, card] { ask_for(card->advice()); });
  list_->addWidget(card);
  cards_.append(card);
}

void AdvicePanel::add_paragraph(const QString& text, bool bold) {
  auto* label = with_id(new Label(text, column_), "advice_paragraph");
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  if (bold) {
    QFont font = label->font();
    font.setBold(true);
    label->setFont(font);
  }
  list_->addWidget(label);
}

void AdvicePanel::add_sections() {
  const ProfileView& view = *profiles().front();
  if (baseline())
    if (const AdviceDiff diff = advice_diff(*baseline(), view); !diff.gone.isEmpty()) {
      add_paragraph(tr("Gone since %1").arg(short_name(*baseline())), true);
      for (const profile::Advice& a : diff.gone)
        add_paragraph(tr("%1. It was: %2").arg(qs(a.title), qs(a.evidence)), false);
    }
  for (std::size_t i = 1; i < profiles().size(); ++i) {
    const ProfileView& other = *profiles()[i];
    const AdviceDiff diff = advice_diff(view, other);
    add_paragraph(tr("%1  %2, against the current candidate").arg(series_letter(series(i)), short_name(other)), true);
    if (const QString why = not_comparable(view, other); !why.isEmpty()) {
      add_paragraph(why, false);
      continue;
    }
    if (other.advice.empty()) {
      add_paragraph(tr("No advice. %1").arg(qs(other.advice_why_not)), false);
      continue;
    }
    if (!diff.fresh.isEmpty()) add_paragraph(tr("New: %1").arg(titles_of(diff.fresh)), false);
    if (!diff.gone.isEmpty()) add_paragraph(tr("Gone: %1").arg(titles_of(diff.gone)), false);
    if (!diff.kept.isEmpty()) add_paragraph(tr("In both: %1").arg(titles_of(diff.kept)), false);
  }
}

void AdvicePanel::update_chart() {
  baseline_->find(profiles());  // may come back here once, with what it found
  QSet<QString> open;
  for (AdviceCard* card : cards_)
    if (card->explained()) open.insert(qs(card->advice().id));
  cards_.clear();
  while (QLayoutItem* item = list_->takeAt(0)) {
    if (item->widget()) {
      item->widget()->hide();
      item->widget()->deleteLater();
    }
    delete item;
  }
  if (profiles().empty()) return;
  const ProfileView& view = *profiles().front();
  handed_->setVisible(handed_of_ != 0 && handed_of_ == view.record.id);
  for (const profile::Advice& a : view.advice) add_card(a, static_cast<int>(cards_.size()) + 1);
  add_sections();
  for (AdviceCard* card : cards_)
    if (open.contains(qs(card->advice().id))) card->explain(true);
}

void AdvicePanel::load_page(AdviceCard* card, const QString& id) {
  if (pages_.contains(id)) return card->set_page(pages_[id]);
  page_job_.submit([this, id]() -> LatestJob::Deliver {
    const Result<std::string> page = profile::advice_page(id.toStdString());
    return [this, id, text = page ? qs(*page) : QString()] {
      pages_[id] = page_text(text);
      for (AdviceCard* card : cards_)  // of several that were opened quickly all get theirs
        if (card->explained() && pages_.contains(qs(card->advice().id)))
          card->set_page(pages_[qs(card->advice().id)]);
        else if (card->explained())
          load_page(card, qs(card->advice().id));
    };
  });
}

void AdvicePanel::ask_for(const profile::Advice& advice) {
  if (profiles().empty() || profiles().front()->record.id != reviewer_->candidate())
    return;  // the profile of what was selected just now is still being read
  handed_of_ = reviewer_->candidate();
  asked_[handed_of_].insert(qs(advice.id));
  for (AdviceCard* card : cards_)
    if (card->advice().id == advice.id) card->set_asked();
  asking_ = true;
  reviewer_->request_changes(qs(profile::advice_request(advice)));
}

void AdvicePanel::say_asked() {
  if (profiles().empty() || profiles().front()->record.id != handed_of_) return;
  const QString generator = qs(profiles().front()->record.generator);
  handed_text_->setText(generator == "search"
                            ? tr("Recorded. The built-in search ignores requests; a model that continues from this "
                                 "candidate gets it in its prompt. Nothing runs automatically.")
                            : tr("Recorded: the next prompt about this candidate includes it. Nothing runs "
                                 "automatically: resume the run, or ask a model now."));
  handed_text_->setAccessibleName(handed_text_->text());
  handed_->show();
  area_->ensureWidgetVisible(handed_);
}

void AdvicePanel::draw_chart(QCPPainter* painter, const QSize& size) {
  column_->render(painter, QPoint(), QRegion(QRect(QPoint(), size)), QWidget::DrawChildren);
}

QSize AdvicePanel::export_size() const { return {std::max(300, column_->width()), std::max(200, column_->height())}; }

}  // namespace ww::widgets
