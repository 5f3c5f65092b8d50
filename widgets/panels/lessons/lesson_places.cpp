// SPDX-License-Identifier: GPL-3.0-or-later
// Ways through the lessons beside the list: search, glossary, advice, and a class's own lessons.
#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QStackedLayout>
#include <QVBoxLayout>
#include "panels/lessons/figure_view.h"
#include "panels/lessons/lessons_panel.h"
#include "parts/theme/controls.h"
#include "parts/theme/facts_view.h"
#include "parts/theme/label.h"
#include "profile/advice.h"

namespace ww::widgets {

void LessonsPanel::fill_found(const QString& words) {
  clear_layout(list_);
  done_.clear();
  titles_.clear();
  auto* page = list_->parentWidget();
  const std::vector<lesson::Hit> found = lesson::find_words(words.toStdString(), lessons_->all(), lessons_->terms());
  for (const lesson::Hit& hit : found) {
    const bool of_glossary = !hit.term.empty();
    const QString name = qs(of_glossary ? hit.term : hit.lesson);
    const lesson::Lesson* l = of_glossary ? nullptr : find(name);
    auto* entry = make_column(list_, {}, 0);
    auto* row = make_row(entry);
    auto* title =
        make_button(page, (l ? "found_" : "found_term_") + name, l ? qs(l->title) : tr("%1 (glossary)").arg(name));
    set_role(title, "link");
    row->addWidget(title);
    row->addStretch(1);
    auto* line = make_paragraph(page, {}, "muted");
    static const QRegularExpression emphasis("\\*([^\\s*][^*]*)\\*"), item("^\\s*(?:- |\\d+\\. )");
    QString said = without_code_marks(hit.line).remove(item);
    said.replace(emphasis, "\\1");  // not the * of a product, which spaces surround
    line->setText(said);
    entry->addWidget(line);
    connect(title, &QPushButton::clicked, this, [this, of_glossary, name] {
      if (of_glossary)
        show_glossary(name);
      else
        open(name);
    });
  }
  if (found.empty()) {
    auto* none = make_paragraph(page, "lessons_none", "muted");
    none->setText(tr("No lesson and no term of the glossary has these words."));
    list_->addWidget(none);
  }
  list_->addStretch(1);
}

void LessonsPanel::show_glossary(const QString& term) {
  begin_page("glossary");
  QStringList index;
  for (const lesson::Term& t : lessons_->terms())
    index += QString("[%1](../glossary/%2)").arg(qs(t.name), QString(qs(t.name)).replace(' ', '_'));
  add_passage({false, "# " + tr("Glossary") + "\n" + index.join(" \u00b7 ")});
  QWidget* wanted = nullptr;
  for (const lesson::Term& t : lessons_->terms()) {
    const int before = page_->count();
    QString text = "## " + qs(t.name) + "\n" + qs(t.text);
    QStringList links;
    for (const std::string& name : t.lessons)
      if (const lesson::Lesson* l = find(qs(name)))
        links += QString("[%1](../lessons/%2.md)").arg(qs(l->title), qs(name));
    text += "\n" + tr("Lesson: %1").arg(links.join(", ")) + "\n";
    for (const Passage& passage : passages_of(text.toStdString())) add_passage(passage);
    if (qs(t.name) == term && page_->count() > before) wanted = page_->itemAt(before)->widget();
  }
  end_page();
  if (wanted == nullptr) return;
  page_->activate();
  page_area_->ensureWidgetVisible(wanted, 0, page_area_->height() / 2);
}

void LessonsPanel::show_advice(const QString& id) {
  const Result<std::string> page = profile::advice_page(id.toStdString());
  begin_page("advice");
  std::string text = page ? *page : page.error().text();
  if (text.starts_with("<!--")) text.erase(0, text.find('\n'));  // its licence
  for (const Passage& passage : passages_of(text)) add_passage(passage);
  end_page();
}

void LessonsPanel::follow(const QString& target) {
  const QFileInfo file(target);
  const QString folder = file.dir().dirName();
  if (folder == "lessons") open(file.completeBaseName());
  if (folder == "glossary") show_glossary(file.fileName().replace('_', ' '));
  if (folder == "advice") show_advice(file.completeBaseName());
}

}  // namespace ww::widgets
