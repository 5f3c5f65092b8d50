// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/code_panel.h"
#include <QApplication>
#include <QComboBox>
#include <QSplitter>
#include <QStackedLayout>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>
#include "session/actions/registry.h"
#include "panels/code/beside_view.h"
#include "panels/code/code_listings.h"
#include "panels/code/open_tabs.h"
#include "panels/verdict/verdict_line.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/listing_view.h"
#include "parts/editor/search_bar.h"
#include "session/edits.h"
#include "session/profile_loader.h"
#include "session/selection.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/controls.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/label.h"

namespace ww::widgets {

namespace {
constexpr int code_pane_width = 260;   // below it a pane is not worth its place
constexpr int code_hints_width = 460;  // in narrower panels hints are numbers, and words only in tooltips
}  // namespace

CodePanel::CodePanel(const Context& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      listings_(new CodeListings(context, this)),
      edits_(new Edits(context, this)),
      tabs_(new OpenTabs(context, this)) {
  setProperty("role", "panel");
  auto* outer = make_column(this, {}, 0);
  outer->addWidget(make_documents());
  const ContentPages made =
      content_pages(outer, "file", tr("Select a candidate to read its code and the PTX that it compiles to."));
  pages_ = made.pages;
  made.page->offer(tr("Show the candidates"), [this] { context_.registry->trigger("go.candidates"); });
  QWidget* page = made.content;
  auto* column = make_column(page, {0, grid::half, 0, 0}, grid::half);
  column->addWidget(make_bar(page));
  verdict_ = new VerdictLine(page);
  connect(verdict_, &VerdictLine::verdict_wanted, this, &CodePanel::verdict_wanted);
  column->addWidget(verdict_);
  draft_bar_ = new DraftBar(page);
  column->addWidget(draft_bar_);
  column->addWidget(make_panes(page), 1);
  make_live(column);
  search_ = new SearchBar([this] { return current(); }, page);
  column->addWidget(search_);
  make_editing(page);
  setFocusProxy(source_);
  connect(source_, &CodeEditor::text_complete, search_, &SearchBar::refresh);
  connect(draft_, &CodeEditor::textChanged, search_, &SearchBar::refresh_if_open);
  connect(listings_, &CodeListings::ptx_made, this, &CodePanel::show_ptx);
  connect(listings_, &CodeListings::sass_made, this, &CodePanel::show_sass);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    if (!now) return;
    if (beside_->isAncestorOf(now)) beside_current_ = true;
    for (const Listing at : {cuda, ptx_listing, sass_listing})
      if (panes_->widget(at)->isAncestorOf(now)) {
        current_ = at;
        beside_current_ = false;
      }
  });
  connect(context.session, &Session::candidate_loaded, this, &CodePanel::show_candidate);
  if (context.profiles) connect(context.profiles, &ProfileLoader::profiles_loaded, this, &CodePanel::show_profiles);
  connect_lines();
  add_actions();
  add_document_actions();
}

CodePanel::~CodePanel() { disconnect(qApp, nullptr, this, nullptr); }  // the focus moves while the panes go

QWidget* CodePanel::make_bar(QWidget* page) {
  auto* bar = new QWidget(page);
  auto* column = make_column(bar, {grid::step, 0, grid::step, 0}, grid::half);
  const auto tool = [bar](const char* id, const QString& text, const QString& tip) {
    auto* b = make_tool(bar, id, text, text, tip);
    return b;
  };
  auto* row = new FlowLayout(nullptr, grid::step, FlowLayout::Before::shrinking);
  const QString names[] = {tr("CUDA"), tr("PTX"), tr("SASS")};
  const QString tips[] = {tr("Show the candidate's text"), tr("Show the PTX that it compiles to"),
                          tr("Show its machine code")};
  auto* panes = new QWidget(bar);
  auto* together = make_row(panes, {}, 0);
  for (const Listing at : {cuda, ptx_listing, sass_listing}) {
    show_[at] = tool(qPrintable(QString("pane_%1").arg(at)), names[at], tips[at]);
    show_[at]->setProperty("role", "segment");
    show_[at]->setCheckable(true);
    show_[at]->setChecked(at == cuda);
    connect(show_[at], &QToolButton::clicked, this, [this, at](bool on) { set_pane(at, on); });
    together->addWidget(show_[at]);
  }
  row->addWidget(panes);
  counter_ = make_shrinking_combo(bar, "line_counter", tr("Counter beside the lines"),
                                  tr("Counter shown beside each line"), 12);
  row->addWidget(counter_);
  hints_ = tool("hints", tr("Access"),
                tr("Shows how each line accesses global memory, instead of its count: \"coalesced\", \"partly\", "
                   "\"strided\" or \"broadcast\", and the sectors of 32 bytes moved for each request of a warp. With "
                   "the SASS open also its live registers (\"21r\"). Point at a line to read more. The shading still "
                   "shows the counter"));
  hints_->setCheckable(true);
  row->addWidget(hints_);
  column->addLayout(row);
  provenance_ = make_elided(bar, "line_provenance", "muted");
  column->addWidget(provenance_);
  connect(counter_, &QComboBox::currentIndexChanged, this, &CodePanel::show_counter);
  connect(hints_, &QToolButton::toggled, this, &CodePanel::show_counter);
  return bar;
}

