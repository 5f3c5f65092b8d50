// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/stepper/stepper_panel.h"
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedLayout>
#include <QTimer>
#include <QToolButton>
#include "explore/case_tensors.h"
#include "evidence/explain.h"
#include "op/parse.h"
#include "panels/stepper/lanes_view.h"
#include "panels/stepper/prediction_card.h"
#include "panels/stepper/step_facts_view.h"
#include "panels/stepper/warp_timeline.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/listing_view.h"
#include "parts/theme/panel_pages.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/label.h"
#include "session/actions/registry.h"
#include "session/selection.h"
#include "sim/stop_text.h"
#include "stepping/element.h"

namespace ww::widgets {

namespace {

constexpr int told_after = 300;  // milliseconds of a run
constexpr int beside = 660;      // pixels of width from which the facts lie beside the texts
constexpr int with_ptx = 340;    // of height from which the PTX is shown below the source,
constexpr int with_spec = 420;   // and the spec below that

QString dims_text(const std::array<std::uint32_t, 3>& d) {
  return QString("%1 \u00d7 %2 \u00d7 %3").arg(d[0]).arg(d[1]).arg(d[2]);
}

std::optional<std::vector<std::int64_t>> indices_of(const QString& text) {
  std::vector<std::int64_t> out;
  if (text.trimmed() == StepperPanel::tr("all")) return out;
  for (const QString& part : text.split(',')) {
    bool ok = false;
    out.push_back(part.trimmed().toLongLong(&ok));
    if (!ok || out.back() < 0) return {};
  }
  if (out.size() > 3) return {};
  out.resize(3, 0);
  return out;
}

}  // namespace

StepperPanel::StepperPanel(const Context& context, QWidget* parent)
    : QWidget(parent), context_(context), session_(new StepSession(this)) {
  const ContentPages made =
      panel_pages(this, "stepper_panel", "learn", tr("Select a candidate to step through its kernel."));
  pages_ = made.pages;
  empty_page_ = made.page;
  empty_page_->offer(tr("Show the candidates"), [this] { context_.registry->trigger("go.candidates"); });
  empty_page_->show_links({}, {{tr("Open a moment\u2026"), [this] { choose_moment(); }}});
  QWidget* page = made.content;
  auto* column = make_column(page, {0, grid::half, 0, 0}, grid::half);
  column->addWidget(make_setup(page));
  column->addWidget(make_tools(page));
  problem_ = make_selectable(page, "stepper_problem", "error");
  problem_->setContentsMargins(grid::step, 0, grid::step, 0);
  problem_->hide();
  column->addWidget(problem_);
  time_ = new WarpTimeline(page);
  column->addWidget(time_);
  panes_ = make_splitter(Qt::Horizontal, page);
  texts_ = make_splitter(Qt::Vertical, panes_);
  source_ = new CodeEditor(CodeLanguage::cuda, true, texts_);
  source_->setObjectName("stepper_source");
  name_it(source_, tr("Source"));
  ptx_ = new ListingView(texts_);
  ptx_->setObjectName("stepper_ptx");
  name_it(ptx_, tr("PTX"));
  spec_text_ = new CodeEditor(CodeLanguage::op, true, texts_);
  spec_text_->setObjectName("stepper_spec");
  name_it(spec_text_, tr("Op spec"));
  auto* right = new QWidget(panes_);
  auto* facts_column = make_column(right);
  card_ = new PredictionCard(right);
  card_->hide();
  facts_ = new StepFactsView(right);
  facts_column->addWidget(card_, 0, Qt::AlignTop);
  facts_column->addWidget(facts_, 1);
  connect(card_, &PredictionCard::done, this, [this] {
    const bool held = card_->isAncestorOf(QApplication::focusWidget());
    show_arrival();
    if (held) findChild<QToolButton*>("step_forward")->setFocus(Qt::OtherFocusReason);  // a further key steps on
  });
  constexpr int least_height = 40;  // pixels: in a low window these give way, and the panel itself does not scroll
  for (QWidget* w : std::initializer_list<QWidget*>{source_, ptx_, spec_text_, facts_})
    w->setMinimumHeight(least_height);
  for (int i = 0; i < 3; ++i) texts_->setStretchFactor(i, i < 2 ? 3 : 1);
  panes_->setStretchFactor(0, 1);
  panes_->setStretchFactor(1, 1);
  panes_->setSizes({1 << 10, 1 << 10});  // halves, also while nothing is on the right
  column->addWidget(panes_, 1);
  connect(time_, &WarpTimeline::position_chosen, session_, &StepSession::go);
  connect(facts_, &StepFactsView::lane_marked, this, [this](int lane) {
    session_->set_lane(lane);
    if (session_->at()) session_->go(session_->at()->position);
  });
  connect(session_, &StepSession::busy_changed, this, &StepperPanel::show_busy);
  slow_ = new QTimer(this);
  slow_->setSingleShot(true);
  slow_->setInterval(told_after);
  connect(slow_, &QTimer::timeout, this, [this] { state_->setText(tr("It runs\u2026")); });
  connect(session_, &StepSession::opened, this, &StepperPanel::on_opened);
  connect(session_, &StepSession::arrived, this, &StepperPanel::on_arrived);
  connect(session_, &StepSession::failed, this, &StepperPanel::on_failed);
  connect(session_, &StepSession::saved, this,
          [this](const QString& file) { emit told(tr("The moment is in %1.").arg(file)); });
  connect(context.session, &Session::candidate_loaded, this, &StepperPanel::show_candidate);
  add_actions();
}

QWidget* StepperPanel::make_setup(QWidget* page) {
  auto* bar = new QWidget(page);
  auto* flow = new FlowLayout(bar, grid::step, FlowLayout::Before::shrinking);
  flow->setContentsMargins(grid::bar);
  title_ = make_elided(bar, "stepper_title");
  title_->setMinimumWidth(120);  // pixels
  sizes_ = with_id(new QLineEdit(bar), "stepper_sizes");
  name_it(sizes_, tr("Sizes"), tr("Sizes and constants of the case, R = 4, C = 32"));
  launches_ =
      make_combo(bar, "stepper_launch", tr("Launch"), tr("The launch of the plan; those before it run first"), 10);
  block_ = with_id(new QLineEdit("0, 0, 0", bar), "stepper_block");
  block_->setFixedWidth(80);
  name_it(block_, tr("Block"), tr("The block to step through: x, y, z; or all"));
  warps_ = make_combo(bar, "stepper_warp", tr("Warp"), tr("The warp that is stepped, or all of the block's"), 8);
  restart_ =
      make_button(bar, "stepper_restart", tr("Start again"), tr("At the beginning, with these sizes and this block"));
  wrong_ = make_button(bar, "stepper_wrong", tr("Step to where it goes wrong"),
                       tr("The case of the verdict: where the wrong element is written last, or a check stops it"));
  inputs_ = make_combo(bar, "stepper_inputs", tr("Inputs"), tr("How the gate draws the inputs of the case"), 8);
  seed_ = with_id(new QLineEdit("1", bar), "stepper_seed");
  seed_->setFixedWidth(60);
  name_it(seed_, tr("Seed"), tr("Of the inputs: a whole number from 0"));
  for (QWidget* w :
       std::initializer_list<QWidget*>{title_, sizes_, inputs_, seed_, launches_, block_, warps_, restart_, wrong_})
    flow->addWidget(w);
  connect(inputs_, &QComboBox::activated, this, &StepperPanel::start_again);
  connect(seed_, &QLineEdit::returnPressed, this, &StepperPanel::start_again);
  connect(restart_, &QPushButton::clicked, this, &StepperPanel::start_again);
  connect(sizes_, &QLineEdit::returnPressed, this, &StepperPanel::start_again);
  connect(block_, &QLineEdit::returnPressed, this, &StepperPanel::start_again);
  connect(launches_, &QComboBox::activated, this, &StepperPanel::start_again);
  connect(wrong_, &QPushButton::clicked, this, &StepperPanel::show_wrong);
  connect(warps_, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (filling_) return;
    session_->set_warp(index - 1);
    if (session_->at()) session_->go(session_->at()->position);
  });
  return bar;
}

