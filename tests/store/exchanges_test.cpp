// SPDX-License-Identifier: Apache-2.0
// Exchanges with models, moves and duplicates in the workspace, and in bundles.
#include <QtTest>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#include "base/hash.h"
#include "store/bundle.h"
#include "store/exchanges.h"
#include "store/schema.h"
#include "store/workspace.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::store;
using ww::support::new_run;
using ww::support::opened;
namespace fs = std::filesystem;

namespace {

std::string hash_of(const std::string& text) { return Hasher().field("cuda").field(text).hex(); }

CandidateRecord candidate_of(std::int64_t run, const std::string& text, std::int64_t exchange = 0) {
  CandidateRecord c;
  c.run = run;
  c.text = text;
  c.hash = hash_of(text);
  c.generator = "model/refine";
  c.language = candidate::Language::cuda;
  c.exchange = exchange;
  return c;
}

const std::string system_prompt = std::string(8000, 's') + "\\n\\\"quoted\\\"";  // as it stands in JSON

ExchangeRecord sent(std::int64_t run, const std::string& user) {
  ExchangeRecord e;
  e.run = run;
  e.role = store::AgentRole::writer;
  e.label = "fresh attempt";
  e.model = "work:small-1";
  e.provider = "openai";
  e.host = "models.example.org";
  e.request = R"({"model":"small-1","messages":[{"role":"system","text":")" + system_prompt +
              R"("},{"role":"user","text":")" + user + R"("}]})";
  e.request_hash = hash_hex(e.request);
  e.prompt = "writer 3 (abc)";
  e.prompt_tokens = 2500;
  e.money = 0.0125;
  return e;
}

ExchangeRecord replied(std::int64_t id, const std::string& text) {
  ExchangeRecord e;
  e.id = id;
  e.state = store::ExchangeState::replied;
  e.reply = R"({"blocks":[{"kind":"text","text":")" + text + R"("}]})";
  e.prompt_tokens = 2400;
  e.cached_tokens = 2000;
  e.cache_written_tokens = 100;
  e.completion_tokens = 300;
  e.reasoning_tokens = 120;
  e.tokens_reported = true;
  e.money = 0.1 + 0.2;
  e.attempts = 2;
  e.first_token_seconds = 0.25;
  e.seconds = 1.5;
  return e;
}

void same(const ExchangeRecord& a, const ExchangeRecord& b) {
  QVERIFY(a.role == b.role && a.label == b.label && a.model == b.model && a.provider == b.provider &&
          a.host == b.host && a.prompt == b.prompt);
  QCOMPARE(a.request, b.request);
  QCOMPARE(a.reply, b.reply);
  QVERIFY(a.request_hash == b.request_hash && a.state == b.state && a.raw == b.raw && a.why == b.why &&
          a.code == b.code && a.outcome == b.outcome && a.candidate == b.candidate);
  QVERIFY(a.prompt_tokens == b.prompt_tokens && a.cached_tokens == b.cached_tokens &&
          a.cache_written_tokens == b.cache_written_tokens && a.completion_tokens == b.completion_tokens &&
          a.reasoning_tokens == b.reasoning_tokens && a.tokens_reported == b.tokens_reported && a.money == b.money &&
          a.attempts == b.attempts && a.first_token_seconds == b.first_token_seconds && a.seconds == b.seconds &&
          a.created == b.created && a.ended == b.ended);
}

}  // namespace

class ExchangesTest : public QObject, support::Folders {
  Q_OBJECT

