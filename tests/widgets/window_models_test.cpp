// SPDX-License-Identifier: GPL-3.0-or-later
// The window and language models, with an engine that follows a script: choice of models, consent, conversation, spend,
// specs that a model writes. Pictures go to <build>/screenshots.
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QDockWidget>
#include <QTableView>
#include <QTreeWidget>
#include <QtTest>
#include "panels/candidates/candidate_panel.h"
#include "panels/conversation/conversation_panel.h"
#include "panels/conversation/exchange_panel.h"
#include "panels/describe/reading_view.h"
#include "parts/editor/code_editor.h"
#include "panels/log/log_panel.h"
#include "session/event_batch.h"
#include "session/event_watchdog.h"
#include "parts/theme/elide_label.h"
#include "shell/settings/settings_dialog.h"
#include "shell/window/spend_meter.h"
#include "shell/window/status.h"
#include "widgets/models_fixture.h"

using namespace ww;
using namespace ww::widgets;

class WindowModelsTest : public QObject, test::ModelsFixture {
  Q_OBJECT

 private slots:
  void init() {
    set_up();
    keys_ = std::make_shared<test::FakeKeyStore>();
  }
  void cleanup() { engine_->release(); }

  void formSaysWhatEachModelIs() {
    auto w = ready();
    auto* note = child<QLabel>(w.get(), "model_note");
    QVERIFY2(note->text().contains("$2 / $10") && note->text().contains("key from the environment"),
             qPrintable(note->text()));
    QTRY_VERIFY(engine_->asked_servers > 0);  // with this generator the servers of this machine are asked
    auto* model = child<QComboBox>(w.get(), "model");
    QTRY_VERIFY(model->findText("local:coder:30b") >= 0);
    auto* money = child<QDoubleSpinBox>(w.get(), "budget_money");
    QVERIFY(money->isEnabled());
    model->setEditText("local:coder:30b");
    QVERIFY2(note->text().contains("on this machine, free"), qPrintable(note->text()));
    model->setEditText("remote:typed-by-hand");
    QVERIFY2(note->text().contains("price unknown"), qPrintable(note->text()));
    QVERIFY(!money->isEnabled() && money->toolTip().contains("Limit the tokens"));
    QCOMPARE(w->describe()->options().budget.money, 0.0);
    QVERIFY(w->describe()->can_explore());
    for (const auto& [text, word] :
         std::initializer_list<std::pair<const char*, const char*>>{{"keyless:big", "KEYLESS_API_KEY"},
                                                                    {"nobody:x", "no service named nobody"},
                                                                    {"remote", "SERVICE:MODEL"},
                                                                    {"", "Choose a model"}}) {
      model->setEditText(text);
      QVERIFY2(note->text().contains(word), qPrintable(note->text()));
      QVERIFY(!w->describe()->can_explore());
      QVERIFY(!child<QPushButton>(w.get(), "explore")->isEnabled());
      QVERIFY(child<QPushButton>(w.get(), "model_settings")->isVisible());
    }
    model->setEditText("remote:writer-1");
    auto* refine = child<QCheckBox>(w.get(), "strategy_refine");
    QVERIFY(child<QLabel>(w.get(), "strategy_note")->text().contains("one lineage"));
    child<QCheckBox>(w.get(), "strategy_beam")->setChecked(true);
    QVERIFY(child<QLabel>(w.get(), "strategy_note")->text().contains("race"));
    refine->setChecked(false);
    child<QCheckBox>(w.get(), "strategy_beam")->setChecked(false);
    QVERIFY(!w->describe()->can_explore());
    QTRY_VERIFY(child<QLabel>(w.get(), "hint")->text().contains("strategy"));
  }

