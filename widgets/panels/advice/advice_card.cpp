// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/advice/advice_card.h"
#include <QDir>
#include <QFileInfo>
#include <QToolButton>
#include <QVBoxLayout>
#include "parts/theme/facts_view.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {
namespace {

Label* card_label(const QString& text, QWidget* parent) {
  auto* label = new Label(text, parent);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

}  // namespace

QString advice_bound(const profile::Advice& a, double reached) {
  if (a.gain <= 1) return AdviceCard::tr("The possible gain is unknown");
  const QString bound = AdviceCard::tr("By itself, at most %1 times faster (modelled)").arg(a.gain, 0, 'f', 2);
  if (!(reached > a.gain)) return bound;
  return AdviceCard::tr("%1; with other changes this run reached %2 times")
      .arg(bound)
      .arg(reached, 0, 'f', reached < 10 ? 2 : 1);
}

AdviceCard::AdviceCard(int number, const profile::Advice& advice, const QString& standing, double reached,
                       QWidget* parent)
    : QFrame(parent), advice_(advice) {
  setProperty("role", "card");
  setObjectName("advice_card");
  setAccessibleName(tr("Advice %1: %2").arg(number).arg(qs(advice.title)));
  setAccessibleDescription(qs(advice.evidence) + " " + advice_bound(advice, reached));
  auto* column = make_column(this, grid::panel, grid::half);
  Label* title = card_label(tr("%1. %2").arg(number).arg(qs(advice.title)), this);
  QFont bold = title->font();
  bold.setBold(true);
  title->setFont(bold);
  column->addWidget(title);
  column->addWidget(card_label(qs(advice.evidence), this));
  Label* bound = card_label(advice_bound(advice, reached) + (standing.isEmpty() ? QString() : " · " + standing), this);
  bound->setProperty("role", "muted");
  column->addWidget(bound);
  auto* bar = new QWidget(this);
  auto* row = new FlowLayout(bar, grid::half);
  if (advice.line > 0) {
    auto* line =
        make_tool(bar, "advice_line", tr("Line %1").arg(advice.line), tr("Show line %1 in the code").arg(advice.line),
                  tr("The hottest line that this advice applies to"));
    line->setIcon(Theme::instance().icon("go-to-line"));
    line->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(line, &QToolButton::clicked, this, [this] { emit line_wanted(advice_.line); });
    row->addWidget(line);
  }
  explain_ = make_tool(bar, "advice_explain", tr("Explain"), tr("Explain: %1").arg(qs(advice.title)),
                       tr("The problem, how to recognise and fix it, with an example"));
  explain_->setIcon(Theme::instance().icon("learn"));
  explain_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  explain_->setCheckable(true);
  row->addWidget(explain_);
  ask_ = make_tool(bar, "advice_ask", tr("Ask for this"), tr("Ask for this: %1").arg(qs(advice.title)),
                   tr("Turns the advice into a change request for this candidate, which the next prompt about it "
                      "includes. Nothing runs automatically."));
  ask_->setIcon(Theme::instance().icon("ask"));
  ask_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  row->addWidget(ask_);
  column->addWidget(bar);
  more_ = new QWidget(this);
  auto* inner = make_column(more_, {0, grid::half, 0, 0});
  Label* explanation = card_label(qs(advice.explanation), more_);
  explanation->setObjectName("advice_explanation");
  inner->addWidget(explanation);
  page_ = with_id(new FactsView(more_), "advice_page");
  name_it(page_, tr("About: %1").arg(qs(advice.title)));
  page_->hide();
  inner->addWidget(page_);
  more_->hide();
  column->addWidget(more_);
  connect(explain_, &QToolButton::toggled, this, [this](bool on) {
    more_->setVisible(on);
    if (on && page_->document()->isEmpty()) emit page_wanted(qs(advice_.id));
  });
  connect(ask_, &QToolButton::clicked, this, &AdviceCard::asked);
  connect(page_, &FactsView::link, this, [this](const QString&, const QString& target) {
    if (const QFileInfo file(target); file.dir().dirName() == "lessons") emit lesson_wanted(file.completeBaseName());
  });
}

bool AdviceCard::explained() const { return explain_->isChecked(); }
void AdviceCard::explain(bool on) { explain_->setChecked(on); }

void AdviceCard::set_page(const QString& markdown) {
  page_->show_markdown(markdown);
  page_->setVisible(!markdown.isEmpty());
}

void AdviceCard::set_asked() {
  ask_->setEnabled(false);
  ask_->setText(tr("Asked"));
  ask_->setToolTip(tr("The request is in this candidate's review, where you can withdraw it."));
}

}  // namespace ww::widgets
