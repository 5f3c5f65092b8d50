// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include "sandbox_probes.h"

namespace ww::attack {
namespace {

long opens(const std::string& path, int flags = O_RDONLY) { return ::open(path.c_str(), flags | O_CLOEXEC, 0600); }
long writes(const std::string& path) { return opens(path, O_WRONLY); }
long creates(const std::string& folder) { return opens(folder + "/probe", O_WRONLY | O_CREAT); }
long lists(const char* path) {
  DIR* folder = ::opendir(path);
  return folder ? 0 : -1;
}
std::string process(const World& w, const char* file) { return "/proc/" + std::to_string(w.victim) + "/" + file; }

long others_in_proc(const World&) {  // folders of processes beside this one and the one that waits for it
  DIR* proc = ::opendir("/proc");
  if (!proc) return -1;
  int others = 0;
  while (const dirent* entry = ::readdir(proc)) {
    const long pid = std::atol(entry->d_name);
    others += pid > 1 && pid != ::getpid();
  }
  return others > 0 ? others : -1;
}

long capability(const World&) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("CapEff:")) return line.find_first_not_of("0", 8) == std::string::npos ? -1 : 1;
  return -1;
}

long more_memory(const World&) {  // all that there is may be asked for, not much more than the limit
  long taken = 0;
  for (; taken < 64; ++taken)
    if (::mmap(nullptr, std::size_t{1} << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
      return -1;
  return taken;
}

long code_in_the_cache(const World& w) {
  const long file = opens(w.cache + "/code", O_RDWR | O_CREAT);
  if (file < 0 || ::write(static_cast<int>(file), "\xc3", 1) != 1) return -1;
  return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, static_cast<int>(file), 0) == MAP_FAILED ? -1 : 0;
}

long connects(const World& w) {
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(w.port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}
long connects_locally(const std::string& name, bool abstract) {
  const int s = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path + abstract, name.data(), name.size());
  const auto length = offsetof(sockaddr_un, sun_path) + name.size() + 1;
  return ::connect(s, reinterpret_cast<const sockaddr*>(&to), static_cast<socklen_t>(length));
}

long thread_without_walls(const World& w) {
  long result = -1;
  std::thread([&] { result = opens(w.secret); }).join();
  return result;
}

long call_of_32_bits(const World&) {
#if defined(__x86_64__)
  long result = 20;  // getpid
  asm volatile("int $0x80" : "+a"(result) : : "memory");
  return result;
#else
  return -1;
#endif
}

constexpr Attempt all[] = {
    // Files of the user and of the system.
    {"read a private file", [](const World& w) { return opens(w.secret); }},
    {"write a private file", [](const World& w) { return writes(w.secret); }},
    {"see a private file", [](const World& w) -> long { return ::access(w.secret.c_str(), F_OK); }},
    {"stat a private file",
     [](const World& w) -> long {
       struct stat s {};
       return ::stat(w.secret.c_str(), &s);
     }},
    {"open only the path of a private file", [](const World& w) { return opens(w.secret, O_PATH); }},
    {"read it through this process's folder", [](const World& w) { return opens("/proc/self/root" + w.secret); }},
    {"read it through a path with dots",
     [](const World& w) { return opens(w.cache + "/../../../../../../.." + w.secret); }},
    {"read it from another thread", thread_without_walls},
    {"remove a private file", [](const World& w) -> long { return ::unlink(w.secret.c_str()); }},
    {"rename a private file",
     [](const World& w) -> long { return ::rename(w.secret.c_str(), (w.cache + "/a").c_str()); }},
    {"empty a private file", [](const World& w) { return opens(w.secret, O_WRONLY | O_TRUNC); }},
    {"list the user's folder", [](const World& w) { return lists(w.folder.c_str()); }},
    {"create in the user's folder", [](const World& w) { return creates(w.folder); }},
    {"make a folder there", [](const World& w) -> long { return ::mkdir((w.folder + "/x").c_str(), 0700); }},
    {"list /tmp", [](const World&) { return lists("/tmp"); }},
    {"create in /tmp", [](const World&) { return creates("/tmp"); }},
    {"list /dev/shm", [](const World&) { return lists("/dev/shm"); }},
    {"create in /dev/shm", [](const World&) { return creates("/dev/shm"); }},
    {"read shared memory", [](const World& w) { return opens(w.shared_memory); }},
    {"write shared memory", [](const World& w) { return writes(w.shared_memory); }},
    {"list /", [](const World&) { return lists("/"); }},
    {"list /home", [](const World&) { return lists("/home"); }},
    {"list /root", [](const World&) { return lists("/root"); }},
    {"list /etc", [](const World&) { return lists("/etc"); }},
    {"list /var", [](const World&) { return lists("/var"); }},
    {"list /run", [](const World&) { return lists("/run"); }},
    {"list /sys", [](const World&) { return lists("/sys"); }},
    {"list /dev", [](const World&) { return lists("/dev"); }},
    {"read /etc/passwd", [](const World&) { return opens("/etc/passwd"); }},
    {"read /etc/shadow", [](const World&) { return opens("/etc/shadow"); }},
    {"read /etc/hostname", [](const World&) { return opens("/etc/hostname"); }},
    {"create in /", [](const World&) { return creates(""); }},
    {"create in /usr", [](const World&) { return creates("/usr"); }},
    {"create in /usr/lib", [](const World&) { return creates("/usr/lib"); }},
    {"write a program", [](const World&) { return writes("/usr/bin/env"); }},
    {"write the linker's cache", [](const World&) { return writes("/etc/ld.so.cache"); }},
    {"special file in the cache", [](const World& w) -> long { return ::mkfifo((w.cache + "/f").c_str(), 0600); }},
    {"link in the cache", [](const World& w) -> long { return ::symlink(w.secret.c_str(), (w.cache + "/l").c_str()); }},
    {"open mode of a file in the cache", [](const World& w) -> long { return ::chmod(w.cache.c_str(), 0777); }},
    {"a file of 2 GiB",
     [](const World& w) -> long {
       ::signal(SIGXFSZ, SIG_IGN);
       return ::ftruncate(static_cast<int>(opens(w.cache + "/big", O_RDWR | O_CREAT)), off_t{2} << 30);
     }},
    {"a thousand open files",
     [](const World&) -> long {
       long fd = 0;
       for (int i = 0; i < 1000 && fd >= 0; ++i) fd = opens("/dev/null");
       return fd;
     }},
    // Other processes.
    {"see them in /proc", others_in_proc},
    {"command line of another process", [](const World& w) { return opens(process(w, "cmdline")); }},
    {"environment of another process", [](const World& w) { return opens(process(w, "environ")); }},
    {"memory map of another process", [](const World& w) { return opens(process(w, "maps")); }},
    {"memory of another process", [](const World& w) { return opens(process(w, "mem"), O_RDWR); }},
    {"state of another process", [](const World& w) { return opens(process(w, "status")); }},
    {"files of another process", [](const World& w) { return lists(process(w, "fd").c_str()); }},
    {"root folder of another process", [](const World& w) { return lists(process(w, "root/").c_str()); }},
    {"working folder of another process", [](const World& w) { return lists(process(w, "cwd/").c_str()); }},
    {"command line of the first process", [](const World&) { return opens("/proc/1/cmdline"); }},
    {"environment of the first process", [](const World&) { return opens("/proc/1/environ"); }},
    {"memory of the first process", [](const World&) { return opens("/proc/1/mem", O_RDWR); }},
    {"kill another process", [](const World& w) -> long { return ::kill(w.victim, SIGKILL); }},
    {"queue a signal to another process", [](const World& w) -> long { return ::sigqueue(w.victim, SIGUSR1, {}); }},
    {"kill the parent", [](const World&) -> long { return ::kill(::getppid(), SIGKILL); }},
    // The kernel's files.
    {"write this process's memory as a file", [](const World&) { return opens("/proc/self/mem", O_RDWR); }},
    {"write its user map", [](const World&) { return writes("/proc/self/uid_map"); }},
    {"write its score for memory shortage", [](const World&) { return writes("/proc/self/oom_score_adj"); }},
    {"the kernel's memory", [](const World&) { return opens("/proc/kcore"); }},
    {"the kernel's messages", [](const World&) { return opens("/proc/kmsg"); }},
    {"the kernel's settings", [](const World&) { return opens("/proc/sys/kernel/core_pattern"); }},
    {"write the kernel's settings", [](const World&) { return writes("/proc/sys/kernel/core_pattern"); }},
    {"the magic key", [](const World&) { return writes("/proc/sysrq-trigger"); }},
    {"the machine's connections", [](const World&) { return opens("/proc/1/net/tcp"); }},
    {"the machine's mounts", [](const World&) { return opens("/proc/1/mountinfo"); }},
    {"control groups", [](const World&) { return lists("/sys/fs/cgroup"); }},
    {"the kernel's debugger", [](const World&) { return lists("/sys/kernel/debug"); }},
    // Devices.
    {"the user's terminal", [](const World& w) { return opens(w.terminal, O_RDWR | O_NOCTTY); }},
    {"read the user's terminal", [](const World& w) { return opens(w.terminal, O_RDONLY | O_NOCTTY); }},
    {"the own terminal", [](const World&) { return opens("/dev/tty", O_RDWR); }},
    {"the console", [](const World&) { return opens("/dev/console", O_RDWR | O_NOCTTY); }},
    {"a new terminal", [](const World&) { return opens("/dev/ptmx", O_RDWR | O_NOCTTY); }},
    {"physical memory", [](const World&) { return opens("/dev/mem"); }},
    {"the kernel's log", [](const World&) { return opens("/dev/kmsg"); }},
    {"a disk", [](const World&) { return opens("/dev/vda"); }},
    {"virtual machines", [](const World&) { return opens("/dev/kvm", O_RDWR); }},
    {"file systems in user space", [](const World&) { return opens("/dev/fuse", O_RDWR); }},
    {"tunnels", [](const World&) { return opens("/dev/net/tun", O_RDWR); }},
    {"write random seeds", [](const World&) { return writes("/dev/urandom"); }},
    // The network, and what others share.
    {"connect to this machine", connects},
    {"connect to a local socket", [](const World& w) { return connects_locally(w.socket, false); }},
    {"connect to an abstract socket", [](const World& w) { return connects_locally(w.abstract_name, true); }},
    {"attach shared memory",
     [](const World& w) -> long {
       return ::shmat(w.shared_segment, nullptr, 0) == reinterpret_cast<void*>(-1) ? -1 : 0;
     }},
    // Rights and memory.
    {"hold a capability", capability},
    {"64 GiB of memory", more_memory},
    {"run code from the cache", code_in_the_cache},
    {"a call of another architecture", [](const World&) -> long { return ::syscall(0x40000000 | SYS_getpid); }},
    {"a call of 32 bits", call_of_32_bits},
};

}  // namespace

std::span<const Attempt> attempts() { return all; }

}  // namespace ww::attack
