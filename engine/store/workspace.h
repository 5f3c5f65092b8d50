// SPDX-License-Identifier: Apache-2.0
// A workspace: a folder with one SQLite database (WAL) and content-addressed blobs. Several programs may have it open
// at once. Everything that a function reports as stored survives the death of any process.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/provenance.h"
#include "base/describe.h"
#include "base/result.h"
#include "candidate/candidate.h"
#include "evidence/verdict.h"
#include "profile/measurement.h"
#include "profile/measurement_record.h"
#include "store/deletion.h"
#include "store/origin.h"
#include "store/states.h"

namespace ww::store {

// The label of rows imported with a bundle.
inline constexpr std::string_view imported_mark = "imported, not judged here";

struct OpRecord {
  std::int64_t id = 0;
  std::string name, text, sentence, created;
};

struct RunRecord {
  static constexpr std::string_view described_as = "RUN";
  std::int64_t id = 0, op = 0;
  std::string op_name, generator, device, architecture;
  RunState state = RunState::unknown;
  std::string options;         // JSON of the run's options
  std::string created, ended;  // ISO 8601, UTC
  std::string why;             // why it ended: one sentence; empty: it has not, or not recorded
  int proposed = 0, judged = 0, accepted = 0;
  bool imported = false;  // from a bundle, or from another user's workspace
  WW_FIELDS(RunRecord, id, ((op, op_name)), generator, device, architecture, (state, "`interrupted`: its process died"),
            (created, "ISO 8601, UTC"), (ended, "empty while it is open"),
            (why, "why it ended, in one sentence; empty while it is open, or where that was not recorded"), proposed,
            judged, accepted, (imported, "it came from elsewhere: with a bundle, or with a workspace of somebody else"))
};

struct MessageRecord {
  MessageLevel level = MessageLevel::unknown;
  std::string text, created;
};

CandidateState state_of(const evidence::Verdict& verdict);  // of a candidate with this verdict

struct Spread {  // of a measured score, in its unit; NaN: unknown
  double q1 = profile::unknown, q3 = profile::unknown;
  double floor = profile::unknown;    // *modelled*: the minimum cost of the case on that device
  double samples = profile::unknown;  // the score is their median
  std::string gpu;
};

Spread spread_of(const evidence::Metrics& metrics);

struct CandidateRecord {
  std::int64_t id = 0, run = 0;
  std::string hash, parent, structure, title, generator, note, text;
  Tuning tuning;
  candidate::Language language = candidate::Language::cuda;
  CandidateState state = CandidateState::unknown;
  std::string created;
  bool imported = false;                     // state, verdict, summary and score come from elsewhere: not judged here
  std::optional<evidence::Verdict> verdict;  // filled by candidate(), not by candidates()
  std::string verdict_hash;                  // of the verdict's stored bytes; filled with it
  std::string summary;                       // of the verdict
  std::optional<double> score;
  Provenance score_provenance = Provenance::unknown;
  std::string score_unit;
  Spread spread;
  std::vector<compile::KernelResources> resources;
  std::string judged;         // ISO 8601, UTC, of the verdict; empty without one
  std::int64_t order = 0;     // ascending in order of judgement over the workspace; 0 without a verdict
  std::int64_t exchange = 0;  // the request to a model that produced it; 0: none
  std::string duplicate_of;   // of a duplicate: hash of the candidate with the same normalised PTX and plan
  Origin origin;
  std::string draft;  // the text before pinning, if tune lines left a choice; set by candidate() and candidates()
  std::optional<std::string> identity;  // of its program (identity/program.h); empty text: it cannot be determined
  std::optional<evidence::Stage> failed_stage;                 // if rejected and named by its verdict
  evidence::ProvedAt proved_at = evidence::ProvedAt::unknown;  // if accepted
  std::optional<evidence::CaseCounts> cases;                   // if accepted
  std::int64_t changed = 0;                                    // increases with each change of a row of the run
};

struct ExchangeRecord {  // one request to a language model, and its outcome
  static constexpr std::string_view described_as = "EXCHANGE";
  std::int64_t id = 0, run = 0;  // run 0: outside runs
  AgentRole role = AgentRole::unknown;
  std::string label;  // "fix of candidate 12", for people
  Origin origin;
  std::string model, provider, host;  // "PRESET:MODEL"; the plugin; where it went
  std::string request, request_hash;  // llm::request_to_json and its hash_hex
  std::string prompt;                 // versions and hash of the prompt files
  ExchangeState state = ExchangeState::unknown;
  std::string batch, batch_item;  // of the service, and what names the request in it; empty: it went alone
  std::string
      reply;        // llm::reply_to_json; empty until it arrives; if failed or cancelled: the part that arrived, if any
  std::string raw;  // the bodies as received, of all attempts; stored if it failed, else empty
  std::string why,
      code;  // of a failure: its sentence, and code_name of it
  ExchangeOutcome outcome = ExchangeOutcome::none;
  std::string candidate;  // hash of the candidate in its reply, or empty
  // Of all attempts. While the state is "sent", prompt_tokens and money are the estimate for its prompt: the loss if
  // the program dies now.
  std::int64_t prompt_tokens = 0, cached_tokens = 0, cache_written_tokens = 0, completion_tokens = 0,
               reasoning_tokens = 0;
  bool tokens_reported = false;  // by the service; else estimated
  std::optional<double> money;   // US dollars; empty: the price is unknown
  int attempts = 0;
  double first_token_seconds = 0, seconds = 0;
  std::string created, ended;  // ISO 8601, UTC
  WW_FIELDS(ExchangeRecord, id, (run, "null: outside runs", nullable), (role, "of the agent"), label,
            (model, "`PRESET:MODEL`"), provider, host, (prompt, "versions and hash of the prompt files"),
            (batch, "of the service, that it is a part of", sparse), state, (why, "it failed"),
            (outcome, "what came of the reply"), (candidate, "hash or empty"), prompt_tokens, cached_tokens,
            cache_written_tokens, completion_tokens, reasoning_tokens,
            (tokens_reported, "by the service; false: estimated"), (money, "US dollars; null: the price is unknown"),
            attempts, first_token_seconds, seconds, created, ended)
};

struct MoveRecord {  // the effect of one step from a candidate to its child
  std::int64_t id = 0, run = 0;
  std::string from, to;  // hashes
  std::string move;  // "vectorise loads": its name in the diagnosis, else the child's note, else structure to structure
  std::string family;                           // of the op
  std::string device;                           // "simt", or the GPU's name
  Provenance provenance = Provenance::unknown;  // of the effect
  double effect = 0;                            // score of from / score of to: above 1 is faster
  double low = 0, high = 0;                     // its 95 % interval if measured; both equal to effect if simulated
  std::string created;
};

struct MeasurementRecord {
  std::int64_t id = 0, op = 0;
  std::int64_t candidate = 0;  // 0: none (only baselines)
  profile::MeasurementKind kind = profile::MeasurementKind::unknown;
  std::string device, gpu, driver;  // "cuda:0", "NVIDIA H200", "580.159.04"
  std::string json;                 // all of it, with provenance
  std::string created;              // ISO 8601, UTC
  bool imported = false;            // not measured here
};

enum class ReviewKind : std::uint8_t { note, changes, rejected, accepted, countersigned, withdrawn };
constexpr auto names_of(ReviewKind) {
  using enum ReviewKind;
  return std::to_array<Enumerator<ReviewKind>>({{note, "note"},
                                                {changes, "changes"},
                                                {rejected, "rejected"},
                                                {accepted, "accepted"},
                                                {countersigned, "countersigned"},
                                                {withdrawn, "withdrawn"}});
}

struct ReviewRecord {  // a person's note or decision on a candidate (review/decision.h)
  std::int64_t id = 0, candidate = 0;
  ReviewKind kind = ReviewKind::note;  // withdrawn: withdraws an earlier row (standing.h)
  std::string reviewer;                // as given; may be empty for notes and requested changes
  int line = 0;                        // of the candidate's text; 0: the whole
  std::string text;
  std::string answers;    // JSON: item of the checklist, answer; of an acceptance, else empty
  std::string receipt;    // review/receipt.h; of an acceptance and of each later signature, else empty
  std::string created;    // ISO 8601, UTC
  bool imported = false;  // from a bundle, or from another user's workspace
};

struct MarkRecord {  // a user's mark to find a candidate again; not a statement about the candidate
  std::int64_t candidate = 0;
  MarkKind kind = MarkKind::unknown;
  std::string text;     // of a note or tag; of the others empty
  std::string created;  // ISO 8601, UTC
};

// Rows stored by a replay (exchanges of the provider "replay", their candidates and verdicts) can be recreated from the
// run that it repeats: they survive the death of any process like all others, but are not flushed to disk individually.
class Workspace {  // thread-safe: writers take turns, readers do not wait
 public:
  enum class Access {
    create,  // for writing; folder and schema are created if missing
    write,   // for writing; one without write permission is opened read-only: writing then fails (Code::io)
    read,    // writing fails (Code::io)
  };
  // Migrates older schemas (user_version); a newer one is an error. Contents that were not created by this user's
  // program (owner.h) count as imported: `read` only shows them so, the other modes mark them permanently.
  static Result<std::unique_ptr<Workspace>> open(const std::filesystem::path& folder, Access access = Access::create);
  virtual ~Workspace() = default;
  virtual const std::filesystem::path& folder() const = 0;

