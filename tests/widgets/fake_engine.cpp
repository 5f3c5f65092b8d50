// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/fake_engine.h"
#include <algorithm>
#include <chrono>
#include "base/hash.h"
#include "op/transform.h"
#include "session/profile_view.h"

namespace ww::test {

using widgets::Choice;
using widgets::KernelOccupancy;
using widgets::OpSummary;

namespace {

constexpr const char* softmax_spec =
    "op softmax(x: f32[R, C]) -> y: f32[R, C]\n"
    "  default R = 4096, C = 1024\n"
    "{\n"
    "  top[r]   = max(c) x[r, c]\n"
    "  e[r, c]  = exp(x[r, c] - top[r])\n"
    "  total[r] = sum(c) e[r, c]\n"
    "  y[r, c]  = e[r, c] / total[r]\n"
    "}\n";

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
    ptx += i % 7 == 0 ? "$L__BB0_" + std::to_string(i) + ":\n"
                      : "\tfma.rn.f32 \t%f" + std::to_string(i) + ", %f" + std::to_string(i - 1) +
                            ", 0f3FB8AA3B, %f1; // step\n";
  return ptx + "\tret;\n}\n";
}

gate::Verdict verdict_of(const std::string& hash, int number, int ptx_lines) {
  using gate::Outcome;
  using gate::Stage;
  const std::string outcome = kinds[number % 6].outcome;
  gate::Verdict v;
  v.candidate = hash;
  v.device = "simt";
  v.accepted = outcome == "accepted";
  const auto add = [&](Stage stage, Outcome o, std::string message, double seconds) -> gate::StageResult& {
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
    gate::Failure f;
    f.case_name = "odd";
    f.binding = odd;
    f.seed = 2;
    f.element = gate::FailingElement{"y", {3, 17}, 0.0312512345, 0.5, 1e-6, 7864320, 12, 231};
    s.failure = f;
    for (const Stage rest : {Stage::cases, Stage::determinism, Stage::measure}) add(rest, Outcome::skipped, "", 0);
    return v;
  }
  if (outcome == "fault") {
    auto& s = add(Stage::smoke, Outcome::failed, "the kernel softmax_rows reads out of bounds", 0.012);
    gate::Failure f;
    f.case_name = "odd";
    f.binding = odd;
    f.seed = 1;
    gate::Fault fault;
    fault.kind = "out of bounds";
    fault.message = "4 bytes are read 128 bytes past the end of x";
    fault.kernel = "softmax_rows";
    fault.line = 11;
    fault.block[0] = 3;
    fault.thread[0] = 17;
    fault.buffer = "x";
    fault.offset = 1052;
    f.fault = fault;
    s.failure = f;
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
  gate::Metrics m;
  m.provenance = "simulated";
  m.device = "simt";
  m.case_name = "default";
  m.values = {{"warp_instructions", 1048576.0 * (number + 1)}, {"global_sectors", 1572864}, {"shared_wavefronts", 0}};
  for (int line = 6; line < 14; ++line)
    m.lines.push_back({line, static_cast<std::uint64_t>(line * line * 1000), static_cast<std::uint64_t>(line * 32000),
                       static_cast<std::uint64_t>(line % 3 * 4096), 0, 0, 0});
  v.metrics = m;
  return v;
}

explore::CandidateRow row_of(const store::CandidateRecord& c) {
  explore::CandidateRow row;
  row.id = c.id;
  row.hash = c.hash;
  row.parent = c.parent;
  row.structure = c.structure;
  row.title = c.title;
  row.generator = c.generator;
  row.state = c.state;
  row.verdict = c.summary;
  if (c.score) row.score = explore::Score{*c.score, c.score_provenance, c.score_unit};
  row.resources = c.resources;
  return row;
}

}  // namespace

struct FakeEngine::Disk {
  std::mutex mutex;
  std::vector<store::OpRecord> ops;
  std::vector<store::RunRecord> runs;
  std::vector<store::CandidateRecord> candidates;
  std::vector<store::ExchangeRecord> exchanges;
  std::vector<store::MarkRecord> marks;
};

class MemoryWorkspace : public store::Workspace {
 public:
  MemoryWorkspace(std::filesystem::path folder, std::shared_ptr<FakeEngine::Disk> disk)
      : folder_(std::move(folder)), disk_(std::move(disk)) {}
  const std::filesystem::path& folder() const override { return folder_; }
  Result<std::int64_t> add_op(const std::string& name, const std::string& text, const std::string& sentence) override {
    std::lock_guard lock(disk_->mutex);
    disk_->ops.push_back(
        {static_cast<std::int64_t>(disk_->ops.size()) + 1, name, text, sentence, "2026-11-20T17:00:00Z"});
    return disk_->ops.back().id;
  }
  Result<store::OpRecord> op(std::int64_t id) override { return find(disk_->ops, id); }
  Result<std::int64_t> add_run(const store::RunRecord& run) override {
    std::lock_guard lock(disk_->mutex);
    disk_->runs.push_back(run);
    disk_->runs.back().id = static_cast<std::int64_t>(disk_->runs.size());
    return disk_->runs.back().id;
  }
  Status set_run_state(std::int64_t run, const std::string& state) override {
    std::lock_guard lock(disk_->mutex);
    disk_->runs[static_cast<std::size_t>(run) - 1].state = state;
    return {};
  }
  Status set_run_options(std::int64_t, const std::string&) override { return {}; }
  Status add_message(std::int64_t, const std::string&, const std::string&) override { return {}; }
  Result<std::vector<store::MessageRecord>> messages(std::int64_t) override {
    return std::vector<store::MessageRecord>{};
  }
  Result<store::RunRecord> run(std::int64_t id) override { return find(disk_->runs, id); }
  Result<std::vector<store::RunRecord>> runs() override {
    std::lock_guard lock(disk_->mutex);
    std::vector<store::RunRecord> list(disk_->runs.rbegin(), disk_->runs.rend());
    for (auto& run : list) {
      for (const auto& c : disk_->candidates) {
        if (c.run != run.id) continue;
        ++run.proposed;
        run.judged += c.state != "queued";
        run.accepted += c.state == "accepted";
      }
    }
    return list;
  }
  Result<std::int64_t> add_candidate(const store::CandidateRecord& candidate, bool* known) override {
    std::lock_guard lock(disk_->mutex);
    if (known) *known = false;
    disk_->candidates.push_back(candidate);
    disk_->candidates.back().id = static_cast<std::int64_t>(disk_->candidates.size());
    return disk_->candidates.back().id;
  }
  Status set_verdict(std::int64_t candidate, const gate::Verdict& verdict, std::optional<double> score,
                     const std::string& provenance, const std::string& unit) override {
    std::lock_guard lock(disk_->mutex);
    auto& c = disk_->candidates[static_cast<std::size_t>(candidate) - 1];
    c.verdict = verdict;
    c.state = verdict.accepted ? "accepted" : "rejected";
    c.summary = "accepted: 2 cases x 5 seeds";
    for (const auto& stage : verdict.stages)
      if (stage.outcome == gate::Outcome::failed)
        c.summary = "rejected at " + std::string(stage.stage == gate::Stage::compile ? "compile" : "smoke") + ": " +
                    stage.message;
    c.score = score;
    c.score_provenance = provenance;
    c.score_unit = unit;
    c.resources = verdict.resources;
    return {};
  }
  Status set_error(std::int64_t, const std::string&) override { return {}; }
  Result<store::CandidateRecord> candidate(std::int64_t id) override { return find(disk_->candidates, id); }
  Result<store::CandidateRecord> find_candidate(const std::string&) override {
    return fail(Code::not_found, "not here");
  }
  Result<std::vector<store::CandidateRecord>> candidates(std::int64_t run) override {
    std::lock_guard lock(disk_->mutex);
    std::vector<store::CandidateRecord> list;
    for (auto c : disk_->candidates)
      if (c.run == run) list.push_back(std::move(c));
    return list;
  }
  Result<std::int64_t> add_measurement(const store::MeasurementRecord&) override {
    return fail(Code::unsupported, "no measurements in memory");
  }
  Result<std::vector<store::MeasurementRecord>> measurements(std::int64_t) override {
    return std::vector<store::MeasurementRecord>{};
  }
  Result<store::CandidateRecord> candidate_of(std::int64_t run, const std::string& hash) override {
    std::lock_guard lock(disk_->mutex);
    for (const auto& c : disk_->candidates)
      if (c.run == run && c.hash == hash) return c;
    return fail(Code::not_found, "not here");
  }
  Status each_candidate(std::int64_t run, const std::function<Status(const store::CandidateRecord&)>& take) override {
    for (const auto& c : candidates(run).value())
      if (Status taken = take(c); !taken) return taken;
    return {};
  }
  Status set_duplicate(std::int64_t, const std::string&) override { return {}; }
  Result<std::int64_t> add_exchange(const store::ExchangeRecord& exchange) override {
    std::lock_guard lock(disk_->mutex);
    disk_->exchanges.push_back(exchange);
    disk_->exchanges.back().id = static_cast<std::int64_t>(disk_->exchanges.size());
    return disk_->exchanges.back().id;
  }
  Status end_exchange(const store::ExchangeRecord& exchange) override {
    std::lock_guard lock(disk_->mutex);
    disk_->exchanges[static_cast<std::size_t>(exchange.id) - 1] = exchange;
    return {};
  }
  Status set_outcome(std::int64_t exchange, const std::string& outcome, const std::string& candidate) override {
    std::lock_guard lock(disk_->mutex);
    auto& e = disk_->exchanges[static_cast<std::size_t>(exchange) - 1];
    e.outcome = outcome;
    e.candidate = candidate;
    return {};
  }
  Result<store::ExchangeRecord> exchange(std::int64_t id) override { return find(disk_->exchanges, id); }
  Result<std::vector<store::ExchangeRecord>> exchanges(std::int64_t run) override {
    std::lock_guard lock(disk_->mutex);
    std::vector<store::ExchangeRecord> list;
    for (store::ExchangeRecord e : disk_->exchanges) {
      if (e.run != run) continue;
      e.request = e.reply = e.raw = {};
      list.push_back(std::move(e));
    }
    return list;
  }
  Result<std::int64_t> add_move(const store::MoveRecord&) override {
    return fail(Code::unsupported, "no moves in memory");
  }
  Result<std::int64_t> add_review(const store::ReviewRecord&) override {
    return fail(Code::unsupported, "this workspace keeps no reviews");
  }
  Status set_marks(const std::vector<std::int64_t>& candidates, const std::string& kind, const std::string& text,
                   bool on) override {
    std::lock_guard lock(disk_->mutex);
    if (text == "full") return fail(Code::io, "the disk is full");  // the tag by which a test asks for it
    for (const std::int64_t candidate : candidates) {
      if (candidate < 1 || candidate > static_cast<std::int64_t>(disk_->candidates.size()))
        return fail(Code::not_found, "not here");
      std::erase_if(disk_->marks, [&](const store::MarkRecord& m) {
        return m.candidate == candidate && m.kind == kind && (kind == "note" || m.text == text);
      });
      if (on) disk_->marks.push_back({candidate, kind, text, "2026-11-20T17:00:00Z"});
    }
    return {};
  }
  Result<std::vector<store::MarkRecord>> marks(std::int64_t run) override {
    std::lock_guard lock(disk_->mutex);
    std::vector<store::MarkRecord> list;
    for (const auto& m : disk_->marks)
      if (disk_->candidates[static_cast<std::size_t>(m.candidate) - 1].run == run) list.push_back(m);
    return list;
  }
  Result<std::vector<store::ReviewRecord>> reviews(std::int64_t) override { return std::vector<store::ReviewRecord>{}; }
  Result<std::vector<store::MoveRecord>> moves(const std::string&, const std::string&, std::size_t) override {
    return std::vector<store::MoveRecord>{};
  }
  Result<std::string> put_blob(std::string_view) override { return fail(Code::unsupported, "no blobs in memory"); }
  Result<std::string> get_blob(const std::string&) override { return fail(Code::unsupported, "no blobs in memory"); }

