// SPDX-License-Identifier: Apache-2.0
// Machine code (SASS) of a cubin, as printed by NVIDIA's nvdisasm, a program of the toolkit. It runs in a separate
// sandboxed process, started by the program that the user runs.
#pragma once
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"

namespace ww::compile {

// The listing of every kernel, without raw encodings, with the candidate's lines as comments. Code::unavailable if
// nvdisasm is missing, with a hint on where to get it; invalid_argument: an empty cubin.
Result<std::string> disassemble(std::string_view cubin, std::stop_token stop = {});

struct SassRow {  // one row of the listing
  enum class Kind : std::uint8_t { function, label, instruction };
  Kind kind = Kind::instruction;
  std::uint32_t function = 0;  // index of Sass::functions
  std::uint32_t offset = 0;    // of an instruction: bytes from the function's start
  int line = 0;                // of the candidate's text; 0: unknown
  int ptx_line = 0;            // of the PTX that it was assembled from; 0: unknown
  int live = 0;                // general-purpose registers live there; 0: unknown
};
struct Sass {
  std::string text;           // one row per function name, label and instruction; no other annotation
  std::vector<SassRow> rows;  // of the text, in order
  std::vector<std::string> functions;
};

// The same listing as data. `live`: also counts live registers, with a second run of nvdisasm in parallel.
Result<Sass> disassemble_rows(std::string_view cubin, bool live = true, std::stop_token stop = {});

// Parses the output of nvdisasm with --print-line-info-inline and --print-line-info-ptx, and with --life-range-mode
// count (empty: no registers). `own_file`: the candidate's name in the line information; for code inlined from a
// header, the location of the inlining in the candidate is used.
Sass read_sass(std::string_view with_lines, std::string_view with_registers,
               std::string_view own_file = "candidate.cu");

}  // namespace ww::compile
