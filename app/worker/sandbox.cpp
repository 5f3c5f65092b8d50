// SPDX-License-Identifier: Apache-2.0
#include "sandbox.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ww::worker {
namespace fs = std::filesystem;
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized =
    true;  // the sanitizers reserve terabytes of address space and look at the process from outside
#else
constexpr bool sanitized = false;
#endif

std::string why(int error) { return std::strerror(error); }

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

Protection limits(const SandboxOptions& options) {
  Protection p{"rlimits", true, "no core files, files of at most 1 GiB"};
  p.active = limit(RLIMIT_CORE, 0) & limit(RLIMIT_FSIZE, rlim_t{1} << 30) & limit(RLIMIT_NOFILE, 512);
  if (!p.active) p.detail = why(errno);
  const std::int64_t used = address_space_in_use();
  if (options.memory_limit <= 0 || options.device_driver || sanitized || used == 0) {
    p.detail += "; address space not limited";
  } else if (limit(RLIMIT_AS, static_cast<rlim_t>(used + options.memory_limit))) {
    p.detail += "; address space of at most " + std::to_string((used + options.memory_limit) >> 20) + " MiB";
  } else {
    p.detail += "; the address space cannot be limited: " + why(errno);
  }
  return p;
}

// System calls that neither the compiler nor the SIMT machine has any use for. They answer EPERM.
constexpr int always_denied[] = {
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    SCMP_SYS(sendto),
    SCMP_SYS(sendmsg),
    SCMP_SYS(sendmmsg),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(kill),
    SCMP_SYS(tkill),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(setns),
    SCMP_SYS(unshare),
    SCMP_SYS(open_tree),
    SCMP_SYS(move_mount),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsmount),
    SCMP_SYS(fsconfig),
    SCMP_SYS(mount_setattr),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(reboot),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(name_to_handle_at),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(clock_adjtime),
    SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname),
    SCMP_SYS(acct),
    SCMP_SYS(quotactl),
    SCMP_SYS(syslog),
    SCMP_SYS(personality),
    SCMP_SYS(setuid),
    SCMP_SYS(setgid),
    SCMP_SYS(setreuid),
    SCMP_SYS(setregid),
    SCMP_SYS(setresuid),
    SCMP_SYS(setresgid),
    SCMP_SYS(setgroups),
    SCMP_SYS(capset),
    SCMP_SYS(mknod),
    SCMP_SYS(mknodat),
    SCMP_SYS(chmod),
    SCMP_SYS(fchmodat),
    SCMP_SYS(chown),
    SCMP_SYS(lchown),
    SCMP_SYS(fchownat),
    SCMP_SYS(setpgid),
    SCMP_SYS(setsid),
    SCMP_SYS(memfd_create),
    SCMP_SYS(shmget),
    SCMP_SYS(shmat),
    SCMP_SYS(msgget),
    SCMP_SYS(semget),
    SCMP_SYS(mq_open),
};
// What a GPU's driver needs and nothing else here does.
constexpr int driver_calls[] = {SCMP_SYS(ioctl),  SCMP_SYS(memfd_create), SCMP_SYS(connect), SCMP_SYS(sendmsg),
                                SCMP_SYS(sendto), SCMP_SYS(bind),         SCMP_SYS(listen)};

bool driver_needs(int call) {
  for (const int c : driver_calls)
    if (c == call) return true;
  return false;
}

Protection filter_calls(const SandboxOptions& options) {
  Protection p{"seccomp", false, {}};
  if (sanitized) {
    p.detail = "built with sanitizers";
    return p;
  }
  scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ALLOW);
  if (!filter) {
    p.detail = "libseccomp cannot make a filter";
    return p;
  }
  const auto deny = [&](int call, std::initializer_list<scmp_arg_cmp> when = {}, int with = EPERM) {
    // A call that this architecture does not have needs no rule.
    return ::seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(static_cast<std::uint32_t>(with)), call,
                                    static_cast<unsigned>(when.size()), when.begin());
  };
  int error = ::seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  for (const int call : always_denied) {
    if (options.device_driver && driver_needs(call)) continue;
    const int e = deny(call);
    if (e != 0 && e != -EDOM) error = e;
  }
  const auto all = [&](std::initializer_list<int> results) {
    for (const int e : results)
      if (e != 0) error = e;
  };
  if (options.device_driver) {
    all({deny(SCMP_SYS(socket), {SCMP_A0(SCMP_CMP_NE, 1 /* AF_UNIX */)})});
  } else {
    all({deny(SCMP_SYS(socket)), deny(SCMP_SYS(socketpair)), deny(SCMP_SYS(ioctl))});
  }
  all({deny(SCMP_SYS(clone), {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)}),  // threads yes, processes no
       deny(SCMP_SYS(clone3), {}, ENOSYS),  // the C library then uses clone, whose flags can be seen
       deny(SCMP_SYS(tgkill), {SCMP_A0(SCMP_CMP_NE, static_cast<scmp_datum_t>(::getpid()))})});  // abort() of ours
  if (error == 0) error = ::seccomp_load(filter);
  ::seccomp_release(filter);
  p.active = error == 0;
  p.detail = p.active
                 ? "denied: network, new programs and processes, signals to others, tracing, mounts, modules, devices"
                 : why(-error);
  if (p.active && options.device_driver) p.detail += " (open for the GPU's driver: ioctl, local sockets)";
  return p;
}

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

