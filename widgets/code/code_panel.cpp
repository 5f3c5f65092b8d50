// SPDX-License-Identifier: GPL-3.0-or-later
#include "code/code_panel.h"
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QTabWidget>
#include <algorithm>
#include "editor/code_editor.h"
#include "editor/search_bar.h"
#include "theme/elide_label.h"
#include "theme/text.h"

namespace ww::widgets {

namespace {

struct Counter {
  const char* id;
  QString title;
  std::uint64_t gate::LineCount::*value;
};

const std::vector<Counter>& counters() {
  static const std::vector<Counter> list = {
      {"warp_instructions", CodePanel::tr("Warp instructions"), &gate::LineCount::warp_instructions},
      {"thread_instructions", CodePanel::tr("Thread instructions"), &gate::LineCount::thread_instructions},
      {"global_sectors", CodePanel::tr("Global sectors"), &gate::LineCount::global_sectors},
      {"shared_wavefronts", CodePanel::tr("Shared wavefronts"), &gate::LineCount::shared_wavefronts},
      {"bank_conflicts", CodePanel::tr("Bank conflicts"), &gate::LineCount::bank_conflicts},
      {"divergent_branches", CodePanel::tr("Divergent branches"), &gate::LineCount::divergent_branches}};
  return list;
}

}  // namespace

CodePanel::CodePanel(QWidget* parent) : QWidget(parent) {
  setProperty("role", "panel");
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  const ContentPages made = content_pages(outer, tr("Select a candidate to read its code and the PTX that it compiles to."));
  pages_ = made.pages;
  QWidget* page = made.content;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(4);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 0, 8, 0);
  title_ = new ElideLabel(page);
  provenance_ = new QLabel(page);
  provenance_->setProperty("role", "muted");
  counter_ = new QComboBox(page);
  counter_->setObjectName("line_counter");
  name_it(counter_, tr("Counter beside the lines"), tr("What is counted beside each line"));
  bar->addWidget(title_, 1);
  bar->addWidget(provenance_);
  bar->addWidget(counter_);
  column->addLayout(bar);
  tabs_ = new QTabWidget(page);
  tabs_->setDocumentMode(true);
  source_ = new CodeEditor(CodeLanguage::cuda, true, tabs_);
  source_->setObjectName("cuda_code");
  name_it(source_, tr("Code of the candidate"));
  auto* ptx_page = new QWidget(tabs_);
  ptx_pages_ = new QStackedLayout(ptx_page);
  ptx_ = new CodeEditor(CodeLanguage::ptx, true, ptx_page);
  ptx_->setObjectName("ptx_code");
  name_it(ptx_, tr("PTX of the candidate"));
  no_ptx_ = empty_state({}, ptx_page);
  ptx_pages_->addWidget(ptx_);
  ptx_pages_->addWidget(no_ptx_);
  auto* sass_page = new QWidget(tabs_);
  sass_pages_ = new QStackedLayout(sass_page);
  sass_ = new CodeEditor(CodeLanguage::ptx, true, sass_page);
  sass_->setObjectName("sass_code");
  name_it(sass_, tr("Machine code of the candidate"));
  no_sass_ = empty_state({}, sass_page);
  no_sass_->setObjectName("no_sass");
  sass_pages_->addWidget(sass_);
  sass_pages_->addWidget(no_sass_);
  tabs_->addTab(source_, tr("CUDA"));
  tabs_->addTab(ptx_page, tr("PTX"));
  tabs_->addTab(sass_page, tr("SASS"));
  column->addWidget(tabs_, 1);
  search_ = new SearchBar([this] { return current(); }, page);
  column->addWidget(search_);
  connect(tabs_, &QTabWidget::currentChanged, this, [this](int tab) {
    fill(tab);
    search_->refresh();
  });
  connect(ptx_, &CodeEditor::text_complete, search_, &SearchBar::refresh);
  connect(sass_, &CodeEditor::text_complete, search_, &SearchBar::refresh);
  connect(counter_, &QComboBox::currentIndexChanged, this, &CodePanel::show_counter);
}

CodeEditor* CodePanel::current() const { return tabs_->currentIndex() == sass_listing ? sass_ : tabs_->currentIndex() == ptx_listing ? ptx_ : source_; }

