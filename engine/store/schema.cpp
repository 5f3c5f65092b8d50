// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"
#include "store/foreign_schema.h"
#include "store/old_tags.h"
#include "store/old_titles.h"
#include "store/old_verdicts.h"

namespace ww::store {
namespace {

// Texts are stored once per content (source); a candidate is one appearance of a text in a run. Evidence lives apart
// (verdict), so that lists need not read it. verdict.id gives the order of judgement.
constexpr std::string_view first = R"sql(
CREATE TABLE op(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  sentence TEXT NOT NULL,
  created TEXT NOT NULL
);
CREATE TABLE run(
  id INTEGER PRIMARY KEY,
  op INTEGER NOT NULL REFERENCES op(id),
  generator TEXT NOT NULL,
  device TEXT NOT NULL,
  architecture TEXT NOT NULL,
  options TEXT NOT NULL,
  state TEXT NOT NULL,
  created TEXT NOT NULL,
  ended TEXT NOT NULL DEFAULT ''
);
CREATE TABLE source(
  hash TEXT PRIMARY KEY,
  language TEXT NOT NULL,
  text TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE candidate(
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run(id),
  hash TEXT NOT NULL REFERENCES source(hash),
  parent TEXT NOT NULL,
  structure TEXT NOT NULL,
  title TEXT NOT NULL,
  generator TEXT NOT NULL,
  note TEXT NOT NULL,
  state TEXT NOT NULL,
  created TEXT NOT NULL,
  summary TEXT NOT NULL DEFAULT '',
  score REAL,
  score_provenance TEXT NOT NULL DEFAULT '',
  score_unit TEXT NOT NULL DEFAULT '',
  resources TEXT NOT NULL DEFAULT '[]',
  UNIQUE(run, hash)
);
CREATE INDEX candidate_hash ON candidate(hash);
CREATE INDEX candidate_state ON candidate(run, state);
CREATE TABLE verdict(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  candidate INTEGER NOT NULL UNIQUE REFERENCES candidate(id),
  json TEXT NOT NULL,
  ptx TEXT NOT NULL,
  created TEXT NOT NULL
);
CREATE TABLE message(
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run(id),
  level TEXT NOT NULL,
  text TEXT NOT NULL,
  created TEXT NOT NULL
);
CREATE INDEX message_run ON message(run);
)sql";

// Measurements on real hardware, whole, as JSON with their provenance; the columns beside it are for lists. A
// measurement without a candidate is one of baselines alone.
constexpr std::string_view second = R"sql(
CREATE TABLE measurement(
  id INTEGER PRIMARY KEY,
  op INTEGER NOT NULL REFERENCES op(id),
  candidate INTEGER REFERENCES candidate(id),
  kind TEXT NOT NULL,
  device TEXT NOT NULL,
  gpu TEXT NOT NULL,
  driver TEXT NOT NULL,
  json TEXT NOT NULL,
  created TEXT NOT NULL
);
CREATE INDEX measurement_candidate ON measurement(candidate);
CREATE TABLE imported(
  digest TEXT PRIMARY KEY,
  first_run INTEGER NOT NULL,
  last_run INTEGER NOT NULL,
  created TEXT NOT NULL
) WITHOUT ROWID;
)sql";

// Exchanges with language models: request, reply and raw as split_texts keeps them, their long strings once in `text`.
// An exchange without a run is one outside runs (a formulation). A move is one step from a candidate to its child,
// by hashes.
constexpr std::string_view third = R"sql(
CREATE TABLE text(
  hash TEXT PRIMARY KEY,
  text TEXT NOT NULL
);
CREATE TABLE exchange(
  id INTEGER PRIMARY KEY,
  run INTEGER REFERENCES run(id),
  role TEXT NOT NULL,
  label TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  host TEXT NOT NULL,
  request TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  prompt TEXT NOT NULL,
  state TEXT NOT NULL,
  reply TEXT NOT NULL DEFAULT '',
  raw TEXT NOT NULL DEFAULT '',
  why TEXT NOT NULL DEFAULT '',
  code TEXT NOT NULL DEFAULT '',
  outcome TEXT NOT NULL DEFAULT '',
  candidate TEXT NOT NULL DEFAULT '',
  prompt_tokens INTEGER NOT NULL DEFAULT 0,
  cached_tokens INTEGER NOT NULL DEFAULT 0,
  cache_written_tokens INTEGER NOT NULL DEFAULT 0,
  completion_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  tokens_reported INTEGER NOT NULL DEFAULT 0,
  money REAL,
  attempts INTEGER NOT NULL DEFAULT 0,
  first_token_seconds REAL NOT NULL DEFAULT 0,
  seconds REAL NOT NULL DEFAULT 0,
  created TEXT NOT NULL,
  ended TEXT NOT NULL DEFAULT ''
);
CREATE INDEX exchange_run ON exchange(run);
CREATE TABLE move(
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run(id),
  parent TEXT NOT NULL,
  child TEXT NOT NULL,
  move TEXT NOT NULL,
  family TEXT NOT NULL,
  device TEXT NOT NULL,
  provenance TEXT NOT NULL,
  effect REAL NOT NULL,
  low REAL NOT NULL,
  high REAL NOT NULL,
  created TEXT NOT NULL
);
CREATE INDEX move_family ON move(family, device);
ALTER TABLE candidate ADD COLUMN exchange INTEGER REFERENCES exchange(id);
ALTER TABLE candidate ADD COLUMN duplicate_of TEXT NOT NULL DEFAULT '';
)sql";

