// SPDX-License-Identifier: Apache-2.0
// Every probe inside a process that has locked itself down as a worker does: as the user who runs the test and, where
// that is root, as an ordinary user; with namespaces and, as on a kernel without them, behind the other walls alone;
// with and without a GPU's driver.
#include <QTemporaryDir>
#include <QtTest>
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <grp.h>
#include <map>
#include <netinet/in.h>
#include <set>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/sandbox.h"
#include "sandbox_probes.h"

using namespace ww;
using namespace ww::attack;

namespace {

constexpr uid_t nobody = 65534;
enum Exit : int { denied = 0, open_ = 1, no_sandbox = 99 };

// What stays open, and why.
const std::map<std::string, std::set<std::string>> open_without_namespaces = {
    {"Landlock keeps the content of files, not their names and sizes; the mount namespace does",
     {"see a private file", "stat a private file", "open only the path of a private file"}}};
const std::map<std::string, std::set<std::string>> open_with_driver = {
    {"a GPU worker keeps the system's root folder; Landlock keeps the content of files, not their names and sizes",
     {"see a private file", "stat a private file", "open only the path of a private file"}},
    {"the driver loads libraries", {"mmap X", "mprotect X", "run code from the cache"}},
    {"the driver asks for it, about its own process, memory and files only",
     {"capget", "membarrier", "fallocate", "flock", "chdir", "timerfd_create", "mbind", "set_mempolicy", "umask",
      "sched_setaffinity", "memfd_create"}},
    {"the driver maps the memory of all GPUs into its address space", {"64 GiB of memory"}},
    {"the driver reads them", {"the kernel's settings"}},
    {"the driver lets only an administrator count: CAP_SYS_ADMIN and CAP_PERFMON stay", {"hold a capability"}},
    {"the driver offers a local socket; nothing can be connected or sent",
     {"local socket", "bind", "listen", "shutdown", "setsockopt", "getsockopt", "recvmsg", "recvfrom"}},
};

std::set<std::string> names(const std::map<std::string, std::set<std::string>>& reasons) {
  std::set<std::string> all;
  for (const auto& [reason, some] : reasons) all.insert(some.begin(), some.end());
  return all;
}

struct Mode {
  uid_t user;
  bool namespaces, driver;
};

void become(uid_t user) {
  if (::geteuid() == user) return;
  if (::setgroups(0, nullptr) != 0 || ::setgid(user) != 0 || ::setuid(user) != 0) ::_exit(no_sandbox);
  ::prctl(PR_SET_DUMPABLE, 1);  // as a program that this user starts
}

void enter_sandbox(const Mode& mode, const World& world) {
  sandbox::Options options;
  options.memory_limit = std::int64_t{6} << 30;
  options.device_driver = mode.driver;
  options.writable = {world.cache};
  std::vector<Protection> all;
  if (mode.namespaces) all = sandbox::enter_namespaces(options);
  for (const Protection& p : sandbox::lock_down(options))
    if (mode.namespaces || p.name != "mount_namespace") all.push_back(p);
  if (!mode.driver)
    for (const Protection& p : all)
      if (p.missing()) ::_exit(no_sandbox);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

}  // namespace

class SandboxAttack : public QObject {
  Q_OBJECT
  QTemporaryDir folder_{"/tmp/attack-XXXXXX"};
  World world_;
  int listener_ = -1, local_ = -1, abstract_ = -1, terminal_ = -1;

  void give(const std::string& path, uid_t user) { QCOMPARE(::chown(path.c_str(), user, user), 0); }

  // The world of `user`: what is private is that user's own.
  void make_world(uid_t user) {
    const std::string base = folder_.path().toStdString() + "/" + std::to_string(++worlds_);
    world_ = {};
    world_.folder = base + "/home";
    world_.cache = base + "/cache";
    world_.secret = world_.folder + "/secret";
    world_.shared_memory = "/dev/shm/attack-" + std::to_string(::getpid()) + "-" + std::to_string(worlds_);
    for (const std::string& f : {base, world_.folder, world_.cache}) QVERIFY(QDir().mkpath(QString::fromStdString(f)));
    for (const std::string& f : {world_.secret, world_.shared_memory}) {
      const int fd = ::open(f.c_str(), O_WRONLY | O_CREAT, 0600);
      QVERIFY(fd >= 0 && ::write(fd, "x", 1) == 1);
      ::close(fd);
    }
    for (const std::string& f : {base, world_.folder, world_.cache, world_.secret, world_.shared_memory})
      if (::geteuid() == 0) give(f, user);
    world_.shared_segment = ::shmget(IPC_PRIVATE, 4096, 0666);
    world_.victim = ::fork();
    if (world_.victim == 0) {
      become(user);
      for (;;) ::pause();
    }
    listen_everywhere();
    terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    QVERIFY(terminal_ >= 0 && ::grantpt(terminal_) == 0 && ::unlockpt(terminal_) == 0);
    world_.terminal = ::ptsname(terminal_);
    if (::geteuid() == 0) give(world_.terminal, user);
  }
  void listen_everywhere() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    QVERIFY(::bind(listener_, reinterpret_cast<sockaddr*>(&at), size) == 0 && ::listen(listener_, 8) == 0);
    QCOMPARE(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    world_.port = ntohs(at.sin_port);
    world_.socket = world_.folder + "/socket";
    world_.abstract_name = world_.socket;
    for (const bool abstract : {false, true}) {
      sockaddr_un un{};
      un.sun_family = AF_UNIX;
      std::memcpy(un.sun_path + abstract, world_.socket.data(), world_.socket.size());
      int& fd = abstract ? abstract_ : local_;
      fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + world_.socket.size() + 1);
      QVERIFY(::bind(fd, reinterpret_cast<sockaddr*>(&un), length) == 0 && ::listen(fd, 8) == 0);
    }
    if (::geteuid() == 0) QCOMPARE(::chmod(world_.socket.c_str(), 0777), 0);
  }
  void end_world() {
    ::kill(world_.victim, SIGKILL);
    QCOMPARE(WTERMSIG(wait_for(world_.victim)), SIGKILL);
    ::shmctl(world_.shared_segment, IPC_RMID, nullptr);
    ::unlink(world_.shared_memory.c_str());
    for (const int fd : {listener_, local_, abstract_, terminal_}) ::close(fd);
  }

