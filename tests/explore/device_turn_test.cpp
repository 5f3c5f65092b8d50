// SPDX-License-Identifier: Apache-2.0
// Whose turn it is on a GPU.
#include <QtTest>
#include <future>
#include <mutex>
#include <string>
#include <vector>
#include "explore/device_turn.h"

using namespace ww;
using namespace ww::explore;

class DeviceTurnTest : public QObject {
  Q_OBJECT
  QTemporaryDir cache_;

 private slots:
  void initTestCase() { qputenv("WARPWRIGHT_CACHE", cache_.path().toLocal8Bit()); }

  void runs_take_turns_on_a_gpu() {
    DeviceTurn first("cuda:0"), second("cuda:0");
    std::mutex mutex;
    std::vector<std::string> order;
    std::future<void> other;
    {
      const DeviceTurn::Held turn = first.take({});
      other = std::async(std::launch::async, [&] {
        const DeviceTurn::Held mine = second.take({});
        const std::lock_guard lock(mutex);
        order.push_back("second");
      });
      const std::lock_guard lock(mutex);
      order.push_back("first");
    }
    other.get();
    QCOMPARE(order, (std::vector<std::string>{"first", "second"}));
  }
  void a_stop_ends_the_wait() {
    DeviceTurn first("cuda:0"), second("cuda:0");
    const DeviceTurn::Held turn = first.take({});
    std::stop_source stop;
    std::future<void> other = std::async(std::launch::async, [&] { second.take(stop.get_token()); });
    stop.request_stop();
    other.get();
  }
  void others_do_not_wait() {
    DeviceTurn gpu("cuda:0"), another("cuda:1"), simt("simt"), more("simt");
    const DeviceTurn::Held a = gpu.take({}), b = another.take({}), c = simt.take({}), d = more.take({});
  }
};

QTEST_GUILESS_MAIN(DeviceTurnTest)
#include "device_turn_test.moc"
