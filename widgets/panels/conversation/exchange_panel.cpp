// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/conversation/exchange_panel.h"
#include <QClipboard>
#include <QGuiApplication>
#include <QStackedLayout>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include "parts/editor/code_editor.h"
#include "parts/editor/search_bar.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "parts/theme/empty_page.h"

namespace ww::widgets {

namespace {

constexpr int fold_margin = 4;
constexpr int long_part = 30;  // lines of a system message that stay in sight

QString blocks_of(const std::vector<llm::Block>& blocks, llm::Block::Kind kind) {
  QString text;
  for (const llm::Block& b : blocks)
    if (b.kind == kind) text += exact(b.text);
  return text;
}

QString role_word(llm::Role role) {
  switch (role) {
    case llm::Role::system: return ExchangePanel::tr("SYSTEM");
    case llm::Role::user: return ExchangePanel::tr("USER");
    case llm::Role::assistant: return ExchangePanel::tr("MODEL");
  }
  return {};
}

CodeEditor* page(const char* object, const QString& name, QWidget* parent) {
  auto* e = with_id(new CodeEditor(CodeLanguage::plain, true, parent), object);
  e->set_line_numbers(false);
  e->setWrapMode(QsciScintilla::WrapWord);
  e->setCaretLineVisible(false);
  e->setBraceMatching(QsciScintilla::NoBraceMatch);
  e->setMinimumHeight(24);  // in a low panel the lines above stay whole
  e->SendScintilla(QsciScintilla::SCI_SETMARGINLEFT, 0UL, 8L);
  e->SendScintilla(QsciScintilla::SCI_SETEXTRAASCENT, 2UL);  // the first line is whole below the tabs
  name_it(e, name);
  return e;
}

void append(CodeEditor* e, const QString& text) {
  const QByteArray bytes = text.toUtf8();
  const long first = e->SendScintilla(QsciScintilla::SCI_GETFIRSTVISIBLELINE),
             seen = e->SendScintilla(QsciScintilla::SCI_LINESONSCREEN);
  const long last = e->SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(e->lines()));
  e->setReadOnly(false);
  e->SendScintilla(QsciScintilla::SCI_APPENDTEXT, static_cast<unsigned long>(bytes.size()), bytes.constData());
  e->setReadOnly(true);
  if (first + seen + 2 >= last)  // the user is at the end: follow
    e->SendScintilla(QsciScintilla::SCI_SCROLLTOEND);
}

}  // namespace

ExchangePanel::ExchangePanel(QWidget* parent) : QWidget(parent) {
  auto* outer = make_column(this);
  const ContentPages made = content_pages(outer, "note");
  pages_ = made.pages;
  empty_ = made.page;
  auto* column = make_column(made.content, {0, grid::half, 0, 0}, grid::half);
  auto* head = make_column(column, {grid::step, 0, grid::step, grid::half}, grid::half);
  auto* first = make_row(head);
  title_ = make_elided(made.content, "exchange_title", "heading");
  copy_ = make_tool(made.content, "copy_exchange", tr("Copy"), tr("Copy what is shown"),
                    tr("Copy the prompt, the reply or the thinking, whichever is shown"));
  first->addWidget(title_, 1);
  first->addWidget(copy_);
  place_ = make_elided(made.content, "exchange_place", "muted");
  head->addWidget(place_);
  facts_ = make_selectable(made.content, "exchange_facts", "muted");
  head->addWidget(facts_);
  why_ = make_selectable(made.content, "exchange_why", "error");
  head->addWidget(why_);
  tabs_ = new QTabWidget(made.content);
  tabs_->setDocumentMode(true);
  name_it(tabs_, tr("Request and reply"));
  prompt_ = page("prompt_text", tr("Prompt as it was sent"), tabs_);
  reply_ = page("reply_text", tr("Reply"), tabs_);
  thinking_ = page("thinking_text", tr("Thinking of the model"), tabs_);
  tabs_->addTab(reply_, tr("Reply"));
  tabs_->addTab(thinking_, tr("Thinking"));
  tabs_->addTab(prompt_, tr("Prompt"));
  column->addWidget(tabs_, 1);
  search_ = new SearchBar([this] { return qobject_cast<CodeEditor*>(tabs_->currentWidget()); }, made.content);
  column->addWidget(search_);
  connect(tabs_, &QTabWidget::currentChanged, search_, &SearchBar::refresh);
  for (CodeEditor* e : {reply_, thinking_, prompt_})
    connect(e, &CodeEditor::text_complete, search_, &SearchBar::refresh);
  prompt_->setFolding(QsciScintilla::BoxedFoldStyle, fold_margin);
  const auto restyle = [this] {
    const Theme& theme = Theme::instance();
    prompt_->setFoldMarginColors(theme.color("code-margin"), theme.color("code-margin"));
    for (int marker = static_cast<int>(QsciScintilla::SC_MARKNUM_FOLDEREND);
         marker <= static_cast<int>(QsciScintilla::SC_MARKNUM_FOLDEROPEN); ++marker) {
      prompt_->setMarkerForegroundColor(theme.color("code-margin"), marker);
      prompt_->setMarkerBackgroundColor(theme.color("code-margin-text"), marker);
    }
  };
  connect(&Theme::instance(), &Theme::changed, this, restyle);
  restyle();
  connect(prompt_, &CodeEditor::text_complete, this, &ExchangePanel::fold);
  connect(copy_, &QToolButton::clicked, this, &ExchangePanel::copy);
  show_none({});
}

