// SPDX-License-Identifier: GPL-3.0-or-later
// The code panel with an engine that judges edits on command.
#pragma once
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <atomic>
#include <semaphore>
#include "panels/code/code_panel.h"
#include "parts/editor/code_editor.h"
#include "session/actions/registry.h"
#include "session/edits.h"
#include "session/models/candidate_model.h"
#include "session/selection.h"
#include "widgets/panel_fixture.h"

namespace ww::test::code {

using namespace ww::widgets;

inline compile::Sass sass_of(
    int instructions) {  // functions of 1000 rows, blocks of 50, lines that change every third row
  compile::Sass sass;
  for (int i = 0; i < instructions; ++i) {
    if (i % 1000 == 0) {
      sass.functions.push_back("kernel_" + std::to_string(i / 1000));
      sass.text += sass.functions.back() + ":\n";
      sass.rows.push_back({compile::SassRow::Kind::function});
    } else if (i % 50 == 0) {
      sass.text += ".L_x_" + std::to_string(i / 50) + ":\n";
      sass.rows.push_back({compile::SassRow::Kind::label});
    }
    char text[80];
    std::snprintf(text, sizeof text, "    /*%04x*/               @P%d LDG.E R%d, desc[UR6][R8.64+0x%x] ;\n",
                  i % 1000 * 16, i % 6, i % 250, i);
    sass.text += text;
    sass.rows.push_back({compile::SassRow::Kind::instruction, static_cast<std::uint32_t>(i / 1000),
                         static_cast<std::uint32_t>(i % 1000 * 16), 6 + i / 3 % 9, 11 + i % 20, 10 + i % 30});
  }
  return sass;
}

class CodeEngine : public test::FakeEngine {
 public:
  bool no_sass = false;
  std::string refuse;             // check_edit fails with it
  std::binary_semaphore held{1};  // check_edit waits while a test holds it
  std::atomic<int> checks{0};
  generator::Proposal last_edit;
  Result<compile::Sass> machine_rows(const store::CandidateRecord&, const std::string&) override {
    if (no_sass) return fail(Code::unavailable, "machine code is not shown, because nvdisasm was not found");
    return sass_of(120);
  }
  Result<explore::EditChecked> check_edit(store::Workspace& workspace, std::int64_t run,
                                          const generator::Proposal& edit, const explore::EventHandler& handler,
                                          std::stop_token) override {
    ++checks;
    last_edit = edit;
    held.acquire();
    held.release();
    if (!refuse.empty()) return fail(Code::parse, "the text is no candidate", refuse);
    const auto parent = workspace.candidates(run).value().front();
    store::CandidateRecord record;
    record.run = run;
    record.parent = edit.parent;
    record.generator = "manual";
    record.title = "mine";
    record.language = candidate::Language::cuda;
    record.text = edit.text;
    record.hash = "edit" + std::to_string(checks);
    record.id = workspace.add_candidate(record, nullptr).value();
    handler(explore::CandidateProposed{row_of(*workspace.candidate(record.id))});
    evidence::Verdict verdict = *workspace.candidate(parent.id)->verdict;
    if (edit.text.find("vectr") != std::string::npos) {
      verdict.accepted = false;
      verdict.stages = {{evidence::Stage::compile,
                         evidence::Outcome::failed,
                         "the compiler refuses the candidate",
                         "candidate.cu(6): error: identifier \"vectr\" is undefined\n",
                         {},
                         0}};
    }
    (void)workspace.set_verdict(record.id, verdict, verdict.accepted ? std::optional(10.0) : std::nullopt,
                                Provenance::simulated, "simulated issue slots");
    handler(explore::CandidateJudged{row_of(*workspace.candidate(record.id))});
    return explore::EditChecked{record.id, false};
  }
};

struct Rig : test::PanelFixture {
  std::shared_ptr<CodeEngine> engine;
  CodePanel* panel;
  explicit Rig(const QString& folder, std::shared_ptr<CodeEngine> with = std::make_shared<CodeEngine>())
      : PanelFixture(with), engine(with), panel(new CodePanel(context)) {
    QObject::connect(&selection, &Selection::current_changed, &session, &Session::load_candidate);
    session.open_workspace(folder);
    window.resize(1200, 640);
    show(panel);
  }
  void explore() { session.explore(options(6)); }
  void select(std::int64_t id) {
    selection.set_current(id);
    QTRY_VERIFY(panel->source()->length() > 0);
  }
  bool check_edit() {  // of candidate 2; its verdict comes when engine->held is released
    select(2);
    panel->edit();
    panel->draft()->insertAt("// mine\n", 0, 0);
    engine->held.acquire();
    registry.action("code.check")->trigger();
    return QTest::qWaitFor([this] { return engine->checks.load() == 1; });
  }
};

inline std::unique_ptr<Rig> with_run(const QString& folder) {
  auto rig = std::make_unique<Rig>(folder);
  [&] {
    QTRY_VERIFY(rig->session.ready());
    rig->explore();
    QTRY_COMPARE(rig->model.judged(), 6);
    QTRY_VERIFY(!rig->session.running());
  }();
  return rig;
}

inline bool squiggle(CodeEditor* editor, const QString& word) {
  return editor->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, static_cast<unsigned long>(CodeEditor::error_mark),
                               static_cast<long>(editor->text().indexOf(word))) != 0;
}

}  // namespace ww::test::code
