// SPDX-License-Identifier: Apache-2.0
// Base class for lowering a group to kernels.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include "search/emit.h"
#include "search/terms.h"

namespace ww::search {

class GroupLowering {
 protected:
  GroupLowering(Source& source, const Group& group, const std::set<std::string>& kept, Kernel& kernel)
      : source_(source), program_(source.program()), group_(group), kept_(kept), k_(kernel), e_(kernel) {
    e_.read = [this](const Expr& access) -> std::optional<std::string> {
      const auto it = locals_.find(access.name);
      return it == locals_.end() ? std::nullopt : std::optional(it->second);
    };
  }
  GroupLowering(const GroupLowering&) = delete;
  GroupLowering& operator=(const GroupLowering&) = delete;

  // Binds the rows' indices to the row with flat index `where`; `guard`: exits the kernel if there is none.
  void bind_row(const std::vector<Index>& rows, const std::string& where, bool guard) {
    if (rows.empty()) {
      if (guard) k_.line("if (" + where + " > 0) return;  // there is one row only");
      return;
    }
    const bool single = rows.size() == 1 && from_zero(rows[0]);
    const std::string flat = single ? k_.index(rows[0].name) : k_.fresh("row");
    k_.line("const " + source_.index_type() + " " + flat + " = " + where + ";");
    if (guard) k_.line("if (" + flat + " >= " + e_.subscript(extent(rows), sum_strength) + ") return;");
    e_.decompose(flat, rows);
  }

  // A thread's items: their number, the loop variable, and an item's index, which starts at `first`.
  struct Items {
    std::string count, item, index, first;
  };
  // Unrolled, so that values of an item can stay in a register.
  void each_item(const Items& items, const std::function<void()>& body) {
    k_.line("#pragma unroll");
    k_.open("for (int " + items.item + " = 0; " + items.item + " < " + items.count + "; ++" + items.item + ") {");
    k_.line("const " + source_.index_type() + " " + items.index + " = " + items.first + " + " + items.item + ";");
    body();
    k_.close();
  }

  Source& source_;
  const Program& program_;
  const Group& group_;
  const std::set<std::string>& kept_;  // tensors that later groups read
  Kernel& k_;
  Emitter e_;
  std::map<std::string, std::string> locals_;  // tensors of the group that are in registers: their variables
};

}  // namespace ww::search
