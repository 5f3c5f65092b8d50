// SPDX-License-Identifier: Apache-2.0
// Measurements, and a workspace that travels as one file.
#include <QtTest>
#include <sys/stat.h>
#include "base/files.h"
#include "base/hash.h"
#include "store/bundle.h"
#include "store/schema.h"
#include "store/workspace.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::store;
using ww::support::opened;
namespace fs = std::filesystem;

namespace {

std::string hash_of(const std::string& text) { return Hasher().field("cuda").field(text).hex(); }

CandidateRecord candidate_of(std::int64_t run, const std::string& text) {
  CandidateRecord c;
  c.run = run;
  c.text = text;
  c.hash = hash_of(text);
  c.title = "title of " + text;
  c.generator = "search";
  c.language = candidate::Language::cuda;
  return c;
}

evidence::Verdict accepted(const std::string& ptx) {
  evidence::Verdict v = support::passed("cuda:0", ptx);
  v.resources.push_back({"k", 24, 128, 0, 0, 0, 352, 1});
  return v;
}

std::int64_t new_run(Workspace& w, const std::string& op, const std::string& options) {
  RunRecord r;
  r.op = w.add_op(op, "op " + op + " …", "a " + op).value();
  r.generator = "search";
  r.device = "cuda:0";
  r.architecture = "sm_90";
  r.options = options;
  return w.add_run(r).value();
}

MeasurementRecord measurement_of(const Workspace&, std::int64_t op, std::int64_t candidate, const std::string& json) {
  return {0,
          op,
          candidate,
          candidate ? profile::MeasurementKind::time : profile::MeasurementKind::baseline,
          "cuda:0",
          "NVIDIA H200",
          "580.159.04",
          json,
          ""};
}

// Two runs of two ops: accepted, rejected without PTX, queued; measurements of a candidate and of baselines alone.
void fill(const fs::path& folder) {
  auto w = opened(folder);
  const std::int64_t first = new_run(*w, "softmax", R"({"a":1})"), second = new_run(*w, "matmul", R"({"b":2})");
  const std::int64_t a = w->add_candidate(candidate_of(first, "kernel a")).value();
  QVERIFY(w->set_verdict(a, accepted(".version 8.0 // a"), 0.1 + 0.2, Provenance::measured, "us"));
  const std::int64_t b = w->add_candidate(candidate_of(first, "kernel b")).value();
  QVERIFY(w->set_not_judged(b, "the worker died"));
  const std::int64_t c = w->add_candidate(candidate_of(second, "kernel c")).value();
  QVERIFY(w->set_verdict(c, accepted(".version 8.0 // c"), {}, Provenance::unknown, ""));
  w->add_candidate(candidate_of(second, "kernel a")).value();  // a text that both runs hold
  QVERIFY(w->add_message(first, store::MessageLevel::info, "hello"));
  QVERIFY(w->add_message(second, store::MessageLevel::environment, "{}"));
  QVERIFY(w->set_run_state(first, store::RunState::done));
  QVERIFY(w->add_measurement(measurement_of(*w, w->run(first)->op, a, R"({"us":1.5,"gpu":"NVIDIA H200"})")));
  QVERIFY(w->add_measurement(measurement_of(*w, w->run(second)->op, 0, R"({"us":2.5})")));
}

std::string flipped(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 0x5a);
  return bytes;
}

}  // namespace

class BundleTest : public QObject, support::Folders {
  Q_OBJECT
  fs::path bundle_of(const fs::path& folder, std::int64_t run = 0) {
    const fs::path file = fresh().replace_extension(".wwb");
    const auto facts = export_bundle(folder, file, run, "warpwright test");
    if (!facts) qFatal("%s", facts.error().text().c_str());
    return file;
  }