 private slots:
  void anExchangeComesBack() {
    const fs::path folder = fresh();
    std::int64_t run = 0, id = 0;
    const std::string user = "write a kernel é \xE2\x80\xA6 " + std::string(1000, 'u');
    {
      auto w = opened(folder);
      run = new_run(*w);
      id = w->add_exchange(sent(run, user)).value();
      const ExchangeRecord e = w->exchange(id).value();
      QCOMPARE(e.state, store::ExchangeState::sent);
      QCOMPARE(e.request, sent(run, user).request);
      QVERIFY(e.reply.empty() && e.ended.empty() && !e.created.empty() && !e.tokens_reported);
      QCOMPARE(e.prompt_tokens, std::int64_t{2500});
      QCOMPARE(e.money, std::optional<double>(0.0125));
      QVERIFY(e.batch.empty() && w->set_batch(id, "batch_1", "request-3"));
      QVERIFY(w->end_exchange(replied(id, "the answer")));
      QVERIFY(!w->set_batch(id, "batch_2", "request-1"));  // it is answered
      QVERIFY(w->set_outcome(id, store::ExchangeOutcome::candidate, hash_of("k")));
    }
    auto w = opened(folder);
    const ExchangeRecord e = w->exchange(id).value();
    QVERIFY(e.state == store::ExchangeState::replied && e.reply == replied(id, "the answer").reply &&
            e.outcome == store::ExchangeOutcome::candidate && e.candidate == hash_of("k") && !e.ended.empty());
    QVERIFY(e.cached_tokens == 2000 && e.cache_written_tokens == 100 && e.completion_tokens == 300 &&
            e.reasoning_tokens == 120 && e.tokens_reported && e.attempts == 2);
    QCOMPARE(e.money, std::optional<double>(0.1 + 0.2));  // to its last bit
    QVERIFY(e.batch == "batch_1" && e.batch_item == "request-3");
    QVERIFY(e.host == "models.example.org" && e.prompt == "writer 3 (abc)" && e.run == run);
    const auto list = w->exchanges(run).value();
    QCOMPARE(list.size(), std::size_t{1});
    QVERIFY(list[0].request.empty() && list[0].reply.empty() && list[0].completion_tokens == 300 &&
            list[0].request_hash == e.request_hash);
    QVERIFY(w->exchanges(0)->empty());
    // Outside of runs.
    const std::int64_t other = w->add_exchange(sent(0, "formulate")).value();
    QCOMPARE(w->exchanges(0)->size(), std::size_t{1});
    QCOMPARE(w->exchanges(0)->front().run, std::int64_t{0});
    QVERIFY(w->end_exchange([&] {
      ExchangeRecord f;
      f.id = other;
      f.state = store::ExchangeState::failed;
      f.raw = std::string("data: {\x01\0binary\xff", 16);
      f.why = "the stream broke";
      f.code = "io";
      return f;
    }()));
    const ExchangeRecord f = w->exchange(other).value();
    QVERIFY(f.raw == std::string("data: {\x01\0binary\xff", 16) && f.why == "the stream broke" && f.code == "io" &&
            !f.money && f.reply.empty());
  }

  void whatIsNotThereIsSaid() {
    auto w = opened(fresh());
    const std::int64_t run = new_run(*w);
    QCOMPARE(w->exchange(7).error().code, Code::not_found);
    QCOMPARE(w->end_exchange(replied(7, "x")).error().code, Code::not_found);
    QCOMPARE(w->set_outcome(7, store::ExchangeOutcome::candidate, "").error().code, Code::not_found);
    QCOMPARE(w->add_exchange(sent(99, "x")).error().code, Code::not_found);
    QCOMPARE(w->add_candidate(candidate_of(run, "k", 7)).error().code, Code::not_found);
    QCOMPARE(w->set_duplicate(7, "h").error().code, Code::not_found);
    QCOMPARE(w->candidate_of(run, hash_of("k")).error().code, Code::not_found);
  }

  void sharedTextsAreStoredOnce() {
    const fs::path folder = fresh();
    auto w = opened(folder);
    const std::int64_t run = new_run(*w);
    std::vector<std::int64_t> ids;
    for (int i = 0; i < 200; ++i)
      ids.push_back(w->add_exchange([&] {
                       ExchangeRecord e = sent(run, "question " + std::to_string(i));
                       e.provider = "replay";  // not flushed one by one: the test is quick
                       return e;
                     }())
                        .value());
    for (const int i : {0, 99, 199})
      QCOMPARE(w->exchange(ids[static_cast<std::size_t>(i)])->request,
               sent(run, "question " + std::to_string(i)).request);
    auto db = Database::open(folder / "workspace.sqlite", Database::Access::write).value();
    QCOMPARE(db->integer("SELECT count(*) FROM text").value(), std::int64_t{1});
    QVERIFY(db->integer("SELECT sum(length(request)) FROM exchange").value() < 200 * 300);
    QVERIFY(db->exec("DELETE FROM text"));
    QCOMPARE(w->exchange(ids[0]).error().code, Code::corrupt);
  }

