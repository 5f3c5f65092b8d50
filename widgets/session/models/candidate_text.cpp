// SPDX-License-Identifier: GPL-3.0-or-later
// The table's texts on a candidate: values, reasons, sort keys.
#include <QColor>
#include <QFont>
#include <algorithm>
#include <cmath>
#include "identity/titles.h"
#include "session/models/candidate_model.h"
#include "session/selection.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"
#include "session/metric_texts.h"

namespace ww::widgets {

namespace {

QString why_unmeasured(const explore::CandidateRow& row) {
  if (row.state == store::CandidateState::queued) return CandidateModel::tr("Not judged yet.");
  if (row.state == store::CandidateState::judging)
    return CandidateModel::tr("Not known yet: the candidate is being judged.");
  return CandidateModel::tr("Not known: %1").arg(qs(row.verdict));
}

bool aligned_right(int column) {
  return column == CandidateModel::Rank || column == CandidateModel::Number ||
         (column >= CandidateModel::Score && column <= CandidateModel::Occupancy) || column == CandidateModel::Timed;
}

}  // namespace

std::string_view CandidateModel::name_text(const explore::CandidateRow& row) {
  if (!row.title.empty()) return row.title;
  if (!row.structure.empty()) return row.structure;
  return std::string_view(row.hash).substr(0, 10);
}

QString CandidateModel::name_of(const explore::CandidateRow& row) { return qs(std::string(name_text(row))); }

QString CandidateModel::short_name(const explore::CandidateRow& row) {
  if (!row.structure.empty()) return qs(row.structure);
  const QString words = title_words(row);
  return words.isEmpty() ? name_of(row) : words;
}

QString CandidateModel::name_in_run(const explore::CandidateRow& row) const {
  const QString name = short_name(row);
  const Row* parent = row.parent.empty() ? nullptr : find_hash(row.parent);
  const bool alike = parent && short_name(parent->data) == name && tuning_of(parent->data) == tuning_of(row);
  return alike ? tr("%1, from #%2").arg(name).arg(parent->data.id) : name;
}

QString CandidateModel::tuning_of(const explore::CandidateRow& row) { return qs(identity::tuning_text(row.tuning)); }

QString CandidateModel::title_words(const explore::CandidateRow& row) {
  QString words = qs(row.title);
  if (const QString tuning = tuning_of(row); !tuning.isEmpty()) {
    if (words == tuning) return {};
    if (const QString behind = " (" + tuning + ")"; words.endsWith(behind)) words.chop(behind.size());
  }
  return words;
}

double CandidateModel::registers(const Row& row) const {
  double most = NAN;
  for (const auto& r : row.data.resources) most = std::fmax(most, r.registers);
  return most;
}

double CandidateModel::spilled(const Row& row) const {
  if (row.data.resources.empty()) return NAN;
  double bytes = 0;
  for (const auto& r : row.data.resources) bytes += static_cast<double>(r.spill_loads + r.spill_stores);
  return bytes;
}

double CandidateModel::shared_bytes(const Row& row) const {  // not known before the plan has been worked out
  double most = NAN;
  if (row.annotation)
    for (const auto& k : row.annotation->kernels) most = std::fmax(most, static_cast<double>(k.shared));
  return most;
}

double CandidateModel::occupancy(const Row& row) const {
  double least = NAN;
  if (row.annotation)
    for (const auto& k : row.annotation->kernels) least = std::fmin(least, k.occupancy);
  return least;
}

double CandidateModel::timed(const Row& row) const {
  return row.annotation && row.annotation->time.count > 0 ? row.annotation->time.median : NAN;
}

double CandidateModel::cost_ratio(const Row& row) const {
  const auto& d = row.data;
  return d.rank && d.score && best_score_ > 0 && d.score->value > 0 ? std::max(1.0, d.score->value / best_score_) : NAN;
}

double CandidateModel::cost_ratio(std::int64_t id) const {
  const int row = row_of(id);
  return row >= 0 ? cost_ratio(rows_[static_cast<std::size_t>(row)]) : NAN;
}

double CandidateModel::spread(const Row& row) const {
  const auto& score = row.data.score;
  if (!score || score->provenance != Provenance::measured || !(score->value > 0)) return NAN;
  return (score->q3 - score->q1) / score->value;
}

QVariant CandidateModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (aligned_right(section) ? Qt::AlignRight : Qt::AlignLeft));
  if (role == Qt::DisplayRole) {
    switch (section) {
      case Rank: return tr("Rank");
      case Name: return tr("Candidate");
      case Verdict: return tr("Proved");
      case Signed: return tr("Signed");
      case Score:
        if (score_provenance_ == Provenance::measured) return tr("Time (%1)").arg(score_unit_);
        return score_provenance_ == Provenance::unknown ? tr("Cost")
                                                        : tr("Cost (%1)").arg(enum_text(score_provenance_));
      case Registers: return tr("Registers");
      case Shared: return tr("Shared");
      case Occupancy: return tr("Occupancy");
      case Parent: return tr("Parent");
      case Generator: return tr("Generator");
      case Number: return tr("Number");
      case Proposed: return tr("Proposed");
      case Spread: return tr("Spread");
      case Marked: return tr("Marks");
      case Tags: return tr("Tags");
      case Note: return tr("Note");
      case Compared: return tr("Compare");
      case Timed: return tr("Measured (µs)");
    }
  }
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case Rank: return tr("1 is the best among this run's proved candidates");
      case Name: return tr("Title, or the kind of kernel");
      case Verdict:
        return tr(
            "The gate's verdict: at how many of its cases each candidate is proved. The gate adds cases for the "
            "numbers that a kernel's own code compares sizes with, so they differ in how many they have");
      case Signed: return tr("Whether a person has signed it, in the workspace Review");
      case Score:
        return score_unit_.isEmpty() ? tr("Lower is better; only proved candidates have a cost")
                                     : tr("%1, %2; lower is better").arg(score_unit_, enum_text(score_provenance_));
      case Registers:
        return tr("Registers per thread, maximum over its kernels; modelled by the assembler for the architecture");
      case Shared: return tr("Shared memory per block, static and dynamic, maximum over its kernels; modelled");
      case Occupancy: return tr("Theoretical occupancy, minimum over its kernels; modelled");
      case Parent: return tr("The candidate it was derived from");
      case Generator: return tr("Who proposed it");
      case Number: return tr("Its number in the workspace; in a run they follow the order of proposal");
      case Proposed: return tr("When it was proposed, local time");
      case Spread:
        return tr(
            "Of a measured time: from the first quartile to the third, in percent of the median, with a mark at the "
            "median; simulated costs are counts and have none");
      case Marked: return tr("Pin, note, trash, and the baseline of comparisons");
      case Tags: return tr("Your own labels; key T");
      case Note: return tr("What you wrote about it");
      case Compared: return tr("In the comparison, by this letter and line in all panels; Space adds or removes it");
      case Timed: return tr("Median of its newest times measured outside the run, cold cache");
    }
  }
  return {};
}

