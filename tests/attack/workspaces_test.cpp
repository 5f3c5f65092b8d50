// SPDX-License-Identifier: Apache-2.0
// Workspaces and bundles that another person has prepared: each is a good one with one change in it. None opens, none
// is imported, and none makes anybody wait.
#include <QtTest>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/hash.h"
#include "store/bundle.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::store;
namespace fs = std::filesystem;

namespace {

constexpr const char* tables[] = {"op",   "run",      "source", "candidate", "verdict", "message", "measurement",
                                  "text", "exchange", "move",   "review",    "mark",    "imported"};
constexpr const char* endless =
    " AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id, x AS hash FROM n";

struct Change {
  std::string name, sql;
  std::string named;  // what the refusal names; empty: it is refused in other words
};

std::vector<Change> changes() {
  std::vector<Change> all;
  for (const std::string t : tables) {
    all.push_back({"column in " + t, "ALTER TABLE " + t + " ADD COLUMN judged_by TEXT", "'judged_by'"});
    all.push_back({"trigger on " + t,
                   "CREATE TRIGGER helper AFTER INSERT ON " + t +
                       " BEGIN UPDATE candidate SET state = 'accepted' WHERE state = 'rejected'; END",
                   "'helper'"});
    all.push_back({"endless view for " + t,
                   "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; ALTER TABLE " + t +
                       " RENAME TO hidden; CREATE VIEW " + t + endless,
                   ""});
    all.push_back({"no " + t, "PRAGMA foreign_keys = OFF; DROP TABLE " + t, "it lacks"});
  }
  all.push_back({"endless view", std::string("CREATE VIEW news") + endless, "'news'"});
  all.push_back({"table", "CREATE TABLE extra(x)", "'extra'"});
  all.push_back({"index", "CREATE INDEX quick ON candidate(title)", "'quick'"});
  all.push_back({"index over an expression", "CREATE INDEX quick ON candidate(length(title))", "'quick'"});
  all.push_back({"virtual table", "CREATE VIRTUAL TABLE hits USING fts5(words)", "'hits'"});
  all.push_back({"generated column",
                 "ALTER TABLE candidate ADD COLUMN sum TEXT GENERATED ALWAYS AS (hex(title)) VIRTUAL", "'sum'"});
  all.push_back(
      {"another trigger under a known name",
       "DROP TRIGGER candidate_judged; CREATE TRIGGER candidate_judged AFTER UPDATE OF state ON candidate BEGIN "
       "UPDATE candidate SET state = 'accepted' WHERE id = new.id; END",
       "'candidate_judged'"});
  all.push_back({"a table that checks nothing",
                 "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'UNIQUE(run, hash)', "
                 "'CHECK(1 = 1)') WHERE name = 'candidate'",
                 ""});
  all.push_back(
      {"a view under a table's entry",
       "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'op INTEGER', 'op TEXT') WHERE "
       "name = 'run'",
       "'run'"});
  return all;
}

bool alter(const fs::path& file, const std::string& sql) {  // as whoever prepares it would: without our defences
  sqlite3* db = nullptr;
  char* why = nullptr;
  const bool done = sqlite3_open(file.c_str(), &db) == SQLITE_OK &&
                    sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &why) == SQLITE_OK;
  if (!done) qWarning("%s", why ? why : "cannot open");
  sqlite3_free(why);
  sqlite3_close(db);
  return done;
}

}  // namespace

class AttackedWorkspacesTest : public QObject, support::Folders {
  Q_OBJECT
  fs::path good_, bundle_;

 private slots:
  void initTestCase() {
    good_ = path("good");
    auto w = support::opened(good_);
    const std::int64_t run = support::new_run(*w);
    CandidateRecord c;
    c.run = run;
    c.text = c.hash = "text";
    c.hash = Hasher().field("cuda").field(c.text).hex();
    const std::int64_t id = w->add_candidate(c).value();
    evidence::Verdict v = support::passed();
    v.accepted = false;
    v.stages[2].outcome = evidence::Outcome::failed;
    QVERIFY(w->set_verdict(id, v, {}, Provenance::unknown, ""));
    bundle_ = path("good.wwb");
    w.reset();
    QVERIFY(export_bundle(good_, bundle_, 0, "test"));
    QVERIFY(import_bundle(bundle_, fresh()));
  }

