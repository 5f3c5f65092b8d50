// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <filesystem>
#include <fstream>
#include "base/files.h"
#include "base/hash.h"
#include "compile/cache.h"
#include "compile/resources.h"

using namespace ww;
using namespace ww::compile;
namespace fs = std::filesystem;

namespace {
Output sample(std::size_t cubin_bytes) {
  Output o;
  o.ptx = ".version 8.0\n";
  o.cubin.assign(cubin_bytes, '\xff');
  o.resources.push_back({"k", 31, 1024, 8, 4, 2, 372, 1});
  o.log = "candidate.cu(3): warning: ü\n";
  o.compiler = "NVRTC 13.0";
  o.seconds = 0.25;
  return o;
}
}  // namespace

class CacheTest : public QObject {
  Q_OBJECT
 private slots:
  void keepsEverything() {
    QTemporaryDir d;
    Cache c(d.path().toStdString());
    const std::string key = hash_hex("a");
    QVERIFY(!c.load(key));
    const Output o = sample(100);
    c.store(key, o);
    const auto back = c.load(key);
    QVERIFY(back.has_value());
    QVERIFY(back->from_cache);
    QCOMPARE(back->ptx, o.ptx);
    QCOMPARE(back->cubin, o.cubin);
    QCOMPARE(back->log, o.log);
    QCOMPARE(back->compiler, o.compiler);
    QCOMPARE(back->seconds, o.seconds);
    QCOMPARE(back->resources.size(), std::size_t{1});
    const KernelResources& k = back->resources[0];
    QVERIFY(k.kernel == "k" && k.registers == 31 && k.static_shared == 1024 && k.stack == 8 && k.spill_stores == 4 &&
            k.spill_loads == 2 && k.constant == 372 && k.barriers == 1);
    QVERIFY(!c.load(hash_hex("b")));
  }
  void damagedEntriesAreDropped() {
    QTemporaryDir d;
    Cache c(d.path().toStdString());
    const std::string key = hash_hex("a");
    c.store(key, sample(100));
    const fs::path file = fs::path(d.path().toStdString()) / key.substr(0, 2) / (key + ".bin");
    const std::string good = *read_file(file);
    for (std::size_t at = 0; at < good.size(); at += 7) {
      std::string bad = good;
      bad[at] ^= 0x20;
      std::ofstream(file, std::ios::binary) << bad;
      QVERIFY2(!c.load(key), std::to_string(at).c_str());
      QVERIFY(!fs::exists(file));
    }
    for (std::size_t size : {std::size_t{0}, std::size_t{10}, good.size() - 1}) {
      std::ofstream(file, std::ios::binary) << good.substr(0, size);
      QVERIFY(!c.load(key));
    }
    std::ofstream(file, std::ios::binary) << good;
    QVERIFY(c.load(key).has_value());
  }
  void anEntryUnderAnothersKeyIsDropped() {
    QTemporaryDir d;
    const fs::path folder = d.path().toStdString();
    Cache c(folder);
    const std::string one = hash_hex("a"), other = hash_hex("b");
    c.store(one, sample(100));
    c.store(other, sample(200));
    const auto file = [&](const std::string& key) { return folder / key.substr(0, 2) / (key + ".bin"); };
    fs::copy_file(file(one), file(other), fs::copy_options::overwrite_existing);
    QVERIFY(!c.load(other));
    QVERIFY(c.load(one).has_value());
  }
  void staysWithinItsBoundAndKeepsWhatIsUsed() {
    QTemporaryDir d;
    const std::string folder = d.path().toStdString();
    constexpr std::uint64_t bound = 100000;
    Cache c(folder, bound);
    const std::string used = hash_hex("used");
    c.store(used, sample(5000));
    const auto age = [&](const std::string& key, int seconds) {
      fs::last_write_time(fs::path(folder) / key.substr(0, 2) / (key + ".bin"),
                          fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
    };
    for (int i = 0; i < 60; ++i) {
      const std::string key = hash_hex(std::to_string(i));
      c.store(key, sample(5000));
      if (fs::exists(fs::path(folder) / key.substr(0, 2) / (key + ".bin"))) age(key, 1000 - i);
      QVERIFY(c.load(used).has_value());
    }
    QVERIFY(c.bytes() <= bound + bound / 16 + 6000);
    QVERIFY(!c.load(hash_hex("0")));
    QVERIFY(c.load(hash_hex("59")).has_value());
  }
  void noFolderKeepsNothing() {
    Cache c({});
    c.store(hash_hex("a"), sample(1));
    QVERIFY(!c.load(hash_hex("a")));
  }
  void assemblerLogIsRead() {
    const AssemblerLog l = read_assembler_log(
        "candidate.cu(3): warning #177-D: variable \"x\" was declared\n"
        "ptxas info    : 43 bytes gmem, 64 bytes cmem[4]\n"
        "ptxas info    : Compiling entry function 'z' for 'sm_80'\n"
        "ptxas info    : Function properties for helper\n"
        "    999 bytes stack frame, 999 bytes spill stores, 999 bytes spill loads\n"
        "ptxas info    : Function properties for z\n"
        "ptxas         .     48 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
        "ptxas info    : Used 24 registers, used 2 barriers, 48 bytes cumulative stack size, 1024 bytes smem, 360 "
        "bytes cmem[0], 8 bytes cmem[2]\n"
        "ptxas info    : Compile time = 12.192 ms\n"
        "ptxas info    : Compiling entry function 'a' for 'sm_80'\n"
        "ptxas info    : Function properties for a\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 8 registers, 352 bytes cmem[0]\n"
        "ptxas warning : something is odd\n");
    QCOMPARE(l.kernels.size(), std::size_t{2});
    const KernelResources& z = l.kernels[1];
    QVERIFY(z.kernel == "z" && z.registers == 24 && z.barriers == 2 && z.stack == 48 && z.spill_stores == 12 &&
            z.spill_loads == 16 && z.static_shared == 1024 && z.constant == 368);
    QVERIFY(l.kernels[0].kernel == "a" && l.kernels[0].registers == 8 && l.kernels[0].barriers == 0);
    QCOMPARE(l.rest,
             std::string(
                 "candidate.cu(3): warning #177-D: variable \"x\" was declared\nptxas warning : something is odd\n"));
  }
};

int main(int argc, char** argv) {
  qputenv("WARPWRIGHT_LOG", "error");  // each damaged entry would be a line
  CacheTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "cache_test.moc"
