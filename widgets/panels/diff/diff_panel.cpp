// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/diff/diff_panel.h"
#include <QAction>
#include <QButtonGroup>
#include <QMimeData>
#include <QResizeEvent>
#include <QSplitter>
#include <QStackedLayout>
#include <QTabWidget>
#include <QToolButton>
#include <algorithm>
#include "candidate/candidate.h"
#include "session/actions/registry.h"
#include "panels/diff/candidate_picker.h"
#include "panels/diff/change_notes.h"
#include "panels/diff/number_table.h"
#include "panels/diff/verdict_table.h"
#include "parts/editor/search_bar.h"
#include "session/models/candidate_model.h"
#include "session/reviewer.h"
#include "session/selection.h"
#include "session/session.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/controls.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {
constexpr int wide_enough = 1120;  // for listing and numbers beside each other
}

DiffPanel::DiffPanel(const Context& context, QWidget* parent)
    : QWidget(parent), context_(context), loader_(new DiffLoader(context, this)) {
  setProperty("role", "panel");
  new DropTarget(this, {.takes = [](const QMimeData& data) { return data.hasFormat(candidate_mime); },
                        .drop = [this](const QMimeData& data, const QPointF& at) { return drop(data, at); },
                        .hover =
                            [this](const QPointF& at) {
                              summary_->set_text(on_left(at) ? tr("Drop it here to compare it on the left")
                                                             : tr("Drop it here to compare it on the right"));
                              return true;
                            },
                        .leave = [this] { update_summary(); }});
  auto* outer = make_column(this, {0, grid::half, 0, 0}, grid::half);
  make_sides(outer);
  make_bar(outer);
  const ContentPages made = content_pages(outer, "file");
  pages_ = made.pages;
  made.page->offer(tr("Show the candidates"), [this] { context_.registry->trigger("go.candidates"); });
  empty_ = made.empty;
  empty_->setObjectName("diff_empty");
  auto* column = make_column(made.content);
  splitter_ = make_splitter(Qt::Horizontal, made.content);
  column->addWidget(splitter_, 1);
  listing_page_ = new QWidget(splitter_);
  auto* listing_column = make_column(listing_page_);
  listing_pages_ = new QStackedLayout;
  listing_column->addLayout(listing_pages_, 1);
  view_ = with_id(new DiffView(listing_page_), "diff_view");
  search_ = new SearchBar([this] { return view_; }, listing_page_);
  listing_column->addWidget(search_);
  why_not_ = empty_state({}, listing_page_);
  why_not_->setObjectName("diff_why_not");
  listing_pages_->addWidget(view_);
  listing_pages_->addWidget(why_not_);
  details_ = new QTabWidget(splitter_);
  details_->setDocumentMode(true);
  details_->setAccessibleName(tr("Numbers, verdicts and comments"));
  numbers_ = new NumberTable(details_);
  verdicts_ = new VerdictTable(details_);
  notes_ = new ChangeNotes(details_);
  details_->addTab(numbers_, tr("Numbers"));
  details_->addTab(verdicts_, tr("Verdicts"));
  details_->addTab(notes_, tr("Comments"));
  splitter_->setStretchFactor(0, 1);
  splitter_->setStretchFactor(1, 1);
  splitter_->setSizes({640, 600});
  make_actions();
  connect_session();
  follow_selection(reviewing_);
  show_sides();
  say(tr("Select a candidate to see how it differs from its parent, or drag one onto another."));
  arrange();
}

