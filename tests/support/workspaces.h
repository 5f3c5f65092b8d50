// SPDX-License-Identifier: Apache-2.0
// Folders, workspaces and runs for tests.
#pragma once
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <memory>
#include <string>
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/workspace.h"

namespace ww::support {

inline std::unique_ptr<store::Workspace> opened(const std::filesystem::path& folder) {
  auto w = store::Workspace::open(folder);
  if (!w) qFatal("%s", w.error().text().c_str());
  return std::move(*w);
}

inline std::int64_t new_run(store::Workspace& w, const std::string& generator = "search") {
  store::RunRecord r;
  r.op = w.add_op("softmax", "op softmax …", "row softmax").value();
  r.generator = generator;
  r.device = "simt";
  r.architecture = "sm_80";
  r.options = "{}";
  return w.add_run(r).value();
}

// Every stage passed.
inline evidence::Verdict passed(const std::string& device = "simt", const std::string& ptx = ".version 8.0") {
  evidence::Verdict v;
  v.candidate = "c";
  v.device = device;
  v.accepted = true;
  for (const evidence::Stage stage : evidence::all_stages)
    v.stages.push_back({stage, evidence::Outcome::passed, "fine", "", {}, 0.5});
  v.ptx = ptx;
  return v;
}

// A workspace in the schema of the first `versions` migrations, with an op, a run and a candidate, and what `more`
// adds.
inline void write_old(const std::filesystem::path& folder, std::size_t versions, const std::string& more = {}) {
  using namespace store;
  std::filesystem::create_directories(folder);
  const std::vector<Migration> steps(migrations().begin(),
                                     migrations().begin() + static_cast<std::ptrdiff_t>(versions));
  const auto db = Database::open(folder / "workspace.sqlite", Database::Access::create).value();
  QVERIFY(check_ours(*db, steps, folder) && migrate(*db, steps, folder));
  QVERIFY(
      db->exec("INSERT INTO op VALUES(1, 'softmax', 't', 's', 'c'); INSERT INTO run VALUES(1, 1, 'search', 'simt', "
               "'sm_80', '{}', 'done', 'c', 'e'); INSERT INTO source VALUES('h', 'cuda', 'text'); INSERT INTO "
               "candidate(id, run, hash, parent, structure, title, generator, note, state, created) VALUES(1, 1, "
               "'h', '', '', '', 'search', '', 'queued', 'c');" +
               more));
  QCOMPARE(db->integer("PRAGMA user_version").value(), static_cast<std::int64_t>(versions));
}

// For a test to derive from: paths in a folder that ends with the test.
class Folders {
 protected:
  std::filesystem::path path(const std::string& name) const {
    return std::filesystem::path(dir_.path().toStdString()) / name;
  }
  std::filesystem::path fresh() { return path("w" + std::to_string(++count_)); }  // does not exist yet

 private:
  QTemporaryDir dir_;
  int count_ = 0;
};

// The same with a workspace, and the number of a run in it.
class WithWorkspace : protected Folders {
 protected:
  void renew() { workspace_ = opened(fresh()); }  // for init()
  std::unique_ptr<store::Workspace> workspace_;
  std::int64_t run_ = 0;
};

}  // namespace ww::support
