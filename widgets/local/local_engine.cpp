// SPDX-License-Identifier: GPL-3.0-or-later
#include "local/local_engine.h"
#include <mutex>
#include <optional>
#include "base/files.h"
#include "compile/ptx_lines.h"
#include "explore/generators.h"
#include "explore/machine_code.h"
#include "explore/options_json.h"
#include "explore/worker_facts.h"
#include "op/evaluate.h"
#include "op/transform.h"
#include "store/bundle.h"
#include "local/engine_review.h"
#include "local/occupancy_of.h"
#include "local/profile_of.h"

namespace ww::widgets {

namespace {

class LocalEngine : public EngineReview {
 public:
  Result<std::vector<OpSummary>> ops() override {
    const auto library = WW_TRY(load());
    std::vector<OpSummary> list;
    for (const op::LibraryOp& op : library->ops()) {
      OpSummary summary{op.spec.name, op.summary, {}, op.phrases, {}};
      if (const auto torch = op.spec.directives.find("torch"); torch != op.spec.directives.end())
        summary.torch = torch->second;
      for (const std::string& phrase : op.phrases)
        if (summary.phrase.empty() || phrase.size() > summary.phrase.size())
          summary.phrase = phrase;  // the most telling one
      list.push_back(std::move(summary));
    }
    return list;
  }
  Result<op::Understanding> understand(const std::string& sentence) override {
    const auto library = WW_TRY(load());
    return op::understand(*library, sentence);
  }
  Result<std::string> op_text(const std::string& name) override {
    const auto library = WW_TRY(load());
    const op::LibraryOp* found = library->find(name);
    if (!found) return fail(Code::not_found, "there is no op named " + name + " in the library");
    return op::print(op::plain(found->spec));
  }
  op::ParseOutcome parse(const std::string& text) override { return op::parse(text); }
  std::string print(const op::Spec& spec) override { return op::print(spec); }
  Result<std::string> with_dtype(const op::Spec& spec, DType real) override {
    const auto changed = WW_TRY(op::with_dtype(spec, real));
    return op::print(changed);
  }
  Result<std::string> worked_example(const op::Spec& spec) override { return op::worked_example(spec); }

  std::vector<Choice> generators() override {
    std::vector<Choice> list;
    const explore::GeneratorList found = explore::list_generators();
    for (const auto& entry : found.usable) {
      std::string title = entry.name == "manual" ? "Only mine" : entry.name == "model" ? "Language model" : entry.name;
      title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
      Choice choice{entry.name,
                    std::move(title),
                    {},
                    entry.name == "search"  ? "The built-in search over equivalent programs; needs no model"
                    : entry.name == "model" ? "Language models propose, led by a strategy"
                                            : ""};
      list.insert(entry.name == "search" ? list.begin() : list.end(), std::move(choice));
    }
    for (const auto& refused : found.refused)
      list.push_back({refused.file.stem().string(), refused.file.stem().string(), refused.reason});
    return list;
  }
  // GPUs are asked for in a worker, so that no driver is loaded into this process; without a driver's device file none
  // is started.
  std::vector<Choice> devices() override {
    std::vector<Choice> list = {{"simt", "SIMT", {}, "Warpwright's own SIMT machine, on the processor"}};
    std::error_code ec;
    if (!std::filesystem::exists("/dev/nvidiactl", ec) && !std::filesystem::exists("/dev/dxg", ec)) return list;
    rpc::WorkerOptions options;
    options.profile = "cuda";
    const Result<std::string> facts = rpc::Supervisor(options).describe();
    if (!facts) return list;
    for (const explore::WorkerDevice& d : explore::worker_devices(*facts))
      if (d.name != "simt") list.push_back({d.name, d.name, d.error, d.description});
    return list;
  }

  Result<std::unique_ptr<store::Workspace>> open(const std::filesystem::path& folder) override {
    return store::Workspace::open(folder);
  }
  Result<explore::RunEnded> run(store::Workspace& workspace, const explore::RunOptions& options,
                                const explore::EventHandler& handler, CancelToken cancel) override {
    return explore::run(workspace, options, handler, cancel);
  }
  Result<explore::RunEnded> resume(store::Workspace& workspace, std::int64_t run, const explore::Budget& budget,
                                   const explore::EventHandler& handler, CancelToken cancel,
                                   PauseToken pause) override {
    return explore::resume(workspace, run, handler, cancel, budget, std::move(pause));
  }
  Result<std::vector<std::int64_t>> import_bundle(const std::filesystem::path& file,
                                                  const std::filesystem::path& workspace) override {
    const auto imported = WW_TRY(store::import_bundle(file, workspace));
    std::vector<std::int64_t> runs;
    for (const auto& [theirs, ours] : imported.runs) runs.push_back(ours);
    return runs;
  }
  Status export_bundle(const std::filesystem::path& workspace, const std::filesystem::path& file,
                       std::int64_t run) override {
    WW_TRY(store::export_bundle(workspace, file, run, "warpwright " WW_VERSION));
    return {};
  }
  Result<std::vector<explore::CandidateRow>> rows(store::Workspace& workspace, std::int64_t run) override {
    return explore::rows_of(workspace, run);
  }
  bool is_live(const store::Workspace& workspace, std::int64_t run) override {
    return explore::is_live(workspace, run);
  }
  Result<std::string> machine_code(const store::CandidateRecord& candidate, const std::string& architecture) override {
    return explore::machine_code(candidate, architecture);
  }
  Result<compile::Sass> machine_rows(const store::CandidateRecord& candidate,
                                     const std::string& architecture) override {
    return explore::machine_rows(candidate, architecture);
  }
  std::vector<int> source_lines_of_ptx(const std::string& ptx) override { return compile::source_lines_of_ptx(ptx); }
  Result<explore::EditChecked> check_edit(store::Workspace& workspace, std::int64_t run, const explore::Proposal& edit,
                                          const explore::EventHandler& handler, CancelToken cancel) override {
    return explore::check_edit(workspace, run, edit, handler, cancel);
  }
  Result<std::vector<KernelOccupancy>> occupancy(const store::CandidateRecord& candidate, const std::string& spec,
                                                 const std::string& architecture) override {
    return occupancy_of(candidate, spec, architecture);
  }
  Result<std::shared_ptr<const ProfileView>> profile(store::Workspace& workspace, std::int64_t candidate,
                                                     const std::shared_ptr<const ProfileView>& known) override {
    return profiles_.read(workspace, candidate, known);
  }
  Result<explore::RunOptions> options_of(const store::RunRecord& run) override {
    return explore::options_from_json(run.options);
  }

 private:
  // Loaded once; a failed attempt is repeated at the next call, for the person may have mended the file.
  Result<const op::Library*> load() {
    std::lock_guard lock(mutex_);
    if (!library_) {
      auto loaded = WW_TRY(op::Library::load(resources_dir() / "ops"));
      library_ = std::move(loaded);
    }
    return &*library_;
  }
  std::mutex mutex_;
  std::optional<op::Library> library_;
  ProfileReader profiles_;
};

}  // namespace

std::shared_ptr<Engine> make_local_engine() { return std::make_shared<LocalEngine>(); }

}  // namespace ww::widgets