QToolButton* StepperPanel::tool(QWidget* bar, const char* id, const QString& text, const QString& tip,
                                std::function<void()> run) {
  QToolButton* const button = make_tool(bar, id, text, tip, tip);
  connect(button, &QToolButton::clicked, this, std::move(run));
  bar->layout()->addWidget(button);
  return button;
}

// A key does it, too, where the panel is seen; elsewhere it shows the panel.
void StepperPanel::key_tool(QWidget* bar, const char* id, const QString& text, const QString& tip, const char* key,
                            const std::function<void()>& run) {
  QToolButton* const button = tool(bar, id, text, tip, run);
  moves_.append(button);
  const QAction* const action = context_.registry->add(QString(id).replace("step_", "stepper."), tr("Stepper"), tip,
                                                       QKeySequence(QString::fromLatin1(key)), {}, tip, [this, run] {
                                                         if (isVisible())
                                                           run();
                                                         else
                                                           context_.registry->trigger("go.stepper");
                                                       });
  const auto show_key = [button, action] { button->setToolTip(action->toolTip()); };
  show_key();
  connect(action, &QAction::changed, button, show_key);
}

QWidget* StepperPanel::make_tools(QWidget* page) {
  using K = sim::StopKind;
  auto* bar = new QWidget(page);
  auto* flow = new FlowLayout(bar, grid::half);
  flow->setContentsMargins(grid::bar);
  key_tool(bar, "step_begin", tr("Begin"), tr("To the beginning of the block"), "Ctrl+Shift+F8",
           [this] { session_->go(0); });
  key_tool(bar, "step_run_back", tr("\u25c0 Run"),
           tr("Back to a breakpoint, to what a check found before, or to the beginning"), "Shift+F6",
           [this] { run(true); });
  key_tool(bar, "step_barrier_back", tr("\u25c0 Barrier"), tr("Back to where a barrier let threads go on"),
           "Ctrl+Shift+F9", [this] { move(K::barrier, true); });
  key_tool(bar, "step_line_back", tr("\u25c0 Line"), tr("Back to where a line of the source begins"), "Shift+F9",
           [this] { move(K::source_line, true); });
  key_tool(bar, "step_back", tr("\u25c0 Step"), tr("One instruction back"), "Shift+F8",
           [this] { move(K::instruction, true); });
  key_tool(bar, "step_forward", tr("Step \u25b6"), tr("One instruction"), "F8",
           [this] { move(K::instruction, false); });
  key_tool(bar, "step_line", tr("Line \u25b6"), tr("To where another line of the source begins"), "F9",
           [this] { move(K::source_line, false); });
  key_tool(bar, "step_barrier", tr("Barrier \u25b6"), tr("To where a barrier lets threads go on"), "Ctrl+F9",
           [this] { move(K::barrier, false); });
  key_tool(bar, "step_run", tr("Run \u25b6"),
           tr("Runs to a breakpoint, to an access that a check reports, or to the end"), "F6", [this] { run(false); });
  halt_ = tool(bar, "step_halt", tr("Stop"), tr("Ends a run that takes long; the steps that it ran are recorded"),
               [this] { session_->cancel(); });
  halt_->setEnabled(false);
  key_tool(bar, "step_cursor_back", tr("\u25c0 To cursor"), tr("Back to the line of the source that the caret is in"),
           "Ctrl+Shift+F6", [this] { run_to_cursor(true); });
  key_tool(bar, "step_cursor", tr("To cursor \u25b6"), tr("To the line of the source that the caret is in"), "Ctrl+F6",
           [this] { run_to_cursor(false); });
  key_tool(bar, "step_breakpoint", tr("Breakpoint"), tr("Sets or removes one at the line that the caret is in"),
           "Ctrl+F8", [this] { toggle_breakpoint(); });
  watched_ = with_id(new QLineEdit(bar), "stepper_watch");
  watched_->setPlaceholderText(tr("thread 5 reads x[33]"));
  watched_->setFixedWidth(170);
  name_it(
      watched_, tr("What to watch"),
      tr("A write of an element, y[7], or of a word of shared memory, shared[3]; thread 5 reads x[33]; a register or "
         "variable: %f3 changes, warp 1 %r2 >= 8"));
  connect(watched_, &QLineEdit::returnPressed, this, [this] { watch(false); });
  flow->addWidget(watched_);
  moves_.append(tool(bar, "step_write_back", tr("\u25c0 Watch"), tr("Back to where this happened last"),
                     [this] { watch(true); }));
  moves_.append(
      tool(bar, "step_write", tr("Watch \u25b6"), tr("To where this happens next"), [this] { watch(false); }));
  add_moments(bar);
  state_ = make_label(bar, "stepper_state", "muted");
  flow->addWidget(state_);
  return bar;
}

