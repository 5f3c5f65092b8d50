// SPDX-License-Identifier: GPL-3.0-or-later
// Runs and language models that follow a script: what they store goes into a real workspace, and nothing is compiled
// or sent.
#pragma once
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <QString>
#include "session/services.h"

namespace ww::test {

class FakeEngine : public widgets::Runs, public widgets::Models {
 public:
  // The run stops before candidate number `at` (from 0) until release(), or goes on to its end when cancelled.
  void hold_before(int at) { hold_at_ = at; }
  void release();
  int candidates = 6;  // that a run proposes, at most its budget
  std::atomic<int> started_runs{0};
  generator::RunOptions last_options;  // of the last run; read it when the run has ended
  int ptx_lines = 40;                  // of each accepted candidate
  std::string failure;                 // of every run, after its candidates: why it fails; empty: none does

  // The services of a window with this engine, which must be owned by a shared pointer.
  static widgets::Services services(std::shared_ptr<FakeEngine> engine);
  static explore::CandidateRow row_of(const store::CandidateRecord& candidate);
  static std::string softmax();  // text of the spec that its candidates are of
  // From now on no row can be added to that table of the workspace ("the disk is full"), or again.
  static void refuse_writes(const QString& folder, const char* table);
  static void take_writes(const QString& folder, const char* table);

  std::vector<widgets::Choice> generators() override;
  std::vector<widgets::Choice> devices() override;
  Result<explore::RunEnded> run(store::Workspace& workspace, const generator::RunOptions& options,
                                const explore::EventHandler& handler, std::stop_token cancel) override;
  Result<explore::RunEnded> resume(store::Workspace& workspace, std::int64_t run, const generator::Budget& budget,
                                   const explore::EventHandler& handler, std::stop_token cancel,
                                   PauseToken pause) override;
  Result<compile::Sass> machine_rows(const store::CandidateRecord&, const std::string&) override {
    return compile::Sass{"softmax_rows:\n    /*0000*/ LDG.E R2, desc[UR4][R2.64] ;\n    /*0010*/ EXIT ;\n",
                         {{compile::SassRow::Kind::function},
                          {compile::SassRow::Kind::instruction, 0, 0, 8, 3, 6},
                          {compile::SassRow::Kind::instruction, 0, 16, 9, 4, 2}},
                         {"softmax_rows"}};
  }
  // A draft is not compiled: 64 registers where its text names them, else 77; "vectr" is an error in its line.
  virtual Result<compile::Output> compile(const rpc::CompileRequest& request, const std::stop_token& stop);

  // Models: a service with a price, one without, one without a key, one on this machine. Keys come from the readers
  // alone.
  widgets::ModelList list_models(bool ask) override;
  Check ask_service(const std::string& service, std::stop_token cancel) override;
  void add_key_reader(std::function<std::optional<Secret>(const std::string& service)> reader,
                      widgets::KeyFrom from) override;
  Result<std::vector<widgets::ModelHost>> hosts(const std::vector<std::string>& models) override;
  Status allow(const std::string& host, const llm::Limits& limits) override;
  Status forget(const std::string& host) override;
  Result<std::vector<llm::Consent>> consents() override;
  Status set_roles(const std::vector<llm::RoleSettings>& roles) override;
  Result<widgets::Formulated> formulate(store::Workspace& workspace, const std::string& model, const std::string& text,
                                        const llm::Limits& limits, std::stop_token cancel) override;
  std::optional<Secret> key_of(const std::string& service,
                               widgets::KeyFrom* from = nullptr);  // of the first reader that has one
  bool refuses_keys = false;                                       // every service answers 401
  bool no_models = false;                                          // no model can be asked
  bool hold_formulate = false;                                     // formulate() answers when it is cancelled
  std::string formulate_error, formulated_by, roles_error;
  std::vector<llm::RoleSettings>
      roles;                  // as models.json has them; a test reads and writes them while the window is idle
  std::string formulated_of;  // the text of the last formulate()
  std::atomic<int> asked_servers{0};
  std::atomic<int> asked_for_lists{0};  // of their models, by a check
  // The run stops in the middle of the reply to request `at` (from 0) until release_reply().
  void hold_reply(int at) { reply_at_ = at; }
  void release_reply();

 private:
  void exchange(store::Workspace& workspace, std::int64_t run, int number, const std::string& candidate,
                const explore::EventHandler& handler, std::stop_token cancel);
  Result<explore::RunEnded> run_on(store::Workspace& workspace, std::int64_t run, int first, int budget,
                                   const explore::EventHandler& handler, std::stop_token cancel, PauseToken pause);
  std::mutex mutex_;
  std::condition_variable wake_;
  int hold_at_ = -1, reply_at_ = -1;
  std::vector<llm::Consent> consents_;
  struct Reader {
    std::function<std::optional<Secret>(const std::string&)> key;
    widgets::KeyFrom from;
  };
  std::vector<Reader> readers_;
  generator::RunOptions options_;  // of the run in progress
  llm::Spend spend_;
};

}  // namespace ww::test
