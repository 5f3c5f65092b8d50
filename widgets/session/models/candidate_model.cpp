// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/models/candidate_model.h"
#include <QDateTime>
#include <QMimeData>
#include <algorithm>
#include <functional>
#include "parts/theme/text.h"

namespace ww::widgets {

int CandidateModel::row_of(std::int64_t id) const {
  if (rows_.empty()) return -1;
  const std::int64_t guess = id - rows_.front().data.id;  // a run's numbers mostly follow each other
  if (guess >= 0 && guess < static_cast<std::int64_t>(rows_.size()) &&
      rows_[static_cast<std::size_t>(guess)].data.id == id)
    return static_cast<int>(guess);
  return by_id_.value(id, -1);
}

const CandidateModel::Row* CandidateModel::find_hash(const std::string& hash) const {
  const auto [first, last] = by_hash_.equal_range(std::hash<std::string>()(hash));
  for (auto it = first; it != last; ++it)
    if (const Row& row = rows_[static_cast<std::size_t>(it->second)]; row.data.hash == hash) return &row;
  return nullptr;
}

void CandidateModel::count(const explore::CandidateRow& row, int sign) {
  if (row.imported) {
    imported_ += sign;
    return;
  }
  if (row.state != store::CandidateState::queued && row.state != store::CandidateState::judging &&
      row.state != store::CandidateState::duplicate)
    judged_ += sign;
  if (row.state != store::CandidateState::accepted) return;
  accepted_ += sign;
  if (row.proved_at == evidence::ProvedAt::smaller_shapes) smaller_ += sign;
  const auto it = structures_.try_emplace(row.structure, 0).first;
  it->second += sign;
  if (it->second == 0) structures_.erase(it);
}

void CandidateModel::clear() {
  beginResetModel();
  rows_ = {};
  by_id_.clear();
  by_hash_ = {};
  progress_.clear();
  marks_.clear();
  places_.clear();
  structures_.clear();
  baseline_ = 0;
  accepted_ = smaller_ = judged_ = imported_ = in_trash_ = 0;
  best_score_ = 0;
  score_unit_.clear();
  score_provenance_ = Provenance::unknown;
  endResetModel();
}

void CandidateModel::reset(const std::vector<explore::CandidateRow>& rows) {
  clear();
  rows_.reserve(rows.size());
  by_hash_.reserve(rows.size());
  std::vector<explore::CandidateRow> copy = rows;
  append(copy);
}

void CandidateModel::append(std::vector<explore::CandidateRow>& fresh) {
  if (fresh.empty()) return;
  const int first = static_cast<int>(rows_.size());
  beginInsertRows({}, first, first + static_cast<int>(fresh.size()) - 1);
  for (auto& row : fresh) {
    const int at = static_cast<int>(rows_.size());
    if (at > 0 && row.id != rows_.front().data.id + at) by_id_[row.id] = at;
    by_hash_.emplace(std::hash<std::string>()(row.hash), at);
    if (row.score && score_unit_.isEmpty()) {
      score_unit_ = qs(row.score->unit);
      score_provenance_ = row.score->provenance;
    }
    if (row.rank == 1 && row.score) best_score_ = row.score->value;
    count(row, 1);
    const std::optional<int> rank = row.rank;
    const bool trashed = any_marks() && marks_.value(row.id).trashed;
    in_trash_ += trashed;
    rows_.push_back({std::move(row), {}, rank, trashed});
  }
  if (in_trash_ > 0) rank_without_trash();
  endInsertRows();
  fresh.clear();
}

void CandidateModel::upsert(const explore::CandidateRow& row, std::vector<explore::CandidateRow>& fresh,
                            QSet<int>& changed) {
  if (const int at = row_of(row.id); at >= 0) {
    explore::CandidateRow& there = rows_[static_cast<std::size_t>(at)].data;
    const std::string created = there.created;
    count(there, -1);
    there = row;
    rows_[static_cast<std::size_t>(at)].run_rank = row.rank;
    if (there.created.empty()) there.created = created;
    count(there, 1);
    if (there.state != store::CandidateState::judging) progress_.remove(row.id);
    changed.insert(at);
    return;
  }
  for (auto& other : fresh) {
    if (other.id != row.id) continue;
    const std::string created = other.created;
    other = row;
    if (other.created.empty()) other.created = created;
    return;
  }
  fresh.push_back(row);
  if (row.created.empty())
    fresh.back().created =
        QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toStdString();  // it was proposed just now
}

void CandidateModel::apply(const std::vector<explore::Event>& events) {
  std::vector<explore::CandidateRow> fresh;
  QSet<int> changed;
  const explore::RanksChanged* ranks = nullptr;  // each holds all ranks of its moment: the last one is enough
  const Provenance provenance = score_provenance_;
  for (const auto& event : events) {
    if (const auto* proposed = std::get_if<explore::CandidateProposed>(&event)) {
      upsert(proposed->row, fresh, changed);
    } else if (const auto* judged = std::get_if<explore::CandidateJudged>(&event)) {
      if (judged->row.score) {
        score_unit_ = qs(judged->row.score->unit);
        score_provenance_ = judged->row.score->provenance;
      }
      upsert(judged->row, fresh, changed);
    } else if (const auto* progress = std::get_if<explore::CandidateProgress>(&event)) {
      append(fresh);
      if (const int at = row_of(progress->candidate); at >= 0) {
        explore::CandidateRow& row = rows_[static_cast<std::size_t>(at)].data;
        if (row.state == store::CandidateState::queued) row.state = store::CandidateState::judging;
        progress_[row.id] = progress->progress;
        changed.insert(at);
      }
    } else if (std::holds_alternative<explore::RunEnded>(event)) {
      append(fresh);
      for (int at = 0; at < static_cast<int>(rows_.size()); ++at) {  // what was being judged waits for a resumption
        explore::CandidateRow& row = rows_[static_cast<std::size_t>(at)].data;
        if (row.state != store::CandidateState::judging) continue;
        row.state = store::CandidateState::queued;
        changed.insert(at);
      }
      progress_.clear();
    } else if (const auto* all = std::get_if<explore::RanksChanged>(&event)) {
      ranks = all;
    }
  }
  append(fresh);
  bool ranked = false;
  if (ranks) {
    for (const auto& [id, rank] : ranks->ranks) {
      const int at = row_of(id);
      if (at < 0) continue;
      Row& row = rows_[static_cast<std::size_t>(at)];
      row.run_rank = row.data.rank = rank;
      if (rank == 1 && row.data.score) best_score_ = row.data.score->value;
      ranked = true;
    }
  }
  if (in_trash_ > 0) rank_without_trash();
  report(changed, ranked ? Change::ranks : Change::facts, 0, ColumnCount - 1);
  if (provenance != score_provenance_) emit headerDataChanged(Qt::Horizontal, Score, Score);
}

void CandidateModel::report(const QSet<int>& changed, Change change, int first_column, int last_column) {
  const bool ranks = change == Change::ranks;
  if (changed.isEmpty() && !ranks) return;
  std::vector<int> list(changed.begin(), changed.end());
  std::sort(list.begin(), list.end());
  emit rows_changed(list, change);
  // One range: a view repaints what is visible of it.
  const int low = ranks ? 0 : list.front(), high = ranks ? rowCount() - 1 : list.back();
  emit dataChanged(index(low, first_column), index(high, last_column));
}

void CandidateModel::annotate(const std::vector<Annotation>& annotations) {
  QSet<int> changed;
  for (const auto& annotation : annotations) {
    const int at = row_of(annotation.candidate);
    if (at < 0) continue;
    rows_[static_cast<std::size_t>(at)].annotation = annotation;
    changed.insert(at);
  }
  report(changed, Change::facts, 0, ColumnCount - 1);
}

// Equal scores share a rank (1, 2, 2, 4): a rank falls by the number of those in the trash that are better.
void CandidateModel::rank_without_trash() {
  std::vector<int> gone;
  for (const Row& row : rows_)
    if (row.trashed && row.run_rank && !row.data.imported) gone.push_back(*row.run_rank);
  std::sort(gone.begin(), gone.end());
  best_score_ = 0;
  for (Row& row : rows_) {
    row.data.rank = row.run_rank;
    const bool own = row.run_rank && !row.data.imported;  // an imported one has the rank that it had elsewhere
    if (own && row.trashed)
      row.data.rank.reset();
    else if (own)
      *row.data.rank -= static_cast<int>(std::lower_bound(gone.begin(), gone.end(), *row.run_rank) - gone.begin());
    if (row.data.rank == 1 && row.data.score) best_score_ = row.data.score->value;
  }
}

void CandidateModel::set_marks(const QHash<std::int64_t, CandidateMarks>& marks, bool all) {
  QSet<int> changed;
  const auto note = [&](std::int64_t id) {
    if (const int at = row_of(id); at >= 0) changed.insert(at);
  };
  if (all) {
    for (auto it = marks_.keyBegin(); it != marks_.keyEnd(); ++it) note(*it);
    marks_.clear();
  }
  for (auto it = marks.begin(); it != marks.end(); ++it) {
    note(it.key());
    if (it->any())
      marks_[it.key()] = *it;
    else
      marks_.remove(it.key());
  }
  bool trash = false;
  for (const int at : changed) {
    Row& row = rows_[static_cast<std::size_t>(at)];
    const bool before = std::exchange(row.trashed, marks_.value(row.data.id).trashed);
    trash |= before != row.trashed;
    in_trash_ += int{row.trashed} - int{before};
  }
  if (trash) rank_without_trash();
  report(changed, Change::marks, 0, ColumnCount - 1);
  if (trash) report({}, Change::ranks, 0, ColumnCount - 1);
}

void CandidateModel::set_live(bool live) {
  if (std::exchange(live_, live) == live) return;
  QSet<int> changed;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].data.state == store::CandidateState::queued) changed.insert(static_cast<int>(i));
  report(changed, Change::facts, 0, ColumnCount - 1);
}

