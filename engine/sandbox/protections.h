// SPDX-License-Identifier: Apache-2.0
// The individual protections; use sandbox.h instead.
#pragma once
#include <string>
#include "sandbox/sandbox.h"

namespace ww::sandbox {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;  // they reserve terabytes of address space and inspect the process from outside
#else
inline constexpr bool sanitized = false;
#endif

std::string why(int error);  // errno's text
bool switched_off();         // WARPWRIGHT_SANDBOX=off

// The namespaces of this process; written only by enter_namespaces().
struct State {
  bool own_users = false, own_mounts = false, own_processes = false;
  std::string mounts_error = "not entered";
};
State& state();

// Each protection below, with its name and what it blocks, as inactive.
Protection inactive(const char* name);

Protection limit_resources(const Options& options);
Protection confine_files(const Options& options);  // Landlock
Protection drop_capabilities(const Options& options);
Protection filter_calls(const Options& options);
// A separate root folder in the mount namespace created by enter_namespaces().
Protection private_root(const Options& options);

// Always readable, in addition to options.readable.
inline constexpr const char* system_folders[] = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime"};
inline constexpr const char* plain_devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};

}  // namespace ww::sandbox
