// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/protections.h"

namespace ww::sandbox {
namespace fs = std::filesystem;
namespace {

bool administrator() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2]{};
  return ::syscall(SYS_capget, &header, sets) == 0 && (sets[0].effective & (1U << CAP_SYS_ADMIN)) != 0;
}

bool put(const char* file, const std::string& text) {
  const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool whole = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  ::close(fd);
  errno = error;
  return whole;
}

// Of a namespace that could not be entered; `kind` as in "sysctl user.max_KIND_namespaces".
std::string why_not(int error, const std::string& kind) {
  const std::string what = why(error);
  if (error == ENOSPC)
    return what + ": the limit on such namespaces is 0 or used up; 'sysctl user.max_" + kind +
           "_namespaces' shows it, and an administrator can raise it";
  if ((error == EPERM || error == EACCES) && kind == "user")
    return what +
           ": this system or its container keeps user namespaces from users; see 'sysctl "
           "kernel.apparmor_restrict_unprivileged_userns' and 'sysctl kernel.unprivileged_userns_clone'";
  if (error == EPERM || error == EACCES)
    return what + ": it needs administrator rights, or a user namespace for the worker";
  if (error == EINVAL || error == ENOSYS) return what + ": this kernel was built without them";
  return what;
}

Protection users() { return {"user_namespace", false, "an administrator's rights and other users' files", {}}; }
Protection network() { return {"network_namespace", false, "the network, abstract sockets of other processes", {}}; }
Protection ipc() { return {"ipc_namespace", false, "shared memory and queues of other processes", {}}; }
Protection processes() { return {"process_namespace", false, "seeing other processes", {}}; }

Protection given_up(Protection p, const char* reason) {
  p.detail = reason;
  p.given_up = true;
  return p;
}

// The user and the group keep their numbers; no others exist inside.
Protection enter_user_namespace() {
  Protection p = users();
  const std::string user = std::to_string(::getuid()), group = std::to_string(::getgid());
  p.active = ::unshare(CLONE_NEWUSER) == 0 && put("/proc/self/setgroups", "deny") &&
             put("/proc/self/uid_map", user + " " + user + " 1") &&
             put("/proc/self/gid_map", group + " " + group + " 1");
  if (!p.active) p.detail = why_not(errno, "user");
  return p;
}

Protection enter(Protection p, int flags, const char* kind) {
  p.active = ::unshare(flags) == 0;
  if (!p.active) p.detail = why_not(errno, kind);
  return p;
}

void close_all_but(int fd) {
  ::close_range(0, static_cast<unsigned>(fd - 1), 0);
  ::close_range(static_cast<unsigned>(fd + 1), ~0U, 0);
}

[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::signal(WTERMSIG(status), SIG_DFL);
    ::kill(::getpid(), WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

// The first process of the namespace: its end ends all others in it.
[[noreturn]] void wait_as_first_process(pid_t worker, int report) {
  close_all_but(report);
  drop_capabilities({});
  int status = 0;
  for (pid_t ended = 0; ended != worker;) {
    ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) ::_exit(1);
  }
  ::_exit(::write(report, &status, sizeof status) == sizeof status ? 0 : 1);
}

// Returns in the process that goes on with the work. Neither of the other two does anything but wait: the calling
// process is outside, and the first inside is not the worker, because its abort() would have no effect.
void go_on_in_child() {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) ::_exit(1);
  const pid_t first = ::fork();
  if (first < 0) ::_exit(1);  // with its children's namespace changed, this process could not have threads
  if (first == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(report[0]);
    pollfd parent{report[1], 0, 0};  // it may have died before prctl(): then nothing reads the pipe
    if (::poll(&parent, 1, 0) > 0 && (parent.revents & POLLERR) != 0) ::_exit(0);
    const pid_t worker = ::fork();
    if (worker < 0) ::_exit(1);
    if (worker > 0) wait_as_first_process(worker, report[1]);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(report[1]);
    return;
  }
  ::close(report[1]);
  close_all_but(report[0]);
  int status = SIGKILL;  // what it ended by where it cannot report
  while (::read(report[0], &status, sizeof status) < 0 && errno == EINTR) {}
  while (::waitpid(first, nullptr, 0) < 0 && errno == EINTR) {}
  end_as(status);
}

std::vector<Protection> none(const char* reason) {
  std::vector<Protection> all = {users(), network(), ipc(), processes()};
  for (Protection& p : all) p.detail = reason;
  return all;
}

}  // namespace

State& state() {
  static State s;
  return s;
}

std::vector<Protection> enter_namespaces(const Options& options) {
  if (switched_off()) return none("switched off by WARPWRIGHT_SANDBOX");
  if (sanitized) return none("built with sanitizers");
  std::error_code ec;
  if (options.device_driver && !fs::exists("/dev/nvidia-uvm", ec))
    return none("the GPU's driver must first be able to load its modules");
  std::vector<Protection> all;
  if (options.device_driver && administrator())
    all.push_back(given_up(users(), "a GPU's driver lets only an administrator of the system count"));
  else
    all.push_back(enter_user_namespace());
  state().own_users = all.back().active;
  all.push_back(enter(network(), CLONE_NEWNET, "net"));
  all.push_back(enter(ipc(), CLONE_NEWIPC | CLONE_NEWUTS, "ipc"));
  if (options.device_driver) {
    all.push_back(given_up(processes(), "a GPU's driver looks its process up in the system's /proc"));
    return all;
  }
  state().own_mounts = ::unshare(CLONE_NEWNS) == 0;
  if (!state().own_mounts) state().mounts_error = why_not(errno, "mnt");
  all.push_back(enter(processes(), CLONE_NEWPID, "pid"));
  state().own_processes = all.back().active;
  if (all.back().active) go_on_in_child();
  return all;
}

}  // namespace ww::sandbox