bool CodePanel::eventFilter(QObject* object, QEvent* event) {
  if (object == texts_ && event->type() == QEvent::Resize && room_for_hints_ != (texts_->width() >= code_hints_width)) {
    room_for_hints_ = !room_for_hints_;
    show_counter();
  }
  return QWidget::eventFilter(object, event);
}

ListingView* CodePanel::make_listing(Listing at, const char* id, const QString& name, QStackedLayout** pages,
                                     Label** message) {
  auto* pane = new QWidget(panes_);
  *pages = new QStackedLayout(pane);
  auto* view = with_id(new ListingView(pane), id);
  name_it(view, name);
  *message = empty_state({}, pane);
  (*pages)->addWidget(view);
  (*pages)->addWidget(*message);
  panes_->addWidget(pane);
  pane->setVisible(show_[at]->isChecked());
  return view;
}

QWidget* CodePanel::make_panes(QWidget* page) {
  panes_ = with_id(make_splitter(Qt::Horizontal, page), "code_panes");
  texts_ = new QStackedWidget(panes_);
  source_ = with_id(new CodeEditor(CodeLanguage::cuda, true, texts_), "cuda_code");
  name_it(source_, tr("Code of the candidate"));
  draft_ = with_id(new CodeEditor(CodeLanguage::cuda, false, texts_), "draft_code");
  name_it(draft_, tr("Draft of a candidate"));
  texts_->addWidget(source_);
  texts_->addWidget(draft_);
  panes_->addWidget(texts_);
  texts_->installEventFilter(this);
  ptx_ = make_listing(ptx_listing, "ptx_code", tr("PTX of the candidate"), &ptx_pages_, &no_ptx_);
  sass_ = make_listing(sass_listing, "sass_code", tr("Machine code of the candidate"), &sass_pages_, &no_sass_);
  no_sass_->setObjectName("no_sass");
  beside_ = new BesideView(context_, panes_);
  panes_->addWidget(beside_);
  connect(beside_, &BesideView::closed, this, [this] { beside_current_ = false; });
  for (int i = 0; i < panes_->count(); ++i) panes_->setStretchFactor(i, 1);
  return panes_;
}

void CodePanel::add_actions() {
  Registry& r = *context_.registry;
  connect(edit_, &QToolButton::clicked,
          r.add("code.edit", tr("Code"), tr("&Edit a copy"), QKeySequence("Ctrl+E"), {},
                tr("Edit a copy of the candidate"), [this] { edit(); }),
          &QAction::trigger);
  r.add("code.check", tr("Code"), tr("Chec&k the draft"), QKeySequence("F5"), {},
        tr("Judge the edited copy in the shown run and store it as a child"), [this] { check(); });
  r.add("code.fold", tr("Code"), tr("F&old the listing"), QKeySequence("Ctrl+Shift+["), {},
        tr("Fold PTX and SASS by functions"), [this] {
          for (ListingView* view : {ptx_, sass_}) view->fold_all(FoldBy::functions);
        });
  r.add("code.unfold", tr("Code"), tr("&Unfold the listing"), QKeySequence("Ctrl+Shift+]"), {},
        tr("Show all rows of PTX and SASS"), [this] {
          for (ListingView* view : {ptx_, sass_}) view->unfold_all();
        });
}

Searchable* CodePanel::current() const {
  if (beside_current_) return beside_->text();
  const Listing at = pane(current_) ? current_ : pane(cuda) ? cuda : pane(ptx_listing) ? ptx_listing : sass_listing;
  if (at == sass_listing) return sass_;
  if (at == ptx_listing) return ptx_;
  return editing_ ? draft_ : source_;
}

QString CodePanel::name() const {
  const auto& record = candidate_->record;
  return tr("#%1 %2").arg(record.id).arg(record.title.empty() ? qs(record.structure) : qs(record.title));
}

