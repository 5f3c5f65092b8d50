// SPDX-License-Identifier: Apache-2.0
#include "base/program.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/wake.h"

namespace ww {
namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  ~Pipe() { close_end(0), close_end(1); }
  bool open() { return ::pipe2(ends, O_CLOEXEC) == 0; }
  void close_end(int which) {
    if (ends[which] >= 0) ::close(ends[which]);
    ends[which] = -1;
  }
};

class Child {  // killed and reaped when it goes, if it still runs
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_;
};

// False: the end of the stream.
bool take(int fd, std::string& into) {
  char buffer[1 << 16];
  const ssize_t n = ::read(fd, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  into.append(buffer, static_cast<std::size_t>(n));
  return n > 0;
}

}  // namespace

Result<ProgramOutput> run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                  const ProgramLimits& limits, std::stop_token stop) {
  constexpr std::size_t kept_errors = 1 << 16;
  const std::string name = program.string();
  Pipe out, errors;
  if (!out.open() || !errors.open()) return fail(Code::io, "'" + name + "' could not be started", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, errors.ends[1], 2);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  std::vector<std::string> words = {name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const char* given = std::getenv("PATH");
  std::string path = std::string("PATH=") + (given ? given : ""), language = "LANG=C";
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  char* environment[] = {path.data(), language.data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, name.c_str(), &actions, nullptr, argv.data(), environment);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fail(Code::unavailable, "'" + name + "' could not be started", std::strerror(error));
  Child child(pid);
  out.close_end(1);
  errors.close_end(1);

  ProgramOutput result;
  const Wake wake;
  const std::stop_callback on_stop(stop, [&wake] { wake.signal(); });
  const auto until = std::chrono::steady_clock::now() + limits.deadline;
  while (out.ends[0] >= 0 || errors.ends[0] >= 0) {
    if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return fail(Code::timeout, "'" + name + "' did not finish within " + std::to_string(limits.deadline.count()) +
                                     " ms and was killed");
    pollfd fds[3] = {{out.ends[0], POLLIN, 0}, {errors.ends[0], POLLIN, 0}, {wake.fd(), POLLIN, 0}};  // -1 is ignored
    ::poll(fds, 3, wake.timeout(left));
    if (fds[0].revents && !take(out.ends[0], result.out)) out.close_end(0);
    if (fds[1].revents && !take(errors.ends[0], result.errors)) errors.close_end(0);
    if (result.out.size() > limits.output)
      return fail(Code::io,
                  "'" + name + "' printed more than " + std::to_string(limits.output) + " bytes and was killed");
    if (result.errors.size() > 2 * kept_errors) result.errors.erase(0, result.errors.size() - kept_errors);
  }
  const int status = child.wait();
  if (WIFSIGNALED(status))
    return fail(Code::crashed, "'" + name + "' was killed by signal " + std::to_string(WTERMSIG(status)),
                result.errors);
  result.status = WEXITSTATUS(status);
  return result;
}

}  // namespace ww