  void splittingTextsIsExact_data() {
    QTest::addColumn<QString>("json");
    const QString x(300, 'x');
    QTest::newRow("empty") << "";
    QTest::newRow("no string") << "[1, 2]";
    QTest::newRow("one") << "\"" + x + "\"";
    QTest::newRow("escapes at the end") << "\"" + x + "\\\\\", \"" + x + "\\\"\"";
    QTest::newRow("cut in a string") << "{\"a\":\"" + x;
    QTest::newRow("cut in an escape") << "{\"a\":\"" + x + "\\";
    QTest::newRow("a raw mark") << "{\"a\":\"" + x + "\x01\"}";
    QTest::newRow("a raw mark in front") << "\x02{\"a\":\"" + x + "\"}";
    QTest::newRow("two the same") << "[\"" + x + "\",\"" + x + "\"]";
  }
  void splittingTextsIsExact() {
    QFETCH(QString, json);
    const fs::path folder = fresh();
    opened(folder);
    auto db = Database::open(folder / "workspace.sqlite", Database::Access::write).value();
    const std::string text = json.toStdString(), kept = split_texts(*db, text).value();
    QCOMPARE(join_texts(*db, kept).value(), text);
    std::set<std::string> hashes;
    texts_of(kept, hashes);
    QCOMPARE(static_cast<std::int64_t>(hashes.size()), db->integer("SELECT count(*) FROM text").value());
  }

  void aSentExchangeSurvivesTheDeathOfItsWriter() {
    const fs::path folder = fresh();
    const std::int64_t run = [&] { return new_run(*opened(folder)); }();
    int pipe[2];
    QCOMPARE(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto w = Workspace::open(folder);
      if (!w) _exit(3);
      for (const char* provider : {"openai", "replay"}) {
        ExchangeRecord e = sent(run, provider);
        e.provider = provider;
        const auto id = (*w)->add_exchange(e);
        if (!id || ::write(pipe[1], &*id, sizeof *id) != sizeof *id) _exit(4);
      }
      ::pause();  // the "request" is on its way for ever
      _exit(0);
    }
    ::close(pipe[1]);
    std::int64_t ids[2] = {0, 0};
    QCOMPARE(::read(pipe[0], &ids[0], sizeof ids[0]), static_cast<ssize_t>(sizeof ids[0]));
    QCOMPARE(::read(pipe[0], &ids[1], sizeof ids[1]), static_cast<ssize_t>(sizeof ids[1]));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(pipe[0]);
    auto w = opened(folder);
    QCOMPARE(w->exchanges(run)->size(), std::size_t{2});
    QCOMPARE(w->exchange(ids[0])->state, store::ExchangeState::sent);
    QCOMPARE(w->exchange(ids[0])->request, sent(run, "openai").request);
    QCOMPARE(w->exchange(ids[1])->request, sent(run, "replay").request);
  }

  void candidatesNameTheirExchangeAndDuplicates() {
    auto w = opened(fresh());
    const std::int64_t run = new_run(*w), other = new_run(*w);
    const std::int64_t exchange = w->add_exchange(sent(run, "x")).value();
    const std::int64_t a = w->add_candidate(candidate_of(run, "a", exchange)).value(),
                       b = w->add_candidate(candidate_of(run, "b")).value();
    QCOMPARE(w->candidate(a)->exchange, exchange);
    QCOMPARE(w->candidate(b)->exchange, std::int64_t{0});
    QVERIFY(w->set_verdict(a, support::passed(), 3.0, Provenance::simulated, "slots"));
    QVERIFY(w->set_duplicate(b, hash_of("a")));
    const CandidateRecord d = w->candidate_of(run, hash_of("b")).value();
    QCOMPARE(d.state, store::CandidateState::duplicate);
    QCOMPARE(d.duplicate_of, hash_of("a"));
    QVERIFY(!d.score && d.order == 0 && d.judged.empty());
    QVERIFY(d.verdict && d.verdict->accepted && d.verdict->ptx == ".version 8.0");  // that of `a`
    QCOMPARE(w->run(run)->judged, 1);                                               // a duplicate was not judged
    QCOMPARE(w->run(run)->accepted, 1);
    w->add_candidate(candidate_of(other, "a")).value();
    std::vector<CandidateState> seen;
    QVERIFY(w->each_candidate(run, [&](const CandidateRecord& c) {
      seen.push_back(c.state);
      return c.text.empty() ? Status() : Status(fail(Code::internal, "a text was read"));
    }));
    QCOMPARE(seen, (std::vector<CandidateState>{CandidateState::accepted, CandidateState::duplicate}));
    QCOMPARE(w->each_candidate(run, [](const CandidateRecord&) -> Status { return fail(Code::cancelled, "enough"); })
                 .error()
                 .code,
             Code::cancelled);
    QCOMPARE(w->candidates(run)->size(), std::size_t{2});  // the statement was reset
  }

