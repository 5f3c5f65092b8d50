// SPDX-License-Identifier: Apache-2.0
// Confines a process that handles outside text. The protections are independent: each is tried separately, and one that
// the kernel does not offer is reported, never silently missing. Both steps must be called while the process has one
// thread; a GPU's driver is the exception: threads that exist before lock_down() are bound by the system call filter,
// and by Landlock from its ABI 8 on.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>
#include "base/protection.h"

namespace ww::sandbox {

struct Options {
  std::int64_t memory_limit = 0;                // bytes of address space beyond the current use; 0: none
  bool device_driver = false;                   // needs a GPU's driver: its device files, and its system calls
  std::vector<std::filesystem::path> readable;  // files and folders besides the system's
  std::vector<std::filesystem::path> writable;  // folders
  std::filesystem::path program;                // the only program that may still be started; empty: none
};

// New user, process, network, IPC and mount namespaces, as far as the kernel permits. The rest of the program runs in a
// child; the calling process ends as it does, with the same exit status or signal. If either is killed, so is the
// other. Does nothing if WARPWRIGHT_SANDBOX=off.
std::vector<Protection> enter_namespaces(const Options& options);

// The irreversible protections: limits, a root folder with only `options`' paths and the system's programs (if
// enter_namespaces() created a mount namespace), Landlock, no capabilities, the list of allowed system calls.
std::vector<Protection> lock_down(const Options& options);

// Ends the process when its parent process ends (not already when the parent's thread that started it does).
Protection end_with_parent();

}  // namespace ww::sandbox
