// SPDX-License-Identifier: Apache-2.0
// From the syntax tree to operations with handlers and frame offsets. One instruction may become several operations;
// helpers are marked op_micro and not counted.
#pragma once
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>
#include "simt/copied_registers.h"
#include "simt/program_data.h"
#include "simt/registry.h"

namespace ww::simt {

// Decodes every function. Never fails as a whole: unsupported instructions are listed in FunctionCode::unsupported.
std::unique_ptr<const Decoded> decode(const Module& module, unsigned level);

// Byte offsets of parameters laid out one after another with their alignment; returns the total.
std::size_t layout_params(const std::vector<Variable>& params, std::vector<std::size_t>& offsets);

class FunctionDecoder {
 public:
  FunctionDecoder(const Module& module, std::uint32_t index, Decoded& code, unsigned level);
  void run();

 private:
  struct Refusal {       // thrown within the decoder only
    std::string reason;  // empty: the opcode itself
  };
  [[noreturn]] static void refuse(std::string reason = {}) { throw Refusal{std::move(reason)}; }

  // decode.cpp: frame and operands
  void lay_out();
  std::size_t most_passed_values() const;
  void pass_value(bool store, std::uint32_t reg, std::uint32_t at, unsigned bytes);
  void pass_registers(bool results);
  void find_clears();
  void find_data();
  void find_selected();
  void find_discarded();
  void find_copied();
  void find_polling();
  void instruction(std::uint32_t index);
  void refused();  // what was listed last as unsupported
  std::uint32_t reserve(std::size_t bytes, std::size_t align);
  std::uint32_t constant(Constant c);
  std::uint32_t immediate(std::uint64_t bits, unsigned bytes);
  std::uint32_t temporary(Type type);
  std::uint32_t address_of(const Operand& o, unsigned bytes);
  std::uint32_t source(const Operand& o, Type type);
  std::uint32_t predicate(const Operand& o);
  std::uint32_t destination(const Operand& o, Type type);
  std::uint32_t predicate_destination(const Operand& o);
  Type register_type(const Operand& o) const;
  std::uint32_t register_at(const Operand& o) const;
  const AluEntry& entry(const std::string& name) const;
  Op& emit(const Op& op, InstrClass cls, bool micro, int flops = 0);
  void micro(const char* name, std::uint32_t d, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0,
             std::int64_t imm = 0);
  void require(bool condition) const {
    if (!condition) refuse("operands do not fit");
  }
  const Operand& operand(std::size_t i) const;

  // decode_alu.cpp
  void alu(const std::string& name);
  void mov();
  void move_maps();
  void cvt();
  void cvta();
  void isspacep();
  void setp();
  void set();
  std::uint32_t compare(const std::string& name, std::uint32_t a, std::uint32_t b, bool as_micro);
  // decode_memory.cpp
  struct MemoryWords {
    Space space = Space::generic;
    unsigned vector = 1;
    Type type = Type::none;
    bool is_volatile = false, has_policy = false;
  };
  MemoryWords memory_words() const;
  void address(Op& op, const Operand& o, Space space);
  void policy(std::size_t at) const;
  bool create_policy();
  void load_or_store(bool is_store);
  void data_places(Op& op, const Operand& data, const MemoryWords& w, bool is_store);
  void atomic();
  void note_parts(Op& op, const Operand& data, const MemoryWords& w, bool is_store);
  bool is_named_elsewhere(const Operand& o);
  void count_naming();
  void param_access(const MemoryWords& w, bool is_store);
  bool has_word(std::initializer_list<std::string_view> any) const;
  bool is_strong() const;
  void fence_if_ordered();
  // decode_wide.cpp
  bool lop3();
  bool video_instruction();
  bool stack_memory();
  void mov_wide();
  std::uint32_t wide(const Operand& o) const;
  void lay_out_stack(std::size_t& locals);
  void begin_stack();
  // decode_control.cpp
  bool control();
  void branch_table();
  void call();
  void barrier();
  void cluster_barrier_of_one();
  void warp_sync(Handler fn);
  // decode_matrix.cpp
  bool matrix();
  void move_matrix();
  void mma();
  bool further_mma_shape();
  // decode_wmma.cpp
  bool quad_mma_shape();
  bool further_wmma_move();
  bool further_wmma_shape();
  // decode_matrix.cpp
  void wmma_move();
  void wmma();
  Op aligned();
  std::size_t parts(std::size_t operand) const;
  void fragments(Op& op, std::initializer_list<std::pair<std::size_t, Type>> operands);
  // decode_async.cpp
  bool async_copy();
  bool async_store();
  void bulk();
  Space shared_or_generic() const;
  bool mbarrier();
  bool cluster();

  const Module& module_;
  const Function& function_;
  std::uint32_t index_;
  Decoded& code_;
  FunctionCode& out_;
  unsigned level_;
  const Registry& registry_;
  const Instruction* at_ = nullptr;
  std::uint32_t instruction_index_ = 0;
  std::vector<std::uint32_t> register_offsets_, variable_offsets_;
  std::vector<std::size_t> entry_params_;
  std::uint32_t stack_at_ = 0, stack_top_ = 0, stack_end_ = 0;  // of stack_memory.h; 0: the function has none
  std::uint32_t call_scratch_ = 0;  // in the parameter area: slots for what calls pass in registers
  std::vector<std::uint8_t>
      selected_;  // by register: read only by selections between two values and guarded instructions
  std::vector<std::uint8_t> discarded_;  // by register: what is computed from it ends in such selections
  std::vector<CopiedRegister> copied_;   // by register; empty: nothing is followed
  std::vector<std::uint32_t> maps_;      // by register: where in the frame its written bytes are noted; 0: nowhere
  std::vector<std::uint8_t> data_;  // by register: read, and no comparison, address, call or other thread depends on it
  std::vector<std::uint32_t> naming_;  // by register: how many instructions name it; empty: not counted yet
  std::map<std::tuple<int, std::uint32_t, std::int64_t, unsigned>, std::uint32_t> constants_;
  struct After {
    std::string name;
    std::uint32_t d, a;
  };
  std::vector<After> after_;
  std::vector<std::uint32_t> first_op_;                                 // by instruction
  std::vector<std::pair<std::uint32_t, std::uint32_t>> branches_;       // op, instruction it goes to
  std::vector<std::pair<std::uint32_t, std::uint32_t>> list_branches_;  // entry of Decoded::lists, instruction
};

}  // namespace ww::simt