void StepperPanel::add_actions() {
  const QString category = tr("Stepper");
  Registry* r = context_.registry;
  r->add("stepper.wrong", category, tr("Step to where it goes wrong"), {}, "learn",
         tr("Where the current candidate's wrong element is written last, or a check stops it"), [this] {
           context_.registry->trigger("go.stepper");
           show_wrong();
         });
  r->add("stepper.open", category, tr("Open a moment\u2026"), {}, "learn", tr("A kernel at a step that was saved"),
         [this] {
           context_.registry->trigger("go.stepper");
           choose_moment();
         });
}

void StepperPanel::show_candidate(const std::shared_ptr<const CandidateView>& candidate) {
  candidate_ = candidate;
  stale_ = candidate != nullptr;
  if (stale_ && isVisible()) begin();
}

void StepperPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) begin();
}

// The current candidate from the beginning, in a small case.
void StepperPanel::begin() {
  stale_ = false;
  stepping::SteppedLaunch subject;
  subject.spec = context_.session->shown_spec();
  subject.candidate = candidate_->record.text;
  subject.language = candidate_->record.language;
  step_through(subject, {}, qs(candidate_->record.title));
}

void StepperPanel::show_wrong() {
  const evidence::Failure* const failure =
      candidate_ && candidate_->record.verdict ? stepping::failure_to_step(*candidate_->record.verdict) : nullptr;
  if (failure == nullptr) return;
  stale_ = false;
  StepStart start;
  start.failure = *failure;
  step_through(stepping::subject_of(*failure, context_.session->shown_spec(), candidate_->record.text,
                                    candidate_->record.language),
               start, qs(candidate_->record.title));
}

