// SPDX-License-Identifier: Apache-2.0
// A workspace: a folder with one SQLite database (WAL) and content-addressed blobs. Several programs may have it open at once. What a
// function reports as stored survives the death of any process.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"
#include "gate/verdict.h"

namespace ww::store {

struct OpRecord { std::int64_t id = 0; std::string name, text, sentence, created; };

struct RunRecord {
  std::int64_t id = 0, op = 0;
  std::string op_name, generator, device, architecture, state;  // state: "running", "done", "cancelled", "failed"
  std::string options;      // JSON of the run's options
  std::string created, ended;  // ISO 8601, UTC
  int proposed = 0, judged = 0, accepted = 0;
};

struct MessageRecord { std::string level, text, created; };  // level: "info", "warning", "error"; "environment": the worker's facts as JSON

struct CandidateRecord {
  std::int64_t id = 0, run = 0;
  std::string hash, parent, structure, title, generator, note, text;
  std::string language;     // "cuda", "ptx"
  std::string state;        // "queued", "accepted", "rejected", "error"
  std::string created;
  std::optional<gate::Verdict> verdict;  // filled by candidate(), not by candidates()
  std::string summary;      // of the verdict
  std::optional<double> score;
  std::string score_provenance, score_unit;
  std::vector<compile::KernelResources> resources;
  std::string judged;       // ISO 8601, UTC, of the verdict; empty without one
  std::int64_t order = 0;   // ascending in the order of judgement over the workspace; 0 without a verdict
};

struct MeasurementRecord {
  std::int64_t id = 0, op = 0;
  std::int64_t candidate = 0;  // 0: none (of baselines alone)
  std::string kind;         // "time", "counters", "baseline", "compare"
  std::string device, gpu, driver;  // "cuda:0", "NVIDIA H200", "580.159.04"
  std::string json;         // all of it, with its provenance
  std::string created;      // ISO 8601, UTC
};

class Workspace {  // thread-safe: calls are serialised inside
 public:
  // Creates the folder and schema when absent and `create`; migrates older ones (user_version); a newer one is an error that says so.
  static Result<std::unique_ptr<Workspace>> open(const std::filesystem::path& folder, bool create = true);
  virtual ~Workspace() = default;
  virtual const std::filesystem::path& folder() const = 0;

  virtual Result<std::int64_t> add_op(const std::string& name, const std::string& text, const std::string& sentence) = 0;
  virtual Result<OpRecord> op(std::int64_t id) = 0;
  virtual Result<std::int64_t> add_run(const RunRecord& run) = 0;
  virtual Status set_run_state(std::int64_t run, const std::string& state) = 0;  // any but "running" sets `ended`
  virtual Status set_run_options(std::int64_t run, const std::string& options) = 0;
  virtual Status add_message(std::int64_t run, const std::string& level, const std::string& text) = 0;  // the run's log
  virtual Result<std::vector<MessageRecord>> messages(std::int64_t run) = 0;  // oldest first
  virtual Result<RunRecord> run(std::int64_t id) = 0;
  virtual Result<std::vector<RunRecord>> runs() = 0;                       // newest first

  // The same text in the same run is stored once: returns the id that is there and sets *known.
  virtual Result<std::int64_t> add_candidate(const CandidateRecord& candidate, bool* known = nullptr) = 0;
  virtual Status set_verdict(std::int64_t candidate, const gate::Verdict& verdict, std::optional<double> score,
                             const std::string& provenance, const std::string& unit) = 0;
  // Judging it failed for a reason that lies outside the candidate: state "error", `message` as its summary.
  virtual Status set_error(std::int64_t candidate, const std::string& message) = 0;
  virtual Result<CandidateRecord> candidate(std::int64_t id) = 0;           // with its verdict
  virtual Result<CandidateRecord> find_candidate(const std::string& id_or_hash_prefix) = 0;  // ambiguous or absent: says so;
                                                                            // a text that several runs hold: the latest of them
  virtual Result<std::vector<CandidateRecord>> candidates(std::int64_t run) = 0;  // in order of id, without verdict evidence

  virtual Result<std::int64_t> add_measurement(const MeasurementRecord& measurement) = 0;
  // Of one candidate, or with 0 all of the workspace; newest first.
  virtual Result<std::vector<MeasurementRecord>> measurements(std::int64_t candidate) = 0;

  virtual Result<std::string> put_blob(std::string_view bytes) = 0;        // returns its hash
  virtual Result<std::string> get_blob(const std::string& hash) = 0;       // verifies the hash: Code::corrupt
};

}  // namespace ww::store
