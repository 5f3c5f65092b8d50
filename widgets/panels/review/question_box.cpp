// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/question_box.h"
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include "parts/theme/facts_view.h"
#include "panels/review/review_html.h"
#include "session/reviewer.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

QuestionBox::QuestionBox(std::shared_ptr<const ReviewView> view, std::size_t number, QWidget* parent)
    : QFrame(parent), view_(std::move(view)), number_(number) {
  setProperty("role", "card");
  setObjectName("question_" + id());
  auto* column = make_column(this, grid::bar, grid::half);
  make_head(column);
  body_ = new QWidget(this);
  make_body(make_column(body_, {grid::half, 0, grid::half, grid::half}));
  column->addWidget(body_);
  set_open(false);
}

void QuestionBox::make_head(QVBoxLayout* column) {
  auto* head = make_row(column);
  opener_ = with_id(new QToolButton(this), "open_" + id());
  opener_->setCheckable(true);
  opener_->setAutoRaise(true);
  sentence_ = make_paragraph(this, {}, "heading");
  sentence_->setText(qs(question().item.sentence));
  sentence_->setBuddy(opener_);
  state_icon_ = new Label(this);
  state_ = make_label(this, "state_" + id());
  head->addWidget(opener_, 0, Qt::AlignVCenter);
  head->addWidget(sentence_, 1);
  head->addWidget(state_icon_, 0, Qt::AlignVCenter);
  head->addWidget(state_, 0, Qt::AlignVCenter);
  connect(opener_, &QToolButton::clicked, this, [this](bool on) {
    set_open(on);
    emit opened(on);
  });
}

void QuestionBox::make_body(QVBoxLayout* inner) {
  auto* why = make_paragraph(body_, {}, "muted");
  why->setText(qs(question().item.why));
  inner->addWidget(why);
  facts_ = with_id(new FactsView(body_), "facts_" + id());
  name_it(facts_, tr("Facts: %1").arg(qs(question().item.sentence)));
  inner->addWidget(facts_);
  make_places(inner);
  hint_ = make_paragraph(body_, {}, "muted");
  inner->addWidget(hint_);
  auto* answer = make_row(inner);
  tick_ =
      with_id(new QCheckBox(question().item.required ? tr("Yes") : tr("Yes (not required)"), body_), "tick_" + id());
  words_ = with_id(new QLineEdit(body_), "answer_" + id());
  words_->setPlaceholderText(tr("In your own words (included in the receipt)"));
  words_->setMaxLength(4000);
  name_it(tick_, tr("Answer: %1").arg(qs(question().item.sentence)));
  name_it(words_, tr("Answer in words: %1").arg(qs(question().item.sentence)),
          tr("The receipt includes this answer. If left empty, the receipt says \"yes\"."));
  answer->addWidget(tick_);
  answer->addWidget(words_, 1);
  connect(facts_, &FactsView::link, this, &QuestionBox::link);
  connect(tick_, &QCheckBox::toggled, this, [this] {
    if (!filling_) emit answer_changed();
  });
  connect(tick_, &QCheckBox::clicked, this, [this](bool on) {
    if (on) emit next_wanted();
  });
  connect(words_, &QLineEdit::textChanged, this, [this] {
    if (!filling_) emit answer_changed();
  });
  connect(words_, &QLineEdit::returnPressed, this, [this] {
    if (answered())
      emit next_wanted();
    else
      tick_->setFocus(Qt::TabFocusReason);  // words alone may be a denial
  });
}

// Links to the panels that show more of what the question is about.
void QuestionBox::make_places(QVBoxLayout* inner) {
  using review::Topic;
  auto* places = new QWidget(body_);
  auto* flow = new FlowLayout(places);
  const auto place = [&](std::initializer_list<Topic> topics, const QString& text, const QString& panel,
                         const QString& tip) {
    const auto& about = question().item.about;
    if (std::find_first_of(about.begin(), about.end(), topics.begin(), topics.end()) == about.end()) return;
    auto* button = new QPushButton(text, places);
    set_role(button, "link");
    name_it(button, text, tip);
    connect(button, &QPushButton::clicked, this, [this, panel] { emit link("panel", panel); });
    flow->addWidget(button);
  };
  if (view_->parent != 0)
    place({Topic::diff}, tr("Show the diff"), "diff", tr("What changed against the parent, line by line"));
  place({Topic::evidence, Topic::coverage}, tr("Show the verdict"), "verdict",
        tr("Every stage with its cases, counters and logs"));
  place({Topic::lines, Topic::findings}, tr("Show the code"), "code", tr("The candidate's text"));
  place({Topic::lineage}, tr("Show the conversation"), "conversation", tr("The request to the model and its reply"));
  places->setVisible(flow->count() > 0);
  inner->addWidget(places);
}

