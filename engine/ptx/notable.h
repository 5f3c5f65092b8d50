// SPDX-License-Identifier: Apache-2.0
// Properties of PTX that a reader of a kernel should know: where its results may depend on more than its inputs, or
// where no run can show its behaviour. None of them is an error.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include "base/describe.h"

namespace ww::ptx {

enum class Notable : std::uint8_t {
  clock,          // reads a clock or a timer
  identity,       // reads its place: the multiprocessor, the warp's slot, the grid's number
  architecture,   // reads a limit or a mask set by the hardware
  large_table,    // a table of constants of `least_table` bytes or more
  narrow_index,   // an address from a 32-bit product of two variables: correct up to 2^31 elements
  kept_variable,  // a variable of the module that the kernels may write: it lasts from call to call
};
constexpr auto names_of(Notable) {
  using enum Notable;
  return std::to_array<Enumerator<Notable>>({{clock, "clock"},
                                             {identity, "identity"},
                                             {architecture, "architecture"},
                                             {large_table, "large table"},
                                             {narrow_index, "narrow index"},
                                             {kept_variable, "kept variable"}});
}

inline constexpr std::size_t least_table = 64;

struct Note {
  static constexpr std::string_view described_as = "NOTE";
  Notable kind = Notable::clock;
  std::string function;  // the reading function; empty: module scope
  std::string what;      // "%clock64", the table's or the variable's name; empty for an index
  int line = 0;          // of the PTX: the first
  int count = 0;         // number of instructions; for a table: its bytes
  bool operator==(const Note&) const = default;

  WW_FIELDS(Note, kind, (function, "that reads it, or empty: of the module"),
            (what, "a register, or the name of a table or variable"), (line, "of the PTX: the first"),
            (count, "instructions; of a table: its bytes"))
};

// In text order, each function's kinds and registers once. Accepts any text and reads as much as it can.
std::vector<Note> notable_in(std::string_view ptx);

// The names of its kept_variables, each once.
std::vector<std::string> kept_variables(std::string_view ptx);

// Whether it has operations by which blocks see each other while they run: atomic, volatile and relaxed ones on memory
// that is not shared memory.
bool blocks_meet(std::string_view ptx);

// One sentence without a full stop.
std::string note_text(const Note& note);

}  // namespace ww::ptx
