// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lineage/lineage_graph.h"
#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include "parts/theme/text.h"
#include "session/metric_texts.h"

namespace ww::widgets {

class LineageBuilder {
 public:
  LineageBuilder(const std::vector<explore::CandidateRow>& rows, const RunFacts* facts, Flow flow,
                 const QSet<std::int64_t>& trashed)
      : rows_(rows), facts_(facts), trashed_(trashed), graph_(std::make_shared<LineageGraph>()) {
    graph_->flow = flow;
  }

  std::shared_ptr<const LineageGraph> make() {
    link();
    describe();
    lay_out();
    index();
    sum_up();
    return graph_;
  }

 private:
  static QString tr(const char* text) { return LineageGraph::tr(text); }
  const CandidateFact* fact_of(std::int64_t id) const;
  void link();
  void describe();
  void lay_out();
  void place(int node, double along, double beside);
  void index();
  void find_outermost();
  void sum_up();
  const std::vector<explore::CandidateRow>& rows_;
  const RunFacts* facts_;
  const QSet<std::int64_t>& trashed_;
  std::shared_ptr<LineageGraph> graph_;
};

const CandidateFact* LineageBuilder::fact_of(std::int64_t id) const {
  if (!facts_) return nullptr;
  const auto it = facts_->candidates.find(id);
  return it == facts_->candidates.end() ? nullptr : &it->second;
}

void LineageBuilder::link() {
  LineageGraph& g = *graph_;
  const int n = static_cast<int>(rows_.size());
  std::unordered_map<std::string_view, int> by_hash;
  for (int i = 0; i < n; ++i) by_hash.emplace(rows_[static_cast<std::size_t>(i)].hash, i);
  g.nodes.resize(rows_.size());
  g.children.resize(rows_.size());
  const auto find = [&](const std::string& hash) {
    const auto it = by_hash.find(hash);
    return hash.empty() || it == by_hash.end() ? -1 : it->second;
  };
  for (int i = 0; i < n; ++i) {
    const auto& row = rows_[static_cast<std::size_t>(i)];
    LineageNode& node = g.nodes[static_cast<std::size_t>(i)];
    node.id = row.id;
    node.state = row.state;
    node.imported = row.imported;
    // A parent comes before its child; anything else (a text that two runs contain) would make a cycle.
    if (const int parent = find(row.parent); parent >= 0 && parent < i) node.parent = parent;
    if (const CandidateFact* fact = fact_of(row.id)) node.duplicate_of = find(fact->duplicate_of);
    if (node.duplicate_of == i) node.duplicate_of = -1;
    if (node.parent >= 0) {
      g.children[static_cast<std::size_t>(node.parent)].push_back(i);
      ++g.edges;
      node.layer = g.nodes[static_cast<std::size_t>(node.parent)].layer + 1;
    } else {
      g.roots.push_back(i);
    }
    g.layers = std::max(g.layers, node.layer + 1);
  }
}

void LineageBuilder::describe() {
  double best = 0;
  for (const auto& row : rows_)
    if (row.score && !trashed_.contains(row.id) && row.state == store::CandidateState::accepted &&
        (best <= 0 || row.score->value < best))
      best = row.score->value;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto& row = rows_[i];
    LineageNode& node = graph_->nodes[i];
    node.label = "#" + QString::number(row.id) + " " + CandidateModel::name_of(row);
    const QString tuning = CandidateModel::tuning_of(row);
    node.name = "#" + QString::number(row.id) + " " + CandidateModel::short_name(row) +
                (tuning.isEmpty() ? QString() : " (" + tuning + ")");
    node.verdict = CandidateModel::verdict_of(row);
    if (trashed_.contains(row.id)) node.verdict = tr("%1, in the trash").arg(node.verdict);
    if (row.score) {
      node.result = score_text(*row.score);
      node.speed = row.score->value > 0 ? std::min(1.0, best / row.score->value) : 1;
      node.best = row.rank && *row.rank == 1;
    } else {
      node.result = CandidateModel::judgement_of(row);
    }
    if (row.imported && row.score) node.result = tr("%1, imported and not judged here").arg(node.result);
    const CandidateFact* fact = fact_of(row.id);
    if (!fact) continue;
    if (const auto move = facts_->moves.find(row.hash); move != facts_->moves.end() && node.parent >= 0) {
      const store::MoveRecord& m = move->second;
      node.step = tr("%1, %2 times as fast (%3)").arg(qs(m.move), count_text(m.effect), enum_text(m.provenance));
    } else {
      node.step = qs(fact->note);
    }
    if (const auto exchange = facts_->exchanges.find(fact->exchange); exchange != facts_->exchanges.end())
      node.asked = qs(exchange->second);
  }
}