void ExchangePanel::open_search() {
  if (pages_->currentIndex() == 1) search_->open();
}

void ExchangePanel::show_none(const QString& sentence) {
  shown_ = 0;
  empty_->sentence()->setText(sentence);
  pages_->setCurrentIndex(0);
}

void ExchangePanel::show_head(const store::ExchangeRecord& e) {
  pages_->setCurrentIndex(1);
  QString title = capitalised(enum_string(e.role));
  if (!e.label.empty()) title += ": " + qs(e.label);
  title_->set_text(title);
  QStringList place = {qs(e.model)};
  if (!e.host.empty()) place += tr("at %1").arg(qs(e.host));
  if (!e.prompt.empty()) place += tr("prompt %1").arg(qs(e.prompt));
  place_->set_text(place.join(", "));
  QStringList facts;
  if (e.state == store::ExchangeState::sent) {
    facts += tr("waiting for the reply");
  } else {
    facts +=
        (e.tokens_reported ? tr("%1 tokens of prompt") : tr("about %1 tokens of prompt"))
            .arg(count_text(static_cast<double>(e.prompt_tokens))) +
        (e.cached_tokens > 0 ? tr(" (%1 cached)").arg(count_text(static_cast<double>(e.cached_tokens))) : QString());
    facts += tr("%1 of answer").arg(count_text(static_cast<double>(e.completion_tokens))) +
             (e.reasoning_tokens > 0 ? tr(" (%1 of reasoning)").arg(count_text(static_cast<double>(e.reasoning_tokens)))
                                     : QString());
    facts += money_text(e.money);
    facts += e.first_token_seconds > 0
                 ? tr("%1, first word after %2").arg(seconds_text(e.seconds), seconds_text(e.first_token_seconds))
                 : seconds_text(e.seconds);
    if (e.attempts > 1) facts += tr("%1 attempts").arg(e.attempts);
    facts += outcome_text(e);
  }
  facts_->setText(facts.join(", ") + ".");
  why_->setText(qs(e.why));
  why_->setVisible(!e.why.empty());
}

void ExchangePanel::set_reply(const QString& text, const QString& thinking) {
  if (reply_->text() != text) reply_->set_code(text);
  if (thinking_->text() != thinking) thinking_->set_code(thinking);
  has_thinking_ = !thinking.isEmpty();
  tabs_->setTabVisible(1, has_thinking_);
}

void ExchangePanel::show_row(const ExchangeModel::Row& row) {
  const bool same = shown_ == row.record.id;
  shown_ = row.record.id;
  show_head(row.record);
  if (same) return;  // the store's answer or grow() follows
  stored_ = false;
  parts_.clear();
  prompt_->set_code({});
  set_reply(row.text, row.thinking);
}

