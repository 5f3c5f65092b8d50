// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/diff/number_table.h"
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include "evidence/metric.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

constexpr int full_width = 700;  // from which all columns are shown

QString number_name(const diff::Number& n) {
  QString name = qs(n.name);
  if (evidence::is_hardware_counter(n.name))
    return name;  // a counter by Nsight Compute's name, which users look up unchanged
  if (n.group == "score")
    return n.provenance == Provenance::measured ? NumberTable::tr("Time") : NumberTable::tr("Cost");
  if (n.name == evidence::metric::median_us) return NumberTable::tr("Median time, cold cache");
  if (n.name == evidence::metric::median_warm_us) return NumberTable::tr("Median time, warm cache");
  if (name == "floor_us") return NumberTable::tr("Floor of the case");
  name.replace('_', ' ');
  if (!name.isEmpty() && !name.contains(':')) name[0] = name[0].toUpper();
  return name;
}

QString named_with_unit(const diff::Number& n) {
  return n.unit.empty() ? number_name(n) : number_name(n) + " (" + qs(n.unit) + ")";
}

QString value_text(const diff::Number& n) {
  if (!std::isfinite(n.value)) return dash();
  return count_text(n.value);
}

QString value_tip(const diff::Number& n) {
  if (!std::isfinite(n.value)) return NumberTable::tr("Not known: %1").arg(qs(n.why_not));
  QString tip = value_text(n) + (n.unit.empty() ? QString() : " " + qs(n.unit)) + ", " + enum_text(n.provenance);
  if (!n.where.empty()) tip += "\n" + qs(n.where);
  if (std::isfinite(n.q1) && std::isfinite(n.q3))
    tip += "\n" + NumberTable::tr("quartiles %1 to %2").arg(count_text(n.q1), count_text(n.q3));
  return tip;
}

QString signed_text(double value) { return (value > 0 ? "+" : "") + count_text(value).replace('-', QChar(0x2212)); }

QString noise_text(diff::Noise noise) {
  switch (noise) {
    case diff::Noise::exact: return NumberTable::tr("exact");
    case diff::Noise::within: return NumberTable::tr("within noise");
    case diff::Noise::beyond: return NumberTable::tr("beyond noise");
    case diff::Noise::unknown: return NumberTable::tr("spread not known");
    case diff::Noise::not_comparable: return NumberTable::tr("not comparable");
  }
  return {};
}

QString source_text(const diff::NumberRow& row) {
  const QString l = row.left.provenance == Provenance::unknown ? dash() : enum_text(row.left.provenance),
                r = row.right.provenance == Provenance::unknown ? dash() : enum_text(row.right.provenance);
  return l == r ? l : l + " | " + r;
}

QString csv_field(QString text) {
  text.replace(QChar(0x202f), QString()).replace(QChar(0x2212), "-");
  return text.contains(',') || text.contains('"') || text.contains('\n') ? "\"" + text.replace("\"", "\"\"") + "\""
                                                                         : text;
}

}  // namespace

void NumberModel::set_rows(std::vector<diff::NumberRow> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

QVariant NumberModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((section >= Left && section <= Percent ? Qt::AlignRight : Qt::AlignLeft) |
                            Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && section == Noise)
    return tr(
        "Exact: counted or computed, so any difference is real. Within noise: smaller than the spread of the "
        "measurements.");
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("Number"), tr("Left"), tr("Right"), tr("Change"), tr("%"), tr("Noise"), tr("Source")};
  return section < ColumnCount ? titles[section] : QString();
}

QVariant NumberModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const diff::NumberRow& row = rows_[static_cast<std::size_t>(index.row())];
  const int better = row.verdict();
  switch (role) {
    case Qt::DisplayRole:
      switch (index.column()) {
        case Name: return named_with_unit(row.left);
        case Left: return value_text(row.left);
        case Right: return value_text(row.right);
        case Change:
          return std::isfinite(row.change) ? (better > 0   ? QStringLiteral("\u2713 ")
                                              : better < 0 ? QStringLiteral("\u2717 ")
                                                           : QString()) +
                                                 signed_text(row.change)
                                           : dash();
        case Percent: return std::isfinite(row.percent) ? signed_text(std::round(row.percent * 10) / 10) : dash();
        case Noise: return noise_text(row.noise);
        default: return source_text(row);
      }
    case Qt::TextAlignmentRole:
      return static_cast<int>((index.column() >= Left && index.column() <= Percent ? Qt::AlignRight : Qt::AlignLeft) |
                              Qt::AlignVCenter);
    case Qt::ForegroundRole:
      if ((index.column() == Change || index.column() == Percent) && better != 0)
        return Theme::instance().color(better > 0 ? "accepted" : "rejected");
      if (!row.changed() || index.column() == Source) return Theme::instance().color("muted");
      return {};
    case Qt::ToolTipRole:
      if (index.column() == Left) return value_tip(row.left);
      if (index.column() == Right) return value_tip(row.right);
      if (index.column() == Name) return named_with_unit(row.left);
      if (index.column() == Source) return tr("Left: %1\nRight: %2").arg(value_tip(row.left), value_tip(row.right));
      return qs(row.why) + (better > 0   ? tr("\nBetter on the right")
                            : better < 0 ? tr("\nWorse on the right")
                                         : QString());
    case Qt::AccessibleTextRole: return QVariant();
    case SortRole:
      switch (index.column()) {
        case Name: return index.row();  // by group, as the engine gives them
        case Left: return row.left.value;
        case Right: return row.right.value;
        case Change: return std::isfinite(row.change) ? std::abs(row.change) : -1;
        case Percent: return std::isfinite(row.percent) ? std::abs(row.percent) : -1;
        case Noise: return static_cast<int>(row.noise);
        default: return source_text(row);
      }
    case ChangedRole: return row.changed();
    case WordsRole:
      return QString(number_name(row.left) + " " + qs(row.left.name) + " " + qs(row.left.group) + " " +
                     source_text(row) + " " + noise_text(row.noise));
    default: return {};
  }
}