  void nothingToAskIsSaid() {
    engine_->no_models = true;
    auto w = open({.input = "softmax"});
    QTRY_VERIFY(w->describe()->spec_ready());
    auto* generator = child<QComboBox>(w.get(), "generator");
    QTRY_VERIFY(generator->findData("model") >= 0);
    generator->setCurrentIndex(generator->findData("model"));
    auto* note = child<QLabel>(w.get(), "model_note");
    QTRY_VERIFY2(note->text().contains("Ollama"), qPrintable(note->text()));
    QVERIFY(!child<QPushButton>(w.get(), "explore")->isEnabled());
    picture(*w, "no-model-light");
    press(w.get(), "model_settings");
    QVERIFY(child<QWidget>(w.get(), "models_page"));
  }

  void formBecomesOptionsAndPersists() {
    const auto expect = [](const generator::RunOptions& o) {
      QCOMPARE(o.generator, std::string("model"));
      QCOMPARE(o.model.writer, std::string("remote:writer-1"));
      QCOMPARE(o.model.analyst, std::string("none"));
      QCOMPARE(o.model.mode, std::string("ptx"));
      QCOMPARE(o.model.strategies, (std::vector<std::string>{"refine", "beam"}));
      QCOMPARE(o.budget.tokens, std::int64_t{54321});
      QCOMPARE(o.budget.money, 2.5);
      QCOMPARE(o.budget.minutes, 7.0);
      QCOMPARE(o.model.temperature, std::optional<double>(0.4));
      QCOMPARE(o.model.effort, std::string("high"));
      QCOMPARE(o.model.seed, std::uint64_t{77});
      QCOMPARE(o.model.width, 6);
      QCOMPARE(o.model.fixes, 0);
      QCOMPARE(o.model.children, generator::ModelOptions().children);
    };
    {
      auto w = ready();
      child<QCheckBox>(w.get(), "strategy_beam")->setChecked(true);
      auto* analyst = child<QComboBox>(w.get(), "analyst");
      analyst->setCurrentIndex(analyst->findData("none"));
      auto* mode = child<QComboBox>(w.get(), "writing_mode");
      mode->setCurrentIndex(mode->findData("ptx"));
      child<QSpinBox>(w.get(), "budget_tokens")->setValue(54321);
      child<QDoubleSpinBox>(w.get(), "budget_money")->setValue(2.5);
      child<QSpinBox>(w.get(), "budget_minutes")->setValue(7);
      QVERIFY(!w->describe()->options().model.temperature);
      QTest::mouseClick(child<QToolButton>(w.get(), "more_of_models"), Qt::LeftButton);
      child<QDoubleSpinBox>(w.get(), "temperature")->setValue(0.4);
      child<QComboBox>(w.get(), "effort")->setCurrentIndex(child<QComboBox>(w.get(), "effort")->findData("high"));
      child<QSpinBox>(w.get(), "model_seed")->setValue(77);
      child<QSpinBox>(w.get(), "strategy_width")->setValue(6);
      child<QSpinBox>(w.get(), "strategy_fixes")->setValue(0);
      expect(w->describe()->options());
      QVERIFY(w->close());
    }
    auto again = open();
    QTRY_VERIFY(again->describe()->can_explore());
    expect(again->describe()->options());
  }

  void otherGeneratorsHaveNoModelOptions() {
    auto w = open({.input = "softmax"});
    QTRY_VERIFY(w->describe()->can_explore());
    QVERIFY(!w->describe()->form()->models()->isVisible());
    QCOMPARE(w->describe()->options().budget.tokens, std::int64_t{0});
    QVERIFY(w->describe()->options().model.writer.empty());
    QCOMPARE(engine_->asked_servers.load(), 0);  // no server is asked unless models are used
    QCOMPARE(keys_->reads, 0);
    press(w.get(), "explore");
    QTRY_VERIFY(engine_->started_runs == 1);
    QVERIFY(!question(w.get()));
    QTRY_VERIFY(!w->session()->running());
    QVERIFY(!w->status_part()->meter()->isVisible());
  }