  void preparedOnesAreRefused_data() {
    QTest::addColumn<bool>("bundle");
    QTest::addColumn<int>("index");
    const std::vector<Change> all = changes();
    for (std::size_t i = 0; i < all.size(); ++i) {
      QTest::addRow("workspace: %s", all[i].name.c_str()) << false << static_cast<int>(i);
      if (all[i].name != "no imported") QTest::addRow("bundle: %s", all[i].name.c_str()) << true << static_cast<int>(i);
    }
  }
  void preparedOnesAreRefused() {
    QFETCH(bool, bundle);
    QFETCH(int, index);
    const Change change = changes().at(static_cast<std::size_t>(index));
    const fs::path folder = fresh();
    std::string why;
    if (bundle) {
      const fs::path file = folder.string() + ".wwb";
      fs::copy_file(bundle_, file);
      QVERIFY(alter(file, change.sql));
      const auto imported = import_bundle(file, folder);
      QVERIFY(!imported);
      QVERIFY2(imported.error().code == Code::corrupt, imported.error().text().c_str());
      why = imported.error().text();
      QVERIFY(!fs::exists(folder));  // nothing was imported
    } else {
      fs::copy(good_, folder, fs::copy_options::recursive);
      QVERIFY(alter(folder / "workspace.sqlite", change.sql));
      const auto opened = Workspace::open(folder, Workspace::Access::write);
      QVERIFY(!opened);
      QVERIFY2(opened.error().code == Code::corrupt, opened.error().text().c_str());
      why = opened.error().text();
    }
    QVERIFY2(why.find(change.named) != std::string::npos, why.c_str());
  }

  void whatIsNoPlainFileIsRefusedAtOnce() {
    const fs::path folder = fresh(), fifo = path("pipe");
    fs::create_directories(folder);
    QCOMPARE(::mkfifo((folder / "workspace.sqlite").c_str(), 0600), 0);
    QCOMPARE(Workspace::open(folder, Workspace::Access::write).error().code, Code::io);
    QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
    QVERIFY2(read_file(fifo).error().message.find("a device or a pipe") != std::string::npos,
             read_file(fifo).error().text().c_str());
    QVERIFY(!read_file("/dev/zero"));
    QVERIFY(!import_bundle(fifo, fresh()));
    auto w = support::opened(fresh());
    const std::string hash = w->put_blob("content").value();
    const fs::path blob = w->folder() / "blobs" / hash.substr(0, 2) / hash;
    fs::remove(blob);
    QCOMPARE(::mkfifo(blob.c_str(), 0600), 0);
    QVERIFY(!w->get_blob(hash));
    QCOMPARE(w->put_blob("content").value(), hash);  // in its place
    QCOMPARE(w->get_blob(hash).value(), std::string("content"));
  }

  void aPlantedLinkIsNotFollowed() {
    const fs::path victim = path("victim"), file = path("file");
    QVERIFY(write_file_atomic(victim, "precious"));
    fs::create_symlink(victim, file.string() + ".tmp" + std::to_string(::getpid()));
    fs::create_symlink(victim, file);
    QVERIFY(write_file_atomic(file, "new"));
    QCOMPARE(read_file(victim).value(), std::string("precious"));
    QVERIFY(!fs::is_symlink(file));
    const fs::path bundle = path("linked.wwb");
    fs::create_symlink(victim, bundle);
    fs::create_symlink(victim, bundle.string() + ".part" + std::to_string(::getpid()));
    QVERIFY(export_bundle(good_, bundle, 0, "test"));
    QCOMPARE(read_file(victim).value(), std::string("precious"));
    QVERIFY(import_bundle(bundle, fresh()));
  }

