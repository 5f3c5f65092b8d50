// SPDX-License-Identifier: Apache-2.0
// What the worker gives up once its compiler is loaded. Each protection is tried on its own; what the kernel does not
// offer is reported, never silently missing. Must be called while the process has one thread (the seccomp filter binds
// all threads, Landlock only later ones).
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ww::worker {

struct SandboxOptions {
  std::int64_t memory_limit = 0;  // bytes of address space beyond what is in use now; 0: none
  bool device_driver = false;  // a GPU's driver must be reached: ioctl, its device files and local sockets stay allowed
  std::vector<std::filesystem::path> readable;  // folders beyond the system's
  std::vector<std::filesystem::path> writable;  // folders
};

struct Protection {
  std::string name;  // "no_new_privs", "rlimits", "seccomp", "landlock", "parent_death"
  bool active = false;
  std::string detail;  // what it denies, or why it is not active
};

std::vector<Protection> lock_down(const SandboxOptions& options);

// The process ends when its parent does (not when the parent's thread does that started it).
Protection end_with_parent();

}  // namespace ww::worker