  void movesByFamilyAndDevice() {
    auto w = opened(fresh());
    const std::int64_t run = new_run(*w);
    const auto add = [&](const char* move, const char* family, const char* device, double effect) {
      return w
          ->add_move({0, run, hash_of("a"), hash_of(move), move, family, device, Provenance::simulated, effect, effect,
                      effect, ""})
          .value();
    };
    add("vectorise loads", "softmax", "simt", 1.25);
    add("shared tile", "matmul", "simt", 3.5);
    add("fewer registers", "softmax", "NVIDIA H200", 0.75);
    const auto all = w->moves("", "", 100).value();
    QCOMPARE(all.size(), std::size_t{3});
    QVERIFY(all[0].move == "fewer registers" && all[0].effect == 0.75 && all[0].from == hash_of("a") &&
            all[0].to == hash_of("fewer registers") && !all[0].created.empty());
    QCOMPARE(w->moves("softmax", "", 100)->size(), std::size_t{2});
    QCOMPARE(w->moves("softmax", "simt", 100)->size(), std::size_t{1});
    QCOMPARE(w->moves("", "simt", 100)->size(), std::size_t{2});
    QCOMPARE(w->moves("", "", 1)->size(), std::size_t{1});
    QVERIFY(w->moves("conv", "", 100)->empty());
    QCOMPARE(w->add_move({0, 99, "a", "b", "m", "f", "d", Provenance::simulated, 1, 1, 1, ""}).error().code,
             Code::not_found);
  }

  void aWorkspaceOfTheSecondVersionIsBroughtOn() {
    const fs::path folder = fresh();
    support::write_old(folder, 2);
    auto w = opened(folder);
    QVERIFY(w->candidate(1)->exchange == 0 && w->candidate(1)->duplicate_of.empty() && w->candidate(1)->text == "text");
    QVERIFY(w->exchanges(1)->empty() && w->moves("", "", 10)->empty());
    const std::int64_t id = w->add_exchange(sent(1, "x")).value();
    QCOMPARE(w->candidate(w->add_candidate(candidate_of(1, "b", id)).value())->exchange, id);
  }

  void exchangesTravel() {
    const fs::path folder = fresh(), target = fresh();
    std::int64_t run = 0, other = 0;
    {
      auto w = opened(folder);
      run = new_run(*w);
      other = new_run(*w);
      w->add_exchange(sent(other, "of the other run " + std::string(500, 'o'))).value();
      w->add_exchange(sent(0, "of none " + std::string(500, 'n'))).value();
      const std::int64_t id = w->add_exchange(sent(run, "mine " + std::string(500, 'm'))).value();
      QVERIFY(w->end_exchange(replied(id, std::string(400, 'r'))));
      QVERIFY(w->set_outcome(id, store::ExchangeOutcome::candidate, hash_of("a")));
      const std::int64_t a = w->add_candidate(candidate_of(run, "a", id)).value(),
                         b = w->add_candidate(candidate_of(run, "b")).value();
      QVERIFY(w->set_verdict(a, support::passed(), 2.0, Provenance::simulated, "slots"));
      QVERIFY(w->set_duplicate(b, hash_of("a")));
      w->add_move(
           {0, run, hash_of("a"), hash_of("b"), "m", "softmax", "simt", Provenance::simulated, 1.5, 1.5, 1.5, ""})
          .value();
      w->add_move({0, other, hash_of("a"), hash_of("b"), "of the other", "softmax", "simt", Provenance::simulated, 1.5,
                   1.5, 1.5, ""})
          .value();
    }
    {
      auto w = opened(target);  // numbers there are others
      const std::int64_t first = new_run(*w);
      for (int i = 0; i < 5; ++i) w->add_exchange(sent(first, "earlier")).value();
    }
    const fs::path all = fresh(), one = fresh();
    QVERIFY(export_bundle(folder, all, 0, "t") && export_bundle(folder, one, run, "t"));
    const auto imported = import_bundle(all, target);
    QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
    auto from = opened(folder), to = opened(target);
    const std::int64_t here = imported->runs[0].second;
    QCOMPARE(to->exchanges(here)->size(), std::size_t{1});
    QCOMPARE(to->exchanges(0)->size(), std::size_t{1});
    const ExchangeRecord arrived = to->exchange(to->exchanges(here)->front().id).value();
    same(arrived, from->exchange(from->exchanges(run)->front().id).value());
    QVERIFY(arrived.id != from->exchanges(run)->front().id && arrived.run == here);
    QCOMPARE(to->candidate_of(here, hash_of("a"))->exchange, arrived.id);
    QVERIFY(to->candidate_of(here, hash_of("b"))->state == store::CandidateState::duplicate &&
            to->candidate_of(here, hash_of("b"))->verdict->accepted);
    QCOMPARE(to->moves("", "", 10)->size(), std::size_t{2});
    QCOMPARE(to->moves("", "", 10)->at(1).run, here);
    // One run alone: nothing of the others, none of their texts.
    const fs::path alone = fresh();
    QVERIFY(import_bundle(one, alone));
    auto w = opened(alone);
    QVERIFY(w->exchanges(0)->empty());
    same(w->exchange(w->exchanges(1)->front().id).value(), arrived);
    QCOMPARE(w->moves("", "", 10)->size(), std::size_t{1});
    auto db = Database::open(alone / "workspace.sqlite", Database::Access::write).value();
    QCOMPARE(db->integer("SELECT count(*) FROM text").value(), std::int64_t{3});  // system, user, reply
    // What was changed on the way is found.
    for (const char* change :
         {"UPDATE text SET text = text || ' '", "DELETE FROM text", "UPDATE exchange SET reply = ''",
          "DELETE FROM move", "UPDATE candidate SET exchange = NULL"}) {
      const fs::path file = fresh();
      QVERIFY(export_bundle(folder, file, 0, "t"));
      QVERIFY(Database::open(file, Database::Access::write).value()->exec(change));
      QCOMPARE(import_bundle(file, fresh()).error().code, Code::corrupt);
    }
  }

