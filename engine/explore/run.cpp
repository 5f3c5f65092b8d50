// SPDX-License-Identifier: Apache-2.0
#include "explore/run.h"
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include "base/architecture.h"
#include "base/describe.h"
#include "base/described_json.h"
#include "base/device_name.h"
#include "base/files.h"
#include "base/utc.h"
#include "explore/generators.h"
#include "explore/loop.h"
#include "generator/run_options.h"
#include "explore/run_lock.h"
#include "explore/run_setup.h"
#include "explore/spec_fault.h"
#include "model_loop/models.h"
#include "op/parse.h"
#include "store/workspace.h"
#include "rpc/worker_profile.h"

namespace ww::explore {
namespace {

// Fails if candidates cannot be compiled for it here.
Status try_architecture(rpc::Supervisor& worker, const std::string& architecture, const std::stop_token& stop) {
  rpc::CompileRequest request;
  request.candidate = "//@ candidate none\n//@ launch k grid(1) block(1) args()\nextern \"C\" __global__ void k() {}\n";
  request.architecture = architecture;
  WW_TRY(worker.compile(request, stop));
  return {};
}

// The architecture to compile for if the caller leaves it to the device. The worker that was asked is handed on, warm.
Status resolve_architecture(generator::RunOptions& options, std::unique_ptr<rpc::Supervisor>& worker,
                            const std::stop_token& stop) {
  const bool named = !options.architecture.empty() && options.architecture != rpc::native_architecture;
  if (named && !read_architecture(options.architecture))
    return fail(Code::invalid_argument, no_architecture(options.architecture));
  if (named && options.architecture == default_architecture) return {};
  if (!named && is_simt(options.device)) {
    options.architecture = generator::RunOptions().architecture;  // it accepts any
    return {};
  }
  rpc::WorkerOptions how = options.worker;
  how.profile = rpc::worker_profile(options.device);
  worker = std::make_unique<rpc::Supervisor>(how);
  if (named) return try_architecture(*worker, options.architecture, stop);
  rpc::DeviceRequest request;
  request.name = options.device;
  const rpc::DeviceReply reply = WW_TRY(worker->device(request));
  if (reply.details.architecture.empty())
    return fail(Code::unavailable, "the device " + options.device + " does not report its architecture");
  options.architecture = reply.details.architecture;
  return {};
}

// What the workspace says of all its runs: gate.json.
struct WorkspaceGate {
  op::Precision precision = op::Precision::usual;
  WW_FIELDS(WorkspaceGate, precision)
};

Status resolve_precision(generator::RunOptions& options, const std::filesystem::path& workspace) {
  if (!options.precision.empty() && !enum_from_name<op::Precision>(options.precision))
    return fail(Code::invalid_argument, "unknown precision '" + options.precision + "'; use usual or strict");
  if (!options.precision.empty()) return {};
  const std::filesystem::path file = workspace / "gate.json";
  std::error_code none;
  WorkspaceGate gate;
  if (std::filesystem::exists(file, none))
    gate = WW_TRY(json::read_text<WorkspaceGate>(WW_TRY(read_file(file)), "'" + file.string() + "' cannot be read"));
  options.precision = enum_string(gate.precision);
  return {};
}

struct Started {
  RunLock lock;
  std::unique_ptr<Loop> loop;
};

Result<Started> start(store::Workspace& workspace, generator::RunOptions options, const EventHandler& handler,
                      std::stop_token stop, std::int64_t& run) {
  op::Spec spec = WW_TRY(op::parse_spec(options.spec));
  if (const Result<op::Resolved> bound = op::resolve(spec, options.binding); !bound)
    return fail(Code::invalid_argument, bound.error().message, bound.error().cause);
  std::vector<evidence::Case> cases = cases_of(spec, options, stop);
  WW_TRY(check_computable(spec, cases, stop));
  std::unique_ptr<generator::Generator> generator = WW_TRY(make_generator(options.generator));
  appraisal::RankRules rules = WW_TRY(appraisal::RankRules::load());
  std::unique_ptr<rpc::Supervisor> worker;
  WW_TRY(check_sandbox(options));
  WW_TRY(resolve_architecture(options, worker, stop));
  WW_TRY(resolve_precision(options, workspace.folder()));
  store::RunRecord record;
  record.op = WW_TRY(workspace.add_op(spec.name, options.spec, options.sentence));
  record.generator = options.generator;
  record.device = options.device;
  record.architecture = options.architecture;
  record.state = store::RunState::running;
  options.model.taken_up.clear();  // of the run that it was copied from
  if (options.model.replay_of == 0) model_loop::note_terms(options.model);
  record.options = generator::options_to_json(options);
  run = WW_TRY(workspace.add_run(record));
  Started s{WW_TRY(RunLock::take(workspace.folder(), run)), nullptr};
  if (handler) handler(RunStarted{run, options.architecture});
  s.loop = std::make_unique<Loop>(workspace, std::move(options), std::move(spec), std::move(cases),
                                  std::move(generator), std::move(rules), run, handler, std::move(stop));
  s.loop->use_worker(std::move(worker));
  return s;
}

// As the store writes times, with milliseconds.
std::string stored_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return fmt::format("{}.{:03}Z", utc_text(static_cast<std::time_t>(ms / 1000), "%Y-%m-%dT%H:%M:%S"), ms % 1000);
}

Status note_taken_up(store::Workspace& workspace, std::int64_t run, generator::RunOptions& options) {
  generator::TakenUp now;
  now.budget = options.budget;
  now.exchanges = static_cast<std::int64_t>(WW_TRY(workspace.exchanges(run)).size());
  now.candidates = static_cast<std::int64_t>(WW_TRY(workspace.candidates(run)).size());
  now.at = stored_now();
  options.model.taken_up.push_back(std::move(now));
  return {};
}

Result<Started> restart(store::Workspace& workspace, std::int64_t run, const EventHandler& handler,
                        std::stop_token stop, const std::optional<generator::Budget>& budget, PauseToken pause) {
  const store::RunRecord record = WW_TRY(workspace.run(run));
  Started s{WW_TRY(RunLock::take(workspace.folder(), run)), nullptr};
  generator::RunOptions options = WW_TRY(stored_options(record));
  options.pause = std::move(pause);
  const bool asks = !options.model.writer.empty();
  if (asks) {
    WW_TRY(note_taken_up(workspace, run, options));
    if (options.model.replay_of == 0) model_loop::note_terms(options.model);
  }
  if (budget) options.budget = *budget;
  if (budget || asks) WW_TRY(workspace.set_run_options(run, generator::options_to_json(options)));
  if (const store::OpRecord op = WW_TRY(workspace.op(record.op)); op.text != options.spec)
    return fail(Code::corrupt,
                "run " + std::to_string(run) + " and its options name different ops: the workspace was changed");
  op::Spec spec = WW_TRY(op::parse_spec(options.spec));
  std::unique_ptr<generator::Generator> generator = WW_TRY(make_generator(options.generator));
  appraisal::RankRules rules = WW_TRY(appraisal::RankRules::load());
  WW_TRY(check_sandbox(options));
  WW_TRY(workspace.set_run_state(run, store::RunState::running));
  if (handler) handler(RunStarted{run, options.architecture});
  std::vector<evidence::Case> cases = cases_of(spec, options, stop);
  s.loop = std::make_unique<Loop>(workspace, std::move(options), std::move(spec), std::move(cases),
                                  std::move(generator), std::move(rules), run, handler, std::move(stop));
  if (const Status recalled = s.loop->recall(); !recalled) {
    (void)workspace.set_run_state(run, store::RunState::failed, recalled.error().text());
    return fail(recalled.error());
  }
  return s;
}

// An error before there was anything to run is reported, too.
Result<RunEnded> go(const Result<Started>& started, std::int64_t run, const EventHandler& handler) {
  if (started) return started->loop->go();
  if (handler) handler(RunEnded{run, store::RunState::failed, started.error().text(), 0, 0, 0});
  return fail(started.error());
}

}  // namespace

