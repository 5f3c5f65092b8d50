// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <filesystem>
#include <fstream>
#include "base/files.h"
#include "base/hash.h"
#include "base/sealed_folder.h"

using namespace ww;
namespace fs = std::filesystem;

class SealedFolderTest : public QObject {
  Q_OBJECT
  QTemporaryDir temporary_;
  int next_ = 0;
  fs::path fresh() { return fs::path(temporary_.path().toStdString()) / std::to_string(next_++); }
  static fs::path file_of(const fs::path& folder, const std::string& name) {
    return folder / name.substr(0, 2) / (name + ".kept");
  }
 private slots:
  void anotherProcessReadsWhatWasKept() {
    const fs::path folder = fresh();
    const std::string bytes("a\0b", 3);
    SealedFolder(folder).store("name", bytes);
    SealedFolder later(folder);
    QCOMPARE(later.load("name"), std::optional(bytes));
    QVERIFY(!later.load("other"));
    const fs::perms rights = fs::status(folder / "seal.key").permissions();
    QCOMPARE(rights, fs::perms::owner_read | fs::perms::owner_write);
  }
  void aChangedEntryIsRemoved() {
    const fs::path folder = fresh();
    SealedFolder kept(folder);
    kept.store("name", "some bytes that were kept");
    const fs::path file = file_of(folder, "name");
    const std::string good = *read_file(file);
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] ^= 0x20;
      std::ofstream(file, std::ios::binary) << bad;
      QVERIFY2(!kept.load("name"), std::to_string(at).c_str());
      QVERIFY(!fs::exists(file));
    }
    for (const std::size_t size : {std::size_t{0}, std::size_t{10}, good.size() - 1}) {
      std::ofstream(file, std::ios::binary) << good.substr(0, size);
      QVERIFY(!kept.load("name"));
    }
    std::ofstream(file, std::ios::binary) << good;
    QVERIFY(kept.load("name").has_value());
  }
  void anEntryUnderAnotherNameIsRemoved() {
    const fs::path folder = fresh();
    SealedFolder kept(folder);
    kept.store("one-name", "1");
    kept.store("other-name", "2");
    fs::copy_file(file_of(folder, "one-name"), file_of(folder, "other-name"), fs::copy_options::overwrite_existing);
    QVERIFY(!kept.load("other-name"));
    QCOMPARE(kept.load("one-name"), std::optional<std::string>("1"));
  }
  void anEntryOfAnotherKeyIsRemoved() {
    const fs::path folder = fresh(), strange = fresh();
    SealedFolder kept(folder);
    kept.store("name", "ours");
    SealedFolder(strange).store("name", "theirs");
    fs::copy_file(file_of(strange, "name"), file_of(folder, "name"), fs::copy_options::overwrite_existing);
    QVERIFY(!kept.load("name"));
  }
  void aKeyThatOthersCanReadOrALinkIsNotUsed() {
    const fs::path folder = fresh(), linked = fresh();
    SealedFolder(folder).store("name", "bytes");
    fs::permissions(folder / "seal.key", fs::perms::group_read, fs::perm_options::add);
    QVERIFY(!SealedFolder(folder).load("name"));
    fs::create_directories(linked);
    fs::create_symlink(folder / "seal.key", linked / "seal.key");
    SealedFolder other(linked);
    other.store("name", "bytes");
    QVERIFY(!other.load("name"));
  }
  void namesLeadToNoOtherFolder() {
    const fs::path folder = fresh();
    SealedFolder kept(folder);
    for (const char* name : {"", "ab", "../../escaped", "a/b", ".hidden", "seal key"}) {
      kept.store(name, "bytes");
      QVERIFY2(!kept.load(name), name);
    }
    QCOMPARE(kept.bytes(), std::uint64_t{0});
    QVERIFY(!fs::exists(folder.parent_path() / "escaped.kept"));
  }
  void staysWithinItsBoundAndKeepsWhatIsUsed() {
    const fs::path folder = fresh();
    constexpr std::uint64_t bound = 100000;
    SealedFolder kept(folder, bound);
    const std::string used = hash_hex("used"), bytes(5000, 'x');
    kept.store(used, bytes);
    for (int i = 0; i < 60; ++i) {
      const std::string name = hash_hex(std::to_string(i));
      kept.store(name, bytes);
      if (const fs::path file = file_of(folder, name); fs::exists(file))
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::seconds(1000 - i));
      QVERIFY(kept.load(used).has_value());
    }
    QVERIFY(kept.bytes() <= bound + bound / 16 + 6000);
    QVERIFY(!kept.load(hash_hex("0")));
    QVERIFY(kept.load(hash_hex("59")).has_value());
  }
  void withoutAFolderNothingIsKept() {
    SealedFolder kept({});
    kept.store("name", "bytes");
    QVERIFY(!kept.load("name"));
  }
};

int main(int argc, char** argv) {
  qputenv("WARPWRIGHT_LOG", "error");  // each removed entry would be a line
  SealedFolderTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "sealed_folder_test.moc"