void StepperPanel::step_through(const stepping::SteppedLaunch& subject, const StepStart& start, const QString& title) {
  stale_ = false;
  failure_ = start.failure;
  wrong_at_ = -1;
  if (subject.candidate != subject_.candidate) breakpoints_.clear();
  subject_ = subject;
  title_->set_text(title);
  const bool is_wrong = candidate_ && candidate_->record.verdict && candidate_->record.text == subject.candidate &&
                        stepping::failure_to_step(*candidate_->record.verdict) != nullptr;
  wrong_->setVisible(is_wrong);
  problem_->hide();
  empty_page_->sentence()->setText(tr("Compiling the kernel and recording its steps\u2026"));
  empty_page_->set_busy(true);
  pages_->setCurrentIndex(0);
  session_->set_warp(-1);
  session_->open(subject, start);
}

void StepperPanel::start_again() {
  const Result<op::Spec> spec = op::parse_spec(subject_.spec);
  const Result<op::Binding> sizes = spec ? stepping::sizes_of(sizes_->text().toStdString(), *spec)
                                         : Result<op::Binding>(tl::unexpected(spec.error()));
  const auto block = indices_of(block_->text());
  bool is_number = false;
  const qulonglong seed = seed_->text().trimmed().toULongLong(&is_number);
  if (!sizes || !block || !is_number) {
    complain(!sizes   ? qs(sizes.error().text())
             : !block ? tr("A block has one to three indices from 0 on, or is all.")
                      : tr("A seed is a whole number from 0 on, not %1.").arg(seed_->text()));
    return;
  }
  stepping::SteppedLaunch subject = subject_;
  subject.binding = *sizes;
  for (const auto& [name, value] : subject_.binding.constants) subject.binding.constants.try_emplace(name, value);
  subject.seed = seed;
  if (inputs_->currentIndex() >= 0) subject.distribution = inputs_->currentData().value<op::Distribution>();
  subject.launch = std::max(0, launches_->currentIndex());
  subject.debug = debug_->isChecked();
  StepStart start;
  start.block = *block;
  step_through(subject, start, title_->full_text());
}