class NumberFilter : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void set(const QString& words, bool changed) {
    words_ = words.split(' ', Qt::SkipEmptyParts);
    changed_ = changed;
    invalidateFilter();
  }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    if (changed_ && !index.data(NumberModel::ChangedRole).toBool()) return false;
    const QString text = words_.isEmpty() ? QString() : index.data(NumberModel::WordsRole).toString();
    return std::all_of(words_.begin(), words_.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
  }
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override {
    const QVariant a = left.data(NumberModel::SortRole), b = right.data(NumberModel::SortRole);
    if (a.typeId() == QMetaType::QString) return a.toString() < b.toString();
    const double x = a.toDouble(), y = b.toDouble();
    if (std::isnan(x) || std::isnan(y)) return std::isnan(y) && !std::isnan(x);  // missing values come last
    return x < y;
  }

 private:
  QStringList words_;
  bool changed_ = false;
};

NumberTable::NumberTable(QWidget* parent)
    : QWidget(parent), model_(new NumberModel(this)), filter_(new NumberFilter(this)) {
  auto* column = make_column(this, {0, grid::half, 0, 0}, grid::half);
  auto* bar = make_row(column, {grid::step, 0, grid::step, 0});
  words_ = make_search(this, "number_words", tr("Filter"), tr("Filter numbers by words"),
                       tr("Words in the name, its group or its source"));
  words_->setMinimumWidth(60);
  changed_ = with_id(new QCheckBox(tr("Changed"), this), "number_changed");
  name_it(changed_, tr("Only numbers that changed"), tr("Hide numbers that are equal on both sides"));
  counts_ = make_label(this, {}, "muted");
  auto* copy = make_tool(this, "number_csv", tr("CSV"), tr("Copy the numbers as CSV"),
                         tr("Copy the visible rows as comma-separated values"));
  connect(copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(csv()); });
  bar->addWidget(words_, 1);
  bar->addWidget(changed_);
  bar->addWidget(counts_);
  bar->addWidget(copy);
  filter_->setSourceModel(model_);
  table_ =
      make_records(this, "number_diff", filter_, tr("Numbers of the two candidates"), {176, 88, 88, 100, 56, 112, 92});
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setSortingEnabled(true);
  table_->sortByColumn(NumberModel::Name, Qt::AscendingOrder);
  table_->setShowGrid(false);
  table_->setTextElideMode(Qt::ElideRight);
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  column->addWidget(table_, 1);
  const auto refilter = [this] {
    filter_->set(words_->text(), changed_->isChecked());
    count();
  };
  connect(words_, &QLineEdit::textChanged, this, refilter);
  connect(changed_, &QCheckBox::toggled, this, refilter);
}

void NumberTable::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  lay_out();
}

// Numbers are never cut off: part of one reads as another. What has no room is in the tooltips; the name takes what the
// others leave.
void NumberTable::lay_out() {
  const int room = table_->viewport()->width();
  table_->setColumnHidden(NumberModel::Source, room < full_width);
  table_->setColumnHidden(NumberModel::Noise, room < full_width - table_->columnWidth(NumberModel::Source) - 40);
  int others = 0;
  for (int column = NumberModel::Left; column < NumberModel::ColumnCount; ++column)
    if (!table_->isColumnHidden(column)) others += table_->columnWidth(column);
  table_->setColumnWidth(NumberModel::Name, std::max(120, room - others));
}

void NumberTable::set_rows(std::vector<diff::NumberRow> rows) {
  model_->set_rows(std::move(rows));
  for (const int column : {NumberModel::Left, NumberModel::Right, NumberModel::Change, NumberModel::Percent})
    table_->resizeColumnToContents(column);
  lay_out();
  count();
}

void NumberTable::count() { counts_->setText(tr("%1 of %2").arg(filter_->rowCount()).arg(model_->rowCount())); }

QString NumberTable::csv() const {
  QString text =
      "number,group,unit,left,right,change,percent,noise,why,left source,right source,left place,right place\n";
  const auto value = [](double v) { return std::isfinite(v) ? QString::number(v, 'g', 12) : QString(); };
  for (int i = 0; i < filter_->rowCount(); ++i) {
    const diff::NumberRow& r =
        model_->rows()[static_cast<std::size_t>(filter_->mapToSource(filter_->index(i, 0)).row())];
    const QStringList fields = {
        qs(r.left.name),
        qs(r.left.group),
        qs(r.left.unit),
        value(r.left.value),
        value(r.right.value),
        value(r.change),
        value(r.percent),
        noise_text(r.noise),
        qs(r.why),
        std::isfinite(r.left.value) ? enum_text(r.left.provenance) : tr("not known: %1").arg(qs(r.left.why_not)),
        std::isfinite(r.right.value) ? enum_text(r.right.provenance) : tr("not known: %1").arg(qs(r.right.why_not)),
        qs(r.left.where),
        qs(r.right.where)};
    for (int f = 0; f < fields.size(); ++f) text += (f ? "," : "") + csv_field(fields[f]);
    text += '\n';
  }
  return text;
}

}  // namespace ww::widgets
