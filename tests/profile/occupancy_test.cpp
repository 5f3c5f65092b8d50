// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "profile/occupancy.h"

using namespace ww;
using namespace ww::profile;

namespace {
// Blocks per multiprocessor as NVIDIA's own calculator (cuda_occupancy.h of CUDA 13.0, largest shared memory carve-out)
// gives them.
struct Known {
  const char* architecture;
  int threads, registers;
  std::int64_t shared;
  int blocks;
  const char* limiter;
};
const Known known[] = {
    {"sm_80", 128, 32, 0, 16, "block size"},        {"sm_80", 256, 64, 0, 4, "registers"},
    {"sm_80", 256, 65, 4096, 3, "registers"},       {"sm_80", 1024, 64, 0, 1, "registers"},
    {"sm_80", 1024, 65, 0, 0, "registers"},         {"sm_80", 96, 40, 0, 16, "registers"},
    {"sm_80", 64, 16, 3072, 32, "block size"},      {"sm_80", 32, 255, 0, 8, "registers"},
    {"sm_80", 512, 128, 49152, 1, "registers"},     {"sm_80", 256, 32, 102400, 1, "shared memory"},
    {"sm_80", 1000, 33, 1, 1, "registers"},         {"sm_80", 192, 37, 20000, 7, "shared memory"},
    {"sm_80", 32, 16, 0, 32, "blocks per SM"},      {"sm_86", 128, 32, 0, 12, "block size"},
    {"sm_86", 256, 64, 0, 4, "registers"},          {"sm_86", 256, 65, 4096, 3, "registers"},
    {"sm_86", 1024, 64, 0, 1, "block size"},        {"sm_86", 1024, 65, 0, 0, "registers"},
    {"sm_86", 96, 40, 0, 16, "block size"},         {"sm_86", 64, 16, 3072, 16, "blocks per SM"},
    {"sm_86", 32, 255, 0, 8, "registers"},          {"sm_86", 512, 128, 49152, 1, "registers"},
    {"sm_86", 1000, 33, 1, 1, "block size"},        {"sm_86", 192, 37, 20000, 4, "shared memory"},
    {"sm_86", 32, 16, 0, 16, "blocks per SM"},      {"sm_89", 128, 32, 0, 12, "block size"},
    {"sm_89", 256, 64, 0, 4, "registers"},          {"sm_89", 256, 65, 4096, 3, "registers"},
    {"sm_89", 1024, 64, 0, 1, "block size"},        {"sm_89", 1024, 65, 0, 0, "registers"},
    {"sm_89", 96, 40, 0, 16, "block size"},         {"sm_89", 64, 16, 3072, 24, "block size"},
    {"sm_89", 32, 255, 0, 8, "registers"},          {"sm_89", 512, 128, 49152, 1, "registers"},
    {"sm_89", 1000, 33, 1, 1, "block size"},        {"sm_89", 192, 37, 20000, 4, "shared memory"},
    {"sm_89", 32, 16, 0, 24, "blocks per SM"},      {"sm_90", 128, 32, 0, 16, "block size"},
    {"sm_90", 256, 64, 0, 4, "registers"},          {"sm_90", 256, 65, 4096, 3, "registers"},
    {"sm_90", 1024, 64, 0, 1, "registers"},         {"sm_90", 1024, 65, 0, 0, "registers"},
    {"sm_90", 96, 40, 0, 16, "registers"},          {"sm_90", 64, 16, 3072, 32, "block size"},
    {"sm_90", 32, 255, 0, 8, "registers"},          {"sm_90", 512, 128, 49152, 1, "registers"},
    {"sm_90", 256, 32, 102400, 2, "shared memory"}, {"sm_90", 1000, 33, 1, 1, "registers"},
    {"sm_90", 192, 37, 20000, 8, "registers"},      {"sm_90", 32, 16, 0, 32, "blocks per SM"},
    {"sm_100", 128, 32, 0, 16, "block size"},       {"sm_100", 256, 64, 0, 4, "registers"},
    {"sm_100", 256, 65, 4096, 3, "registers"},      {"sm_100", 1024, 64, 0, 1, "registers"},
    {"sm_100", 1024, 65, 0, 0, "registers"},        {"sm_100", 96, 40, 0, 16, "registers"},
    {"sm_100", 64, 16, 3072, 32, "block size"},     {"sm_100", 32, 255, 0, 8, "registers"},
    {"sm_100", 512, 128, 49152, 1, "registers"},    {"sm_100", 256, 32, 102400, 2, "shared memory"},
    {"sm_100", 1000, 33, 1, 1, "registers"},        {"sm_100", 192, 37, 20000, 8, "registers"},
    {"sm_100", 32, 16, 0, 32, "blocks per SM"},
};
}  // namespace

