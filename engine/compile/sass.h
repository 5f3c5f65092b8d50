// SPDX-License-Identifier: Apache-2.0
// Machine code (SASS) of a cubin, as NVIDIA's nvdisasm prints it. nvdisasm is a program of the toolkit: it runs
// in a sandboxed process of its own, started by the programs that a person uses.
#pragma once
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"

namespace ww::compile {

// The listing of every kernel, without raw encodings, with the candidate's lines as comments. Code::unavailable says
// where nvdisasm comes from when there is none; invalid_argument: an empty cubin.
Result<std::string> disassemble(std::string_view cubin, std::stop_token stop = {});

struct SassRow {  // one row of the listing
  enum class Kind : std::uint8_t { function, label, instruction };
  Kind kind = Kind::instruction;
  std::uint32_t function = 0;  // index of Sass::functions
  std::uint32_t offset = 0;    // bytes from the function's start, of an instruction
  int line = 0;                // of the candidate's text; 0: none is known
  int ptx_line = 0;            // of the PTX that it was assembled from; 0: none is known
  int live = 0;                // general registers that hold a value there; 0: not known
};
struct Sass {
  std::string text;           // a row for each function's name, each label and each instruction; no other annotation
  std::vector<SassRow> rows;  // of the text, in order
  std::vector<std::string> functions;
};

// The same listing as data. `live`: also which registers hold values, for which nvdisasm runs a second time beside the
// first.
Result<Sass> disassemble_rows(std::string_view cubin, bool live = true, std::stop_token stop = {});

// What nvdisasm printed with --print-line-info-inline and --print-line-info-ptx, and with --life-range-mode count
// (empty: no registers). `own_file`: the candidate's name in the line information; of code that was inlined from a
// header, the place in the candidate that it was inlined to counts.
Sass read_sass(std::string_view with_lines, std::string_view with_registers,
               std::string_view own_file = "candidate.cu");

}  // namespace ww::compile