QString CandidateModel::verdict_of(const explore::CandidateRow& d) {
  using enum store::CandidateState;
  const bool smaller = d.proved_at == evidence::ProvedAt::smaller_shapes;
  if (d.imported)
    return tr("Imported: %1").arg(smaller ? tr("%1, smaller").arg(state_word(d.state)) : state_word(d.state));
  if (smaller) return tr("Proved, smaller");
  if (d.partial()) return tr("Proved, %1 of %2 cases").arg(d.cases->proved).arg(d.cases->all);
  if (d.state == rejected && d.failed_stage) return tr("Rejected: %1").arg(enum_text(*d.failed_stage));
  if (d.verdict.empty() || (d.state != rejected && d.state != not_judged)) return state_title(d.state);
  return capitalised(d.verdict);  // "rejected at smoke: …" begins with the state's word
}

QString CandidateModel::judgement_of(const explore::CandidateRow& d) {
  if (d.state != store::CandidateState::accepted)
    return d.verdict.empty() ? state_title(d.state) : capitalised(d.verdict);
  return d.score ? tr("%1, %2").arg(verdict_of(d), score_text(*d.score)) : verdict_of(d);
}

QString CandidateModel::text(const Row& row, int column) const {
  const auto& d = row.data;
  switch (column) {
    case Rank: return d.rank ? QString::number(*d.rank) : dash();
    case Name: return name_of(d);
    case Verdict:
      if (d.state == store::CandidateState::judging)
        if (const auto progress = progress_.constFind(d.id); progress != progress_.end() && !progress->message.empty())
          return capitalised(progress->message);  // its icon says that it is being judged
      if (d.state == store::CandidateState::accepted && d.cases && !d.imported &&
          d.proved_at != evidence::ProvedAt::smaller_shapes)
        return tr("%1 of %2 cases").arg(d.cases->proved).arg(d.cases->all);  // the column's title says the rest
      if (d.state == store::CandidateState::queued && !d.imported) return state_title(state_of(d));
      return verdict_of(d);
    case Score:
      if (!d.score) return dash();
      // The header says what most of them are; another one says so itself.
      return d.score->provenance == score_provenance_
                 ? count_text(d.score->value)
                 : count_text(d.score->value) + " " + enum_text(d.score->provenance);
    case Registers: return std::isnan(registers(row)) ? dash() : QString::number(registers(row));
    case Shared:
      return std::isnan(shared_bytes(row)) ? dash() : bytes_text(static_cast<std::int64_t>(shared_bytes(row)));
    case Occupancy: return percent_text(occupancy(row));
    case Parent: return parent_text(row);
    case Generator: return qs(d.generator);
    case Number: return "#" + QString::number(d.id);
    case Proposed: return d.created.empty() ? dash() : when_text(d.created);
    case Spread: return std::isnan(spread(row)) ? dash() : QString::number(spread(row) * 100, 'g', 2) + " %";
    case Timed: return std::isnan(timed(row)) ? dash() : count_text(timed(row));
    case Marked: return marks_text(d.id);
    case Signed: return signed_text(d.id);
    case Tags: return any_marks() ? harmless(marks(d.id).tags.join(", ")) : QString();
    case Note: return any_marks() ? harmless(marks(d.id).note.simplified()) : QString();
    case Compared:
      if (const int at = series(d.id); at >= 0) return Selection::letter(at);
      return {};
  }
  return {};
}

