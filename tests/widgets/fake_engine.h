// SPDX-License-Identifier: GPL-3.0-or-later
// An engine that follows a script: op specs are read by the real parser, a workspace lies in memory, runs are made of
// given candidates.
#pragma once
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include "session/engine.h"

namespace ww::test {

class MemoryWorkspace;

class FakeEngine : public widgets::Engine {
 public:
  FakeEngine();
  // The run stops before candidate number `at` (from 0) until release(), or goes on to its end when cancelled.
  void hold_before(int at) { hold_at_ = at; }
  void release();
  int candidates = 6;  // that a run proposes, at most its budget
  std::atomic<int> started_runs{0};
  explore::RunOptions last_options;  // of the last run; read it when the run has ended
  bool fail_open = false;
  int ptx_lines = 40;  // of each accepted candidate

  Result<std::vector<widgets::OpSummary>> ops() override;
  Result<op::Understanding> understand(const std::string& sentence) override;
  Result<std::string> op_text(const std::string& name) override;
  op::ParseOutcome parse(const std::string& text) override;
  std::string print(const op::Spec& spec) override;
  Result<std::string> with_dtype(const op::Spec& spec, DType real) override;
  Result<std::string> worked_example(const op::Spec& spec) override;
  std::vector<widgets::Choice> generators() override;
  std::vector<widgets::Choice> devices() override;
  Result<std::unique_ptr<store::Workspace>> open(const std::filesystem::path& folder) override;
  Result<explore::RunEnded> run(store::Workspace& workspace, const explore::RunOptions& options,
                                const explore::EventHandler& handler, CancelToken cancel) override;
  Result<explore::RunEnded> resume(store::Workspace& workspace, std::int64_t run, const explore::Budget& budget,
                                   const explore::EventHandler& handler, CancelToken cancel, PauseToken pause) override;
  Result<std::vector<explore::CandidateRow>> rows(store::Workspace& workspace, std::int64_t run) override;
  bool is_live(const store::Workspace&, std::int64_t) override { return false; }
  Result<std::string> machine_code(const store::CandidateRecord&, const std::string&) override {
    return std::string("/*0000*/ EXIT ;\n");
  }
  Result<compile::Sass> machine_rows(const store::CandidateRecord&, const std::string&) override {
    return compile::Sass{"softmax_rows:\n    /*0000*/ LDG.E R2, desc[UR4][R2.64] ;\n    /*0010*/ EXIT ;\n",
                         {{compile::SassRow::Kind::function},
                          {compile::SassRow::Kind::instruction, 0, 0, 8, 3, 6},
                          {compile::SassRow::Kind::instruction, 0, 16, 9, 4, 2}},
                         {"softmax_rows"}};
  }
  Result<std::vector<widgets::KernelOccupancy>> occupancy(const store::CandidateRecord& candidate,
                                                          const std::string& spec,
                                                          const std::string& architecture) override;
  Result<std::shared_ptr<const widgets::ProfileView>> profile(
      store::Workspace& workspace, std::int64_t candidate,
      const std::shared_ptr<const widgets::ProfileView>& known) override;
  Result<explore::RunOptions> options_of(const store::RunRecord& run) override;

  // Models: a service with a price, one without, one without a key, one on this machine. Keys come from the readers
  // alone.
  widgets::ModelList models(bool ask) override;
  std::vector<widgets::Choice> strategies() override;
  Result<std::vector<std::string>> check_service(const std::string& service, CancelToken cancel) override;
  void add_key_reader(std::function<std::optional<Secret>(const std::string& service)> reader) override;
  Result<std::vector<widgets::ModelHost>> hosts(const std::vector<std::string>& models) override;
  std::vector<std::string> what_leaves(const llm::Limits& limits) override;
  Status allow(const std::string& host, const llm::Limits& limits) override;
  Status forget(const std::string& host) override;
  Result<std::vector<llm::Consent>> consents() override;
  widgets::ExchangeView read_exchange(store::ExchangeRecord record) override;
  Result<widgets::Formulated> formulate(store::Workspace& workspace, const std::string& model, const std::string& text,
                                        const llm::Limits& limits, CancelToken cancel) override;
  bool no_models = false;       // nobody can be asked
  bool hold_formulate = false;  // formulate() answers when it is cancelled
  std::string formulate_error;
  std::string formulated_of;  // the text of the last formulate()
  std::atomic<int> asked_servers{0};
  // The run stops in the middle of the reply to request `at` (from 0) until release_reply().
  void hold_reply(int at) { reply_at_ = at; }
  void release_reply();

 private:
  void exchange(store::Workspace& workspace, std::int64_t run, int number, const std::string& candidate,
                const explore::EventHandler& handler, CancelToken cancel);
  std::optional<Secret> key_of(const std::string& service);
  Result<explore::RunEnded> go_on(store::Workspace& workspace, std::int64_t run, int first, int budget,
                                  const explore::EventHandler& handler, CancelToken cancel, PauseToken pause);
  std::mutex mutex_;
  std::condition_variable wake_;
  int hold_at_ = -1, reply_at_ = -1;
  std::vector<llm::Consent> consents_;
  std::vector<std::function<std::optional<Secret>(const std::string&)>> readers_;
  std::map<std::int64_t, explore::RunOptions> options_;  // by run
  llm::Spend spend_;
  // What folders hold, kept while the engine lives, so that a second window finds it.
  struct Disk;
  std::map<std::string, std::shared_ptr<Disk>> disks_;
  friend class MemoryWorkspace;
};

}  // namespace ww::test