void StepperPanel::on_opened() {
  const StepLaunch& launch = *session_->launch();
  subject_ = launch.subject;
  filling_ = true;
  sizes_->setText(qs(stepping::sizes_text(launch.prepared.binding)));
  launches_->clear();
  for (const candidate::PlannedLaunch& l : launch.prepared.launches)
    launches_->addItem(qs(l.kernel) + ", " + dims_text(l.grid));
  launches_->setCurrentIndex(launch.subject.launch);
  launches_->setVisible(launch.prepared.launches.size() > 1);
  QStringList block;
  for (const std::int64_t index : launch.block) block += QString::number(index);
  block_->setText(block.isEmpty() ? tr("all") : block.join(", "));
  debug_->setChecked(launch.subject.debug);
  debug_->setEnabled(launch.subject.language == candidate::Language::cuda);
  warps_->clear();
  warps_->addItem(tr("All warps"));
  for (std::size_t w = 0; session_->at() && w < session_->at()->warps.size(); ++w)
    warps_->addItem(tr("Warp %1").arg(w));
  filling_ = false;
  source_->set_code(exact(launch.subject.candidate));
  spec_text_->set_code(exact(launch.subject.spec));
  Result<op::Spec> spec = op::parse_spec(launch.subject.spec);
  spec_ = spec ? std::optional(std::move(*spec)) : std::nullopt;
  const std::string& ptx = launch.prepared.job.code;
  ptx_->set_listing(listing_of_ptx(ptx, launch.prepared.lines));
  show_inputs(launch.subject);
  show_breakpoints();
  for (QToolButton* move : moves_) move->setEnabled(true);
  empty_page_->set_busy(false);
  pages_->setCurrentIndex(1);
  fit();
}

// Those that the gate draws for the op, and the one that is drawn here.
void StepperPanel::show_inputs(const stepping::SteppedLaunch& subject) {
  std::vector<op::Distribution> all;
  if (spec_) all = explore::distributions_of(*spec_);
  all.push_back(subject.distribution);
  inputs_->clear();
  for (const op::Distribution d : all)
    if (const QString name = qs(std::string(op::distribution_name(d))); inputs_->findText(name) < 0)
      inputs_->addItem(name, QVariant::fromValue(d));
  inputs_->setCurrentText(qs(std::string(op::distribution_name(subject.distribution))));
  seed_->setText(QString::number(subject.seed));
}

void StepperPanel::show_busy() {
  halt_->setEnabled(session_->busy());
  if (session_->busy()) return slow_->start();
  slow_->stop();
  state_->setText(where_);
}

void StepperPanel::on_arrived() {
  if (session_->at()->position > 0) emit stepped();
  if (find_wrong_lane() || asks_first()) return;
  show_arrival();
}

// After "Step to where it goes wrong": the lane that writes the element is marked, which asks for its values.
bool StepperPanel::find_wrong_lane() {
  const std::optional<evidence::Failure> failure = std::exchange(failure_, std::nullopt);
  if (!failure || !failure->element || !session_->at() || session_->at()->steps.empty()) return false;
  const stepping::Prepared& prepared = session_->launch()->prepared;
  const std::optional<sim::StopAt> wrong = stepping::where_wrong(*failure, prepared);
  if (!wrong) return false;
  for (const sim::SpaceAccess& access : session_->at()->steps.back().accesses)
    for (const sim::LaneAccess& a : access.lanes) {
      const auto buffer = std::ranges::find(prepared.buffers, a.buffer, &stepping::Buffer::name);
      if (access.kind == simt::AccessKind::read || a.buffer != wrong->buffer || buffer == prepared.buffers.end())
        continue;
      const auto size = static_cast<std::int64_t>(dtype_size(buffer->dtype));
      if (wrong->index < a.offset / size || wrong->index >= (a.offset + a.bytes) / size) continue;
      const evidence::FailingElement& element = *failure->element;
      wrong_at_ = session_->at()->position;
      wrong_text_ =
          tr("Lane %1 writes the wrong element here: %2 is %3, and the reference has %4.")
              .arg(a.lane)
              .arg(qs(evidence::element_name(element)), count_text(element.actual), count_text(element.expected));
      facts_->lanes()->set_marked(static_cast<int>(a.lane));
      session_->set_lane(static_cast<int>(a.lane));
      session_->go(wrong_at_);
      return true;
    }
  return false;
}