std::int64_t CodePanel::shown() const { return candidate_ ? candidate_->record.id : 0; }

// ---- what is shown

void CodePanel::show_candidate(const std::shared_ptr<const CandidateView>& candidate) {
  const bool same = candidate && candidate_ && candidate->record.id == candidate_->record.id &&
                    candidate->record.text == candidate_->record.text;
  const bool same_ptx = same && candidate->record.verdict && candidate_->record.verdict &&
                        candidate->record.verdict->ptx == candidate_->record.verdict->ptx;
  if (!same) {
    if (!has_left_) leave_place();
    leave_edit();
    if (said_.of == shown()) said_ = {};
  }
  has_left_ = false;
  candidate_ = candidate;
  if (candidate) tabs_->learn(*candidate);
  verdict_->show_candidate(candidate);
  if (!same_ptx) {
    listings_->forget();
    ptx_filled_ = sass_filled_ = false;
    ptx_->set_listing(nullptr);
    sass_->set_listing(nullptr);
    live_.clear();
  }
  if (!candidate) {
    pages_->setCurrentIndex(0);
    source_->set_code({});
    edit_when_shown_ = 0;
    update_draft();
    return;
  }
  pages_->setCurrentIndex(1);
  const auto& record = candidate->record;
  show_[cuda]->setText(record.language == candidate::Language::ptx ? tr("PTX (source)") : tr("CUDA"));
  if (!same) {
    chosen_ = marked_ = {};
    source_->set_code(exact(record.text));
  }
  int fault = 0;
  messages_.clear();
  if (record.verdict)
    for (const auto& stage : record.verdict->stages) {
      if (stage.failure && stage.failure->fault && stage.failure->fault->line > 0) fault = stage.failure->fault->line;
      if (ends_judgement(stage.outcome) && !stage.detail.empty())
        messages_ = compile::read_log(record.text, stage.detail);
    }
  source_->show_messages(messages_);
  source_->mark_fault(fault);
  if (!same && !return_to_place()) {
    if (fault > 0)
      source_->go_to(fault);
    else if (!messages_.empty())
      source_->go_to(messages_.front().where.place.line);
    else
      source_->show_from_code();
  }
  metrics_.clear();
  access_.clear();
  if (!same) measured_.clear();
  if (record.verdict && record.verdict->metrics) {
    metrics_ = measure::line_metrics(*record.verdict->metrics);
    access_ = access_hints(*record.verdict->metrics);
  }
  fill();
  fill_counters();
  search_->refresh();
  if (std::exchange(edit_when_shown_, 0) == record.id)
    edit();
  else if (!same && left_.value(record.id).editing && edits_->has(shown()))
    continue_edit(left_[record.id].draft);
  else
    update_draft();
}

bool CodePanel::pane(Listing listing) const { return show_[listing]->isChecked(); }

void CodePanel::set_pane(Listing listing, bool shown) {
  show_[listing]->setChecked(shown);
  const bool any = pane(cuda) || pane(ptx_listing) || pane(sass_listing);
  if (!any) show_[listing]->setChecked(true);  // never show an empty panel
  panes_->widget(listing)->setVisible(pane(listing));
  if (pane(listing)) {
    current_ = listing;
    beside_current_ = false;
    fill();
    mark(marked_);
  }
  search_->refresh();
}

void CodePanel::show_listing(Listing listing) {
  int shown = pane(listing) ? 0 : 1;
  for (const Listing at : {cuda, ptx_listing, sass_listing}) shown += pane(at);
  set_pane(listing, true);
  if (panes_->width() < shown * code_pane_width)
    for (const Listing at : {cuda, ptx_listing, sass_listing})
      if (at != listing) set_pane(at, false);
  current_ = listing;
  beside_current_ = false;
  current()->widget()->setFocus();
  search_->refresh();
}

void CodePanel::fill() {
  if (!candidate_) return;
  if (pane(ptx_listing) && !ptx_filled_) {
    ptx_filled_ = true;
    const bool there = candidate_->record.verdict && !candidate_->record.verdict->ptx.empty();
    ptx_pages_->setCurrentIndex(there ? 0 : 1);
    if (there)
      listings_->make_ptx(candidate_);
    else
      no_ptx_->setText(
          !candidate_->record.verdict
              ? tr("There is no PTX yet: the candidate has not been judged.")
              : tr("There is no PTX: the candidate was not compiled (%1).").arg(qs(candidate_->record.summary)));
  }
  if (pane(sass_listing) && !sass_filled_) {
    sass_filled_ = true;
    sass_pages_->setCurrentIndex(1);
    no_sass_->setText(tr("Compiling and disassembling…"));
    listings_->make_sass(candidate_);
  }
}

