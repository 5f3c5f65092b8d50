// SPDX-License-Identifier: Apache-2.0
#include "rpc/process.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cuda_folder.h"
#include "base/secret.h"

extern char** environ;

namespace ww::rpc {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kept_errors = 64 << 10;  // bytes
constexpr std::size_t read_at_once = 1 << 18;  // bytes per pump, so that a flood leaves time for deadlines

class Descriptor {  // closes itself; never 0, 1 or 2, which the child's redirections use
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {
    if (fd < 0 || fd > 2) return;
    fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
    ::close(fd);
  }
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// What a child may know of our environment: nothing that could be a key. Names, or with '*' at the end their
// beginnings.
constexpr std::string_view inherited[] = {"PATH",          "HOME",        "USER",     "LOGNAME",      "TZ",
                                          "TMPDIR",        "LANG",        "LC_*",     "XDG_*",        "LD_LIBRARY_PATH",
                                          "WARPWRIGHT_*",  "CUDA_*",      "NVIDIA_*", "ASAN_OPTIONS", "LSAN_OPTIONS",
                                          "UBSAN_OPTIONS", "TSAN_OPTIONS"};

constexpr std::string_view cuda_variable = "WARPWRIGHT_CUDA";

bool fits(std::string_view name, std::string_view pattern) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

// Borrows `cuda` and the strings of `environ`. `cuda`: "WARPWRIGHT_CUDA=…", instead of the inherited one; may be empty.
std::vector<char*> environment_for_child(const std::vector<std::string>& more, std::string& cuda) {
  std::vector<char*> out;
  for (char** at = environ; at && *at; ++at) {
    const std::string_view entry(*at);
    const std::string_view name = entry.substr(0, entry.find('='));
    const bool wanted =
        std::any_of(std::begin(inherited), std::end(inherited), [&](std::string_view p) { return fits(name, p); }) ||
        std::any_of(more.begin(), more.end(), [&](const std::string& p) { return fits(name, p); });
    if (!cuda.empty() && name == cuda_variable) continue;
    if (wanted && !name.starts_with("WARPWRIGHT_KEY_") && redact(entry) == entry) out.push_back(*at);
  }
  if (!cuda.empty()) out.push_back(cuda.data());
  out.push_back(nullptr);
  return out;
}

void set_nonblocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

Result<std::unique_ptr<Process>> Process::start(const std::filesystem::path& program,
                                                const std::vector<std::string>& arguments,
                                                const std::vector<std::string>& environment) {
  const auto failed = [&](const char* what, int error) {
    return fail(Code::unavailable, "the worker '" + program.string() + "' cannot be started",
                std::string(what) + ": " + std::strerror(error));
  };
  int pair[2], pipe[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return failed("socketpair", errno);
  Descriptor ours(pair[0]), theirs(pair[1]);
  if (::pipe2(pipe, O_CLOEXEC) != 0) return failed("pipe", errno);
  Descriptor errors_in(pipe[0]), errors_out(pipe[1]);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), 0);
  ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, errors_out.get(), 2);
  // including descriptors that others opened without O_CLOEXEC
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  sigset_t all, none;
  ::sigfillset(&all);
  ::sigemptyset(&none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

  std::string name = program.string();
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv{name.data()};
  for (std::string& a : copies) argv.push_back(a.data());
  argv.push_back(nullptr);
  const std::string folder = chosen_cuda_folder().string();
  std::string cuda = folder.empty() ? std::string() : std::string(cuda_variable) + "=" + folder;
  std::vector<char*> variables = environment_for_child(environment, cuda);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, name.c_str(), &actions, &attributes, argv.data(), variables.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return failed("posix_spawn", error);

  set_nonblocking(ours.get());
  set_nonblocking(errors_in.get());
  return std::unique_ptr<Process>(new Process(pid, ours.release(), errors_in.release()));
}

Process::~Process() {
  terminate(Milliseconds(0));
  if (socket_ >= 0) ::close(socket_);
  if (error_pipe_ >= 0) ::close(error_pipe_);
}

void Process::post(std::string_view body) {
  if (sent()) {
    out_.clear();
    out_at_ = 0;
  }
  out_ += frame(body);
}

void Process::close_input() { close_after_ = true; }

void Process::drain_errors() {
  char buffer[1 << 14];
  for (std::size_t total = 0; error_pipe_ >= 0 && total < read_at_once;) {
    const ssize_t n = ::read(error_pipe_, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;  // nothing more for now
    if (n == 0) {
      ::close(error_pipe_);
      error_pipe_ = -1;
      return;
    }
    errors_.append(buffer, static_cast<std::size_t>(n));
    if (errors_.size() > 2 * kept_errors) errors_.erase(0, errors_.size() - kept_errors);
    total += static_cast<std::size_t>(n);
  }
}

bool Process::pump(Milliseconds wait, const Wake* wake) {
  if (socket_ < 0) return false;
  constexpr Milliseconds longest{60'000};
  pollfd fds[3] = {{socket_, static_cast<short>(POLLIN | (sent() ? 0 : POLLOUT)), 0},
                   {error_pipe_, POLLIN, 0},
                   {wake ? wake->fd() : -1, POLLIN, 0}};  // a negative fd is ignored
  ::poll(fds, 3, wake ? wake->timeout(wait) : static_cast<int>(std::clamp(wait, Milliseconds(0), longest).count()));
  drain_errors();
  while (!sent()) {
    const ssize_t n = ::send(socket_, out_.data() + out_at_, out_.size() - out_at_, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) out_at_ = out_.size();  // it no longer reads; its remaining output is read below
    if (n <= 0) break;
    out_at_ += static_cast<std::size_t>(n);
  }
  if (close_after_ && sent()) ::shutdown(socket_, SHUT_WR);
  char buffer[1 << 16];
  for (std::size_t total = 0; total < read_at_once;) {
    const ssize_t n = ::recv(socket_, buffer, sizeof buffer, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return true;
    if (n <= 0) {
      ::close(socket_);
      socket_ = -1;
      return false;
    }
    frames_.feed({buffer, static_cast<std::size_t>(n)});
    total += static_cast<std::size_t>(n);
  }
  return true;
}

bool Process::reap() {
  if (pid_ == 0) return true;
  int status = 0;
  const pid_t got = ::waitpid(pid_, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return false;
  if (got == pid_) status_ = status;
  pid_ = 0;
  return true;
}

bool Process::wait(Milliseconds limit) {
  const Clock::time_point until = Clock::now() + limit;
  while (!reap()) {
    if (Clock::now() >= until) return false;
    if (!pump(Milliseconds(2))) ::poll(nullptr, 0, 1);  // its output is closed: only its end is left to wait for
  }
  drain_errors();
  return true;
}

bool Process::kill(Milliseconds limit) {
  if (pid_ == 0) return true;
  ::kill(-pid_, SIGKILL);
  const Clock::time_point until = Clock::now() + limit;
  while (!reap()) {
    if (Clock::now() >= until) return false;
    ::poll(nullptr, 0, 1);
  }
  drain_errors();
  return true;
}

void Process::terminate(Milliseconds grace) {
  if (pid_ == 0) return;
  const int pid = pid_;
  if (grace.count() > 0) {
    ::kill(-pid, SIGTERM);
    if (wait(grace)) {
      ::kill(-pid, SIGKILL);  // including its own children
      return;
    }
  }
  if (!kill(end_limit)) pid_ = 0;
}

Process::End Process::end() const {
  if (status_ && WIFEXITED(*status_) && WEXITSTATUS(*status_) == out_of_memory_status) return End::out_of_memory;
  if (!status_ || !WIFSIGNALED(*status_)) return End::of_itself;
  if (WTERMSIG(*status_) == SIGXCPU) return End::out_of_processor_time;
  constexpr int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXFSZ};
  return std::find(std::begin(own), std::end(own), WTERMSIG(*status_)) == std::end(own) ? End::killed : End::of_itself;
}

std::string Process::end_text() const {
  if (pid_ != 0) return {};
  if (!status_) return "ended";
  if (WIFSIGNALED(*status_)) {
    const int signal = WTERMSIG(*status_);
    return "was killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
  }
  return "exited with status " + std::to_string(WEXITSTATUS(*status_));
}

}  // namespace ww::rpc
