// SPDX-License-Identifier: Apache-2.0
// Opening GPUs by name, also where there is none.
#include <QtTest>
#include "cuda/device.h"
#include "device/device.h"

using namespace ww;

class DeviceTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    qputenv("CUDA_VISIBLE_DEVICES", "");  // as on a machine without a GPU
    cuda::register_devices();
  }
  void theKindIsKnown() {
    const auto kinds = device::kinds();
    QVERIFY(std::find(kinds.begin(), kinds.end(), "cuda") != kinds.end());
  }
  void namesThatAreNone() {
    for (const char* name : {"cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:0x", "cuda: 0", "cuda:99999999999999"}) {
      const auto device = device::open(name);
      QVERIFY2(!device, name);
      QCOMPARE(device.error().code, Code::unavailable);
      QVERIFY2(device.error().message.find(name) != std::string::npos, device.error().message.c_str());
    }
  }
  void withoutAGpuTheReasonIsGiven() {
    QCOMPARE(cuda::device_count(), 0);
    for (const auto& opened : {device::open("cuda:0"), device::open("cuda:3")}) {
      QVERIFY(!opened);
      QCOMPARE(opened.error().code, Code::unavailable);
      QVERIFY2(opened.error().message.starts_with("there is no CUDA device"), opened.error().message.c_str());
    }
    QVERIFY(!cuda::open("cuda:0"));
  }
};

QTEST_APPLESS_MAIN(DeviceTest)
#include "device_test.moc"
