// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/verdict/verdict_line.h"
#include <QToolButton>
#include "parts/theme/controls.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {
QString proved_words(const evidence::Verdict& verdict) {
  const std::optional<evidence::CaseCounts> cases = verdict.case_counts();
  if (!cases) return state_word(store::CandidateState::accepted);
  return (verdict.proved_at() == evidence::ProvedAt::smaller_shapes
              ? VerdictLine::tr("proved at smaller shapes only: %1 of %2 cases")
              : VerdictLine::tr("proved at %1 of %2 cases"))
      .arg(cases->proved)
      .arg(cases->all);
}
}  // namespace

VerdictSaid verdict_said(const CandidateView& candidate) {
  const store::CandidateRecord& record = candidate.record;
  VerdictSaid said;
  if (!record.verdict) {
    if (record.state == store::CandidateState::not_judged) said.text = qs(record.summary);
  } else {
    const QString words = record.verdict->accepted ? proved_words(*record.verdict) : qs(record.summary);
    said.text = candidate.same_as != 0
                    ? VerdictLine::tr("The same program as #%1, which was judged: %2").arg(candidate.same_as).arg(words)
                : record.state == store::CandidateState::duplicate
                    ? VerdictLine::tr("The same program as another one, which was judged: %1").arg(words)
                : record.imported ? VerdictLine::tr("Imported, not judged here: %1").arg(words)
                                  : words;
  }
  if (!said.text.isEmpty()) said.text[0] = said.text[0].toUpper();
  const std::optional<evidence::CaseCounts> cases =
      record.verdict ? record.verdict->case_counts() : std::optional<evidence::CaseCounts>();
  said.icon = record.imported ? "info" : cases && cases->partial() ? "partial" : state_icon(record.state);
  said.token = record.imported ? "muted" : state_token(record.state);
  return said;
}

VerdictLine::VerdictLine(QWidget* parent) : QWidget(parent) {
  auto* row = make_row(this, {grid::step, 0, grid::step, 0});
  icon_ = new Label(this);
  text_ = make_elided(this, "verdict_line");
  auto* open = make_tool(this, "verdict_line_open", tr("Verdict"), tr("Show the verdict"),
                         tr("What the gate tried, stage by stage, and what it found"));
  row->addWidget(icon_);
  row->addWidget(text_, 1);
  row->addWidget(open);
  connect(open, &QToolButton::clicked, this, &VerdictLine::verdict_wanted);
  refresh_with_theme(this, [this] { refill(); });
  refill();
}

void VerdictLine::show_candidate(const std::shared_ptr<const CandidateView>& candidate) {
  candidate_ = candidate;
  refill();
}

void VerdictLine::refill() {
  const VerdictSaid said = candidate_ ? verdict_said(*candidate_) : VerdictSaid();
  setVisible(!said.text.isEmpty());
  if (said.text.isEmpty()) return;
  icon_->set_icon(said.icon, said.token, 16);
  text_->set_text(said.text);
}

}  // namespace ww::widgets
