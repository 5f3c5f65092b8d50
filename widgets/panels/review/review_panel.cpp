// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/review_panel.h"
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedLayout>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include "generator/names.h"
#include "session/actions/registry.h"
#include "session/models/candidate_model.h"
#include "parts/theme/facts_view.h"
#include "panels/review/question_box.h"
#include "panels/review/passphrase_dialog.h"
#include "panels/review/review_html.h"
#include "panels/review/signed_notice.h"
#include "panels/review/weaker_dialog.h"
#include "session/reviewer.h"
#include "session/selection.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/panel_pages.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/label.h"
#include "parts/theme/pinned_ends.h"
#include "parts/theme/theme.h"
#include "panels/verdict/verdict_panel.h"
#include "review/words.h"

namespace ww::widgets {

namespace {
constexpr int settling_ms = 100;  // until a page that was opened or scrolled has its layout
}  // namespace

ReviewPanel::ReviewPanel(const Context& context, QWidget* parent)
    : QWidget(parent), context_(context), reviewer_(Reviewer::of(context)) {
  const ContentPages made =
      panel_pages(this, "review_panel", "list",
                  tr("Select a candidate to review it: the checklist, your notes and the decision appear here."));
  pages_ = made.pages;
  made.page->offer(tr("Show the candidates"), [this] { context_.registry->trigger("go.candidates"); });
  empty_ = made.empty;
  auto* ends = new PinnedEnds(made.content, "review_scroll");
  make_column(made.content, grid::panel)->addWidget(ends);
  scroll_ = ends->area();
  make_head(ends->head());
  make_page(ends->page());
  make_decision(ends->foot());
  setTabOrder(name_, scroll_);
  add_actions();

  reviewer_->add_watcher(this);
  ask_passphrases_over(this, reviewer_);
  reviewer_->set_ask_weaker([panel = QPointer<QWidget>(this)](const std::vector<review::JudgedChange>& changes) {
    return agree_to_weaker(panel ? panel->window() : nullptr, changes);
  });
  connect(reviewer_, &Reviewer::signed_anew, this, [this](std::int64_t candidate, const auto& changes) {
    if (!view_ || view_->candidate != candidate) return;  // the receipt says it
    const bool less = std::ranges::any_of(changes, &review::JudgedChange::weaker);
    changed_->setText(changes.empty() ? tr("Judged again before signing: the evidence is the same.")
                      : less ? tr("Judged again before signing. The receipt proves less than what you read:\n%1")
                                   .arg(changes_list(changes))
                             : tr("Judged again before signing, with newly drawn inputs. The proof covers as much as "
                                  "before; these numbers differ because of the draw:\n%1")
                                   .arg(changes_list(changes)));
    changed_->show();
  });
  connect(reviewer_, &Reviewer::review_loaded, this, &ReviewPanel::show_review);
  connect(reviewer_, &Reviewer::problem, this, &ReviewPanel::show_problem);
  connect(reviewer_, &Reviewer::stage_opened, this, &ReviewPanel::update_boxes);
  connect(reviewer_, &Reviewer::signing_changed, this, &ReviewPanel::update_decision);
  connect(reviewer_, &Reviewer::name_changed, this, [this](const QString& name) {
    if (name_->text() != name) name_->setText(name);
    update_decision();
  });
  connect(reviewer_, &Reviewer::key_made, signed_, &SignedNotice::show_made_key);
  connect(reviewer_, &Reviewer::decided, this, [this](std::int64_t candidate, store::ReviewKind kind) {
    problem_->hide();
    if (kind == store::ReviewKind::accepted) signing_ = candidate;
    const bool shown = view_ && view_->candidate == candidate;
    const ReviewDraft& draft = reviewer_->draft(candidate);  // not what is being written by now
    if (kind == store::ReviewKind::note && draft.note.trimmed() == sent_) {
      reviewer_->set_note(candidate, {});
      if (shown) note_->clear();
    }
    if ((kind == store::ReviewKind::changes || kind == store::ReviewKind::rejected) && draft.words.trimmed() == sent_) {
      reviewer_->set_words(candidate, {});
      if (shown) words_->clear();
    }
    ask_model_->setVisible(kind == store::ReviewKind::changes && can_ask_model());
  });
  connect(context_.selection, &Selection::line_chosen, this, [this](int line) {
    if (line <= line_->maximum()) line_->setValue(line);
  });
  connect(context_.session, &Session::state_changed, this, [this] {
    if (!can_ask_model()) ask_model_->hide();
  });
  refresh_with_theme(this, [this] { show_review(view_); });
  show_review(reviewer_->view());
}

void ReviewPanel::make_head(QVBoxLayout* column) {
  QWidget* page = column->parentWidget();
  auto* head = make_row(column);
  badge_icon_ = new Label(page);
  badge_ = heading({}, page);
  badge_->setObjectName("review_state");
  title_ = make_elided(page, {}, "muted");
  head->addWidget(badge_icon_);
  head->addWidget(badge_);
  head->addWidget(title_, 1);
  imported_ = make_paragraph(page, "review_imported");
  imported_->hide();
  column->addWidget(imported_);
  auto* person = make_row(column);
  auto* caption = new Label(tr("Reviewer"), page);
  name_ = with_id(new QLineEdit(page), "reviewer");
  name_->setPlaceholderText(tr("Your name"));
  name_->setMaxLength(200);
  name_->setText(reviewer_->name());
  name_it(name_, tr("Reviewer's name"), tr("Appears with your notes and decisions, and in the receipt that you sign"));
  caption->setBuddy(name_);
  progress_ = with_id(new QProgressBar(page), "review_progress");
  name_->setMinimumWidth(name_->fontMetrics().averageCharWidth() * 16);
  progress_->setMinimumWidth(60);
  name_it(progress_, tr("Answered questions"));
  person->addWidget(caption);
  person->addWidget(name_, 1);
  person->addWidget(progress_, 1);
  connect(name_, &QLineEdit::textChanged, this, [this](const QString& name) { reviewer_->set_name(name.trimmed()); });
}

void ReviewPanel::make_page(QVBoxLayout* inner) {
  name_it(scroll_, tr("Questions of the review"));
  scroll_->setFocusPolicy(Qt::StrongFocus);  // the facts are read by scrolling
  QWidget* page = inner->parentWidget();
  questions_ = make_column(inner);
  inner->addWidget(heading(tr("Notes and decisions"), page));
  history_ = with_id(new FactsView(page), "review_history");
  name_it(history_, tr("Notes and decisions"));
  inner->addWidget(history_);
  auto* row = make_row(inner);
  line_ = with_id(new QSpinBox(page), "note_line");
  line_->setSpecialValueText(tr("whole"));
  line_->setPrefix(tr("line "));
  name_it(line_, tr("Line of the note"),
          tr("The line that the note is about; the lowest value means the whole candidate. Follows the line that you "
             "click in the code"));
  note_ = with_id(new QLineEdit(page), "note_text");
  note_->setPlaceholderText(tr("A note"));
  name_it(note_, tr("Note"), tr("For the author and later reviewers; notes on lines also go into the next prompt"));
  add_note_ = make_button(page, "add_note", tr("Add note"));
  add_note_->setEnabled(false);
  row->addWidget(line_);
  row->addWidget(note_, 1);
  row->addWidget(add_note_);
  connect(history_, &FactsView::link, this, &ReviewPanel::follow);
  connect(note_, &QLineEdit::textChanged, this, [this](const QString& text) {
    add_note_->setEnabled(!text.trimmed().isEmpty());
    if (view_) reviewer_->set_note(view_->candidate, text);
  });
  connect(line_, &QSpinBox::valueChanged, this, [this](int line) {
    if (view_) reviewer_->draft(view_->candidate).note_line = line;
  });
  connect(note_, &QLineEdit::returnPressed, this, &ReviewPanel::add_note);
  connect(add_note_, &QPushButton::clicked, this, &ReviewPanel::add_note);
  connect(scroll_->verticalScrollBar(), &QScrollBar::valueChanged, this, &ReviewPanel::look_soon);
  connect(scroll_->verticalScrollBar(), &QScrollBar::rangeChanged, this, &ReviewPanel::look_soon);
  scroll_->viewport()->installEventFilter(this);
}

void ReviewPanel::add_actions() {
  const QString category = tr("Review");
  const auto through = [this](QPushButton* b) {
    return [this, b] {
      if (b->isVisible() && b->isEnabled())
        b->click();
      else
        show_problem(missing().isEmpty() ? tr("Open the review of a candidate first.") : missing());
    };
  };
  context_.registry->add("review.next_question", category, tr("Next &question of the checklist"),
                         QKeySequence("Ctrl+Alt+N"), {}, tr("Open the next question that has no answer"),
                         [this] { open_next(nullptr); });
  context_.registry->add("review.accept", category, tr("&Sign"), {}, {},
                         tr("Sign the candidate's receipt when the checklist is answered"), through(accept_));
  context_.registry->add("review.changes", category, tr("&Request changes"), {}, {},
                         tr("Request changes, with the text in the review panel"), through(changes_));
  context_.registry->add("review.reject", category, tr("Re&fuse"), {}, {},
                         tr("Refuse the candidate, with the text in the review panel as the reason"), through(reject_));
  context_.registry->add("review.note", category, tr("&Note on the line"), QKeySequence("Ctrl+Alt+M"), {},
                         tr("Write a note on the current line of the candidate"), [this] {
                           if (context_.selection->line() > 0 && context_.selection->line() <= line_->maximum())
                             line_->setValue(context_.selection->line());
                           follow("panel", "review");
                           note_->setFocus(Qt::ShortcutFocusReason);
                           scroll_->ensureWidgetVisible(note_);
                         });
}

QuestionBox* ReviewPanel::box(const QString& item) const {
  const auto at = std::find_if(boxes_.begin(), boxes_.end(), [&](const QuestionBox* b) { return b->id() == item; });
  return at == boxes_.end() ? nullptr : *at;
}

void ReviewPanel::show_problem(const QString& text) {
  problem_->setText(text);
  problem_->setVisible(!text.isEmpty());
  if (!view_) empty_->setText(text);
}

void ReviewPanel::show_review(const std::shared_ptr<const ReviewView>& view) {
  const bool same = view && view_ && view->candidate == view_->candidate;
  QString open;
  for (const QuestionBox* b : boxes_)
    if (same && b->open()) open = b->id();
  view_ = view;
  pages_->setCurrentIndex(view ? 1 : 0);
  if (!same) {
    problem_->hide();
    changed_->hide();
    ask_model_->hide();
    signed_->show_made_key({});
  }
  if (!view) {
    empty_->setText(
        reviewer_->candidate()
            ? tr("Reading the review of candidate #%1.").arg(reviewer_->candidate())
            : tr("Select a candidate to review it: the checklist, your notes and the decision appear here."));
    qDeleteAll(boxes_);
    boxes_.clear();
    return;
  }
  const Badge badge = review_badge(view->state);
  badge_icon_->set_icon(badge.icon, badge.token, 18);
  badge_->setText(capitalised(review::word_of(view->state)));
  imported_->setText(view->elsewhere == review::ReviewState::open
                         ? tr("Imported, not judged here. Signing judges it again.")
                         : tr("Imported, not judged here. Decided elsewhere: %1; that does not count here.")
                               .arg(enum_text(view->elsewhere)));
  imported_->setVisible(view->imported || view->elsewhere != review::ReviewState::open);
  title_->set_text(tr("#%1 %2").arg(view->candidate).arg(qs(view->title.empty() ? view->op : view->title)));
  const int scrolled = scroll_->verticalScrollBar()->value();
  {
    const QSignalBlocker blocked(words_), line_blocked(line_);
    words_->setPlainText(reviewer_->draft().words);
    line_->setMaximum(view->lines);
  }
  show_note();
  fill_questions();
  show_agreements();
  history_->show_html(history_html(*view));
  if (QuestionBox* b = box(open)) b->set_open(true);
  update_boxes();
  if (same) scroll_->verticalScrollBar()->setValue(scrolled);
  show_signed();
  look_soon();
}

// Each candidate has its own, as far as it was typed.
void ReviewPanel::show_note() {
  const ReviewDraft draft = reviewer_->draft(view_->candidate);
  if (note_->text() != draft.note) note_->setText(draft.note);
  line_->setValue(draft.note_line);
}

// A signature is the end of a review: the receipt is shown, and the focus is on what can be done with it.
void ReviewPanel::show_signed() {
  signed_->setVisible(view_->accepted.has_value());
  if (!view_->accepted) return;
  signed_->show_signature(view_->accepted->signature);
  if (signing_ != view_->candidate) return;
  signing_ = 0;
  if (!isVisible()) return;
  context_.registry->trigger("go.receipt");
  signed_->first_action()->setFocus(Qt::OtherFocusReason);
}

// Facts that became others must be read again.
void ReviewPanel::fill_questions() {
  QString facts;
  for (const review::Question& q : view_->checklist.questions)
    for (const review::Fact& f : q.facts)
      if (f.topic != review::Topic::notes && f.topic != review::Topic::advice) facts += qs(f.text) + '\n';
  ReviewDraft& draft = reviewer_->draft();
  if (!view_->accepted && draft.facts != facts) {
    draft.facts = facts;
    draft.read.clear();
    draft.stages.clear();
    draft.shown_stages.clear();
    draft.long_stages.clear();
    draft.lines.clear();
    draft.answers.clear();
    draft.agreed_to_holes = draft.agreed_to_kept = draft.agreed_to_untried = false;
  }
  qDeleteAll(boxes_);
  boxes_.clear();
  for (std::size_t i = 0; i < view_->checklist.questions.size(); ++i) {
    auto* b = new QuestionBox(view_, i, scroll_->widget());
    boxes_.push_back(b);
    questions_->addWidget(b);
    b->show();
    connect(b, &QuestionBox::opened, this, [this, b](bool on) {
      if (on) open_only(b);
    });
    connect(b, &QuestionBox::answer_changed, this, [this] {
      take_draft();
      update_boxes();
    });
    connect(b, &QuestionBox::next_wanted, this, [this, b] { open_next(b); });
    connect(b, &QuestionBox::link, this, &ReviewPanel::follow);
  }
}

void ReviewPanel::take_draft() {
  ReviewDraft& draft = reviewer_->draft();
  for (const QuestionBox* b : boxes_) {
    draft.texts[b->id()] = b->words()->text();
    if (b->answered())
      draft.answers.insert(b->id());
    else
      draft.answers.remove(b->id());
  }
}

void ReviewPanel::update_boxes() {
  if (!view_) return;
  for (QuestionBox* b : boxes_)
    if (view_->accepted)
      b->show_signed(view_->accepted->answers, reviewer_->draft());
    else
      b->show_draft(reviewer_->draft());
  update_decision();
}

ReviewAnswers ReviewPanel::answers() const {
  ReviewAnswers out;
  for (const QuestionBox* b : boxes_)
    if (b->answered()) out[b->id().toStdString()] = b->answer().toStdString();
  return out;
}

void ReviewPanel::open_only(QuestionBox* box) {
  for (QuestionBox* b : boxes_)
    if (b != box) b->set_open(false);
  QTimer::singleShot(0, box, [this, box] {
    scroll_->widget()->layout()->activate();
    scroll_->verticalScrollBar()->setValue(std::min(box->y(), scroll_->verticalScrollBar()->maximum()));
    look_soon();
  });
}

void ReviewPanel::open_next(const QuestionBox* after) {
  const auto from = after ? std::find(boxes_.begin(), boxes_.end(), after) + 1 : boxes_.begin();
  for (auto it = from; it != boxes_.end(); ++it) {
    if ((*it)->answered()) continue;
    (*it)->set_open(true);
    open_only(*it);
    (*it)->opener()->setFocus(Qt::TabFocusReason);
    return;
  }
  (accept_->isEnabled() ? static_cast<QWidget*>(accept_) : words_)->setFocus(Qt::TabFocusReason);
}

void ReviewPanel::look_soon() {
  if (std::exchange(looking_, true)) return;
  QTimer::singleShot(settling_ms, this, [this] {
    looking_ = false;
    look();
  });
}

void ReviewPanel::look() {
  if (!view_ || view_->accepted || !isVisible()) return;
  bool more = false;
  for (const QuestionBox* b : boxes_) {
    if (!b->readable() || reviewer_->draft().read.contains(b->id())) continue;
    const QWidget* facts = b->facts();
    const int end = facts->mapTo(scroll_->viewport(), QPoint(0, facts->height())).y();
    if (!b->facts()->fitted() || end > scroll_->viewport()->height() + 2) continue;
    reviewer_->draft().read.insert(b->id());
    more = true;
  }
  if (more) update_boxes();
}

void ReviewPanel::follow(const QString& scheme, const QString& target) {
  if (scheme == "line") {
    context_.selection->choose_line(target.toInt());
  } else if (scheme == "stage" && view_) {
    reviewer_->draft().shown_stages.insert(target.toInt());
    reviewer_->open_stage(view_->candidate, target.toInt());
    update_boxes();
  } else if (scheme == "close" && view_) {
    reviewer_->draft().shown_stages.remove(target.toInt());
    update_boxes();
  } else if (scheme == "more" && view_) {
    QSet<int>& all = reviewer_->draft().long_stages;
    if (!all.remove(target.toInt())) all.insert(target.toInt());
    update_boxes();
  } else if (scheme == "take" && view_) {
    reviewer_->take_back(view_->candidate, target.toLongLong());
  } else if (scheme == "panel") {
    context_.registry->trigger(target == "diff" ? QStringLiteral("diff.parent") : "go." + target);
  }
}

void ReviewPanel::add_note() {
  if (!view_ || note_->text().trimmed().isEmpty()) return;
  reviewer_->add_note(view_->candidate, line_->value(), sent_ = note_->text().trimmed());
}

bool ReviewPanel::can_ask_model() const {
  if (!view_ || !generator::asks_models(view_->run_generator) || view_->run != context_.session->shown_run() ||
      context_.session->running())
    return false;
  const int judged = context_.candidates->judged();
  return context_.session->can_resume(judged + 1, judged);
}

void ReviewPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  const QWidget* top = this;
  while (top->parentWidget()) top = top->parentWidget();
  if (auto* verdict = top->findChild<VerdictPanel*>()) verdict->follow(reviewer_);
  reviewer_->refresh();
  look_soon();
}

bool ReviewPanel::eventFilter(QObject* object, QEvent* event) {
  if (object == scroll_->viewport() && (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest))
    look_soon();
  return QWidget::eventFilter(object, event);
}

}  // namespace ww::widgets