// Decisions on candidates. Rows are only ever added: the triggers enforce that for every program that opens the file.
constexpr std::string_view fourth = R"sql(
CREATE TABLE review(
  id INTEGER PRIMARY KEY,
  candidate INTEGER NOT NULL REFERENCES candidate(id),
  kind TEXT NOT NULL,
  reviewer TEXT NOT NULL,
  line INTEGER NOT NULL,
  text TEXT NOT NULL,
  answers TEXT NOT NULL,
  receipt TEXT NOT NULL,
  created TEXT NOT NULL
);
CREATE INDEX review_candidate ON review(candidate);
CREATE TRIGGER review_unchanged BEFORE UPDATE ON review BEGIN SELECT)sql"
                                    R"sql( RAISE(ABORT, 'what a reviewer wrote is never changed'); END;
CREATE TRIGGER review_kept BEFORE DELETE ON review BEGIN SELECT)sql"
                                    R"sql( RAISE(ABORT, 'what a reviewer wrote is never deleted'); END;
)sql";

// Private marks on candidates: pins, notes, tags, trash. A mark taken off is gone; the candidate itself never is.
constexpr std::string_view fifth = R"sql(
CREATE TABLE mark(
  id INTEGER PRIMARY KEY,
  candidate INTEGER NOT NULL REFERENCES candidate(id),
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  created TEXT NOT NULL,
  UNIQUE(candidate, kind, text)
);
)sql";