// Leaves take the next place, a parent the middle of its children; without recursion, since a lineage may be
// thousands of steps long.
void LineageBuilder::lay_out() {
  LineageGraph& g = *graph_;
  std::vector<double> slot(g.nodes.size(), 0);
  double next = 0;
  std::vector<int> lone;
  for (const int root : g.roots) {
    if (g.children[static_cast<std::size_t>(root)].empty()) {
      lone.push_back(root);
      continue;
    }
    std::vector<std::pair<int, std::size_t>> stack = {{root, 0}};
    while (!stack.empty()) {
      auto& [node, child] = stack.back();
      const auto& kids = g.children[static_cast<std::size_t>(node)];
      if (child < kids.size()) {
        const int kid = kids[child++];
        stack.emplace_back(kid, 0);
        continue;
      }
      slot[static_cast<std::size_t>(node)] =
          kids.empty()
              ? next++
              : (slot[static_cast<std::size_t>(kids.front())] + slot[static_cast<std::size_t>(kids.back())]) / 2;
      stack.pop_back();
    }
    next += 0.6;
  }
  const bool across = g.flow == Flow::across;
  const qreal along = across ? LineageGraph::long_step : LineageGraph::high_step,
              beside = across ? LineageGraph::short_step : LineageGraph::wide_step;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    place(static_cast<int>(i), g.nodes[i].layer * along, slot[i] * beside);
  // Nodes without relatives are placed in rows behind the trees, in a block about as wide as a screen.
  const double cells = across ? std::sqrt(1.6 * beside / along * static_cast<double>(lone.size()))
                              : std::sqrt(static_cast<double>(lone.size()) * along / beside / 1.6);
  const int in_a_row = std::max({1, across ? g.layers : 1, static_cast<int>(std::ceil(cells))});
  for (std::size_t i = 0; i < lone.size(); ++i)
    place(lone[i], static_cast<double>(i % static_cast<std::size_t>(in_a_row)) * along,
          (next + static_cast<double>(i / static_cast<std::size_t>(in_a_row))) * beside);
}

void LineageBuilder::place(int node, double along, double beside) {
  LineageNode& n = graph_->nodes[static_cast<std::size_t>(node)];
  n.at = graph_->flow == Flow::across ? QPointF(along, beside) : QPointF(beside, along);
}

void LineageBuilder::index() {
  LineageGraph& g = *graph_;
  g.by_layer_.resize(static_cast<std::size_t>(g.layers));
  g.place_.resize(g.nodes.size());
  qreal left = 0, top = 0, right = 0, bottom = 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const LineageNode& n = g.nodes[i];
    g.by_id_.emplace_back(n.id, static_cast<int>(i));
    g.by_layer_[static_cast<std::size_t>(n.layer)].push_back(static_cast<int>(i));
    left = std::min(left, n.at.x());
    top = std::min(top, n.at.y());
    right = std::max(right, n.at.x());
    bottom = std::max(bottom, n.at.y());
  }
  g.bounds = QRectF(QPointF(left, top), QPointF(right, bottom));
  std::sort(g.by_id_.begin(), g.by_id_.end());
  const bool across = g.flow == Flow::across;
  const auto before = [&](int a, int b) {
    const QPointF p = g.nodes[static_cast<std::size_t>(a)].at, q = g.nodes[static_cast<std::size_t>(b)].at;
    return across ? std::pair(p.y(), p.x()) < std::pair(q.y(), q.x())
                  : std::pair(p.x(), p.y()) < std::pair(q.x(), q.y());
  };
  for (auto& layer : g.by_layer_) {
    std::sort(layer.begin(), layer.end(), before);
    for (std::size_t i = 0; i < layer.size(); ++i) g.place_[static_cast<std::size_t>(layer[i])] = static_cast<int>(i);
  }
  if (across) find_outermost();
}