void DiffPanel::make_sides(QVBoxLayout* outer) {
  auto* sides = make_row(outer, {grid::step, 0, grid::step, 0});
  pickers_[0] = with_id(new CandidatePicker(context_, tr("Left side"), this), "diff_left");
  pickers_[1] = with_id(new CandidatePicker(context_, tr("Right side"), this), "diff_right");
  swap_ = make_tool(this, "diff_swap", QStringLiteral("\u21c4"), tr("Swap the sides"), tr("Swap the sides"));
  sides->addWidget(pickers_[0], 1);
  sides->addWidget(swap_);
  sides->addWidget(pickers_[1], 1);
  auto* about = make_row(outer, {grid::step, 0, grid::step, 0}, grid::section);
  for (int side : {0, 1}) {
    about_[side] = make_elided(this, side == 0 ? "diff_about_left" : "diff_about_right", "muted");
    about->addWidget(about_[side], 1);
  }
  connect(swap_, &QToolButton::clicked, this, &DiffPanel::swap_sides);
  connect(pickers_[0], &CandidatePicker::picked, this, [this](std::int64_t id) { show_pair(id, right_); });
  connect(pickers_[1], &CandidatePicker::picked, this,
          [this](std::int64_t id) { show_pair(left_ != 0 ? left_ : left(), id); });
}

void DiffPanel::make_bar(QVBoxLayout* outer) {
  auto* row = make_row(outer, {grid::step, 0, grid::step, 0}, grid::half);
  auto* tools = new QWidget(this);
  auto* bar = new FlowLayout(tools, grid::half, FlowLayout::Before::shrinking);
  row->addWidget(tools);
  auto* together = new QWidget(tools);
  auto* segments = make_row(together, {}, 0);
  listings_ = new QButtonGroup(this);
  const std::pair<QString, QString> titles[] = {{tr("CUDA"), tr("Compare the candidates' texts")},
                                                {tr("PTX"), tr("Compare their PTX")},
                                                {tr("SASS"), tr("Compare the machine code")}};
  for (int i = 0; i < 3; ++i) {
    const auto& [title, tip] = titles[i];
    QToolButton* button = make_tool(this, QString("diff_listing_%1").arg(i), title, title, tip);
    button->setCheckable(true);
    button->setProperty("role", "segment");
    listings_->addButton(button, i);
    segments->addWidget(button);
  }
  listings_->button(0)->setChecked(true);
  connect(listings_, &QButtonGroup::idClicked, this, [this](int id) { show_listing(static_cast<CodeKind>(id)); });
  bar->addWidget(together);
  bar->addWidget(make_options());
  auto* pair = new QWidget(tools);
  auto* steps = make_row(pair, {}, grid::half);
  bar->addWidget(pair);
  const auto stepper = [&](const char* icon, const QString& name, bool forward) {
    QToolButton* b = make_icon_tool(this, icon, name, name);
    connect(b, &QToolButton::clicked, this, [this, forward] { step(forward); });
    steps->addWidget(b);
    return b;
  };
  previous_ = stepper("previous", tr("Previous change (Shift+F7)"), false);
  next_ = stepper("next", tr("Next change (F7)"), true);
  summary_ = make_elided(this, "diff_summary", "muted");
  row->addWidget(summary_, 1);
  details_button_ = make_tool(this, "diff_details", tr("Numbers"), tr("Numbers, verdicts and comments"),
                              tr("Show differences of numbers and verdicts, and comments"));
  details_button_->setCheckable(true);
  row->addWidget(details_button_);
  connect(details_button_, &QToolButton::clicked, this, &DiffPanel::arrange);
}

QToolButton* DiffPanel::make_options() {
  QToolButton* options = make_tool(this, "diff_options", tr("View"), tr("How differences are shown"),
                                   tr("Columns, folding, white space, normal forms"));
  options->setPopupMode(QToolButton::InstantPopup);
  const auto choice = [&](const QString& text, bool on) {
    auto* action = new QAction(text, context_.registry);
    action->setCheckable(true);
    action->setChecked(on);
    options->addAction(action);
    return action;
  };
  one_column_ = choice(tr("&One column"), false);
  fold_ = choice(tr("&Fold unchanged lines"), false);
  ignore_space_ = choice(tr("Ignore &white space"), false);
  normalise_ptx_ = choice(tr("Normal form of &PTX"), false);
  normalise_sass_ = choice(tr("Normal form of &SASS"), true);
  return options;
}

