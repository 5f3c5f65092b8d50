// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/stepper/side_by_side_panel.h"
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>
#include "op/parse.h"
#include "panels/diff/candidate_picker.h"
#include "panels/diff/diff_loader.h"
#include "panels/stepper/divergence_view.h"
#include "panels/stepper/lanes_view.h"
#include "panels/stepper/step_facts_view.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/panel_pages.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/label.h"
#include "session/actions/registry.h"
#include "session/selection.h"
#include "session/session.h"

namespace ww::widgets {

SideBySidePanel::SideBySidePanel(const Context& context, QWidget* parent)
    : QWidget(parent), context_(context), loader_(new DiffLoader(context, this)) {
  const ContentPages made =
      panel_pages(this, "side_by_side_panel", "learn",
                  tr("Select a candidate to step through it beside the baseline, or beside its parent."));
  pages_ = made.pages;
  empty_page_ = made.page;
  empty_page_->offer(tr("Show the candidates"), [this] { context_.registry->trigger("go.candidates"); });
  QWidget* page = made.content;
  auto* column = make_column(page, {0, grid::half, 0, 0}, grid::half);
  column->addWidget(make_tools(page));
  problem_ = make_selectable(page, "side_problem", "error");
  problem_->setContentsMargins(grid::step, 0, grid::step, 0);
  problem_->hide();
  column->addWidget(problem_);
  progress_ = with_id(new QSlider(Qt::Horizontal, page), "side_progress");
  progress_->setRange(0, parts);
  name_it(progress_, tr("Progress"), tr("The share of its steps that each launch has run"));
  connect(progress_, &QSlider::valueChanged, this, &SideBySidePanel::go);
  column->addWidget(progress_);
  auto* both = make_splitter(Qt::Horizontal, page);
  for (std::size_t side = 0; side < 2; ++side) both->addWidget(make_side(side, both));
  column->addWidget(both, 1);
  connect(loader_, &DiffLoader::loaded, this, &SideBySidePanel::on_loaded);
  connect(context.selection, &Selection::current_changed, this, [this] {
    left_ = right_ = 0;
    load();
  });
  connect(context.selection, &Selection::baseline_changed, this, &SideBySidePanel::load);
}

QWidget* SideBySidePanel::make_tools(QWidget* page) {
  auto* bar = new QWidget(page);
  auto* flow = new FlowLayout(bar, grid::step, FlowLayout::Before::shrinking);
  flow->setContentsMargins(grid::bar);
  sizes_ = with_id(new QLineEdit(bar), "side_sizes");
  name_it(sizes_, tr("Sizes"), tr("Sizes and constants of the case, R = 4, C = 32; both have the same inputs"));
  flow->addWidget(sizes_);
  const auto tool = [&](const char* id, const QString& text, const QString& tip, std::function<void()> run) {
    QToolButton* const button = make_tool(bar, id, text, tip, tip);
    connect(button, &QToolButton::clicked, this, std::move(run));
    flow->addWidget(button);
  };
  tool("side_begin", tr("Begin"), tr("Both at their beginning"), [this] { progress_->setValue(0); });
  tool("side_back", tr("\u25c0 Part"), tr("Both back by a hundredth of their steps"),
       [this] { progress_->setValue(progress_->value() - parts / 100); });
  tool("side_forward", tr("Part \u25b6"), tr("Both on by a hundredth of their steps"),
       [this] { progress_->setValue(progress_->value() + parts / 100); });
  tool("side_line_left", tr("Left line \u25b6"), tr("The left one to its next line; the right one follows"),
       [this] { step(0); });
  tool("side_line_right", tr("Right line \u25b6"), tr("The right one to its next line; the left one follows"),
       [this] { step(1); });
  tool("side_end", tr("End"), tr("Both at their end, with all that they cost"), [this] { progress_->setValue(parts); });
  connect(sizes_, &QLineEdit::returnPressed, this, [this] {
    const Result<op::Spec> spec = op::parse_spec(subjects_[0].spec);
    if (!spec) return;
    const Result<op::Binding> sizes = stepping::sizes_of(sizes_->text().toStdString(), *spec);
    if (!sizes) return complain(qs(sizes.error().text()));
    std::array<stepping::SteppedLaunch, 2> subjects = subjects_;
    for (stepping::SteppedLaunch& s : subjects) s.binding = *sizes;
    compare(subjects);
  });
  return bar;
}

QWidget* SideBySidePanel::make_side(std::size_t side, QWidget* parent) {
  Side& s = sides_[side];
  const QString id = side == 0 ? "left" : "right";
  auto* box = new QWidget(parent);
  auto* column = make_column(box, {grid::step, 0, grid::step, grid::half}, grid::half);
  s.picker = new CandidatePicker(context_, side == 0 ? tr("left side") : tr("right side"), box);
  connect(s.picker, &CandidatePicker::picked, this, [this, side](std::int64_t candidate) {
    (side == 0 ? left_ : right_) = candidate;
    load();
  });
  s.state = make_label(box, "side_state_" + id, "muted");
  constexpr int least_height = 40;  // pixels: in a low window these give way, and the panel itself does not scroll
  QScrollArea* area = make_scroll_area(box, "side_facts_" + id);
  area->setMinimumHeight(least_height);
  auto* facts = new QWidget(area);
  area->setWidget(facts);
  auto* facts_column = make_column(facts, {}, grid::half);
  s.totals = make_selectable(facts, "side_totals_" + id);
  s.source = new CodeEditor(CodeLanguage::cuda, true, box);
  s.source->setObjectName("side_source_" + id);
  name_it(s.source, side == 0 ? tr("Left source") : tr("Right source"));
  s.source->setMinimumHeight(least_height);
  s.stack = new DivergenceView(facts);
  s.lanes = new LanesView(facts);
  column->addWidget(s.picker);
  column->addWidget(s.state);
  column->addWidget(s.source, 1);
  column->addWidget(area, 1);
  facts_column->addWidget(s.totals);
  facts_column->addWidget(s.stack);
  facts_column->addWidget(s.lanes);
  facts_column->addStretch(1);
  s.session = new StepSession(this);
  connect(s.session, &StepSession::opened, this, [this, side] {
    sides_[side].is_open = true;
    sides_[side].source->set_code(exact(sides_[side].session->launch()->subject.candidate));
    if (side == 0) sizes_->setText(qs(stepping::sizes_text(sides_[0].session->launch()->prepared.binding)));
    empty_page_->set_busy(false);
    pages_->setCurrentIndex(1);
  });
  connect(s.session, &StepSession::arrived, this, [this, side] { on_arrived(side); });
  connect(s.session, &StepSession::failed, this, [this, side](const QString& why) {
    empty_page_->set_busy(false);
    pages_->setCurrentIndex(1);
    if (!sides_[side].is_open) show_nothing(side);
    complain((side == 0 ? tr("Left: %1") : tr("Right: %1")).arg(why));
  });
  return box;
}

// Of a kernel that cannot be stepped through its text alone.
void SideBySidePanel::show_nothing(std::size_t side) {
  const Side& s = sides_[side];
  s.source->set_code(exact(subjects_[side].candidate));
  s.source->set_linked_line(0);
  s.lanes->show_lanes({});
  s.stack->show_warp({});
  s.state->setText({});
  s.totals->setText({});
}

void SideBySidePanel::complain(const QString& why) {
  problem_->setText(why);
  problem_->show();
}

void SideBySidePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) load();
}