 private slots:
  void measurementsComeBack() {
    const fs::path folder = fresh();
    fill(folder);
    auto w = opened(folder);
    const auto all = w->measurements(0).value();
    QCOMPARE(all.size(), std::size_t{2});
    QCOMPARE(all[0].kind, profile::MeasurementKind::baseline);  // newest first
    QCOMPARE(all[0].candidate, std::int64_t{0});
    const std::int64_t id = w->find_candidate("1")->id;
    const auto of_one = w->measurements(id).value();
    QCOMPARE(of_one.size(), std::size_t{1});
    QCOMPARE(of_one[0].json, std::string(R"({"us":1.5,"gpu":"NVIDIA H200"})"));
    QCOMPARE(of_one[0].gpu, std::string("NVIDIA H200"));
    QCOMPARE(of_one[0].driver, std::string("580.159.04"));
    QVERIFY(!of_one[0].created.empty());
    QCOMPARE(w->add_measurement(measurement_of(*w, 77, 0, "{}")).error().code, Code::not_found);
    QCOMPARE(w->add_measurement(measurement_of(*w, 1, 77, "{}")).error().code, Code::not_found);
    QVERIFY(w->measurements(77)->empty());
  }

  void marksComeBack() {
    const fs::path folder = fresh();
    fill(folder);
    auto w = opened(folder);
    const auto list = [&](std::int64_t run) {
      std::string all;
      const auto marks = w->marks(run).value();
      for (const MarkRecord& m : marks)
        all += std::to_string(m.candidate) + " " + enum_string(m.kind) + " " + m.text + ";";
      return all;
    };
    QCOMPARE(list(1), std::string());
    QVERIFY(w->set_mark(1, MarkKind::pin, "", true) && w->set_mark(1, MarkKind::tag, "good", true) &&
            w->set_mark(1, MarkKind::tag, "tiled", true));
    QVERIFY(w->set_mark(2, MarkKind::trash, "", true) && w->set_mark(1, MarkKind::note, "first", true) &&
            w->set_mark(3, MarkKind::pin, "", true));
    QCOMPARE(list(1), std::string("1 pin ;1 tag good;1 tag tiled;2 trash ;1 note first;"));
    const std::string when = w->marks(1)->at(0).created;
    QVERIFY(!when.empty());
    QVERIFY(w->set_mark(1, MarkKind::pin, "", true));  // set already
    QCOMPARE(w->marks(1)->at(0).created, when);
    QVERIFY(w->set_mark(1, MarkKind::note, "it's \u00e4 \"second\"", true));  // a candidate has one note
    QVERIFY(w->set_mark(1, MarkKind::tag, "good", false) && w->set_mark(1, MarkKind::tag, "never", false));
    QCOMPARE(list(1), std::string("1 pin ;1 tag tiled;2 trash ;1 note it's \u00e4 \"second\";"));
    QVERIFY(w->set_mark(1, MarkKind::note, "", false) && w->set_mark(1, MarkKind::pin, "", false));
    QCOMPARE(list(1), std::string("1 tag tiled;2 trash ;"));
    QCOMPARE(list(2), std::string("3 pin ;"));
    QVERIFY(w->candidate(2).has_value());  // trash only hides
    QVERIFY(w->set_marks({1, 2}, MarkKind::tag, "both", true));
    QCOMPARE(w->set_marks({1, 2, 77}, MarkKind::tag, "none", true).error().code, Code::not_found);  // of all or of none
    QCOMPARE(list(1), std::string("1 tag tiled;2 trash ;1 tag both;2 tag both;"));
    QCOMPARE(w->set_mark(77, MarkKind::pin, "", true).error().code, Code::not_found);
    QCOMPARE(w->set_mark(1, MarkKind::unknown, "", true).error().code, Code::invalid_argument);
    QCOMPARE(w->set_mark(1, MarkKind::tag, "", true).error().code, Code::invalid_argument);
    QCOMPARE(w->set_mark(1, MarkKind::tag, "", false).error().code, Code::invalid_argument);
    QCOMPARE(w->set_mark(1, MarkKind::note, "", true).error().code, Code::invalid_argument);
    QCOMPARE(w->set_mark(1, MarkKind::pin, "x", true).error().code, Code::invalid_argument);
    QVERIFY(w->marks(99)->empty());
  }