void ExchangePanel::show_stored(const std::shared_ptr<const ExchangeView>& exchange) {
  if (!exchange || exchange->record.id != shown_) return;
  const store::ExchangeRecord& e = exchange->record;
  show_head(e);
  if (!exchange->problem.empty()) {
    why_->setText(tr("The stored exchange cannot be read: %1").arg(qs(exchange->problem)));
    why_->show();
  }
  if (exchange->request && !stored_) {
    stored_ = true;
    parts_.clear();
    QString text;
    int line = 0;
    for (const llm::Message& m : exchange->request->messages) {
      QString body;
      for (const llm::Block& b : m.blocks) {
        if (b.kind == llm::Block::Kind::thinking)
          body += tr("[thinking] %1\n").arg(exact(b.text));
        else if (b.kind == llm::Block::Kind::opaque)
          body += tr("[service-specific block of %1 bytes]\n").arg(b.raw.size());
        else
          body += exact(b.text);
      }
      if (!body.endsWith('\n')) body += '\n';
      const int lines = static_cast<int>(body.count('\n'));
      parts_.push_back({line, lines, m.role == llm::Role::system && lines > long_part});
      text += tr("%1  %2%3\n")
                  .arg(role_word(m.role), counted(lines, tr("line"), tr("lines")),
                       m.cache ? tr(", marked for the service's cache") : QString()) +
              body;
      line += lines + 1;
    }
    prompt_->set_code(text);
  }
  if (e.state == store::ExchangeState::sent) return;  // streaming text is in the row
  if (exchange->reply)
    set_reply(blocks_of(exchange->reply->blocks, llm::Block::Kind::text),
              blocks_of(exchange->reply->blocks, llm::Block::Kind::thinking));
  else
    set_reply(e.raw.empty() ? tr("No reply was received.") : tr("Received, unparsed:\n") + exact(e.raw), {});
}

void ExchangePanel::grow(const llm::Delta& delta, const ExchangeModel::Row& row) {
  if (row.record.id != shown_) return;
  if (delta.kind == llm::Delta::Kind::text) append(reply_, exact(delta.text));
  if (delta.kind == llm::Delta::Kind::thinking) {
    append(thinking_, exact(delta.text));
    if (!has_thinking_) tabs_->setTabVisible(1, true);
    has_thinking_ = true;
  }
  if (delta.kind == llm::Delta::Kind::restart) set_reply({}, {});
  facts_->setText(row.waits.isEmpty() ? tr("The reply is streaming.") : row.waits);
}

void ExchangePanel::fold() {
  using S = QsciScintilla;
  prompt_->markerDeleteAll(CodeEditor::filler_marker);
  for (const Part& part : parts_) {
    prompt_->SendScintilla(S::SCI_SETFOLDLEVEL, static_cast<unsigned long>(part.line),
                           static_cast<long>(S::SC_FOLDLEVELBASE | S::SC_FOLDLEVELHEADERFLAG));
    for (int i = 1; i <= part.lines; ++i)
      prompt_->SendScintilla(S::SCI_SETFOLDLEVEL, static_cast<unsigned long>(part.line + i),
                             static_cast<long>(S::SC_FOLDLEVELBASE + 1));
    prompt_->markerAdd(part.line, CodeEditor::filler_marker);
  }
  if (!parts_.empty())  // the empty line at the end belongs to no part
    prompt_->SendScintilla(S::SCI_SETFOLDLEVEL,
                           static_cast<unsigned long>(parts_.back().line + parts_.back().lines + 1),
                           static_cast<long>(S::SC_FOLDLEVELBASE));
  for (const Part& part : parts_)
    if (part.folded)
      prompt_->SendScintilla(S::SCI_FOLDLINE, static_cast<unsigned long>(part.line),
                             static_cast<long>(S::SC_FOLDACTION_CONTRACT));
}

QString ExchangePanel::facts() const { return facts_->text(); }

void ExchangePanel::copy() {
  if (auto* e = qobject_cast<CodeEditor*>(tabs_->currentWidget())) QGuiApplication::clipboard()->setText(e->text());
}

}  // namespace ww::widgets
