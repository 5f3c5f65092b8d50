// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sandbox/protections.h"

namespace ww::sandbox {
namespace fs = std::filesystem;
namespace {

// As in newer headers (landlock(7)).
constexpr std::uint64_t access_refer = 1ULL << 13, access_truncate = 1ULL << 14, access_ioctl_dev = 1ULL << 15;
constexpr std::uint64_t network_bind_and_connect = 3, scope_abstract_sockets = 1, scope_signals = 2;
constexpr unsigned restrict_all_threads = 1U << 3;
constexpr int newest_abi = 6;  // the first with all that is used here
struct Ruleset {
  std::uint64_t files = 0, network = 0, scoped = 0;
};

constexpr std::uint64_t file_reads = LANDLOCK_ACCESS_FS_READ_FILE, reads = file_reads | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t file_writes = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t folder_writes = LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                        LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG;
constexpr std::uint64_t special_files = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                        LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                        LANDLOCK_ACCESS_FS_MAKE_SYM;

class Rules {
 public:
  Rules(int fd, std::uint64_t handled) : fd_(fd), handled_(handled) {}
  ~Rules() { ::close(fd_); }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  void allow(const fs::path& path, std::uint64_t access) {
    const int fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (fd < 0) return;  // missing paths need no rule
    struct stat info {};
    if (::fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode))
      access &= file_reads | file_writes | LANDLOCK_ACCESS_FS_EXECUTE | access_truncate | access_ioctl_dev;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = access & handled_;
    rule.parent_fd = fd;
    good_ &= ::syscall(SYS_landlock_add_rule, fd_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    // A process's folder is made anew when it is no longer in use, and the rule would not hold for the new one.
    if (path.native().starts_with("/proc")) return;
    ::close(fd);
  }
  bool good() const { return good_; }
  int get() const { return fd_; }

 private:
  int fd_;
  std::uint64_t handled_;
  bool good_ = true;
};

void allow_driver(Rules& rules) {
  for (const char* path :
       {"/proc/driver", "/proc/devices", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/version",
        "/proc/modules", "/proc/filesystems", "/proc/sys", "/sys/devices", "/sys/bus", "/sys/class", "/sys/module"})
    rules.allow(path, reads);
  std::error_code ec;
  for (fs::directory_iterator at("/dev", ec), end; !ec && at != end; at.increment(ec))
    if (at->path().filename().native().starts_with("nvidia"))
      rules.allow(at->path(), reads | file_writes | access_ioctl_dev);
}

}  // namespace

Protection confine_files(const Options& options) {
  Protection p = inactive("landlock");
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1) {
    p.detail = "the kernel has no Landlock: " + why(errno);
    return p;
  }
  std::uint64_t writes = file_writes | folder_writes;
  if (abi >= 2) writes |= access_refer;
  if (abi >= 3) writes |= access_truncate;
  Ruleset wanted{reads | writes | special_files | LANDLOCK_ACCESS_FS_EXECUTE, 0, 0};
  std::size_t size = sizeof wanted.files;
  if (abi >= 4) {
    wanted.network = network_bind_and_connect;
    size = 2 * sizeof wanted.files;
  }
  if (abi >= 5) wanted.files |= access_ioctl_dev;
  if (abi >= 6) {
    // Threads that a driver started earlier are outside: its local socket and signals to them would be cut off.
    wanted.scoped = options.device_driver ? 0 : scope_abstract_sockets | scope_signals;
    size = sizeof wanted;
  }
  const int fd = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &wanted, size, 0));
  if (fd < 0) {
    p.detail = why(errno);
    return p;
  }
  Rules rules(fd, wanted.files);
  for (const char* system : system_folders) rules.allow(system, reads);
  for (const char* device : plain_devices) rules.allow(device, file_reads);
  rules.allow("/dev/null", file_reads | file_writes);
  rules.allow("/proc/self", reads);
  rules.allow("/sys/devices/system/cpu", reads);
  for (const fs::path& path : options.readable) rules.allow(path, reads);
  for (const fs::path& path : options.writable) rules.allow(path, reads | writes);
  if (options.device_driver) allow_driver(rules);
  if (!options.program.empty())
    for (const fs::path& part : {options.program, fs::path("/lib64/ld-linux-x86-64.so.2")})
      rules.allow(part, file_reads | LANDLOCK_ACCESS_FS_EXECUTE);
  if (!rules.good())
    p.detail = "a rule was refused: " + why(errno);
  else if (::syscall(SYS_landlock_restrict_self, rules.get(), abi >= 8 ? restrict_all_threads : 0U) != 0)
    p.detail = why(errno);
  else
    p.active = true;
  if (!p.active) return p;
  if (abi < newest_abi)
    p.detail = "the kernel knows version " + std::to_string(abi) + " of it, which lacks some of that; ";
  std::string writable;
  for (const fs::path& path : options.writable) writable += " " + path.string();
  if (options.device_driver) writable += writable.empty() ? " the GPU's device files" : " and the GPU's device files";
  p.detail += writable.empty() ? "no file can be written" : "writable:" + writable;
  return p;
}

}  // namespace ww::sandbox
