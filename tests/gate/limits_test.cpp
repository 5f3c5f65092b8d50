// SPDX-License-Identifier: Apache-2.0
#include "gate/limits.h"
#include <QtTest>

using namespace ww;
using namespace ww::gate;

class LimitsTest : public QObject {
  Q_OBJECT
 private slots:
  void blocksThatHardwareRefuses() {
    candidate::PlannedLaunch launch;
    launch.kernel = "k";
    launch.block = {1024, 1, 1};
    launch.shared_bytes = 160 << 10;
    std::vector<compile::KernelResources> resources(1);
    resources[0].kernel = "k";
    resources[0].registers = 64;
    QCOMPARE(refused_by("sm_80", launch, resources), std::string());
    QVERIFY(refused_by("sm_86", launch, resources).find("163840 bytes of shared memory") != std::string::npos);
    QVERIFY(refused_by("sm_999", launch, resources).ends_with("at most 49152"));  // which all have
    resources[0].static_shared = 8 << 10;
    QVERIFY(!refused_by("sm_80", launch, resources).empty());
    QCOMPARE(refused_by("sm_90a", launch, resources), std::string());
    resources[0].registers = 65;
    QVERIFY(refused_by("sm_90", launch, resources).find("65 registers for each of 1024 threads") != std::string::npos);
    launch.block = {512, 1, 1};
    QCOMPARE(refused_by("sm_90", launch, resources), std::string());
    QCOMPARE(refused_by("sm_90", launch, {}), std::string());
  }
  void clustersThatHardwareRefuses() {
    candidate::PlannedLaunch launch;
    launch.kernel = "k";
    launch.grid = {64, 4, 1};
    launch.cluster = {2, 4, 1};
    for (const char* const has : {"sm_90", "sm_90a", "sm_100f", "sm_121"})
      QCOMPARE(refused_by(has, launch, {}), std::string());
    for (const char* const has_not : {"sm_80", "sm_86", "sm_89"})
      QVERIFY(
          refused_by(has_not, launch, {}).find("clusters of 8 blocks; " + std::string(has_not) + " has no clusters") !=
          std::string::npos);
    launch.cluster = {4, 4, 1};
    QVERIFY(refused_by("sm_90", launch, {}).ends_with("clusters of 16 blocks; more than 8 do not run on every GPU"));
    launch.cluster = {1, 1, 1};
    QCOMPARE(refused_by("sm_80", launch, {}), std::string());
  }
  void budgetsFollowTheWorkAndTheLaunch() {
    candidate::Plan plan;
    plan.launches.resize(1);
    const std::uint64_t least = budget_for(0, plan);
    QVERIFY(budget_for(1e6, plan) >= least + 100'000'000);
    plan.launches[0].grid = {65537, 1, 1};
    plan.launches[0].block = {256, 1, 1};
    QVERIFY(budget_for(65537, plan) >= least + 65537 * 8 * 500 - 1000);
    plan.launches[0].grid = {2147483647, 65535, 65535};  // nearly all for nothing
    QVERIFY(budget_for(0, plan) <= least + 1000 * 8 * 500);
    QVERIFY(budget_for(1e30, plan) <= 100'000'000'000'000);
  }
  void textsThatMayDependOnTheArchitecture() {
    for (const char* plain : {"#include <cuda_fp16.h>\n#define N 4\n#pragma unroll\nint x;", "#define A \\\n  1\n", ""})
      QVERIFY2(!may_depend_on_architecture(plain), plain);
    for (const char* other : {"#if X\n#endif", "# if X", "#\tifdef X", "x = __CUDA_ARCH__;", "x = __CU\\\nDA_ARCH__;",
                              "#define P(a, b) a ## b", "%:if X", "NV_IF_TARGET(x)"})
      QVERIFY2(may_depend_on_architecture(other), other);
  }
};

QTEST_GUILESS_MAIN(LimitsTest)
#include "limits_test.moc"