class OccupancyTest : public QObject {
  Q_OBJECT
 private slots:
  void agreesWithTheCalculator() {
    for (const Known& k : known) {
      const auto d = device_limits(k.architecture);
      QVERIFY2(d.has_value(), d ? "" : d.error().text().c_str());
      const Occupancy o = occupancy(*d, {k.threads, k.registers, 0, k.shared});
      const std::string what = std::string(k.architecture) + " " + std::to_string(k.threads) + " " +
                               std::to_string(k.registers) + " " + std::to_string(k.shared);
      QVERIFY2(o.blocks == k.blocks, what.c_str());
      QVERIFY2(enum_string(o.limiter) == k.limiter, (what + " " + enum_string(o.limiter)).c_str());
      QCOMPARE(o.warps, o.blocks * ((k.threads + 31) / 32));
      QCOMPARE(o.fraction, static_cast<double>(o.warps) / d->max_warps_per_sm());
      QCOMPARE(o.why_none.empty(), o.blocks > 0);
      const Occupancy fixed = occupancy(*d, {k.threads, k.registers, k.shared, 0});  // static counts as dynamic does
      QCOMPARE(fixed.blocks, o.blocks);
    }
  }
  void impossibleKernelsSayWhy() {
    const auto d = *device_limits("sm_80");
    QVERIFY(occupancy(d, {0, 32, 0, 0}).why_none.find("block of 0 threads") != std::string::npos);
    QVERIFY(occupancy(d, {1025, 32, 0, 0}).limiter == OccupancyLimit::block_size);
    const Occupancy registers = occupancy(d, {1024, 128, 0, 0});
    QVERIFY(registers.blocks == 0 && registers.limiter == OccupancyLimit::registers &&
            registers.why_none.find("128 registers") != std::string::npos);
    const Occupancy shared = occupancy(d, {128, 32, 1, d.max_shared_per_block});
    QVERIFY(shared.blocks == 0 && shared.limiter == OccupancyLimit::shared_memory &&
            shared.why_none.find("166913 bytes") != std::string::npos);
    QCOMPARE(occupancy(d, {32, 256, 0, 0}).blocks, 0);
  }
  void curvesCoverTheirRange() {
    const auto d = *device_limits("sm_90a");
    const KernelShape k{256, 40, 2048, 1024};
    const auto blocks = over_block_size(d, k);
    QCOMPARE(blocks.size(), std::size_t{32});
    QCOMPARE(blocks.front().x, std::int64_t{32});
    QCOMPARE(blocks.back().x, std::int64_t{1024});
    QCOMPARE(blocks[7].occupancy.blocks, occupancy(d, k).blocks);
    const auto registers = over_registers(d, k);
    QCOMPARE(registers.size(), std::size_t{255});
    for (std::size_t i = 1; i < registers.size(); ++i)
      QVERIFY(registers[i].occupancy.fraction <= registers[i - 1].occupancy.fraction);
    QCOMPARE(registers[39].occupancy.blocks, occupancy(d, k).blocks);
    const auto shared = over_shared(d, k);
    QCOMPARE(shared.size(), std::size_t{226});
    for (std::size_t i = 1; i < shared.size(); ++i)
      QVERIFY(shared[i].occupancy.blocks <= shared[i - 1].occupancy.blocks);
    QCOMPARE(shared.back().occupancy.blocks, 1);
  }
  void architecturesAreKnownByName() {
    QCOMPARE(known_architectures(), (std::vector<std::string>{"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90",
                                                              "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"}));
    for (const std::string& a : known_architectures()) {
      const auto d = device_limits(a);
      QVERIFY(d.has_value());
      QCOMPARE(d->architecture, a);
      QVERIFY(!d->source.empty());
    }
    for (const char* bad : {"", "sm_70", "../sm_80", "sm_80/../sm_80"})
      QCOMPARE(device_limits(bad).error().code, Code::not_found);
  }
};

QTEST_APPLESS_MAIN(OccupancyTest)
#include "occupancy_test.moc"
