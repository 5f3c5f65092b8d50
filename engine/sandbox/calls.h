// SPDX-License-Identifier: Apache-2.0
// The system calls allowed in a sandboxed process; any other fails with EPERM. Found with strace over the tests of the
// compiler, the SIMT machine and the worker. A call with several entries is allowed if one of them matches.
#pragma once
#include <array>
#include <cstdint>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

namespace ww::sandbox {

// driver: with a GPU's driver; program: started by a sandboxed process
enum class Who { all, no_driver, driver, program };

struct Argument {  // matches if (argument & mask) == value; mask 0: ignored
  unsigned at = 0;
  std::uint64_t mask = 0, value = 0;
};
struct Call {
  int number;
  Who who = Who::all;
  std::array<Argument, 2> arguments{};
};

inline constexpr std::uint64_t whole = ~std::uint64_t{0}, low_word = 0xffffffff;
inline constexpr std::uint64_t own_process = ~std::uint64_t{0} - 1;  // a placeholder for getpid()
// Threads, but no processes or namespaces.
inline constexpr std::uint64_t thread_mask = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND | CLONE_NEWNS | CLONE_NEWCGROUP |
                                             CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
                                             CLONE_PTRACE | CLONE_PARENT | CLONE_VFORK | CLONE_PIDFD,
                               thread = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND;

constexpr Call equal(int number, unsigned at, std::uint64_t value, Who who = Who::all) {
  return {number, who, {{{at, low_word, value}}}};
}

// clang-format off
inline constexpr Call allowed_calls[] = {
    // Memory. Without a driver, nothing new becomes executable; with one, never together with writable.
    {SCMP_SYS(brk)}, {SCMP_SYS(munmap)}, {SCMP_SYS(mremap)}, {SCMP_SYS(madvise)},
    {SCMP_SYS(mmap), Who::no_driver, {{{2, PROT_EXEC, 0}}}},
    {SCMP_SYS(mprotect), Who::no_driver, {{{2, PROT_EXEC, 0}}}}, {SCMP_SYS(mmap), Who::driver, {{{2, PROT_EXEC, 0}}}},
    {SCMP_SYS(mmap), Who::driver, {{{2, PROT_EXEC | PROT_WRITE, PROT_EXEC}}}},
    {SCMP_SYS(mprotect), Who::driver, {{{2, PROT_EXEC, 0}}}},
    {SCMP_SYS(mprotect), Who::driver, {{{2, PROT_EXEC | PROT_WRITE, PROT_EXEC}}}},
    {SCMP_SYS(mmap), Who::program, {{{2, PROT_EXEC, 0}}}},
    {SCMP_SYS(mmap), Who::program, {{{2, PROT_EXEC | PROT_WRITE, PROT_EXEC}, {3, MAP_ANONYMOUS, 0}}}},
    {SCMP_SYS(mprotect), Who::program, {{{2, PROT_EXEC, 0}}}},
    // Threads, their locks and signals.
    {SCMP_SYS(clone), Who::all, {{{0, thread_mask, thread}}}}, {SCMP_SYS(futex)}, {SCMP_SYS(set_robust_list)},
    {SCMP_SYS(rseq)}, {SCMP_SYS(gettid)}, {SCMP_SYS(getpid)}, {SCMP_SYS(getppid)}, {SCMP_SYS(exit)},
    {SCMP_SYS(exit_group)}, {SCMP_SYS(sched_yield)}, equal(SCMP_SYS(sched_getaffinity), 0, 0),
    {SCMP_SYS(sched_get_priority_min)}, {SCMP_SYS(sched_get_priority_max)}, {SCMP_SYS(rt_sigaction)},
    {SCMP_SYS(rt_sigprocmask)}, {SCMP_SYS(rt_sigreturn)}, {SCMP_SYS(sigaltstack)}, {SCMP_SYS(restart_syscall)},
    equal(SCMP_SYS(tgkill), 0, own_process),  // abort()
    equal(SCMP_SYS(prctl), 0, PR_SET_NAME), equal(SCMP_SYS(prctl), 0, PR_GET_NAME),
    // Time, and information about this process.
    {SCMP_SYS(clock_gettime)}, {SCMP_SYS(clock_getres)}, {SCMP_SYS(clock_nanosleep)}, {SCMP_SYS(nanosleep)},
    {SCMP_SYS(gettimeofday)}, {SCMP_SYS(time)}, {SCMP_SYS(times)}, {SCMP_SYS(getrandom)}, {SCMP_SYS(sysinfo)},
    {SCMP_SYS(uname)}, {SCMP_SYS(getrlimit)}, {SCMP_SYS(getrusage)},
    {SCMP_SYS(prlimit64), Who::all, {{{0, low_word, 0}, {2, whole, 0}}}}, {SCMP_SYS(getuid)}, {SCMP_SYS(geteuid)},
    {SCMP_SYS(getgid)}, {SCMP_SYS(getegid)},
    // Files; the root folder and Landlock decide which ones. No changes of owners, modes, times or attributes.
    {SCMP_SYS(read)}, {SCMP_SYS(write)}, {SCMP_SYS(readv)}, {SCMP_SYS(writev)}, {SCMP_SYS(pread64)},
    {SCMP_SYS(pwrite64)}, {SCMP_SYS(lseek)}, {SCMP_SYS(open)}, {SCMP_SYS(openat)}, {SCMP_SYS(close)}, {SCMP_SYS(dup)},
    {SCMP_SYS(fstat)}, {SCMP_SYS(stat)}, {SCMP_SYS(lstat)}, {SCMP_SYS(newfstatat)}, {SCMP_SYS(statx)},
    {SCMP_SYS(access)}, {SCMP_SYS(faccessat)}, {SCMP_SYS(faccessat2)}, {SCMP_SYS(readlink)}, {SCMP_SYS(readlinkat)},
    {SCMP_SYS(getdents64)}, {SCMP_SYS(getcwd)}, {SCMP_SYS(mkdir)}, {SCMP_SYS(rename)}, {SCMP_SYS(unlink)},
    {SCMP_SYS(unlinkat)}, {SCMP_SYS(rmdir)}, {SCMP_SYS(fsync)}, {SCMP_SYS(fdatasync)}, {SCMP_SYS(ftruncate)},
    {SCMP_SYS(poll)}, {SCMP_SYS(ppoll)}, {SCMP_SYS(pipe2)}, {SCMP_SYS(eventfd2)}, equal(SCMP_SYS(fcntl), 1, F_GETFD),
    equal(SCMP_SYS(fcntl), 1, F_SETFD), equal(SCMP_SYS(fcntl), 1, F_GETFL), equal(SCMP_SYS(fcntl), 1, F_DUPFD),
    equal(SCMP_SYS(fcntl), 1, F_DUPFD_CLOEXEC),
    // What CUDA's user-mode driver needs. Only its own commands: those of the device files (type 'F') and of unified
    // memory (small numbers, and two without a type); none for terminals, sockets or owners of signals.
    {SCMP_SYS(ioctl), Who::driver, {{{1, 0xff00, 0x4600}}}}, {SCMP_SYS(ioctl), Who::driver, {{{1, 0xfffff000, 0}}}},
    equal(SCMP_SYS(ioctl), 1, 0x30000001, Who::driver), equal(SCMP_SYS(ioctl), 1, 0x30000002, Who::driver),
    {SCMP_SYS(fcntl), Who::driver, {{{1, low_word, F_SETFL}, {2, O_ASYNC, 0}}}},
    equal(SCMP_SYS(fcntl), 1, F_SETLK, Who::driver), equal(SCMP_SYS(fcntl), 1, F_SETLKW, Who::driver),
    equal(SCMP_SYS(fcntl), 1, F_GETLK, Who::driver), equal(SCMP_SYS(fcntl), 1, F_ADD_SEALS, Who::driver),
    equal(SCMP_SYS(fcntl), 1, F_GET_SEALS, Who::driver), {SCMP_SYS(flock), Who::driver},
    {SCMP_SYS(memfd_create), Who::driver}, {SCMP_SYS(fallocate), Who::driver}, {SCMP_SYS(mlock), Who::driver},
    {SCMP_SYS(mlock2), Who::driver}, {SCMP_SYS(munlock), Who::driver}, {SCMP_SYS(mincore), Who::driver},
    {SCMP_SYS(msync), Who::driver}, {SCMP_SYS(membarrier), Who::driver}, {SCMP_SYS(mbind), Who::driver},
    {SCMP_SYS(get_mempolicy), Who::driver}, {SCMP_SYS(set_mempolicy), Who::driver},
    equal(SCMP_SYS(sched_setaffinity), 0, 0, Who::driver), equal(SCMP_SYS(sched_getparam), 0, 0, Who::driver),
    equal(SCMP_SYS(sched_getscheduler), 0, 0, Who::driver), {SCMP_SYS(getcpu), Who::driver},
    {SCMP_SYS(epoll_create1), Who::driver}, {SCMP_SYS(epoll_ctl), Who::driver}, {SCMP_SYS(epoll_wait), Who::driver},
    {SCMP_SYS(epoll_pwait), Who::driver}, {SCMP_SYS(select), Who::driver}, {SCMP_SYS(pselect6), Who::driver},
    {SCMP_SYS(pipe), Who::driver}, {SCMP_SYS(dup2), Who::driver}, {SCMP_SYS(dup3), Who::driver},
    {SCMP_SYS(umask), Who::driver}, {SCMP_SYS(mkdirat), Who::driver}, {SCMP_SYS(statfs), Who::driver},
    {SCMP_SYS(fstatfs), Who::driver}, {SCMP_SYS(getdents), Who::driver}, {SCMP_SYS(capget), Who::driver},
    {SCMP_SYS(getresuid), Who::driver}, {SCMP_SYS(getresgid), Who::driver}, {SCMP_SYS(chdir), Who::driver},
    {SCMP_SYS(timerfd_create), Who::driver}, {SCMP_SYS(timerfd_settime), Who::driver},
    // Its local socket exists but never answers: accept, connect and sending are not allowed.
    equal(SCMP_SYS(socket), 0, AF_UNIX, Who::driver), {SCMP_SYS(bind), Who::driver}, {SCMP_SYS(listen), Who::driver},
    {SCMP_SYS(getsockname), Who::driver}, {SCMP_SYS(getsockopt), Who::driver}, {SCMP_SYS(setsockopt), Who::driver},
    {SCMP_SYS(shutdown), Who::driver}, {SCMP_SYS(recvmsg), Who::driver}, {SCMP_SYS(recvfrom), Who::driver},
    // Starting a program; Landlock decides which one.
    {SCMP_SYS(execve), Who::program}, {SCMP_SYS(arch_prctl), Who::program}, {SCMP_SYS(set_tid_address), Who::program},
};
// clang-format on

}  // namespace ww::sandbox
