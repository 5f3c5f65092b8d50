// SPDX-License-Identifier: Apache-2.0
// The device that programs find: limits of compute capability 9.0 (CUDA C++ Programming Guide, "Compute Capabilities")
// with few multiprocessors, so that grids sized by their number stay small.
#pragma once
#include <cstddef>

namespace ww::cudart::machine {

inline constexpr const char* name = "Warpwright SIMT machine";
inline constexpr int major = 9, minor = 0, multiprocessors = 8;
inline constexpr std::size_t memory = std::size_t{16} << 30;  // bytes
inline constexpr int block_z = 64, grid_x = 0x7fffffff, grid_yz = 65535;
inline constexpr int threads_of_block = 1024, threads_of_multiprocessor = 2048, blocks_of_multiprocessor = 32;
inline constexpr int registers = 65536, registers_of_thread = 64;  // of a thread: assumed, PTX names none
inline constexpr int shared_of_block = 48 << 10, shared_optin = 227 << 10, shared_of_multiprocessor = 228 << 10,
                     shared_reserved = 1 << 10;  // of each block
inline constexpr int constant_memory = 64 << 10, l2_cache = 50 << 20;

}  // namespace ww::cudart::machine
