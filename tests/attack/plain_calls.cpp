// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "sandbox_probes.h"

namespace ww::attack {
namespace {

#define CALL(name, ...)                \
  {                                    \
#name, SYS_##name, { __VA_ARGS__ } \
  }

// clang-format off
constexpr PlainCall calls[] = {
    // Other processes.
    CALL(kill, 1, 0), {"kill everybody", SYS_kill, {-1, 0}}, {"kill the group", SYS_kill, {0, 0}}, CALL(tkill, 1, 0),
    {"tgkill another", SYS_tgkill, {1, 1, 0}}, CALL(rt_sigqueueinfo, 1, 0), CALL(rt_tgsigqueueinfo, 1, 1, 0),
    CALL(pidfd_open, 1), CALL(pidfd_send_signal, 0), CALL(pidfd_getfd, 0), CALL(ptrace, PTRACE_TRACEME),
    {"ptrace seize", SYS_ptrace, {PTRACE_SEIZE, 1}}, CALL(process_vm_readv, 1), CALL(process_vm_writev, 1),
    CALL(process_madvise, 0), CALL(process_mrelease, 0), CALL(kcmp, 1, 1), CALL(move_pages, 1),
    CALL(migrate_pages, 1), CALL(get_robust_list, 1), CALL(setpriority, 0, 0, 19), CALL(getpriority, 0, 1),
    CALL(ioprio_set, 1, 0, 0), CALL(ioprio_get, 1, 1), CALL(sched_setscheduler, 0), CALL(sched_setattr, 0),
    CALL(sched_getattr, 1), CALL(sched_setparam, 0), CALL(sched_setaffinity, 0),
    {"sched_getaffinity of another", SYS_sched_getaffinity, {1, 8}}, CALL(setrlimit, 7),
    {"prlimit64 of another", SYS_prlimit64, {1, 7}}, CALL(setpgid, 0, 0), CALL(setsid), CALL(getpgid, 1),
    CALL(getsid, 1), CALL(wait4, -1, 0, 1), CALL(waitid, 0, 0, 0, 5),
    // New ones.
    CALL(fork), CALL(vfork), {"clone a process", SYS_clone, {17}},
    {"clone with its memory", SYS_clone, {CLONE_VM | 17}},
    {"clone a thread elsewhere", SYS_clone, {CLONE_THREAD | CLONE_VM | CLONE_SIGHAND | CLONE_NEWNS}}, CALL(execve),
    CALL(execveat, -1), CALL(unshare, CLONE_NEWUSER), {"unshare mounts", SYS_unshare, {CLONE_NEWNS}},
    {"unshare the network", SYS_unshare, {CLONE_NEWNET}}, CALL(setns, 0, 0), CALL(seccomp, SECCOMP_SET_MODE_STRICT),
    // Identity.
    CALL(setuid, 0), CALL(setgid, 0), CALL(setreuid, 0, 0), CALL(setregid, 0, 0), CALL(setresuid, 0, 0, 0),
    CALL(setresgid, 0, 0, 0), CALL(setgroups, 0), CALL(setfsuid, 0), CALL(setfsgid, 0), CALL(capset), CALL(capget),
    {"prctl dumpable", SYS_prctl, {PR_SET_DUMPABLE, 1}}, {"prctl death signal", SYS_prctl, {PR_SET_PDEATHSIG, 0}},
    {"prctl tracer", SYS_prctl, {PR_SET_PTRACER, -1}}, {"prctl memory map", SYS_prctl, {PR_SET_MM, 1}},
    {"prctl secure bits", SYS_prctl, {PR_SET_SECUREBITS, 0}}, {"prctl keep rights", SYS_prctl, {PR_SET_KEEPCAPS, 1}},
    {"prctl subreaper", SYS_prctl, {PR_SET_CHILD_SUBREAPER, 1}},
    {"prctl timer slack", SYS_prctl, {PR_SET_TIMERSLACK, 1}}, {"prctl bounding set", SYS_prctl, {PR_CAPBSET_DROP, 0}},
    {"prctl seccomp", SYS_prctl, {PR_SET_SECCOMP, 1}}, CALL(arch_prctl, 0x1001), CALL(personality, 0x0400000),
    // Owners of descriptors.
    {"fcntl F_SETOWN", SYS_fcntl, {0, F_SETOWN, 1}}, {"fcntl F_SETOWN_EX", SYS_fcntl, {0, F_SETOWN_EX, 0}},
    {"fcntl F_SETSIG", SYS_fcntl, {0, F_SETSIG, 9}}, {"fcntl F_SETLEASE", SYS_fcntl, {0, F_SETLEASE, F_RDLCK}},
    {"fcntl F_NOTIFY", SYS_fcntl, {0, F_NOTIFY, 1}}, {"fcntl F_SETFL", SYS_fcntl, {0, F_SETFL, O_ASYNC}},
    {"fcntl F_SETPIPE_SZ", SYS_fcntl, {0, F_SETPIPE_SZ, 1 << 20}}, {"ioctl TIOCSTI", SYS_ioctl, {0, 0x5412}},
    {"ioctl TIOCLINUX", SYS_ioctl, {0, 0x541c}}, {"ioctl FIOSETOWN", SYS_ioctl, {0, 0x8901}},
    {"ioctl FIOASYNC", SYS_ioctl, {0, 0x5452}}, {"ioctl TCSETS", SYS_ioctl, {0, 0x5402}},
    {"ioctl SIOCSPGRP", SYS_ioctl, {0, 0x8902}}, {"ioctl FICLONE", SYS_ioctl, {0, 0x40049409}},
    // The network.
    {"socket of TCP", SYS_socket, {AF_INET, SOCK_STREAM}}, {"socket of UDP", SYS_socket, {AF_INET, SOCK_DGRAM}},
    {"raw socket", SYS_socket, {AF_INET, SOCK_RAW, 1}}, {"socket of IPv6", SYS_socket, {AF_INET6, SOCK_STREAM}},
    {"socket of netlink", SYS_socket, {AF_NETLINK, SOCK_RAW}},
    {"socket of packets", SYS_socket, {AF_PACKET, SOCK_RAW}},
    {"socket of ciphers", SYS_socket, {AF_ALG, SOCK_SEQPACKET}},
    {"socket of vsock", SYS_socket, {AF_VSOCK, SOCK_STREAM}}, {"local socket", SYS_socket, {AF_UNIX, SOCK_STREAM}},
    CALL(socketpair, AF_UNIX, SOCK_STREAM), CALL(connect, 0), CALL(bind, 0), CALL(listen, 0), CALL(accept, 0),
    CALL(accept4, 0), CALL(sendto, 1), CALL(sendmsg, 1), CALL(sendmmsg, 1), CALL(recvmsg, 0), CALL(recvfrom, 0),
    CALL(setsockopt, 0), CALL(getsockopt, 0), CALL(getpeername, 0), CALL(shutdown, 0),
    // Modes, owners, times and attributes of files; ways around paths.
    CALL(chmod), CALL(fchmod, 0, 0666), CALL(fchmodat, AT_FDCWD), {"fchmodat2", 452, {AT_FDCWD}}, CALL(chown),
    CALL(fchown, 0), CALL(lchown), CALL(fchownat, AT_FDCWD), CALL(utime), CALL(utimes), CALL(futimesat, AT_FDCWD),
    CALL(utimensat, AT_FDCWD), CALL(setxattr), CALL(lsetxattr), CALL(fsetxattr, 0), {"setxattrat", 463, {AT_FDCWD}},
    CALL(removexattr), CALL(getxattr), CALL(listxattr), CALL(truncate), CALL(link), CALL(linkat, AT_FDCWD),
    CALL(symlink), CALL(symlinkat), CALL(mknod), CALL(mknodat, AT_FDCWD), CALL(renameat2, AT_FDCWD), CALL(chdir),
    CALL(fchdir, 0), CALL(chroot), CALL(umask, 0), CALL(openat2, AT_FDCWD), CALL(creat),
    CALL(name_to_handle_at, AT_FDCWD), CALL(open_by_handle_at, AT_FDCWD), CALL(inotify_init1, 0),
    CALL(fanotify_init, 0), CALL(quotactl), CALL(sync), CALL(syncfs, 0), CALL(copy_file_range, 0, 0, 1),
    CALL(sendfile, 1, 0), CALL(splice, 0, 0, 1), CALL(tee, 0, 1), CALL(vmsplice, 1), CALL(memfd_create),
    {"memfd_secret", 447, {0}}, CALL(flock, 0, 5), CALL(fallocate, 0),
    // Mounts.
    CALL(mount), CALL(umount2), CALL(pivot_root), CALL(fsopen), CALL(fsconfig, 0), CALL(fsmount, 0),
    CALL(fspick, AT_FDCWD), CALL(open_tree, AT_FDCWD), CALL(move_mount, AT_FDCWD), CALL(mount_setattr, AT_FDCWD),
    {"statmount", 457, {0}}, {"listmount", 458, {0}}, CALL(swapon), CALL(swapoff), CALL(acct),
    // The kernel.
    CALL(bpf, 0), CALL(perf_event_open), CALL(userfaultfd, 0), CALL(keyctl, 0), CALL(add_key), CALL(request_key),
    CALL(io_uring_setup, 1), CALL(io_uring_enter, 0), CALL(io_uring_register, 0), CALL(io_setup, 1),
    CALL(init_module), CALL(finit_module, 0), CALL(delete_module), CALL(kexec_load), CALL(kexec_file_load, 0),
    CALL(reboot), CALL(syslog, 3), CALL(iopl, 3), CALL(ioperm, 0, 1, 1), CALL(modify_ldt, 0), CALL(settimeofday),
    CALL(clock_settime, 0), CALL(adjtimex), CALL(clock_adjtime, 0), CALL(sethostname), CALL(setdomainname),
    CALL(vhangup), CALL(lookup_dcookie), CALL(landlock_create_ruleset, 0, 0, 1), CALL(landlock_restrict_self, 0),
    CALL(set_mempolicy, 0), CALL(mbind, 0), CALL(mlockall, 1), CALL(remap_file_pages, 0), CALL(pkey_alloc, 0),
    CALL(pkey_mprotect, 0), CALL(timer_create, 0), CALL(timerfd_create, 0), CALL(signalfd4, -1), CALL(setitimer, 0),
    CALL(alarm, 0), CALL(membarrier, 0), CALL(ustat, 0),
    // Memory and queues of others.
    CALL(shmget, 1), CALL(shmat, 0), CALL(shmctl, 0), CALL(semget, 1), CALL(msgget, 1), CALL(msgctl, 0),
    CALL(mq_open), {"mmap W+X", SYS_mmap, {0, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS}},
    {"mmap X", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS}},
    {"mprotect X", SYS_mprotect, {0, 4096, PROT_READ | PROT_EXEC}},
    {"mprotect W+X", SYS_mprotect, {0, 4096, PROT_WRITE | PROT_EXEC}},
};

// clang-format on
#undef CALL

}  // namespace

std::span<const PlainCall> plain_calls() { return calls; }

}  // namespace ww::attack
