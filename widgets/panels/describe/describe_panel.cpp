// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/describe_panel.h"
#include <QBoxLayout>
#include <QFileInfo>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <algorithm>
#include "base/utf8.h"
#include "base/files.h"
#include "panels/describe/given_candidates.h"
#include "panels/describe/model_form.h"
#include "panels/describe/reading_view.h"
#include "panels/describe/run_form.h"
#include "panels/describe/sentence_edit.h"
#include "panels/describe/spec_offer.h"
#include "panels/describe/spec_view.h"
#include "panels/describe/text_colours.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"
#include "session/module_importer.h"
#include "session/model_list.h"

namespace ww::widgets {

namespace {
constexpr int pause_ms = 180;  // after the last key
constexpr int sentence_height = 76, code_height = 210;
constexpr std::size_t largest_file = std::size_t{1} << 20;
}  // namespace

DescribePanel::DescribePanel(Services services, QWidget* parent)
    : QWidget(parent), services_(services), reader_(std::move(services)) {
  setProperty("role", "panel");
  setMinimumWidth(256);
  auto* outer = make_column(this);
  QScrollArea* area = make_scroll_area(this);  // all but the buttons, which stay in sight
  outer->addWidget(area, 1);
  auto* body = new QWidget(area);
  auto* column = make_column(body, grid::panel, grid::step);
  make_reading(column, body);
  offer_ = new SpecOffer(body);
  column->addWidget(offer_);
  spec_ = new SpecView(body);
  column->addWidget(spec_, 5);
  form_room_ = make_column(column);
  form_ = new RunForm(body);
  form_room_->addWidget(form_);
  area->setWidget(body);
  area->viewport()->setAutoFillBackground(false);
  body->setAutoFillBackground(false);
  make_buttons(make_column(outer, {grid::step, 0, grid::step, grid::step}, grid::step));
  sentence_timer_ = make_timer(this, pause_ms, [this] { sentence_changed(); });
  spec_timer_ = make_timer(this, pause_ms, [this] { reader_.read_spec(spec_->text()); });
  connect_inputs();
  connect_reading();
  connect_reader();
  connect(&Theme::instance(), &Theme::changed, this, [this] { sentence_timer_->start(0); });
  reading_->show_examples({});
  update_buttons();
}

void DescribePanel::make_reading(QVBoxLayout* column, QWidget* body) {
  sentence_ = with_id(new SentenceEdit(body), "sentence");
  name_it(sentence_, tr("Describe the operation"));
  sentence_->setMaximumHeight(sentence_height);
  colours_ = new TextColours(sentence_->document());
  column->addWidget(sentence_);
  given_ = new GivenCandidates(body);  // beside the text that it may have come from
  column->addWidget(given_);
  reading_ = new ReadingView(body);
  column->addWidget(reading_);
}

void DescribePanel::make_buttons(QVBoxLayout* column) {
  auto* buttons = make_row(column);
  explore_ = make_button(this, "explore", tr("Run"), tr("Propose, judge and rank candidates (Ctrl+Return)"));
  explore_->setProperty("role", "primary");
  cancel_ = make_button(this, "cancel", tr("Cancel"), tr("End the run now; judged candidates are kept"));
  resume_ = make_button(this, "resume", tr("Resume"), tr("Resume the shown run"));
  buttons->addWidget(explore_, 2);
  buttons->addWidget(cancel_, 1);
  buttons->addWidget(resume_, 1);
  hint_ = make_paragraph(this, "hint", "muted");
  column->addWidget(hint_);
  connect(explore_, &QPushButton::clicked, this, &DescribePanel::explore_requested);
  connect(cancel_, &QPushButton::clicked, this, &DescribePanel::cancel_requested);
  connect(resume_, &QPushButton::clicked, this, &DescribePanel::resume_requested);
}

// The user's input.
void DescribePanel::connect_inputs() {
  connect(sentence_, &SentenceEdit::refused, this, &DescribePanel::refuse);
  connect(sentence_, &SentenceEdit::run_wanted, this, [this] {
    choose();
    if (!running_ && (can_explore() || pending())) emit explore_requested();
  });
  connect(sentence_, &QPlainTextEdit::textChanged, this, [this] {
    if (const QString text = sentence(); text != seen_) {  // Qt also emits it for colours and fonts
      seen_ = text;
      typed_ = true;
      refused_.clear();
      sentence_timer_->start();
      reading_pending_ = true;
      update_buttons();
      emit readiness_changed();
    }
  });
  connect(sentence_, &SentenceEdit::file_dropped, this, &DescribePanel::open_file);
  connect(spec_, &SpecView::edited, this, &DescribePanel::on_spec_edited);
  connect(offer_, &SpecOffer::taken, this, &DescribePanel::take_spec);
  connect(offer_, &SpecOffer::edited_kept, this, [this] {
    stale_ = Stale::no;
    offer_->withdraw();
    update_buttons();
    emit readiness_changed();
  });
  connect(form_, &RunForm::dtype_chosen, this, [this](DType real) {
    if (checked_) reader_.change_dtype(*checked_, real);
  });
  connect(form_, &RunForm::changed, this, [this] {
    update_buttons();
    emit text_changed();
  });
  connect(form_, &RunForm::models_wanted, this, &DescribePanel::look_for_models);
  connect(form_->models(), &ModelForm::list_wanted, this, &DescribePanel::look_for_models);
  connect(form_->models(), &ModelForm::settings_wanted, this, &DescribePanel::settings_wanted);
}

void DescribePanel::connect_reading() {
  connect(reading_, &ReadingView::example_chosen, this, [this](const QString& text) {
    set_sentence(text);
    sentence_->setFocus();
  });
  connect(reading_, &ReadingView::op_chosen, this, [this](const QString& name) {
    op_chosen_for_ = sentence();
    reader_.fetch_op(name);
  });
  connect(reading_, &ReadingView::candidate_wanted, this, &DescribePanel::add_pasted);
  connect(reading_, &ReadingView::plan_wanted, this, &DescribePanel::write_plan);
  connect(reading_, &ReadingView::model_wanted, this, [this] { emit formulation_wanted(sentence()); });
  connect(reading_, &ReadingView::settings_wanted, this, &DescribePanel::settings_wanted);
  connect(reading_, &ReadingView::import_wanted, this, &DescribePanel::ask_to_import);
  connect(reading_, &ReadingView::stop_wanted, this, [this] {
    if (importing_)
      importer_->stop();
    else
      emit stop_formulation_wanted();
  });
  connect(reading_, &ReadingView::exchange_wanted, this, &DescribePanel::exchange_wanted);
}

void DescribePanel::connect_reader() {
  connect(&reader_, &Reader::ops_loaded, this, [this](const std::vector<OpSummary>& ops, const QString& error) {
    ops_ = ops;
    ops_known_ = true;
    if (plan_waits_) write_plan();
    sentence_->set_phrases(ops);
    if (!error.isEmpty()) emit problem(error);
    if (sentence().trimmed().isEmpty()) sentence_changed();
  });
  connect(&reader_, &Reader::choices_loaded, this,
          [this](const std::vector<Choice>& generators, const std::vector<Choice>& devices) {
            form_->set_choices(generators, devices);
            emit choices_loaded();
          });
  connect(&reader_, &Reader::models_loaded, this, [this](const ModelList& list, const std::vector<Choice>& strategies) {
    form_->models()->set_strategies(strategies);
    form_->models()->set_list(list);
    const QString why = why_no_model(list);
    reading_->set_no_model(!first_usable(list).isEmpty() ? QString()
                           : why.isEmpty()               ? tr("No language model is set up.")
                                                         : why);
  });
  connect(&reader_, &Reader::sentence_read, this, &DescribePanel::on_sentence_read);
  connect(&reader_, &Reader::spec_read, this, &DescribePanel::on_spec_read);
  connect(&reader_, &Reader::example_made, spec_, &SpecView::show_example);
  connect(&reader_, &Reader::spec_text_made, this, [this](const QString& text, const QString& error) {
    if (error.isEmpty())
      take_spec(text);
    else
      emit problem(error);
  });
}

// Makes the candidate in the sentence's box one of those to be judged first.
void DescribePanel::add_pasted() {
  if (text_kind(sentence()) != TextKind::candidate) return;
  given_->add_pasted(sentence());
  judge_against_spec(sentence().toStdString());
  sentence_->setFocus();
}

void DescribePanel::load() {
  reader_.load_ops();
  reader_.load_choices();
  look_for_models();
}

// Servers on this machine are only queried for users of models.
void DescribePanel::look_for_models() { reader_.load_models(form_->generator() == "model"); }

void DescribePanel::show_asking(const QString& model) { begin_asking(tr("Asking %1 for an op spec…").arg(model)); }

void DescribePanel::begin_asking(const QString& sentence_shown) {
  asked_ = sentence();
  asking_ = true;
  formulated_.reset();
  reading_->show_asking(sentence_shown);
}

void DescribePanel::show_formulated(const std::shared_ptr<const Formulated>& made, const QString& error) {
  asking_ = false;
  if (asked_ != sentence()) return;  // the text has changed meanwhile
  if (!made) {
    if (const TextKind kind = text_kind(asked_); kind == TextKind::sentence)
      reader_.read_sentence(asked_);  // as before
    else
      read_code(kind, asked_);
    if (!error.isEmpty()) emit problem(error);
    return;
  }
  const QString text = exact(made->text), now = spec_->text();
  const bool mine = !now.trimmed().isEmpty() && now != last_made_ && now != text;  // never overwrites the user's edits
  if (mine) {
    const bool imported = made->by == Formulated::By::import;
    offer_->offer(imported ? tr("You have edited the spec; the module's spec differs.")
                           : tr("You have edited the spec; the model's spec differs."),
                  imported ? tr("Use the module's spec") : tr("Use the model's spec"), text, stale_ == Stale::edited);
  } else {
    take_spec(text);
  }
  last_sentence_ = asked_;
  formulated_ = made;
  taken_ = !mine;
  reading_->show_formulated(*made, taken_);
}

QString DescribePanel::sentence() const { return sentence_->toPlainText(); }
QString DescribePanel::spec_text() const { return spec_->text(); }
void DescribePanel::focus_sentence() {
  sentence_->setFocus(Qt::ShortcutFocusReason);
  sentence_->selectAll();
}

void DescribePanel::refuse(const QString& why) {
  refused_ = why;
  update_buttons();
}

void DescribePanel::set_sentence(const QString& text) {
  if (const QString why = too_long_for_prompt(text.size()); !why.isEmpty()) return refuse(why);
  QTextCursor all(sentence_->document());
  all.select(QTextCursor::Document);
  all.insertText(text);  // one step of undo
  typed_ = false;
  sentence_timer_->start(0);
}

void DescribePanel::begin_sentence(const QString& text) {
  sentence_wins_ = true;
  form_->leave_run();
  set_sentence(text);
  typed_ = true;
}

void DescribePanel::choose() {
  typed_ = false;
  if (!reading_pending_ && stale_ == Stale::no) spec_chosen_ = true;
}

void DescribePanel::restore(const QString& sentence, const QString& spec, bool read) {
  // The spec is kept unchanged, whatever the phrasebook would make of the sentence today.
  last_made_.clear();
  offer_->withdraw();
  spec_->set_text(spec);
  if (read) last_made_ = spec;
  spec_chosen_ = true;
  last_sentence_ = spec.trimmed().isEmpty() || !read ? QString() : sentence;
  if (sentence_->toPlainText() != sentence)
    set_sentence(too_long_for_prompt(sentence.size()).isEmpty() ? sentence : QString());
  spec_timer_->start(0);
}

void DescribePanel::sentence_changed() {
  sentence_timer_->stop();
  const QString text = sentence();
  emit text_changed();
  reading_pending_ = false;
  const TextKind kind = text.trimmed().isEmpty() ? TextKind::sentence : text_kind(text);
  colours_->set_kind(kind);
  fit_sentence(kind);
  if (!text.trimmed().isEmpty() && text != last_sentence_) form_->leave_run();
  if (text.trimmed().isEmpty()) {
    sentence_->show_words({}, {});
    reading_->show_examples(ops_);
    offer_->withdraw();
    stale_ = Stale::no;
    update_buttons();
    emit readiness_changed();
    return;
  }
  if (kind == TextKind::spec) {  // spec text pasted into the sentence's box belongs in the spec's
    sentence_->show_words({}, {});
    reading_->show_note(tr("This is an op spec; it is checked below."), "muted");
    if (text != last_sentence_) take_spec(text);
    last_sentence_ = text;
    return;
  }
  if (kind != TextKind::sentence) {
    read_code(kind, text);
    return;
  }
  reading_pending_ = true;  // until the reader answers
  reader_.read_sentence(text);
}

// Code is not a sentence: offers suitable actions instead.
void DescribePanel::read_code(TextKind kind, const QString& text) {
  sentence_->show_words({}, {});
  if (text == asked_ && asking_) return;
  if (text == asked_ && formulated_) {
    reading_->show_formulated(*formulated_, taken_);
    return;
  }
  formulated_.reset();
  offer_->withdraw();
  if (text != last_sentence_) offer_earlier_spec();
  last_sentence_ = text;
  update_buttons();
  emit readiness_changed();
  reading_->show_code(kind, kind == TextKind::pytorch ? ops_called(text, ops_, 6) : QStringList(),
                      kind == TextKind::pytorch ? import_command() : QString(), modules_to_choose());
}

void DescribePanel::fit_sentence(TextKind kind) {
  const bool code = kind != TextKind::sentence && kind != TextKind::spec;
  sentence_->setMaximumHeight(code ? code_height : sentence_height);
  sentence_->setMinimumHeight(
      code ? std::min(code_height,
                      (sentence_->document()->blockCount() + 1) * sentence_->fontMetrics().lineSpacing() + 12)
           : sentence_->minimumSizeHint().height());
  if (code == (sentence_->lineWrapMode() == QPlainTextEdit::NoWrap)) return;
  sentence_->setLineWrapMode(code ? QPlainTextEdit::NoWrap : QPlainTextEdit::WidgetWidth);
  sentence_->setFont(code ? painted_code_font() : font());
}

void DescribePanel::on_sentence_read(const std::shared_ptr<const SentenceReading>& reading) {
  if (reading->sentence != sentence()) return;
  reading_pending_ = false;
  sentence_->show_words(reading->sentence, reading->understanding.words);
  sentence_->offer_completions(reading->spec_text.isEmpty());
  if (reading->sentence == asked_ && asking_) return;
  if (reading->sentence == asked_ && formulated_) {  // read again for another theme
    reading_->show_formulated(*formulated_, taken_);
    return;
  }
  formulated_.reset();
  read_spec_ = reading->spec_text;
  const auto& questions = reading->understanding.questions;
  question_ = !reading->error.isEmpty() ? reading->error : questions.empty() ? QString() : qs(questions.front());
  reading_->show_reading(*reading);
  const bool again = reading->sentence == last_sentence_;  // read again for another theme, or restored with its spec
  last_sentence_ = reading->sentence;
  const QString now = spec_->text();
  if (again) {
    update_buttons();
    emit readiness_changed();
    return;
  }
  if (reading->spec_text.isEmpty()) {
    offer_->withdraw();
    offer_earlier_spec();
  } else if (reading->spec_text == now) {
    last_made_ = now;
    spec_chosen_ = spec_chosen_ || !typed_;
    stale_ = Stale::no;
    offer_->withdraw();
  } else if (!now.trimmed().isEmpty() && now != last_made_ && !sentence_wins_) {
    stale_ = Stale::edited;
    offer_->offer(tr("You have edited the spec, and it no longer matches the sentence. Choose which one to run."),
                  tr("Use the sentence's spec"), reading->spec_text, true);  // never overwrites the user's edits
  } else {
    take_spec(reading->spec_text);
    spec_chosen_ = !typed_;
  }
  update_buttons();
  emit readiness_changed();
}

// The text is not understood, and the spec still belongs to an earlier text: it runs only if the user confirms it. A
// spec from half-typed text is discarded.
void DescribePanel::offer_earlier_spec() {
  if (!spec_chosen_ && !spec_->text().trimmed().isEmpty()) {
    take_spec({});
    stale_ = Stale::not_understood;
    update_buttons();
    return;
  }
  stale_ = spec_->text().trimmed().isEmpty() ? Stale::no : Stale::not_understood;
  if (stale_ == Stale::no) return;
  offer_->offer(tr("The spec below belongs to an earlier description, so it does not run."), tr("Use it anyway"),
                spec_->text(), false);
}

void DescribePanel::take_spec(QString text) {  // by value: it may be the offer, which is cleared here
  last_made_ = text;
  spec_chosen_ = true;
  stale_ = Stale::no;
  offer_->withdraw();
  spec_->set_text(text);
  if (text.trimmed().isEmpty()) {
    checked_.reset();
    spec_ready_ = false;
  }
  spec_timer_->start(0);
  update_buttons();
  emit readiness_changed();
}

void DescribePanel::on_spec_edited() {
  spec_ready_ = false;
  spec_pending_ = true;
  if (stale_ != Stale::no) offer_->withdraw();  // the user has edited it
  stale_ = Stale::no;
  spec_chosen_ = true;
  sentence_wins_ = false;
  form_->leave_run();
  spec_timer_->start();
  emit text_changed();
  update_buttons();
  emit readiness_changed();
}

void DescribePanel::on_spec_read(const std::shared_ptr<const SpecReading>& reading) {
  if (reading->text != spec_->text()) return;
  spec_pending_ = false;
  spec_->show_reading(*reading);
  checked_ = reading->outcome.spec;
  spec_ready_ = checked_.has_value();
  given_->set_op(checked_ ? qs(checked_->name) : QString());
  if (!reading->text.trimmed().isEmpty()) form_->show_spec(checked_);
  update_buttons();
  emit readiness_changed();
}

void DescribePanel::open_file(const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  if (suffix == "wwb") {
    emit bundle_given(path);
    return;
  }
  if (suffix == "wwmoment") {
    emit moment_given(path);
    return;
  }
  if (suffix != "op" && suffix != "cu" && suffix != "ptx" && suffix != "py") {
    emit problem(
        tr("%1 is not an op spec (.op), a kernel (.cu, .ptx), a PyTorch module (.py), a workspace bundle (.wwb) or a "
           "moment (.wwmoment).")
            .arg(path));
    return;
  }
  auto text = read_file(std::filesystem::path(path.toStdString()), largest_file);
  if (!text) {
    emit problem(qs(text.error().text()));
    return;
  }
  if (bad_utf8(*text) || text->find('\0') != std::string::npos) {
    emit problem(tr("%1 is not a text file: it cannot be read as UTF-8.").arg(path));
    return;
  }
  const QString content = QString::fromUtf8(text->data(), static_cast<qsizetype>(text->size()));
  if (content.trimmed().isEmpty()) {
    emit problem(tr("%1 is empty.").arg(path));
    return;
  }
  emit file_taken();
  if (suffix == "op") {
    if (!file_in_box().isEmpty()) set_sentence({});  // the module or kernel that was opened before
    take_spec(content);
  } else if (suffix == "py" || text_kind(content) == TextKind::cuda || text_kind(content) == TextKind::ptx) {
    set_sentence(content);  // nothing that could be judged directly
    opened_ = path;
    opened_text_ = sentence();
    write_plan();
  } else if (given_->add(path, *text, suffix == "ptx" ? candidate::Language::ptx : candidate::Language::cuda)) {
    judge_against_spec(*text);
    if (sentence().trimmed().isEmpty() && spec_->text().trimmed().isEmpty())
      set_sentence(qs(candidate::named_op(*text)));  // it names its op
  }
}

// A pasted candidate is judged against the spec below, whatever that belonged to.
void DescribePanel::judge_against_spec(const std::string& candidate) {
  if (stale_ == Stale::no || candidate != sentence().toStdString()) return;
  stale_ = Stale::no;
  offer_->withdraw();
  update_buttons();
  emit readiness_changed();
}

void DescribePanel::take_form_back() {
  if (form_room_->indexOf(form_) >= 0) return;
  form_room_->addWidget(form_);
  form_->show();
}

QString DescribePanel::summary() const {
  return checked_ && spec_ready_ && !pending() && stale_ == Stale::no ? form_->summary(qs(checked_->name)) : QString();
}

QString DescribePanel::unclear() const {
  if (pending() || sentence().trimmed().isEmpty() || (formulated_ && taken_) || op_chosen()) return {};
  const TextKind kind = text_kind(sentence());
  if (kind == TextKind::spec) return spec_ready_ ? QString() : tr("This op spec has errors.");
  if (needs_plan())
    return tr("This is a kernel without a launch plan. Press Return to specify its op and launch plan.");
  if (kind == TextKind::pytorch) return tr("This is PyTorch. Press Return to import its module.");
  if (kind != TextKind::sentence) return tr("This is code. Press Return to name the op that it computes.");
  if (question_.isEmpty() && stale_ == Stale::edited)
    return tr("You have edited the spec. Press Return to choose which one to run.");
  return question_;
}

bool DescribePanel::op_chosen() const { return spec_ready_ && !sentence().isEmpty() && op_chosen_for_ == sentence(); }

// A run stores the sentence only if the spec matches it, since receipts repeat it.
bool DescribePanel::describes_spec() const {
  const TextKind kind = text_kind(sentence().trimmed());
  if (formulated_ && taken_) return true;
  return kind == TextKind::sentence && spec_->text() == read_spec_;
}

// The spec was edited after the sentence was understood.
bool DescribePanel::left_sentence() const {
  return text_kind(sentence().trimmed()) == TextKind::sentence && !read_spec_.isEmpty() && !describes_spec() &&
         !op_chosen();
}

generator::RunOptions DescribePanel::options() const {
  generator::RunOptions options;
  options.spec = spec_->text().toStdString();
  form_->fill(options);
  const QString words = sentence().trimmed();
  if (describes_spec()) options.sentence = words.toStdString();
  options.given = given_->proposals();
  return options;
}

void DescribePanel::show_state(bool ready, bool running, bool can_resume, const QString& why_not) {
  ready_ = ready;
  running_ = running;
  can_resume_ = can_resume;
  why_not_ = why_not;
  update_buttons();
}

// What a run does with the user's own candidates.
QString DescribePanel::own_first() const {
  const auto own = static_cast<int>(given_->proposals().size());
  if (own == 0) return {};
  const int more = form_->candidates() - own;
  const QString first =
      own == 1 ? tr("Your own kernel is judged first") : tr("Your own %1 kernels are judged first").arg(own);
  return more > 0 ? tr("%1; the generator then proposes up to %2 more.").arg(first).arg(more) : tr("%1.").arg(first);
}

void DescribePanel::update_buttons() {
  const QString no_models = form_->why_not();
  if (!can_explore() && explore_->hasFocus()) sentence_->setFocus(Qt::OtherFocusReason);  // else Qt looks for a place
  explore_->setEnabled(can_explore());
  cancel_->setEnabled(running_);
  resume_->setEnabled(can_resume_);
  const bool no_spec = spec_->text().trimmed().isEmpty();
  QString hint;
  if (!refused_.isEmpty())
    hint = refused_;
  else if (running_)
    hint = tr("A run is in progress.");
  else if (!ready_)
    hint = why_not_;
  else if (no_spec && sentence().trimmed().isEmpty())
    hint = tr("To run, write a sentence or a spec.");
  else if (kernel_left_out())
    hint = text_kind(sentence()) == TextKind::candidate
               ? tr("To have this kernel judged, add it as a candidate above, with the spec of its op below.")
               : tr("This kernel has no launch plan, so it cannot be judged. Write one above, or clear the box.");
  else if (stale_ == Stale::edited)
    hint = tr("Choose above which spec to run.");
  else if (stale_ == Stale::not_understood || (no_spec && !pending()))
    hint = tr("This description is not understood, so there is nothing to run.");
  else if (!spec_ready_)
    hint = spec_timer_->isActive() ? QString() : tr("To run, correct the errors of the spec.");
  else if (!no_models.isEmpty())
    hint = no_models;
  else if (hint = own_first(); hint.isEmpty() && left_sentence())
    hint = tr("You have edited the spec: the run uses it, and no longer the sentence above.");
  const char* role = refused_.isEmpty() ? "muted" : "warning";
  set_role(hint_, role);
  hint_->setText(hint);
  hint_->setVisible(!hint.isEmpty());
}

}  // namespace ww::widgets