  void aBundleOfTheSecondVersionIsTaken() {
    const fs::path file = fresh(), target = fresh();
    {
      auto db = Database::open(file, Database::Access::create).value();
      QVERIFY(migrate(*db, {migrations()[0], migrations()[1]}, file));
      // The digest is the one that the program of that version gave for these rows.
      QVERIFY(
          db->exec("INSERT INTO op VALUES(1, 'softmax', 'op softmax', 'row softmax', '2026-11-19T10:00:00.000Z');"
                   "INSERT INTO run VALUES(1, 1, 'search', 'simt', 'sm_80', '{}', 'done', '2026-11-19T10:00:00.000Z', "
                   "'2026-11-19T10:01:00.000Z');"
                   "INSERT INTO source VALUES('b1410b94bf6792a54ac55dcd344fcbd907499bf1a2fa523870548f7b1f571a9e', "
                   "'cuda', 'kernel a');"
                   "INSERT INTO candidate(id, run, hash, parent, structure, title, generator, note, state, created, "
                   "score) VALUES(1, 1,"
                   " 'b1410b94bf6792a54ac55dcd344fcbd907499bf1a2fa523870548f7b1f571a9e', '', 'row', 'kernel a', "
                   "'search', '', 'accepted', '2026-11-19T10:00:30.000Z', 1.5);"
                   "INSERT INTO measurement VALUES(1, 1, 1, 'time', 'cuda:0', 'NVIDIA H200', '580', '{}', "
                   "'2026-11-19T10:00:40.000Z');"
                   "CREATE TABLE bundle(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID; CREATE TABLE "
                   "blob(hash TEXT PRIMARY KEY, bytes BLOB NOT NULL);"
                   "INSERT INTO bundle VALUES('format', '1'), ('program', 'warpwright 0.1.0'), ('created', "
                   "'2026-11-19T10:02:00.000Z'),"
                   " ('digest', '252e39c3540d22bb890ee07f88c8965651bb564088c01ec179dda36fccbd7e08');"
                   "PRAGMA application_id = " +
                   std::to_string(0x57575242)));
      QCOMPARE(db->integer("PRAGMA user_version").value(), std::int64_t{2});
    }
    const auto imported = import_bundle(file, target);
    QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
    auto w = opened(target);
    QVERIFY(w->candidate(1)->text == "kernel a" && w->candidate(1)->score == 1.5 && w->candidate(1)->exchange == 0);
    QCOMPARE(w->measurements(1)->size(), std::size_t{1});
    QVERIFY(w->exchanges(1)->empty());
  }
};

QTEST_GUILESS_MAIN(ExchangesTest)
#include "exchanges_test.moc"