Result<RunEnded> run(store::Workspace& workspace, const generator::RunOptions& options, const EventHandler& handler,
                     std::stop_token stop) {
  std::int64_t id = 0;
  const Result<Started> started = start(workspace, options, handler, std::move(stop), id);
  return go(started, id, handler);
}

Result<RunEnded> resume(store::Workspace& workspace, std::int64_t id, const EventHandler& handler, std::stop_token stop,
                        const std::optional<generator::Budget>& budget, PauseToken pause) {
  return go(restart(workspace, id, handler, std::move(stop), budget, std::move(pause)), id, handler);
}

bool is_live(const store::Workspace& workspace, std::int64_t run) { return RunLock::held(workspace.folder(), run); }

Result<std::vector<CandidateRow>> rows_of(store::Workspace& workspace, std::int64_t run) {
  std::vector<store::CandidateRecord> records;  // without their texts
  WW_TRY(
      workspace.each_candidate(run, [&](const store::CandidateRecord& c) { return records.push_back(c), Status(); }));
  const store::CandidateRecord* first = nullptr;  // scores of its provenance are ranked, as in the run itself
  for (const store::CandidateRecord& c : records)
    if (c.score && c.state == store::CandidateState::accepted && (!first || c.order < first->order)) first = &c;
  std::vector<std::pair<std::int64_t, double>> scores;
  for (const store::CandidateRecord& c : records)
    if (c.score && c.state == store::CandidateState::accepted && c.score_provenance == first->score_provenance)
      scores.emplace_back(c.id, *c.score);
  std::map<std::int64_t, int> ranks;
  for (const auto& [id, rank] : appraisal::ranks_of(std::move(scores))) ranks.emplace(id, rank);
  std::vector<CandidateRow> rows;
  rows.reserve(records.size());
  for (const store::CandidateRecord& c : records) {
    CandidateRow row = row_of(c, c.state);
    row.verdict = row.imported ? std::string(store::imported_mark) + ": " + c.summary : c.summary;
    row.failed_stage = c.failed_stage;
    row.resources = c.resources;
    row.created = c.created;
    if (c.score)
      row.score =
          appraisal::Score{*c.score, c.score_provenance, c.score_unit, c.spread.q1, c.spread.q3, c.spread.floor};
    if (const auto rank = ranks.find(c.id); rank != ranks.end()) row.rank = rank->second;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ww::explore
