// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/actions/palette.h"
#include <algorithm>
#include "session/actions/registry.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "session/run_sizes.h"

namespace ww::widgets {

namespace {

struct PaletteHit {
  int score;
  Pick pick;
};
QList<Pick> best_first(std::vector<PaletteHit>& hits) {
  std::stable_sort(hits.begin(), hits.end(),
                   [](const PaletteHit& a, const PaletteHit& b) { return a.score > b.score; });
  QList<Pick> picks;
  for (PaletteHit& hit : hits) {
    if (picks.size() >= Picker::most_shown) break;
    picks.append(std::move(hit.pick));
  }
  return picks;
}
Pick pick_of_action(const ActionInfo& info, const QString& text, const QString& detail) {
  return {text,
          detail,
          info.action->statusTip(),
          [action = info.action] { action->trigger(); },
          info.action->isEnabled(),
          info.id,
          info.action->icon()};
}

bool holds_all(const QString& name, const QStringList& words) {
  return std::ranges::all_of(words, [&](const QString& word) { return name.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

QList<Pick> picks_of_actions(const Registry& registry, const QString& typed) {
  std::vector<PaletteHit> hits;
  for (const ActionInfo& info : registry.all()) {
    if (info.id == "help.palette") continue;
    const QString text = info.category + ": " + Registry::plain_text(info.action);
    if (const int score = fuzzy_score(typed, text))
      hits.push_back({score, pick_of_action(info, text, info.action->shortcut().toString(QKeySequence::NativeText))});
  }
  return best_first(hits);
}

QList<Pick> picks_of_places(const Places& places, const QString& typed) {
  const auto tr = [](const char* text) { return Picker::tr(text); };
  std::vector<PaletteHit> hits;
  const QString number = typed.startsWith('#') ? typed.mid(1) : typed;
  // Candidates may be many: a plain search for each word in what they are called.
  std::size_t found = 0;
  const QStringList words = typed.split(' ', Qt::SkipEmptyParts);
  if (places.candidates && !typed.isEmpty()) {
    for (const CandidateModel::Row& row : places.candidates->rows()) {
      if (found >= Picker::most_shown) break;
      const QString name = CandidateModel::name_of(row.data), id = QString::number(row.data.id);
      const int score = id == number            ? 3000
                        : typed.startsWith('#') ? (id.startsWith(number) ? 1500 : 0)
                        : typed.size() >= 4 && qs(row.data.hash).startsWith(typed, Qt::CaseInsensitive) ? 2500
                        : holds_all(name + ' ' + qs(row.data.structure), words)                         ? 900
                                                                                                        : 0;
      if (score == 0) continue;
      ++found;
      hits.push_back({score,
                      {QString("#%1 %2").arg(id, name),
                       tr("Candidate, %1").arg(CandidateModel::verdict_of(row.data)),
                       qs(row.data.hash),
                       [open = places.open_candidate, c = row.data.id] { open(c); },
                       true,
                       {},
                       Theme::instance().icon(state_icon(row.data.state), state_token(row.data.state))}});
    }
  }
  for (const store::RunRecord& run : places.runs) {
    const QString text = tr("Run %1: %2").arg(run.id).arg(qs(run.op_name));
    // A run whose op begins with it stands after the ops that do, before those that only contain it.
    int score = std::max(fuzzy_score(typed, text), fuzzy_score(typed, qs(run.op_name)) - 50);
    if (QString::number(run.id) == number && !typed.startsWith('#')) score = 2000;
    if (score)
      hits.push_back({score,
                      {text,
                       tr("%1, %2, %3").arg(enum_text(run.state), proved_text(run), when_text(run.created)),
                       {},
                       [open = places.open_run, r = run.id] { open(r); },
                       true,
                       {},
                       Theme::instance().icon("run", "muted")}});
  }
  if (places.registry)
    for (const ActionInfo& info : places.registry->all()) {
      const bool panel = info.id.startsWith("go.") && info.id != "go.next" && info.id != "go.previous";
      const bool other = info.id.startsWith("layout.") || info.id == "file.settings" || info.id == "file.models" ||
                         info.id == "help.shortcuts";
      if (!panel && !other) continue;
      const QString text = Registry::plain_text(info.action);
      const QString kind = panel ? tr("panel") : info.id.startsWith("layout.") ? tr("workspace") : tr("settings");
      if (const int score = fuzzy_score(typed, text)) hits.push_back({score, pick_of_action(info, text, kind)});
    }
  for (const OpSummary& op : places.ops)
    if (const int score = typed.isEmpty() ? 0 : fuzzy_score(typed, qs(op.name)))
      hits.push_back(
          {score - 1 - static_cast<int>(std::min<std::size_t>(op.name.size(), 40)),  // the shorter name first
           {qs(op.name),
            tr("op"),
            qs(op.summary),
            [open = places.open_op, phrase = qs(op.phrase)] { open(phrase); },
            true,
            {},
            Theme::instance().icon("search", "muted")}});
  return best_first(hits);
}

}  // namespace ww::widgets
