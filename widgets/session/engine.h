// SPDX-License-Identifier: GPL-3.0-or-later
// All that the window asks of the engine. local_engine.h answers with the engine itself, tests with a script.
// Every function may be called from any thread but the GUI thread, several at a time.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "base/cancel.h"
#include "base/result.h"
#include "base/secret.h"
#include "compile/sass.h"
#include "explore/edit.h"
#include "explore/run.h"
#include "llm/consent.h"
#include "llm/message.h"
#include "op/parse.h"
#include "op/phrasebook.h"
#include "session/model_list.h"
#include "store/workspace.h"

namespace ww::widgets {

struct ProfileView;  // session/profile_view.h

struct Choice {
  std::string id, title, why_not;  // why_not: not usable here, and the reason
  std::string about;               // one line more, for a tooltip
};

struct KernelOccupancy {  // *modelled*
  std::string kernel, architecture;
  int block = 0;            // threads
  std::int64_t shared = 0;  // bytes per block, static and dynamic
  double occupancy = 0;     // 0 to 1
  int active_warps = 0;     // resident on a multiprocessor
  std::string limiter;      // "registers", "shared memory", "blocks per SM", "threads per SM", …
};

struct OpSummary {
  std::string name, summary, phrase;  // phrase: one that the phrasebook understands
  std::vector<std::string> phrases;   // all of them
  std::string torch;                  // the op in PyTorch, as an expression over its inputs; may be empty
};

struct ModelHost {                     // where requests of a run would go
  std::string host, service;           // "api.openai.com", "OpenAI"
  bool this_machine = false;           // nobody needs to be asked
  std::optional<llm::Limits> allowed;  // what was allowed earlier
};
struct ExchangeView {  // one request to a model and its reply, read from the store
  store::ExchangeRecord record;
  std::optional<llm::Request> request;
  std::optional<llm::Reply> reply;  // of a failed one: the part that came
  std::string problem;              // it cannot be read, and why
};
struct Formulated {  // what a model made of a person's words; nothing runs before the person has confirmed it
  std::string text, explanation;  // text: a spec that the checker took
  std::vector<std::string> assumptions;
  std::int64_t exchange = 0;
};

struct ReviewView;  // session/review_view.h
struct ReceiptView;
using ReviewAnswers = std::map<std::string, std::string>;  // by item of the checklist

class Engine {
 public:
  virtual ~Engine() = default;
  // Ops that the phrasebook knows; loads the library on first use.
  virtual Result<std::vector<OpSummary>> ops() = 0;
  virtual Result<op::Understanding> understand(const std::string& sentence) = 0;
  virtual Result<std::string> op_text(const std::string& name) = 0;
  virtual op::ParseOutcome parse(const std::string& text) = 0;
  virtual std::string print(const op::Spec& spec) = 0;
  virtual Result<std::string> with_dtype(const op::Spec& spec, DType real) = 0;
  virtual Result<std::string> worked_example(const op::Spec& spec) = 0;
  virtual std::vector<Choice> generators() = 0;
  virtual std::vector<Choice> devices() = 0;
  virtual Result<std::unique_ptr<store::Workspace>> open(const std::filesystem::path& folder) = 0;
  virtual Result<explore::RunEnded> run(store::Workspace& workspace, const explore::RunOptions& options,
                                        const explore::EventHandler& handler, CancelToken cancel) = 0;
  virtual Result<explore::RunEnded> resume(store::Workspace& workspace, std::int64_t run, const explore::Budget& budget,
                                           const explore::EventHandler& handler, CancelToken cancel,
                                           PauseToken pause) = 0;
  // The runs of a bundle, added to the workspace of that folder: their numbers there.
  virtual Result<std::vector<std::int64_t>> import_bundle(const std::filesystem::path& /*file*/,
                                                          const std::filesystem::path& /*workspace*/) {
    return cannot();
  }
  virtual Status export_bundle(const std::filesystem::path& /*workspace*/, const std::filesystem::path& /*file*/,
                               std::int64_t /*run; 0: all*/) {
    return cannot();
  }
  virtual Result<std::vector<explore::CandidateRow>> rows(store::Workspace& workspace, std::int64_t run) = 0;
  virtual bool is_live(const store::Workspace& workspace, std::int64_t run) = 0;
  // SASS, for an architecture; what is missing for it is an error with a sentence.
  virtual Result<std::string> machine_code(const store::CandidateRecord& candidate,
                                           const std::string& architecture) = 0;
  // The same as data: for each instruction the lines that it comes from and its live registers.
  virtual Result<compile::Sass> machine_rows(const store::CandidateRecord&, const std::string&) {
    return fail(Code::unsupported, "machine code is not shown here");
  }
  // For each line of PTX the line of the candidate's text, 0: none.
  virtual std::vector<int> source_lines_of_ptx(const std::string&) { return {}; }
  // A person's edit, judged as a further candidate of a run that has ended: explore/edit.h.
  virtual Result<explore::EditChecked> check_edit(store::Workspace&, std::int64_t, const explore::Proposal&,
                                                  const explore::EventHandler&, CancelToken) {
    return fail(Code::unsupported, "edits cannot be judged here");
  }
  // Of each launch of the candidate's plan at the run's default case.
  virtual Result<std::vector<KernelOccupancy>> occupancy(const store::CandidateRecord& candidate,
                                                         const std::string& spec, const std::string& architecture) = 0;
  // What is known of a candidate's behaviour. `known`, which may be null, is given back where nothing newer is stored.
  virtual Result<std::shared_ptr<const ProfileView>> profile(store::Workspace& /*workspace*/,
                                                             std::int64_t /*candidate*/,
                                                             const std::shared_ptr<const ProfileView>& /*known*/) {
    return cannot();
  }
  // The options that a stored run was given.
  virtual Result<explore::RunOptions> options_of(const store::RunRecord& run) = 0;