  // Whether the attempt is denied. A call of another architecture kills the process, which is denial, too.
  bool is_denied(const Mode& mode, const std::function<bool()>& attempt) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      become(mode.user);
      enter_sandbox(mode, world_);
      ::_exit(attempt() ? open_ : denied);
    }
    const int status = wait_for(pid);
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGSYS;
    if (WEXITSTATUS(status) == no_sandbox) missing_ = true;
    return WEXITSTATUS(status) == denied;
  }
  std::set<std::string> open_calls(const Mode& mode) {
    int report[2];
    if (::pipe(report) != 0) return {"pipe"};
    const bool whole = is_denied(mode, [&] {
      for (std::size_t i = 0; i < plain_calls().size(); ++i) {
        const PlainCall& c = plain_calls()[i];
        errno = 0;
        const long result = ::syscall(c.number, c.arguments[0], c.arguments[1], c.arguments[2], c.arguments[3], 0, 0);
        const bool refused = result == -1 && errno == EPERM;
        if (!refused && ::write(report[1], &i, sizeof i) != sizeof i) return true;
      }
      return false;
    });
    ::close(report[1]);
    std::set<std::string> open;
    for (std::size_t i = 0; ::read(report[0], &i, sizeof i) == sizeof i;) open.insert(plain_calls()[i].name);
    ::close(report[0]);
    if (!whole) open.insert("the process that makes the calls");
    return open;
  }
  std::set<std::string> open_attempts(const Mode& mode) {
    std::set<std::string> open;
    for (const Attempt& a : attempts())
      if (!is_denied(mode, [&] { return a.run(world_) >= 0; })) open.insert(a.name);
    return open;
  }
  bool missing_ = false;
  int worlds_ = 0;

 private slots:
  void everyProbeIsDenied_data() {
    QTest::addColumn<bool>("root");
    QTest::addColumn<bool>("namespaces");
    QTest::addColumn<bool>("driver");
    for (const bool root : {true, false})
      for (const bool namespaces : {true, false}) {
        const char* user = root ? "root" : "user";
        QTest::addRow("%s%s", user, namespaces ? "" : ", no namespaces") << root << namespaces << false;
        if (namespaces) QTest::addRow("%s, driver", user) << root << namespaces << true;
      }
  }
  void everyProbeIsDenied() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("not under sanitizers: such a program has no filter of system calls");
#endif
    QFETCH(bool, root);
    QFETCH(bool, namespaces);
    QFETCH(bool, driver);
    if (root && ::geteuid() != 0) QSKIP("not run by root");
    const uid_t user = root ? 0 : ::geteuid() == 0 ? nobody : ::geteuid();
    QVERIFY(::chmod(folder_.path().toUtf8().constData(), 0755) == 0);
    make_world(user);
    const Mode mode{user, namespaces, driver};
    missing_ = false;
    std::set<std::string> open = open_calls(mode);
    open.merge(open_attempts(mode));
    end_world();
    if (missing_) QSKIP("not on this kernel: it lacks a protection");
    const auto& reasons = driver       ? open_with_driver
                          : namespaces ? decltype(open_with_driver){}
                                       : open_without_namespaces;
    const std::set<std::string> expected = names(reasons);
    std::string wrong;
    for (const std::string& name : open)
      if (!expected.contains(name)) wrong += name + "; ";
    qInfo("%zu probes, %zu denied, %zu open with a reason", plain_calls().size() + attempts().size(),
          plain_calls().size() + attempts().size() - open.size(), open.size());
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
  void thereAreManyAndNoTwoHaveOneName() {
    std::set<std::string> all;
    for (const PlainCall& c : plain_calls()) all.insert(c.name);
    for (const Attempt& a : attempts()) all.insert(a.name);
    QCOMPARE(all.size(), plain_calls().size() + attempts().size());
    QVERIFY(all.size() >= 150);
  }
};

QTEST_GUILESS_MAIN(SandboxAttack)
#include "sandbox_attack_test.moc"
