// SPDX-License-Identifier: Apache-2.0
#include "sim/exec.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/described_json.h"
#include "base/files.h"

namespace ww::sim {
namespace {

constexpr int report_descriptor = 197;
constexpr std::size_t most_line = 1 << 20;

struct Pipe {
  int in = -1, out = -1;
  ~Pipe() {
    for (const int fd : {in, out})
      if (fd >= 0) ::close(fd);
  }
  void close_out() { ::close(std::exchange(out, -1)); }
};

// Ours with the library's folder in front, and the options.
std::vector<std::string> surroundings(const std::string& folder, const ExecOptions& options) {
  std::vector<std::string> out;
  std::string path = folder;
  for (char** v = environ; *v; ++v) {
    const std::string_view one = *v;
    constexpr std::string_view library_path = "LD_LIBRARY_PATH=";
    if (one.starts_with(library_path) && one.size() > library_path.size())
      path += ":" + std::string(one.substr(library_path.size()));
    else if (!one.starts_with(library_path) && !one.starts_with(std::string(exec_variable) + "="))
      out.emplace_back(one);
  }
  out.push_back("LD_LIBRARY_PATH=" + path);
  out.push_back(std::string(exec_variable) + "=" + json::dump(json::of(options)));
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& t : texts) out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

Result<pid_t> start(std::vector<std::string> arguments, std::vector<std::string> environment, const Pipe& report,
                    bool output_to_errors) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (output_to_errors) ::posix_spawn_file_actions_adddup2(&actions, 2, 1);
  ::posix_spawn_file_actions_adddup2(&actions, report.out, report_descriptor);
  pid_t child = -1;
  const int e = ::posix_spawnp(&child, arguments[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                               pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (e != 0)
    return fail(e == ENOENT ? Code::not_found : Code::invalid_argument, "'" + arguments[0] + "' cannot be run",
                std::strerror(e));
  return child;
}

void take(const ExecLine& line, ExecReport& out) {
  if (line.refused) out.refused.push_back(*line.refused);
  if (line.kernel) out.kernels.push_back(*line.kernel);
  if (line.finding) out.findings.push_back(*line.finding);
  out.further_findings += line.further;
}

class Reader {
 public:
  explicit Reader(ExecReport& out) : out_(out) {}

  // False: the report has ended, or has no more for now.
  bool read(int from) {
    char part[65536];
    const ssize_t n = ::read(from, part, sizeof part);
    if (n < 0) return errno == EINTR;
    if (n == 0) return false;
    left_.append(part, static_cast<std::size_t>(n));
    std::size_t at = 0;
    for (std::size_t end = left_.find('\n'); end != left_.npos; at = end + 1, end = left_.find('\n', at)) {
      out_.loaded = true;
      const auto line = json::read_text<ExecLine>(std::string_view(left_).substr(at, end - at), "a line of the report");
      if (line) take(*line, out_);
    }
    left_.erase(0, at);
    if (left_.size() > most_line) left_.clear();
    return true;
  }

 private:
  ExecReport& out_;
  std::string left_;
};

// Until the program has ended: what it has started may hold the report open for longer.
void read_report(int from, pid_t program, ExecReport& out) {
  Reader reader(out);
  const int ended = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
  pollfd both[2] = {{from, POLLIN, 0}, {ended, POLLIN, 0}};
  while (ended >= 0) {
    if (::poll(both, 2, -1) < 0 && errno == EINTR) continue;
    if (both[1].revents != 0 || (both[0].revents != 0 && !reader.read(from))) break;
  }
  if (ended >= 0) {
    ::close(ended);
    if (both[1].revents != 0) ::fcntl(from, F_SETFL, O_NONBLOCK);
  }
  while (reader.read(from)) continue;
}

// While the program runs, an interrupt from the terminal is its own to handle.
struct InterruptsAreThePrograms {
  InterruptsAreThePrograms() : before(::signal(SIGINT, SIG_IGN)) {}
  ~InterruptsAreThePrograms() { ::signal(SIGINT, before); }
  void (*before)(int);
};

}  // namespace

Result<ExecReport> exec(const std::vector<std::string>& arguments, ExecOptions options, bool output_to_errors) {
  const auto folder = plugins_dir() / "cudart";
  std::error_code ec;
  if (!std::filesystem::exists(folder, ec))
    return fail(Code::unavailable, "the runtime library for CUDA programs is not installed", folder.string());
  Pipe report;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(Code::unavailable, "no pipe could be made", std::strerror(errno));
  report.in = ends[0], report.out = ends[1];
  options.report = report_descriptor;
  const pid_t child = WW_TRY(start(arguments, surroundings(folder.string(), options), report, output_to_errors));
  report.close_out();
  const InterruptsAreThePrograms ignored;
  ExecReport out;
  read_report(report.in, child, out);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status)) out.exit = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) out.signal = WTERMSIG(status);
  return out;
}

}  // namespace ww::sim