QString CandidateModel::marks_text(std::int64_t id) const {
  QStringList words;
  if (any_marks()) {
    const CandidateMarks m = marks(id);
    if (m.pinned) words += tr("pinned");
    if (!m.note.isEmpty()) words += tr("note");
    if (m.trashed) words += tr("in trash");
  }
  if (id != 0 && id == baseline_) words += tr("baseline");
  return words.join(", ");
}

QString CandidateModel::signed_text(std::int64_t id) const {
  using review::ReviewState;
  switch (review_state(id)) {
    case ReviewState::open: return {};
    case ReviewState::changes_requested: return tr("Changes wanted");
    case ReviewState::rejected: return tr("Refused");
    case ReviewState::accepted: return tr("Signed");
    case ReviewState::countersigned: return tr("Countersigned");
  }
  return {};
}

QString CandidateModel::parent_text(const Row& row) const {
  if (row.data.parent.empty()) return dash();
  const Row* parent = find_hash(row.data.parent);
  return parent ? "#" + QString::number(parent->data.id) + " " + name_of(parent->data) : tr("not in this run");
}

bool CandidateModel::sorts_by_number(int column) {
  switch (column) {
    case Name:
    case Verdict:
    case Generator:
    case Proposed:
    case Tags:
    case Signed:
    case Note: return false;
    default: return true;
  }
}

double CandidateModel::sort_number(const Row& row, int column) const {
  const auto& d = row.data;
  const auto known = [](double value) { return std::isnan(value) ? missing_number : value; };
  switch (column) {
    case Rank:
      return d.rank ? *d.rank
                    : missing_number * (d.state == store::CandidateState::judging  ? 1
                                        : d.state == store::CandidateState::queued ? 2
                                                                                   : 3);
    case Score: return d.score ? d.score->value : missing_number;
    case Registers: return known(registers(row));
    case Shared: return known(shared_bytes(row));
    case Occupancy: return known(-occupancy(row));  // the highest first
    case Spread: return known(spread(row));
    case Timed: return known(timed(row));
    case Parent: {
      if (d.parent.empty()) return missing_number;
      const Row* parent = find_hash(d.parent);
      return parent ? static_cast<double>(parent->data.id) : missing_number / 2;
    }
    case Marked: {
      const CandidateMarks m = any_marks() ? marks(d.id) : CandidateMarks();
      return m.pinned ? 0 : d.id == baseline_ ? 1 : !m.note.isEmpty() ? 2 : m.trashed ? 3 : missing_number;
    }
    case Compared: return series(d.id) >= 0 ? series(d.id) : missing_number;
    default: return static_cast<double>(d.id);
  }
}