Protection confine_files(const SandboxOptions& options) {
  Protection p{"landlock", false, {}};
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1) {
    p.detail = "the kernel has no Landlock: " + why(errno);
    return p;
  }
  constexpr std::uint64_t file_reads = LANDLOCK_ACCESS_FS_READ_FILE, reads = file_reads | LANDLOCK_ACCESS_FS_READ_DIR;
  constexpr std::uint64_t file_writes = LANDLOCK_ACCESS_FS_WRITE_FILE;
  std::uint64_t writes = file_writes | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                         LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                         LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                         LANDLOCK_ACCESS_FS_MAKE_SYM;
  if (abi >= 2) writes |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= 3) writes |= LANDLOCK_ACCESS_FS_TRUNCATE;
  const std::uint64_t truncate = abi >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0;
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = reads | writes | LANDLOCK_ACCESS_FS_EXECUTE;
  const int rules =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0));
  if (rules < 0) {
    p.detail = why(errno);
    return p;
  }
  const auto allow = [&](const fs::path& path, std::uint64_t access) {
    const int fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (fd < 0) return true;  // what does not exist needs no rule
    struct stat info {};
    if (::fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode)) access &= file_reads | file_writes | truncate;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = access;
    rule.parent_fd = fd;
    const bool added = ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    ::close(fd);
    return added;
  };
  bool good = true;
  for (const char* system : {"/usr", "/lib", "/lib64", "/proc", "/sys", "/dev", "/etc/ld.so.cache", "/etc/localtime"})
    good &= allow(system, reads);
  for (const fs::path& path : options.readable) good &= allow(path, reads);
  for (const fs::path& path : options.writable)
    good &= allow(path, reads | (writes & ~(LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK)));
  good &= allow("/dev/null", reads | file_writes);
  if (options.device_driver) good &= allow("/dev", reads | file_writes);
  if (!good)
    p.detail = "a rule was refused: " + why(errno);
  else if (::syscall(SYS_landlock_restrict_self, rules, 0) != 0)
    p.detail = why(errno);
  else
    p.active = true;
  ::close(rules);
  if (!p.active) return p;
  p.detail = "files: system and toolkit read-only, nothing executable, writable:";
  for (const fs::path& path : options.writable) p.detail += " " + path.string();
  if (options.device_driver) p.detail += " /dev";
  return p;
}

pid_t first_parent = 0;

void on_parent_death(int) {  // also sent when only the parent's thread ended that started us
  if (::getppid() != first_parent) ::_exit(0);
}

}  // namespace

Protection end_with_parent() {
  Protection p{"parent_death", false, "the process ends with its parent"};
  first_parent = ::getppid();
  struct sigaction action {};
  action.sa_handler = on_parent_death;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR2, &action, nullptr);
  p.active = ::prctl(PR_SET_PDEATHSIG, SIGUSR2) == 0;
  if (!p.active) p.detail = why(errno);
  if (::getppid() != first_parent) ::_exit(0);  // it died before prctl()
  return p;
}

std::vector<Protection> lock_down(const SandboxOptions& options) {
  std::vector<Protection> all;
  const bool no_new = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  all.push_back({"no_new_privs", no_new, no_new ? "no program can raise its rights" : why(errno)});
  const char* wanted = std::getenv("WARPWRIGHT_SANDBOX");
  if (wanted && std::string_view(wanted) == "off") {
    for (const char* name : {"rlimits", "landlock", "seccomp"})
      all.push_back({name, false, "switched off by WARPWRIGHT_SANDBOX"});
    return all;
  }
  all.push_back(limits(options));
  all.push_back(confine_files(options));
  all.push_back(filter_calls(options));
  return all;
}

}  // namespace ww::worker