void StepperPanel::show_arrival() {
  card_->hide();
  facts_->show();
  const sim::Trace& t = *session_->at();
  problem_->hide();
  int warp = warps_->currentIndex() - 1;
  if (warp < 0) warp = t.steps.empty() ? 0 : static_cast<int>(t.steps.back().warp);  // of all: of the last step
  facts_->show_trace(t, warp);
  std::vector<std::int64_t> found;
  for (const sim::StepFinding& f : t.findings) found.push_back(f.step);
  if (t.timeline) time_->show_time(*t.timeline, t.position, std::move(found));
  const QString where = tr("Step %1 of %2").arg(t.position).arg(t.recorded);
  where_ = t.arrival == sim::Arrival::found   ? tr("%1: a check found something").arg(where)
           : t.arrival == sim::Arrival::limit ? tr("%1: no further steps are recorded").arg(where)
           : t.ended                          ? tr("%1: the end").arg(where)
                                              : where;
  state_->setText(where_);
  if (t.position == wrong_at_) complain(wrong_text_);
  // The step that the facts tell is marked; where a run stopped before a line, what runs next.
  const sim::GroupFacts* next = nullptr;
  for (const sim::WarpFacts& w : t.warps)
    for (const sim::GroupFacts& g : w.groups)
      if (warps_->currentIndex() > 0 ? static_cast<int>(w.warp) == warp && next == nullptr
                                     : g.state == sim::GroupState::next)
        next = &g;
  if (!t.steps.empty() && !(marks_next_ && next && t.arrival == sim::Arrival::there))
    mark_lines(t.steps.back().line, t.steps.back().ptx_line);
  else
    mark_lines(next ? next->line : 0, next ? next->ptx_line : 0);
  show_element();
}

void StepperPanel::mark_lines(int line, int ptx_line) {
  source_->set_linked_line(line);
  if (line > 0) source_->show_line(line);
  ptx_->set_linked(ptx_line > 0 ? std::vector<int>{ptx_line - 1} : std::vector<int>());
  ptx_->reveal_linked();
}

void StepperPanel::on_failed(const QString& why) {
  if (session_->launch()) {
    complain(why);
    return;
  }
  // What was asked for stays, to be corrected.
  empty_page_->set_busy(false);
  const auto spec = op::parse_spec(subject_.spec);
  spec_ = spec ? std::optional(*spec) : std::nullopt;
  if (source_->text() != qs(subject_.candidate) || !spec) {
    source_->set_code(exact(subject_.candidate));
    spec_text_->set_code(exact(subject_.spec));
    sizes_->setText(qs(stepping::sizes_text(subject_.binding)));
    show_inputs(subject_);
  }
  for (QToolButton* move : moves_) move->setEnabled(false);
  mark_lines(0, 0);
  where_.clear();
  state_->clear();
  ptx_->set_listing({});
  facts_->hide();
  card_->hide();
  pages_->setCurrentIndex(1);
  fit();
  time_->hide();
  complain(tr("It cannot be stepped through: %1").arg(why));
}

sim::StopAt StepperPanel::place(sim::StopKind kind, int line) const {
  sim::StopAt at;
  at.kind = kind;
  at.line = line;
  if (kind != sim::StopKind::barrier && kind != sim::StopKind::end) at.warp = warps_->currentIndex() - 1;
  return at;
}

void StepperPanel::ask(sim::TraceQuery q, bool reverse, bool marks_next) {
  q.from = session_->at()->position;
  q.reverse = reverse;
  marks_next_ = marks_next;
  session_->ask(std::move(q));
}

void StepperPanel::move(sim::StopKind kind, bool reverse) {
  if (!session_->at()) return;
  sim::TraceQuery q;
  q.until = place(kind);
  moved_ = !reverse && (kind == sim::StopKind::instruction || kind == sim::StopKind::source_line);
  ask(std::move(q), reverse, false);
}