std::string CandidateModel::sort_text(const Row& row, int column) const {
  const auto& d = row.data;
  std::string key;
  switch (column) {
    case Verdict:
      key = d.verdict.empty() || d.state == store::CandidateState::accepted ||
                    d.state == store::CandidateState::queued || d.state == store::CandidateState::judging ||
                    d.state == store::CandidateState::duplicate
                ? enum_string(d.state)
                : d.verdict;
      break;
    case Generator: key = d.generator; break;
    case Proposed: return d.created;
    case Tags:
    case Signed:
    case Note: key = text(row, column).toLower().toStdString(); break;
    default: key = name_text(d);
  }
  for (char& c : key)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return key;
}

QVariant CandidateModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= static_cast<int>(rows_.size())) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole: return text(row, column);
    case Qt::ToolTipRole: return tooltip(row, column);
    case IdRole: return QVariant::fromValue<qlonglong>(row.data.id);
    case StateRole: return static_cast<int>(state_of(row.data));
    case FractionRole:
      return row.data.state == store::CandidateState::judging ? progress_.value(row.data.id).fraction : -1.0;
    case ShortNameRole: return name_in_run(row.data);
    case TuningRole: return tuning_of(row.data);
    case ImportedRole: return row.data.imported;
    case PartialRole: return row.data.partial() || row.data.proved_at == evidence::ProvedAt::smaller_shapes;
    case CostRatioRole: return std::isnan(cost_ratio(row)) ? QVariant() : QVariant(cost_ratio(row));
    case SeriesRole: return series(row.data.id);
    case Qt::CheckStateRole:
      if (column == Compared) return series(row.data.id) >= 0 ? Qt::Checked : Qt::Unchecked;
      return {};
    case QuartilesRole:
      if (std::isnan(spread(row))) return {};
      return QList<QVariant>{row.data.score->q1 / row.data.score->value, row.data.score->q3 / row.data.score->value};
    case MarkIconsRole: {
      QStringList icons;
      const CandidateMarks m = any_marks() ? marks(row.data.id) : CandidateMarks();
      if (m.pinned) icons += "pin";
      if (baseline_ != 0 && row.data.id == baseline_) icons += "baseline";
      if (!m.note.isEmpty()) icons += "note";
      if (m.trashed) icons += "trash";
      return icons;
    }
    case Qt::AccessibleTextRole: {
      const QString said = text(row, column);
      return headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() + ": " +
             (said.isEmpty() ? tr("none") : said);
    }
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (aligned_right(column) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::FontRole: {
      const bool best = row.data.rank && *row.data.rank == 1 && (column == Rank || column == Name);
      const bool trashed = column == Name && row.trashed;
      const bool number = aligned_right(column);
      if (!best && !trashed && !number) return {};
      QFont font = number ? figures_font({}) : QFont();
      font.setBold(best);
      font.setStrikeOut(trashed);
      return font;
    }
    case Qt::ForegroundRole:
      if (text(row, column) == dash()) return Theme::instance().color("muted");
      return {};
  }
  return {};
}

QString CandidateModel::unscored(const Row& row) const {
  return row.data.state == store::CandidateState::accepted ? tr("Not measured: the measure stage did not run.")
                                                           : why_unmeasured(row.data);
}

QString CandidateModel::score_tooltip(const Row& row) const {
  const auto& d = row.data;
  if (!d.score) return unscored(row);
  QString cost = tr("%1; lower is better").arg(score_text(*d.score));
  if (d.proved_at == evidence::ProvedAt::smaller_shapes)
    cost += tr("\nOf smaller shapes only: the requested one is too large for the device");
  const double ratio = cost_ratio(row);
  return std::isnan(ratio) ? cost : cost + tr("\n%1 \u00d7 the best cost").arg(ratio, 0, 'f', 2);
}

QString CandidateModel::spread_tooltip(const Row& row) const {
  const auto& d = row.data;
  if (!d.score) return unscored(row);
  if (!std::isnan(spread(row)))
    return tr("Half of its samples lie between %1 and %2 %3; the median is %4 (measured)")
        .arg(number_text(d.score->q1), number_text(d.score->q3), qs(d.score->unit), number_text(d.score->value));
  return d.score->provenance == Provenance::measured
             ? tr("Not measured: the quartiles of this time are not in the workspace.")
             : tr("A simulated cost is a count and has no spread.");
}