void CodePanel::show_ptx(std::int64_t candidate, const std::shared_ptr<const ww::widgets::Listing>& listing) {
  if (!candidate_ || candidate_->record.id != candidate) return;  // another one is shown by now
  ptx_->set_listing(listing);
  show_counter();
  mark(marked_);
  search_->refresh();
}

void CodePanel::show_sass(std::int64_t candidate, const std::shared_ptr<const ww::widgets::Listing>& listing,
                          const QString& why_not) {
  if (!candidate_ || candidate_->record.id != candidate) return;
  sass_->set_listing(listing);
  no_sass_->setText(capitalised(why_not.toStdString()));
  sass_pages_->setCurrentIndex(listing ? 0 : 1);
  live_.clear();
  for (int row = 0; listing && row < listing->rows(); ++row)
    if (const int line = listing->line_of(row), live = listing->live_of(row); line > 0 && live > live_.value(line))
      live_[line] = live;
  show_counter();
  mark(marked_);
  search_->refresh();
}

// ---- lines that belong together

void CodePanel::connect_lines() {
  connect(source_, &CodeEditor::line_hovered, this, [this](int line) { hover({line, Origin::cuda, -1}); });
  connect(source_, &CodeEditor::line_clicked, this, [this](int line) { choose({line, Origin::cuda, -1}); });
  for (const auto& [view, origin] : {std::pair(ptx_, Origin::ptx), std::pair(sass_, Origin::sass)}) {
    connect(view, &ListingView::row_hovered, this, [this, at = origin](int row) { hover(place_of_row(at, row)); });
    connect(view, &ListingView::row_reached, this, [this, at = origin](int row) { hover(place_of_row(at, row)); });
    connect(view, &ListingView::row_chosen, this, [this, at = origin](int row) { choose(place_of_row(at, row)); });
  }
  connect(context_.selection, &Selection::line_changed, this, [this](int line) {
    if (!marking_) mark({line, Origin::elsewhere, -1});
  });
  connect(context_.selection, &Selection::line_chosen, this, [this](int line) {
    if (!marking_) go_to(line);
  });
}

CodePanel::Place CodePanel::place_of_row(Origin origin, int row) const {
  const ListingView* view = origin == Origin::ptx ? ptx_ : sass_;
  if (row < 0 || !view->listing()) return {};
  return {view->listing()->line_of(row), origin, row};
}

void CodePanel::mark(const Place& place) {
  marked_ = place;
  source_->set_linked_line(place.line);
  if (const auto& listing = ptx_->listing()) {
    const int exact = place.origin == Origin::sass && sass_->listing() ? sass_->listing()->ptx_line_of(place.row) : 0;
    ptx_->set_linked(exact > 0 && exact <= listing->rows() ? std::vector<int>{exact - 1}
                                                           : listing->rows_of_line(place.line));
  }
  if (const auto& listing = sass_->listing()) {
    std::vector<int> rows = place.origin == Origin::ptx ? listing->rows_of_ptx_line(place.row + 1) : std::vector<int>();
    sass_->set_linked(rows.empty() ? listing->rows_of_line(place.line) : std::move(rows));
  }
}

void CodePanel::hover(const Place& place) {
  const Place shown = place.line > 0 || place.row >= 0 ? place : chosen_;
  marking_ = true;
  context_.selection->set_line(shown.line);
  marking_ = false;
  mark(shown);
}

void CodePanel::choose(const Place& place) {
  chosen_ = place;
  QWidget* const had = QApplication::focusWidget();
  marking_ = true;
  context_.selection->choose_line(place.line);
  marking_ = false;
  mark(place);
  if (had && isAncestorOf(had)) had->setFocus();  // the window has shown this panel, and with it the text
  if (place.origin != Origin::cuda && place.line > 0 && !editing_) source_->show_line(place.line);
  if (place.origin != Origin::ptx) ptx_->reveal_linked();
  if (place.origin != Origin::sass) sass_->reveal_linked();
}

void CodePanel::go_to(int line) {
  if (!pane(cuda)) show_listing(cuda);
  leave_edit();
  update_draft();
  source_->go_to(line);
  source_->setFocus();
  chosen_ = {line, Origin::elsewhere, -1};
  mark(chosen_);
  ptx_->reveal_linked();
  sass_->reveal_linked();
}

void CodePanel::open_search() {
  if (candidate_) search_->open();
}

}  // namespace ww::widgets