void DiffPanel::make_actions() {
  Registry& r = *context_.registry;
  const QString category = tr("Diff");
  const auto show = [this] { context_.registry->trigger("go.diff"); };
  r.add("diff.baseline", category, tr("&Diff with baseline"), QKeySequence("Ctrl+D"), {},
        tr("Compare the selected candidate with the baseline, or with its parent"), [this, show] {
          show();
          follow_selection(false);
          load();
        });
  r.add("diff.parent", category, tr("Diff with &parent"), {}, {}, tr("Compare the selected candidate with its parent"),
        [this, show] {
          show();
          follow_selection(true);
          load();
        });
  r.add("diff.swap", category, tr("S&wap the sides"), {}, {}, tr("Exchange left and right"), [this] { swap_sides(); });
  r.add("diff.comment", category, tr("&Comment on the change"), {}, {},
        tr("Write a note of the review on the change under the cursor"), [this, show] {
          show();
          comment(view_->current_change());
        });
  const std::tuple<const char*, QAction*, QString> choices[] = {
      {"diff.one_column", one_column_, tr("Removed lines above added ones, in one column")},
      {"diff.fold", fold_, tr("Hide lines that are the same on both sides and far from a change")},
      {"diff.ignore_space", ignore_space_, tr("Treat lines that differ only in white space as equal")},
      {"diff.normal_ptx", normalise_ptx_,
       tr("Treat PTX that differs only in registers, labels and line directives as equal")},
      {"diff.normal_sass", normalise_sass_,
       tr("Treat machine code that differs only in registers, labels and addresses as equal")}};
  for (const auto& [id, action, tip] : choices) {
    action->setStatusTip(tip);
    action->setToolTip(tip);
    r.adopt(id, category, action);
  }
  connect(one_column_, &QAction::toggled, view_, &DiffView::set_one_column);
  connect(fold_, &QAction::toggled, view_, &DiffView::set_folded);
  for (QAction* a : {ignore_space_, normalise_ptx_, normalise_sass_})
    connect(a, &QAction::toggled, this, &DiffPanel::compare);
}

void DiffPanel::connect_session() {
  connect(loader_, &DiffLoader::loaded, this, &DiffPanel::on_loaded);
  connect(loader_, &DiffLoader::compared, this, &DiffPanel::on_compared);
  connect(context_.selection, &Selection::current_changed, this, [this] {
    follow_selection(reviewing_);
    load();
  });
  connect(context_.selection, &Selection::compared_changed, this, [this] { follow_comparison(); });
  connect(context_.session, &Session::gpu_changed, this, &DiffPanel::load);
  connect(context_.selection, &Selection::baseline_changed, this, [this] {
    follow_selection(reviewing_);
    load();
  });
  connect(context_.session, &Session::events, this, [this](const std::vector<explore::Event>& batch, bool shown) {
    const auto concerns = [this](const explore::Event& e) {
      const auto* judged = std::get_if<explore::CandidateJudged>(&e);
      return judged && (judged->row.id == left() || judged->row.id == right_);
    };
    if (shown && std::any_of(batch.begin(), batch.end(), concerns)) load();
  });
  Reviewer* reviewer = Reviewer::of(context_);
  connect(reviewer, &Reviewer::decided, this, [this](std::int64_t candidate, store::ReviewKind kind) {
    if (kind == store::ReviewKind::note) notes_->ended(true);
    if (candidate == right()) load();
  });
  connect(reviewer, &Reviewer::problem, this, [this] { notes_->ended(false); });
  connect(notes_, &ChangeNotes::save_wanted, this,
          [this, reviewer](int line, const QString& text) { reviewer->add_note(right(), line, text); });
  connect(notes_, &ChangeNotes::line_activated, this, [this](int line) {
    show_listing(CodeKind::source);
    view_->go_to_line(line);
  });
  connect(verdicts_, &VerdictTable::line_activated, this, [this](bool on_right, int line) {
    if ((on_right ? right() : left()) == context_.selection->current())
      context_.selection->choose_line(line);
    else if (on_right)
      show_listing(CodeKind::source), view_->go_to_line(line);
  });
  const auto is_current = [this](DiffView::Side side) {
    return (side == DiffView::left_side ? left() : right()) == context_.selection->current();
  };
  connect(view_, &DiffView::line_hovered, this, [this, is_current](DiffView::Side side, int line) {
    if (is_current(side)) context_.selection->set_line(line);
  });
  connect(view_, &DiffView::line_activated, this, [this, is_current](DiffView::Side side, int line) {
    if (is_current(side)) context_.selection->choose_line(line);
  });
  connect(context_.selection, &Selection::line_changed, this, [this, is_current](int line) {
    const bool on_left = is_current(DiffView::left_side);
    view_->set_line(on_left ? DiffView::left_side : DiffView::right_side,
                    on_left || is_current(DiffView::right_side) ? line : 0);
  });
  connect(view_, &DiffView::comment_wanted, this, &DiffPanel::comment);
  connect(view_, &DiffView::current_change_changed, this, [this] {
    show_target();
    update_summary();
  });
}