void CodePanel::show_candidate(const std::shared_ptr<const CandidateView>& candidate) {
  const bool same = candidate && candidate_ && candidate->record.id == candidate_->record.id && candidate->record.text == candidate_->record.text;
  const bool same_ptx = same && candidate->record.verdict && candidate_->record.verdict && candidate->record.verdict->ptx == candidate_->record.verdict->ptx;
  candidate_ = candidate;
  if (!candidate) {
    pages_->setCurrentIndex(0);
    source_->set_code({});
    ptx_->set_code({});
    sass_->set_code({});
    return;
  }
  pages_->setCurrentIndex(1);
  const auto& record = candidate->record;
  const QString name = record.title.empty() ? qs(record.structure) : qs(record.title);
  title_->set_text(tr("#%1 %2").arg(record.id).arg(name));
  tabs_->setTabText(0, record.language == "ptx" ? tr("PTX (source)") : tr("CUDA"));
  if (!same) source_->set_code(qs(record.text));
  int fault = 0;
  if (record.verdict)
    for (const auto& stage : record.verdict->stages)
      if (stage.failure && stage.failure->fault && stage.failure->fault->line > 0) fault = stage.failure->fault->line;
  source_->mark_fault(fault);
  if (fault > 0 && !same) source_->go_to(fault);
  if (!same_ptx) {
    ptx_filled_ = sass_filled_ = false;
    fill(tabs_->currentIndex());
  }
  fill_counters();
  search_->refresh();
}

void CodePanel::fill_ptx() {  // when it is looked at, not before
  if (ptx_filled_ || !candidate_) return;
  ptx_filled_ = true;
  const bool there = candidate_->record.verdict && !candidate_->record.verdict->ptx.empty();
  ptx_pages_->setCurrentIndex(there ? 0 : 1);
  if (there) {
    ptx_->set_code(qs(candidate_->record.verdict->ptx));
    return;
  }
  ptx_->set_code({});
  no_ptx_->setText(!candidate_->record.verdict ? tr("There is no PTX yet: the candidate has not been judged.")
                                               : tr("There is no PTX: the candidate was not compiled (%1).").arg(qs(candidate_->record.summary)));
}

void CodePanel::fill(int tab) {
  if (tab == ptx_listing) fill_ptx();
  if (tab == sass_listing) fill_sass();
}

void CodePanel::fill_sass() {
  if (sass_filled_ || !candidate_) return;
  sass_filled_ = true;
  sass_->set_code({});
  sass_pages_->setCurrentIndex(1);
  no_sass_->setText(tr("Compiling and disassembling…"));
  emit machine_code_wanted(candidate_->record.id);
}

void CodePanel::show_machine_code(std::int64_t candidate, const QString& sass, const QString& why_not) {
  if (!candidate_ || candidate_->record.id != candidate || !sass_filled_) return;  // another one is shown by now
  sass_->set_code(sass);
  no_sass_->setText(why_not);
  sass_pages_->setCurrentIndex(why_not.isEmpty() ? 0 : 1);
  search_->refresh();
}

void CodePanel::fill_counters() {
  const QSignalBlocker block(counter_);
  const QString kept = counter_->count() == 0 ? "warp_instructions" : counter_->currentData().toString();
  counter_->clear();
  counter_->addItem(tr("No counter"), "");
  const gate::Metrics* metrics = candidate_ && candidate_->record.verdict && candidate_->record.verdict->metrics ? &*candidate_->record.verdict->metrics : nullptr;
  if (metrics) {
    for (const Counter& counter : counters())
      if (std::any_of(metrics->lines.begin(), metrics->lines.end(), [&](const auto& line) { return line.*counter.value > 0; }))
        counter_->addItem(counter.title, counter.id);
  }
  counter_->setCurrentIndex(std::max(0, counter_->findData(kept)));
  counter_->setVisible(counter_->count() > 1);
  show_counter();
}

void CodePanel::show_counter() {
  std::vector<CodeEditor::LineNote> notes;
  provenance_->clear();
  const QString id = counter_->currentData().toString();
  if (candidate_ && !id.isEmpty() && candidate_->record.verdict && candidate_->record.verdict->metrics) {
    const gate::Metrics& metrics = *candidate_->record.verdict->metrics;
    for (const Counter& counter : counters()) {
      if (id != counter.id) continue;
      std::uint64_t most = 1;
      for (const auto& line : metrics.lines) most = std::max(most, line.*counter.value);
      for (const auto& line : metrics.lines)
        if (line.*counter.value > 0)
          notes.push_back({line.line, short_count(static_cast<double>(line.*counter.value)), static_cast<double>(line.*counter.value) / static_cast<double>(most)});
    }
    provenance_->setText(qs(metrics.provenance));
    provenance_->setToolTip(tr("Counts of the case \"%1\" on %2").arg(qs(metrics.case_name), qs(metrics.device)));
  }
  source_->set_line_notes(notes);
}

void CodePanel::go_to(int line) {
  tabs_->setCurrentIndex(0);
  source_->go_to(line);
  source_->setFocus();
}

void CodePanel::open_search() {
  if (candidate_) search_->open();
}

void CodePanel::show_listing(Listing listing) { tabs_->setCurrentIndex(listing); }

}  // namespace ww::widgets
