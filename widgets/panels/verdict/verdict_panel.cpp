// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/verdict/verdict_panel.h"
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedLayout>
#include <QTreeWidget>
#include <algorithm>
#include "evidence/describe.h"
#include "evidence/explain.h"
#include "session/reviewer.h"
#include "parts/theme/controls.h"
#include "parts/theme/html_view.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "panels/verdict/evidence.h"
#include "panels/verdict/verdict_line.h"
#include "panels/verdict/wrong_elements.h"
#include "stepping/subject.h"
#include "evidence/stage_word.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/flow_layout.h"

namespace ww::widgets {

namespace {
class StageTree : public QTreeWidget {
 public:
  using QTreeWidget::QTreeWidget;
  int contents_width() const { return sizeHintForColumn(0) + sizeHintForColumn(1); }
};

constexpr int coverage_row = -1, metrics_row = -2, lines_row = -3;  // in place of a stage's position

const char* outcome_icon(evidence::Outcome o) {
  switch (o) {
    case evidence::Outcome::passed: return "accepted";
    case evidence::Outcome::failed: return "rejected";
    case evidence::Outcome::not_judged: return "warning";
    case evidence::Outcome::skipped: break;
  }
  return "skipped";
}
const char* outcome_token(evidence::Outcome o) {
  const std::string_view icon = outcome_icon(o);
  return icon == "skipped" ? "muted" : icon.data();
}
QString outcome_title(evidence::Outcome o, double seconds) {
  if (o == evidence::Outcome::skipped) return VerdictPanel::tr("skipped");
  return (o == evidence::Outcome::passed   ? VerdictPanel::tr("passed, %1")
          : o == evidence::Outcome::failed ? VerdictPanel::tr("failed, %1")
                                           : VerdictPanel::tr("not judged, %1"))
      .arg(seconds_text(seconds));
}
TrustedHtml stage_page(const evidence::Verdict& verdict, std::size_t stage) {
  TrustedHtml page = stage_evidence(verdict.stages[stage]);
  const std::string_view remedy = evidence::remedy_of(verdict).sentence;
  if (verdict.stages[stage].outcome == evidence::Outcome::not_judged && !remedy.empty())
    page += html("<p>%1</p>", std::string(remedy));
  return page;
}
}  // namespace

VerdictPanel::VerdictPanel(QWidget* parent) : QWidget(parent) {
  setProperty("role", "panel");
  auto* outer = make_column(this);
  const ContentPages made = content_pages(outer, "list");
  pages_ = made.pages;
  empty_page_ = made.page;
  empty_ = made.empty;
  QWidget* page = made.content;
  auto* column = make_column(page, grid::panel);
  auto* top = make_row(column);
  icon_ = new Label(page);
  summary_ = make_selectable(page, "verdict_summary", "heading");
  top->addWidget(icon_, 0, Qt::AlignTop);
  top->addWidget(summary_, 1);
  wrong_ = make_button(
      page, "show_wrong", tr("Show wrong elements"),
      tr("Repeats the judgement and shows the expected values, actual values and errors of this output as pictures"));
  step_ = make_button(page, "step_wrong", tr("Step to where it goes wrong"),
                      tr("In the stepper: where the wrong element is written last, or a check stops the kernel"));
  auto* buttons = new QWidget(page);
  auto* below = new FlowLayout(buttons);
  column->addWidget(buttons);
  pictures_ = make_button(page, "show_tensors", tr("Show inputs and outputs"),
                          tr("The inputs of a case and the reference outputs, as pictures"));
  below->addWidget(wrong_);
  below->addWidget(step_);
  below->addWidget(pictures_);
  connect(wrong_, &QPushButton::clicked, this, [this] {
    if (candidate_) emit wrong_wanted(candidate_->record.id);
  });
  connect(step_, &QPushButton::clicked, this, &VerdictPanel::step_wanted);
  connect(pictures_, &QPushButton::clicked, this, [this] {
    if (candidate_) emit pictures_wanted(candidate_);
  });
  splitter_ = make_splitter(Qt::Horizontal, page);
  stages_ = with_id(new StageTree(splitter_), "stages");
  stages_->setColumnCount(2);
  stages_->setHeaderLabels({tr("Stage"), tr("Result")});
  stages_->setRootIsDecorated(false);
  stages_->setUniformRowHeights(true);
  stages_->setMinimumWidth(190);
  stages_->setTextElideMode(Qt::ElideRight);
  stages_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  stages_->header()->setMinimumSectionSize(24);
  stages_->header()->setStretchLastSection(false);
  stages_->header()->setSectionResizeMode(
      1, QHeaderView::Stretch);  // names stay whole: a result that is cut is in its tooltip
  stages_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  name_it(stages_, tr("Stages of the gate"));
  evidence_ = with_id(new HtmlView(splitter_), "evidence");
  evidence_->setTabChangesFocus(true);
  evidence_->setMinimumWidth(120);
  name_it(evidence_, tr("Evidence of the stage"));
  splitter_->setSizes({228, 230});
  splitter_->setStretchFactor(1, 1);
  connect(splitter_, &QSplitter::splitterMoved, this, [this] { moved_ = true; });
  column->addWidget(splitter_, 1);
  connect(stages_, &QTreeWidget::currentItemChanged, this, &VerdictPanel::show_evidence);
  connect(evidence_, &HtmlView::link, this, [this](const QString& scheme, const QString& line) {
    if (scheme == "line") emit line_chosen(line.toInt());
    if (scheme == "mark") mark_line(line.toInt());
  });
  refresh_with_theme(this, [this] { refill(); });
  show_candidate(nullptr);
}

void VerdictPanel::show_candidate(const std::shared_ptr<const CandidateView>& candidate) {
  candidate_ = candidate;
  refill();
}

void VerdictPanel::follow(Reviewer* reviewer) {
  if (reviewer_ == reviewer) return;
  reviewer_ = reviewer;
  reviewer->add_watcher(this);
  connect(this, &VerdictPanel::stage_opened, reviewer, &Reviewer::open_stage);
  connect(reviewer, &Reviewer::review_loaded, this, [this](const std::shared_ptr<const ReviewView>& view) {
    review_ = view;
    add_lines_row();
  });
  connect(reviewer, &QObject::destroyed, this, [this] { reviewer_ = nullptr; });
  review_ = reviewer->view();
  add_lines_row();
}

void VerdictPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (reviewer_) reviewer_->refresh();
}

void VerdictPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

// The stages are as wide as their results need. In a tall panel, and where both have no room beside each other, the
// evidence is below them.
void VerdictPanel::fit() {
  constexpr int least_evidence = 120, around = 40;  // margins, frames, the handle
  const int wanted = std::max(228, static_cast<const StageTree*>(stages_)->contents_width() + around / 2);
  const bool tall = (width() < 440 && height() > width()) || width() < wanted + least_evidence + around;
  const bool turned = tall != (splitter_->orientation() == Qt::Vertical);
  if (!turned && (tall || moved_)) return;
  if (turned) moved_ = false;
  splitter_->setOrientation(tall ? Qt::Vertical : Qt::Horizontal);
  splitter_->setSizes(tall ? QList<int>{260, std::max(least_evidence, height() - 300)}
                           : QList<int>{wanted, std::max(least_evidence, width() - wanted - around)});
}

void VerdictPanel::mark_line(int line) {
  if (!reviewer_) return;
  QSet<int>& marked = reviewer_->draft().lines;
  if (!marked.remove(line)) marked.insert(line);
  add_lines_row();
  show_evidence();
}

// Comes when the review is read, later than the verdict.
void VerdictPanel::add_lines_row() {
  if (!candidate_ || stages_->topLevelItemCount() == 0 || !reviewer_) return;
  QTreeWidgetItem* last = stages_->topLevelItem(stages_->topLevelItemCount() - 1);
  const bool there = last->data(0, Qt::UserRole).toInt() == lines_row;
  const bool known = review_ && review_->candidate == candidate_->record.id;
  if (!known) {
    if (there) delete last;
    return;
  }
  auto* item = there ? last : new QTreeWidgetItem(stages_, {tr("Never executed")});
  item->setData(0, Qt::UserRole, lines_row);
  const std::vector<int>& lines = review_->unexecuted.lines;
  const QSet<int>& marked = reviewer_->draft().lines;
  const auto read = std::count_if(lines.begin(), lines.end(), [&](int line) { return marked.contains(line); });
  item->setText(1, !review_->unexecuted.why_not.empty() ? tr("not known")
                   : lines.empty()                      ? tr("none")
                                                        : tr("%1 of %2 read").arg(read).arg(lines.size()));
  const bool look = read < static_cast<std::ptrdiff_t>(lines.size()) || !review_->unexecuted.why_not.empty();
  item->setIcon(0, Theme::instance().icon(look ? "warning" : "info", look ? "warning" : "muted"));
  const QString tip = tr("Lines never executed: %1").arg(item->text(1));
  item->setToolTip(0, tip);
  item->setToolTip(1, tip);
  item->setData(0, Qt::AccessibleTextRole, tip);
  fit();
  if (stages_->currentItem() == item) show_evidence();
}

