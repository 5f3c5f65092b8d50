// SPDX-License-Identifier: Apache-2.0
// What the worker cannot do once it is locked down, tried in child processes.
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <fstream>
#include <functional>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <thread>
#include <unistd.h>
#include "sandbox/sandbox.h"
#include "rpc/supervisor.h"

using namespace ww::sandbox;
using ww::Protection;

namespace {

// Runs `what` in a locked-down child; its value is the exit status. -1: the child died, -2: a protection that is needed
// is not offered here.
int locked(const Options& options, const std::string& needs, const std::function<int()>& what) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (const Protection& p : lock_down(options))
      if (p.name == needs && !p.active) ::_exit(99);
    ::_exit(what());
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  if (!WIFEXITED(status)) return -1;
  return WEXITSTATUS(status) == 99 ? -2 : WEXITSTATUS(status);
}

bool put_text(const char* file, const std::string& text) {
  const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
  const bool whole = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return whole;
}

// The same with namespaces; its value is the whole status, as waitpid gives it. -2: not offered here.
int isolated(const std::function<int()>& what) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (const Protection& p : enter_namespaces({}))
      if (!p.active) ::_exit(99);
    lock_down({});
    ::_exit(what());
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) && WEXITSTATUS(status) == 99 ? -2 : status;
}

int refused(long result) { return result < 0 && errno == EPERM ? 0 : 1; }
int denied_file(const char* path, int flags) {
  const int fd = ::open(path, flags, 0600);
  return fd < 0 && errno == EACCES ? 0 : 1;
}

}  // namespace

#define CHECK_LOCKED(result)                    \
  do {                                          \
    const int got = (result);                   \
    if (got == -2) QSKIP("not on this kernel"); \
    QCOMPARE(got, 0);                           \
  } while (false)

class SandboxTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void aUsedUpLimitIsExplained() {
    const std::string user = "0 " + std::to_string(::getuid()) + " 1";
    const pid_t pid = ::fork();
    if (pid == 0) {  // in a user namespace that allows none below it
      if (::unshare(CLONE_NEWUSER) != 0 || !put_text("/proc/self/uid_map", user) ||
          !put_text("/proc/sys/user/max_user_namespaces", "0"))
        ::_exit(99);
      for (const Protection& p : enter_namespaces({}))
        if (p.name == "user_namespace")
          ::_exit(!p.active && p.detail.find("'sysctl user.max_user_namespaces' shows it") != std::string::npos ? 0
                                                                                                                : 1);
      ::_exit(2);
    }
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(status) && WEXITSTATUS(status) == 99) QSKIP("not on this kernel: it has no such user namespace");
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 0);
  }

  void networkIsClosed() {
    CHECK_LOCKED(locked({}, "seccomp", [] {
      return refused(::socket(AF_INET, SOCK_STREAM, 0)) + refused(::socket(AF_UNIX, SOCK_STREAM, 0));
    }));
  }
  void noProcessesNoPrograms() {
    CHECK_LOCKED(locked({}, "seccomp", [] {
      const pid_t child = ::fork();
      if (child == 0) ::_exit(0);
      int bad = child < 0 ? 0 : 1;
      char* const argv[] = {const_cast<char*>("/bin/true"), nullptr};
      bad += refused(::execv("/bin/true", argv));
      return bad;
    }));
  }
  void othersAreOutOfReach() {
    CHECK_LOCKED(locked({}, "seccomp", [] {
      return refused(::kill(::getppid(), 0)) + refused(::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr)) +
             refused(::chroot("/tmp"));
    }));
  }
  void argumentsDecide() {
    CHECK_LOCKED(locked({}, "seccomp", [] {
      int bad = refused(::fcntl(0, F_SETOWN, ::getppid())) + refused(::fcntl(0, F_SETLEASE, F_RDLCK));
      rlimit now{}, same{};
      bad += ::prlimit(0, RLIMIT_NOFILE, nullptr, &now) != 0;
      same = now;
      bad += refused(::prlimit(0, RLIMIT_NOFILE, &same, nullptr)) +
             refused(::prlimit(::getppid(), RLIMIT_NOFILE, nullptr, &now));
      bad += refused(::setpriority(PRIO_PROCESS, static_cast<id_t>(::getppid()), 5));
      cpu_set_t cpus;
      bad += ::sched_getaffinity(0, sizeof cpus, &cpus) != 0;
      bad += refused(::sched_setaffinity(::getppid(), sizeof cpus, &cpus));
      bad += refused(::prctl(PR_SET_DUMPABLE, 1)) + (::prctl(PR_SET_NAME, "probe") != 0);
      bad += refused(::chmod("/tmp", 0777)) + refused(::utimensat(AT_FDCWD, "/tmp", nullptr, 0)) +
             refused(::setxattr("/tmp", "user.a", "b", 1, 0));
      return bad;
    }));
  }
  void nothingBecomesExecutable() {
    for (const bool driver : {false, true}) {
      Options o;
      o.device_driver = driver;
      CHECK_LOCKED(locked(o, "seccomp", [&] {
        const auto map = [](int protection) {
          return ::mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        };
        void* page = map(PROT_READ | PROT_WRITE);
        int bad = page == MAP_FAILED;
        bad += map(PROT_READ | PROT_WRITE | PROT_EXEC) != MAP_FAILED;
        bad += refused(::mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC));
        if (!driver) bad += refused(::mprotect(page, 4096, PROT_READ | PROT_EXEC));
        return bad;
      }));
    }
  }
  void callsOfAnotherArchitectureKill() {
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
    QCOMPARE(locked({}, "seccomp", [] { return static_cast<int>(::syscall(0x40000000 | SYS_getpid)); }), -1);
#endif
  }
  void capabilitiesAreGone() {
    CHECK_LOCKED(locked({}, "capabilities", [] {
      std::ifstream status("/proc/self/status");
      int bad = 0, seen = 0;
      for (std::string line; std::getline(status, line);)
        if (line.starts_with("CapEff") || line.starts_with("CapPrm")) {
          ++seen;
          bad += line.find_first_not_of("0", line.find('\t') + 1) != std::string::npos;
        }
      return bad + (seen != 2);
    }));
  }
  void theProcessOutsideRepeatsTheEnd() {
    const int exited = isolated([] { return 7; });
    if (exited == -2) QSKIP("not on this kernel");
    QCOMPARE(WEXITSTATUS(exited), 7);
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE}) {
      const int status = isolated([&] {
        if (signal == SIGABRT) std::abort();
        return ::raise(signal);
      });
      QVERIFY(WIFSIGNALED(status));
      QCOMPARE(WTERMSIG(status), signal);
    }
  }
  void whatIsInsideEndsWithTheProcessOutside() {
    int pipe[2];
    QCOMPARE(::pipe(pipe), 0);
    const pid_t outside = ::fork();
    if (outside == 0) {
      ::close(pipe[0]);
      enter_namespaces({});
      lock_down({});
      if (::write(pipe[1], "x", 1) != 1) ::_exit(1);
      for (;;) ::poll(nullptr, 0, -1);
    }
    ::close(pipe[1]);
    char byte = 0;
    QCOMPARE(::read(pipe[0], &byte, 1), ssize_t{1});
    ::kill(outside, SIGTERM);
    QCOMPARE(::waitpid(outside, nullptr, 0), outside);
    QCOMPARE(::read(pipe[0], &byte, 1), ssize_t{0});  // the last one that held its other end is gone
    ::close(pipe[0]);
  }
  void theRootFolderIsPrivate() {
    const std::string secret = folder_.filePath("secret").toStdString();
    QFile file(QString::fromStdString(secret));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const int status = isolated([&] {
      int bad = ::access(secret.c_str(), F_OK) == 0;
      for (const char* gone : {"/home", "/root", "/etc/passwd", "/var", "/run", "/sys", "/dev/tty", "/dev/shm"})
        bad += ::access(gone, F_OK) == 0;
      bad += ::getpid() > 2;
      bad += ::open("/usr/f", O_WRONLY | O_CREAT, 0600) >= 0;
      return bad;
    });
    if (status == -2) QSKIP("not on this kernel");
    QCOMPARE(status, 0);
  }
  void threadsStillWork() {
    CHECK_LOCKED(locked({}, "seccomp", [] {
      std::atomic<int> sum{0};
      {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i) threads.emplace_back([&] { ++sum; });
      }
      return sum == 8 ? 0 : 1;
    }));
  }
  void theFilterBindsThreadsThatWereThereBefore() {
    const pid_t pid = ::fork();
    if (pid == 0) {
      std::atomic<int> stage{0}, result{1};
      std::thread other([&] {
        while (stage == 0) std::this_thread::yield();
        result = refused(::socket(AF_INET, SOCK_STREAM, 0));
      });
      bool active = false;
      for (const Protection& p : lock_down({})) active |= p.name == "seccomp" && p.active;
      stage = 1;
      other.join();
      ::_exit(active ? result.load() : 0);
    }
    int status = 0;
    QCOMPARE(::waitpid(pid, &status, 0), pid);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 0);
  }
  void filesAreConfined() {
    Options o;
    const std::string cache = folder_.filePath("cache").toStdString(),
                      outside = folder_.filePath("outside").toStdString();
    QVERIFY(QDir(folder_.path()).mkdir("cache") && QDir(folder_.path()).mkdir("outside"));
    o.writable = {cache};
    CHECK_LOCKED(locked(o, "landlock", [&] {
      int bad = denied_file("/etc/passwd", O_RDONLY) + denied_file((outside + "/f").c_str(), O_WRONLY | O_CREAT);
      bad += denied_file("/usr/f", O_WRONLY | O_CREAT) != 0 && errno != EROFS;
      if (::open((cache + "/f").c_str(), O_RDWR | O_CREAT, 0600) < 0) bad += 10;
      if (::open("/usr/bin/env", O_RDONLY) < 0) bad += 20;
      if (::open("/dev/null", O_WRONLY) < 0) bad += 40;
      return bad;
    }));
  }
  void memoryIsLimited() {
    Options o;
    o.memory_limit = std::int64_t{256} << 20;
    const int got = locked(o, "rlimits", [] {
      void* much = ::mmap(nullptr, std::size_t{1} << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      void* little = ::mmap(nullptr, std::size_t{1} << 26, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      return (much == MAP_FAILED ? 0 : 1) + (little == MAP_FAILED ? 2 : 0);
    });
#if defined(__SANITIZE_ADDRESS__)
    QSKIP("not under sanitizers");
#endif
    QCOMPARE(got, 0);
  }
  void aDriverMayBeReached() {
    Options o;
    o.device_driver = true;
    CHECK_LOCKED(locked(o, "seccomp", [] {
      const int local = ::socket(AF_UNIX, SOCK_STREAM, 0);
      return (local >= 0 ? 0 : 1) + refused(::socket(AF_INET, SOCK_STREAM, 0));
    }));
  }
  void itCanBeSwitchedOffAndSaysSo() {
    qputenv("WARPWRIGHT_SANDBOX", "off");
    const int got = locked({}, "no_new_privs", [] {
      const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
      return fd >= 0 ? 0 : 1;
    });
    qunsetenv("WARPWRIGHT_SANDBOX");
    QCOMPARE(got, 0);
  }
  void theWorkerEndsWithItsParent() {
    QVERIFY(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);  // the orphan becomes ours
    int pipe[2];
    QCOMPARE(::pipe(pipe), 0);
    const pid_t parent = ::fork();
    if (parent == 0) {
      ww::rpc::WorkerOptions o;
      o.program = std::filesystem::path(WW_BINARY_DIR) / "bin/warpwright-worker";
      o.compile_cache = folder_.filePath("compile").toStdString();
      ww::rpc::Supervisor s(o);
      const int pid = s.warm_up() ? s.process_id() : 0;
      if (::write(pipe[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
      ::raise(SIGKILL);
    }
    int worker = 0;
    QCOMPARE(::read(pipe[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
    QVERIFY(worker > 0);
    int status = 0;
    QCOMPARE(::waitpid(parent, &status, 0), parent);
    QCOMPARE(::waitpid(worker, &status, 0), worker);  // returns when it has ended
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
  void theWorkerOutlivesTheThreadThatStartedIt() {
    ww::rpc::WorkerOptions o;
    o.program = std::filesystem::path(WW_BINARY_DIR) / "bin/warpwright-worker";
    o.compile_cache = folder_.filePath("compile").toStdString();
    ww::rpc::Supervisor s(o);
    std::thread([&] { QVERIFY(s.warm_up()); }).join();
    const int pid = s.process_id();
    QVERIFY(s.describe().has_value());
    ww::rpc::CompileRequest r;
    r.candidate = "//@ candidate nothing\n";
    QVERIFY(!s.compile(r));
    QCOMPARE(s.process_id(), pid);
    QCOMPARE(s.started(), 1);
  }
};

QTEST_GUILESS_MAIN(SandboxTest)
#include "sandbox_test.moc"