  // Services and models. `ask`: servers on this machine are asked what they have; nobody else is.
  virtual ModelList models(bool ask) = 0;
  virtual std::vector<Choice> strategies() = 0;
  // The models that the service lists. It sends the key, and nothing else.
  virtual Result<std::vector<std::string>> check_service(const std::string& service, CancelToken cancel) = 0;
  virtual void add_key_reader(
      std::function<std::optional<Secret>(const std::string& service)> reader) = 0;  // asked from any thread
  // What leaves the machine.
  virtual Result<std::vector<ModelHost>> hosts(const std::vector<std::string>& models) = 0;  // each once
  virtual std::vector<std::string> what_leaves(const llm::Limits& limits) = 0;               // on the GUI thread, too
  virtual Status allow(const std::string& host, const llm::Limits& limits) = 0;
  virtual Status forget(const std::string& host) = 0;
  virtual Result<std::vector<llm::Consent>> consents() = 0;
  virtual ExchangeView read_exchange(store::ExchangeRecord record) = 0;
  virtual Result<Formulated> formulate(store::Workspace& workspace, const std::string& model, const std::string& text,
                                       const llm::Limits& limits, CancelToken cancel) = 0;

  // Review. What is written is added to the workspace, never changed; each function gives the row's number.
  virtual Result<std::shared_ptr<const ReviewView>> review_of(store::Workspace&, std::int64_t /*candidate*/) {
    return cannot();
  }
  // Why accepting is refused at this moment, one sentence; empty: it is not. On the GUI thread, too.
  virtual std::string review_refusal(const ReviewView&, const ReviewAnswers&) { return "this engine cannot do that"; }
  virtual Result<std::int64_t> add_note(store::Workspace&, std::int64_t /*candidate*/, int /*line; 0: the whole*/,
                                        const std::string& /*text*/, const std::string& /*reviewer*/) {
    return cannot();
  }
  virtual Result<std::int64_t> request_changes(store::Workspace&, std::int64_t /*candidate*/,
                                               const std::string& /*text*/, const std::string& /*reviewer*/) {
    return cannot();
  }
  virtual Result<std::int64_t> reject(store::Workspace&, std::int64_t /*candidate*/, const std::string& /*reason*/,
                                      const std::string& /*reviewer*/) {
    return cannot();
  }
  // Signs a receipt with the key of this machine.
  virtual Result<std::int64_t> accept(store::Workspace&, std::int64_t /*candidate*/, const std::string& /*reviewer*/,
                                      const ReviewAnswers&) {
    return cannot();
  }
  virtual Result<std::int64_t> withdraw_review(store::Workspace&, std::int64_t /*candidate*/, std::int64_t /*row*/,
                                               const std::string& /*reviewer*/) {
    return cannot();
  }
  // A second reviewer's signature; where the workspace holds the receipt's candidate it is kept there. Gives the
  // receipt with it.
  virtual Result<std::string> countersign(store::Workspace&, const std::string& /*receipt*/,
                                          const std::string& /*reviewer*/) {
    return cannot();
  }
  // Never refuses a text: what is no receipt at all is a problem that the view names.
  virtual Result<std::shared_ptr<const ReceiptView>> read_receipt(store::Workspace&, const std::string& /*receipt*/) {
    return cannot();
  }

 protected:
  static tl::unexpected<Error> cannot() { return fail(Code::unsupported, "this engine cannot do that"); }
};

}  // namespace ww::widgets