void SideBySidePanel::load() {
  const Selection& selection = *context_.selection;
  const std::int64_t right = right_ != 0 ? right_ : selection.current();
  stale_ = !isVisible();
  if (right == 0 || stale_) return loader_->forget();
  const std::int64_t left = left_ != 0 ? left_ : selection.baseline() == right ? 0 : selection.baseline();
  empty_page_->set_busy(true);
  loader_->load(left, right);
}

void SideBySidePanel::on_loaded(const std::shared_ptr<const DiffPair>& pair, const QString& why_not) {
  empty_page_->set_busy(false);
  if (!pair) {
    empty_page_->sentence()->setText(why_not);
    pages_->setCurrentIndex(0);
    return;
  }
  std::array<stepping::SteppedLaunch, 2> subjects;
  const std::array<const DiffSide*, 2> read{pair->left.get(), pair->right.get()};
  for (std::size_t i = 0; i < 2; ++i) {
    subjects[i].spec = context_.session->shown_spec();
    subjects[i].candidate = read[i]->record.text;
    subjects[i].language = read[i]->record.language;
    sides_[i].picker->show_candidate(read[i]->record.id, read[i]->name);
  }
  compare(subjects);
}

void SideBySidePanel::compare(const std::array<stepping::SteppedLaunch, 2>& subjects,
                              const std::array<QString, 2>& titles) {
  problem_->hide();
  loader_->forget();
  subjects_ = subjects;
  stale_ = false;
  leader_.reset();
  empty_page_->sentence()->setText(tr("Both kernels are compiled, and run once to be recorded\u2026"));
  empty_page_->set_busy(true);
  StepStart start;
  start.block.clear();
  for (std::size_t i = 0; i < 2; ++i) {
    stepping::SteppedLaunch subject = subjects[i];
    subject.distribution = subjects[0].distribution;
    subject.seed = subjects[0].seed;
    sides_[i].is_open = false;
    if (!titles[i].isEmpty()) sides_[i].picker->show_candidate(0, titles[i]);
    sides_[i].session->set_warp(-1);
    sides_[i].session->open(subject, start);
  }
  const QSignalBlocker quiet(progress_);
  progress_->setValue(0);
}

