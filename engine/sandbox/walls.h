// SPDX-License-Identifier: Apache-2.0
// The walls one by one; sandbox.h is what others use.
#pragma once
#include <string>
#include "sandbox/sandbox.h"

namespace ww::sandbox {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;  // they reserve terabytes of address space and look at the process from outside
#else
inline constexpr bool sanitized = false;
#endif

std::string why(int error);  // errno's text
bool switched_off();         // WARPWRIGHT_SANDBOX=off

// Which namespaces this process is in; written by enter_namespaces() alone.
struct State {
  bool own_users = false, own_mounts = false, own_processes = false;
  std::string mounts_error = "not entered";
};
State& state();

// Each of the walls below by its name and what it keeps out, not active yet.
Protection wall(const char* name);

Protection limit_resources(const Options& options);
Protection confine_files(const Options& options);  // Landlock
Protection drop_capabilities(const Options& options);
Protection filter_calls(const Options& options);
// A root folder of its own, in the mount namespace that enter_namespaces() made.
Protection private_root(const Options& options);

// Readable in every case, beside options.readable.
inline constexpr const char* system_folders[] = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime"};
inline constexpr const char* plain_devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};

}  // namespace ww::sandbox