  void marksTravel() {
    const fs::path folder = fresh(), all = fresh(), one = fresh();
    fill(folder);
    {
      auto w = opened(folder);
      QVERIFY(w->set_mark(1, MarkKind::note, "look here", true) && w->set_mark(3, MarkKind::tag, "good", true) &&
              w->set_mark(4, MarkKind::trash, "", true));
    }
    QVERIFY(import_bundle(bundle_of(folder), all).has_value());
    QVERIFY(import_bundle(bundle_of(folder, 2), one).has_value());
    const auto whole = opened(all)->marks(1).value();
    QVERIFY(whole.size() == 1 && whole[0].text == "look here" &&
            whole[0].created == opened(folder)->marks(1)->at(0).created);
    const auto part = opened(one)->marks(1).value();  // with the numbers of the new workspace
    QVERIFY(part.size() == 2 && part[0].kind == MarkKind::tag && part[0].candidate == 1 &&
            part[1].kind == MarkKind::trash && part[1].candidate == 2);
  }

  void aWorkspaceWithoutMarksIsBroughtOn() {
    const fs::path folder = fresh();
    support::write_old(folder, 4,
                       "INSERT INTO review(candidate, kind, reviewer, line, text, answers, receipt, created) VALUES(1, "
                       "'note', 'me', 3, 'kept', '', '', 'c')");
    auto w = opened(folder);
    QVERIFY(w->marks(1)->empty());
    QVERIFY(w->set_mark(1, MarkKind::pin, "", true));
    QCOMPARE(w->marks(1)->size(), std::size_t{1});
    QCOMPARE(w->reviews(1)->at(0).text, std::string("kept"));
  }

  void aWorkspaceOfTheFirstVersionIsBroughtOn() {
    const fs::path folder = fresh();
    support::write_old(folder, 1);
    auto w = opened(folder);
    QCOMPARE(w->candidate(1)->text, std::string("text"));
    QVERIFY(w->measurements(0)->empty());
    QVERIFY(w->add_measurement(measurement_of(*w, 1, 1, "{}")));
    QCOMPARE(w->measurements(1)->size(), std::size_t{1});
  }

  void everythingTravels() {
    const fs::path folder = fresh(), target = fresh();
    fill(folder);
    const fs::path file = bundle_of(folder);
    const auto imported = import_bundle(file, target);
    QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
    QCOMPARE(imported->bundle.runs, std::int64_t{2});
    QCOMPARE(imported->bundle.candidates, std::int64_t{4});
    QCOMPARE(imported->bundle.measurements, std::int64_t{2});
    QCOMPARE(imported->bundle.blobs, std::int64_t{2});
    QCOMPARE(imported->bundle.program, std::string("warpwright test"));
    auto from = opened(folder), to = opened(target);
    const auto runs = from->runs().value(), arrived = to->runs().value();
    QCOMPARE(arrived.size(), runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      QVERIFY(arrived[i].op_name == runs[i].op_name && arrived[i].options == runs[i].options &&
              arrived[i].state == runs[i].state && arrived[i].created == runs[i].created &&
              arrived[i].ended == runs[i].ended && arrived[i].proposed == runs[i].proposed);
      QVERIFY(arrived[i].imported && arrived[i].accepted == 0 && arrived[i].judged == 0);  // here
      QCOMPARE(to->messages(arrived[i].id)->front().text, from->messages(runs[i].id)->front().text);
    }
    const CandidateRecord a = from->candidate(1).value(), b = to->candidate(1).value();
    QVERIFY(b.hash == a.hash && b.text == a.text && b.summary == a.summary && b.judged == a.judged &&
            b.score == a.score && b.score_unit == "us");  // the score to its last bit
    QCOMPARE(b.verdict->ptx, std::string(".version 8.0 // a"));
    QCOMPARE(b.resources.at(0).registers, 24);
    QVERIFY(!to->candidate(3)->score);
    const MeasurementRecord m = to->measurements(1).value().at(0), n = from->measurements(1).value().at(0);
    QVERIFY(m.json == n.json && m.gpu == n.gpu && m.driver == n.driver && m.created == n.created && m.kind == n.kind);
    QCOMPARE(to->op(to->measurements(0)->at(0).op)->name, std::string("matmul"));
  }

