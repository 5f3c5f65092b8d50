// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lineage/lineage_model.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

void LineageModel::set_graph(std::shared_ptr<const LineageGraph> graph) {
  beginResetModel();
  graph_ = std::move(graph);
  row_.assign(graph_ ? graph_->nodes.size() : 0, 0);
  if (graph_) {
    for (int node = -1; node < static_cast<int>(graph_->nodes.size()); ++node) {
      const auto& kids = below(node);
      for (std::size_t i = 0; i < kids.size(); ++i) row_[static_cast<std::size_t>(kids[i])] = static_cast<int>(i);
    }
  }
  endResetModel();
}

const std::vector<int>& LineageModel::below(int node) const {
  return node < 0 ? graph_->roots : graph_->children[static_cast<std::size_t>(node)];
}

std::int64_t LineageModel::id_of(const QModelIndex& index) const {
  return index.isValid() && graph_ ? graph_->nodes[static_cast<std::size_t>(index.internalId())].id : 0;
}

QModelIndex LineageModel::index_of(std::int64_t candidate) const {
  const int node = graph_ ? graph_->find(candidate) : -1;
  return node < 0 ? QModelIndex() : createIndex(row_[static_cast<std::size_t>(node)], 0, static_cast<quintptr>(node));
}

QModelIndex LineageModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  const auto& kids = below(parent.isValid() ? static_cast<int>(parent.internalId()) : -1);
  return createIndex(row, column, static_cast<quintptr>(kids[static_cast<std::size_t>(row)]));
}

QModelIndex LineageModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || !graph_) return {};
  const int up = graph_->nodes[static_cast<std::size_t>(index.internalId())].parent;
  return up < 0 ? QModelIndex() : createIndex(row_[static_cast<std::size_t>(up)], 0, static_cast<quintptr>(up));
}

int LineageModel::rowCount(const QModelIndex& parent) const {
  if (!graph_ || parent.column() > 0) return 0;
  return static_cast<int>(below(parent.isValid() ? static_cast<int>(parent.internalId()) : -1).size());
}

QVariant LineageModel::headerData(int section, Qt::Orientation orientation, int role) const {
  return column_header(section, orientation, role,
                       {tr("Candidate"), tr("Verdict"), tr("Result"), tr("Step"), tr("Requested by")});
}

QVariant LineageModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !graph_) return {};
  const int at = static_cast<int>(index.internalId());
  const LineageNode& n = graph_->nodes[static_cast<std::size_t>(at)];
  switch (role) {
    case Qt::DisplayRole:
      switch (index.column()) {
        case Name: return n.label;
        case Verdict: return n.best ? tr("%1, the best").arg(n.verdict) : n.verdict;
        case Result: return n.result;
        case Step: return n.step.isEmpty() ? dash() : n.step;
        case Asked: return n.asked.isEmpty() ? dash() : n.asked;
      }
      return {};
    case Qt::ToolTipRole: return graph_->tooltip(at);
    case Qt::DecorationRole:
      return index.column() == Verdict ? QVariant(Theme::instance().icon(state_icon(n.state), state_token(n.state)))
                                       : QVariant();
    case Qt::AccessibleTextRole:
      return headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() + ": " +
             data(index, Qt::DisplayRole).toString();
  }
  return {};
}

}  // namespace ww::widgets