void LineageBuilder::find_outermost() {
  std::set<qreal> lines;  // with a candidate of a later layer
  for (auto layer = graph_->by_layer_.rbegin(); layer != graph_->by_layer_.rend(); ++layer) {
    for (const int i : *layer) {
      LineageNode& n = graph_->nodes[static_cast<std::size_t>(i)];
      const auto near = lines.lower_bound(n.at.y() - LineageGraph::short_step + 1);
      n.outermost = near == lines.end() || *near >= n.at.y() + LineageGraph::short_step;
    }
    for (const int i : *layer) lines.insert(graph_->nodes[static_cast<std::size_t>(i)].at.y());
  }
}

void LineageBuilder::sum_up() {
  LineageGraph& g = *graph_;
  int accepted = 0, rejected = 0, not_judged = 0, duplicates = 0, imported = 0;
  const LineageNode* best = nullptr;
  for (const LineageNode& n : g.nodes) {
    if (n.best) best = &n;
    imported += n.imported;
    if (n.imported) continue;
    accepted += n.state == store::CandidateState::accepted;
    rejected += n.state == store::CandidateState::rejected;
    not_judged += n.state == store::CandidateState::not_judged;
    duplicates += n.state == store::CandidateState::duplicate;
  }
  const int n = static_cast<int>(g.nodes.size());
  g.summary = tr("%1 in %2 and %3: %4%5, %6.")
                  .arg(counted(n, tr("candidate"), tr("candidates")),
                       counted(static_cast<int>(g.roots.size()), tr("lineage"), tr("lineages")),
                       counted(g.layers, tr("generation"), tr("generations")))
                  .arg(imported == n ? QString() : tr("%1 proved, %2 rejected").arg(accepted).arg(rejected))
                  .arg((not_judged > 0 ? tr(", %1 not judged").arg(not_judged) : QString()) +
                       (imported == n  ? tr("all imported, not judged here")
                        : imported > 0 ? tr(", %1 imported and not judged here").arg(imported)
                                       : QString()))
                  .arg(counted(duplicates, tr("duplicate"), tr("duplicates")));
  if (best)
    g.summary += " " + tr("The best is %1: %2, in generation %3.").arg(best->label, best->result).arg(best->layer + 1);
}

int LineageGraph::find(std::int64_t id) const {
  const auto it = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair(id, -1));
  return it != by_id_.end() && it->first == id ? it->second : -1;
}

int LineageGraph::first_child(int node) const {
  const auto& kids = children[static_cast<std::size_t>(node)];
  return kids.empty() ? -1 : kids.front();
}

int LineageGraph::sibling(int node, int step) const {
  const auto& layer = by_layer_[static_cast<std::size_t>(nodes[static_cast<std::size_t>(node)].layer)];
  const int at = place_[static_cast<std::size_t>(node)] + step;
  return at >= 0 && at < static_cast<int>(layer.size()) ? layer[static_cast<std::size_t>(at)] : -1;
}

QString LineageGraph::tooltip(int node) const {
  const LineageNode& n = nodes[static_cast<std::size_t>(node)];
  QStringList lines = {n.label, n.verdict};
  if (n.speed >= 0)
    lines += n.best ? tr("%1; the best of this run").arg(n.result)
                    : tr("%1; the best needs %2 % of that").arg(n.result).arg(n.speed * 100, 0, 'f', 0);
  else if (n.result != lines.last())
    lines.last() = n.result;
  if (n.parent >= 0) lines += tr("From %1").arg(nodes[static_cast<std::size_t>(n.parent)].label);
  if (!n.step.isEmpty()) lines += tr("How: %1").arg(n.step);
  if (!n.asked.isEmpty()) lines += tr("Asked: %1").arg(n.asked);
  if (n.duplicate_of >= 0)
    lines += tr("The same program as %1").arg(nodes[static_cast<std::size_t>(n.duplicate_of)].label);
  return lines.join('\n');
}

std::shared_ptr<const LineageGraph> make_lineage(const std::vector<explore::CandidateRow>& rows, const RunFacts* facts,
                                                 Flow flow, const QSet<std::int64_t>& trashed) {
  return LineageBuilder(rows, facts, flow, trashed).make();
}

}  // namespace ww::widgets
