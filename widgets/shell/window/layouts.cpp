// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/layouts.h"
#include <QCoreApplication>

namespace ww::widgets {

namespace {
LayoutNode layout_tabs(int size, const char* ids) {
  return {LayoutNode::tabs, size, QString::fromLatin1(ids).split(' ', Qt::SkipEmptyParts)};
}
LayoutNode layout_row(int size, std::vector<LayoutNode> parts) { return {LayoutNode::row, size, {}, std::move(parts)}; }
LayoutNode layout_column(int size, std::vector<LayoutNode> parts) {
  return {LayoutNode::column, size, {}, std::move(parts)};
}

std::vector<Layout> make_layouts() {
  const auto tr = [](const char* text) { return QCoreApplication::translate("layouts", text); };
  std::vector<Layout> all;
  all.push_back(
      {"explore", tr("Explore"), tr("Describe an operation and watch its candidates"),
       layout_row(100, {layout_tabs(29, "describe runs"),
                        layout_column(71, {layout_tabs(47, "candidates lineage pareto progress"),
                                           layout_tabs(53, "code diff verdict occupancy conversation log")})}),
       layout_row(100, {layout_tabs(24, "describe runs"),
                        layout_column(76, {layout_tabs(44, "candidates lineage pareto progress"),
                                           layout_row(56, {layout_tabs(40, "verdict occupancy conversation log"),
                                                           layout_tabs(60, "code diff")})})})});
  all.push_back(
      {"profile", tr("Profile"), tr("See a candidate's bottlenecks, and where they are"),
       layout_row(100, {layout_tabs(56, "profile"), layout_column(44, {layout_tabs(36, "candidates lineage"),
                                                                       layout_tabs(64, "code advice verdict diff")})}),
       layout_row(100, {layout_tabs(28, "candidates lineage"), layout_tabs(40, "profile"),
                        layout_column(32, {layout_tabs(64, "code diff"), layout_tabs(36, "advice verdict")})})});
  all.push_back(
      {"review", tr("Review"), tr("Read the evidence and decide"),
       layout_row(100, {layout_tabs(38, "review"),
                        layout_column(62, {layout_tabs(52, "diff code"),
                                           layout_tabs(48, "verdict receipt candidates lineage conversation")})}),
       layout_row(100, {layout_tabs(26, "review"),
                        layout_column(46, {layout_tabs(70, "diff code"), layout_tabs(30, "candidates lineage")}),
                        layout_tabs(28, "verdict receipt conversation")})});
  all.push_back(
      {"learn", tr("Learn"), tr("Follow a worked session, and take the lessons"),
       layout_row(
           100,
           {layout_tabs(46, "tour lessons"),
            layout_column(54, {layout_tabs(36, "candidates lineage progress speed_of_light roofline memory occupancy"),
                               layout_tabs(64,
                                           "stepper code verdict advice diff side_by_side lens hot_spots "
                                           "review")})}),
       layout_row(100, {layout_tabs(26, "tour lessons"),
                        layout_column(46, {layout_tabs(30,
                                                       "candidates lineage progress speed_of_light roofline "
                                                       "memory occupancy"),
                                           layout_tabs(70, "stepper side_by_side diff")}),
                        layout_column(
                            28, {layout_tabs(60, "code verdict review"), layout_tabs(40, "lens advice hot_spots")})})});
  return all;
}
}  // namespace

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = make_layouts();
  return all;
}

const LayoutNode& Layout::root_for(int width) const { return width >= wide_window && !wide.empty() ? wide : root; }

const Layout* layout_of(const QString& id) {
  for (const Layout& layout : layouts())
    if (layout.id == id) return &layout;
  return nullptr;
}

LayoutNode pruned(const LayoutNode& node, const QStringList& known) {
  LayoutNode left{node.kind, node.size, {}};
  for (const QString& id : node.ids)
    if (known.contains(id)) left.ids.append(id);
  for (const LayoutNode& part : node.parts)
    if (LayoutNode p = pruned(part, known); !p.empty()) left.parts.push_back(std::move(p));
  if (left.parts.size() != 1) return left;
  LayoutNode only = std::move(left.parts.front());
  only.size = node.size;
  return only;
}

QStringList docks_of(const LayoutNode& node) {
  QStringList ids = node.ids;
  for (const LayoutNode& part : node.parts) ids += docks_of(part);
  return ids;
}

const LayoutNode* tabs_with(const LayoutNode& node, const QString& id) {
  if (node.ids.contains(id)) return &node;
  for (const LayoutNode& part : node.parts)
    if (const LayoutNode* found = tabs_with(part, id)) return found;
  return nullptr;
}

}  // namespace ww::widgets
