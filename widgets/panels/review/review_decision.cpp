// SPDX-License-Identifier: GPL-3.0-or-later
// The foot of the review panel: what is missing, what must be agreed to, and the decision.
#include <QCheckBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include "panels/review/question_box.h"
#include "panels/review/review_panel.h"
#include "panels/review/signed_notice.h"
#include "parts/theme/controls.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/label.h"
#include "session/models/candidate_model.h"
#include "session/reviewer.h"

namespace ww::widgets {

namespace {

QString accept_tip() {
  return ReviewPanel::tr(
      "Judges it again with new secret inputs, then writes the receipt with that judgement's numbers, signed with this "
      "machine's key");
}

// `words` has a place for what is agreed to: up to two by name, more by their number.
void show_agreement(QCheckBox* box, const std::vector<std::string>& what, const QString& between, const QString& words,
                    const QString& number, bool agreed, bool open) {
  QStringList texts;
  for (const std::string& one : what) texts << qs(one);
  const QString all = texts.join(between);
  const QSignalBlocker blocked(box);
  box->setText(words.arg(what.size() < 3 ? all : number));
  name_it(box, box->text(), all);
  box->setChecked(agreed);
  box->setVisible(!what.empty() && open);
}

}  // namespace

void ReviewPanel::make_decision(QVBoxLayout* column) {
  QWidget* page = column->parentWidget();
  problem_ = make_selectable(page, "review_problem", "error");
  problem_->hide();
  missing_ = make_paragraph(page, "review_missing", "muted");
  changed_ = make_paragraph(page, "review_changed");
  changed_->hide();
  holes_ = with_id(new QCheckBox(page), "agree_to_holes");
  holes_->hide();
  kept_ = with_id(new QCheckBox(page), "agree_to_kept");
  kept_->hide();
  untried_ = with_id(new QCheckBox(page), "agree_to_untried");
  untried_->hide();
  words_ = with_id(new QPlainTextEdit(page), "review_words");
  words_->setPlaceholderText(tr("What should be changed (it becomes part of the next prompt), or why it is refused"));
  words_->setTabChangesFocus(true);
  words_->setFixedHeight(2 * words_->fontMetrics().lineSpacing() + 14);
  name_it(words_, tr("Changes you request, or the reason for the rejection"));
  auto* bar = new QWidget(page);
  auto* flow = new FlowLayout(bar);
  const auto button = [&](const char* id, const QString& text, const QString& tip) {
    auto* b = make_button(bar, id, text);
    name_it(b, text, tip);
    flow->addWidget(b);
    return b;
  };
  accept_ = button("accept", tr("Sign"), accept_tip());
  set_role(accept_, "primary");
  changes_ = button("request_changes", tr("Request changes"),
                    tr("The text above becomes part of the next prompt for this candidate"));
  reject_ = button("reject", tr("Refuse"), tr("With the text above as the reason"));
  anew_ = button("review_anew", tr("Start over"),
                 tr("Withdraws the signature so that you can answer the checklist again. The signed answers remain in "
                    "the history"));
  ask_model_ =
      button("ask_model_now", tr("Ask a model now"), tr("Continues this run so that a model works on your request"));
  ask_model_->hide();
  signed_ = new SignedNotice(*context_.registry, page);
  column->addWidget(problem_);
  column->addWidget(signed_);
  column->addWidget(missing_);
  column->addWidget(changed_);
  column->addWidget(holes_);
  column->addWidget(kept_);
  column->addWidget(untried_);
  column->addWidget(words_);
  column->addWidget(bar);
  connect(words_, &QPlainTextEdit::textChanged, this, [this] {
    if (view_) reviewer_->set_words(view_->candidate, words_->toPlainText());
    update_decision();
  });
  connect(holes_, &QCheckBox::toggled, this, [this](bool on) {
    if (view_) reviewer_->draft().agreed_to_holes = on;
    update_decision();
  });
  connect(kept_, &QCheckBox::toggled, this, [this](bool on) {
    if (view_) reviewer_->draft().agreed_to_kept = on;
    update_decision();
  });
  connect(untried_, &QCheckBox::toggled, this, [this](bool on) {
    if (view_) reviewer_->draft().agreed_to_untried = on;
    update_decision();
  });
  connect(accept_, &QPushButton::clicked, this, [this] {
    changed_->hide();
    reviewer_->accept(answers(), consent());
  });
  connect(changes_, &QPushButton::clicked, this,
          [this] { reviewer_->request_changes(sent_ = words_->toPlainText().trimmed()); });
  connect(reject_, &QPushButton::clicked, this, [this] { reviewer_->reject(sent_ = words_->toPlainText().trimmed()); });
  connect(anew_, &QPushButton::clicked, this, [this] {
    if (!view_ || !view_->accepted) return;
    ReviewDraft& draft = reviewer_->draft();
    draft = ReviewDraft{.words = draft.words, .note = draft.note, .note_line = draft.note_line, .words_read = true};
    changed_->hide();
    reviewer_->take_back(view_->candidate, view_->accepted->row);
  });
  connect(ask_model_, &QPushButton::clicked, this,
          [this] { emit reviewer_->revision_wanted(view_ ? view_->candidate : 0); });
}

// Each set of holes needs the user's own consent: the receipt lists it as not claimed.
void ReviewPanel::show_agreements() {
  const review::Checklist& list = view_->checklist;
  const ReviewDraft& draft = reviewer_->draft();
  const bool open = !view_->accepted;
  show_agreement(holes_, list.holes, tr(", "), tr("I agree that it claims nothing for %1"),
                 tr("%n holes", "", static_cast<int>(list.holes.size())), draft.agreed_to_holes, open);
  show_agreement(kept_, list.kept, tr(", "), tr("I agree that it keeps %1 from call to call"),
                 tr("%n variables", "", static_cast<int>(list.kept.size())), draft.agreed_to_kept, open);
  show_agreement(untried_, list.untried, tr("; "), tr("I accept what was not tried: %1"),
                 tr("%n things", "", static_cast<int>(list.untried.size())), draft.agreed_to_untried, open);
}

review::Consent ReviewPanel::consent() const {
  return {holes_->isChecked(), kept_->isChecked(), untried_->isChecked()};
}

QString ReviewPanel::missing() const {
  if (!view_) return {};
  if (view_->accepted) return tr("It is signed already. To answer the checklist again, start over.");
  ReviewAnswers given = answers();
  QStringList open;  // by the questions' words, which the window shows
  for (const QuestionBox* b : boxes_)
    if (const review::Item* item = view_->checklist.policy.item(b->id().toStdString());
        item && item->required && !b->answered()) {
      open += qs(item->sentence);
      given[item->id] = open.last().toStdString();
    }
  if (!open.isEmpty() && reviewer_->refusal(given, consent()).empty())
    return open.size() == 1
               ? tr("Not yet answered: \"%1\"").arg(open.first())
               : tr("Not yet answered: \"%1\" and %n more.", "", static_cast<int>(open.size()) - 1).arg(open.first());
  const QString why = qs(reviewer_->refusal(answers(), consent()));
  if (why.isEmpty() && reviewer_->name().isEmpty()) return tr("Write your name to sign.");
  if (why.isEmpty()) return {};
  return tr("Not yet: %1.").arg(why);
}

QString ReviewPanel::limits_before_signing() const {
  const int row = context_.candidates->row_of(reviewer_->candidate());
  const bool smaller = row >= 0 && context_.candidates->rows()[static_cast<std::size_t>(row)].data.proved_at ==
                                       evidence::ProvedAt::smaller_shapes;
  return smaller ? tr("Proved at smaller shapes only. ") : QString();
}

void ReviewPanel::update_decision() {
  if (!view_) return;
  const int done =
      static_cast<int>(std::count_if(boxes_.begin(), boxes_.end(), [](const QuestionBox* b) { return b->answered(); }));
  progress_->setRange(0, std::max(1, static_cast<int>(boxes_.size())));
  progress_->setValue(done);
  progress_->setVisible(view_->state < review::ReviewState::accepted);  // the answers are in the receipt
  progress_->setFormat(tr("%1 of %2").arg(done).arg(boxes_.size()));
  progress_->setToolTip(tr("%1 of %2 answered").arg(done).arg(boxes_.size()));
  const QString why = missing();
  missing_->setText(
      reviewer_->signing() ? tr("It is being judged again before signing.")
      : why.isEmpty()      ? limits_before_signing() +
                            tr("It can be signed. Signing first judges it again with new secret inputs: the receipt "
                               "holds the numbers of that judgement. Nothing is signed if it is rejected, and you are "
                               "asked first if less was proved than you read.")
                      : why);
  missing_->setVisible(!view_->accepted);
  set_role(missing_, why.isEmpty() ? "ok" : "muted");
  accept_->setEnabled(why.isEmpty() && !reviewer_->signing());
  accept_->setVisible(!view_->accepted);
  anew_->setVisible(view_->accepted.has_value());
  anew_->setEnabled(!reviewer_->name().isEmpty());
  accept_->setToolTip(why.isEmpty() ? accept_tip() : why);
  const bool words = !words_->toPlainText().trimmed().isEmpty();
  changes_->setEnabled(words);
  reject_->setEnabled(words && !reviewer_->name().isEmpty());
  reject_->setToolTip(!words                        ? tr("Write the reason above first")
                      : reviewer_->name().isEmpty() ? tr("Write your name first")
                                                    : tr("With the text above as the reason"));
  changes_->setToolTip(words ? tr("The text above becomes part of the next prompt for this candidate")
                             : tr("Describe the change above first"));
}

}  // namespace ww::widgets
