// SPDX-License-Identifier: Apache-2.0
// What the lowerings of a group to kernels have in common.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include "search/emit.h"

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

  Source& source_;
  const Program& program_;
  const Group& group_;
  const std::set<std::string>& kept_;  // tensors that later groups read
  Kernel& k_;
  Emitter e_;
  std::map<std::string, std::string> locals_;  // tensors of the group that are in registers: their variables
};

}  // namespace ww::search