bool CandidateModel::any_signed() const {
  return std::any_of(signed_.keyValueBegin(), signed_.keyValueEnd(),
                     [this](const auto& one) { return row_of(one.first) >= 0 && review::is_signed(one.second); });
}

void CandidateModel::set_signed(const QHash<std::int64_t, review::ReviewState>& states) {
  QSet<int> changed;
  for (const auto& all : {signed_, states})
    for (auto it = all.keyBegin(); it != all.keyEnd(); ++it)
      if (const int at = row_of(*it); at >= 0) changed.insert(at);
  signed_ = states;
  report(changed, Change::facts, Signed, Signed);
}

void CandidateModel::set_selection(std::int64_t baseline, const QList<std::int64_t>& places) {
  if (baseline == baseline_ && places == places_) return;
  QSet<int> changed;
  for (const QList<std::int64_t>& ids : {places_, places, QList<std::int64_t>{baseline_, baseline}})
    for (const std::int64_t id : ids)
      if (const int at = id == 0 ? -1 : row_of(id); at >= 0) changed.insert(at);
  baseline_ = baseline;
  places_ = places;
  report(changed, Change::facts, 0, ColumnCount - 1);
}

bool CandidateModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || index.column() != Compared || role != Qt::CheckStateRole) return false;
  emit compare_wanted(rows_[static_cast<std::size_t>(index.row())].data.id, value.toInt() == Qt::Checked);
  return true;
}