bool DiffPanel::two_compared() const {
  return context_.selection->compared().size() == 2 && context_.selection->baseline() == 0;
}

// The two that are compared are shown beside one another until something else is selected.
void DiffPanel::follow_comparison() {
  if (reviewing_ || !two_compared()) {
    if (!std::exchange(by_comparison_, false) && (pair_ || has_parent(right_))) return;
    follow_selection(reviewing_);
    return load();
  }
  const QList<std::int64_t>& two = context_.selection->compared();
  by_comparison_ = true;
  left_ = two[0];
  right_ = two[1];
  load();
}

void DiffPanel::follow_selection(bool against_parent) {
  const Selection& s = *context_.selection;
  by_comparison_ = !against_parent && two_compared() && s.compared().contains(s.current());
  if (by_comparison_) {
    left_ = s.compared()[0];
    right_ = s.compared()[1];
    return;
  }
  right_ = s.current();
  left_ = against_parent || s.baseline() == right_ ? 0 : s.baseline();
  if (left_ == 0 && !has_parent(right_))  // else there is nothing to show
    for (const std::int64_t other : s.compared())
      if (other != right_) {
        left_ = other;
        break;
      }
}

// Also where that is not known: of another run.
bool DiffPanel::has_parent(std::int64_t candidate) const {
  const int row = context_.candidates->row_of(candidate);
  return row < 0 || !context_.candidates->rows()[static_cast<std::size_t>(row)].data.parent.empty();
}

void DiffPanel::set_reviewing(bool on) {
  if (on == reviewing_) return;
  reviewing_ = on;
  follow_selection(reviewing_);
  load();
}

void DiffPanel::show_pair(std::int64_t left, std::int64_t right) {
  follow_selection(reviewing_);
  if (left != 0) left_ = left;
  if (right != 0) right_ = right;
  load();
}

void DiffPanel::swap_sides() {
  if (pair_) show_pair(right(), left());
}

void DiffPanel::step(bool forward) {
  if (pages_->currentIndex() == 1 && listing_pages_->currentIndex() == 0) view_->step(forward);
}

void DiffPanel::open_search() {
  if (pages_->currentIndex() == 1 && listing_page_->isVisible() && view_->diff()) search_->open();
}

void DiffPanel::show_listing(CodeKind listing) {
  listings_->button(static_cast<int>(listing))->setChecked(true);
  if (listing == listing_) return;
  listing_ = listing;
  compare();
}

void DiffPanel::load() {
  if (right_ == 0) {
    loader_->forget();
    pair_.reset();
    compared_ = stale_ = false;
    show_sides();
    return say(tr("Select a candidate to see how it differs from its parent, or drag one onto another."));
  }
  stale_ = !isVisible();  // read when shown
  if (!stale_)
    loader_->load(left_, right_);
  else
    loader_->forget();
}

void DiffPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) load();
}

