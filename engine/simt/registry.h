// SPDX-License-Identifier: Apache-2.0
// The handlers of one instruction-set build of the executor, by PTX opcode. An opcode that is not here is unsupported.
//
// The exec_*.cpp files are compiled once per host instruction set; they hold no standard containers or other inline
// library code that a linker could share with the baseline build, so registration goes through these plain functions.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <algorithm>
#include <unordered_map>
#include "simt/machine.h"

namespace ww::simt {

inline constexpr int rounding_nearest = 0, rounding_zero = 1, rounding_down = 2, rounding_up = 3;

struct AluEntry {
  Handler fn = nullptr;
  Type destination = Type::none;
  Type source[4] = {Type::none, Type::none, Type::none, Type::none};  // a, b, c, e
  std::uint8_t sources = 0;
  bool has_immediate = false;  // an additional operand, an integer constant, is stored in Op::imm
  std::int64_t immediate = 0;  // otherwise Op::imm
  InstrClass cls = InstrClass::other;
  std::uint8_t flops = 0;
};

struct SyncEntry {  // shfl, vote, match, redux, bar.warp.sync, activemask …
  Handler fn = nullptr;
};

class Registry {
 public:
  // `name` and `signature` may hold '$', which is replaced by `type`. Signature: "<dst> <a> <b> …", types without dots,
  // "imm" for a trailing constant.
  void alu(const char* name, const char* type, Handler fn, const char* signature, InstrClass cls, int flops = 0,
           std::int64_t immediate = 0);
  void memory(bool store, Space space, unsigned bytes, unsigned level, Handler fn);
  void atomic(const char* name, const char* type, Handler fn);  // "add", "u32": destination, address, sources
  void sync(const char* name, Handler fn);
  void param_broadcast(unsigned bytes, Handler fn) { param_loads_[index(bytes)] = fn; }
  void frame_param(bool store, unsigned bytes, Handler fn) { frame_params_[store][index(bytes)] = fn; }

  const AluEntry* find(std::string_view opcode) const;
  Handler find_memory(bool store, Space space, unsigned bytes, unsigned level) const;
  Handler find_atomic(std::string_view name, std::string_view type) const;
  Handler find_sync(std::string_view name) const;
  Handler find_param_broadcast(unsigned bytes) const { return param_loads_[index(bytes)]; }
  Handler find_frame_param(bool store, unsigned bytes) const { return frame_params_[store][index(bytes)]; }

 private:
  static unsigned index(unsigned bytes) { return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3; }
  std::unordered_map<std::string, AluEntry> alu_;
  std::unordered_map<std::string, Handler> atomics_, syncs_;
  Handler memory_[2][7][4][4] = {};
  Handler param_loads_[4] = {}, frame_params_[2][4] = {};
};

// The build for this host, selected once. WARPWRIGHT_SIMT_ISA=baseline forces the portable one (for tests).
const Registry& host_registry();
std::string_view host_isa();  // "x86-64", "x86-64-v3"

}  // namespace ww::simt