void VerdictPanel::refill() {
  stages_->clear();
  if (!candidate_ || !candidate_->record.verdict) {
    empty_page_->offer(candidate_ ? QString() : tr("Show the candidates"), [this] { emit candidates_wanted(); });
    empty_->setText(!candidate_ ? tr("Select a candidate to see the gate's stages and findings.")
                    : candidate_->record.state == store::CandidateState::not_judged
                        ? capitalised(candidate_->record.summary)
                        : tr("This candidate has not been judged yet."));
    pages_->setCurrentIndex(0);
    return;
  }
  pages_->setCurrentIndex(1);
  const auto& record = candidate_->record;
  const evidence::Verdict& verdict = *record.verdict;
  const VerdictSaid said = verdict_said(*candidate_);
  icon_->set_icon(said.icon, said.token, 20);
  summary_->setText(said.text);
  wrong_->setVisible(WrongElements::has_any(verdict));
  step_->setVisible(stepping::failure_to_step(verdict) != nullptr);
  pictures_->setVisible(!verdict.coverage.empty());
  QTreeWidgetItem* chosen = nullptr;
  for (std::size_t i = 0; i < verdict.stages.size(); ++i) {
    const auto& stage = verdict.stages[i];
    auto* item = new QTreeWidgetItem(stages_, {capitalised(std::string(evidence::stage_word(verdict, stage.stage))),
                                               outcome_title(stage.outcome, stage.seconds)});
    item->setIcon(0, Theme::instance().icon(outcome_icon(stage.outcome), outcome_token(stage.outcome)));
    item->setData(0, Qt::UserRole, static_cast<int>(i));
    const QString tip = tr("%1: %2").arg(item->text(0), item->text(1)) + '\n' + qs(stage.message);
    item->setToolTip(0, tip);
    item->setToolTip(1, tip);
    item->setData(0, Qt::AccessibleTextRole, tr("%1: %2").arg(item->text(0), item->text(1)));
    if (ends_judgement(stage.outcome) && !chosen) chosen = item;
  }
  int proved = 0;
  for (const auto& c : verdict.coverage) proved += evidence::standing_of(verdict, c) == evidence::CaseStanding::proved;
  auto* coverage =
      new QTreeWidgetItem(stages_, {tr("Coverage"), tr("%1 of %2 cases").arg(proved).arg(verdict.coverage.size())});
  coverage->setIcon(0, Theme::instance().icon("info", "muted"));
  coverage->setData(0, Qt::UserRole, coverage_row);
  if (verdict.metrics) {
    auto* metrics = new QTreeWidgetItem(stages_, {tr("Counters"), enum_text(verdict.metrics->provenance)});
    metrics->setIcon(0, Theme::instance().icon("info", "muted"));
    metrics->setData(0, Qt::UserRole, metrics_row);
  }
  add_lines_row();
  fit();
  stages_->setCurrentItem(chosen ? chosen : coverage);
}

void VerdictPanel::show_evidence() {
  const QTreeWidgetItem* item = stages_->currentItem();
  if (!item || !candidate_ || !candidate_->record.verdict) {
    evidence_->clear();
    return;
  }
  const evidence::Verdict& verdict = *candidate_->record.verdict;
  const int row = item->data(0, Qt::UserRole).toInt();
  evidence_->show_html(row == coverage_row ? coverage_evidence(verdict)
                       : row == lines_row ? lines_evidence(review_->unexecuted, review_->text, reviewer_->draft().lines)
                       : row == metrics_row ? metrics_evidence(*verdict.metrics)
                                            : stage_page(verdict, static_cast<std::size_t>(row)));
  if (row >= 0 && isVisible()) emit stage_opened(candidate_->record.id, row);
}

}  // namespace ww::widgets