  // A rollback journal may name a super-journal, which SQLite would read and delete.
  void aJournalThatNamesAnotherFileHarmsNothing() {
    const fs::path victim = path("precious"), fifo = path("waiting");
    QVERIFY(write_file_atomic(victim, "precious"));
    QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
    for (const fs::path& named : {victim, fifo}) {
      const fs::path folder = fresh(), file = folder / "workspace.sqlite";
      fs::copy(good_, folder, fs::copy_options::recursive);
      const std::string magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8), name = named.string();
      const auto number = [](std::uint64_t n) {
        std::string four;
        for (int shift = 24; shift >= 0; shift -= 8) four += static_cast<char>(n >> shift & 0xff);
        return four;
      };
      std::uint64_t sum = 0;
      for (const char c : name) sum += static_cast<unsigned char>(c);
      std::string journal =
          magic + number(0) + number(12345) + number(fs::file_size(file) / 4096) + number(512) + number(4096);
      journal.resize(512);
      journal += number(0x40000000 / 4096 + 1) + name + number(name.size()) + number(sum) + magic;
      QVERIFY(write_file_atomic(file.string() + "-journal", journal));
      using enum Workspace::Access;
      for (const Workspace::Access access : {read, write, create}) (void)Workspace::open(folder, access);
      QVERIFY2(fs::exists(named), name.c_str());
    }
    QCOMPARE(read_file(victim).value(), std::string("precious"));
  }

  void foldersThatAreLinksAreRefused() {
    for (const char* part : {"blobs", "review"}) {
      const fs::path folder = fresh(), elsewhere = fresh();
      fs::copy(good_, folder, fs::copy_options::recursive);
      fs::create_directories(elsewhere);
      fs::remove_all(folder / part);
      fs::create_symlink(elsewhere, folder / part);
      const auto opened = Workspace::open(folder, Workspace::Access::write);
      QVERIFY(!opened && opened.error().code == Code::corrupt);
      QVERIFY(fs::is_empty(elsewhere));
    }
  }

  void aForeignChecklistIsSetAside() {
    const fs::path folder = fresh();
    fs::copy(good_, folder, fs::copy_options::recursive);
    QVERIFY(write_file_atomic(folder / "review" / "policy.json", "{}"));
    support::opened(folder);
    QVERIFY(!fs::exists(folder / "review/policy.json"));
    QCOMPARE(read_file(folder / "review/policy.imported.json").value(), std::string("{}"));
    QVERIFY(write_file_atomic(folder / "review" / "policy.json", "{ }"));  // its owner's own, from now on
    support::opened(folder);
    QCOMPARE(read_file(folder / "review/policy.json").value(), std::string("{ }"));
  }

  void opsAreCalledWhatTheirSpecsSay() {
    const fs::path from = path("named"), folder = fresh();
    {
      auto w = support::opened(from);
      RunRecord r;
      r.op = w->add_op("add", "op add(a: f32[N], b: f32[N]) -> y: f32[N]\n{\n  y[i] = a[i] + b[i]\n}\n", "").value();
      r.generator = "search", r.device = "simt", r.architecture = "sm_80", r.options = "{}";
      QVERIFY(w->add_run(r));
    }
    QVERIFY(alter(from / "workspace.sqlite", "UPDATE op SET name = 'softmax'"));
    QVERIFY(export_bundle(from, path("named.wwb"), 0, "test"));
    QVERIFY(import_bundle(path("named.wwb"), folder));
    QCOMPARE(support::opened(folder)->run(1)->op_name, std::string("add"));
    const fs::path copy = fresh();
    fs::copy(from, copy, fs::copy_options::recursive);
    QCOMPARE(support::opened(copy)->run(1)->op_name, std::string("add"));
  }

  void aWorkspaceThatIsDeletedIsAnError() {
    auto w = support::opened(fresh());
    const std::int64_t run = support::new_run(*w);
    fs::remove_all(w->folder());
    const auto put = w->put_blob("content");
    QCOMPARE(put.error().code, Code::io);
    const Status message = w->add_message(run, MessageLevel::info, "hello");
    QVERIFY(!message);
    QCOMPARE(message.error().code, Code::io);
    QVERIFY2(message.error().message.find("deleted or moved") != std::string::npos, message.error().text().c_str());
    QVERIFY(!fs::exists(w->folder()));  // nothing is made again
  }

  void anImportCanBeStopped() {
    std::stop_source stop;
    stop.request_stop();
    const fs::path folder = path("big"), file = path("big.wwb");
    {
      auto w = support::opened(folder);
      const std::int64_t run = support::new_run(*w);
      for (int i = 0; i < 2000; ++i) QVERIFY(w->add_message(run, MessageLevel::info, std::string(100, 'x')));
    }
    QVERIFY(export_bundle(folder, file, 0, "test"));
    const auto imported = import_bundle(file, fresh(), stop.get_token());
    QVERIFY(!imported);
    QCOMPARE(imported.error().code, Code::cancelled);
  }

  // What came with a bundle says so, until it was made here.
  void importsCarryAMark() {
    const fs::path folder = fresh();
    {
      auto from = support::opened(path("marked"));
      const std::int64_t run = support::new_run(*from);
      CandidateRecord c;
      c.run = run;
      c.text = "kernel";
      c.hash = Hasher().field("cuda").field(c.text).hex();
      const std::int64_t id = from->add_candidate(c).value();
      QVERIFY(from->set_verdict(id, support::passed(), 1.0, Provenance::simulated, "slots"));
      QVERIFY(from->add_measurement(
          {0, from->run(run)->op, id, profile::MeasurementKind::time, "cuda:0", "GPU", "1", "{}", ""}));
      QVERIFY(from->add_review({0, id, ReviewKind::note, "Ada", 0, "look", "", "", ""}));
      QVERIFY(!from->candidate(id)->imported && !from->run(run)->imported);
      QVERIFY(!from->measurements(id)->at(0).imported && !from->reviews(id)->at(0).imported);
    }
    QVERIFY(export_bundle(path("marked"), path("marked.wwb"), 0, "test"));
    QVERIFY(import_bundle(path("marked.wwb"), folder));
    auto w = support::opened(folder);
    QVERIFY(w->run(1)->imported && w->candidate(1)->imported && w->candidates(1)->at(0).imported);
    QVERIFY(w->measurements(1)->at(0).imported && w->reviews(1)->at(0).imported);
    QVERIFY(w->add_review({0, 1, ReviewKind::note, "Bob", 0, "seen", "", "", ""}));
    QVERIFY(w->reviews(1)->at(0).imported && !w->reviews(1)->at(1).imported);
    QVERIFY(w->set_verdict(1, support::passed(), 1.0, Provenance::simulated, "slots"));
    QVERIFY(!w->candidate(1)->imported);
    QVERIFY(w->run(1)->imported);
  }
};

QTEST_GUILESS_MAIN(AttackedWorkspacesTest)
#include "workspaces_test.moc"
