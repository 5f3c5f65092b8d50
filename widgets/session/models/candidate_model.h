// SPDX-License-Identifier: GPL-3.0-or-later
// The candidates of one run as a table, up to several hundred thousand. Fed by events; rows stay in order of arrival,
// the filter model sorts.
#pragma once
#include <QAbstractTableModel>
#include <QHash>
#include <QSet>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>
#include "session/models/candidate_marks.h"
#include "review/decision.h"
#include "session/session.h"

namespace ww::widgets {

class CandidateModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    Rank,
    Name,
    Verdict,
    Score,
    Registers,
    Shared,
    Occupancy,
    Parent,
    Generator,
    Number,
    Proposed,
    Spread,
    Marked,
    Tags,
    Note,
    Compared,
    Timed,
    Signed,
    ColumnCount
  };
  enum Role {
    IdRole = Qt::UserRole + 1,
    StateRole,
    FractionRole,
    SeriesRole,
    QuartilesRole,
    MarkIconsRole,
    ShortNameRole,
    TuningRole,
    ImportedRole,
    PartialRole,  // proved at some of its cases only
    CostRatioRole
  };
  // Dragged candidates: their numbers, as text, one per line.
  static constexpr const char* mime_type = "application/x-warpwright-candidate";
  struct Row {
    explore::CandidateRow data;            // its rank is that among the candidates which are not in the trash
    std::optional<Annotation> annotation;  // without the occupancies by block size
    std::optional<int> run_rank;           // as the run ranks it, the trash included
    bool trashed = false;
  };

  explicit CandidateModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QStringList mimeTypes() const override { return {mime_type}; }
  bool setData(const QModelIndex& index, const QVariant& value,
               int role) override;  // only the check mark of Compared: emits compare_wanted
  QMimeData* mimeData(const QModelIndexList& indexes) const override;
  Qt::DropActions supportedDragActions() const override { return Qt::CopyAction | Qt::LinkAction; }
  Qt::DropActions supportedDropActions() const override { return Qt::CopyAction | Qt::LinkAction; }
  bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                       const QModelIndex& parent) const override;
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

  void clear();
  void reset(const std::vector<explore::CandidateRow>& rows);
  void apply(const std::vector<explore::Event>& events);
  void annotate(const std::vector<Annotation>& annotations);
  void set_marks(const QHash<std::int64_t, CandidateMarks>& marks, bool all);  // all: drops all other marks
  void set_signed(const QHash<std::int64_t, review::ReviewState>& states);  // of all candidates that were reviewed here
  void set_selection(std::int64_t baseline, const QList<std::int64_t>& places);  // Selection::places()

  const std::vector<Row>& rows() const { return rows_; }
  int row_of(std::int64_t id) const;  // -1: not in the table
  const Row* find_hash(const std::string& hash) const;
  int accepted() const { return accepted_; }  // judged here, like the next two
  int smaller() const { return smaller_; }    // of the accepted: at smaller shapes only
  int imported() const { return imported_; }  // with a verdict from another machine: in none of the other counts
  int judged() const { return judged_; }      // without duplicates, whose verdict is another's
  int structures() const { return static_cast<int>(structures_.size()); }  // distinct ones among the accepted
  CandidateMarks marks(std::int64_t id) const { return marks_.value(id); }
  review::ReviewState review_state(std::int64_t id) const { return signed_.value(id, review::ReviewState::open); }
  bool any_signed() const;
  bool any_marks() const { return !marks_.isEmpty(); }
  std::int64_t baseline() const { return baseline_; }
  // Whether a run or an edit is judging them: what waits otherwise was not judged, and a resumed run judges it.
  void set_live(bool live);
  store::CandidateState state_of(const explore::CandidateRow& row) const {
    return row.state == store::CandidateState::queued && !live_ ? store::CandidateState::not_judged : row.state;
  }
  Provenance score_provenance() const { return score_provenance_; }                                   // of most of them
  int series(std::int64_t id) const { return id == 0 ? -1 : static_cast<int>(places_.indexOf(id)); }  // -1: none
  static QString name_of(const explore::CandidateRow& row);
  static QString title_words(const explore::CandidateRow& row);   // its title without the tuning; empty: it has none
  static QString verdict_of(const explore::CandidateRow& row);    // "Proved, smaller": short, with its limits
  static QString judgement_of(const explore::CandidateRow& row);  // the same at length: its cost, or why not
  static QString short_name(const explore::CandidateRow& row);    // without its tuning
  // its title, if its parent in this run has the same name
  QString name_in_run(const explore::CandidateRow& row) const;
  static QString tuning_of(const explore::CandidateRow& row);
  static std::string_view name_text(const explore::CandidateRow& row);

  // NaN: unknown (a tooltip gives the reason).
  double registers(const Row& row) const;  // the maximum over its kernels
  double spilled(const Row& row) const;    // bytes, stored and loaded
  double shared_bytes(const Row& row) const;
  double occupancy(const Row& row) const;    // the minimum over its kernels, 0 to 1
  double timed(const Row& row) const;        // microseconds, measured outside the run
  double cost_ratio(std::int64_t id) const;  // the same; NAN also if it is not in the table
  double cost_ratio(const Row& row) const;   // its cost / the best one, 1 or more; NAN without a rank
  double spread(const Row& row) const;       // of a measured time: between the quartiles, relative to the median

  // What changed of rows: ranks: also those of all other rows; marks: what the person says of them.
  enum class Change { facts, ranks, marks };

  // The sort key of the column: a number or a text. Missing ones (missing_number and above; the empty text) come last
  // in either direction.
  static constexpr double missing_number = 1e300;
  static bool sorts_by_number(int column);
  double sort_number(const Row& row, int column) const;
  std::string sort_text(const Row& row, int column) const;

 signals:
  void rows_changed(const std::vector<int>& rows, ww::widgets::CandidateModel::Change change);
  void dropped(std::int64_t candidate, std::int64_t onto);
  void compare_wanted(std::int64_t candidate, bool on);

 private:
  void upsert(const explore::CandidateRow& row, std::vector<explore::CandidateRow>& fresh, QSet<int>& changed);
  void append(std::vector<explore::CandidateRow>& fresh);
  void count(const explore::CandidateRow& row, int sign);
  void rank_without_trash();
  void report(const QSet<int>& changed, Change change, int first_column, int last_column);
  QString text(const Row& row, int column) const;
  QString tooltip(const Row& row, int column) const;
  QString unscored(const Row& row) const;
  QString score_tooltip(const Row& row) const;
  QString spread_tooltip(const Row& row) const;
  QString parent_text(const Row& row) const;
  QString marks_text(std::int64_t id) const;
  QString signed_text(std::int64_t id) const;
  std::vector<Row> rows_;
  QHash<std::int64_t, int> by_id_;                     // of those whose position does not follow from their number
  std::unordered_multimap<std::size_t, int> by_hash_;  // by std::hash of it
  QHash<std::int64_t, rpc::Progress> progress_;        // of those being judged
  QHash<std::int64_t, CandidateMarks> marks_;
  QHash<std::int64_t, review::ReviewState> signed_;
  QList<std::int64_t> places_;  // of the comparison
  std::int64_t baseline_ = 0;
  int accepted_ = 0, smaller_ = 0, judged_ = 0, imported_ = 0, in_trash_ = 0;
  std::map<std::string, int, std::less<>> structures_;
  double best_score_ = 0;  // that of rank 1; 0: none yet
  QString score_unit_;
  Provenance score_provenance_ = Provenance::unknown;
  bool live_ = true;
};

}  // namespace ww::widgets