  virtual Result<std::int64_t> add_op(const std::string& name, const std::string& text,
                                      const std::string& sentence) = 0;
  virtual Result<OpRecord> op(std::int64_t id) = 0;
  virtual Result<std::int64_t> add_run(const RunRecord& run) = 0;
  // Any state but `running` sets `ended`. `why`: one sentence.
  virtual Status set_run_state(std::int64_t run, RunState state, const std::string& why = {}) = 0;
  virtual Status set_run_options(std::int64_t run, const std::string& options) = 0;
  virtual Status add_message(std::int64_t run, MessageLevel level, const std::string& text) = 0;  // the run's log
  virtual Result<std::vector<MessageRecord>> messages(std::int64_t run) = 0;                      // oldest first
  // The report of the run's latest worker: JSON for rpc::worker_report(); empty: none has started.
  virtual Result<std::string> latest_worker(std::int64_t run) = 0;
  virtual Result<RunRecord> run(std::int64_t id) = 0;
  virtual Result<std::vector<RunRecord>> runs() = 0;  // newest first
  // The caller must hold the run's lock: see explore/delete_run.h.
  virtual Result<DeletedRun> deletion_preview(std::int64_t run) = 0;
  virtual Result<DeletedRun> delete_run(std::int64_t run) = 0;

