// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/candidate_model.h"
#include <QColor>
#include <QFont>
#include <algorithm>
#include <limits>
#include "theme/text.h"
#include "theme/theme.h"

namespace ww::widgets {

namespace {

int most_registers(const explore::CandidateRow& row) {
  int most = -1;
  for (const auto& r : row.resources) most = std::max(most, r.registers);
  return most;
}

std::int64_t most_shared(const CandidateModel::Row& row) {  // -1: not known before the plan has been worked out
  std::int64_t most = -1;
  if (row.annotation)
    for (const auto& k : row.annotation->kernels) most = std::max(most, k.shared);
  return most;
}

double least_occupancy(const CandidateModel::Row& row) {
  double least = 2;
  if (row.annotation)
    for (const auto& k : row.annotation->kernels) least = std::min(least, k.occupancy);
  return least;
}

QString why_unmeasured(const explore::CandidateRow& row) {
  if (row.state == "queued") return CandidateModel::tr("Not judged yet: it waits for a worker.");
  if (row.state == "judging") return CandidateModel::tr("Not known yet: the candidate is being judged.");
  return CandidateModel::tr("Not known: %1").arg(qs(row.verdict));
}

}  // namespace

QString CandidateModel::name_of(const explore::CandidateRow& row) {
  if (!row.title.empty()) return qs(row.title);
  if (!row.structure.empty()) return qs(row.structure);
  return qs(row.hash.substr(0, 10));
}

QVariant CandidateModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    const bool number = section == Rank || (section >= Score && section <= Occupancy);
    return QVariant(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
  }
  if (role == Qt::DisplayRole) {
    switch (section) {
      case Rank: return tr("Rank");
      case Name: return tr("Candidate");
      case Verdict: return tr("Verdict");
      case Score:
        if (score_provenance_ == "measured") return tr("Time (%1)").arg(score_unit_);
        return score_provenance_.isEmpty() ? tr("Cost") : tr("Cost (%1)").arg(score_provenance_);
      case Registers: return tr("Registers");
      case Shared: return tr("Shared");
      case Occupancy: return tr("Occupancy");
      case Parent: return tr("Parent");
      case Generator: return tr("Generator");
    }
  }
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case Rank: return tr("1 is the best among this run's accepted candidates");
      case Name: return tr("Title, or the kind of kernel");
      case Verdict: return tr("What the gate says of the candidate");
      case Score:
        return score_unit_.isEmpty() ? tr("Lower is better; only accepted candidates have a cost")
                                     : tr("%1, %2; lower is better").arg(score_unit_, score_provenance_);
      case Registers: return tr("Registers per thread, the most of its kernels; modelled by the assembler for the architecture");
      case Shared: return tr("Shared memory per block, static and dynamic, the most of its kernels; modelled");
      case Occupancy: return tr("Theoretical occupancy, the least of its kernels; modelled");
      case Parent: return tr("The candidate that it was made from");
      case Generator: return tr("Who proposed it");
    }
  }
  return {};
}

QVariant CandidateModel::text(const Row& row, int column) const {
  const auto& d = row.data;
  switch (column) {
    case Rank: return d.rank ? QString::number(*d.rank) : dash();
    case Name: return name_of(d);
    case Verdict:
      if (d.state == "judging" && !row.progress.message.empty()) return state_title(d.state) + ": " + qs(row.progress.message);
      if (d.state == "accepted" || d.state == "queued" || d.state == "duplicate" || d.verdict.empty()) return state_title(d.state);
      {  // "rejected at smoke: …" already begins with the state's word
        QString verdict = qs(d.verdict);
        verdict[0] = verdict[0].toUpper();
        return verdict;
      }
    case Score: return d.score ? count_text(d.score->value) : dash();
    case Registers: return most_registers(d) >= 0 ? QString::number(most_registers(d)) : dash();
    case Shared: return most_shared(row) >= 0 ? bytes_text(most_shared(row)) : dash();
    case Occupancy: return least_occupancy(row) <= 1 ? QString::number(least_occupancy(row) * 100, 'f', 0) + " %" : dash();
    case Parent: return parent_text(row);
    case Generator: return qs(d.generator);
  }
  return {};
}

QString CandidateModel::parent_text(const Row& row) const {
  if (row.data.parent.empty()) return dash();
  const auto it = by_hash_.find(qs(row.data.parent));
  if (it == by_hash_.end()) return qs(row.data.parent.substr(0, 10));
  return "#" + QString::number(rows_[static_cast<std::size_t>(*it)].data.id) + " " + name_of(rows_[static_cast<std::size_t>(*it)].data);
}