void DiffPanel::on_loaded(const std::shared_ptr<const DiffPair>& pair, const QString& why_not) {
  const auto same = [](const DiffSide& a, const DiffSide& b) {
    const auto ptx = [](const DiffSide& s) { return s.record.verdict ? s.record.verdict->ptx : std::string(); };
    return a.record.id == b.record.id && a.record.text == b.record.text && ptx(a) == ptx(b);
  };
  const bool same_texts = pair && pair_ && compared_ && pages_->currentIndex() == 1 &&
                          same(*pair->left, *pair_->left) && same(*pair->right, *pair_->right);
  pair_ = pair;
  show_sides();
  if (!pair) {
    const int row = context_.candidates->row_of(right_);
    if (row >= 0)
      pickers_[1]->show_candidate(
          right_, "#" + QString::number(right_) + " " +
                      CandidateModel::name_of(context_.candidates->rows()[static_cast<std::size_t>(row)].data));
    return say(why_not);
  }
  if (!same_texts) instructions_[0] = instructions_[1] = -1;
  show_numbers();
  verdicts_->set_rows(pair->verdicts);
  show_notes();
  pages_->setCurrentIndex(1);
  if (!same_texts)
    compare();
  else
    show_target();
}

void DiffPanel::show_sides() {
  for (const int side : {0, 1}) {
    const DiffSide* s = !pair_ ? nullptr : side == 0 ? pair_->left.get() : pair_->right.get();
    pickers_[side]->show_candidate(s ? s->record.id : 0, s ? s->name : QString());
    about_[side]->set_text(!s ? QString() : (s->options.isEmpty() ? QString() : s->options + "  \u00b7  ") + s->place);
    about_[side]->setAccessibleName(s ? tr("%1: %2").arg(s->name, about_[side]->full_text()) : QString());
  }
  swap_->setEnabled(pair_ != nullptr);
}

bool DiffPanel::normalised() const {
  return listing_ == CodeKind::ptx ? normalise_ptx_->isChecked()
                                   : listing_ == CodeKind::sass && normalise_sass_->isChecked();
}

void DiffPanel::compare() {
  if (!pair_) return;
  if (listing_ == CodeKind::sass) {
    why_not_->setText(tr("Compiling and disassembling\u2026"));
    listing_pages_->setCurrentIndex(1);
  }
  compared_ = false;
  summary_->set_text(tr("Comparing\u2026"));
  loader_->compare(pair_, listing_, normalised(), ignore_space_->isChecked());
}

void DiffPanel::on_compared(const std::shared_ptr<const DiffTexts>& texts) {
  if (!pair_ || texts->listing != listing_) return;
  const auto kind = [&](bool ptx) { return listing_ == CodeKind::source && ptx ? CodeKind::ptx : listing_; };
  view_->set_source_lines(texts->left_lines, texts->right_lines);
  view_->show_diff(texts->diff, kind(texts->left_ptx), kind(texts->right_ptx));
  why_not_->setText(texts->why_not);
  listing_pages_->setCurrentIndex(texts->diff ? 0 : 1);
  compared_ = true;
  search_->refresh();
  if (texts->left_instructions >= 0) {
    instructions_[0] = texts->left_instructions;
    instructions_[1] = texts->right_instructions;
    show_numbers();
  }
  show_notes();
  show_target();
  update_summary();
}

void DiffPanel::show_numbers() {
  std::vector<diff::Number> left = pair_->left->numbers, right = pair_->right->numbers;
  for (const int side : {0, 1}) {
    diff::Number n{.group = "code", .name = "SASS instructions", .better = evidence::Better::lower};
    if (instructions_[side] >= 0)
      n.value = instructions_[side], n.provenance = Provenance::counted;
    else
      n.why_not = tr("the machine code has not been read: open SASS").toStdString();
    (side == 0 ? left : right).push_back(n);
  }
  std::vector<diff::NumberRow> rows = diff::compare_numbers(left, right, pair_->paired_timings);
  const std::string ops[] = {candidate::named_op(pair_->left->record.text),
                             candidate::named_op(pair_->right->record.text)};
  if (ops[0] != ops[1])
    for (diff::NumberRow& row : rows) {
      row.change = row.percent = profile::unknown;
      row.noise = diff::Noise::not_comparable;
      row.why = tr("the left one computes %1, the right one %2").arg(qs(ops[0]), qs(ops[1])).toStdString();
    }
  numbers_->set_rows(std::move(rows));
}