  // A text is stored once per run: if it exists, returns its id and sets *known.
  virtual Result<std::int64_t> add_candidate(const CandidateRecord& candidate, bool* known = nullptr) = 0;
  virtual Status set_verdict(std::int64_t candidate, const evidence::Verdict& verdict, std::optional<double> score,
                             Provenance provenance, const std::string& unit,
                             const std::optional<std::string>& identity = {}) = 0;
  virtual Status set_identity(std::int64_t candidate, const std::string& identity) = 0;  // of one judged before
  // Judging failed for a reason unrelated to the candidate, without a verdict: `message` becomes its summary.
  virtual Status set_not_judged(std::int64_t candidate, const std::string& message) = 0;
  virtual Result<CandidateRecord> candidate(std::int64_t id) = 0;  // with its verdict
  virtual Result<CandidateRecord> find_candidate(
      const std::string& id_or_hash_prefix) = 0;  // ambiguous or absent: says so;
                                                  // a text that several runs hold: the latest of them
  virtual Result<std::vector<CandidateRecord>> candidates(
      std::int64_t run) = 0;  // in order of id, without verdict evidence
  virtual Result<CandidateRecord> candidate_of(std::int64_t run,
                                               const std::string& hash) = 0;  // with its verdict; Code::not_found
  // The same list one by one, without the texts and their languages; stops at an error from `take`.
  // Only the run's rows that changed after `since` (CandidateRecord::changed).
  virtual Status each_candidate(std::int64_t run, const std::function<Status(const CandidateRecord&)>& take,
                                std::int64_t since = 0) = 0;
  virtual Result<CandidateRecord> candidate_row(std::int64_t id) = 0;  // with its text, without its verdict
  // Hash of the run's candidate with that program, if one was accepted and judged here; else empty.
  virtual Result<std::string> find_identity(std::int64_t run, const std::string& identity) = 0;

  virtual Result<std::int64_t> add_measurement(const MeasurementRecord& measurement) = 0;
  // Measurements of one candidate, or with 0 of the whole workspace; newest first.
  virtual Result<std::vector<MeasurementRecord>> measurements(std::int64_t candidate) = 0;

  // Records it as a duplicate: state "duplicate", never ranked, with the verdict of `of` (a hash).
  virtual Status set_duplicate(std::int64_t candidate, const std::string& of) = 0;

  virtual Result<std::int64_t> add_exchange(
      const ExchangeRecord& exchange) = 0;                          // state "sent"; on disk when it returns
  virtual Status end_exchange(const ExchangeRecord& exchange) = 0;  // by id: all that comes after sending
  // What was not answered yet is a part of it.
  virtual Status set_batch(std::int64_t exchange, const std::string& batch, const std::string& item) = 0;
  virtual Status set_outcome(std::int64_t exchange, ExchangeOutcome outcome, const std::string& candidate) = 0;
  virtual Result<ExchangeRecord> exchange(std::int64_t id) = 0;  // with its texts
  // In order of id, without the texts (request, reply, raw). `run` 0: those outside runs.
  virtual Result<std::vector<ExchangeRecord>> exchanges(std::int64_t run) = 0;
  virtual Result<std::int64_t> add_move(const MoveRecord& move) = 0;
  // Newest first, at most `limit`; an empty family or device: all.
  virtual Result<std::vector<MoveRecord>> moves(const std::string& family, const std::string& device,
                                                std::size_t limit) = 0;

  // Reviews are added, never changed or deleted.
  virtual Result<std::int64_t> add_review(const ReviewRecord& review) = 0;
  virtual Result<std::vector<ReviewRecord>> reviews(std::int64_t candidate) = 0;  // oldest first; 0: of all candidates

  // Sets (`on`) or removes one mark of each candidate, for all of them or none. A candidate has one note, which a new
  // one replaces and any text removes, and any number of tags. Setting an existing mark changes nothing.
  virtual Status set_marks(const std::vector<std::int64_t>& candidates, MarkKind kind, const std::string& text,
                           bool on) = 0;
  Status set_mark(std::int64_t candidate, MarkKind kind, const std::string& text, bool on) {
    return set_marks({candidate}, kind, text, on);
  }
  virtual Result<std::vector<MarkRecord>> marks(std::int64_t run) = 0;  // in the order in which they were set

  virtual Result<std::string> put_blob(std::string_view bytes) = 0;   // returns its hash
  virtual Result<std::string> get_blob(const std::string& hash) = 0;  // verifies the hash: Code::corrupt
};

}  // namespace ww::store
