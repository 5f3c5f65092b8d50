// SPDX-License-Identifier: Apache-2.0
// warpwright-worker: the only process that compiles and runs candidates. Speaks the protocol of engine/rpc on stdin and
// stdout; started, watched and ended by rpc::Supervisor.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>
#include "base/files.h"
#include "base/log.h"
#include "cuda/counters.h"
#include "cuda/device.h"
#include "sandbox/sandbox.h"
#include "rpc/server.h"

namespace {

namespace fs = std::filesystem;

// What a GPU needs from the disk, while the disk can still be reached.
ww::rpc::Preloaded preload(const ww::rpc::WarmUp& warm) {
  ww::rpc::Preloaded out;
  if (warm.profile != ww::rpc::WorkerProfile::cuda) return out;
  ::setenv("CUDA_CACHE_DISABLE", "1", 1);  // the driver's own files of compiled code would outlive this process
  ww::cuda::register_devices();
  const int count = ww::cuda::device_count();
  for (int i = 0; i < count; ++i) out.devices.push_back("cuda:" + std::to_string(i));
  if (count == 0) {
    const auto opened = ww::cuda::open("cuda:0");
    out.devices_error = opened ? "" : opened.error().text();
    return out;
  }
  if (const ww::Status counters = ww::cuda::preload_counters(); !counters) out.counters_error = counters.error().text();
  return out;
}

// Folders of the NVIDIA libraries in this process, with links resolved: they load related libraries later.
std::set<fs::path> driver_folders() {
  std::set<fs::path> folders;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t at = line.find('/');
    if (at == std::string::npos) continue;
    const fs::path path = line.substr(at);
    const std::string name = path.filename().string();
    if (name.starts_with("libcu") || name.starts_with("libnv")) folders.insert(path.parent_path());
  }
  return folders;
}

using Protections = std::vector<ww::Protection>;

void add(Protections& all, const Protections& more) { all.insert(all.end(), more.begin(), more.end()); }

ww::sandbox::Options sandbox_options(const ww::rpc::WarmUp& warm) {
  ww::sandbox::Options options;
  options.memory_limit = warm.memory_limit;
  options.device_driver = warm.profile == ww::rpc::WorkerProfile::cuda;
  std::error_code ec;
  for (const fs::path& part : warm.toolkit)
    if (const fs::path real = fs::canonical(part, ec); !ec)
      options.readable.push_back(fs::is_directory(real, ec) ? real : real.parent_path());
  if (const fs::path self = fs::read_symlink("/proc/self/exe", ec); !ec) options.readable.push_back(self.parent_path());
  if (options.device_driver) {
    for (const fs::path& folder : driver_folders()) options.readable.push_back(folder);
    options.readable.push_back("/opt");
    options.readable.push_back(ww::resources_dir());
  }
  return options;
}

// --confine FILE PROGRAM ARGUMENTS…: becomes a program of the toolkit, in the same sandbox, that may read FILE.
int run_confined(char** words) {
  ww::sandbox::Options options;
  options.memory_limit = std::int64_t{4} << 30;
  options.program = words[1];
  options.readable = {words[0], options.program.parent_path()};
  Protections all = ww::sandbox::enter_namespaces(options);
  add(all, ww::sandbox::lock_down(options));
  for (const ww::Protection& p : all)
    if (p.missing() && ww::sandbox_required()) {
      ww::log::say("the sandbox is required, and " + p.name + " is missing");
      return 126;
    }
  ::execv(words[1], words + 1);
  ww::log::say(std::string(words[1]) + ": " + std::strerror(errno));
  return 126;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 3 && std::strcmp(argv[1], "--confine") == 0) return run_confined(argv + 2);
  if (argc > 1) {
    const bool version = std::strcmp(argv[1], "--version") == 0;
    std::fputs(version ? "warpwright-worker " WW_VERSION "\n"
                       : "warpwright-worker speaks JSON-RPC on its standard input and output; it is started by "
                         "warpwright and takes no arguments.\n",
               version ? stdout : stderr);
    return version ? 0 : 2;
  }
  // stdout belongs to the protocol: output of libraries goes to stderr.
  const int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (out < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 2;
  Protections all = {ww::sandbox::end_with_parent()};
  ww::rpc::ServerHooks hooks;
  hooks.isolate = [&](const ww::rpc::WarmUp& warm) {
    ww::sandbox::Options options;
    options.device_driver = warm.profile == ww::rpc::WorkerProfile::cuda;
    add(all, ww::sandbox::enter_namespaces(options));
  };
  hooks.preload = preload;
  hooks.lock_down = [&](const ww::rpc::WarmUp& warm) {
    add(all, ww::sandbox::lock_down(sandbox_options(warm)));
    return all;
  };
  return ww::rpc::serve(STDIN_FILENO, out, hooks);
}
