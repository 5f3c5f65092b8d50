// SPDX-License-Identifier: Apache-2.0
// Confines a process that works on text from outside. The walls are independent: each is tried on its own, and one that
// the kernel does not offer is reported, never silently missing. Both steps must be called while the process has one
// thread, or (a GPU's driver) knows what it gives up: threads that exist before lock_down() are bound by the system
// call filter, and by Landlock from its ABI 8 on.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>
#include "base/protection.h"

namespace ww::sandbox {

struct Options {
  std::int64_t memory_limit = 0;  // bytes of address space beyond what is in use now; 0: none
  bool device_driver = false;     // a GPU's driver must be reached: its device files, and the calls that it makes
  std::vector<std::filesystem::path> readable;  // files and folders beyond the system's
  std::vector<std::filesystem::path> writable;  // folders
  std::filesystem::path program;                // the one program that may still be started; empty: none
};

// New user, process, network, IPC and mount namespaces, where the kernel gives them. The rest of the program runs in a
// child, whose end the calling process repeats: same exit status, same signal. Whoever is killed takes the others with
// it. Does nothing where WARPWRIGHT_SANDBOX=off.
std::vector<Protection> enter_namespaces(const Options& options);

// The walls that close for good: limits, a root folder with nothing but `options`' paths and the system's programs
// (where enter_namespaces() gave a mount namespace), Landlock, no capabilities, the list of allowed system calls.
std::vector<Protection> lock_down(const Options& options);

// The process ends when its parent does (not when the parent's thread does that started it).
Protection end_with_parent();

}  // namespace ww::sandbox