Qt::ItemFlags CandidateModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (index.isValid()) flags |= Qt::ItemIsDragEnabled | Qt::ItemIsDropEnabled;
  if (index.isValid() && index.column() == Compared) flags |= Qt::ItemIsUserCheckable;
  return flags;
}

QMimeData* CandidateModel::mimeData(const QModelIndexList& indexes) const {
  QStringList ids;
  for (const QModelIndex& index : indexes)
    if (const QString id = QString::number(rows_[static_cast<std::size_t>(index.row())].data.id); !ids.contains(id))
      ids.append(id);
  if (ids.isEmpty()) return nullptr;
  auto* data = new QMimeData;
  data->setData(mime_type, ids.join('\n').toUtf8());
  return data;
}

namespace {
std::int64_t dragged_candidate(const QMimeData* data) {
  return data ? data->data(CandidateModel::mime_type).split('\n').first().toLongLong() : 0;
}
}  // namespace

bool CandidateModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int, int, const QModelIndex& parent) const {
  if (!parent.isValid() || !data || !data->hasFormat(mime_type)) return false;
  return rows_[static_cast<std::size_t>(parent.row())].data.id != dragged_candidate(data);
}

bool CandidateModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                                  const QModelIndex& parent) {
  if (!canDropMimeData(data, action, row, column, parent)) return false;
  const std::int64_t candidate = dragged_candidate(data);
  if (row_of(candidate) < 0) return false;  // of another run
  emit dropped(candidate, rows_[static_cast<std::size_t>(parent.row())].data.id);
  return true;
}

}  // namespace ww::widgets