// The attempt that a candidate or exchange belongs to (origin.h), which stood in notes and labels before; what lists
// and later judgements need of a verdict, so that they need not read it; and a count by which watchers find the rows
// of a run that changed. identity: null where it was not computed yet, empty where it cannot be.
constexpr std::string_view sixth = R"sql(
ALTER TABLE candidate ADD COLUMN strategy TEXT NOT NULL DEFAULT '';
ALTER TABLE candidate ADD COLUMN lineage TEXT NOT NULL DEFAULT '';
ALTER TABLE candidate ADD COLUMN task INTEGER NOT NULL DEFAULT 0;
ALTER TABLE candidate ADD COLUMN step TEXT NOT NULL DEFAULT '';
ALTER TABLE candidate ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE candidate ADD COLUMN move TEXT NOT NULL DEFAULT '';
ALTER TABLE candidate ADD COLUMN draft TEXT NOT NULL DEFAULT '';
ALTER TABLE candidate ADD COLUMN identity TEXT;
ALTER TABLE candidate ADD COLUMN q1 REAL;
ALTER TABLE candidate ADD COLUMN q3 REAL;
ALTER TABLE candidate ADD COLUMN floor REAL;
ALTER TABLE candidate ADD COLUMN samples REAL;
ALTER TABLE candidate ADD COLUMN gpu TEXT NOT NULL DEFAULT '';
ALTER TABLE candidate ADD COLUMN failed_stage TEXT NOT NULL DEFAULT '';
ALTER TABLE candidate ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE exchange ADD COLUMN strategy TEXT NOT NULL DEFAULT '';
ALTER TABLE exchange ADD COLUMN lineage TEXT NOT NULL DEFAULT '';
ALTER TABLE exchange ADD COLUMN task INTEGER NOT NULL DEFAULT 0;
ALTER TABLE exchange ADD COLUMN step TEXT NOT NULL DEFAULT '';
ALTER TABLE exchange ADD COLUMN subject TEXT NOT NULL DEFAULT '';
UPDATE candidate SET changed = id;
UPDATE candidate SET failed_stage = substr(summary, 13, instr(summary, ':') - 13)
  WHERE state = 'rejected' AND summary LIKE 'rejected at %:%';
UPDATE candidate SET
  q1 = json_extract(v.json, '$.metrics.values.q1_us'),
  q3 = json_extract(v.json, '$.metrics.values.q3_us'),
  floor = json_extract(v.json, '$.metrics.values.floor_us'),
  samples = json_extract(v.json, '$.metrics.values.samples'),
  gpu = coalesce(json_extract(v.json, '$.metrics.conditions.gpu'), '')
  FROM verdict v WHERE v.candidate = candidate.id AND candidate.score_provenance = 'measured' AND json_valid(v.json);
CREATE INDEX candidate_identity ON candidate(run, identity);
CREATE INDEX candidate_changed ON candidate(run, changed);
CREATE TRIGGER candidate_added AFTER INSERT ON candidate BEGIN
  UPDATE candidate SET changed = (SELECT max(changed) + 1 FROM candidate WHERE run = new.run) WHERE id = new.id;
END;
CREATE TRIGGER candidate_judged AFTER UPDATE OF state ON candidate BEGIN
  UPDATE candidate SET changed = (SELECT max(changed) + 1 FROM candidate WHERE run = new.run) WHERE id = new.id;
END;
)sql";

// Which verdicts, measurements and reviews came with a bundle: nothing here has made or seen them happen.
constexpr std::string_view seventh = R"sql(
ALTER TABLE verdict ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurement ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
ALTER TABLE review ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
DROP TRIGGER IF EXISTS review_unchanged;
CREATE TEMP TABLE came AS SELECT c.id FROM candidate c JOIN imported i ON c.run BETWEEN i.first_run AND i.last_run;
UPDATE verdict SET imported = 1 WHERE candidate IN (SELECT id FROM came);
UPDATE measurement SET imported = 1 WHERE candidate IN (SELECT id FROM came);
UPDATE review SET imported = 1 WHERE candidate IN (SELECT id FROM came);
DROP TABLE came;
CREATE TRIGGER review_unchanged BEFORE UPDATE ON review BEGIN SELECT)sql"
                                     R"sql( RAISE(ABORT, 'what a reviewer wrote is never changed'); END;
)sql";

// What could not be judged had the state of an error, or (mark_unjudged) of a rejection.
constexpr std::string_view eighth =
    "UPDATE candidate SET state = 'not judged', summary = 'not judged: ' || summary WHERE state = 'error';";