const review::Question& QuestionBox::question() const { return view_->checklist.questions[number_]; }
QString QuestionBox::id() const { return exact(question().item.id); }
bool QuestionBox::open() const { return opener_->isChecked(); }
bool QuestionBox::answered() const { return tick_->isChecked(); }
QString QuestionBox::answer() const {
  return !answered()                          ? QString()
         : words_->text().trimmed().isEmpty() ? QStringLiteral("yes")
                                              : words_->text().trimmed();
}
bool QuestionBox::readable() const { return open() && body_->isVisible(); }

void QuestionBox::set_open(bool open) {
  opener_->setChecked(open);
  opener_->setIcon(Theme::instance().icon(open ? "chevron-down" : "chevron-right"));
  name_it(opener_, open ? tr("Close: %1").arg(sentence_->text()) : tr("Open: %1").arg(sentence_->text()),
          open ? tr("Close the facts") : tr("Open the facts"));
  body_->setVisible(open);
}

void QuestionBox::show_facts(const ReviewDraft& draft) {
  const TrustedHtml html = facts_html(*view_, question(), {draft.shown_stages, draft.stages, draft.long_stages});
  if (facts_->property("html").toString() == html.string()) return;
  facts_->setProperty("html", html.string());
  facts_->show_html(html);
}

void QuestionBox::show_signed(const ReviewAnswers& answers, const ReviewDraft& draft) {
  filling_ = true;
  show_facts(draft);
  const auto answer = answers.find(question().item.id);
  const bool given = answer != answers.end();
  tick_->setChecked(given);
  tick_->setEnabled(false);
  words_->setText(given ? exact(answer->second) : QString());
  words_->setReadOnly(true);
  words_->setEnabled(given);
  hint_->hide();
  state_icon_->set_icon(given ? "accepted" : "queued", given ? "accepted" : "muted", 16);
  state_->setText(given ? tr("Signed") : tr("Not answered"));
  set_role(state_, given ? "ok" : "muted");
  filling_ = false;
}

void QuestionBox::show_draft(const ReviewDraft& draft) {
  filling_ = true;
  show_facts(draft);
  const review::Question& question = this->question();
  const bool read = draft.read.contains(id());
  int stages = 0, seen = 0;  // of those with more to open
  for (int i = 0; asks_for_stages(question) && i < static_cast<int>(view_->verdict.stages.size()); ++i)
    if (has_evidence(view_->verdict, i)) ++stages, seen += draft.stages.contains(i);
  const bool may = read && seen == stages;
  tick_->setEnabled(may);
  words_->setEnabled(may);
  tick_->setChecked(may && draft.answers.contains(id()));
  if (words_->text() != draft.texts.value(id())) words_->setText(draft.texts.value(id()));
  hint_->setText(
      seen < stages ? tr("Open the evidence of each stage that has some, here or in the verdict, before you "
                         "answer: %1 of %2 opened.")
                          .arg(seen)
                          .arg(stages)
      : !read ? tr("Scroll through all facts before you answer.")
      : !answered() && !words_->text().trimmed().isEmpty()
          ? tr("Your words count once you tick Yes. If the answer is no, reject the candidate or request changes.")
          : QString());
  hint_->setVisible(!hint_->text().isEmpty());
  const bool concerns =
      std::any_of(question.facts.begin(), question.facts.end(), [](const review::Fact& f) { return f.concern; });
  const char* icon = answered() ? "accepted" : concerns ? "warning" : "queued";
  const char* token = answered() ? "accepted" : concerns ? "warning" : "muted";
  state_icon_->set_icon(icon, token, 16);
  state_->setText(answered()               ? tr("Answered")
                  : may                    ? tr("Ready to answer")
                  : question.item.required ? tr("Unread")
                                           : tr("Optional"));
  set_role(state_, answered() ? "ok" : "muted");
  const int look = static_cast<int>(
      std::count_if(question.facts.begin(), question.facts.end(), [](const review::Fact& f) { return f.concern; }));
  state_->setToolTip(concerns ? counted(look, tr("fact to look at"), tr("facts to look at")) : QString());
  state_icon_->setToolTip(state_->toolTip());
  filling_ = false;
}

void QuestionBox::mouseReleaseEvent(QMouseEvent* event) {  // a click on the sentence is one on the opener
  if (event->button() == Qt::LeftButton && event->position().y() <= sentence_->geometry().bottom() + 4)
    return opener_->click();
  QFrame::mouseReleaseEvent(event);
}

}  // namespace ww::widgets