void StepperPanel::run(bool reverse) {
  if (!session_->at()) return;
  sim::TraceQuery q;
  q.until = place(sim::StopKind::end);
  for (const int line : breakpoints_) q.stops.push_back(place(sim::StopKind::line, line));
  ask(std::move(q), reverse, true);
}

void StepperPanel::run_to_cursor(bool reverse) {
  if (!session_->at()) return;
  int line = 0, column = 0;
  source_->getCursorPosition(&line, &column);
  sim::TraceQuery q;
  q.until = place(sim::StopKind::line, line + 1);
  ask(std::move(q), reverse, true);
}

void StepperPanel::complain(const QString& why) {
  problem_->setText(why);
  problem_->show();
}

void StepperPanel::watch(bool reverse) {
  if (!session_->at()) return;
  const Result<sim::StopAt> at = sim::read_stop(watched_->text().toStdString());
  if (!at) return complain(qs(at.error().text()));
  sim::TraceQuery q;
  q.until = *at;
  if (at->warp < 0 && at->thread < 0) q.until->warp = place(at->kind).warp;
  ask(std::move(q), reverse, false);
}

void StepperPanel::show_element() {
  spec_text_->set_linked_line(0);
  facts_->show_element({});
  if (!spec_ || !session_->at() || !session_->launch()) return;
  const sim::Trace& t = *session_->at();
  const stepping::Prepared& prepared = session_->launch()->prepared;
  const auto lane = static_cast<std::uint32_t>(facts_->lanes()->marked());
  std::optional<stepping::SpecElement> element;
  QStringList words;
  if (!t.steps.empty())
    for (const sim::SpaceAccess& access : t.steps.back().accesses)
      for (const sim::LaneAccess& a : access.lanes) {
        const auto buffer = std::ranges::find(prepared.buffers, a.buffer, &stepping::Buffer::name);
        if (a.lane != lane || buffer == prepared.buffers.end()) continue;
        element = stepping::spec_element(*spec_, prepared, a.buffer,
                                         a.offset / static_cast<std::int64_t>(dtype_size(buffer->dtype)));
        if (!element) continue;
        words += (access.kind == simt::AccessKind::read ? tr("Lane %1 reads %2") : tr("Lane %1 writes %2"))
                     .arg(lane)
                     .arg(qs(element->here));
      }
  if ((!element || element->equation.empty()) && t.next_write)
    if (auto next = stepping::spec_element(*spec_, prepared, t.next_write->buffer, t.next_write->index);
        next && !next->equation.empty()) {
      words += tr("Lane %1 works on %2, written at step %3").arg(lane).arg(qs(next->here)).arg(t.next_write->step);
      element = std::move(next);
    }
  facts_->show_element(words.join('\n'));
  if (!element || element->line == 0) return;
  spec_text_->set_linked_line(element->line);
  spec_text_->show_line(element->line);
}

void StepperPanel::toggle_breakpoint() {
  int line = 0, column = 0;
  source_->getCursorPosition(&line, &column);
  if (breakpoints_.erase(line + 1) == 0) {
    const std::vector<int>& lines = session_->launch() ? session_->launch()->prepared.lines : std::vector<int>();
    if (std::ranges::find(lines, line + 1) == lines.end()) {
      complain(tr("Line %1 has no instruction.").arg(line + 1));
      return;
    }
    breakpoints_.insert(line + 1);
  }
  problem_->hide();
  show_breakpoints();
}

void StepperPanel::show_breakpoints() {
  std::vector<CodeEditor::LineNote> notes;
  for (const int line : breakpoints_) notes.push_back({line, "\u25cf", 1});
  source_->set_line_notes(notes);
}

void StepperPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void StepperPanel::fit() {
  const Qt::Orientation wanted = width() >= beside ? Qt::Horizontal : Qt::Vertical;
  if (panes_->orientation() != wanted) panes_->setOrientation(wanted);
  constexpr int room_for_time = 420;  // pixels
  time_->setVisible(height() >= room_for_time);
  ptx_->setVisible(texts_->height() >= with_ptx || wanted == Qt::Horizontal);
  spec_text_->setVisible(texts_->height() >= with_spec);
}

}  // namespace ww::widgets