 private:
  template <class T>
  Result<T> find(const std::vector<T>& list, std::int64_t id) {
    std::lock_guard lock(disk_->mutex);
    if (id < 1 || id > static_cast<std::int64_t>(list.size()))
      return fail(Code::not_found, "there is no record " + std::to_string(id));
    return list[static_cast<std::size_t>(id) - 1];
  }
  std::filesystem::path folder_;
  std::shared_ptr<FakeEngine::Disk> disk_;
};

FakeEngine::FakeEngine() = default;

void FakeEngine::release() {
  {
    std::lock_guard lock(mutex_);
    hold_at_ = reply_at_ = -1;
  }
  wake_.notify_all();
}

Result<std::vector<OpSummary>> FakeEngine::ops() {
  return std::vector<OpSummary>{{"softmax", "softmax over the last dimension", "row softmax"},
                                {"layernorm", "layer normalization over the last dimension", "layer normalization"},
                                {"matmul", "matrix product", "matrix multiplication"},
                                {"relu", "the larger of 0 and the element", "rectified linear unit"},
                                {"sum", "sum over rows", "sum of each row"}};
}

// Knows "softmax", "512 rows" and filler; everything else is not understood.
Result<op::Understanding> FakeEngine::understand(const std::string& sentence) {
  op::Understanding u;
  bool named = false, unknown = false;
  std::int64_t rows = 0;
  for (std::size_t at = 0; at < sentence.size();) {
    while (at < sentence.size() && sentence[at] == ' ') ++at;
    std::size_t end = std::min(sentence.find(' ', at), sentence.size());
    if (end == at) break;
    op::Word word;
    std::string text = sentence.substr(at, end - at);
    if (text == "softmax") {
      named = true;
      word.meaning = op::Meaning::op;
      word.reading = "the op softmax";
    } else if (std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
               sentence.compare(end, 5, " rows") == 0) {
      rows = std::stoll(text);
      end += 5;
      text += " rows";
      word.meaning = op::Meaning::shape;
      word.reading = "R = " + std::to_string(rows);
    } else if (text == "a" || text == "of" || text == "the") {
      word.meaning = op::Meaning::filler;
    } else {
      unknown = true;
      word.reading = "not understood";
    }
    word.text = text;
    word.span = {at, end};
    u.words.push_back(word);
    at = end;
  }
  if (named && !unknown) {
    auto parsed = op::parse(softmax_spec);
    if (rows > 0) {
      auto sized = op::with_defaults(*parsed.spec, {{"R", rows}});
      if (!sized) return fail(sized.error());
      u.spec = *sized;
    } else {
      u.spec = parsed.spec;
    }
  } else {
    u.questions = {unknown ? "Some words were not understood." : "Which operation is meant?"};
    u.nearest = {"softmax", "layernorm"};
  }
  return u;
}

Result<std::string> FakeEngine::op_text(const std::string& name) {
  if (name != "softmax") return fail(Code::not_found, "there is no op named " + name);
  return op::print(*op::parse(softmax_spec).spec);
}
op::ParseOutcome FakeEngine::parse(const std::string& text) { return op::parse(text); }
std::string FakeEngine::print(const op::Spec& spec) { return op::print(spec); }
Result<std::string> FakeEngine::with_dtype(const op::Spec& spec, DType real) {
  auto changed = op::with_dtype(spec, real);
  if (!changed) return fail(changed.error());
  return op::print(*changed);
}
Result<std::string> FakeEngine::worked_example(const op::Spec& spec) {
  return "x [2, 3]\n   0.1250   -1.500    2.000\n   1.0000    0.250   -0.500\n" + spec.outputs.front().name +
         " [2, 3]\n   0.1300    0.026    0.845\n   0.5900    0.279    0.132\n";
}
std::vector<Choice> FakeEngine::generators() {
  return {{"search", "Search", ""},
          {"model", "Language model", ""},
          {"manual", "Only mine", ""},
          {"broken", "Broken", "the plugin cannot be loaded"}};
}
std::vector<Choice> FakeEngine::devices() { return {{"simt", "SIMT", ""}}; }

Result<std::unique_ptr<store::Workspace>> FakeEngine::open(const std::filesystem::path& folder) {
  if (fail_open) return fail(Code::io, "the folder cannot be written");
  std::lock_guard lock(mutex_);
  auto& disk = disks_[folder.string()];
  if (!disk) disk = std::make_shared<Disk>();
  return std::unique_ptr<store::Workspace>(std::make_unique<MemoryWorkspace>(folder, disk));
}

Result<explore::RunEnded> FakeEngine::run(store::Workspace& workspace, const explore::RunOptions& options,
                                          const explore::EventHandler& handler, CancelToken cancel) {
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
  record.state = "running";
  record.options = "{\"budget\":{\"candidates\":" + std::to_string(options.budget.candidates) + "}}";
  record.created = "2026-11-20T17:00:00Z";
  const auto run = workspace.add_run(record);
  {
    std::lock_guard lock(mutex_);
    options_[*run] = options;
    spend_ = {};
    spend_.token_limit = options.budget.tokens;
    spend_.money_limit = options.budget.money;
  }
  handler(explore::RunStarted{*run});
  return go_on(workspace, *run, 0, options.budget.candidates, handler, cancel, options.pause);
}

Result<explore::RunEnded> FakeEngine::resume(store::Workspace& workspace, std::int64_t run,
                                             const explore::Budget& budget, const explore::EventHandler& handler,
                                             CancelToken cancel, PauseToken pause) {
  handler(explore::RunStarted{run});
  last_options.budget = budget;
  const int there = static_cast<int>(workspace.candidates(run)->size());
  return go_on(workspace, run, there, budget.candidates, handler, cancel, pause);
}

Result<explore::RunEnded> FakeEngine::go_on(store::Workspace& workspace, std::int64_t run, int first, int budget,
                                            const explore::EventHandler& handler, CancelToken cancel,
                                            PauseToken pause) {
  workspace.set_run_state(run, "running");
  std::string parent;
  for (int i = first; i < std::min(candidates, budget); ++i) {
    {
      std::unique_lock lock(mutex_);
      while (hold_at_ == i && !cancel.cancelled()) wake_.wait_for(lock, std::chrono::milliseconds(5));
    }
    if (pause.paused() && !cancel.cancelled()) {
      handler(explore::RunPaused{run, true});
      std::unique_lock lock(mutex_);
      while (pause.paused() && !cancel.cancelled()) wake_.wait_for(lock, std::chrono::milliseconds(5));
      lock.unlock();
      if (!pause.paused()) handler(explore::RunPaused{run, false});
    }
    if (cancel.cancelled()) break;
    store::CandidateRecord record;
    record.run = run;
    record.text = code_of(i);
    record.hash = hash_hex(record.text);
    record.parent = parent;
    record.structure = kinds[i % 6].structure;
    record.title = kinds[i % 6].title;
    const bool model = options_[run].generator == "model";
    record.generator = model ? "model/refine" : "search";
    record.language = "cuda";
    record.state = "queued";
    if (model) exchange(workspace, run, i, record.hash, handler, cancel);
    if (cancel.cancelled()) break;
    const auto id = *workspace.add_candidate(record, nullptr);
    parent = record.hash;
    handler(explore::CandidateProposed{row_of(*workspace.candidate(id))});
    handler(explore::CandidateProgress{id, {"cases", "case odd, seed 3 of 5", 0.6}});
    const gate::Verdict verdict = verdict_of(record.hash, i, ptx_lines);
    const double score = kinds[i % 6].score * (1 + i / 6 * 0.01);
    workspace.set_verdict(id, verdict, verdict.accepted ? std::optional<double>(score) : std::nullopt, "simulated",
                          "simulated issue slots");
    handler(explore::CandidateJudged{row_of(*workspace.candidate(id))});
    explore::RanksChanged ranks;
    const auto all = *rows(workspace, run);
    for (const auto& row : all)
      if (row.rank) ranks.ranks.emplace_back(row.id, *row.rank);
    if (!ranks.ranks.empty()) handler(ranks);
  }
  explore::RunEnded ended;
  ended.run = run;
  ended.state = cancel.cancelled() ? "cancelled" : "done";
  ended.why = cancel.cancelled() ? "the person ended it" : "the budget is used up";
  const auto stored = *workspace.candidates(run);
  for (const auto& c : stored) {
    ++ended.proposed;
    ended.accepted += c.state == "accepted";
  }
  ended.structures = std::min(ended.accepted, 2);
  workspace.set_run_state(run, ended.state);
  handler(ended);
  return ended;
}

Result<std::vector<explore::CandidateRow>> FakeEngine::rows(store::Workspace& workspace, std::int64_t run) {
  std::vector<explore::CandidateRow> rows;
  const auto stored = *workspace.candidates(run);
  for (const auto& c : stored) rows.push_back(row_of(c));
  std::vector<explore::CandidateRow*> ranked;
  for (auto& row : rows)
    if (row.score) ranked.push_back(&row);
  std::stable_sort(ranked.begin(), ranked.end(), [](auto* a, auto* b) { return a->score->value < b->score->value; });
  for (std::size_t i = 0; i < ranked.size(); ++i) ranked[i]->rank = static_cast<int>(i) + 1;
  return rows;
}

Result<std::vector<KernelOccupancy>> FakeEngine::occupancy(const store::CandidateRecord& candidate, const std::string&,
                                                           const std::string& architecture) {
  KernelOccupancy k;
  k.kernel = "softmax_rows";
  k.architecture = architecture;
  k.block = 256;
  k.shared = 1024;
  k.occupancy = candidate.resources.front().registers > 30 ? 0.75 : 1.0;
  k.active_warps = static_cast<int>(64 * k.occupancy);
  k.limiter = k.occupancy < 1 ? "registers" : "block size";
  return std::vector<KernelOccupancy>{k};
}

Result<std::shared_ptr<const widgets::ProfileView>> FakeEngine::profile(
    store::Workspace& workspace, std::int64_t candidate, const std::shared_ptr<const widgets::ProfileView>&) {
  auto view = std::make_shared<widgets::ProfileView>();
  view->record = *workspace.candidate(candidate);
  view->name = "#" + std::to_string(candidate) + " " + view->record.title;
  view->device = "simt";
  view->architecture = "sm_80";
  view->limits = *profile::device_limits("sm_80");
  view->launches_why_not = "It was not compiled.";
  view->cost_why_not = view->counters_why_not = view->timings_why_not = "The script has no numbers.";
  for (const auto& resources : view->record.resources) {
    widgets::LaunchView launch;
    launch.kernel = resources.kernel;
    launch.shape = {256, resources.registers > 30 ? 40 : 16, 1024, 0};
    launch.occupancy = profile::occupancy(*view->limits, launch.shape);
    view->launches.push_back(launch);
  }
  return std::shared_ptr<const widgets::ProfileView>(view);
}

}  // namespace ww::test
