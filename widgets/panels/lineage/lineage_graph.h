// SPDX-License-Identifier: GPL-3.0-or-later
// The lineage with its layout: a forest in layers, parents before children, so that edges of one tree never cross.
// Plain data; thread-safe to build.
#pragma once
#include <QCoreApplication>
#include <QPointF>
#include <QRectF>
#include <QSet>
#include <QString>
#include <cstdint>
#include <memory>
#include <vector>
#include "session/models/candidate_model.h"
#include "session/run_facts.h"

namespace ww::widgets {

enum class Flow { across, down };  // parents to the left, or above

struct LineageNode {
  std::int64_t id = 0;
  int parent = -1, duplicate_of = -1;  // indices in the graph; duplicate_of: the candidate it duplicates
  int layer = 0;                       // generation, from 0
  QPointF at;                          // centre of its marker, in units of the layout
  store::CandidateState state = store::CandidateState::unknown;
  double speed = -1;  // 0 to 1: the best score / its own; below 0: none
  bool best = false;
  bool imported = false;   // state and result were imported: not judged here
  bool outermost = false;  // across: no candidate lies further to the right in its line
  store::CandidateState shown() const { return imported ? store::CandidateState::unknown : state; }
  QString name, label;      // "#12 tiled (BLOCK 64)", for its place in the drawing; "#12 Tiles of 64 x 64 (BLOCK 64)"
  QString verdict, result;  // "Proved, smaller"; "812 µs, measured", or the verdict
  QString step;             // the step from its parent: "wider loads, 1.42 times as fast (measured)"; may be empty
  QString asked;            // the request that led to it; may be empty
};

struct LineageGraph {
  Q_DECLARE_TR_FUNCTIONS(ww::widgets::LineageGraph)
 public:
  static constexpr qreal long_step = 216, short_step = 34;  // across: from layer to layer, from node to node
  static constexpr qreal wide_step = 132, high_step = 74;   // down: from node to node, from layer to layer
  Flow flow = Flow::across;
  std::vector<LineageNode> nodes;  // in row order
  std::vector<std::vector<int>> children;
  std::vector<int> roots;
  QRectF bounds;  // of the markers' centres
  int layers = 0, edges = 0;
  QString summary;  // a sentence or two

  int find(std::int64_t id) const;  // -1: not in it
  // From a node to another one, for arrow keys; -1: none there.
  int first_child(int node) const;
  int sibling(int node, int step) const;  // past its own: the next one of the same layer
  QString tooltip(int node) const;

 private:
  friend class LineageBuilder;
  std::vector<std::pair<std::int64_t, int>> by_id_;  // sorted
  std::vector<std::vector<int>> by_layer_;           // in screen order
  std::vector<int> place_;                           // each node's index in its layer
};

// `facts` may be null: then edges have less detail. A candidate in the trash is never the best.
std::shared_ptr<const LineageGraph> make_lineage(const std::vector<explore::CandidateRow>& rows, const RunFacts* facts,
                                                 Flow flow, const QSet<std::int64_t>& trashed = {});

}  // namespace ww::widgets
