// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include "base/files.h"
#include "explore/generators.h"
#include "op/parse.h"
#include "script.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;

class GeneratorsTest : public QObject {
  Q_OBJECT
 private slots:
  void init() { qputenv("WARPWRIGHT_PLUGINS", SCRIPTED_PLUGINS); }

  void pluginsAreFoundAndOthersRefusedWithReasons() {
    const GeneratorList list = list_generators();
    std::vector<std::string> names;
    for (const GeneratorEntry& e : list.usable) names.push_back(e.name);
    QCOMPARE(names, (std::vector<std::string>{"manual", "model", "scripted"}));
    QVERIFY(list.usable[0].file.empty() && list.usable[1].file.empty() && !list.usable[2].file.empty());
    QCOMPARE(list.refused.size(), std::size_t{2});
    for (const RefusedPlugin& r : list.refused) {
      const bool old = r.file.stem() == "old_interface";
      QVERIFY(r.reason.find(old ? "999" : "ww_make_generator") != std::string::npos);
    }
  }

  void filesThatAreNoModules() {
    QTemporaryDir dir;
    const std::filesystem::path folder = std::filesystem::path(dir.path().toStdString()) / "generators";
    QVERIFY(write_file_atomic(folder / "text.so", "not a module"));
    QVERIFY(write_file_atomic(folder / "README", "not looked at"));
    qputenv("WARPWRIGHT_PLUGINS", dir.path().toUtf8());
    const GeneratorList list = list_generators();
    QCOMPARE(list.usable.size(), std::size_t{2});
    QCOMPARE(list.refused.size(), std::size_t{1});
    const auto none = make_generator("scripted");
    QVERIFY(!none);
    QCOMPARE(none.error().code, Code::not_found);
    QVERIFY(none.error().message.find("manual") != std::string::npos);
    QVERIFY(none.error().cause.find("text.so") != std::string::npos);
  }

  void aFolderThatIsNotThere() {
    qputenv("WARPWRIGHT_PLUGINS", "/nowhere");
    QCOMPARE(list_generators().usable.size(), std::size_t{2});
  }

  void instancesAreIndependent() {
    GeneratorRequest request;
    request.spec = op::parse_spec(script::spec).value();
    request.wanted = 3;
    auto a = make_generator("scripted").value(), b = make_generator("scripted").value();
    const auto first = a->propose(request, {}).value();
    QCOMPARE(first.size(), std::size_t{3});
    QVERIFY(first[0].text != a->propose(request, {}).value()[0].text);
    QCOMPARE(b->propose(request, {}).value()[0].text, first[0].text);
  }

  void theProgramsOwn() {
    class Own final : public Generator {
      std::string name() const override { return "own"; }
      Result<std::vector<Proposal>> propose(const GeneratorRequest&, std::stop_token) override {
        return std::vector<Proposal>(2);
      }
    };
    add_generator("own", [] { return std::make_unique<Own>(); });
    QCOMPARE(make_generator("own").value()->propose({}, {})->size(), std::size_t{2});
    QVERIFY(make_generator("manual").value()->propose({}, {})->empty());
  }
};

QTEST_GUILESS_MAIN(GeneratorsTest)
#include "generators_test.moc"
