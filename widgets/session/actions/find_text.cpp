// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/actions/find_text.h"
#include <QCoreApplication>
#include <map>
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

QString finder_tr(const char* text) { return QCoreApplication::translate("find", text); }

struct TextFinder {
  QStringList words;
  FindResult result;
  const std::atomic<bool>& stop;

  bool full() const { return stop || result.more; }
  void take(Found found, const QString& text) {
    if (result.found.size() >= most_found) {
      result.more = true;
      return;
    }
    found.excerpt = excerpt_of(text, words);
    result.found.push_back(std::move(found));
  }
  bool field(Found base, const QString& where, const QString& text) {
    if (full() || !has_words(text, words)) return false;
    base.where = where;
    take(std::move(base), text);
    return true;
  }
  void candidate(const store::CandidateRecord& c, const QString& marks) {
    Found base;
    base.kind = Found::Kind::candidate;
    base.run = c.run;
    base.id = c.id;
    base.title = QString("#%1 %2").arg(c.id).arg(qs(c.title.empty() ? c.structure : c.title));
    field(base, finder_tr("title"), qs(c.title));
    field(base, finder_tr("verdict"),
          c.state != store::CandidateState::accepted          ? qs(c.summary)
          : c.proved_at == evidence::ProvedAt::smaller_shapes ? finder_tr("Proved at smaller shapes only")
                                                              : state_title(c.state));
    field(base, finder_tr("generator's note"), qs(c.note));
    field(base, finder_tr("note or tag"), marks);
    const QString text = qs(c.text);
    if (!text.contains(words.first(), Qt::CaseInsensitive)) return;
    const QStringList lines = text.split('\n');
    int hits = 0;
    for (int i = 0; i < lines.size() && hits < 5 && !full(); ++i) {
      base.line = i + 1;
      hits += field(base, finder_tr("line %1").arg(i + 1), lines[i]);
    }
  }
};

}  // namespace

bool has_words(const QString& text, const QStringList& words) {
  for (const QString& word : words)
    if (!text.contains(word, Qt::CaseInsensitive)) return false;
  return !text.isEmpty();
}

QString excerpt_of(const QString& line, const QStringList& words) {
  constexpr qsizetype before = 40, whole = 160;
  const QString text = line.simplified();
  const qsizetype at =
      words.isEmpty() ? 0 : std::max<qsizetype>(0, text.indexOf(words.first(), 0, Qt::CaseInsensitive));
  const qsizetype from = std::max<qsizetype>(0, at - before);
  return (from > 0 ? QStringLiteral("\u2026") : QString()) + text.mid(from, whole) +
         (from + whole < text.size() ? QStringLiteral("\u2026") : QString());
}

FindResult find_in_workspace(Language& language, store::Workspace* workspace, const QString& typed,
                             const std::atomic<bool>& stop) {
  TextFinder finder{typed.split(' ', Qt::SkipEmptyParts), {}, stop};
  if (finder.words.isEmpty()) return {};
  std::vector<store::RunRecord> runs;
  if (workspace) {
    if (auto list = workspace->runs())
      runs = std::move(*list);
    else
      finder.result.problem = qs(list.error().text());
  }
  for (const store::RunRecord& run : runs) {
    if (finder.full()) break;
    Found base;
    base.kind = Found::Kind::run;
    base.run = run.id;
    base.title = finder_tr("Run %1: %2").arg(run.id).arg(qs(run.op_name));
    finder.field(base, finder_tr("run"), base.title + " " + qs(run.generator) + " " + qs(run.device));
    if (auto op = workspace->op(run.op)) {
      finder.field(base, finder_tr("sentence"), qs(op->sentence));
      finder.field(base, finder_tr("op spec"), qs(op->text));
    }
    std::map<std::int64_t, QString> marks;
    if (auto list = workspace->marks(run.id))
      for (const store::MarkRecord& mark : *list)
        if (!mark.text.empty()) marks[mark.candidate] += qs(mark.text) + " ";
    if (auto candidates = workspace->candidates(run.id))
      for (const store::CandidateRecord& c : *candidates) {
        if (finder.full()) break;
        finder.candidate(c, marks.count(c.id) ? marks[c.id].trimmed() : QString());
      }
    base.kind = Found::Kind::exchange;
    if (auto exchanges = workspace->exchanges(run.id))
      for (const store::ExchangeRecord& e : *exchanges) {
        if (finder.full()) break;
        base.id = e.id;
        base.title = qs(e.label);
        if (finder.field(base, finder_tr("exchange"),
                         qs(e.label + " " + e.model + " " + enum_string(e.outcome) + " " + e.why)))
          continue;
        if (auto whole = workspace->exchange(e.id)) {
          if (!finder.field(base, finder_tr("reply"), qs(whole->reply)))
            finder.field(base, finder_tr("request"), qs(whole->request));
        }
      }
    base.kind = Found::Kind::message;
    base.id = 0;
    base.title = finder_tr("Run %1").arg(run.id);
    if (auto messages = workspace->messages(run.id))
      for (const store::MessageRecord& m : *messages)
        if (m.level != store::MessageLevel::environment) finder.field(base, finder_tr("message"), qs(m.text));
  }
  if (!finder.full())
    if (auto ops = language.ops())
      for (const OpSummary& op : *ops) {
        Found base;
        base.kind = Found::Kind::op;
        base.title = qs(op.name);
        base.phrase = qs(op.phrase);
        finder.field(base, finder_tr("op"), qs(op.name + ": " + op.summary));
      }
  return std::move(finder.result);
}

}  // namespace ww::widgets
