// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sandbox.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <linux/capability.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sandbox/protections.h"

namespace ww::sandbox {
namespace {

std::int64_t address_space_in_use() {  // bytes; proc(5): the first number of statm is the program's size in pages
  std::ifstream statm("/proc/self/statm");
  std::int64_t pages = 0;
  return statm >> pages ? pages * ::sysconf(_SC_PAGESIZE) : 0;
}

bool limit(int what, rlim_t value) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return false;
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < value) value = now.rlim_max;
  const rlimit wanted{value, value};
  return ::setrlimit(what, &wanted) == 0;
}

pid_t first_parent = 0;

void on_parent_death(int) {  // also sent when only the parent's thread ended that started us
  if (::getppid() != first_parent) ::_exit(0);
}

}  // namespace

Protection inactive(const char* name) {
  static constexpr std::pair<std::string_view, const char*> keeps_out[] = {
      {"rlimits", "core files, files over 1 GiB, more than 512 open files, unlimited memory"},
      {"mount_namespace", "the user's files, /tmp, devices, writing to the system"},
      {"landlock", "files beyond the toolkit's, devices, signals and sockets of other processes"},
      {"capabilities", "what the system lets only administrators do"},
      {"seccomp", "network, other processes, new programs, tracing, mounts, modes and owners of files"}};
  for (const auto& [known, what] : keeps_out)
    if (known == name) return {name, false, what, {}};
  return {name, false, {}, {}};
}

std::string why(int error) { return std::strerror(error); }

bool switched_off() {
  const char* wanted = std::getenv("WARPWRIGHT_SANDBOX");
  return wanted && std::string_view(wanted) == "off";
}

Protection limit_resources(const Options& options) {
  Protection p = inactive("rlimits");
  p.active = limit(RLIMIT_CORE, 0) & limit(RLIMIT_FSIZE, rlim_t{1} << 30) & limit(RLIMIT_NOFILE, 512);
  // Counted over all of a user's processes where the user has no namespace of its own here.
  if (state().own_users) p.active &= limit(RLIMIT_NPROC, 2048);
  if (!p.active) p.detail = why(errno) + "; ";
  const std::int64_t used = address_space_in_use();
  if (options.memory_limit <= 0 || options.device_driver || sanitized || used == 0) {
    p.detail += "address space not limited";
  } else if (limit(RLIMIT_AS, static_cast<rlim_t>(used + options.memory_limit))) {
    p.detail += "address space of at most " + std::to_string((used + options.memory_limit) >> 20) + " MiB";
  } else {
    p.detail += "the address space cannot be limited: " + why(errno);
    p.active = false;
  }
  return p;
}

Protection drop_capabilities(const Options& options) {
  Protection p = inactive("capabilities");
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2]{};
  if (::syscall(SYS_capget, &header, sets) != 0) {
    p.detail = why(errno);
    return p;
  }
  constexpr int perfmon = 38;  // CAP_PERFMON; a driver asks for it, or for CAP_SYS_ADMIN, before it counts
  bool all = true;
  std::string kept;
  for (int c = 0; ::prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; ++c) {
    auto& [effective, permitted, inheritable] = sets[c / 32];
    const std::uint32_t bit = 1U << (c % 32);
    const bool keep = options.device_driver && (c == CAP_SYS_ADMIN || c == perfmon) && (effective & bit) != 0;
    if (keep) kept = "CAP_SYS_ADMIN and CAP_PERFMON stay, with which a GPU's driver reads counters";
    // Without CAP_SETPCAP the bounding set cannot be reduced; no_new_privs makes it irrelevant.
    if (!keep && (sets[0].effective & (1U << CAP_SETPCAP)) != 0) all &= ::prctl(PR_CAPBSET_DROP, c, 0, 0, 0) == 0;
    if (!keep && c != CAP_SETPCAP) {
      effective &= ~bit;
      permitted &= ~bit;
    }
    inheritable &= ~bit;
  }
  sets[0].effective &= ~(1U << CAP_SETPCAP);
  sets[0].permitted &= ~(1U << CAP_SETPCAP);
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  p.active = all && ::syscall(SYS_capset, &header, sets) == 0;
  p.detail = p.active ? kept : why(errno);
  return p;
}

Protection end_with_parent() {
  Protection p{"parent_death", false, "outliving its parent", {}};
  first_parent = ::getppid();
  struct sigaction action {};
  action.sa_handler = on_parent_death;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR2, &action, nullptr);
  p.active = ::prctl(PR_SET_PDEATHSIG, SIGUSR2) == 0;
  if (!p.active) p.detail = why(errno);
  if (::getppid() != first_parent) ::_exit(0);  // it died before prctl()
  pollfd parent{STDIN_FILENO, 0, 0};            // or before getppid(): its end of our socket is closed
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && ::poll(&parent, 1, 0) > 0 &&
      (parent.revents & POLLHUP) != 0)
    ::_exit(0);
  return p;
}

std::vector<Protection> lock_down(const Options& options) {
  const bool no_new = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  std::vector<Protection> all = {
      {"no_new_privs", no_new, "programs that raise their rights", no_new ? std::string() : why(errno)}};
  if (switched_off()) {
    for (const char* name : {"rlimits", "mount_namespace", "landlock", "capabilities", "seccomp"}) {
      all.push_back(inactive(name));
      all.back().detail = "switched off by WARPWRIGHT_SANDBOX";
    }
    return all;
  }
  all.push_back(limit_resources(options));
  all.push_back(private_root(options));
  all.push_back(confine_files(options));
  all.push_back(drop_capabilities(options));
  all.push_back(filter_calls(options));
  return all;
}

}  // namespace ww::sandbox
