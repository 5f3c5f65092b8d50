// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/profile_section.h"
#include <QMouseEvent>
#include <QPushButton>
#include <QToolButton>
#include <cmath>
#include "panels/advice/advice_card.h"
#include "session/metric_texts.h"
#include "panels/profile/profile_panel.h"
#include "panels/profile/provenance_badge.h"
#include "parts/theme/controls.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

ProfileSection::ProfileSection(profile::Section section, ProfilePanel* panel, QWidget* parent)
    : QFrame(parent), section_(section), panel_(panel) {
  const QString title = section_title(section), id = enum_text(section);
  setProperty("role", "card");
  setObjectName("section_" + id);
  auto* column = make_column(this, {}, 0);
  header_ = new QWidget(this);
  header_->setCursor(Qt::PointingHandCursor);
  header_->installEventFilter(this);
  auto* row = make_row(header_, {grid::half, grid::half, grid::step, grid::half});
  toggle_ = make_tool(header_, "toggle_" + id, title, title, tr("Open or close this section"));
  toggle_->setCheckable(true);
  toggle_->setAutoRaise(true);
  toggle_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  set_role(toggle_, "section");
  row->addWidget(toggle_);
  advice_count_ = make_label(header_, "tips_" + id, "muted");
  row->addWidget(advice_count_);
  row->addStretch(1);
  what_ = make_elided(header_, "what_" + id, "muted");
  what_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row->addWidget(what_, 100);
  value_ = make_label(header_, "value_" + id, "heading");
  row->addWidget(value_);
  change_ = make_label(header_, "change_" + id);
  change_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  change_->setMinimumWidth(change_->fontMetrics().horizontalAdvance(QStringLiteral("−00.0 pp")));
  row->addWidget(change_);
  badge_ = new ProvenanceBadge(header_);
  row->addWidget(badge_);
  auto* open = make_icon_tool(header_, "detach", tr("Open %1 as a panel").arg(title),
                              tr("Open as a panel of its own, which can be moved and detached"));
  open->setObjectName("open_" + id);
  row->addWidget(open);
  column->addWidget(header_);
  body_ = new QWidget(this);
  auto* inner = make_column(body_, {grid::step, 0, grid::step, grid::step}, grid::half);
  panel_->setParent(body_);
  panel_->embed();
  inner->addWidget(panel_);
  advice_ = with_id(new QWidget(body_), "advice_of_" + id);
  advice_list_ = make_column(advice_, {0, grid::half, 0, 0}, grid::half);
  inner->addWidget(advice_);
  column->addWidget(body_);
  body_->hide();
  style_toggle();
  connect(toggle_, &QToolButton::toggled, this, [this](bool on) {
    body_->setVisible(on);
    style_toggle();
    emit toggled(on);
  });
  connect(open, &QToolButton::clicked, this, &ProfileSection::panel_wanted);
  connect(&Theme::instance(), &Theme::changed, this, &ProfileSection::style_toggle);
}

bool ProfileSection::expanded() const { return toggle_->isChecked(); }

void ProfileSection::expand(bool on) { toggle_->setChecked(on); }

void ProfileSection::style_toggle() {
  toggle_->setIcon(Theme::instance().icon(expanded() ? "chevron-down" : "chevron-right", found_ ? "accent" : "text"));
}

void ProfileSection::set_found(bool on) {
  if (found_ == on) return;
  found_ = on;
  set_role(toggle_, on ? "section_found" : "section");
  style_toggle();
}

bool ProfileSection::eventFilter(QObject* watched, QEvent* event) {
  if (watched == header_ && event->type() == QEvent::MouseButtonRelease &&
      static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton) {
    expand(!expanded());
    return true;
  }
  return QFrame::eventFilter(watched, event);
}

void ProfileSection::show_metrics(const std::vector<measure::ProfileMetric>& metrics,
                                  const std::vector<measure::ProfileMetric>& others, const ProfileView* view,
                                  double reached) {
  const measure::ProfileMetric* head = view ? headline(metrics, section_) : nullptr;
  const bool known = head && std::isfinite(head->value);
  what_->set_text(head ? qs(known || head->why_not.empty() ? head->title : head->why_not) : QString());
  value_->setText(!view ? QString() : known ? metric_value(head->value, head->unit) : tr("not known"));
  set_role(value_, known ? "heading" : "muted");
  const measure::ProfileMetric* base = head ? same_metric(others, *head) : nullptr;
  change_->setText(base ? metric_change(head->value, base->value, head->unit) : QString());
  change_->setVisible(!others.empty());  // the column is there for all sections, or for none
  if (base) {
    set_role(change_, change_role(*head, base->value));
    change_->setToolTip(head->unit == measure::MetricUnit::percent
                            ? tr("The baseline has %1; the difference is in percentage points")
                                  .arg(metric_value(base->value, base->unit))
                            : tr("The baseline has %1").arg(metric_value(base->value, base->unit)));
  }
  if (section_ == profile::Section::speed_of_light) {  // without a device there is no speed, but what the work costs
    const bool simulated = known && head->provenance == Provenance::simulated;
    toggle_->setText(simulated ? tr("Simulated cost") : section_title(section_));
  }
  badge_->set_provenance(known ? head->provenance : Provenance::unknown);
  badge_->setVisible(known);
  show_advice(view, reached);
}

void ProfileSection::show_advice(const ProfileView* view, double reached) {
  clear_layout(advice_list_);
  int count = 0;
  for (const profile::Advice& a : view ? view->advice : std::vector<profile::Advice>()) {
    if (a.section != section_) continue;
    ++count;
    auto* line = new QWidget(advice_);
    auto* row = make_row(line, {}, 8);
    auto* text = make_paragraph(line, "section_advice");
    text->setText(tr("%1. %2").arg(qs(a.title), qs(a.evidence)) +
                  (a.gain > 1 ? " " + advice_bound(a, reached) + "." : QString()));
    text->setToolTip(qs(a.explanation));
    row->addWidget(text, 1);
    if (a.line > 0) {
      auto* jump = make_button(line, "section_line", tr("Line %1").arg(a.line), tr("Show this line in the code"));
      set_role(jump, "link");
      connect(jump, &QPushButton::clicked, this, [this, at = a.line] { emit line_wanted(at); });
      row->addWidget(jump, 0, Qt::AlignTop);
    }
    advice_list_->addWidget(line);
    line->show();
  }
  advice_->setVisible(count > 0);
  advice_count_->setVisible(count > 0);
  advice_count_->setText(counted(count, tr("hint"), tr("hints")));
}

}  // namespace ww::widgets
