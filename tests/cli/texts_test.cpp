// SPDX-License-Identifier: Apache-2.0
// Hostile texts in every place of a workspace: nothing of them reaches the terminal raw, and JSON stays JSON.
#include <QJsonArray>
#include <QtTest>
#include "base/hash.h"
#include "store/sqlite.h"
#include "store/workspace.h"
#include "support/cli_call.h"
#include "support/hostile_texts.h"
#include "support/workspaces.h"

using namespace ww;
using ww::testing::Outcome;

class CliTextsTest : public QObject, support::WithWorkspace {
  Q_OBJECT
  const std::vector<support::HostileText> texts_ = support::hostile_texts();
  std::vector<std::int64_t> candidates_;
  std::int64_t exchange_ = 0;
  QString folder_;

  Outcome call(QStringList arguments) {
    return ww::testing::call_cli(CLI_PROGRAM, arguments << "--workspace" << folder_,
                                 ww::testing::environment_with({{"WARPWRIGHT_CONFIG", folder_ + ".config"}}));
  }
  // What a terminal gets is what it would get of text that is safe already.
  void is_safe(const Outcome& o, const char* what) {
    QVERIFY2(o.exit >= 0, what);
    for (const QByteArray& bytes : {o.out, o.err})
      QVERIFY2(visible(bytes.toStdString()) == bytes.toStdString(), (what + (": " + bytes.left(400))).constData());
  }

 private slots:
  void initTestCase() {
    renew();
    folder_ = QString::fromStdString(workspace_->folder().string());
    run_ = support::new_run(*workspace_);
    for (const support::HostileText& t : texts_) {
      store::CandidateRecord c;
      c.run = run_;
      c.text = "// " + t.text + "\n";
      c.hash = hash_hex(t.name);
      c.title = c.structure = c.note = t.text;
      c.generator = "model";
      c.language = candidate::Language::cuda;
      const auto id = workspace_->add_candidate(c);
      QVERIFY2(id, t.name.c_str());
      evidence::Verdict v;
      v.candidate = c.hash;
      v.stages = {{evidence::Stage::compile, evidence::Outcome::failed, t.text, t.text, {}, 0}};
      QVERIFY2(workspace_->set_verdict(*id, v, {}, Provenance::unknown, ""), t.name.c_str());
      QVERIFY(workspace_->add_message(run_, store::MessageLevel::warning, t.text));
      candidates_.push_back(*id);
      store::ExchangeRecord e;
      e.run = run_;
      e.label = e.model = e.host = t.text;
      e.request = "{}";
      exchange_ = workspace_->add_exchange(e).value();
      e = workspace_->exchange(exchange_).value();
      e.state = store::ExchangeState::failed;
      e.why = e.raw = t.text;
      QVERIFY(workspace_->end_exchange(e));
    }
    workspace_.reset();
  }

  void everyCandidateIsShownSafely() {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const QString id = QString::number(candidates_[i]);
      is_safe(call({"show", id}), texts_[i].name.c_str());
      const Outcome o = call({"show", id, "--json"});
      is_safe(o, texts_[i].name.c_str());
      if (support::is_utf8(texts_[i].text))
        QCOMPARE(o.json()["candidate"].toObject()["title"].toString().toStdString(), texts_[i].text);
      else
        QVERIFY(!o.json().isEmpty());
    }
  }

  void listsAndDifferences() {
    for (const QStringList& command : {QStringList{"list"}, {"list", "candidates"}, {"transcript"}, {"list", "runs"}}) {
      is_safe(call(command), qPrintable(command.join(' ')));
      is_safe(call(command + QStringList{"--json"}), qPrintable(command.join(' ')));
    }
    for (std::size_t i = 1; i < candidates_.size(); i += 2)
      is_safe(call({"diff", QString::number(candidates_[i - 1]), QString::number(candidates_[i])}),
              texts_[i].name.c_str());
    for (std::int64_t id = 1; id <= exchange_; id += 3)
      is_safe(call({"transcript", "--exchange", QString::number(id)}),
              texts_[static_cast<std::size_t>(id - 1)].name.c_str());
  }

  // A line feed in a name begins no line: what follows it could pass for a line of the program.
  void namesBeginNoLine() {
    const std::string forged = "x\n  1  forged line\nforged line\tok";
    const auto workspace = store::Workspace::open((folder_ + "-lines").toStdString()).value();
    store::RunRecord r;
    r.op = workspace->add_op(forged, "no spec", forged).value();
    r.generator = r.device = r.architecture = forged;
    r.options = "{}";
    store::CandidateRecord c;
    c.run = workspace->add_run(r).value();
    c.text = "// text\n";
    c.hash = hash_hex("lines");
    c.title = c.structure = c.note = c.generator = forged;
    const auto id = workspace->add_candidate(c).value();
    evidence::Verdict v;
    v.candidate = c.hash;
    v.stages = {{evidence::Stage::compile, evidence::Outcome::failed, forged, forged, {}, 0}};
    QVERIFY(workspace->set_verdict(id, v, {}, Provenance::unknown, ""));
    for (const QStringList& command :
         {QStringList{"list"}, {"list", "runs"}, {"list", "candidates"}, {"show", QString::number(id)}}) {
      const Outcome o =
          ww::testing::call_cli(CLI_PROGRAM, command + QStringList{"--workspace", folder_ + "-lines"},
                                ww::testing::environment_with({{"WARPWRIGHT_CONFIG", folder_ + ".config"}}));
      QVERIFY2(o.exit == 0 && o.out.contains("forged"), o.out + o.err);
      for (const QByteArray& line : o.out.split('\n'))
        QVERIFY2(!line.startsWith("forged") && !line.startsWith("  1  forged"), o.out);
    }
  }

  // A workspace of somebody else whose rows quote anything: what is logged about it is one harmless line, too.
  void whatIsLoggedIsOneHarmlessLine() {
    const auto db =
        store::Database::open((folder_ + "/workspace.sqlite").toStdString(), store::Database::Access::write);
    QVERIFY(db);
    std::vector<std::string> listings = {"\x1b[31mEVIL\x1b]0;pwn\x07\u202e\u009b\naccepted: forged second line",
                                         std::string("cut\0off", 7), std::string(5000, 'x')};
    for (const support::HostileText& t : texts_) listings.push_back(t.text);
    const QString id = QString::number(candidates_[0]);
    for (const std::string& listing : listings) {
      store::Statement s = (*db)->prepare("UPDATE verdict SET ptx = ? WHERE candidate = ?");
      QVERIFY(s.bind(listing, candidates_[0]).step());
      const Outcome o = call({"show", id});
      is_safe(o, listing.c_str());
      QCOMPARE(o.exit, 0);
      QVERIFY2(o.err.contains("is not shown: "), o.err);
      QVERIFY2(o.err.count('\n') == 1 && o.err.size() < 500, o.err);
    }
    QVERIFY((*db)->exec("UPDATE verdict SET ptx = '' WHERE candidate = " + id.toStdString()));
  }

  void argumentsAreRepeatedSafely() {
    for (const support::HostileText& t : texts_) {
      const QString text = QString::fromStdString(t.text);
      is_safe(call({"spec", text}), t.name.c_str());
      is_safe(call({text}), t.name.c_str());
      is_safe(call({"show", text}), t.name.c_str());
    }
  }
};

QTEST_GUILESS_MAIN(CliTextsTest)
#include "texts_test.moc"