namespace {

QString verdict_tooltip(const explore::CandidateRow& d) {
  QString said = d.verdict.empty() || d.state == store::CandidateState::accepted ? state_title(d.state) : qs(d.verdict);
  if (d.partial())
    said +=
        CandidateModel::tr(
            "\nProved at %1 of its %2 cases. The others are unknown: its \"require\" lines exclude them, or the device "
            "could not run them.")
            .arg(d.cases->proved)
            .arg(d.cases->all);
  if (d.imported) said = CandidateModel::tr("Imported, not judged here: %1").arg(said);
  if (d.proved_at == evidence::ProvedAt::smaller_shapes)
    said += CandidateModel::tr(
        "\nProved at smaller shapes only: the default case is too large for the device. Its cost is for a smaller "
        "one.");
  return said;
}

QString registers_tooltip(const explore::CandidateRow& d) {
  if (d.resources.empty()) return why_unmeasured(d);
  QStringList lines;
  for (const auto& r : d.resources) {
    lines += CandidateModel::tr("%1: %2 registers").arg(qs(r.kernel)).arg(r.registers);
    if (r.spill_loads + r.spill_stores > 0)
      lines.back() += CandidateModel::tr(", spills %1 stored and %2 loaded")
                          .arg(bytes_text(r.spill_stores), bytes_text(r.spill_loads));
  }
  return lines.join("\n") + CandidateModel::tr("\n(modelled by the assembler)");
}

}  // namespace

QString CandidateModel::tooltip(const Row& row, int column) const {
  const auto& d = row.data;
  const auto by_kernel = [&](auto line) {
    if (!row.annotation) return d.resources.empty() ? why_unmeasured(d) : tr("Being computed");
    if (row.annotation->kernels.empty()) return tr("Not known: %1").arg(qs(row.annotation->why_not));
    QStringList lines;
    for (const auto& k : row.annotation->kernels) lines += line(k);
    return lines.join("\n") + tr("\n(modelled)");
  };
  switch (column) {
    case Rank:
      if (d.rank && d.imported)
        return tr("Imported, not judged here: it was #%1 in its original workspace").arg(*d.rank);
      return d.rank ? tr("%1 of %2 proved").arg(*d.rank).arg(accepted()) : tr("Only proved candidates are ranked.");
    case Name: {
      QString tip = name_of(d);
      if (!d.structure.empty()) tip += tr("\nKind of kernel: %1").arg(qs(d.structure));
      return tip + tr("\nCandidate #%1, %2").arg(d.id).arg(qs(d.hash.substr(0, 16)));
    }
    case Verdict:
      if (d.state == store::CandidateState::queued)
        return live_ ? tr("It waits for a worker.") : tr("The run ended before its turn. Resume judges it.");
      return verdict_tooltip(d);
    case Score: return score_tooltip(row);
    case Shared:
      return by_kernel([](const auto& k) {
        return tr("%1: %2 per block of %3 threads").arg(qs(k.kernel), bytes_text(k.shared)).arg(k.block);
      });
    case Registers: return registers_tooltip(d);
    case Occupancy:
      return by_kernel([](const auto& k) {
        return tr("%1: %2 %, limited by %3").arg(qs(k.kernel)).arg(k.occupancy * 100, 0, 'f', 0).arg(qs(k.limiter));
      });
    case Parent:
      return d.parent.empty() ? tr("It was not derived from another candidate.")
                              : parent_text(row) + "\n" + qs(d.parent);
    case Generator: return qs(d.generator);
    case Number: return tr("Candidate #%1 of the workspace").arg(d.id);
    case Proposed: return d.created.empty() ? tr("The workspace does not record when.") : when_text(d.created);
    case Spread: return spread_tooltip(row);
    case Timed:
      if (std::isnan(timed(row))) return tr("Not measured outside the run.");
      return tr("Half of %1 samples lie between %2 and %3 µs (measured by %4)")
          .arg(row.annotation->time.count)
          .arg(number_text(row.annotation->time.q1), number_text(row.annotation->time.q3),
               qs(row.annotation->timed_by));
    case Marked: {
      const QString said = marks_text(d.id);
      return said.isEmpty() ? tr("No marks. P pins it, Delete moves it to the trash.") : said;
    }
    case Tags: return marks(d.id).tags.isEmpty() ? tr("No tags. Press T to add some.") : marks(d.id).tags.join(", ");
    case Note: return marks(d.id).note.isEmpty() ? tr("No note. Press N to write one.") : marks(d.id).note;
    case Compared:
      return series(d.id) >= 0 ? tr("Compared, by the letter %1").arg(Selection::letter(series(d.id)))
                               : tr("Not compared. Space or a click adds it to the comparison.");
  }
  return {};
}

}  // namespace ww::widgets