  void oneRunTravels() {
    const fs::path folder = fresh(), target = fresh();
    fill(folder);
    const auto imported = import_bundle(bundle_of(folder, 2), target);
    QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
    QCOMPARE(imported->runs, (std::vector<std::pair<std::int64_t, std::int64_t>>{{2, 1}}));
    auto w = opened(target);
    QCOMPARE(w->runs()->size(), std::size_t{1});
    QCOMPARE(w->candidates(1)->size(), std::size_t{2});
    QCOMPARE(w->find_candidate(hash_of("kernel b")).error().code, Code::not_found);
    QCOMPARE(imported->bundle.blobs, std::int64_t{1});
    QVERIFY(w->measurements(0)->empty());
    QCOMPARE(export_bundle(folder, fresh(), 77, "").error().code, Code::not_found);
  }

  void importAddsBehindWhatIsThere() {
    const fs::path folder = fresh(), target = fresh();
    fill(folder);
    {
      auto w = opened(target);
      const std::int64_t run = new_run(*w, "softmax", "{}");
      w->add_candidate(candidate_of(run, "kernel a")).value();
      w->add_candidate(candidate_of(run, "kernel z")).value();
    }
    const fs::path file = bundle_of(folder);
    const auto imported = import_bundle(file, target);
    QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
    QCOMPARE(imported->runs, (std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 2}, {2, 3}}));
    auto w = opened(target);
    QCOMPARE(w->candidates(1)->size(), std::size_t{2});
    QCOMPARE(w->run(1)->op, w->run(2)->op);  // the same op is one op
    const auto there = w->candidates(2).value();
    QCOMPARE(there.at(0).text, std::string("kernel a"));
    QVERIFY(w->candidate(there.at(0).id)->verdict.has_value());
    QCOMPARE(w->measurements(there.at(0).id)->size(), std::size_t{1});
    QVERIFY(!w->candidate(w->candidates(1)->at(0).id)->verdict);

    const auto again = import_bundle(file, target);
    QVERIFY(!again && again.error().code == Code::invalid_argument &&
            again.error().message.find("runs 2 to 3") != std::string::npos);
    QCOMPARE(w->runs()->size(), std::size_t{3});
    // What was imported travels on, and is another content.
    QVERIFY(import_bundle(bundle_of(target), fresh()));
  }

  void theSameContentHasTheSameDigest() {
    const fs::path folder = fresh();
    fill(folder);
    const fs::path one = fresh(), two = fresh();
    QCOMPARE(export_bundle(folder, one, 0, "a")->digest, export_bundle(folder, two, 0, "b")->digest);
    QVERIFY(export_bundle(folder, one, 1, "a")->digest != export_bundle(folder, two, 0, "a")->digest);  // replaced
  }

  void whatWasTakenOutIsMissed() {
    const fs::path folder = fresh(), target = fresh();
    fill(folder);
    for (const char* change :
         {"DELETE FROM measurement", "DELETE FROM blob", "UPDATE measurement SET json = '{}'",
          "UPDATE candidate SET score = 0.25 WHERE id = 1", "UPDATE candidate SET score = NULL", "DROP TABLE imported",
          "DROP TABLE measurement", "DROP TABLE bundle", "UPDATE blob SET bytes = 'x'", "PRAGMA user_version = 1"}) {
      const fs::path file = bundle_of(folder);
      QVERIFY(Database::open(file, Database::Access::write).value()->exec(change));
      const auto refused = import_bundle(file, target);
      QVERIFY2(!refused && refused.error().code == Code::corrupt, change);
      QVERIFY(!fs::exists(target));
    }
  }

  void damageIsFound() {
    const fs::path folder = fresh();
    fill(folder);
    const std::string good = read_file(bundle_of(folder)).value();
    const fs::path file = fresh().replace_extension(".wwb");
    int refused = 0, tried = 0;
    const auto attempt = [&](const std::string& bytes) {
      QVERIFY(write_file_atomic(file, bytes));
      const fs::path target = fresh();
      const auto r = import_bundle(file, target);
      ++tried;
      if (r) {
        // A byte that no row uses (free space of a page, a counter in the header): what arrives must still be the
        // content, whole.
        QVERIFY2(opened(target)->candidate(1)->text == "kernel a" && r->bundle.candidates == 4,
                 "a damaged bundle was taken");
        return;
      }
      ++refused;
      QVERIFY2(r.error().message.find(file.string()) != std::string::npos, r.error().text().c_str());
      QVERIFY2(r.error().code == Code::corrupt || r.error().code == Code::invalid_argument ||
                   r.error().code == Code::unsupported,
               r.error().text().c_str());
      QVERIFY(!fs::exists(target));  // nothing was made of it
    };
    attempt(good.substr(0, good.size() / 2));
    attempt(good.substr(0, good.size() - 4096));
    attempt("");
    QCOMPARE(refused, 3);
    // Every text of the content.
    for (const char* text : {"kernel a", "kernel c", "NVIDIA H200", "580.159.04", ".version 8.0 // c",
                             "title of kernel b", "hello", "softmax"}) {
      const std::size_t at = good.find(text);
      QVERIFY2(at != std::string::npos, text);
      const int before = refused;
      attempt(flipped(good, at + 1));
      QVERIFY2(refused == before + 1, text);
    }
    for (std::size_t at = 0; at < good.size(); at += good.size() / 12 + 1) attempt(flipped(good, at));
    QVERIFY(tried > 20);
  }

  void whatIsNoBundle() {
    const fs::path folder = fresh(), target = fresh();
    fill(folder);
    const fs::path text = fresh();
    QVERIFY(write_file_atomic(text, "hello, this is no bundle, but it is longer than a header of a database"));
    for (const fs::path& p : {text, folder / "workspace.sqlite"}) {
      const auto r = import_bundle(p, target);
      QVERIFY(!r && r.error().code == Code::invalid_argument &&
              r.error().message.find("not a Warpwright bundle") != std::string::npos);
    }
    QCOMPARE(import_bundle(fresh(), target).error().code, Code::invalid_argument);
    // Nothing waits for what may never write, or never ends.
    const fs::path pipe = fresh();
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    for (const fs::path& p : {pipe, fs::path("/dev/zero")}) {
      const auto r = import_bundle(p, target);
      QVERIFY(!r && r.error().code == Code::invalid_argument);
      QCOMPARE(r.error().message, "'" + p.string() + "' is a device or a pipe, not a file");
    }
    QVERIFY(import_bundle(folder, target).error().message.find("is a folder") != std::string::npos);
    QVERIFY(write_file_atomic(text, ""));
    QVERIFY(import_bundle(text, target).error().message.find("not a Warpwright bundle") != std::string::npos);
    QCOMPARE(import_bundle(folder, target).error().code, Code::invalid_argument);
    const fs::path newer = bundle_of(folder);
    {
      auto db = Database::open(newer, Database::Access::write).value();
      QVERIFY(db->exec("PRAGMA user_version = 999"));
    }
    QCOMPARE(import_bundle(newer, target).error().code, Code::unsupported);
    QVERIFY(!fs::exists(target));
    // A workspace is never made of a bundle's file by accident.
    const fs::path placed = fresh();
    fs::create_directories(placed);
    fs::copy_file(bundle_of(folder), placed / "workspace.sqlite");
    QCOMPARE(Workspace::open(placed).error().code, Code::invalid_argument);
  }

  void whatCannotBeExported() {
    const fs::path folder = fresh();
    QCOMPARE(export_bundle(folder, fresh(), 0, "").error().code, Code::not_found);
    fill(folder);
    QCOMPARE(export_bundle(folder, folder, 0, "").error().code, Code::invalid_argument);
    QVERIFY(!export_bundle(folder, "/proc/nowhere/x.wwb", 0, ""));
    const fs::path quote = fresh().parent_path() / "it's \"quoted\".wwb";
    QVERIFY(export_bundle(folder, quote, 0, "").has_value() && import_bundle(quote, fresh()).has_value());
    fs::remove_all(folder / "blobs");
    const fs::path file = fresh();
    const auto lost = export_bundle(folder, file, 0, "");
    QVERIFY(!lost && lost.error().message.find("whole") != std::string::npos);
    QVERIFY(!fs::exists(file));
    for (const auto& left : fs::directory_iterator(file.parent_path()))
      QVERIFY(left.path().string().find(".part") == std::string::npos);
  }
};

QTEST_GUILESS_MAIN(BundleTest)
#include "bundle_test.moc"