  void nothingLeavesBeforeItIsAllowed() {
    auto w = ready();
    press(w.get(), "explore");
    QTRY_VERIFY(question(w.get()));
    QCOMPARE(engine_->started_runs.load(), 0);
    ConsentDialog* dialog = question(w.get());
    QVERIFY(dialog->findChild<ElideLabel*>()->full_text().contains("api.remote.example"));
    QVERIFY(dialog->lines().join("\n").contains("sent: source code (candidates") &&
            dialog->lines().contains("not sent: file names of this machine"));
    picture(*dialog, "consent-light");
    QVERIFY(child<QPushButton>(dialog, "dont_send")->isDefault());  // Return alone sends nothing
    press(dialog, "dont_send");
    QTRY_VERIFY(w->log()->as_text().contains("Nothing was sent to api.remote.example"));
    QCOMPARE(engine_->started_runs.load(), 0);
    QVERIFY(engine_->consents()->empty());

    press(w.get(), "explore");
    QTRY_VERIFY(question(w.get()));
    dialog = question(w.get());
    child<QCheckBox>(dialog, "send_sources")->setChecked(false);
    QVERIFY(dialog->lines().join("\n").contains("not sent: source code (candidates"));
    press(dialog, "allow");
    QTRY_VERIFY(engine_->started_runs == 1);
    QTRY_VERIFY(!w->session()->running());
    QVERIFY(!engine_->last_options.model.limits.sources && engine_->last_options.model.limits.device_name);
    QCOMPARE(engine_->consents()->size(), std::size_t{1});

    press(w.get(), "explore");  // the answer is kept
    QTRY_VERIFY(engine_->started_runs == 2);
    QVERIFY(!question(w.get()));
    QTRY_VERIFY(!w->session()->running());
    QVERIFY(!engine_->last_options.model.limits.sources);
  }

  void thisMachineNeedsNoConsent() {
    auto w = ready("local:coder:30b");
    press(w.get(), "explore");
    QTRY_VERIFY(engine_->started_runs == 1);
    QVERIFY(!question(w.get()));
    QTRY_VERIFY(!w->session()->running());
    QVERIFY(engine_->last_options.model.limits.paths);  // nothing leaves: nothing is kept back
  }

  void conversationFillsLive() {
    auto w = waiting_for_a_reply(24000);
    ConversationPanel* c = w->conversation();
    w->show_dock("conversation");
    QTRY_COMPARE(c->model()->rowCount(), 2);
    QTRY_COMPARE(c->view()->shown(), std::int64_t{2});  // the newest one is followed
    QTRY_COMPARE(c->view()->reply()->text(), QString("Here is at"));
    QTRY_COMPARE(c->view()->thinking()->text(), QString("Rows are independent. "));
    QCOMPARE(c->model()->index(1, ExchangeModel::Outcome).data().toString(), QString("streaming"));
    QCOMPARE(c->model()->index(1, ExchangeModel::Price).data().toString(), QString("\u2014"));  // not 0
    QTRY_VERIFY(c->view()->prompt()->text().contains("Write request 1."));  // stored before it was sent
    SpendMeter* meter = w->status_part()->meter();
    QTRY_COMPARE(meter->text(), QString("5 k of 24 k tokens, $0.02 of $1.00"));
    QVERIFY(!meter->warns());
    picture(*w, "conversation-live-light");
    engine_->release_reply();
    QTRY_VERIFY(!w->session()->running());
    QCOMPARE(c->model()->rowCount(), 4);
    QTRY_COMPARE(meter->text(), QString("20 k of 24 k tokens, $0.07 of $1.00"));
    QVERIFY(meter->warns());
    QVERIFY2(meter->toolTip().contains("83 %") && meter->toolTip().contains("of reasoning") &&
                 meter->toolTip().contains("1 failed"),
             qPrintable(meter->toolTip()));
    QTRY_COMPARE(c->model()->index(0, ExchangeModel::Outcome).data().toString(), QString("candidate"));
    QCOMPARE(c->model()->index(3, ExchangeModel::Outcome).data().toString(), QString("failed"));

    // Candidate and exchange lead to each other.
    w->candidates()->select(2);
    QTRY_COMPARE(c->selected(), std::int64_t{2});
    QTRY_VERIFY(c->view()->reply()->text().contains("attempt 1"));
    c->table()->selectRow(0);
    QTRY_COMPARE(w->candidates()->selected(), std::int64_t{1});
    c->table()->selectRow(3);
    QTRY_VERIFY(child<QLabel>(c, "exchange_why")->text().contains("504"));
    QVERIFY(child<QLabel>(c, "exchange_why")->isVisible());
    QCOMPARE(w->candidates()->selected(), std::int64_t{1});  // it gave none
    picture(*w, "conversation-failed-light");
    w->dock("conversation")->hide();
    meter->click();
    QVERIFY(w->dock("conversation")->isVisible());
  }

