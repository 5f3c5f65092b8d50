// SPDX-License-Identifier: Apache-2.0
// Answers of the writer beyond a complete file: edits of the parent.
#include <QtTest>
#include "llm/scripted_client.h"

using namespace ww;
using namespace ww::llm;
using namespace ww::test;

class WriterTest : public QObject {
  Q_OBJECT
  PromptLibrary prompts_;
  Limits open_;  // the defaults

  Desk desk(Client& client) { return {client, prompts_, open_}; }

 private slots:
  void initTestCase() {
    auto library = PromptLibrary::load();
    QVERIFY2(library.has_value(), library ? "" : library.error().text().c_str());
    prompts_ = std::move(*library);
  }

  void editsChangeTheParent() {
    const std::string search = "//@ launch k grid(R) block(32) args(x, y, C)\n",
                      edit =
                          "```text\n<<<<<<< SEARCH\n" + search +
                          "=======\n//@ launch k grid(R) block(64) args(x, y, C)\n>>>>>>> REPLACE\n```\n\nNote: more "
                          "threads.\n";
    std::string wider = relu;
    wider.replace(wider.find("block(32)"), 9, "block(64)");
    const Sheet sheet{{"spec", relu_spec}, {"parent", relu}};
    {
      Scripted client({{edit}});
      const auto d = write(desk(client), settings(), Mode::cuda, sheet, "improve", {});
      QVERIFY2(d.has_value(), d ? "" : d.error().text().c_str());
      QCOMPARE(d->text, wider);
      QCOMPARE(d->note, std::string("more threads."));
      QCOMPARE(d->structure, std::string("plain"));
      QCOMPARE(client.candidates.at(101), candidate::parse(wider, candidate::Language::cuda)->hash);
      QVERIFY(has(client.prompt(), "<<<<<<< SEARCH"));  // the form is told
    }
    {  // what does not match is told back, with what is there
      std::string off = edit;
      off.replace(off.find("block(32)"), 9, "block(33)");
      Scripted client({{off}, {edit}});
      const auto d = write(desk(client), settings(), Mode::cuda, sheet, "improve", {});
      QVERIFY2(d && d->repaired && d->text == wider, d ? "" : d.error().text().c_str());
      const std::string told = client.requests[1].messages.back().text();
      QVERIFY2(has(told, "edit 1 matches nowhere") && has(told, "    3 | " + search), told.c_str());
    }
    {  // edits that break the file, or without a file
      std::string broken_edit = edit;
      broken_edit.replace(broken_edit.find("block(64)"), 9, "blcok(64)");
      Scripted client({{broken_edit}, {edit}, {edit}, {good}});
      QVERIFY(write(desk(client), settings(), Mode::cuda, sheet, "improve", {}).has_value());
      QVERIFY(has(client.requests[1].messages.back().text(), "with these edits the file is no candidate"));
      const auto fresh = write(desk(client), settings(), Mode::cuda, {{"spec", relu_spec}}, "fresh", {});
      QVERIFY(fresh && fresh->text == relu);
      QVERIFY(has(client.requests[3].messages.back().text(), "there is no file to edit"));
    }
  }
};

QTEST_GUILESS_MAIN(WriterTest)
#include "writer_test.moc"
