// SPDX-License-Identifier: Apache-2.0
// Backward data flow over basic blocks. A guarded write keeps the old value of the lanes that it skips.
#include "sim/liveness.h"
#include <algorithm>
#include <map>
#include <set>
#include "sim/operand_registers.h"
#include "simt/module.h"

namespace ww::sim {
namespace {

using Kind = simt::Operand::Kind;

struct Flow {  // from an instruction
  std::vector<std::uint32_t> to;
  bool falls_through = true;
};

Flow flow_of(const simt::Function& f, const simt::Instruction& i) {
  Flow out;
  const std::string& word = i.words().front();
  if (word == "bra" || word == "brx") {
    for (const simt::Operand& o : i.operands) {
      if (o.kind == Kind::label) out.to.push_back(o.index);
      if (o.kind == Kind::table) out.to = f.branch_tables[o.index];
    }
    out.falls_through = i.guard >= 0;
  } else if (word == "ret" || word == "exit" || word == "trap") {
    out.falls_through = i.guard >= 0;
  }
  return out;
}

}  // namespace

Liveness::Liveness(const simt::Function& function) : function_(function) {
  if (function_.body.empty()) return;
  divide();
  solve();
  for (const Block& b : blocks_) {
    Set live = b.out;
    for (std::size_t i = b.end; i-- > b.begin;) {
      pass(i, live);
      std::vector<std::uint32_t> now;
      for (std::uint32_t r = 0; r < live.size(); ++r)
        if (live[r]) now.push_back(r);
      most_words_ = std::max(most_words_, words(now));
    }
  }
}

void Liveness::divide() {
  const std::size_t count = function_.body.size();
  std::set<std::size_t> begins{0};
  for (std::size_t i = 0; i < count; ++i) {
    const Flow flow = flow_of(function_, function_.body[i]);
    for (const std::uint32_t to : flow.to) begins.insert(to);
    if (!flow.to.empty() || !flow.falls_through) begins.insert(i + 1);
  }
  begins.erase(begins.lower_bound(count), begins.end());  // a label at the very end
  std::map<std::size_t, std::size_t> block_at;
  for (auto at = begins.begin(); at != begins.end(); ++at) {
    block_at[*at] = blocks_.size();
    blocks_.push_back({*at, std::next(at) == begins.end() ? count : *std::next(at), {}, {}});
  }
  for (Block& b : blocks_) {
    b.out.resize(function_.registers.size());
    const Flow flow = flow_of(function_, function_.body[b.end - 1]);
    for (const std::uint32_t to : flow.to)
      if (const auto at = block_at.find(to); at != block_at.end()) b.next.push_back(at->second);
    if (flow.falls_through && b.end < count) b.next.push_back(block_at.at(b.end));
  }
}

void Liveness::pass(std::size_t instruction, Set& live) const {
  const simt::Instruction& i = function_.body[instruction];
  if (i.guard < 0)
    for (const std::uint32_t r : written_registers(i)) live[r] = false;
  for (const std::uint32_t r : read_registers(i)) live[r] = true;
}

void Liveness::solve() {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = blocks_.size(); k-- > 0;) {
      for (const std::size_t next : blocks_[k].next) {
        Set in = blocks_[next].out;
        for (std::size_t i = blocks_[next].end; i-- > blocks_[next].begin;) pass(i, in);
        for (std::size_t r = 0; r < in.size(); ++r)
          if (in[r] && !blocks_[k].out[r]) blocks_[k].out[r] = changed = true;
      }
    }
  }
}

std::vector<std::uint32_t> Liveness::before(std::size_t instruction) const {
  std::vector<std::uint32_t> out;
  for (const Block& b : blocks_) {
    if (instruction < b.begin || instruction >= b.end) continue;
    Set live = b.out;
    for (std::size_t i = b.end; i-- > instruction;) pass(i, live);
    for (std::uint32_t r = 0; r < live.size(); ++r)
      if (live[r]) out.push_back(r);
  }
  return out;
}

std::int64_t Liveness::words(const std::vector<std::uint32_t>& registers) const {
  std::int64_t n = 0;
  for (const std::uint32_t r : registers) {
    const simt::Type type = function_.registers[r].type;
    if (type != simt::Type::pred) n += std::max<std::int64_t>(1, static_cast<std::int64_t>(simt::type_bytes(type) / 4));
  }
  return n;
}

}  // namespace ww::sim
