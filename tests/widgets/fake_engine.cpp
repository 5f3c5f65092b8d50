// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/fake_engine.h"
#include <algorithm>
#include <chrono>
#include "base/hash.h"
#include "explore/run_setup.h"
#include "generator/run_options.h"
#include "store/sqlite.h"

namespace ww::test {

using widgets::Choice;

namespace {

// The kinds of candidates that a fake run proposes, one after the other.
struct Kind {
  const char *structure, *title;
  double score;
  const char* outcome;
};
constexpr Kind kinds[] = {
    {"row-thread", "one thread per row", 9.4e6, "accepted"},
    {"row-warp", "one warp per row, shuffles", 2.1e6, "accepted"},
    {"row-warp",
     "one warp per row, shuffles, four columns in one vector load with the tail handled by a separate predicated loop",
     1.3e6, "accepted"},
    {"row-block", "one block per row", 1.7e6, "wrong"},
    {"row-block", "one block per row, shared memory", 1.1e6, "fault"},
    {"online", "one pass with a running maximum", 0.9e6, "refused"}};

constexpr int refused_kind = 5;  // of the candidates that are given

std::string code_of(int number) {
  const Kind& kind = kinds[number % 6];
  std::string code =
      "//@ candidate softmax\n//@ title " + std::string(kind.title) + "\n//@ structure " + kind.structure +
      "\n//@ launch softmax_rows grid(ceildiv(R, 8)) block(256) args(x, y, R, C)\n"
      "extern \"C\" __global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int R, int C) {\n"
      "  const int row = blockIdx.x * 8 + threadIdx.x / 32;  // variant " +
      std::to_string(number) +
      "\n"
      "  const int lane = threadIdx.x % 32;\n"
      "  if (row >= R) return;\n"
      "  float top = -INFINITY;\n";
  if (number % 2 == 0) code += "#pragma unroll 4\n";
  code +=
      "  for (int c = lane; c < C; c += 32) top = fmaxf(top, x[row * C + c]);\n"
      "  for (int d = 16; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));\n"
      "  float sum = 0;\n"
      "  for (int c = lane; c < C; c += 32) sum += __expf(x[row * C + c] - top);\n";
  for (int i = 0; i < number; ++i) code += "  // step " + std::to_string(i) + "\n";
  code +=
      "  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);\n"
      "  for (int c = lane; c < C; c += 32) y[row * C + c] = __expf(x[row * C + c] - top) / sum;\n"
      "}\n";
  return code;
}

std::string ptx_of(int lines) {
  std::string ptx =
      ".version 8.7\n.target sm_80\n.address_size 64\n\n.visible .entry softmax_rows(\n\t.param .u64 "
      "softmax_rows_param_0\n)\n{\n\t.reg .pred %p<9>;\n\t.reg .f32 %f<40>;\n";
  for (int i = 10; i < lines; ++i)
    ptx += i % 4 == 2   ? "\t.loc\t1 " + std::to_string(6 + (i - 10) / 4 % 9) + " 3\n"
           : i % 7 == 0 ? "$L__BB0_" + std::to_string(i) + ":\n"
                        : "\tfma.rn.f32 \t%f" + std::to_string(i) + ", %f" + std::to_string(i - 1) +
                              ", 0f3FB8AA3B, %f1; // step\n";
  return ptx + "\tret;\n}\n";
}

evidence::Verdict verdict_of(const std::string& hash, int number, int ptx_lines) {
  using evidence::Outcome;
  using evidence::Stage;
  const std::string outcome = kinds[number % 6].outcome;
  evidence::Verdict v;
  v.candidate = hash;
  v.device = "simt";
  v.accepted = outcome == "accepted";
  const auto add = [&](Stage stage, Outcome o, std::string message, double seconds) -> evidence::StageResult& {
    v.stages.push_back({stage, o, std::move(message), {}, {}, seconds});
    return v.stages.back();
  };
  op::Binding odd;
  odd.symbols = {{"R", 7}, {"C", 33}};
  add(Stage::contract, Outcome::passed, "every name is known and every output is written", 0.0001);
  if (outcome == "refused") {
    auto& s = add(Stage::compile, Outcome::failed, "the compiler refuses the candidate", 0.21);
    s.detail =
        "candidate.cu(9): error: identifier \"vectr\" is undefined\n    vectr<float> v;\n    ^\n1 error detected in "
        "the compilation of \"candidate.cu\".\n";
    for (const Stage rest : {Stage::smoke, Stage::cases, Stage::determinism, Stage::measure})
      add(rest, Outcome::skipped, "", 0);
    return v;
  }
  add(Stage::compile, Outcome::passed, "compiled for sm_80", 0.21);
  v.resources = {{"softmax_rows", 24 + 4 * number, 1024, 0, 0, 0, 0, 1}};
  v.ptx = ptx_of(ptx_lines);
  if (outcome == "wrong") {
    auto& s = add(Stage::smoke, Outcome::failed, "the output y is wrong", 0.034);
    s.failure = evidence::Failure{.case_name = "odd", .binding = odd, .seed = 2};
    s.failure->element = evidence::FailingElement{"y", {3, 17}, 0.0312512345, 0.5, 1e-6, 7864320, 12, 231};
    v.proof.secret = "0123456789abcdef";
    for (const Stage rest : {Stage::cases, Stage::determinism, Stage::measure}) add(rest, Outcome::skipped, "", 0);
    return v;
  }
  if (outcome == "fault") {
    auto& s = add(Stage::smoke, Outcome::failed, "the kernel softmax_rows reads out of bounds", 0.012);
    s.failure = evidence::Failure{.case_name = "odd", .binding = odd, .seed = 1};
    s.failure->fault = Fault{.kind = FaultKind::out_of_bounds,
                             .message = "4 bytes are read 128 bytes past the end of x",
                             .kernel = "softmax_rows",
                             .line = 11,
                             .block = {3},
                             .thread = {17},
                             .buffer = "x",
                             .offset = 1052};
    for (const Stage rest : {Stage::cases, Stage::determinism, Stage::measure}) add(rest, Outcome::skipped, "", 0);
    return v;
  }
  add(Stage::smoke, Outcome::passed, "the smoke case agrees with the reference", 0.012);
  add(Stage::cases, Outcome::passed, "6 cases with 5 seeds each agree with the reference", 1.84);
  add(Stage::determinism, Outcome::passed, "two executions give the same bits", 0.2);
  add(Stage::measure, Outcome::passed, "counted on the SIMT machine", 0.61);
  op::Binding normal;
  normal.symbols = {{"R", 4096}, {"C", 1024}};
  v.coverage = {{"default", normal, true, 5}, {"odd", odd, true, 5}, {"ragged", odd, false, 0}};
  evidence::Metrics m;
  m.provenance = Provenance::simulated;
  m.device = "simt";
  m.case_name = "default";
  m.values = {{"warp_instructions", 1048576.0 * (number + 1)}, {"global_sectors", 1572864}, {"shared_wavefronts", 0}};
  for (int line = 6; line < 14; ++line)
    m.lines.push_back({line, static_cast<std::uint64_t>(line * line * 1000), static_cast<std::uint64_t>(line * 32000),
                       static_cast<std::uint64_t>(line % 3 * 4096), 0, 0, 0});
  v.metrics = m;
  return v;
}

}  // namespace

explore::CandidateRow FakeEngine::row_of(const store::CandidateRecord& c) {
  explore::CandidateRow row = explore::row_of(c, c.state);
  row.verdict = c.summary;
  row.failed_stage = c.failed_stage;
  row.cases = c.cases;
  row.resources = c.resources;
  if (c.score) row.score = appraisal::Score{*c.score, c.score_provenance, c.score_unit};
  return row;
}

widgets::Services FakeEngine::services(std::shared_ptr<FakeEngine> engine) {
  widgets::Services services;
  services.runs = engine;
  services.models = engine;
  services.compile = [engine](const rpc::CompileRequest& request, const std::stop_token& stop) {
    return engine->compile(request, stop);
  };
  return services;
}

Result<compile::Output> FakeEngine::compile(const rpc::CompileRequest& request, const std::stop_token&) {
  const std::string& text = request.candidate;
  const auto line_of = [&](std::size_t at) { return std::to_string(place_of(text, at).line); };
  if (const std::size_t at = text.find("vectr"); at != text.npos)
    return fail(Code::compile, "refused",
                "candidate.cu(" + line_of(at) + "): error: identifier \"vectr\" is undefined\n");
  compile::Output output;
  const bool fewer = text.find("maxrregcount=64") != text.npos;
  output.resources = {{"softmax_rows", fewer ? 64 : 77, fewer ? 4096 : 0}};
  if (const std::size_t at = text.find("unused"); at != text.npos)
    output.log = "candidate.cu(" + line_of(at) + "): warning #177-D: variable \"unused\" was never referenced\n";
  output.compiler = "NVRTC";
  return output;
}

void FakeEngine::refuse_writes(const QString& folder, const char* table) {
  const auto db =
      store::Database::open(folder.toStdString() + "/workspace.sqlite", store::Database::Access::write).value();
  if (!db->exec(std::string("CREATE TRIGGER full_") + table + " BEFORE INSERT ON " + table +
                " BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"))
    qFatal("the table %s cannot be closed", table);
}

void FakeEngine::take_writes(const QString& folder, const char* table) {
  const auto db =
      store::Database::open(folder.toStdString() + "/workspace.sqlite", store::Database::Access::write).value();
  if (!db->exec(std::string("DROP TRIGGER full_") + table)) qFatal("the table %s cannot be opened", table);
}

std::string FakeEngine::softmax() { return widgets::Language().op_text("softmax").value(); }

void FakeEngine::release() {
  {
    std::lock_guard lock(mutex_);
    hold_at_ = reply_at_ = -1;
  }
  wake_.notify_all();
}

std::vector<Choice> FakeEngine::generators() {
  return {{"search", "Search", ""},
          {"model", "Language model", ""},
          {"manual", "Only mine", ""},
          {"broken", "Broken", "the plugin cannot be loaded"}};
}
std::vector<Choice> FakeEngine::devices() { return {{"simt", "SIMT", ""}}; }

Result<explore::RunEnded> FakeEngine::run(store::Workspace& workspace, const generator::RunOptions& options,
                                          const explore::EventHandler& handler, std::stop_token stop) {
  last_options = options;
  ++started_runs;
  const auto spec = op::parse_spec(options.spec);
  if (!spec) return fail(spec.error());
  const auto op = workspace.add_op(spec->name, options.spec, options.sentence);
  store::RunRecord record;
  record.op = *op;
  record.op_name = spec->name;
  record.generator = options.generator;
  record.device = options.device;
  record.architecture = options.architecture;
  record.state = store::RunState::running;
  record.options = generator::options_to_json(options);
  const auto run = workspace.add_run(record);
  {
    std::lock_guard lock(mutex_);
    options_ = options;
    spend_ = {};
    spend_.token_limit = options.budget.tokens;
    spend_.money_limit = options.budget.money;
  }
  handler(explore::RunStarted{*run});
  return run_on(workspace, *run, 0, options.budget.candidates, handler, stop, options.pause);
}

Result<explore::RunEnded> FakeEngine::resume(store::Workspace& workspace, std::int64_t run,
                                             const generator::Budget& budget, const explore::EventHandler& handler,
                                             std::stop_token stop, PauseToken pause) {
  handler(explore::RunStarted{run});
  last_options.budget = budget;
  if (const auto options = generator::options_from_json(workspace.run(run)->options)) options_ = *options;
  const int there = static_cast<int>(workspace.candidates(run)->size());
  return run_on(workspace, run, there, budget.candidates, handler, stop, pause);
}

Result<explore::RunEnded> FakeEngine::run_on(store::Workspace& workspace, std::int64_t run, int first, int budget,
                                             const explore::EventHandler& handler, std::stop_token stop,
                                             PauseToken pause) {
  workspace.set_run_state(run, store::RunState::running);
  std::string parent;
  for (int i = first; i < std::min(candidates, budget); ++i) {
    {
      std::unique_lock lock(mutex_);
      while (hold_at_ == i && !stop.stop_requested()) wake_.wait_for(lock, std::chrono::milliseconds(5));
    }
    if (pause.paused() && !stop.stop_requested()) {
      handler(explore::RunPaused{run, true});
      std::unique_lock lock(mutex_);
      while (pause.paused() && !stop.stop_requested()) wake_.wait_for(lock, std::chrono::milliseconds(5));
      lock.unlock();
      if (!pause.paused()) handler(explore::RunPaused{run, false});
    }
    if (stop.stop_requested()) break;
    store::CandidateRecord record;
    record.run = run;
    const bool given = static_cast<std::size_t>(i) < options_.given.size();
    record.text = given ? options_.given[static_cast<std::size_t>(i)].text : code_of(i);
    record.hash = hash_hex(record.text);
    record.parent = parent;
    record.structure = kinds[i % 6].structure;
    record.title = kinds[i % 6].title;
    const bool model = options_.generator == "model";
    record.generator = given ? "manual" : model ? "model/refine" : "search";
    record.language = candidate::Language::cuda;
    record.state = store::CandidateState::queued;
    if (model) exchange(workspace, run, i, record.hash, handler, stop);
    if (stop.stop_requested()) break;
    const auto id = *workspace.add_candidate(record, nullptr);
    parent = record.hash;
    handler(explore::CandidateProposed{row_of(*workspace.candidate(id))});
    handler(explore::CandidateProgress{id, {"cases", "case odd, seed 3 of 5", 0.6}});
    const evidence::Verdict verdict = verdict_of(record.hash, given ? refused_kind : i, ptx_lines);
    const double score = kinds[i % 6].score * (1 + i / 6 * 0.01);
    workspace.set_verdict(id, verdict, verdict.accepted ? std::optional<double>(score) : std::nullopt,
                          Provenance::simulated, "simulated issue slots");
    handler(explore::CandidateJudged{row_of(*workspace.candidate(id))});
    explore::RanksChanged ranks;
    const auto all = *explore::rows_of(workspace, run);
    for (const auto& row : all)
      if (row.rank) ranks.ranks.emplace_back(row.id, *row.rank);
    if (!ranks.ranks.empty()) handler(ranks);
  }
  explore::RunEnded ended;
  ended.run = run;
  ended.state = stop.stop_requested() ? store::RunState::cancelled : store::RunState::done;
  ended.why = stop.stop_requested() ? "the person ended it" : "the budget is used up";
  const auto stored = *workspace.candidates(run);
  for (const auto& c : stored) {
    ++ended.proposed;
    ended.accepted += c.state == store::CandidateState::accepted;
  }
  ended.structures = std::min(ended.accepted, 2);
  const bool failed = !failure.empty() && !stop.stop_requested();
  if (failed) ended.state = store::RunState::failed, ended.why = failure;
  workspace.set_run_state(run, ended.state, ended.why);
  handler(ended);
  if (failed) return fail(Code::denied, failure);
  return ended;
}

}  // namespace ww::test