QVariant CandidateModel::sort_key(const Row& row, int column) const {
  const auto& d = row.data;
  constexpr double last = std::numeric_limits<double>::infinity();
  switch (column) {
    case Rank: return d.rank ? double(*d.rank) : 1e15 + (d.state == "judging" ? 0 : d.state == "queued" ? 1 : 2) * 1e14 + double(d.id);
    case Score: return d.score ? d.score->value : last;
    case Registers: return most_registers(d) >= 0 ? double(most_registers(d)) : last;
    case Shared: return most_shared(row) >= 0 ? double(most_shared(row)) : last;
    case Occupancy: return least_occupancy(row) <= 1 ? -least_occupancy(row) : last;
    default: return text(row, column).toString().toLower();
  }
}

QString CandidateModel::tooltip(const Row& row, int column) const {
  const auto& d = row.data;
  switch (column) {
    case Rank: return d.rank ? tr("%1 of %2 accepted").arg(*d.rank).arg(accepted()) : tr("Only accepted candidates are ranked.");
    case Name: {
      QString tip = name_of(d);
      if (!d.structure.empty()) tip += tr("\nKind of kernel: %1").arg(qs(d.structure));
      return tip + tr("\nCandidate #%1, %2").arg(d.id).arg(qs(d.hash.substr(0, 16)));
    }
    case Verdict: return d.verdict.empty() ? state_title(d.state) : qs(d.verdict);
    case Score:
      if (d.score) return tr("%1 %2 (%3); lower is better").arg(count_text(d.score->value), qs(d.score->unit), qs(d.score->provenance));
      return d.state == "accepted" ? tr("Not measured: the measure stage did not run.") : why_unmeasured(d);
    case Shared: {
      if (!row.annotation) return d.resources.empty() ? why_unmeasured(d) : tr("Being worked out");
      if (row.annotation->kernels.empty()) return tr("Not known: %1").arg(qs(row.annotation->why_not));
      QStringList lines;
      for (const auto& k : row.annotation->kernels) lines += tr("%1: %2 per block of %3 threads").arg(qs(k.kernel), bytes_text(k.shared)).arg(k.block);
      return lines.join("\n") + tr("\n(modelled)");
    }
    case Registers: {
      if (d.resources.empty()) return why_unmeasured(d);
      QStringList lines;
      for (const auto& r : d.resources) {
        lines += tr("%1: %2 registers").arg(qs(r.kernel)).arg(r.registers);
        if (r.spill_loads + r.spill_stores > 0)
          lines.back() += tr(", spills %1 stored and %2 loaded").arg(bytes_text(r.spill_stores), bytes_text(r.spill_loads));
      }
      return lines.join("\n") + tr("\n(modelled by the assembler)");
    }
    case Occupancy: {
      if (!row.annotation) return d.resources.empty() ? why_unmeasured(d) : tr("Being worked out");
      if (row.annotation->kernels.empty()) return tr("Not known: %1").arg(qs(row.annotation->why_not));
      QStringList lines;
      for (const auto& k : row.annotation->kernels)
        lines += tr("%1: %2 %, limited by %3").arg(qs(k.kernel)).arg(k.occupancy * 100, 0, 'f', 0).arg(qs(k.limiter));
      return lines.join("\n") + tr("\n(modelled)");
    }
    case Parent: return d.parent.empty() ? tr("It was not made from another candidate.") : parent_text(row) + "\n" + qs(d.parent);
    case Generator: return qs(d.generator);
  }
  return {};
}

QVariant CandidateModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= static_cast<int>(rows_.size())) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole: return text(row, column);
    case Qt::ToolTipRole: return tooltip(row, column);
    case SortRole: return sort_key(row, column);
    case IdRole: return QVariant::fromValue<qlonglong>(row.data.id);
    case StateRole: return qs(row.data.state);
    case FractionRole: return row.data.state == "judging" ? row.progress.fraction : -1.0;
    case Qt::AccessibleTextRole: return headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() + ": " + text(row, column).toString();
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (column == Rank || (column >= Score && column <= Occupancy) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::FontRole:
      if (row.data.rank && *row.data.rank == 1 && (column == Rank || column == Name)) {
        QFont bold;
        bold.setBold(true);
        return bold;
      }
      return {};
    case Qt::ForegroundRole:
      if (text(row, column).toString() == dash()) return Theme::instance().color("muted");
      return {};
  }
  return {};
}

