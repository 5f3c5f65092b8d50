// SPDX-License-Identifier: Apache-2.0
#include "explore/run.h"
#include <algorithm>
#include <map>
#include "explore/generators.h"
#include "explore/loop.h"
#include "generator/run_options.h"
#include "explore/run_lock.h"
#include "op/parse.h"
#include "store/workspace.h"

namespace ww::explore {
namespace {

bool is_architecture(std::string_view name) {  // "sm_80", "sm_90a", "sm_100f"
  if (!name.starts_with("sm_")) return false;
  name.remove_prefix(3);
  if (!name.empty() && (name.back() == 'a' || name.back() == 'f')) name.remove_suffix(1);
  return name.size() >= 2 && name.size() <= 3 && name.find_first_not_of("0123456789") == name.npos;
}

// What the candidates are compiled for where the caller leaves that to the device. Asking a GPU needs a worker, which
// is handed on, warm.
Status resolve_architecture(RunOptions& options, std::unique_ptr<rpc::Supervisor>& worker) {
  if (!options.architecture.empty() && options.architecture != rpc::native_architecture) {
    if (is_architecture(options.architecture)) return {};
    return fail(Code::invalid_argument, "'" + options.architecture + "' is not an architecture such as sm_80");
  }
  if (options.device == "simt") {
    options.architecture = RunOptions().architecture;  // it takes any
    return {};
  }
  rpc::WorkerOptions how = options.worker;
  if (options.device.starts_with("cuda")) how.profile = "cuda";
  worker = std::make_unique<rpc::Supervisor>(how);
  rpc::DeviceRequest request;
  request.name = options.device;
  const rpc::DeviceReply reply = WW_TRY(worker->device(request));
  if (reply.details.architecture.empty())
    return fail(Code::unavailable, "the device " + options.device + " does not say which architecture it has");
  options.architecture = reply.details.architecture;
  return {};
}

// An error before there was anything to run: reported, too.
tl::unexpected<Error> not_started(const EventHandler& handler, std::int64_t run, Error error) {
  if (handler) handler(RunEnded{run, store::RunState::failed, error.text(), 0, 0, 0});
  return fail(std::move(error));
}

}  // namespace

Result<RunEnded> run(store::Workspace& workspace, const RunOptions& wanted, const EventHandler& handler,
                     std::stop_token stop) {
  RunOptions options = wanted;
  Result<op::Spec> spec = op::parse_spec(options.spec);
  if (!spec) return not_started(handler, 0, spec.error());
  if (Result<op::Resolved> bound = op::resolve(*spec, options.binding); !bound)
    return not_started(handler, 0, {Code::invalid_argument, bound.error().message, bound.error().cause});
  Result<std::unique_ptr<Generator>> generator = make_generator(options.generator);
  if (!generator) return not_started(handler, 0, generator.error());
  Result<RankRules> rules = RankRules::load();
  if (!rules) return not_started(handler, 0, rules.error());

  std::unique_ptr<rpc::Supervisor> worker;
  if (Status s = resolve_architecture(options, worker); !s) return not_started(handler, 0, s.error());

  const Result<std::int64_t> op = workspace.add_op(spec->name, options.spec, options.sentence);
  if (!op) return not_started(handler, 0, op.error());
  store::RunRecord record;
  record.op = *op;
  record.generator = options.generator;
  record.device = options.device;
  record.architecture = options.architecture;
  record.state = store::RunState::running;
  record.options = options_to_json(options);
  const Result<std::int64_t> id = workspace.add_run(record);
  if (!id) return not_started(handler, 0, id.error());
  Result<RunLock> lock = RunLock::take(workspace.folder(), *id);
  if (!lock) return not_started(handler, *id, lock.error());
  if (handler) handler(RunStarted{*id, options.architecture});
  Loop loop(workspace, std::move(options), std::move(*spec), std::move(*generator), std::move(*rules), *id, handler,
            stop);
  loop.lend(std::move(worker));
  return loop.go();
}

Result<RunEnded> resume(store::Workspace& workspace, std::int64_t id, const EventHandler& handler, std::stop_token stop,
                        const std::optional<Budget>& budget, PauseToken pause) {
  const Result<store::RunRecord> record = workspace.run(id);
  if (!record) return not_started(handler, id, record.error());
  Result<RunLock> lock = RunLock::take(workspace.folder(), id);
  if (!lock) return not_started(handler, id, lock.error());
  Result<RunOptions> options = options_from_json(record->options);
  if (!options) return not_started(handler, id, options.error());
  options->pause = std::move(pause);
  std::error_code ec;
  if (!options->worker.program.empty() && !std::filesystem::exists(options->worker.program, ec))
    options->worker.program.clear();  // it moved
  if (budget) {
    options->budget = *budget;
    if (Status s = workspace.set_run_options(id, options_to_json(*options)); !s)
      return not_started(handler, id, s.error());
  }
  Result<op::Spec> spec = op::parse_spec(options->spec);
  if (!spec) return not_started(handler, id, spec.error());
  Result<std::unique_ptr<Generator>> generator = make_generator(options->generator);
  if (!generator) return not_started(handler, id, generator.error());
  Result<RankRules> rules = RankRules::load();
  if (!rules) return not_started(handler, id, rules.error());
  if (Status s = workspace.set_run_state(id, store::RunState::running); !s) return not_started(handler, id, s.error());
  if (handler) handler(RunStarted{id, options->architecture});
  Loop loop(workspace, std::move(*options), std::move(*spec), std::move(*generator), std::move(*rules), id, handler,
            stop);
  if (Status s = loop.recall(); !s) {
    (void)workspace.set_run_state(id, store::RunState::failed);
    return not_started(handler, id, s.error());
  }
  return loop.go();
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
  for (const auto& [id, rank] : ranks_of(std::move(scores))) ranks.emplace(id, rank);
  std::vector<CandidateRow> rows;
  rows.reserve(records.size());
  for (const store::CandidateRecord& c : records) {
    CandidateRow row;
    row.id = c.id;
    row.hash = c.hash;
    row.parent = c.parent;
    row.structure = c.structure;
    row.title = c.title;
    row.generator = c.generator;
    row.state = c.state;
    row.verdict = c.summary;
    row.failed_stage = c.failed_stage;
    row.resources = c.resources;
    row.created = c.created;
    if (c.score)
      row.score = Score{*c.score, c.score_provenance, c.score_unit, c.spread.q1, c.spread.q3, c.spread.floor};
    if (const auto rank = ranks.find(c.id); rank != ranks.end()) row.rank = rank->second;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ww::explore
