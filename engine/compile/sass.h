// SPDX-License-Identifier: Apache-2.0
// Machine code (SASS) of a cubin, as NVIDIA's nvdisasm prints it. nvdisasm is a program of the toolkit: it is run by the programs that a person uses, never by the sandboxed worker.
#pragma once
#include <string>
#include <string_view>
#include "base/cancel.h"
#include "base/result.h"

namespace ww::compile {

// The listing of every kernel, without raw encodings, with the candidate's lines as comments. Code::unavailable says where nvdisasm comes from when there is none; invalid_argument: an empty cubin.
Result<std::string> disassemble(std::string_view cubin, CancelToken cancel = {});

}  // namespace ww::compile
