// SPDX-License-Identifier: Apache-2.0
// A key that is planted in the environment reaches the service and nothing else: not the disk, the output, a worker's
// environment, or a core file of a run that crashes in the middle of a request.
#include <QProcess>
#include <QtTest>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include "base/files.h"
#include "compile/compile.h"
#include "model/scripted_model.h"

using namespace ww;
namespace fs = std::filesystem;

namespace {

const QByteArray key = "sk-planted-7hJq2LxV0aZrW9tYcB4mNnE1gKdU3sPf";

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
bool holds_key(const std::string& bytes) {
  return bytes.find(key.toStdString()) != std::string::npos ||
         bytes.find(key.toBase64().toStdString()) != std::string::npos ||
         bytes.find(key.toHex().toStdString()) != std::string::npos;
}
// Files below the folder that hold the key, and how many were read.
std::string files_with_key(const QString& folder, int* read = nullptr) {
  std::string found;
  for (const auto& entry : fs::recursive_directory_iterator(folder.toStdString())) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    if (read) ++*read;
    if (holds_key(bytes_of(entry.path())) || holds_key(entry.path().filename())) found += entry.path().string() + "\n";
  }
  return found;
}
std::vector<int> children_of(qint64 parent) {
  std::vector<int> out;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const std::string stat = bytes_of(entry.path() / "stat");
    const std::size_t close = stat.rfind(')');
    int ppid = 0;
    char state = 0;
    if (close != std::string::npos && std::sscanf(stat.c_str() + close + 1, " %c %d", &state, &ppid) == 2 &&
        ppid == parent)
      out.push_back(pid);
  }
  return out;
}

}  // namespace

class KeysTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<support::LoopbackServer> server_;
  std::atomic<int> hang_at_{-1};  // the request (counted from 0) that is answered in part, then never ended
  std::atomic<bool> refuse_{false};

  QProcessEnvironment environment() const {
    QProcessEnvironment e = QProcessEnvironment::systemEnvironment();
    e.insert("SCRIPTED_KEY", key);
    e.insert("HOME", folder_.path() + "/home");
    e.insert("WARPWRIGHT_CONFIG", folder_.path() + "/config");
    e.insert("WARPWRIGHT_CACHE", folder_.path() + "/cache");
    e.insert("WARPWRIGHT_PLUGINS", PLUGINS);
    e.insert("WARPWRIGHT_WORKER", WORKER);
    e.insert("WARPWRIGHT_LOG", "trace");
    e.insert("TMPDIR", folder_.path() + "/tmp");
    return e;
  }
  // Starts the CLI in a folder of its own, with core files allowed; what it prints goes to files there.
  void start(QProcess& process, const QStringList& arguments) {
    process.setProcessEnvironment(environment());
    process.setWorkingDirectory(folder_.path() + "/work");
    process.setStandardOutputFile(folder_.path() + "/work/out.txt", QIODevice::Append);
    process.setStandardErrorFile(folder_.path() + "/work/errors.txt", QIODevice::Append);
    process.start("/bin/sh", QStringList{"-c", "ulimit -c unlimited; exec \"$0\" \"$@\"", CLI} + arguments);
  }
  int run(const QStringList& arguments) {
    QProcess process;
    start(process, arguments);
    if (!process.waitForFinished(60000)) return -1;
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
  }
  QStringList exploring(int budget = 3) const {
    return {"explore",     "relu",
            "--model",     "scripted:writer",
            "--analyst",   "none",
            "--strategy",  "sample",
            "--budget",    QString::number(budget),
            "--seeds",     "1",
            "--set",       "R=64",
            "--set",       "C=256",
            "--workspace", folder_.path() + "/workspace",
            "--report",    folder_.path() + "/work/report.html"};
  }
  std::string printed() const {
    return bytes_of((folder_.path() + "/work/out.txt").toStdString()) +
           bytes_of((folder_.path() + "/work/errors.txt").toStdString());
  }

 private slots:
  void initTestCase() {
    const auto toolkit = compile::find_toolkit();
    QVERIFY2(toolkit, toolkit ? "" : toolkit.error().text().c_str());
    for (const char* d : {"home", "config", "cache", "work", "tmp", "control"})
      QVERIFY(QDir().mkpath(folder_.path() + "/" + d));
    server_ = std::make_unique<support::LoopbackServer>([this](const support::Received& request) {
      if (refuse_) {
        support::Answer a;
        a.status = 401;
        a.headers = {{"content-type", "application/json"}};
        a.pieces = {{R"({"error":{"message":"Incorrect API key provided: )" + request.header("authorization") +
                         R"(","code":"invalid_api_key"}})",
                     {}}};
        return a;
      }
      support::Answer a = model_tests::answer(request);
      if (static_cast<int>(request.number) == hang_at_) {
        a.pieces.resize(1);
        a.end = support::Answer::End::hang;
      }
      return a;
    });
    QVERIFY(write_file_atomic((folder_.path() + "/config/models.json").toStdString(),
                              model_tests::catalogue(server_->url(), "SCRIPTED_KEY"))
                .has_value());
  }

  // Without this the next test could not fail.
  void aCoreFileWouldHoldIt() {
    QProcess process;
    QProcessEnvironment e = QProcessEnvironment::systemEnvironment();
    e.insert("SCRIPTED_KEY", key);
    process.setProcessEnvironment(e);
    process.setWorkingDirectory(folder_.path() + "/control");
    process.start("/bin/sh", {"-c", "ulimit -c unlimited; kill -SEGV $$"});
    QVERIFY(process.waitForFinished(10000));
    if (QDir(folder_.path() + "/control").entryList(QDir::Files).isEmpty())
      QSKIP("not on this kernel: it writes no core files into a crashed program's folder");
    QVERIFY(!files_with_key(folder_.path() + "/control").empty());
    QVERIFY(QDir(folder_.path() + "/control").removeRecursively());
  }

  void aCrashInMidRequestLeavesNothing() {
    hang_at_ = 4;
    QProcess process;
    start(process, exploring(12));
    QVERIFY(process.waitForStarted());
    std::vector<int> workers;
    QTRY_VERIFY(server_->received().size() > 4 || process.state() == QProcess::NotRunning);
    QVERIFY2(process.state() == QProcess::Running, printed().c_str());
    QTRY_VERIFY(!(workers = children_of(process.processId())).empty() || process.state() == QProcess::NotRunning);
    QVERIFY2(!workers.empty(), printed().c_str());
    QVERIFY(!holds_key(bytes_of("/proc/" + std::to_string(process.processId()) + "/environ")));
    for (const int pid : workers) {
      const std::string own = bytes_of("/proc/" + std::to_string(pid) + "/environ");
      QVERIFY2(!holds_key(own) && own.find("SCRIPTED_KEY") == std::string::npos, own.c_str());
      ::kill(pid, SIGSEGV);
    }
    ::kill(static_cast<pid_t>(process.processId()), SIGSEGV);
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitStatus(), QProcess::CrashExit);
    QVERIFY(!server_->received().empty());
    for (const support::Received& r : server_->received()) {
      QCOMPARE(r.header("authorization"), "Bearer " + key.toStdString());
      QVERIFY(!holds_key(r.body) && !holds_key(r.target));
    }
    int read = 0;
    const std::string found = files_with_key(folder_.path(), &read);
    QVERIFY2(found.empty(), found.c_str());
    QVERIFY(read > 5);
    hang_at_ = -1;
  }

  void aFinishedRunLeavesNothing() {
    const int code = run(exploring());
    QVERIFY2(code == 0 || code == 1, printed().c_str());
    const QString workspace = folder_.path() + "/workspace";
    run({"transcript", "last", "--workspace", workspace});
    run({"transcript", "last", "--json", "--workspace", workspace});
    QVERIFY2(run({"trajectories", "last", "-o", folder_.path() + "/work/lines.jsonl", "--workspace", workspace}) == 0,
             printed().c_str());
    QVERIFY2(run({"bundle", "export", folder_.path() + "/work/all.wwb", "--workspace", workspace}) == 0,
             printed().c_str());
    run({"show", "1", "--ptx", "--sass", "--workspace",
         workspace});  // or a sentence that says where the disassembler comes from
    QVERIFY2(printed().find("EXIT") != std::string::npos || printed().find("nvdisasm") != std::string::npos,
             printed().c_str());
    run({"models"});
    run({"models", "--json"});
    run({"doctor"});
    QVERIFY(QFile::exists(folder_.path() + "/work/report.html") && QFile::exists(folder_.path() + "/work/lines.jsonl"));
    const std::string found = files_with_key(folder_.path());
    QVERIFY2(found.empty(), found.c_str());
  }

  void aRefusalThatQuotesItIsRedacted() {
    refuse_ = true;
    QVERIFY2(run(exploring()) != 0, printed().c_str());
    refuse_ = false;
    QVERIFY2(printed().find("401") != std::string::npos, printed().c_str());
    const std::string found = files_with_key(folder_.path());
    QVERIFY2(found.empty(), found.c_str());
  }
};

QTEST_GUILESS_MAIN(KeysTest)
#include "keys_test.moc"
