// SPDX-License-Identifier: Apache-2.0
// What registers hold in the words of CUDA, as far as the PTX tells: a register that one instruction writes stands for
// that instruction's result, "blockIdx.x * 16 + threadIdx.x", "x[i]", "i < N". Of any other nothing is said.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ww::simt {
struct Function;
}

namespace ww::sim {

// By register, as in Function::registers; empty: no name. `parameters`: the function's, empty where not known.
std::vector<std::string> register_names(const simt::Function& function, const std::vector<std::string>& parameters);

// "as" of "_ZZ7productE2as", the variable `as` of the function `product`; other names as they are.
std::string variable_name(std::string_view symbol);

// Of a kernel in CUDA code, in order: the last word of each parameter. Empty: the code has no such kernel.
std::vector<std::string> parameter_names(std::string_view code, std::string_view kernel);

}  // namespace ww::sim
