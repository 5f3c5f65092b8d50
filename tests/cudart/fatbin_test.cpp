// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cstdint>
#include <span>
#include "cudart/fatbin.h"
#include "cudart/fatbin_made.h"

using namespace ww;
using ::testing::bytes_of;
using ::testing::fatbin_of;
using ::testing::Packed;

class FatbinTest : public QObject {
  Q_OBJECT
  const std::string ptx_ = ".version 8.0\n.target sm_80\n.address_size 64\n" + std::string(500, '/') + "\n";

 private slots:
  void everyPackingIsRead() {
    for (const Packed how : {Packed::no, Packed::lz4, Packed::zstd}) {
      const auto read = cudart::read_fatbin(bytes_of(fatbin_of(ptx_, how, 90)));
      QVERIFY2(read, read ? "" : read.error().text().c_str());
      QCOMPARE(read->ptx.size(), std::size_t{1});
      QCOMPARE(read->ptx[0].architecture, 90);
      QCOMPARE(read->ptx[0].ptx, ptx_);
    }
  }

  void severalEntriesAreRead() {
    std::string one = fatbin_of(ptx_, Packed::zstd, 75), machine = fatbin_of("ELF", Packed::no, 86);
    machine[16] = 2;  // the kind: machine code
    const std::uint64_t entries = one.size() + machine.size() - 2 * 16;
    std::string all = one + machine.substr(16);
    std::memcpy(all.data() + 8, &entries, sizeof entries);
    const auto read = cudart::read_fatbin(bytes_of(all + "what follows the container"));
    QVERIFY(read);
    QCOMPARE(read->ptx.size(), std::size_t{1});
    QCOMPARE(read->machine_code, std::vector<int>{86});
  }

  void whatIsDamagedIsRefused() {
    const std::string good = fatbin_of(ptx_, Packed::lz4);
    for (std::size_t size = 0; size < good.size(); size += 7) {
      const auto read = cudart::read_fatbin(bytes_of(good.substr(0, size)));
      QVERIFY(!read);
      QCOMPARE(read.error().code, Code::corrupt);
    }
    for (std::size_t at = 0; at < good.size(); ++at)
      for (const char value : {'\0', '\1', '\xFF'}) {
        std::string bad = good;
        bad[at] = value;
        (void)cudart::read_fatbin(bytes_of(bad));  // answers, whatever it is
      }
  }

  void anUnknownPackingIsNamed() {
    std::string bad = fatbin_of(ptx_, Packed::zstd);
    bad[16 + 41] = 0x40;  // of the flags
    const auto read = cudart::read_fatbin(bytes_of(bad));
    QVERIFY(!read);
    QCOMPARE(read.error().code, Code::unsupported);
  }
};

QTEST_GUILESS_MAIN(FatbinTest)
#include "fatbin_test.moc"
