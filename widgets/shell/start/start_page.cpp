// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/start/start_page.h"
#include <QGridLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include "panels/describe/equation_drawing.h"
#include "panels/describe/given_candidates.h"
#include "panels/describe/reading_view.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"
#include "shell/start/example_card.h"
#include "shell/start/start_prompt.h"

namespace ww::widgets {

namespace {
constexpr int start_width = 760, start_card = 224, least_drawn = 140, most_drawn = 240;
}  // namespace

StartPage::StartPage(std::vector<StartExample> examples, QWidget* window) : QWidget(window) {
  setObjectName("start_page");
  setAccessibleName(tr("Start page"));
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  QScrollArea* area = make_scroll_area(this);
  make_column(this)->addWidget(area);
  sheet_ = new QWidget(area);
  area->setWidget(sheet_);
  area->viewport()->setAutoFillBackground(false);
  sheet_->setAutoFillBackground(false);
  auto* centred = make_row(sheet_, grid::open_page);
  auto* inner = new QWidget(sheet_);
  inner->setMaximumWidth(start_width);
  centred->addStretch(1);
  centred->addWidget(inner, 100);
  centred->addStretch(1);
  auto* column = make_column(inner, {}, grid::wide);
  top_ = new QSpacerItem(0, 0, QSizePolicy::Minimum, QSizePolicy::Fixed);
  column->addItem(top_);
  make_prompt(column);
  make_examples(column, std::move(examples));
  column->addStretch(1);  // the foot stays where it is while what is above it grows
  make_foot(column);
  hide();
}

void StartPage::make_prompt(QVBoxLayout* column) {
  auto* title = make_label(this, "start_title", "heading");
  title->setText(tr("Which operation?"));
  column->addWidget(title);
  auto* row = make_row(column);
  prompt_ = with_id(new StartPrompt(this), "start_prompt");
  run_ = make_button(this, "start_run", tr("Run"), tr("Propose, prove and rank candidates (Return)"));
  run_->setProperty("role", "primary");
  row->addWidget(prompt_, 1);
  row->addWidget(run_, 0, Qt::AlignTop);
  auto* summary = make_row(column);
  reading_ = make_paragraph(this, "start_reading", "muted");
  options_ = make_tool(this, "start_options", tr("Change"), tr("Change the run's options"),
                       tr("Sizes, element type, device, generator and budget of this run"));
  options_->setCheckable(true);
  summary->addWidget(reading_, 1);
  summary->addWidget(options_, 0, Qt::AlignTop);
  form_room_ = make_column(column);
  connect(options_, &QToolButton::toggled, this, &StartPage::form_wanted);
  given_ = with_id(new GivenCandidates(this), "start_given");
  column->addWidget(given_);
  set_type(title, Type::display);
  set_type(prompt_, Type::title);
  connect(&Theme::instance(), &Theme::changed, this, &StartPage::fit_run);
  connect(prompt_, &QPlainTextEdit::textChanged, this, [this] { emit typed(text()); });
  connect(prompt_, &StartPrompt::accepted, this, &StartPage::run_wanted);
  connect(prompt_, &StartPrompt::file_dropped, this, &StartPage::file_dropped);
  connect(prompt_, &StartPrompt::refused, this, [this](const QString& why) {
    set_role(reading_, "warning");
    reading_->setText(why);
  });
  connect(run_, &QPushButton::clicked, this, &StartPage::run_wanted);
}

void StartPage::make_examples(QVBoxLayout* column, std::vector<StartExample> examples) {
  // In one place, which never shrinks while one types: what is below stays where it is.
  middle_ = new QWidget(this);
  auto* both = make_column(middle_);
  examples_ = new QWidget(middle_);
  said_ = new QWidget(middle_);
  auto* said = make_column(said_, {}, grid::wide);
  understood_ = with_id(new ReadingView(said_, ReadingView::Arrangement::flow), "start_understood");
  said->addWidget(understood_);
  drawing_ = with_id(new EquationDrawing(said_), "start_drawing");
  said->addWidget(drawing_);
  both->addWidget(examples_);
  both->addWidget(said_);
  both->addStretch(1);
  grid_ = make_grid(examples_);
  for (StartExample& one : examples) {
    auto* card = new ExampleCard(std::move(one), examples_);
    connect(card, &QPushButton::clicked, this, [this, card] {
      if (card->example().opens_file) {
        emit file_wanted();
        return;
      }
      set_text(card->example().sentence);
      focus_prompt();
    });
    cards_.push_back(card);
  }
  column->addWidget(middle_);
  place_cards();
  show_figures({});
  show_reading({}, {});
}

void StartPage::make_foot(QVBoxLayout* column) {
  recent_title_ = make_label(this, "start_recent", "heading");
  recent_title_->setText(tr("Recent work"));
  column->addWidget(recent_title_);
  recent_ = make_column(column, {}, grid::half);
  auto* row = make_row(column);
  machine_ = make_paragraph(this, "start_machine", "muted");
  auto* tour = make_button(this, "start_tour", tr("Watch the tour"),
                           tr("Two minutes through a session that was recorded on an H200"));
  auto* leave = make_button(this, "start_leave", tr("Go to the workbench"), tr("Close this page (Escape)"));
  row->addWidget(machine_, 1);
  row->addWidget(tour);
  row->addWidget(leave);
  connect(tour, &QPushButton::clicked, this, &StartPage::tour_wanted);
  connect(leave, &QPushButton::clicked, this, &StartPage::left);
  show_recent({});
}

void StartPage::place_cards() {
  const int room = std::min(width() - 48, start_width), fits = std::clamp((room + 8) / (start_card + 8), 1, 3);
  if (fits == columns_) return;
  columns_ = fits;
  for (std::size_t i = 0; i < cards_.size(); ++i)
    grid_->addWidget(cards_[i], static_cast<int>(i) / fits, static_cast<int>(i) % fits);
  middle_->setMinimumHeight(0);  // it was for other columns
  reserve();
}

void StartPage::cover(const QRect& room) {
  setGeometry(room);
  raise();
}

void StartPage::focus_prompt() {
  prompt_->setFocus(Qt::OtherFocusReason);
  prompt_->selectAll();
}

QString StartPage::text() const { return prompt_->toPlainText(); }

void StartPage::set_text(const QString& text) {
  if (text != this->text()) prompt_->setPlainText(text);
}

void StartPage::show_reading(const QString& summary, const QString& problem) {
  set_role(reading_, problem.isEmpty() ? "muted" : "warning");
  reading_->setText(!problem.isEmpty()   ? problem
                    : !summary.isEmpty() ? summary
                                         : tr("A sentence, a formula, PyTorch code, an op spec or a CUDA kernel. "
                                              "Return runs it."));
  if (text().trimmed().isEmpty()) options_->setChecked(false);
  options_->setVisible(options_->isChecked() || (problem.isEmpty() && !summary.isEmpty()));  // stays while one types
  run_->setText(problem.isEmpty() ? tr("Run") : tr("Continue"));  // to what has to be answered first
  run_->setEnabled(!text().trimmed().isEmpty());
}

void StartPage::ask_for_text() {
  set_role(reading_, "warning");
  reading_->setText(tr("Write an operation above, or choose one of the examples."));
  focus_prompt();
}

void StartPage::hold_form(QWidget* form) {
  const QSignalBlocker block(options_);
  options_->setChecked(form != nullptr);
  if (!form) return;
  form_room_->addWidget(form);
  form->show();
}

void StartPage::show_figures(std::vector<EquationFigure> figures) {
  const bool any = !text().trimmed().isEmpty();
  said_->setVisible(any);
  examples_->setVisible(!any);
  if (!any) figures.clear();
  const int width = std::min(this->width() - 2 * grid::section, start_width);
  drawing_->setVisible(!figures.empty());
  drawing_->show_figures(std::move(figures));
  const QLayout* words = understood_->layout();
  const int above = words->hasHeightForWidth() ? words->heightForWidth(width) : words->sizeHint().height();
  const int room = examples_->layout()->sizeHint().height() - above - grid::wide;  // what the examples left
  drawing_->fold_to(std::clamp(room, least_drawn, most_drawn), width);
  drawing_->setFixedHeight(drawing_->isHidden() ? 0 : drawing_->heightForWidth(width));
  reserve();
}

// What the examples take is kept while one types; what is read may need more, and then keeps that.
void StartPage::reserve() {
  const int width = std::min(this->width() - 2 * grid::section, start_width);
  const bool any = !text().trimmed().isEmpty();
  const int least = examples_->layout()->sizeHint().height();
  const QLayout* said = said_->layout();
  const int needed = said->hasHeightForWidth() ? said->heightForWidth(width) : said->sizeHint().height();
  middle_->setMinimumHeight(any ? std::max({least, middle_->minimumHeight(), needed}) : least);
}

void StartPage::show_machine(const QString& text) {
  if (text == machine_->text()) return;
  machine_->setText(text);
  place_top();
}

void StartPage::show_recent(const std::vector<RecentPlace>& places) {
  clear_layout(recent_);
  recent_title_->setVisible(!places.empty());
  for (const RecentPlace& place : places) {
    auto* button = make_button(this, {}, place.text, place.tip);
    button->setProperty("role", "link");
    connect(button, &QPushButton::clicked, this, [this, place] { emit place_chosen(place); });
    recent_->addWidget(button, 0, Qt::AlignLeft);
  }
  place_top();
}

bool StartPage::focusNextPrevChild(bool next) {
  QWidget* from = focusWidget() ? focusWidget() : this;
  for (QWidget* w = next ? from->nextInFocusChain() : from->previousInFocusChain(); w != from;
       w = next ? w->nextInFocusChain() : w->previousInFocusChain()) {
    if (!isAncestorOf(w) || !w->isVisible() || !w->isEnabled() || !(w->focusPolicy() & Qt::TabFocus)) continue;
    w->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    return true;
  }
  return true;
}

void StartPage::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape)
    emit left();
  else
    QWidget::keyPressEvent(event);
}

void StartPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fit_run();
  place_top();
}

// As high as a prompt of one line; below it two lines, which what is read takes or not.
void StartPage::fit_run() {
  run_->setFixedHeight(prompt_->height_of(1));
  reading_->setMinimumHeight(2 * reading_->fontMetrics().lineSpacing());
}

void StartPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place_cards();
  place_top();
}

// A third of what is free above, until something is typed: then the prompt stays where it is. The foot is in sight:
// where the page is too low, the oldest work is left out. The column itself is asked: the sheet's layout keeps what it
// last heard of it.
void StartPage::place_top() {
  if (!text().trimmed().isEmpty() && prompt_->document()->isModified()) return;
  QWidget* inner = recent_->parentWidget();
  QLayout* column = inner->layout();
  const QMargins around = sheet_->layout()->contentsMargins();
  const auto place = [this](int i) { return recent_->itemAt(i)->widget(); };
  top_->changeSize(0, 0, QSizePolicy::Minimum, QSizePolicy::Fixed);
  for (int i = 0; i < recent_->count(); ++i) place(i)->show();
  recent_->invalidate();
  column->invalidate();
  const int room = std::min(width() - around.left() - around.right(), start_width);
  const int needed = column->hasHeightForWidth() ? column->heightForWidth(room) : column->sizeHint().height();
  int spare = height() - around.top() - around.bottom() - needed;
  for (int i = recent_->count() - 1; i > 0 && spare < 0; --i) {
    spare += place(i)->sizeHint().height() + recent_->spacing();
    place(i)->hide();
  }
  top_->changeSize(0, std::max(0, spare / 3), QSizePolicy::Minimum, QSizePolicy::Fixed);
  column->invalidate();
  inner->updateGeometry();
  sheet_->layout()->activate();
}

}  // namespace ww::widgets