constexpr std::string_view ninth = R"sql(
ALTER TABLE candidate ADD COLUMN proved_at TEXT NOT NULL DEFAULT 'unknown';
UPDATE candidate SET proved_at = CASE WHEN EXISTS(
    SELECT 1 FROM json_each(v.json, '$.coverage') e
    WHERE json_extract(e.value, '$.case') = 'default' AND json_extract(e.value, '$.seeds') > 0)
  THEN 'asked shape' ELSE 'smaller shapes' END
  FROM verdict v WHERE v.candidate = candidate.id AND candidate.state = 'accepted' AND json_valid(v.json)
    AND json_array_length(v.json, '$.coverage') > 0;
)sql";

// One row: see owner.h.
constexpr std::string_view tenth = "CREATE TABLE owner(number TEXT NOT NULL, seal TEXT NOT NULL);";

// Why a run ended; previously only in the log, after the run's state.
constexpr std::string_view eleventh = R"sql(
ALTER TABLE run ADD COLUMN why TEXT NOT NULL DEFAULT '';
UPDATE run SET why = coalesce((SELECT substr(m.text, length(run.state) + 3) FROM message m
  WHERE m.run = run.id AND substr(m.text, 1, length(run.state) + 2) = run.state || ': ' ORDER BY m.id DESC LIMIT 1), '')
  WHERE state <> 'running';
)sql";

// How many of the spec's cases an accepted candidate is proved at; `cases` 0: unknown.
constexpr std::string_view twelfth = R"sql(
ALTER TABLE candidate ADD COLUMN proved_cases INTEGER NOT NULL DEFAULT 0;
ALTER TABLE candidate ADD COLUMN cases INTEGER NOT NULL DEFAULT 0;
UPDATE candidate SET cases = json_array_length(v.json, '$.coverage'), proved_cases = (
    SELECT count(*) FROM json_each(v.json, '$.coverage') e
    WHERE CASE e.type WHEN 'object'
      THEN json_extract(e.value, '$.claimed') AND json_extract(e.value, '$.seeds') > 0 END)
  FROM verdict v WHERE v.candidate = candidate.id AND candidate.state = 'accepted' AND json_valid(v.json)
    AND json_array_length(v.json, '$.coverage') > 0;
)sql";

// The last numbers that each deleted run held: none is given a second time.
constexpr std::string_view thirteenth =
    "CREATE TABLE deleted(last_run INTEGER NOT NULL, last_candidate INTEGER NOT NULL, last_exchange INTEGER NOT NULL, "
    "created TEXT NOT NULL);";

// What was an owner's own before another took over: rows of "verdict", "measurement", "review" and "run". With its
// rowid: without, SQLite 3.40's integrity check finds NULLs where there are none.
constexpr std::string_view fourteenth = R"sql(
CREATE TABLE former(seal TEXT NOT NULL, number TEXT NOT NULL, kind TEXT NOT NULL, row INTEGER NOT NULL,
                    PRIMARY KEY(seal, kind, row));
CREATE TRIGGER verdict_renewed AFTER UPDATE OF json ON verdict BEGIN
  DELETE FROM former WHERE kind = 'verdict' AND row = old.id;
END;
)sql";

// What the tune lines chose, which stood in titles alone before; and the names of changes, which stood in notes, for
// candidates that are still to be judged.
constexpr std::string_view fifteenth = R"sql(
ALTER TABLE candidate ADD COLUMN tuning TEXT NOT NULL DEFAULT '{}';
UPDATE candidate SET move = rtrim(substr(substr(note, 1, instr(note || ': ', ': ') - 1), 1, 80), ' .')
WHERE move = '' AND state = 'queued';
)sql";

// The gate proves; previously it accepted.
constexpr std::string_view sixteenth =
    "UPDATE candidate SET summary = 'proved' || substr(summary, 9) WHERE state = 'accepted' AND summary LIKE "
    "'accepted%';";

