// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sandbox/protections.h"

namespace ww::sandbox {
namespace fs = std::filesystem;
namespace {

constexpr const char* new_root = "/tmp";  // where it is built; every system has this folder

// A part of the old root folder on its way into the new one.
struct Part {
  fs::path path;
  int tree = -1;  // a detached mount
  bool folder = true;
};

class Root {
 public:
  ~Root() {
    for (const Part& p : parts_) ::close(p.tree);
  }
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }

  void take(const fs::path& path, std::uint64_t attributes) {
    std::error_code ec;
    const fs::file_status status = fs::symlink_status(path, ec);
    if (!fs::exists(status)) return;
    if (fs::is_symlink(status)) {
      links_.push_back({path, fs::read_symlink(path, ec)});
      return;
    }
    Part part{path, -1, fs::is_directory(status)};
    part.tree = ::open_tree(AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    mount_attr wanted{};
    wanted.attr_set = attributes | MOUNT_ATTR_NOSUID;
    check(part.tree >= 0 && ::mount_setattr(part.tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &wanted, sizeof wanted) == 0,
          path);
    parts_.push_back(std::move(part));
  }

  // From here on, the old /tmp is covered.
  void build(bool processes) {
    check(::mount("tmpfs", new_root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=4m") == 0, new_root);
    if (failed()) return;
    std::error_code ec;
    for (const auto& [path, target] : links_) {
      fs::create_directories(inside(path).parent_path(), ec);
      fs::create_symlink(target, inside(path), ec);
    }
    for (const char* folder : {"/tmp", "/proc"}) fs::create_directories(inside(folder), ec);
    check(::mount("tmpfs", inside("/tmp").c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700,size=64m") ==
              0,
          "/tmp");
    for (const Part& p : parts_) place(p);
    constexpr unsigned long plain = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    has_proc_ = processes && (::mount("proc", inside("/proc").c_str(), "proc", plain, "subset=pid") == 0 ||
                              ::mount("proc", inside("/proc").c_str(), "proc", plain, nullptr) == 0);
  }

  void enter() {
    mount_attr read_only{};
    read_only.attr_set = MOUNT_ATTR_RDONLY;
    const bool done = ::chdir(new_root) == 0 && ::syscall(SYS_pivot_root, ".", ".") == 0 &&
                      ::umount2(".", MNT_DETACH) == 0 && ::chdir("/") == 0 &&
                      ::mount_setattr(AT_FDCWD, "/", 0, &read_only, sizeof read_only) == 0;
    check(done, "/");
  }
  bool has_proc() const { return has_proc_; }

 private:
  static fs::path inside(const fs::path& path) { return new_root + path.native(); }
  void check(bool good, const fs::path& at) {
    if (!good && error_.empty()) error_ = at.string() + ": " + why(errno);
  }
  void place(const Part& part) {
    const fs::path at = inside(part.path);
    std::error_code ec;
    if (!fs::exists(at, ec)) {
      fs::create_directories(part.folder ? at : at.parent_path(), ec);
      if (!part.folder) ::close(::open(at.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0444));
    }
    check(::move_mount(part.tree, "", AT_FDCWD, at.c_str(), MOVE_MOUNT_F_EMPTY_PATH) == 0, part.path);
  }

  std::vector<Part> parts_;
  std::vector<std::pair<fs::path, fs::path>> links_;
  std::string error_;
  bool has_proc_ = false;
};

}  // namespace

Protection private_root(const Options& options) {
  Protection p = inactive("mount_namespace");
  if (options.device_driver) {
    p.given_up = true;
    p.detail = "a GPU's driver opens files of the system as it goes";
    return p;
  }
  if (!state().own_mounts) {
    p.detail = state().mounts_error;
    return p;
  }
  Root root;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    p.detail = why(errno);
    return p;
  }
  for (const char* path : system_folders) root.take(path, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV);
  for (const char* path : plain_devices) root.take(path, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC);
  for (const fs::path& path : options.readable) root.take(path, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV);
  for (const fs::path& path : options.writable) root.take(path, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
  if (!root.failed()) root.build(state().own_processes);
  if (!root.failed()) root.enter();
  p.active = !root.failed();
  p.detail = root.error();
  if (p.active && !root.has_proc()) p.detail = "there is no /proc inside";
  return p;
}

}  // namespace ww::sandbox