void CandidateModel::clear() {
  beginResetModel();
  rows_.clear();
  by_id_.clear();
  by_hash_.clear();
  score_unit_.clear();
  score_provenance_.clear();
  endResetModel();
}

void CandidateModel::reset(const std::vector<explore::CandidateRow>& rows) {
  clear();
  std::vector<explore::CandidateRow> copy = rows;
  append(copy);
}

void CandidateModel::append(std::vector<explore::CandidateRow>& fresh) {
  if (fresh.empty()) return;
  const int first = static_cast<int>(rows_.size());
  beginInsertRows({}, first, first + static_cast<int>(fresh.size()) - 1);
  for (auto& row : fresh) {
    by_id_[row.id] = static_cast<int>(rows_.size());
    by_hash_[qs(row.hash)] = static_cast<int>(rows_.size());
    if (row.score && score_unit_.isEmpty()) {
      score_unit_ = qs(row.score->unit);
      score_provenance_ = qs(row.score->provenance);
    }
    rows_.push_back({std::move(row), {}, {}});
  }
  endInsertRows();
  fresh.clear();
}

void CandidateModel::upsert(const explore::CandidateRow& row, std::vector<explore::CandidateRow>& fresh, QSet<int>& changed) {
  if (const int at = row_of(row.id); at >= 0) {
    rows_[static_cast<std::size_t>(at)].data = row;
    changed.insert(at);
  } else {
    for (auto& other : fresh) {
      if (other.id == row.id) {
        other = row;
        return;
      }
    }
    fresh.push_back(row);
  }
}

void CandidateModel::apply(const std::vector<explore::Event>& events) {
  std::vector<explore::CandidateRow> fresh;
  QSet<int> changed;
  const QString provenance = score_provenance_;
  for (const auto& event : events) {
    if (const auto* proposed = std::get_if<explore::CandidateProposed>(&event)) {
      upsert(proposed->row, fresh, changed);
    } else if (const auto* judged = std::get_if<explore::CandidateJudged>(&event)) {
      if (judged->row.score) {
        score_unit_ = qs(judged->row.score->unit);
        score_provenance_ = qs(judged->row.score->provenance);
      }
      upsert(judged->row, fresh, changed);
    } else if (const auto* progress = std::get_if<explore::CandidateProgress>(&event)) {
      append(fresh);
      if (const int at = row_of(progress->candidate); at >= 0) {
        Row& row = rows_[static_cast<std::size_t>(at)];
        if (row.data.state == "queued") row.data.state = "judging";
        row.progress = progress->progress;
        changed.insert(at);
      }
    } else if (const auto* ranks = std::get_if<explore::RanksChanged>(&event)) {
      append(fresh);
      for (const auto& [id, rank] : ranks->ranks) {
        if (const int at = row_of(id); at >= 0) {
          rows_[static_cast<std::size_t>(at)].data.rank = rank;
          changed.insert(at);
        }
      }
    }
  }
  append(fresh);
  if (!changed.isEmpty()) {  // one range: a view repaints what is visible of it
    const auto [low, high] = std::minmax_element(changed.begin(), changed.end());
    emit dataChanged(index(*low, 0), index(*high, ColumnCount - 1));
  }
  if (provenance != score_provenance_) emit headerDataChanged(Qt::Horizontal, Score, Score);
}

void CandidateModel::annotate(const std::vector<Annotation>& annotations) {
  for (const auto& annotation : annotations) {
    const int at = row_of(annotation.candidate);
    if (at < 0) continue;
    rows_[static_cast<std::size_t>(at)].annotation = annotation;
    emit dataChanged(index(at, Shared), index(at, Occupancy));
  }
}

const CandidateModel::Row* CandidateModel::find_hash(const std::string& hash) const {
  const auto it = by_hash_.find(qs(hash));
  return it == by_hash_.end() ? nullptr : &rows_[static_cast<std::size_t>(*it)];
}

int CandidateModel::accepted() const {
  return static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [](const Row& r) { return r.data.state == "accepted"; }));
}

int CandidateModel::judged() const {
  return static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [](const Row& r) { return r.data.state != "queued" && r.data.state != "judging" && r.data.state != "duplicate"; }));
}

int CandidateModel::structures() const {
  QSet<QString> kinds;
  for (const Row& r : rows_)
    if (r.data.state == "accepted") kinds.insert(qs(r.data.structure));
  return static_cast<int>(kinds.size());
}

}  // namespace ww::widgets