// Where a request waits for its answer, which a later process can fetch.
constexpr std::string_view seventeenth = R"sql(
ALTER TABLE exchange ADD COLUMN batch TEXT NOT NULL DEFAULT '';
ALTER TABLE exchange ADD COLUMN batch_item TEXT NOT NULL DEFAULT '';
)sql";

}  // namespace

const std::vector<Migration>& migrations() {
  static const std::vector<Migration> steps = {{first},
                                               {second},
                                               {third},
                                               {fourth},
                                               {fifth},
                                               {sixth, fill_origins},
                                               {seventh},
                                               {eighth, mark_unjudged},
                                               {ninth},
                                               {tenth},
                                               {eleventh},
                                               {twelfth},
                                               {thirteenth},
                                               {fourteenth},
                                               {fifteenth, fill_tunings},
                                               {sixteenth},
                                               {seventeenth}};
  return steps;
}

namespace {

// Called inside a transaction: between two separate reads, another program that creates the database at this moment may
// commit.
Status check_header(Database& db, const std::vector<Migration>& steps, const std::filesystem::path& file) {
  const std::int64_t tables = WW_TRY(db.integer("SELECT count(*) FROM sqlite_master"));
  const std::int64_t version = WW_TRY(db.integer("PRAGMA user_version"));
  const std::int64_t owner = WW_TRY(db.integer("PRAGMA application_id"));
  const bool empty = version == 0 && owner == 0 && tables == 0;
  if (!empty && owner != application_id)
    return fail(Code::invalid_argument,
                "'" + file.string() + "' is another program's database; choose another workspace folder");
  const auto newest = static_cast<std::int64_t>(steps.size());
  if (version > newest)
    return fail(Code::unsupported, "the workspace database '" + file.string() +
                                       "' was written by a newer Warpwright (its format is " + std::to_string(version) +
                                       ", this program knows up to " + std::to_string(newest) +
                                       "); use that version or choose another workspace folder");
  if (empty) return {};
  const std::string foreign = WW_TRY(foreign_in_schema(db, steps, version));
  if (foreign.empty()) return {};
  return fail(Code::corrupt,
              "the workspace database '" + file.string() +
                  "' was changed by another program; restore it from a copy or choose another workspace folder",
              foreign);
}

}  // namespace

Status check_ours(Database& db, const std::vector<Migration>& steps, const std::filesystem::path& file) {
  if (Status s = db.exec("BEGIN"); !s) return s;
  const Status ours = check_header(db, steps, file);
  const Status ended = db.exec("ROLLBACK");
  return ours ? ended : ours;
}

Status check_current(Database& db, const std::vector<Migration>& steps, const std::filesystem::path& file) {
  WW_TRY(check_ours(db, steps, file));
  if (WW_TRY(db.integer("PRAGMA user_version")) == static_cast<std::int64_t>(steps.size())) return {};
  return fail(Code::unsupported, "the workspace database '" + file.string() +
                                     "' was written by an older Warpwright and is read-only here, so it cannot be "
                                     "brought up to date; copy its folder to a place where you can write");
}

Status migrate(Database& db, const std::vector<Migration>& steps, const std::filesystem::path& file) {
  for (;;) {
    Transaction transaction(db);
    if (!transaction.begun()) return transaction.begun();
    const std::int64_t at = WW_TRY(db.integer("PRAGMA user_version"));
    if (at == static_cast<std::int64_t>(steps.size())) return transaction.commit();
    if (at > static_cast<std::int64_t>(steps.size())) return check_header(db, steps, file);
    const Migration& step = steps[static_cast<std::size_t>(at)];
    WW_TRY(db.exec(std::string(step.sql)));
    if (step.fill) WW_TRY(step.fill(db));
    if (Status s = db.exec("PRAGMA application_id = " + std::to_string(application_id) +
                           "; PRAGMA user_version = " + std::to_string(at + 1));
        !s)
      return s;
    if (Status s = transaction.commit(); !s) return s;
  }
}

}  // namespace ww::store