void SideBySidePanel::go(int part) {
  part = std::clamp(part, 0, parts);
  const QSignalBlocker quiet(progress_);
  progress_->setValue(part);
  for (const Side& s : sides_)
    if (s.is_open && s.session->at()) s.session->go(s.session->at()->recorded * part / parts);
}

void SideBySidePanel::step(std::size_t side) {
  StepSession* const session = sides_[side].session;
  if (!sides_[side].is_open || !session->at()) return;
  sim::TraceQuery q;
  q.from = session->at()->position;
  q.until = sim::StopAt{sim::StopKind::source_line};
  leader_ = side;
  session->ask(std::move(q));
}

void SideBySidePanel::on_arrived(std::size_t side) {
  const Side& s = sides_[side];
  const sim::Trace& t = *s.session->at();
  s.state->setText(t.ended ? tr("Step %1 of %2: the end").arg(t.position).arg(t.recorded)
                           : tr("Step %1 of %2").arg(t.position).arg(t.recorded));
  if (t.totals) s.totals->setText(totals_sentence(*t.totals));
  std::size_t warp = 0;
  if (!t.steps.empty()) {
    const sim::StepFacts& step = t.steps.back();
    warp = step.warp;
    s.lanes->show_lanes(lanes_of_step(step));
    s.source->set_linked_line(step.line);
    if (step.line > 0) s.source->show_line(step.line);
  } else {
    s.lanes->show_lanes({});
    s.source->set_linked_line(0);
  }
  if (warp < t.warps.size()) s.stack->show_warp(t.warps[warp]);
  if (leader_ == side) follow(side);
}

// The other one goes to the same share of its steps.
void SideBySidePanel::follow(std::size_t leader) {
  leader_.reset();
  const sim::Trace& t = *sides_[leader].session->at();
  const Side& other = sides_[1 - leader];
  const std::int64_t whole = std::max<std::int64_t>(1, t.recorded);
  const QSignalBlocker quiet(progress_);
  progress_->setValue(static_cast<int>(t.position * parts / whole));
  if (other.is_open && other.session->at()) other.session->go(other.session->at()->recorded * t.position / whole);
}

}  // namespace ww::widgets
