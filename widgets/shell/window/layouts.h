// SPDX-License-Identifier: GPL-3.0-or-later
// The default places of the panels in the four workspaces of docks, as plain data. Panels that a build lacks are left
// out, and their containers shrink.
#pragma once
#include <QStringList>
#include <vector>

namespace ww::widgets {

struct LayoutNode {
  enum Kind { tabs, row, column };  // row: side by side
  Kind kind = tabs;
  int size = 100;   // relative to the other parts of the parent's width or height
  QStringList ids;  // of tabs; the first is in front
  std::vector<LayoutNode> parts = {};
  bool empty() const { return kind == tabs ? ids.isEmpty() : parts.empty(); }
};

struct Layout {
  QString id, title, summary;
  LayoutNode root;
  LayoutNode wide = {};  // for windows at least wide_window pixels wide, if different
  const LayoutNode& root_for(int width) const;
};
inline constexpr int wide_window = 1920;

const std::vector<Layout>& layouts();
const Layout* layout_of(const QString& id);
LayoutNode pruned(const LayoutNode& node, const QStringList& known);  // only known docks, without needless nesting
QStringList docks_of(const LayoutNode& node);
const LayoutNode* tabs_with(const LayoutNode& node, const QString& id);

}  // namespace ww::widgets