void DiffPanel::show_notes() {
  notes_->set_notes(pair_->notes);
  details_->setTabText(2, pair_->notes.empty() ? tr("Comments") : tr("Comments (%1)").arg(pair_->notes.size()));
  QMap<int, QString> marks;
  if (listing_ == CodeKind::source)
    for (const store::ReviewRecord& note : pair_->notes)
      if (note.line > 0) marks[note.line] += (marks[note.line].isEmpty() ? "" : "\n") + qs(note.text);
  view_->set_notes(marks);
}

void DiffPanel::show_target() {
  if (!pair_) return notes_->set_target(0, {}, tr("Choose two candidates to comment on what changed."));
  if (is_guest(right())) return notes_->set_target(0, {}, tr("Comments belong to candidates of the open workspace."));
  if (listing_ != CodeKind::source)
    return notes_->set_target(0, {}, tr("Comments belong to lines of the source: choose Source above."));
  const int change = view_->current_change();
  notes_->set_target(view_->note_line(change), pair_->right->name, tr("Go to a change to comment on it (F7)."));
}

void DiffPanel::comment(int change) {
  if (!pair_) return;
  details_button_->setChecked(true);
  arrange();
  details_->setCurrentWidget(notes_);
  if (change >= 0 && change != view_->current_change()) view_->go_to_change(change);
  show_target();
  notes_->begin();
}

void DiffPanel::update_summary() {
  const auto& d = view_->diff();
  const bool any = d && !d->changes.empty();
  previous_->setEnabled(any);
  next_->setEnabled(any);
  if (!d) return summary_->set_text({});
  if (!any)
    return summary_->set_text(d->rules.form != diff::Form::text
                                  ? tr("no difference except registers, labels and addresses")
                                  : tr("no difference"));
  const int at = view_->current_change(), count = static_cast<int>(d->changes.size());
  const QString lines =
      QStringLiteral("+%1 \u2212%2").arg(d->added).arg(d->removed);  // short: a narrow dock has little room
  QString sentence =
      at >= 0 ? tr("change %1 of %2").arg(at + 1).arg(count) : counted(count, tr("change"), tr("changes"));
  sentence += tr(", %1 lines added, %2 removed").arg(d->added).arg(d->removed);
  if (d->coarse) sentence += tr("; long stretches of similar lines were compared piecewise");
  summary_->set_text((at >= 0 ? QStringLiteral("%1/%2  ").arg(at + 1).arg(count)
                              : counted(count, tr("change"), tr("changes")) + "  ") +
                     lines + (d->coarse ? tr(", piece by piece") : QString()));
  summary_->setAccessibleName(sentence);
}

QString DiffPanel::message() const {
  return pages_->currentIndex() == 0           ? empty_->text()
         : listing_pages_->currentIndex() == 1 ? why_not_->text()
                                               : QString();
}

void DiffPanel::say(const QString& text) {
  empty_->setText(text);
  pages_->setCurrentIndex(0);
  summary_->set_text({});
  previous_->setEnabled(false);
  next_->setEnabled(false);
  view_->show_diff(nullptr, CodeKind::source, CodeKind::source);
  show_target();
}

void DiffPanel::arrange() {
  const bool wide = width() >= wide_enough, wanted = details_button_->isChecked();
  details_->setVisible(wanted);
  listing_page_->setVisible(wide || !wanted);  // in a narrow dock one of the two
  splitter_->refresh();
}

void DiffPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if ((event->oldSize().width() < wide_enough) != (width() < wide_enough) || event->oldSize().width() <= 0) {
    details_button_->setChecked(width() >= wide_enough);
    arrange();
  }
}

bool DiffPanel::on_left(const QPointF& at) const { return at.x() < width() / 2.0; }

bool DiffPanel::drop(const QMimeData& data, const QPointF& at) {
  bool ok = false;
  const qlonglong id = data.data(candidate_mime).toLongLong(&ok);
  if (!ok || id <= 0) return false;
  if (on_left(at))
    show_pair(id, right_);
  else
    show_pair(left_ != 0 ? left_ : left(), id);
  return true;
}

}  // namespace ww::widgets