  void conversationComesFromTheStore() {
    QVERIFY(engine_->allow("api.remote.example", {}));
    {
      auto w = ready();
      press(w.get(), "explore");
      QTRY_VERIFY(engine_->started_runs == 1 && !w->session()->running());
      QTRY_VERIFY(w->candidates()->selected() != 0);
      QVERIFY(w->close());
    }
    auto w = open();
    QTRY_VERIFY(w->candidates()->selected() != 0);
    ConversationPanel* c = w->conversation();
    w->show_dock("conversation");
    QTRY_COMPARE(c->model()->rowCount(), 4);
    const CandidateModel::Row& row = w->candidates()->model()->rows()[static_cast<std::size_t>(
        w->candidates()->model()->row_of(w->candidates()->selected()))];
    QTRY_COMPARE(c->selected(), c->model()->of_candidate(row.data.hash));
    QTRY_VERIFY(c->view()->prompt()->text().contains("SYSTEM  61 lines"));
    QVERIFY(c->view()->prompt()->text().contains("rule 60:") && c->view()->prompt()->text().contains("USER  2 lines"));
    // The long system part is folded, the person's is in sight.
    CodeEditor* prompt = c->view()->prompt();
    QVERIFY(prompt->SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, 0UL) != 0);
    QVERIFY(prompt->SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, 30UL) == 0);
    QVERIFY(prompt->SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, 63UL) != 0);
    prompt->SendScintilla(QsciScintilla::SCI_FOLDLINE, 0UL, 1L);
    QVERIFY(prompt->SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, 30UL) != 0);
    QVERIFY2(c->view()->facts().contains("4\u202f000 tokens of prompt") && c->view()->facts().contains("candidate"),
             qPrintable(c->view()->facts()));
    QVERIFY(child<ElideLabel>(c, "exchange_place")->full_text().contains("writer 3 (1a2b3c4d5e6f)"));
    QTRY_COMPARE(w->status_part()->meter()->text(), QString("20 k of 200 k tokens, $0.07 of $1.00"));
    // Long labels and names elide and say themselves in full.
    QVERIFY(child<ElideLabel>(c, "exchange_title")->full_text().size() > 10);
    QCOMPARE(w->minimumSizeHint().width() <= 1280, true);
    QVERIFY(Theme::instance().apply("dark"));
    picture(*w, "conversation-dark");
    w->dock("conversation")->setFloating(true);
    w->dock("conversation")->resize(1000, 560);
    picture(*w->dock("conversation"), "conversation-wide-dark");
  }

  void longNamesElide() {
    QVERIFY(engine_->allow("api.remote.example", {}));
    auto w = ready(
        "remote:a-model-with-a-name-that-is-far-longer-than-any-column-or-box-of-the-window-could-show-at-once-"
        "20261120");
    QVERIFY2(w->describe()->minimumSizeHint().width() <= 360,
             qPrintable(QString::number(w->describe()->minimumSizeHint().width())));
    press(w.get(), "explore");
    w->show_dock("conversation");
    QTRY_VERIFY(engine_->started_runs == 1 && !w->session()->running());
    QCOMPARE(w->width(), 1280);
    picture(*w, "long-names-light");
  }

  void rolesOfTheFileAreHonoured() {
    engine_->roles = {{.role = "fixer", .model = "local:coder:30b", .effort = "low"},
                      {.role = "analyst", .model = "remote:writer-1", .fallbacks = {"local:coder:30b"}},
                      {.role = "formulator", .model = "local:coder:30b"}};
    QVERIFY(engine_->allow("api.remote.example", {}));
    auto w = ready();
    auto* note = child<QLabel>(w.get(), "roles_note");
    QTRY_VERIFY(note->isVisible());
    QVERIFY2(note->text().contains("Fixer: local:coder:30b, effort low.") &&
                 note->text().contains("Analyst: remote:writer-1, then local:coder:30b."),
             qPrintable(note->text()));
    auto* analyst = child<QComboBox>(w.get(), "analyst");
    QCOMPARE(analyst->itemText(0), QString("As set: remote:writer-1"));
    QVERIFY(child<QDoubleSpinBox>(w.get(), "budget_money")->isEnabled());
    const generator::ModelOptions m = w->describe()->options().model;
    QVERIFY(m.fixer == "local:coder:30b" && m.analyst == "remote:writer-1");
    QVERIFY(llm::role_of(m.roles, "fixer")->effort == "low");
    QCOMPARE(m.models(), (std::vector<std::string>{"remote:writer-1", "local:coder:30b"}));
    analyst->setCurrentIndex(analyst->findData("none"));  // what the form says wins
    QCOMPARE(w->describe()->options().model.analyst, std::string("none"));
    press(w.get(), "explore");
    QTRY_VERIFY(engine_->started_runs == 1 && !w->session()->running());
    QCOMPARE(engine_->last_options.model.fixer, std::string("local:coder:30b"));
    w->describe()->set_sentence("frobnicate the rows");
    QTRY_VERIFY(child<QPushButton>(w.get(), "ask_model"));
    press(w.get(), "ask_model");
    QTRY_COMPARE(engine_->formulated_by, std::string("local:coder:30b"));
    QTRY_VERIFY(!w->session()->formulating());
  }

  void rolesWithoutAPriceOrAServiceAreSaid() {
    engine_->roles = {{.role = "fixer", .model = "keyless:big"}, {.role = "analyst", .model = "remote:unpriced"}};
    auto w = ready();
    auto* note = child<QLabel>(w.get(), "roles_note");
    QTRY_VERIFY(note->isVisible());
    QVERIFY2(note->text().contains("KEYLESS_API_KEY"), qPrintable(note->text()));
    QVERIFY(!child<QDoubleSpinBox>(w.get(), "budget_money")->isEnabled());
  }

  void rolesAreEditedInTheSettings() {
    auto w = ready();
    QVERIFY(!child<QLabel>(w.get(), "roles_note")->isVisible());
    action(*w, "file.settings")->trigger();
    auto* dialog = child<SettingsDialog>(w.get(), "settings");
    dialog->show_page("roles");
    QTRY_VERIFY(child<QPushButton>(dialog, "role_save")->isEnabled());
    auto* list = child<QTreeWidget>(dialog, "roles");
    QCOMPARE(list->topLevelItemCount(), 5);
    list->setCurrentItem(list->topLevelItem(1));
    QCOMPARE(list->topLevelItem(1)->text(1), QString("nothing"));
    child<ModelCombo>(dialog, "role_model")->set_id("local:coder:30b");
    auto* fallbacks = child<QLineEdit>(dialog, "role_fallbacks");
    fallbacks->setText(" remote:writer-1,, remote:unpriced ");
    auto* effort = child<QComboBox>(dialog, "role_effort");
    effort->setCurrentIndex(effort->findData("max"));
    child<QDoubleSpinBox>(dialog, "role_temperature")->setValue(0.2);
    child<QSpinBox>(dialog, "role_answer")->setValue(8000);
    engine_->roles_error = "models.json:3: it is not JSON";
    press(dialog, "role_save");
    auto* problem = child<QLabel>(dialog, "roles_problem");
    QTRY_VERIFY(problem->isVisible() && problem->text().contains("models.json:3"));
    QVERIFY(engine_->roles.empty());
    QCOMPARE(fallbacks->text(), QString(" remote:writer-1,, remote:unpriced "));  // what was typed stays
    engine_->roles_error.clear();
    press(dialog, "role_save");
    const QString words =
        "local:coder:30b, effort max, temperature 0.2, answers to 8000 tokens, then remote:writer-1, then "
        "remote:unpriced";
    QTRY_COMPARE(list->topLevelItem(1)->text(1), words);
    QVERIFY(!problem->isVisible());
    const llm::RoleSettings& fixer = engine_->roles.front();
    QVERIFY(fixer.role == "fixer" && fixer.temperature == 0.2 && fixer.output_tokens == 8000 &&
            fixer.prompt_tokens == 0);
    QCOMPARE(fixer.fallbacks, (std::vector<std::string>{"remote:writer-1", "remote:unpriced"}));
    QTRY_VERIFY(child<QLabel>(w.get(), "roles_note")->text().contains("Fixer: local:coder:30b"));
    picture(*dialog, "settings-roles-light");
    press(dialog, "role_clear");
    QTRY_COMPARE(list->topLevelItem(1)->text(1), QString("nothing"));
    QVERIFY(engine_->roles.empty());
    QTRY_VERIFY(!child<QLabel>(w.get(), "roles_note")->isVisible());
  }

  void spendIsSaidInWords() {
    llm::Spend s;
    s.usage = {12000, 8000, 500, 400, 100, true};
    s.money = 0.031;
    s.token_limit = 200000;
    s.money_limit = 1;
    s.requests = 3;
    QCOMPARE(spend_text(s), QString("12.4 k of 200 k tokens, $0.03 of $1.00"));
    QVERIFY2(spend_details(s).contains(
                 "Prompt: 12\u202f000 tokens (8\u202f000 read from the service's cache, 500 written to it)"),
             qPrintable(spend_details(s)));
    QVERIFY(spend_details(s).contains("Answers: 400 tokens (100 of reasoning)"));
    SpendMeter meter;
    meter.show_spend(s);
    QVERIFY(!meter.warns());
    s.money = 0.81;
    meter.show_spend(s);
    QVERIFY(meter.warns());
    s.money = 0;
    s.money_known = false;
    s.money_limit = 0;
    QCOMPARE(spend_text(s), QString("12.4 k of 200 k tokens, price unknown"));  // never $0
    s.money = 0.5;
    QVERIFY(spend_text(s).contains("some prices unknown"));
    s.money_known = true;
    s.token_limit = 0;
    QCOMPARE(spend_text(s), QString("12.4 k tokens, $0.50"));
  }

  void aWaitIsShownInTheListOfRequests() {
    ExchangeModel model;
    const auto tell = [&](const llm::ModelEvent& e) { return model.apply({explore::Event(e)}); };
    tell(llm::ExchangeStarted{4, store::AgentRole::writer, "fresh attempt", "far:m", "api.remote.example"});
    tell(llm::Awaiting{4, "api.remote.example", std::chrono::seconds(250)});
    const auto outcome = [&] { return model.index(0, ExchangeModel::Outcome).data().toString(); };
    QCOMPARE(outcome(), QString("api.remote.example asks to wait: 0:04:10 left"));
    tell(llm::Awaiting{5, "api.remote.example", std::chrono::seconds(9)});  // of another run
    tell(llm::Awaiting{4, "api.remote.example", std::chrono::seconds(0)});
    QVERIFY2(!outcome().contains("wait:"), qPrintable(outcome()));
  }

  void modelMakesASpecThatThePersonConfirms() {
    QVERIFY(engine_->allow("api.remote.example", {}));
    auto w = open({.input = "frobnicate the rows"});
    QTRY_VERIFY(w->session()->ready() && child<QPushButton>(w.get(), "ask_model"));
    engine_->formulate_error = "the model's spec has errors: 3:17 unknown name";
    press(w.get(), "ask_model");
    QTRY_VERIFY(w->log()->as_text().contains("unknown name"));
    QTRY_VERIFY(child<QPushButton>(w.get(), "ask_model"));  // can be asked again
    QVERIFY(w->describe()->spec_text().isEmpty());
    engine_->formulate_error.clear();
    press(w.get(), "ask_model");
    QTRY_VERIFY(w->describe()->spec_ready());
    QCOMPARE(engine_->formulated_of, std::string("frobnicate the rows"));
    QVERIFY(w->describe()->spec_text().contains("op scale"));
    const QString lines = w->describe()->reading()->lines().join("\n");
    QVERIFY2(lines.contains("Check it") && lines.contains("Assumed: The factor is 2.") &&
                 lines.contains("doubling each element") && lines.contains("In doubt: ") &&
                 lines.contains("A second formulation"),
             qPrintable(lines));
    QCOMPARE(engine_->started_runs.load(), 0);  // nothing runs before the person says so
    picture(*w, "formulated-light");
    press(w.get(), "show_exchange");
    QTRY_COMPARE(w->conversation()->model()->rowCount(), 1);
    QTRY_COMPARE(w->conversation()->selected(), std::int64_t{1});
    QVERIFY(w->dock("conversation")->isVisible());

    // The person's own spec is not overwritten.
    w->describe()->set_sentence("frobnicate it again");
    QTRY_VERIFY(child<QPushButton>(w.get(), "ask_model"));
    child<CodeEditor>(w.get(), "spec_editor")->append("// mine\n");
    press(w.get(), "ask_model");
    QTRY_VERIFY(child<QPushButton>(w.get(), "take_offer")->isVisible());
    QVERIFY(w->describe()->spec_text().contains("// mine"));
    press(w.get(), "take_offer");
    QVERIFY(!w->describe()->spec_text().contains("// mine"));
  }

  void askingCanBeStopped() {
    QVERIFY(engine_->allow("api.remote.example", {}));
    engine_->hold_formulate = true;
    auto w = open({.input = "frobnicate the rows"});
    QTRY_VERIFY(w->session()->ready() && child<QPushButton>(w.get(), "ask_model"));
    press(w.get(), "ask_model");
    QTRY_VERIFY(child<QPushButton>(w.get(), "stop_asking"));
    press(w.get(), "stop_asking");
    QTRY_VERIFY(child<QPushButton>(w.get(), "ask_model"));
    QVERIFY(!w->session()->formulating());
    QVERIFY(w->describe()->spec_text().isEmpty());
  }

  void resumeKeepsTheLimits() {
    auto w = waiting_for_a_reply(123456);
    QTRY_COMPARE(w->conversation()->model()->rowCount(), 2);
    press(w.get(), "cancel");
    QTRY_VERIFY(!w->session()->running());
    engine_->release_reply();
    QTRY_VERIFY(child<QPushButton>(w.get(), "resume")->isEnabled());
    press(w.get(), "resume");
    QVERIFY(ran(*w, 4));
    QCOMPARE(engine_->last_options.budget.tokens, std::int64_t{123456});
    QCOMPARE(engine_->last_options.budget.money, 1.0);
  }

  void piecesOfOneReplyArriveTogether() {
    EventBatch batch;
    int batches = 0;
    std::vector<explore::Event> got;
    connect(&batch, &EventBatch::ready, this, [&](const std::vector<explore::Event>& events) {
      ++batches;
      got.insert(got.end(), events.begin(), events.end());
    });
    const auto piece = [](std::int64_t id, llm::Delta::Kind kind, const char* text) {
      return explore::Event(llm::ModelEvent(llm::Streaming{id, {kind, text}}));
    };
    using Kind = llm::Delta::Kind;
    for (const auto& e : {piece(1, Kind::text, "a"), piece(1, Kind::text, "b"), piece(1, Kind::thinking, "c"),
                          piece(2, Kind::text, "d"), piece(2, Kind::restart, "x"), piece(2, Kind::restart, "y")})
      batch.push(e);
    batch.flush_all();
    QCOMPARE(got.size(), std::size_t{5});
    QCOMPARE(std::get<llm::Streaming>(std::get<llm::ModelEvent>(got[0])).delta.text, std::string("ab"));
  }
};

int main(int argc, char** argv) {
  WatchdogApplication app(argc, argv);
  WindowModelsTest test;
  QTEST_SET_MAIN_SOURCE_PATH
  return QTest::qExec(&test, argc, argv);
}
#include "window_models_test.moc"
